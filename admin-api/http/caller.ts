/** The authenticated caller of a request, and the authentication that the routes need. */
import type { Id } from '../../core/store/keys.ts';
import type { Account, Session, Token } from '../../core/store/rows.ts';
import type { HttpRequest } from './transport.ts';

export type Scope = 'dns' | 'proxy' | 'packages' | 'account';

export interface Caller {
  readonly account: Account;
  /** For a session: a token that is not stored, with the id 0 and all scopes of the role. */
  readonly token: Token;
  /** Only for a request that a cookie authenticates. */
  readonly session?: CallerSession;
}

/** Whether the token gives access to the domain, if the account of the token has it. */
export function reachesDomain({ domains }: Pick<Token, 'domains'>, id: Id): boolean {
  return domains === undefined || domains.includes(id);
}

export interface CallerSession {
  readonly row: Session;
  readonly csrfToken: string;
}

/**
 * Parts of a request with credentials: the Authorization header, or the cookie of a session, and
 * the address of the client.
 */
export type Credentials = Pick<HttpRequest, 'method' | 'header' | 'isSecure' | 'remoteAddress'>;

export interface Authentication {
  /**
   * Throws HttpError 401; 403 when API access is off for the account, when the token is for other
   * networks, or when a request that may change something has a cookie but no CSRF token.
   */
  authenticate(request: Credentials): Caller;
  /**
   * Like `authenticate`, for a response that is still being sent. Does not count as use of a
   * session.
   */
  reauthenticate(request: Credentials): Caller;
  /** Whether this node does not have the token or session; another node may have created it. */
  hasUnknownToken(request: Credentials): boolean;
  /** Throws HttpError 403 if the role or the scopes do not allow the access. */
  requireAccess(caller: Caller, scope: Scope, access: 'read' | 'write', admin: boolean): void;
}
