/**
 * OpenID Connect: the edge is a client of a provider, by the authorization code flow with PKCE.
 *
 *     page ─► provider ─► callback: code ─► tokens, claims ─► session cookie ─► page
 *
 * No node stores anything. The state in the redirect is sealed, and bound to the browser by a
 * cookie, so that a login cannot be finished in another browser. The session is a sealed cookie
 * with the claims that rules need, bound to domain, host and client of the provider.
 */
import { createHash, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../../core/base/same-secret.ts';
import { firstCookie, firstHeader, type OidcRule } from '../../../core/site/rules/index.ts';
import type { Exchange, VisitedSite } from '../../http/exchange/exchange.ts';
import { type Claims, claimOf, identityOf, textsOf } from './claims.ts';
import { type CodeGrant, claimNames } from './code-grant.ts';
import { isLogout, LOGOUT_FORM, LOGOUT_PATH } from './logout.ts';
import { failed, NEEDS_HTTPS, NOT_ALLOWED, NOT_SIGNED_IN, unavailable } from './pages.ts';
import { ProviderError } from './providers.ts';
import { SealedValues } from './sealed-values.ts';
import type { Answer, Verdict } from './verdict.ts';

const CALLBACK_PATH = '/.well-known/waypost/oidc/callback';
const BROWSER_COOKIE = '__Host-waypost-browser';
/** Seconds in which a visitor signs in. */
const LOGIN_SECONDS = 600;
const SESSION_SECONDS = 8 * 3600;
/** Characters of a session cookie, which browsers limit to 4096 with its name and attributes. */
const MAX_COOKIE = 3800;
/** Characters of a path to return to. */
const MAX_PATH = 1500;

/** The request of a visitor. */
export interface Visit {
  readonly exchange: Exchange;
  readonly visited: VisitedSite;
  /** The verified certificate of the visitor (RFC 9440); empty: there is none. */
  readonly certificate: string;
  /** The domain's id. */
  readonly site: string;
}

interface LoginState {
  readonly client: string;
  readonly nonce: string;
  readonly verifier: string;
  /** SHA-256 of the browser's cookie. */
  readonly browser: string;
  readonly path: string;
  /** Seconds since 1970. */
  readonly until: number;
}

interface Session {
  readonly until: number;
  readonly claims: Claims;
}

export interface OpenIdOptions {
  /** Of 32 bytes, equal on all nodes. The first one seals; every key opens. */
  readonly keys: readonly Uint8Array[];
  readonly grant: CodeGrant;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export class OpenId {
  readonly #sealed: SealedValues;

  constructor(private readonly options: OpenIdOptions) {
    this.#sealed = new SealedValues(options.keys);
  }

  /** Lets visitors with a session pass. Sends other browsers to the provider. */
  async admit(visit: Visit, rule: OidcRule): Promise<Verdict> {
    const { exchange, visited } = visit;
    if (visited.scheme !== 'https') return { page: NEEDS_HTTPS };
    const session = this.#sessionOf(visit, rule);
    if (session !== undefined) {
      if (!isAllowed(session.claims, rule)) return { page: NOT_ALLOWED };
      return { identity: identityOf(session.claims, rule.copy_claims ?? []), cookies: [] };
    }
    return isNavigation(exchange) ? this.#login(visit, rule) : { page: NOT_SIGNED_IN };
  }

  /** Whether the request is for a path of the edge: the callback, or the logout. */
  static owns(path: string): boolean {
    return (
      path.startsWith('/.well-known/waypost/oidc/') && [CALLBACK_PATH, LOGOUT_PATH].includes(path.split('?', 1)[0])
    );
  }

  /** `rules`: all of the domain. */
  async serve(visit: Visit, rules: readonly OidcRule[]): Promise<Verdict> {
    const { exchange, visited } = visit;
    if (visited.scheme !== 'https') return { page: NEEDS_HTTPS };
    if (exchange.path.startsWith(LOGOUT_PATH)) return this.#logout(visit, rules);
    if (exchange.method !== 'GET') return { page: failed('The callback of a login is a GET.') };
    return this.#callback(visit, rules);
  }

  async #login({ exchange, visited, site }: Visit, rule: OidcRule): Promise<Verdict> {
    let endpoint: URL;
    try {
      endpoint = new URL((await this.options.grant.providers.of(rule.issuer, site)).authorization);
    } catch (error) {
      return { page: unavailable(reasonOf(error)) };
    }
    // Several tabs may sign in at a time.
    const known = firstCookie(exchange.headers, BROWSER_COOKIE);
    const browser = /^[\w-]{43}$/.test(known) ? known : randomText();
    const state: LoginState = {
      client: clientId(rule),
      nonce: randomText(),
      verifier: randomText(),
      browser: digestOf(browser),
      path: exchange.path.length > MAX_PATH ? '/' : exchange.path,
      until: this.#now() + LOGIN_SECONDS,
    };
    const parameters = {
      response_type: 'code',
      client_id: rule.client_id,
      redirect_uri: redirectUri(visited),
      scope: scopeOf(rule),
      state: this.#sealed.seal(state, contextOf('login', visited, site)),
      nonce: state.nonce,
      code_challenge: digestOf(state.verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) endpoint.searchParams.set(name, value);
    return redirect(302, endpoint.href, [cookie(BROWSER_COOKIE, browser, LOGIN_SECONDS)]);
  }

  async #callback(visit: Visit, rules: readonly OidcRule[]): Promise<Verdict> {
    const { exchange, visited, site } = visit;
    const parameters = new URLSearchParams(exchange.path.slice(CALLBACK_PATH.length));
    const state = this.#sealed.open<LoginState>(parameters.get('state') ?? '', contextOf('login', visited, site));
    const browser = firstCookie(exchange.headers, BROWSER_COOKIE);
    if (state === undefined || state.until < this.#now() || !isSameSecret(digestOf(browser), state.browser))
      return { page: failed('The login took too long, or began in another browser. Open the page again.') };
    const rule = rules.find((candidate) => clientId(candidate) === state.client);
    if (rule === undefined) return { page: failed('The rules of this site have changed. Open the page again.') };
    let claims: Claims;
    try {
      claims = await this.options.grant.claimsOf(parameters, {
        rule,
        site,
        nonce: state.nonce,
        verifier: state.verifier,
        redirectUri: redirectUri(visited),
        now: this.options.clock(),
      });
    } catch (error) {
      return { page: failed('The provider did not confirm the login. Open the page again.', reasonOf(error)) };
    }
    if (!isAllowed(claims, rule)) return { page: NOT_ALLOWED };
    const seconds = rule.session ?? SESSION_SECONDS;
    const session: Session = { until: this.#now() + seconds, claims: neededClaims(claims, rule) };
    const sealed = this.#sealed.seal(session, contextOf(`session ${state.client}`, visited, site));
    if (sealed.length > MAX_COOKIE)
      return { page: failed('The account has too many groups for this site.', 'the claims do not fit into a cookie') };
    // With the host, a path such as //evil.example stays a path.
    return redirect(303, `https://${visited.authority}${state.path}`, [cookie(sessionCookie(rule), sealed, seconds)]);
  }

  async #logout(visit: Visit, rules: readonly OidcRule[]): Promise<Verdict> {
    const { exchange, visited, site } = visit;
    if (!isLogout(exchange, visited)) return LOGOUT_FORM;
    const rule = rules.find((candidate) => this.#sessionOf(visit, candidate) !== undefined);
    const cookies = [...new Set(rules.map(sessionCookie))].map((name) => cookie(name, '', 0));
    let target = `https://${visited.authority}/`;
    if (rule !== undefined) {
      const provider = await this.options.grant.providers.of(rule.issuer, site).catch(() => null);
      if (provider !== null && provider.endSession !== '') {
        const url = new URL(provider.endSession);
        url.searchParams.set('client_id', rule.client_id);
        target = url.href;
      }
    }
    return redirect(303, target, cookies);
  }

  #sessionOf({ exchange, visited, site }: Visit, rule: OidcRule): Session | undefined {
    const sealed = firstCookie(exchange.headers, sessionCookie(rule));
    if (sealed === '') return undefined;
    const session = this.#sealed.open<Session>(sealed, contextOf(`session ${clientId(rule)}`, visited, site));
    return session !== undefined && session.until > this.#now() ? session : undefined;
  }

  #now(): number {
    return Math.floor(this.options.clock() / 1000);
  }
}

const contextOf = (purpose: string, { authority }: VisitedSite, site: string): string =>
  JSON.stringify([purpose, site, authority]);

/** Rules with the same client share sessions. */
const clientId = ({ issuer, client_id }: OidcRule): string =>
  digestOf(JSON.stringify([issuer, client_id])).slice(0, 12);

/** RFC 6265bis section 4.1.3.2: browsers bind a cookie with this prefix to the host. */
const sessionCookie = (rule: OidcRule): string => `__Host-waypost-session-${clientId(rule)}`;
const cookie = (name: string, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`;

const redirectUri = ({ authority }: VisitedSite): string => `https://${authority}${CALLBACK_PATH}`;
const scopeOf = ({ scopes = ['email', 'profile'] }: OidcRule): string => [...new Set(['openid', ...scopes])].join(' ');

const randomText = (): string => randomBytes(32).toString('base64url');
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const redirect = (status: number, location: string, cookies: readonly string[]): Answer => ({
  status,
  fields: [
    ...['location', location, 'cache-control', 'no-store', 'server', 'waypost'],
    ...cookies.flatMap((value) => ['set-cookie', value]),
  ],
});

const reasonOf = (error: unknown): string =>
  error instanceof ProviderError ? error.message : 'it sent invalid tokens';

/** Whether a browser shows the response as a page. Programs and scripts cannot sign in. */
function isNavigation({ method, protocol, headers }: Exchange): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || protocol !== '') return false;
  const mode = firstHeader(headers, 'sec-fetch-mode');
  if (mode !== '') return mode === 'navigate';
  return firstHeader(headers, 'x-requested-with') === '' && /\btext\/html\b/i.test(firstHeader(headers, 'accept'));
}

/** Without lists, everybody whom the provider lets sign in is allowed. */
function isAllowed(claims: Claims, { allowed_groups, allowed_emails, groups_claim = 'groups' }: OidcRule): boolean {
  if (allowed_groups === undefined && allowed_emails === undefined) return true;
  const groups = textsOf(claimOf(claims, groups_claim));
  if (allowed_groups?.some((group) => groups.includes(group)) === true) return true;
  const { email, email_verified: isVerified = true } = claims;
  if (typeof email !== 'string' || (isVerified !== true && isVerified !== 'true')) return false;
  const address = email.toLowerCase();
  return (
    allowed_emails?.some((allowed) => {
      const pattern = allowed.toLowerCase();
      return pattern.startsWith('*@')
        ? address.slice(address.lastIndexOf('@')) === pattern.slice(1)
        : address === pattern;
    }) === true
  );
}

function neededClaims(claims: Claims, rule: OidcRule): Claims {
  const needed = claimNames(rule).map((name) => [name, claimOf(claims, name)] as const);
  return Object.fromEntries(needed.filter(([, value]) => value !== undefined));
}
