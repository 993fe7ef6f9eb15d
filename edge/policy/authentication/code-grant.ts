/**
 * The callback of a login: the code becomes tokens at the provider (OpenID Connect Core section
 * 3.1.3), and these become claims.
 */
import { type JWTPayload, jwtVerify } from 'jose';
import { isSameSecret } from '../../../core/base/same-secret.ts';
import type { OidcRule } from '../../../core/site/rules/index.ts';
import type { Fetch } from '../../origin/origin.ts';
import { ALGORITHMS, LEEWAY } from './bearer.ts';
import { type Claims, claimOf } from './claims.ts';
import type { KeySets } from './key-sets.ts';
import { fetchJson } from './outbound.ts';
import { type Provider, ProviderError, type Providers } from './providers.ts';

/** Opens the client secret of a rule. Throws WaypostError `unsealable`. */
export type OpenSecret = (site: string, sealed: string) => string;

/** A login whose callback has arrived. */
export interface LoginAttempt {
  readonly rule: OidcRule;
  /** The domain's id. */
  readonly site: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export class CodeGrant {
  constructor(
    private readonly fetch: Fetch,
    private readonly keys: KeySets,
    readonly providers: Providers,
    private readonly openSecret: OpenSecret,
  ) {}

  /** `parameters`: of the callback. Rejects with ProviderError, or an error of jose. */
  async claimsOf(parameters: URLSearchParams, attempt: LoginAttempt): Promise<Claims> {
    const { rule, site } = attempt;
    const provider = await this.providers.of(rule.issuer, site);
    // RFC 9207: a response of another provider is not taken for one of this.
    const iss = parameters.get('iss');
    if (iss === null ? provider.namesItself : iss !== provider.issuer)
      throw new ProviderError('the response is of another provider');
    const error = parameters.get('error');
    if (error !== null) throw new ProviderError(/^[a-z_]{1,40}$/.test(error) ? `it answered ${error}` : 'it refused');
    const code = parameters.get('code');
    if (code === null || parameters.getAll('code').length > 1) throw new ProviderError('the response has no code');
    const tokens = await this.#exchange(provider, code, attempt);
    const claims = await this.#verify(provider, tokens.id_token, attempt);
    return this.#complete(provider, claims, tokens.access_token, attempt);
  }

  async #exchange(provider: Provider, code: string, attempt: LoginAttempt): Promise<Claims> {
    const { rule, site, verifier, redirectUri } = attempt;
    const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
    form.set('code_verifier', verifier);
    const headers: string[] = [];
    if (rule.sealed_client_secret === undefined) form.set('client_id', rule.client_id);
    else {
      const secret = this.openSecret(site, rule.sealed_client_secret);
      if (provider.takesSecretInBody) {
        form.set('client_id', rule.client_id);
        form.set('client_secret', secret);
      } else headers.push('authorization', basic(rule.client_id, secret));
    }
    try {
      return await fetchJson(this.fetch, { url: provider.token, site, headers, form });
    } catch {
      throw new ProviderError(
        'it did not exchange the code: check client_id, client_secret and the redirect URI there',
      );
    }
  }

  async #verify(provider: Provider, token: unknown, { rule, site, nonce, now }: LoginAttempt): Promise<JWTPayload> {
    if (typeof token !== 'string') throw new ProviderError('it sent no ID token');
    const { payload } = await jwtVerify(token, this.keys.finder(provider.jwks, site), {
      algorithms: ALGORITHMS,
      issuer: provider.issuer,
      audience: rule.client_id,
      clockTolerance: LEEWAY,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
      currentDate: new Date(now),
    });
    const { aud, azp } = payload;
    if ((azp !== undefined || (Array.isArray(aud) && aud.length > 1)) && azp !== rule.client_id)
      throw new ProviderError('its ID token is for another client');
    if (!isSameSecret(String(payload.nonce), nonce)) throw new ProviderError('its ID token is of another login');
    return payload;
  }

  /** Adds claims that only the UserInfo endpoint has (section 5.4). */
  async #complete(provider: Provider, claims: Claims, token: unknown, { rule, site }: LoginAttempt): Promise<Claims> {
    const names = claimNames(rule);
    const isComplete = names.every((name) => claimOf(claims, name) !== undefined);
    if (isComplete || provider.userInfo === '' || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
      return claims;
    let more: Claims;
    try {
      const headers = ['authorization', `Bearer ${token}`];
      more = await fetchJson(this.fetch, { url: provider.userInfo, site, headers });
    } catch {
      throw new ProviderError('its UserInfo endpoint did not answer with JSON');
    }
    // Section 5.3.2: otherwise claims of another user could be substituted.
    if (more.sub !== claims.sub) throw new ProviderError('its UserInfo endpoint answered for another user');
    return { ...more, ...claims };
  }
}

/** Names of the claims that a rule uses. */
export function claimNames({
  copy_claims = [],
  allowed_groups,
  allowed_emails,
  groups_claim,
}: OidcRule): readonly string[] {
  const names = new Set(copy_claims.map(({ claim }) => claim));
  if (allowed_groups !== undefined) names.add(groups_claim ?? 'groups');
  if (allowed_emails !== undefined) names.add('email').add('email_verified');
  return [...names];
}

/** RFC 6749 section 2.3.1. */
const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;

const formEncoded = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2);
