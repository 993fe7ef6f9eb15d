/** What a thread of the edge knows of one domain until it is told that something of it has changed. */
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../core/store/environment.ts';
import { StoreReader } from '../../core/store/reader.ts';
import type { SiteRow } from '../../core/store/sites.ts';
import { parseName } from '../../core/wire/name.ts';
import type { ZoneSettings } from '../../core/zone/settings.ts';
import type { SiteCertificate } from './certificates.ts';
import type { Site } from './site.ts';
import { WebNames } from './web-names.ts';

/** Seconds for which visitors still come after the proxy was turned off: twice the TTL of its addresses (core/zone/proxied.ts), as not every resolver is exact. */
const LINGER = 600;

export class DomainSites {
  readonly id: string;
  /** Without the last dot, in lower case. */
  readonly name: string;
  #isStale = false;
  readonly #environment: Environment;
  #certificates: readonly SiteCertificate[];
  readonly #settings: ZoneSettings;
  /** Whether visitors come here. */
  readonly #isServed: boolean;
  #webNames: WebNames | null = null;
  /** One for all hosts that have a certificate, and one for all that have none. */
  readonly #sites: [Site | null, Site | null] = [null, null];
  readonly #before: readonly (Site | null)[];

  /** `certificates`: the customer's own first. `before`: what was known of the domain before something changed: sites that are as they were stay the same objects. */
  constructor(
    environment: Environment,
    id: string,
    name: string,
    row: SiteRow | null,
    certificates: readonly SiteCertificate[],
    settings: ZoneSettings,
    before?: DomainSites,
  ) {
    this.#before = before === undefined ? NO_SITES : before.#sites;
    this.id = id;
    this.name = name;
    this.#environment = environment;
    this.#certificates = certificates;
    this.#settings = settings;
    const left = row === null || row.disabledAt === null ? 0 : row.disabledAt + LINGER - Date.now() / 1000;
    const isLingering = row?.isEnabled === false && left > 0;
    this.#isServed = row?.isEnabled === true || isLingering;
    if (isLingering) setTimeout(() => this.forget(), left * 1000).unref();
  }

  /** What was made of it is no good any more. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Makes it stale. Hosts that lead to it may be remembered for longer: what takes memory goes now. */
  forget(): void {
    this.#isStale = true;
    this.#webNames = null;
    this.#certificates = [];
  }

  /** The customer's own goes before the one that was ordered. Undefined: none is for the host, or the proxy is off. */
  certificateFor(host: string): SiteCertificate | undefined {
    return this.#isServed ? this.#certificates.find((one) => one.covers(host) && one.isUsable) : undefined;
  }

  /** Undefined: visitors of the host are not sent here. */
  siteOf(host: string): Site | undefined {
    if (!this.#isServed) return undefined;
    this.#webNames ??= this.#readWebNames();
    return this.#webNames?.has(parseName(host)) ? this.#site(this.certificateFor(host) !== undefined) : undefined;
  }

  /** Null: the domain has gone, of which the thread has yet to hear. */
  #readWebNames(): WebNames | null {
    const domain = new StoreReader(this.#environment).domain(this.id);
    return domain === undefined ? null : new WebNames(this.#environment, domain, this.#settings);
  }

  #site(hasCertificate: boolean): Site | undefined {
    const at = hasCertificate ? 1 : 0;
    this.#sites[at] ??= same(this.#before[at], this.#makeSite(hasCertificate));
    return this.#sites[at] ?? undefined;
  }

  #makeSite(hasCertificate: boolean): Site | null {
    const proxy = new StoreReader(this.#environment).proxy(this.id);
    const {
      originHost: host,
      originPort: port,
      originProtocol: protocol,
      hstsMaxAge,
      heuristicFreshness,
    } = proxy ?? {};
    if (host == null || port == null || protocol == null) return null;
    return {
      domainId: this.id,
      domain: this.name,
      origin: { host, port, protocol },
      hasCertificate,
      // Off is not sent, but zero takes back what browsers remember (RFC 6797 section 6.1.1).
      hstsMaxAge: hstsMaxAge ?? null,
      heuristicFreshness: heuristicFreshness ?? false,
    };
  }
}

const NO_SITES: readonly null[] = [null, null];

function same(before: Site | null, now: Site | null): Site | null {
  return before !== null && isDeepStrictEqual(before, now) ? before : now;
}
