/**
 * A snapshot of the served records of a zone, which does not change during writes. Addresses
 * replace ALIAS records, and the records of proxied names. Occluded records are included (RFC 5936
 * 3.5).
 */
import type { Transaction } from 'lmdb';
import { nsec3Owner } from '../../dns/dnssec/nsec3.ts';
import { equalNames, isWithin, type Name, nameAt, nameId } from '../../dns/wire/name.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../dns/wire/types.ts';
import { aliasSets } from '../../journal/apply/zone-facts.ts';
import { ANSWER_FLAGS_AT, ANSWER_SIGNED, APEX_LENGTH_AT, answerOffset } from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import { expandAnswer, expandSigned } from '../../store/expand-answer.ts';
import {
  afterPrefix,
  apexKey,
  domainNameKey,
  type Id,
  idAt,
  idKey,
  LOOKUP,
  lookupKey,
  nameKey,
  nameOfKey,
  recordKeyParts,
  targetKeyParts,
  targetsAt,
} from '../../store/keys.ts';
import { signaturesOf } from '../../store/node-signatures.ts';
import { entryHash, entryRecords } from '../../store/nsec3-entries.ts';
import {
  type AcmeChallenge,
  acmeChallenges,
  aliasTargets,
  type DnssecRow,
  type Domain,
  dnssec,
  domains,
  entryFor,
  proxiedOf,
  proxies,
  RECORD_RDATA,
} from '../../store/rows.ts';
import { spelledOwners } from '../../store/spelled-owners.ts';
import { decodeZoneState } from '../../store/zone-state.ts';
import { AliasedZone } from '../../zone/compile/aliased.ts';
import { apexSets, withDnssec } from '../../zone/compile/apex.ts';
import { memberRecord, versionRecord } from '../../zone/compile/catalog.ts';
import { challengeSets, withChallenges } from '../../zone/compile/challenged.ts';
import { withHints } from '../../zone/compile/hinted.ts';
import { followsNames, withSetsOfNode } from '../../zone/compile/node-sets.ts';
import { ProxiedZone } from '../../zone/compile/proxied.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { type AtApex, addRdata, isOfService } from '../../zone/compile/stored.ts';
import { findType, NO_RRSETS, type ProxyHints, type ZoneView } from '../../zone/compile/view.ts';

export class ZoneSnapshot {
  readonly serial: number;
  readonly soa: ResourceRecord;
  readonly #held: HeldName;
  readonly #view: ZoneView;
  /** The host of the domain's origin; null: it has none. */
  readonly #originHost: string | null;
  readonly #apex: AtApex;
  readonly #ownerCase: (name: Name) => Name;
  /** Apexes of our zones directly inside this one, by nameId, in canonical order. */
  readonly #nested: ReadonlyMap<string, Name>;
  /** The DNSSEC state of the zone; null: it is not signed. */
  readonly #dnssec: DnssecRow | null;

  /**
   * Opens a snapshot; null: the domain does not exist. Until it is closed, the store cannot reuse
   * the pages that the snapshot reads, so the database grows.
   */
  static open(environment: Environment, settings: ZoneSettings, domainId: Id): ZoneSnapshot | null {
    const transaction = environment.root.useReadTransaction();
    const key = idKey(domainId);
    const row = environment.rows.get(domains.number)!.get(key, { transaction });
    if (row === undefined) {
      transaction.done();
      return null;
    }
    return new ZoneSnapshot(environment, settings, transaction, domains.decode(key, row));
  }

