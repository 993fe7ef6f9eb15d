/** Rejects writes before their body is read, while the node has too little memory or disk space. */
import { diskFull } from '../../core/base/disk-full.ts';
import { HttpError } from './errors.ts';
import type { ServedRoute } from './route.ts';
import type { HttpRequest } from './transport.ts';

export interface WriteProtection {
  readonly storage: { readonly isReadOnly: boolean };
  readonly refusesLargeBodies: boolean;
}

/** Maximum size in bytes of a body that is accepted under load. */
const SMALL_BODY = 64 * 1024;
const RETRY = { 'Retry-After': '30' };

/**
 * Throws HttpError 507 `disk_full` and 503 `overloaded`. A sign-in, which needs no token, is
 * accepted.
 */
export function assertAccepted(
  { storage, refusesLargeBodies }: WriteProtection,
  request: HttpRequest,
  { method, scope, changes }: Pick<ServedRoute, 'method' | 'scope' | 'changes'>,
): void {
  if (storage.isReadOnly && scope !== null && (changes ?? method !== 'GET'))
    throw new HttpError(507, 'disk_full', diskFull().message, { headers: RETRY, close: true });
  if (method !== 'GET' && refusesLargeBodies && !hasSmallBody(request))
    throw new HttpError(
      503,
      'overloaded',
      `The node has too little memory for a body of more than ${SMALL_BODY} bytes; retry later, or use another node.`,
      { headers: RETRY, close: true },
    );
}

function hasSmallBody(request: HttpRequest): boolean {
  if (request.header('transfer-encoding') !== undefined) return false;
  return Number(request.header('content-length') ?? 0) <= SMALL_BODY;
}
