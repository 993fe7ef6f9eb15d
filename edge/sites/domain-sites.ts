/** The sites and certificates of a domain, as a thread caches them until the domain changes. */

import { isDeepStrictEqual } from 'node:util';
import { RecentMap } from '../../core/base/recent-map.ts';
import { parseName } from '../../core/dns/wire/name.ts';
import type { Exemptions } from '../../core/net/address/index.ts';
import type { Environment } from '../../core/store/environment.ts';
import type { Id } from '../../core/store/keys.ts';
import { type ProxySettings, proxySettings } from '../../core/store/rows.ts';
import type { SiteRow } from '../../core/store/sites.ts';
import { StoreReader } from '../../core/store/store-reader.ts';
import type { ZoneSettings } from '../../core/zone/compile/settings.ts';
import { WebNames } from '../../core/zone/compile/web-names.ts';
import type { Origin } from '../origin/origin-address.ts';
import type { SiteCertificate } from './certificates.ts';
import type { Site } from './site.ts';
import { type DocumentTools, readDocuments, type SiteDocuments } from './site-documents.ts';
import { SiteOrigins } from './site-origins.ts';

/**
 * Seconds for which sites are still served after the proxy was turned off: twice the TTL of its
 * addresses (core/zone/compile/proxied.ts), because some resolvers exceed a TTL.
 */
const LINGER = 600;
/**
 * Milliseconds after which origins that depend on other domains of the account are read again. This
 * is also the maximum for which the addresses of a host name are cached.
 */
const OTHERS_MS = 60_000;
/** Cached sites of a domain, which its hosts share. A host keeps its own site in any case. */
const MAX_SITES = 256;

interface DomainSitesOptions {
  readonly environment: Environment;
  readonly settings: ZoneSettings;
  /** Addresses of origins that are used although they are not public. */
  readonly exemptions: Exemptions;
  readonly documents: DocumentTools;
  /** Of this node; empty: none. */
  readonly region: string;
}

export class DomainSites {
  readonly id: Id;
  /** Without the last dot, in lower case. */
  readonly name: string;
  #isStale = false;
  readonly #options: DomainSitesOptions;
  #certificates: readonly SiteCertificate[];
  /** Whether the proxy is on, or was turned off recently. */
  readonly #isServed: boolean;
  /** Null: not read yet. */
  #names: Names | null = null;
  /** By origin and by whether the hosts have a certificate. The oldest are first. */
  readonly #sites = new RecentMap<Site>(MAX_SITES);
  readonly #before: Pick<RecentMap<Site>, 'get'>;
  /** The documents of the previous state until they are read again, for reuse. */
  #documents: SiteDocuments | null;
  #hasReadDocuments = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `certificates`: the customer's own first. `before`: the state before a change. Unchanged sites
   * stay the same objects.
   */
  constructor(
    options: DomainSitesOptions,
    id: Id,
    name: string,
    row: SiteRow | null,
    certificates: readonly SiteCertificate[],
    before?: DomainSites,
  ) {
    this.#before = before === undefined ? NO_SITES : before.#sites;
    this.#documents = before === undefined ? null : before.#documents;
    this.id = id;
    this.name = name;
    this.#options = options;
    this.#certificates = certificates;
    const left = row === null || row.disabledAt === null ? 0 : row.disabledAt + LINGER - Date.now() / 1000;
    const isLingering = row?.isEnabled === false && left > 0;
    this.#isServed = row?.isEnabled === true || isLingering;
    if (isLingering) setTimeout(() => this.forget(), left * 1000).unref();
  }

