/**
 * Finds the sites and certificates of host names. Each thread reads them from the store on first
 * use, so startup time does not depend on the number of domains. The results are cached, within
 * bounds, until the main thread reports a change of the domain.
 */

import { RecentMap } from '../../core/base/recent-map.ts';
import { parentName, parseName } from '../../core/dns/wire/name.ts';
import type { Exemptions } from '../../core/net/address/index.ts';
import type { SiteProtection } from '../../core/site/protection/compile.ts';
import { type Environment, openEnvironment } from '../../core/store/environment.ts';
import { type Id, idKey } from '../../core/store/keys.ts';
import type { Reader } from '../../core/store/reader.ts';
import { automaticCertificateContext, certificateContext } from '../../core/store/rows.ts';
import { chainIdOf, decodeSite, type SiteCertificateRow, type SiteRow, splitChain } from '../../core/store/sites.ts';
import { StoreReader } from '../../core/store/store-reader.ts';
import type { ZoneSettings } from '../../core/zone/compile/settings.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';
import { type CertificateTools, SiteCertificate } from './certificates.ts';
import { DomainSites } from './domain-sites.ts';
import type { Site } from './site.ts';
import type { DocumentTools } from './site-documents.ts';

/** Minimum number of cached hosts, some 300 bytes each. */
const HOSTS = 16_384;
/** Cached intermediate certificate chains; most certificates share a few. */
const CHAINS = 64;

/**
 * Letters, digits, hyphens and underscores, as in names that browsers accept. The number of labels
 * is limited, because each costs a lookup in the store.
 */
const HOST = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,31}$/;

/** A change of domains. The main thread sends it as a structured clone. */
export interface SitesChanged {
  readonly domainIds: readonly Id[];
  /** Apexes of domains that were created or deleted: the domain of the hosts below changes. */
  readonly apexes: readonly Uint8Array[];
}

interface SitesOptions extends CertificateTools {
  /** Folder of the store. */
  readonly directory: string;
  readonly zoneSettings: ZoneSettings;
  /** Addresses of origins that are used although they are not public. */
  readonly exemptions: Exemptions;
  readonly documents: DocumentTools;
  /** Of this node; empty: none. */
  readonly region: string;
  /** Whether ordered RSA certificates are served; uploaded ones always are. */
  readonly servesOrderedRsa: boolean;
  /**
   * Half the maximum number of cached domains with their certificates, some 3 KB each.
   */
  readonly certificates: number;
}

/** The lookup result of a host. */
interface Host {
  /** Null: it is in no domain. */
  readonly domain: DomainSites | null;
  /** The value of `#epoch` at the lookup. */
  readonly epoch: number;
  /**
   * Null: not looked up yet. A handshake does not need it, and the lookup in the zone is the most
   * expensive step here.
   */
  site: Site | undefined | null;
}

export class Sites {
  readonly #environment: Environment;
  readonly #reader: StoreReader;
  readonly #options: SitesOptions;
  readonly #hosts: RecentMap<Host>;
  /**
   * By id. A stale entry stays, so that unchanged certificates are reused. An evicted entry is
   * marked stale, because changes no longer reach it.
   */
  readonly #domains: RecentMap<KnownDomain, Id>;
  /** Chains by the id that certificate rows refer to. */
  readonly #chains = new RecentMap<string>(CHAINS);
  #epoch = 0;

  constructor(options: SitesOptions) {
    this.#options = options;
    this.#environment = openEnvironment(options.directory);
    this.#reader = new StoreReader(this.#environment);
    this.#hosts = new RecentMap(2 * Math.max(HOSTS, options.certificates));
    this.#domains = new RecentMap(2 * options.certificates, ({ sites }) => sites.forget());
  }

  /** A reader of the current rows. */
  get reader(): Reader {
    this.#environment.root.resetReadTxn();
    return this.#reader;
  }

  /**
   * `host`: in lower case, without port and last dot. Undefined: no such site, or its proxy is off.
   */
  siteOf(host: string): Site | undefined {
    const found = this.#hostOf(host);
    if (found?.site === null) found.site = found.domain?.siteOf(host);
    return found?.site ?? undefined;
  }

  /** The id of the domain that a host is in, whether its proxy is on or not. */
  domainIdOf(host: string): Id | undefined {
    return this.#hostOf(host)?.domain?.id;
  }

  /** The domain that a server name is in, with its protection; undefined: it is in none. */
  protectionOf(serverName: string): { readonly domainId: Id; readonly protection: SiteProtection | null } | undefined {
    const domain = this.#hostOf(serverName)?.domain;
    if (domain == null) return undefined;
    return { domainId: domain.id, protection: domain.documents?.protection ?? null };
  }

  /** Returns the same object until the certificate changes. */
  certificateFor(serverName: string): TlsCertificate | undefined {
    return this.#hostOf(serverName)?.domain?.certificateFor(serverName)?.serve();
  }

