/**
 * Authenticates callers. Results are cached until any account or token changes, so a revoked token
 * is invalid as soon as the revocation is confirmed.
 */

import type { Journal } from '../../core/journal/journal.ts';
import type { Id } from '../../core/store/keys.ts';
import type { StoreReader } from '../../core/store/reader.ts';
import type { Authentication, Caller, Scope } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import { nowSeconds } from '../http/time.ts';
import { accountGone, apiDisabled, unauthorized } from '../http/unauthorized.ts';
import { allows, scopesOf } from './scopes.ts';
import { matchesHash, tokenId } from './token.ts';

/** Maximum number of cached callers. */
const MAX_CACHED = 10_000;
/**
 * Longer headers are not cached: leading spaces can make any number of long headers for one token.
 */
const MAX_CACHED_LENGTH = 100;

export class Authenticator implements Authentication {
  readonly #reader: StoreReader;
  /** By the whole header. Cleared when any account or token changes. */
  readonly #callers = new Map<string, Caller>();

  constructor(reader: StoreReader, journal: Pick<Journal, 'onCredentials'>) {
    this.#reader = reader;
    journal.onCredentials(() => this.#callers.clear());
  }

  /** Throws HttpError 401, or 403 if API access is off for the account. */
  authenticate(header: string | undefined): Caller {
    if (header === undefined)
      throw unauthorized(
        'missing_token',
        'Send a token: Authorization: Bearer <API_KEY>. Get one from POST /api/v1/auth/token.',
      );
    let caller = this.#callers.get(header);
    if (caller === undefined) {
      caller = this.#find(header);
      if (this.#callers.size >= MAX_CACHED) this.#callers.clear();
      if (header.length <= MAX_CACHED_LENGTH) this.#callers.set(header, caller);
    }
    const { expiresAt } = caller.token;
    if (expiresAt !== null && expiresAt <= nowSeconds())
      throw unauthorized('expired_token', 'The token has expired; get a new one.');
    return caller;
  }

  /** Whether the header has a well-formed token that this node does not know. */
  hasUnknownToken(header: string | undefined): boolean {
    if (header === undefined || this.#callers.has(header)) return false;
    const { id } = parse(header);
    return id !== undefined && this.#reader.token(id) === undefined;
  }

  /** Throws HttpError 403 if role or scopes do not allow the access. */
  requireAccess({ account, token }: Caller, scope: Scope, access: 'read' | 'write', admin: boolean): void {
    if (admin && account.role !== 'admin')
      throw new HttpError(403, 'forbidden', 'Only administrators are allowed to do this.');
    if (!allows(scopesOf(account.role), scope, access))
      throw new HttpError(403, 'forbidden', `The role "${account.role}" is only allowed to read.`);
    if (!allows(token.scopes, scope, access)) {
      const needed = access === 'read' ? `${scope}:read` : scope;
      throw new HttpError(403, 'insufficient_scope', `The token does not have the scope "${needed}".`);
    }
  }

  #find(header: string): Caller {
    const { text, id } = parse(header);
    if (id === undefined) throw unauthorized('malformed_token', 'The token is malformed: it is truncated or mistyped.');
    const token = this.#reader.token(id);
    if (token === undefined || !matchesHash(text, token.hash))
      throw unauthorized('invalid_token', 'The token was revoked or never issued; get a new one.');
    const account = this.#reader.account(token.accountId);
    if (account === undefined) throw accountGone();
    if (!account.apiEnabled) throw apiDisabled();
    return { account, token };
  }
}

/** `id` is undefined if the token is not well-formed. */
function parse(header: string): { text: string; id: Id | undefined } {
  const text = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? '';
  return { text, id: tokenId(text) };
}