  private constructor(
    private readonly environment: Environment,
    private readonly settings: ZoneSettings,
    private readonly transaction: Transaction,
    private readonly domain: Domain,
  ) {
    const key = idKey(domain.id);
    this.serial = decodeZoneState(environment.zones.get(key, { transaction })).serial;
    const row = environment.rows.get(proxies.number)!.get(key, { transaction });
    const proxy = row === undefined ? null : proxies.decode(key, row);
    this.#originHost = proxy?.originHost ?? null;
    const signed = environment.rows.get(dnssec.number)!.get(key, { transaction });
    this.#dnssec = signed === undefined ? null : dnssec.decode(key, signed);
    this.#nested = this.#readNested();
    this.#apex = this.#readApex();
    const soa = findType(this.#apex.sets, TYPE.SOA)!;
    this.#ownerCase = spelledOwners(environment, domain.id, transaction);
    this.soa = { name: domain.apex, type: TYPE.SOA, ttl: soa.ttl, rdata: soa.rdatas[0] };
    this.#held = new HeldName(environment, transaction, domain, findType(this.#apex.sets, TYPE.NS));
    const aliased = new AliasedZone(this.#held, (target) => {
      const at = nameKey(target);
      const found = environment.rows.get(aliasTargets.number)!.get(at, { transaction });
      return aliasSets(found === undefined ? null : entryFor(aliasTargets.decode(at, found), domain.accountId));
    });
    this.#view = proxy?.enabled === true ? new ProxiedZone(aliased, settings.cluster) : aliased;
  }

  /**
   * All records but the SOA, in canonical order of owners. Owners have the case of the master file,
   * and an owner is one object for all its records. Records at and below the apex of a nested zone
   * of ours are omitted, except for the DS. A CNAME next to the delegation, for example, would make
   * secondaries reject the zone.
   */
  *records(): Generator<ResourceRecord> {
    const held = this.#held;
    const domain = this.domain;
    held.take(domain.apex, this.#apex.sets, this.#apex.proxied);
    yield* this.#served();
    if (domain.kind === 'catalog') yield* this.#members();
    let nested: Name | null = null;
    for (const { name, sets, proxied } of this.#withDelegations(this.#withChallenges(this.#owners()))) {
      // Names inside a nested zone follow its apex.
      if (name.length === domain.apex.length || (nested !== null && isWithin(name, nested))) continue;
      if (this.#nested.has(nameId(name))) {
        nested = name;
        yield* this.#delegation(name, findType(sets, TYPE.DS));
        continue;
      }
      held.take(name, sets, proxied);
      yield* this.#served();
    }
    if (this.#dnssec !== null) yield* this.#denial();
  }

  close(): void {
    this.transaction.done();
  }

  /** The records of a catalog. The rows of the domains are not read. */
  *#members(): Generator<ResourceRecord> {
    const { lookups } = this.environment;
    const { apex, accountId, members } = this.domain;
    yield versionRecord(apex);
    const transaction = this.transaction;
    const isAll = members === 'all';
    const prefix = isAll ? lookupKey(LOOKUP.domainName) : lookupKey(LOOKUP.accountDomain, idKey(accountId));
    const catalogs = this.#catalogIds();
    for (const { key, value } of lookups.getRange({ start: prefix, end: afterPrefix(prefix), transaction })) {
      const id = idAt(value);
      const k = key as Buffer;
      if (!catalogs.has(id)) yield memberRecord(apex, id, nameOfKey(k, prefix.length, k.length));
    }
  }

  /** The domains that no catalog lists. */
  #catalogIds(): Set<Id> {
    const ids = new Set<Id>();
    for (const kind of [LOOKUP.catalog, LOOKUP.consumer]) {
      const start = lookupKey(kind);
      const range = { start, end: afterPrefix(start), transaction: this.transaction };
      for (const { value } of this.environment.lookups.getRange(range)) ids.add(idAt(value));
    }
    return ids;
  }

  *#served(): Generator<ResourceRecord> {
    const { name } = this.#held;
    const owner = this.#ownerCase(name);
    const stored = this.#view.rrsets(name);
    const follows = followsNames(stored);
    const node = follows || this.#dnssec !== null ? this.#readNode(name) : undefined;
    // An occluded name has no node, so its hints have no addresses.
    const current = node === undefined ? withHints(name, stored, () => NO_RRSETS) : withSetsOfNode(node, name, stored);
    const sets = follows ? current : stored;
    for (const { type, ttl, rdatas } of sets)
      if (type !== TYPE.SOA && type !== TYPE.ALIAS) for (const rdata of rdatas) yield { name: owner, type, ttl, rdata };
    if (this.#dnssec === null || node === undefined) return;
    const isApex = name.length === this.domain.apex.length;
    for (const record of signaturesOf(node, name, isApex)) yield { ...record, name: owner };
  }