  /** Whether the domain has changed since it was read. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Marks this object stale. Host entries may still refer to it, so its memory is released now. */
  forget(): void {
    this.#isStale = true;
    this.#names = null;
    this.#certificates = [];
    clearTimeout(this.#timer);
  }

  /**
   * Prefers the customer's own certificate to the automatic one. Undefined: no usable certificate
   * covers the host, or the proxy is off.
   */
  certificateFor(host: string): SiteCertificate | undefined {
    return this.#isServed
      ? this.#certificates.find((certificate) => certificate.covers(host) && certificate.isUsable)
      : undefined;
  }

  /** Undefined: the host is not proxied. */
  siteOf(host: string): Site | undefined {
    if (!this.#isServed) return undefined;
    this.#names ??= this.#readNames();
    const name = parseName(host);
    if (this.#names === null || !this.#names.web.has(name)) return undefined;
    const { origins } = this.#names;
    const site = this.#site(this.#names, origins.originOf(name), this.certificateFor(host) !== undefined);
    if (origins.dependsOnOthers && !this.#isStale) this.#timer ??= setTimeout(() => this.forget(), OTHERS_MS).unref();
    return site;
  }

  /** Null: the customer has set none. */
  get documents(): SiteDocuments | null {
    if (this.#hasReadDocuments) return this.#documents;
    const { environment, documents } = this.#options;
    this.#documents = readDocuments(new StoreReader(environment), this, documents, this.#documents);
    this.#hasReadDocuments = true;
    return this.#documents;
  }

  /** Null: the domain was deleted, but the change has not reached this thread yet. */
  #readNames(): Names | null {
    const { environment, settings, exemptions, region } = this.#options;
    const reader = new StoreReader(environment);
    const domain = reader.domain(this.id);
    if (domain === undefined) return null;
    const proxy = proxySettings(reader.proxy(this.id) ?? {});
    const web = new WebNames(environment, domain, settings);
    const { documents } = this;
    documents?.pools?.setHealth(reader.originHealth(this.id, region));
    return {
      web,
      origins: new SiteOrigins(environment, domain, web, settings, exemptions),
      hsts: formatHsts(proxy),
      heuristics: proxy.heuristics,
      sendsForwarded: proxy.forwardedHeader,
      isLenient: proxy.lenientResponses,
      documents,
    };
  }

  /** Hosts with the same origin have the same site, so that they share its connections. */
  #site(
    { hsts, heuristics, sendsForwarded, isLenient, documents }: Names,
    origin: Origin,
    hasCertificate: boolean,
  ): Site {
    const { host, port, protocol, addresses } = origin;
    const key = `${hasCertificate} ${protocol} ${host} ${port} ${addresses?.join() ?? 'resolved'}`;
    const shared = this.#sites.get(key);
    if (shared !== undefined) return shared;
    const site = {
      domainId: String(this.id),
      domain: this.name,
      origin,
      hasCertificate,
      hsts,
      heuristics,
      sendsForwarded,
      isLenient,
      documents,
    };
    const before = this.#before.get(key);
    const kept = before !== undefined && isSame(before, site) ? before : site;
    this.#sites.set(key, kept);
    return kept;
  }
}

/** Compares the compiled documents by identity, all else by value. */
function isSame({ documents: before, ...other }: Site, { documents, ...site }: Site): boolean {
  return before === documents && isDeepStrictEqual(other, site);
}

/** The data of a domain that is read at the first lookup of a host. */
interface Names {
  readonly web: WebNames;
  readonly origins: SiteOrigins;
  readonly hsts: string;
  readonly heuristics: ProxySettings['heuristics'];
  readonly sendsForwarded: boolean;
  readonly isLenient: boolean;
  readonly documents: SiteDocuments | null;
}

/**
 * Without a max-age the field is not sent. Zero clears the policy in browsers (RFC 6797 section
 * 6.1.1).
 */
function formatHsts({ hstsMaxAge, hstsIncludeSubdomains, hstsPreload }: ProxySettings): string {
  if (hstsMaxAge === null) return '';
  return `max-age=${hstsMaxAge}${hstsIncludeSubdomains ? '; includeSubDomains' : ''}${hstsPreload ? '; preload' : ''}`;
}

const NO_SITES: Pick<RecentMap<Site>, 'get'> = new Map();
