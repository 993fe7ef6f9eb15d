/**
 * Sends a request to an origin of a pool, and to another one if that is safe and the first fails.
 *
 *     nothing was sent (no address, no connection, no handshake) ─► any request, any method
 *     broken before a response, or a 5xx ─► idempotent methods without a body
 *                                           (RFC 9110 section 9.2.2)
 *     broken within a body ─► never: the visitor has a part of it
 *
 * A retry needs an origin that was not tried, and budget. If it fails too, the visitor gets the
 * response that has arrived, or the last error.
 */
import { hashText } from '../../core/pools/sticky.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import {
  type Fetch,
  isOfVisitor,
  OriginError,
  type OriginFault,
  type OriginRequest,
  type OriginResponse,
} from './origin.ts';
import type { PoolRoute } from './pool-route.ts';
import { IDEMPOTENT } from './retry.ts';

export interface PoolRequest extends OriginRequest {
  /** The visitor's fields, for the cookie. */
  readonly visitorHeaders: FieldList;
}

export interface PoolResponse {
  readonly response: OriginResponse;
  /** The origin that responded. */
  readonly target: number;
  /** The origin of the visitor's cookie; -1: none. */
  readonly preferred: number;
}

/** All origins of a pool are down. */
export class PoolDownError extends OriginError {
  constructor(
    message: string,
    /** Whether a stale response may be served (RFC 9111 section 4.2.4: disconnected). */
    readonly maySendStale: boolean,
  ) {
    super('down', message);
  }
}

/** Faults before a byte of the request was sent: the origin cannot have acted on it. */
const NOT_SENT: ReadonlySet<OriginFault> = new Set([
  ...(['forbidden', 'unresolved', 'refused', 'connect-timeout', 'tls', 'busy'] as const),
]);

/** Statuses that count as a failure of the origin. Another origin may have a better response. */
const FAILED: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Rejects like `Fetch`, and with PoolDownError. */
export async function fetchFromPool(fetch: Fetch, route: PoolRoute, request: PoolRequest): Promise<PoolResponse> {
  const { pool, budget, now } = route;
  const { visitorHeaders, ...rest } = request;
  const isSafe = isRepeatable(request);
  const client = route.isByClient ? hashText(request.client ?? '') : -1;
  const preferred = route.preferredOf(visitorHeaders);
  let tried = 0;
  let failed: PoolResponse | null = null;
  let error: OriginError | null = null;
  let wasSent = false;
  budget.countRequest();
  for (let attempt = 1; attempt <= route.attempts; attempt++) {
    const target = pool.choose(tried, client, preferred, now());
    if (target < 0) break;
    if (attempt > 1 && (request.cancel?.isCancelled || !budget.takeRetry(now()))) break;
    if (attempt > 1) route.onRetry();
    tried |= 1 << target;
    let response: OriginResponse;
    try {
      response = await fetch({ ...rest, origin: route.origins[target] });
    } catch (reason) {
      if (!(reason instanceof OriginError) || isOfVisitor(reason.fault)) {
        failed?.response.body.cancel();
        throw reason;
      }
      pool.record(target, true, now());
      error = reason;
      wasSent ||= !NOT_SENT.has(reason.fault);
      if (!isSafe && wasSent) break;
      continue;
    }
    const isFailure = FAILED.has(response.status);
    pool.record(target, isFailure, now());
    failed?.response.body.cancel();
    failed = { response, target, preferred };
    if (!isFailure || !isSafe) return failed;
  }
  if (failed !== null) return failed;
  const isDown = error === null || (!wasSent && !pool.hasUntried(tried));
  if (error !== null && !isDown) throw error;
  const count = route.origins.length;
  throw new PoolDownError(
    `${count === 1 ? 'the origin is' : `all ${count} origins are`} down${error === null ? '' : `; the last one: ${error.message}`}`,
    route.servesStaleWhenDown,
  );
}

const isRepeatable = ({ method, body, protocol }: PoolRequest): boolean =>
  body.length === 0 && protocol === '' && IDEMPOTENT.has(method);
