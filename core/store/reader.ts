/**
 * Reads of rows, either from the last committed state or through a draft. A draft also records what
 * was read. Here are the rows of domains; account-reader.ts has those of accounts.
 */
import type { Name } from '../dns/wire/name.ts';
import { AccountReader } from './account-reader.ts';
import {
  afterPrefix,
  domainNameKey,
  type Id,
  idAt,
  idKey,
  LOOKUP,
  lookupKey,
  nameKey,
  recordsAt,
  recordsOfType,
  targetKeyParts,
  targetsAt,
} from './keys.ts';
import { LOOKUPS, startAfter, TARGETS } from './raw-reader.ts';
import {
  type AcmeChallenge,
  type AcmeOrder,
  type AutomaticCertificate,
  AXFR_SOURCE,
  acmeChallenges,
  acmeOrders,
  automaticCertificates,
  binPrefix,
  type Certificate,
  type Comment,
  catalogPrefixes,
  certificates,
  comments,
  type DelegationRow,
  type DeletedDomain,
  type DisabledRecords,
  type DnssecRow,
  type Domain,
  decodeDomain,
  delegations,
  deletedDomains,
  disabledRecords,
  dnssec,
  dnssecStates,
  domains,
  type FurtherCertificate,
  furtherCertificates,
  type KeptPtrs,
  keptPtrs,
  NO_LABELS,
  type OriginHealth,
  originHealth,
  originHealthKey,
  type ProxyConfig,
  type Purge,
  proxies,
  purgePrefix,
  purges,
  type RecordRow,
  type RsaCertificate,
  records,
  rsaCertificates,
  type SiteDocument,
  type SiteDocumentKind,
  type Steering,
  type StoredDnssecState,
  siteDocumentKey,
  siteDocuments,
  siteDocumentVersions,
  steerings,
  steeringVersions,
  type ZoneLabels,
  zoneLabels,
} from './rows.ts';

export class Reader extends AccountReader {
  domain(id: Id): Domain | undefined {
    return this.row(domains, idKey(id));
  }

  domainIdByApex(apex: Name): Id | undefined {
    const key = this.raw.get(LOOKUPS, domainNameKey(apex));
    return key && idAt(key);
  }

  domainByApex(apex: Name): Domain | undefined {
    return this.rowAt(domains, domainNameKey(apex));
  }

  /** Domains strictly below a name, in canonical order. */
  domainsBelow(name: Name, limit?: number): Domain[] {
    const prefix = domainNameKey(name);
    const first = Buffer.concat([prefix, Uint8Array.of(0x00)]);
    return this.raw
      .range(LOOKUPS, first, afterPrefix(prefix), limit)
      .flatMap((entry) => this.row(domains, entry.value) ?? []);
  }

  /** An account's domains in canonical order of their names, after the domain `after`. */
  domainsOf(accountId: Id, after: Name | null, limit?: number): Domain[] {
    const prefix = lookupKey(LOOKUP.accountDomain, idKey(accountId));
    return this.rowsAt(domains, prefix, after === null ? null : nameKey(after), limit);
  }

  /** All domains of all accounts in canonical order. */
  allDomains(after: Name | null, limit?: number): Domain[] {
    return this.rowsAt(domains, lookupKey(LOOKUP.domainName), after === null ? null : nameKey(after), limit);
  }

  /**
   * The catalogs that may list a domain of the account: catalogs of the account, and catalogs of
   * all accounts.
   */
  catalogsFor(accountId: Id): Domain[] {
    return catalogPrefixes(accountId).flatMap((prefix) => this.rowsAt(domains, prefix, null));
  }

  /** The secondary zones that are catalogs. */
  consumedCatalogs(): Domain[] {
    return this.rowsAt(domains, lookupKey(LOOKUP.consumer), null);
  }

  /** The domains that belong to a catalog, in canonical order, after the apex `after`. */
  listedBy(catalogId: Id, after: Name | null, limit: number): Domain[] {
    const prefix = lookupKey(LOOKUP.listed, idKey(catalogId));
    return this.raw
      .range(LOOKUPS, startAfter(prefix, after && nameKey(after)), afterPrefix(prefix), limit)
      .flatMap((entry) => {
        const value = this.raw.get(domains.number, entry.value);
        return value === undefined ? [] : decodeDomain(value);
      });
  }