  /**
   * Reads the node of a name. An occluded name has none; a node with its key would belong to a
   * nested zone.
   */
  #readNode(name: Name): Buffer | undefined {
    const isApex = name.length === this.domain.apex.length;
    const key = isApex ? apexKey(name) : nameKey(name);
    const node = this.environment.answers.get(key, { transaction: this.transaction });
    return node?.[APEX_LENGTH_AT] === this.domain.apex.length ? node : undefined;
  }

  /** The NSEC3 records and their signatures. */
  *#denial(): Generator<ResourceRecord> {
    const { id, apex } = this.domain;
    const start = idKey(id);
    const transaction = this.transaction;
    for (const { value } of this.environment.nsec3.getRange({ start, end: afterPrefix(start), transaction })) {
      const name = nsec3Owner(entryHash(value), apex);
      for (const { type, ttl, rdata } of entryRecords(value)) yield { name, type, ttl, rdata };
    }
  }

  /** Adds the TXT records of ACME challenges to their owners, or adds the owners. */
  *#withChallenges(owners: Iterable<Owner>): Generator<Owner> {
    const added = challengeSets(this.domain.apex, this.#readChallenges());
    let at = 0;
    const order = (name: Name): number =>
      at < added.length ? Buffer.compare(nameKey(added[at].name), nameKey(name)) : 1;
    const next = (sets: readonly RRset[]) => withChallenges(sets, added[at++].rdatas);
    for (const owner of owners) {
      while (order(owner.name) < 0) yield { name: added[at].name, sets: next([]), proxied: null };
      yield order(owner.name) === 0 ? { ...owner, sets: next(owner.sets) } : owner;
    }
    while (at < added.length) yield { name: added[at].name, sets: next([]), proxied: null };
  }

  /**
   * Adds the apexes of our zones directly inside this one as owners, even if they have no stored
   * records.
   */
  *#withDelegations(owners: Iterable<Owner>): Generator<Owner> {
    const nested = [...this.#nested.values()];
    let at = 0;
    const isBefore = (name: Name, other: Name): boolean => Buffer.compare(nameKey(name), nameKey(other)) < 0;
    for (const owner of owners) {
      for (; at < nested.length && isBefore(nested[at], owner.name); at++)
        yield { name: nested[at], sets: [], proxied: null };
      if (at < nested.length && equalNames(nested[at], owner.name)) at++;
      yield owner;
    }
    for (; at < nested.length; at++) yield { name: nested[at], sets: [], proxied: null };
  }

  /**
   * The delegation to a nested zone of ours: the NS of that zone with glue, and its DS. Secondaries
   * that have only this zone must not deny names of the nested one.
   */
  *#delegation(name: Name, stored: RRset | undefined): Generator<ResourceRecord> {
    const node = this.environment.answers.get(apexKey(name), { transaction: this.transaction });
    if (node === undefined) return;
    const at = answerOffset(node, 0, TYPE.NS);
    if (at === 0) return;
    const { answer, additional } = expandAnswer(node, at, name, name);
    yield* answer;
    const ds = answerOffset(node, 0, TYPE.DS);
    if (ds !== 0) {
      const isSigned = (node[ds + ANSWER_FLAGS_AT] & ANSWER_SIGNED) !== 0;
      yield* (isSigned ? expandSigned(node, ds, name, name) : expandAnswer(node, ds, name, name)).answer;
    } else if (stored !== undefined) {
      // A DNAME above occludes the delegation.
      for (const rdata of stored.rdatas) yield { name, type: TYPE.DS, ttl: stored.ttl, rdata };
    }
    for (const record of additional) if (isWithin(record.name, name)) yield record;
  }

  #readChallenges(): AcmeChallenge[] {
    const { environment, transaction, domain } = this;
    const start = idKey(domain.id);
    const range = { start, end: afterPrefix(start), transaction };
    const rows = environment.rows.get(acmeChallenges.number)!.getRange(range);
    return Array.from(rows, ({ key, value }) => acmeChallenges.decode(key as Buffer, value));
  }

  #readNested(): Map<string, Name> {
    const { lookups } = this.environment;
    const prefix = domainNameKey(this.domain.apex);
    const start = Buffer.concat([prefix, Uint8Array.of(0)]);
    const nested = new Map<string, Name>();
    let last: Name | null = null;
    for (const found of lookups.getKeys({ start, end: afterPrefix(prefix), transaction: this.transaction })) {
      const key = found as Buffer;
      const name = nameOfKey(key, 1, key.length);
      // Names inside a nested zone follow its apex in key order.
      if (last !== null && isWithin(name, last)) continue;
      last = name;
      nested.set(nameId(name), name);
    }
    return nested;
  }

  #readApex(): AtApex {
    const withServed = (sets: readonly RRset[]): RRset[] => {
      const served = apexSets(sets, this.domain, this.settings, this.serial, this.#originHost);
      return this.#dnssec === null ? served : withDnssec(served, this.domain.apex, this.#dnssec);
    };
    for (const { name, sets, proxied } of this.#owners()) {
      // The owner at the apex comes first, if it has records.
      if (name.length !== this.domain.apex.length) break;
      return { sets: withServed(sets), proxied };
    }
    return { sets: withServed([]), proxied: null };
  }

  *#owners(): Generator<Owner> {
    const environment = this.environment;
    const transaction = this.transaction;
    const domain = this.domain;
    const start = idKey(domain.id);
    let key: Buffer | undefined;
    let end = 0;
    let owner: { name: Name; sets: StoredSet[]; proxied: boolean | null } | undefined;
    for (const entry of environment.records.getRange({ start, end: afterPrefix(start), transaction })) {
      const k = entry.key as Buffer;
      const { nameEnd, type } = recordKeyParts(k);
      if (owner === undefined || nameEnd !== end || k.compare(key!, 0, end, 0, nameEnd) !== 0) {
        if (owner !== undefined) yield owner;
        owner = { name: nameOfKey(k, 8, nameEnd), sets: [], proxied: null };
        end = nameEnd;
        key = k;
      }
      owner.proxied ??= proxiedOf(entry.value);
      addRdata(owner.sets, type, entry.value.readUInt32BE(0), entry.value.subarray(RECORD_RDATA));
    }
    if (owner !== undefined) yield owner;
  }
}

