/** Who may use a route: credentials, limits of requests, scope, role, and unknown parameters. */
import type { Authentication, Caller, Scope } from './caller.ts';
import { HttpError } from './errors.ts';
import type { Parameters } from './query.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Method } from './router.ts';
import type { HttpRequest } from './transport.ts';
import { rejectUnknownParameters } from './unknown.ts';

export interface AccessParts {
  readonly authenticator: Authentication;
  /** Limit for each token or session. */
  readonly requests: RateLimit;
  /** Limit for each account, over all its tokens and sessions. */
  readonly accountRequests: RateLimit;
}

/** The request as its router found it. */
interface AccessedRequest {
  readonly query: URLSearchParams;
  /** Headers of the response. */
  readonly headers: Record<string, string>;
}

/** What a route requires of its callers. */
type AccessRules = {
  readonly scope: Scope;
  readonly admin?: boolean;
  readonly method: Method;
  readonly path: string;
  readonly query?: Parameters;
  readonly changes?: boolean;
  readonly ownAccess?: boolean;
  readonly revokes?: true;
  readonly forRestricted?: true;
  readonly forLimited?: true;
};

/** Counts a request and checks what its caller may do. Throws HttpError. */
export function authorize(request: HttpRequest, at: AccessedRequest, app: AccessParts, rules: AccessRules): Caller {
  const caller = app.authenticator.authenticate(request);
  const { session } = caller;
  takeRequest(app, caller, at.headers, rules.revokes === true);
  // The browser also sends the cookie for a page of a sibling host, which must not load the
  // response.
  if (session !== undefined) at.headers['Cross-Origin-Resource-Policy'] = 'same-origin';
  requireRouteAccess(app, caller, rules);
  // Public endpoints skip this check, because probes and links add parameters.
  rejectUnknownParameters(at.query, rules.query);
  return caller;
}

/**
 * Counts a request. Throws HttpError 429. The account limit keeps a customer with a thousand tokens
 * from a thousand times the rate. Administrators have a limit for each token only. A revocation
 * counts for its token or session only: a stolen token of the account must not block it.
 */
export function takeRequest(
  { requests, accountRequests }: AccessParts,
  { account, session, token }: Caller,
  headers: Record<string, string>,
  revokes = false,
): void {
  const sender = session === undefined ? token.id : `session ${session.row.id}`;
  requests.take(revokes ? `revocation ${sender}` : sender, headers);
  if (account.role !== 'admin' && !revokes) accountRequests.takeSilently(account.id, headers);
}

/**
 * Authorizes the request again after its body was read: a slow client may take minutes, and the
 * token may be revoked meanwhile.
 */
export function reauthorize(request: HttpRequest, app: AccessParts, rules: AccessRules): Caller {
  const caller = app.authenticator.authenticate(request);
  requireRouteAccess(app, caller, rules);
  return caller;
}

function requireRouteAccess(
  { authenticator }: AccessParts,
  caller: Caller,
  { scope, method, path, changes, admin = false, ownAccess = false, forRestricted, forLimited }: AccessRules,
): void {
  const isRead = !(changes ?? method !== 'GET') || (ownAccess && caller.session !== undefined);
  authenticator.requireAccess(caller, scope, isRead ? 'read' : 'write', admin);
  requireForLimited(caller, forLimited);
  if (caller.token.domains !== undefined && forRestricted !== true && !path.includes(DOMAIN_PARAMETER))
    throw new HttpError(
      403,
      'restricted_token',
      'The token is restricted to certain domains, and this request concerns the whole account; use another token.',
    );
}

/**
 * Policies name records, and no other part of the account. Throws HttpError 403 unless the route
 * checks the policies itself.
 */
export function requireForLimited({ token }: Caller, forLimited: true | undefined): void {
  if (token.policies !== undefined && forLimited !== true)
    throw new HttpError(
      403,
      'token_policy',
      'The policies of the token allow only to read or change certain records, and this request does something else; use another token.',
    );
}

/** change/owned-domain.ts checks the value when it reads the domain. */
const DOMAIN_PARAMETER = '{domain_id}';