  /** How many domains an account has, counted up to `limit`. */
  countDomains(accountId: Id, limit?: number): number {
    const prefix = lookupKey(LOOKUP.accountDomain, idKey(accountId));
    return this.raw.range(LOOKUPS, prefix, afterPrefix(prefix), limit).length;
  }

  /** Undefined: no such domain is in the bin. */
  deletedDomain(id: Id): DeletedDomain | undefined {
    return this.row(deletedDomains, idKey(id));
  }

  /** The domains in the bin of an account, newest first, after the position `after`. */
  deletedDomainsOf(accountId: Id, after: Uint8Array | null, limit?: number): DeletedDomain[] {
    return this.rowsAt(deletedDomains, binPrefix(accountId), after, limit);
  }

  /** The deleted domain that is deleted for good first; undefined: there is none. */
  nextPurge(): DeletedDomain | undefined {
    return this.rowsAt(deletedDomains, purgePrefix(), null, 1)[0];
  }

  /** Undefined: the zone is not signed. */
  dnssec(domainId: Id): DnssecRow | undefined {
    return this.row(dnssec, idKey(domainId));
  }

  /** The delegation of a domain in its parent zone; undefined: never checked. */
  delegation(domainId: Id): DelegationRow | undefined {
    return this.row(delegations, idKey(domainId));
  }

  dnssecState(domainId: Id): StoredDnssecState | undefined {
    return this.row(dnssecStates, idKey(domainId));
  }

  record(id: Id): RecordRow | undefined {
    return this.rowAt(records, lookupKey(LOOKUP.record, idKey(id)));
  }

  recordsAt(domainId: Id, name: Name): RecordRow[] {
    const prefix = recordsAt(domainId, name);
    return this.rowsIn(records, prefix, afterPrefix(prefix));
  }

  /** Whether a name has a record of a type. */
  hasType(domainId: Id, name: Name, type: number): boolean {
    const prefix = recordsOfType(domainId, name, type);
    return this.raw.range(records.number, prefix, afterPrefix(prefix), 1).length > 0;
  }

  recordsOfType(domainId: Id, name: Name, type: number): RecordRow[] {
    const prefix = recordsOfType(domainId, name, type);
    return this.rowsIn(records, prefix, afterPrefix(prefix));
  }

  /** The comments of an RRset. */
  comments(domainId: Id, name: Name, type: number): readonly Comment[] {
    return this.row(comments, recordsOfType(domainId, name, type))?.comments ?? [];
  }

  /** The RRsets of a domain that keep their PTR records. */
  keptPtrs(domainId: Id, limit?: number): KeptPtrs[] {
    return this.rowsIn(keptPtrs, idKey(domainId), afterPrefix(idKey(domainId)), limit);
  }

  /** Disabled records of a domain, by RRset. */
  disabledRecords(domainId: Id, limit?: number): DisabledRecords[] {
    return this.rowsIn(disabledRecords, idKey(domainId), afterPrefix(idKey(domainId)), limit);
  }

  zoneLabels(domainId: Id): ZoneLabels {
    return this.row(zoneLabels, idKey(domainId)) ?? { domainId, ...NO_LABELS };
  }

  /** Source addresses of NOTIFY and requests. Members of a catalog have those of the catalog. */
  transferSources({ id, listedBy }: Pick<Domain, 'id' | 'listedBy'>): readonly string[] {
    const own = this.zoneLabels(id).metadata[AXFR_SOURCE];
    if (own !== undefined || listedBy === null) return own ?? [];
    return this.zoneLabels(listedBy.catalogId).metadata[AXFR_SOURCE] ?? [];
  }

  /** Owners and types of the records with this target, in the last committed state. */
  targetsAt(domainId: Id, target: Name): { owner: Name; type: number }[] {
    const prefix = targetsAt(domainId, target);
    return this.raw.range(TARGETS, prefix, afterPrefix(prefix)).map((entry) => targetKeyParts(entry.key));
  }

