/**
 * What the edge answers at /.well-known/acme-challenge/<token> over plain HTTP (RFC 8555 8.3): any
 * thread, of any node, out of the store.
 */
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { acmeChallenges, challengeKey } from '../../../core/store/rows.ts';

export const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** base64url of at least 128 bits (RFC 8555 8.3); tokens in use have 43 characters. */
export const TOKEN = /^[A-Za-z0-9_-]{16,256}$/;

/**
 * The body, of arbitrary bytes; undefined: there is no such challenge, whatever was
 * asked for. `domainId`: of the domain that the host is in, so that nobody answers for a domain
 * that is not theirs. `token`: what follows CHALLENGE_PATH, as it was sent.
 */
export function challengeResponse(reader: Reader, domainId: Id, token: string): string | undefined {
  if (!TOKEN.test(token)) return undefined;
  return reader.row(acmeChallenges, challengeKey(domainId, 'http-01', token))?.content;
}
