/** Rules of authentication that the edge decides itself: tokens, logins, client certificates. */
import type { AuthenticateAction, OidcRule } from '../../../core/site/rules/index.ts';
import type { Fetch } from '../../origin/origin.ts';
import { checkBearer } from './bearer.ts';
import { checkCertificate } from './certificate.ts';
import { CodeGrant, type OpenSecret } from './code-grant.ts';
import { KeySets } from './key-sets.ts';
import { OpenId, type Visit } from './openid.ts';
import { Providers } from './providers.ts';
import type { Verdict } from './verdict.ts';

export interface LoginTools {
  /** For cookies of visitors, of 32 bytes; equal on all nodes. The first seals; every key opens. */
  readonly keys: readonly Uint8Array[];
  readonly openSecret: OpenSecret;
}

export class Authentication {
  readonly #keys: KeySets;
  readonly #openId: OpenId;

  /** `clock`: milliseconds since 1970. */
  constructor(
    fetch: Fetch,
    { keys, openSecret }: LoginTools,
    private readonly clock: () => number,
  ) {
    this.#keys = new KeySets(fetch, clock);
    const grant = new CodeGrant(fetch, this.#keys, new Providers(fetch, clock), openSecret);
    this.#openId = new OpenId({ keys, grant, clock });
  }

  /** Never rejects. `action`: without `forward`. */
  async admit(visit: Visit, { jwt, oidc, certificate }: AuthenticateAction): Promise<Verdict> {
    if (oidc !== undefined) return this.#openId.admit(visit, oidc);
    if (jwt !== undefined) return checkBearer(jwt, visit.exchange.headers, visit.site, this.#keys, this.clock());
    return checkCertificate(certificate!, visit.certificate);
  }

  /** Answers the requests for which `OpenId.owns` holds. `rules`: all logins of the domain. */
  serveLogin(visit: Visit, rules: readonly OidcRule[]): Promise<Verdict> {
    return this.#openId.serve(visit, rules);
  }
}