  /** A zone's records in canonical order, after the record whose key is `after`. */
  recordsOf(domainId: Id, after: Uint8Array | null, limit?: number): RecordRow[] {
    const prefix = idKey(domainId);
    return this.rowsIn(
      records,
      after === null ? prefix : startAfter(Buffer.alloc(0), after),
      afterPrefix(prefix),
      limit,
    );
  }

  proxy(domainId: Id): ProxyConfig | undefined {
    return this.row(proxies, idKey(domainId));
  }

  siteDocument(domainId: Id, kind: SiteDocumentKind): SiteDocument | undefined {
    return this.row(siteDocuments, siteDocumentKey(domainId, kind));
  }

  /** Earlier revisions, oldest first. */
  siteDocumentVersions(domainId: Id, kind: SiteDocumentKind): SiteDocument[] {
    const prefix = siteDocumentKey(domainId, kind);
    return this.rowsIn(siteDocumentVersions, prefix, afterPrefix(prefix));
  }

  /** Documents of all kinds. */
  siteDocumentsOf(domainId: Id): SiteDocument[] {
    const prefix = idKey(domainId);
    return this.rowsIn(siteDocuments, prefix, afterPrefix(prefix));
  }

  /** In all regions. */
  originHealthOf(domainId: Id): OriginHealth[] {
    const prefix = idKey(domainId);
    return this.rowsIn(originHealth, prefix, afterPrefix(prefix));
  }

  originHealth(domainId: Id, region: string): OriginHealth | undefined {
    return this.row(originHealth, originHealthKey(domainId, region));
  }

  steering(domainId: Id, name: Name, type: number): Steering | undefined {
    return this.row(steerings, recordsOfType(domainId, name, type));
  }

  /** In canonical order of the names. */
  steeringsOf(domainId: Id): Steering[] {
    const prefix = idKey(domainId);
    return this.rowsIn(steerings, prefix, afterPrefix(prefix));
  }

  /** Earlier revisions, oldest first. */
  steeringVersions(domainId: Id, name: Name, type: number): Steering[] {
    const prefix = recordsOfType(domainId, name, type);
    return this.rowsIn(steeringVersions, prefix, afterPrefix(prefix));
  }

  /** The last of the earlier revisions of each record set of a domain. */
  lastSteeringVersions(domainId: Id): Steering[] {
    const found: Steering[] = [];
    for (let start: Buffer | undefined = idKey(domainId); start !== undefined; ) {
      const [first] = this.rowsIn(steeringVersions, start, afterPrefix(idKey(domainId)), 1);
      if (first === undefined) break;
      const prefix = recordsOfType(domainId, first.name, first.type);
      const { key, value } = this.raw.range(steeringVersions.number, prefix, afterPrefix(prefix)).at(-1)!;
      found.push(steeringVersions.decode(key, value));
      start = afterPrefix(prefix);
    }
    return found;
  }

  certificate(domainId: Id): Certificate | undefined {
    return this.row(certificates, idKey(domainId));
  }

  automaticCertificate(domainId: Id): AutomaticCertificate | undefined {
    return this.row(automaticCertificates, idKey(domainId));
  }

  /** The automatic certificates after the first, by slot. */
  furtherCertificates(domainId: Id): FurtherCertificate[] {
    const prefix = idKey(domainId);
    return this.rowsIn(furtherCertificates, prefix, afterPrefix(prefix));
  }

  /** RSA certificates beside others, by slot; that of an uploaded one is last. */
  rsaCertificates(domainId: Id): RsaCertificate[] {
    const prefix = idKey(domainId);
    return this.rowsIn(rsaCertificates, prefix, afterPrefix(prefix));
  }

  acmeOrder(domainId: Id): AcmeOrder | undefined {
    return this.row(acmeOrders, idKey(domainId));
  }

  acmeChallenges(domainId: Id): AcmeChallenge[] {
    const prefix = idKey(domainId);
    return this.rowsIn(acmeChallenges, prefix, afterPrefix(prefix));
  }

  /** Purges of a domain, oldest first. */
  purgesOf(domainId: Id, limit?: number): Purge[] {
    const prefix = idKey(domainId);
    return this.rowsIn(purges, prefix, afterPrefix(prefix), limit);
  }
}
