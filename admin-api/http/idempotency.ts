/** The Idempotency-Key of a POST, which makes a retry safe when the response was lost. */
import { createHash } from 'node:crypto';
import type { Token } from '../../core/store/rows.ts';
import { HttpError } from './errors.ts';
import type { HttpRequest } from './transport.ts';

export interface Idempotency {
  /** Hash of account and key, under which the response is stored. */
  readonly id: string;
  /**
   * Content of the request. It may contain a password, so not even its hash is stored unencrypted.
   */
  readonly request: Buffer;
}

/** Printable ASCII, quoted or unquoted (draft-ietf-httpapi-idempotency-key-header). */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/**
 * Null without the header. Throws HttpError 400. `body`: as received. Scopes, domains and policies
 * are part of the identity: a token with fewer rights must not receive the response to another
 * token.
 */
export function readIdempotency(
  request: HttpRequest,
  { accountId, scopes, domains = [], policies }: Pick<Token, 'accountId' | 'scopes' | 'domains' | 'policies'>,
  body: Buffer,
): Idempotency | null {
  const header = request.header('idempotency-key');
  if (header === undefined) return null;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!KEY.test(key))
    throw new HttpError(
      400,
      'invalid_idempotency_key',
      'Idempotency-Key must be 1 to 255 printable ASCII characters; use a random UUID, for example.',
    );
  const id = createHash('sha256').update(`${accountId} ${key}`).digest('hex').slice(0, 32);
  const limits = policies === undefined ? [] : [JSON.stringify(policies)];
  const rights = [...[...scopes].sort(), ...domains, ...limits].join(' ');
  const line = `${request.method} ${request.path}?${request.query}\n${rights}\n`;
  return { id, request: Buffer.concat([Buffer.from(line), body]) };
}