  /**
   * Whether the certificate for `serverName` also covers `host`, so that a connection may be used
   * for both (RFC 9110 section 7.4).
   */
  isShared(serverName: string, host: string): boolean {
    return this.#hostOf(serverName)?.domain?.certificateFor(serverName)?.covers(host) === true;
  }

  /** Marks changed domains stale. Later lookups read the changed rows. */
  changed({ domainIds, apexes }: SitesChanged): void {
    this.#environment.root.resetReadTxn();
    for (const id of domainIds) {
      const held = this.#domains.get(id);
      held?.sites.forget();
    }
    if (apexes.length === 0) return;
    this.#epoch++;
    // Hosts of the enclosing domains may belong to the new domain.
    for (const apex of apexes)
      for (let above = apex; above.length > 1; above = parentName(above)) {
        const id = this.#reader.domainIdByApex(above);
        const held = id === undefined ? undefined : this.#domains.get(id);
        held?.sites.forget();
      }
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  #hostOf(host: string): Host | undefined {
    const last = this.#hosts.get(host);
    if (last !== undefined && (last.domain === null ? last.epoch === this.#epoch : !last.domain.isStale)) return last;
    if (host.length > 253 || !HOST.test(host)) return undefined;
    const found = this.#read(host);
    this.#hosts.set(host, found);
    return found;
  }

  #read(host: string): Host {
    return { domain: this.#domainOf(host), epoch: this.#epoch, site: null };
  }

  /** The closest enclosing domain of a host. */
  #domainOf(host: string): DomainSites | null {
    let name = host;
    for (let apex = parseName(host); apex.length > 1; apex = parentName(apex)) {
      const id = this.#reader.domainIdByApex(apex);
      if (id !== undefined) return this.#sitesOf(id, name);
      name = name.slice(name.indexOf('.') + 1);
    }
    return null;
  }

  /** `name`: of the domain, without the last dot. */
  #sitesOf(id: Id, name: string): DomainSites {
    const held = this.#domains.get(id);
    if (held !== undefined && !held.sites.isStale) return held.sites;
    const value = this.#environment.sites.get(idKey(id));
    const row = value === undefined ? null : decodeSite(value);
    const certificates = row === null ? NO_CERTIFICATES : this.#certificatesOf(id, name, row, held?.certificates);
    const { own, automatic } = certificates;
    const all = [...own, ...automatic];
    const { zoneSettings: settings, exemptions, documents, region } = this.#options;
    const options = { environment: this.#environment, settings, exemptions, documents, region };
    const sites = new DomainSites(options, id, name, row, all, held?.sites);
    this.#domains.set(id, { sites, certificates });
    return sites;
  }

  /** Unchanged certificates stay the same objects. */
  #certificatesOf(id: Id, name: string, row: SiteRow, held = NO_CERTIFICATES): Held {
    const before = [...held.own, ...held.automatic];
    const open = (rows: readonly SiteCertificateRow[], context: string, servesRsa: boolean): SiteCertificate[] => {
      const found = rows
        .map(
          (each) => before.find((certificate) => certificate.isOf(each)) ?? this.#certificate(name, id, each, context),
        )
        .filter((certificate) => certificate !== undefined);
      for (const certificate of found) certificate.chooseAlternative(servesRsa ? found : []);
      return found;
    };
    return {
      own: open(row.own, certificateContext(id), true),
      automatic: open(row.automatic, automaticCertificateContext(id), this.#options.servesOrderedRsa),
    };
  }

  /** The chain of the stored certificate that has the same text after its leaf. */
  #storedChain(id: Id, { chainId }: SiteCertificateRow): string | undefined {
    const reader = this.#reader;
    const rows = [
      ...[reader.certificate(id), reader.automaticCertificate(id)],
      ...[...reader.furtherCertificates(id), ...reader.rsaCertificates(id)],
    ];
    return rows.find((row) => row !== undefined && chainIdOf(splitChain(row.chain).rest) === chainId)?.chain;
  }

  #certificate(domain: string, id: Id, row: SiteCertificateRow, context: string): SiteCertificate | undefined {
    try {
      return new SiteCertificate(domain, row, this.#chainOf(id, row), context, this.#options);
    } catch (error) {
      this.#options.log.unusable(domain, (error as Error).message);
      return undefined;
    }
  }

  #chainOf(id: Id, row: SiteCertificateRow): string {
    const { chainId } = row;
    const text = this.#chains.get(chainId);
    if (text !== undefined) return text;
    const { rest } = splitChain(this.#storedChain(id, row) ?? '');
    if (chainIdOf(rest) !== chainId) throw new Error('its chain is not the one that it was stored with');
    this.#chains.set(chainId, rest);
    return rest;
  }
}

interface KnownDomain {
  readonly sites: DomainSites;
  readonly certificates: Held;
}

interface Held {
  readonly own: readonly SiteCertificate[];
  readonly automatic: readonly SiteCertificate[];
}
const NO_CERTIFICATES: Held = { own: [], automatic: [] };
