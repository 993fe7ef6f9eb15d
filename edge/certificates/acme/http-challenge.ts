/**
 * Responses to /.well-known/acme-challenge/<token> over plain HTTP (RFC 8555 8.3). Every thread of
 * every node can respond, from the store.
 */
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { acmeChallenges, challengeKey } from '../../../core/store/rows.ts';

export const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** base64url of at least 128 bits (RFC 8555 8.3); tokens in use have 43 characters. */
export const TOKEN = /^[A-Za-z0-9_-]{16,256}$/;

/**
 * The response body; undefined: no such challenge. `domainId`: the domain of the requested host, so
 * that a domain's challenges are served only on its own hosts. `token`: the rest of the path after
 * CHALLENGE_PATH, as sent.
 */
export function challengeResponse(reader: Reader, domainId: Id, token: string): string | undefined {
  if (!TOKEN.test(token)) return undefined;
  return reader.row(acmeChallenges, challengeKey(domainId, 'http-01', token))?.content;
}
