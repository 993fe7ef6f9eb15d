/** Metadata of OpenID providers (OpenID Connect Discovery 1.0), kept for an hour. */
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { Fetch } from '../../origin/origin.ts';
import { fetchJson } from './outbound.ts';

/** Providers of a thread. */
const MAX_PROVIDERS = 256;
const FRESH_MS = 3_600_000;
/** Milliseconds after a failure until the next attempt. */
const RETRY_MS = 5000;

/** The provider could not be used. `message` is for the owner of the site. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
}

export interface Provider {
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  readonly jwks: string;
  /** Empty: there is none. */
  readonly userInfo: string;
  readonly endSession: string;
  /** Whether the client secret is sent in the body, in place of Authorization. */
  readonly takesSecretInBody: boolean;
  /** Whether its redirects name it (RFC 9207). */
  readonly namesItself: boolean;
}

interface Entry {
  provider: Provider | null;
  error: string;
  /** Milliseconds since 1970 of the next fetch. */
  dueAt: number;
  pending: Promise<void> | null;
}

export class Providers {
  readonly #entries = new RecentMap<Entry>(MAX_PROVIDERS);

  constructor(
    private readonly fetch: Fetch,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Rejects with ProviderError. */
  async of(issuer: string, site: string): Promise<Provider> {
    const entry = this.#entries.of(`${site} ${issuer}`, () => ({ provider: null, error: '', dueAt: 0, pending: null }));
    if (this.clock() >= entry.dueAt || entry.pending !== null) {
      entry.pending ??= this.#load(entry, issuer, site).finally(() => {
        entry.pending = null;
      });
      if (entry.provider === null) await entry.pending;
    }
    if (entry.provider === null) throw new ProviderError(entry.error);
    return entry.provider;
  }

  /** Never rejects. A known provider is used while it cannot be fetched. */
  async #load(entry: Entry, issuer: string, site: string): Promise<void> {
    try {
      const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
      entry.provider = providerOf(await fetchJson(this.fetch, { url, site }), issuer);
      entry.dueAt = this.clock() + FRESH_MS;
    } catch (error) {
      entry.error = error instanceof ProviderError ? error.message : 'its metadata could not be fetched';
      entry.dueAt = this.clock() + RETRY_MS;
    }
  }
}

/** Throws ProviderError. */
function providerOf(metadata: Readonly<Record<string, unknown>>, issuer: string): Provider {
  // Discovery section 4.3: otherwise one issuer could speak for another.
  if (metadata.issuer !== issuer) throw new ProviderError('its metadata has another issuer; write it as it is there');
  const isSecure = issuer.startsWith('https:');
  const urlOf = (name: string, isNeeded: boolean): string => {
    const value = metadata[name];
    if (value === undefined && !isNeeded) return '';
    const { protocol } = URL.canParse(String(value)) ? new URL(String(value)) : { protocol: '' };
    if (protocol !== 'https:' && (isSecure || protocol !== 'http:'))
      throw new ProviderError(`its ${name} is not a URL that begins with https://`);
    return String(value);
  };
  const methods = metadata.token_endpoint_auth_methods_supported;
  return {
    issuer,
    authorization: urlOf('authorization_endpoint', true),
    token: urlOf('token_endpoint', true),
    jwks: urlOf('jwks_uri', true),
    userInfo: urlOf('userinfo_endpoint', false),
    endSession: urlOf('end_session_endpoint', false),
    takesSecretInBody:
      Array.isArray(methods) && !methods.includes('client_secret_basic') && methods.includes('client_secret_post'),
    namesItself: metadata.authorization_response_iss_parameter_supported === true,
  };
}