interface StoredSet {
  readonly type: number;
  readonly ttl: number;
  readonly rdatas: Uint8Array[];
}

interface Owner {
  readonly name: Name;
  readonly sets: readonly RRset[];
  readonly proxied: boolean | null;
}

/** A zone view that has only the current name. */
class HeldName implements ZoneView, ProxyHints {
  readonly apex: Name;
  readonly mayOcclude = true;
  readonly parentDs = null;
  name: Name;
  #sets: readonly RRset[] = [];
  #ownProxied: boolean | null = null;
  readonly #domainId: Id;

  constructor(
    private readonly environment: Environment,
    private readonly transaction: Transaction,
    domain: Domain,
    private readonly apexNs: RRset | undefined,
  ) {
    this.#domainId = domain.id;
    this.apex = domain.apex;
    this.name = domain.apex;
  }

  take(name: Name, sets: readonly RRset[], proxied: boolean | null): void {
    this.name = name;
    this.#sets = sets;
    this.#ownProxied = proxied;
  }

  rrsets(): readonly RRset[] {
    return this.#sets;
  }

  proxied(): boolean | null {
    return this.#ownProxied;
  }

  isServiceTarget(name: Name): boolean {
    const prefix = targetsAt(this.#domainId, name);
    const { targets } = this.environment;
    const range = { start: prefix, end: afterPrefix(prefix), transaction: this.transaction };
    for (const key of targets.getKeys(range)) if (isOfService(targetKeyParts(key as Buffer), this.apex)) return true;
    return this.apexNs?.rdatas.some((rdata) => equalNames(nameAt(rdata, 0), name)) ?? false;
  }

  /** Listing records does not need other names. */
  hasBelow(): boolean {
    return false;
  }

  isNested(): boolean {
    return false;
  }
}
