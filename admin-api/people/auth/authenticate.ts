/**
 * Authenticates callers. Callers with a token are cached until any account or token changes. A
 * revoked token is therefore invalid as soon as the revocation is confirmed.
 */

import { RecentMap } from '../../../core/base/recent-map.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import { isInNetworks } from '../../../core/net/address/index.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Token } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import type { Authentication, Caller, Credentials, Scope } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { nowSeconds } from '../../http/time.ts';
import { accountGone, apiDisabled, tokenGone, unauthorized } from '../../http/unauthorized.ts';
import { allows, scopesOf } from './scopes.ts';
import { requireCsrfToken, type Sessions, tokenOf } from './sessions.ts';
import { legacyTokenId, matchesHash, tokenId } from './token.ts';
import type { TokenUses } from './token-uses.ts';

/** Maximum number of cached callers. */
const MAX_CACHED = 10_000;
/**
 * Maximum length of a cached header. Leading spaces allow any number of long headers for one token.
 */
const MAX_CACHED_LENGTH = 100;

export class Authenticator implements Authentication {
  /** Callers by the whole Authorization header. Cleared when any account or token changes. */
  readonly #callers = new RecentMap<Caller>(MAX_CACHED);

  constructor(
    private readonly reader: StoreReader,
    journal: Pick<Journal, 'onCredentials'>,
    private readonly sessions: Sessions,
    private readonly uses: Pick<TokenUses, 'note'>,
  ) {
    journal.onCredentials(() => this.#callers.clear());
  }

  /**
   * Throws HttpError 401; 403 if API access is off for the account, or if a request with a cookie
   * may change something and has no CSRF token.
   */
  authenticate(request: Credentials): Caller {
    const caller = this.reauthenticate(request);
    if (caller.session !== undefined) this.sessions.note(caller.session.row);
    return caller;
  }

  /** Like `authenticate`, but does not extend the session: an open stream is not user activity. */
  reauthenticate(request: Credentials): Caller {
    const header = request.header('authorization');
    const caller = header === undefined ? this.#bySession(request) : this.#byToken(header, request.remoteAddress);
    if (caller === undefined) throw missingToken();
    return caller;
  }

  #byToken(header: string, address: string): Caller {
    let caller = this.#callers.get(header);
    if (caller === undefined) {
      caller = this.#find(header);
      if (header.length <= MAX_CACHED_LENGTH) this.#callers.set(header, caller);
    }
    const { expiresAt, networks } = caller.token;
    if (expiresAt !== null && expiresAt <= nowSeconds())
      throw unauthorized('expired_token', 'The token has expired; get a new one.');
    if (networks !== undefined && !isInNetworks(networks, address))
      throw new HttpError(
        403,
        'token_network',
        `The token is limited to the networks ${networks.join(', ')}; this request is from ${address}.`,
      );
    this.uses.note(caller.token.id);
    return caller;
  }

  /** Not cached, because sessions change more often than tokens. Undefined without a cookie. */
  #bySession(request: Credentials): Caller | undefined {
    const session = this.sessions.find(request);
    if (session === undefined) return undefined;
    const account = this.reader.account(session.row.accountId);
    if (account === undefined) throw accountGone();
    if (!account.apiEnabled) throw apiDisabled();
    if (request.method !== 'GET' && request.method !== 'HEAD') requireCsrfToken(session, request);
    return { account, token: tokenOf(session.row, account), session };
  }

  /** Whether the request has a well-formed token or session that is not stored on this node. */
  hasUnknownToken(request: Credentials): boolean {
    const header = request.header('authorization');
    if (header === undefined) return this.sessions.isUnknown(request);
    if (this.#callers.get(header) !== undefined) return false;
    const { id, legacyId } = parse(header);
    return (id !== undefined || legacyId !== undefined) && this.#stored({ id, legacyId }) === undefined;
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

  /** Tries both forms, because a legacy id may consist of decimal digits only. */
  #stored({ id, legacyId }: TokenIds): Token | undefined {
    const token = id === undefined ? undefined : this.reader.token(id);
    return token ?? (legacyId === undefined ? undefined : this.reader.tokenByLegacyId(legacyId));
  }

  #find(header: string): Caller {
    if (header === '') throw missingToken();
    const { text, id, legacyId } = parse(header);
    if (id === undefined && legacyId === undefined)
      throw unauthorized('malformed_token', 'The token is malformed: it is truncated or mistyped.');
    const token = this.#stored({ id, legacyId });
    if (token === undefined || !matchesHash(text, token.hash)) throw tokenGone();
    const account = this.reader.account(token.accountId);
    if (account === undefined) throw accountGone();
    if (!account.apiEnabled) throw apiDisabled();
    return { account, token };
  }
}

interface TokenIds {
  readonly id: Id | undefined;
  /** Id of a token of Waypost 0.1. */
  readonly legacyId: string | undefined;
}

/** Both ids are undefined if the token is not well-formed. */
function parse(header: string): TokenIds & { readonly text: string } {
  const text = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? '';
  return { text, id: tokenId(text), legacyId: legacyTokenId(text) };
}

const missingToken = (): Error =>
  unauthorized('missing_token', 'Send a token: Authorization: Bearer <API_KEY>. Get one from POST /api/v1/auth/token.');
