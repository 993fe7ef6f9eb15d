/** The authenticated caller of a request, and the authentication that the routes need. */
import type { Account, Token } from '../../core/store/rows.ts';

export type Scope = 'dns' | 'proxy' | 'packages' | 'account';

export interface Caller {
  readonly account: Account;
  readonly token: Token;
}

export interface Authentication {
  /** Throws HttpError 401, or 403 when API access is off for the account. */
  authenticate(authorization: string | undefined): Caller;
  /** Whether the header has a token that this node does not know; another node may know it. */
  hasUnknownToken(authorization: string | undefined): boolean;
  /** Throws HttpError 403 when neither role nor scopes allow it. */
  requireAccess(caller: Caller, scope: Scope, access: 'read' | 'write', admin: boolean): void;
}
