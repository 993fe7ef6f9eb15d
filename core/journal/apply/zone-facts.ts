/**
 * Data of zones that applying a change needs and that seldom changes: the domain's row, whether its
 * proxy is on, the zones around it, the RRsets of its apex, and its names with targets. It is
 * cached across groups of entries. Applying an entry invalidates the data that the entry changes; a
 * transaction that was rolled back invalidates all data.
 */

import { latin1 } from '../../dns/wire/latin1.ts';
import { type Name, nameId, parentName } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idKey, nameKey } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import {
  type AliasEntry,
  type AliasFamily,
  type AliasTarget,
  aliasTargets,
  type DnssecRow,
  type Domain,
  deletedDomains,
  dnssec,
  entryFor,
  type Steering,
} from '../../store/rows.ts';
import { UNRESOLVED } from '../../zone/compile/aliased.ts';
import { apexSets } from '../../zone/compile/apex.ts';
import { type ChallengeSet, challengeSets } from '../../zone/compile/challenged.ts';
import { originSets } from '../../zone/compile/origin-apex.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { type AtApex, readHeld } from '../../zone/compile/stored.ts';
import type { ZoneRRset } from '../../zone/compile/view.ts';
import { readTargets, type ZoneTargets } from '../../zone/compile/zone-targets.ts';

/** Maximum number of values of a memo. All are dropped when it is reached. */
const MAX_VALUES = 20_000;
const ABSENT = Symbol('absent');

/** Maximum bytes of rdata of a cached apex. Few apexes have more, but some may have 64,000. */
const MAX_APEX_BYTES = 4096;

/** Most domains have none. */
type SteeringsByName = ReadonlyMap<string, readonly Steering[]>;

interface ProxyFacts {
  readonly isEnabled: boolean;
  /** Null: the domain has no origin. */
  readonly originHost: string | null;
}

const NO_PROXY: ProxyFacts = { isEnabled: false, originHost: null };

/** The row of an ALIAS target, with the addresses decoded so far. */
interface AliasRow {
  readonly row: AliasTarget | undefined;
  readonly sets: Map<AliasEntry | null, readonly ZoneRRset[]>;
}

export class ZoneFacts {
  readonly #reader: Reader;
  readonly #domains: Memo<Id, Domain | undefined>;
  readonly #proxies: Memo<Id, ProxyFacts>;
  readonly #dnssec: Memo<Id, DnssecRow | undefined>;
  readonly #apexes: Memo<Id, AtApex>;
  readonly #targets: Memo<Id, ZoneTargets>;
  readonly #children: Memo<string, readonly Domain[]>;
  readonly #parents: Memo<string, Domain | null>;
  readonly #aliases: Memo<string, AliasRow>;
  readonly #challenges: Memo<Id, readonly ChallengeSet[]>;
  readonly #steerings: Memo<Id, SteeringsByName>;
  readonly #all: readonly Memo<unknown, unknown>[];

  /** `lower`: facts that are cached already. They do not change when data is invalidated here. */
  constructor(
    private readonly environment: Environment,
    lower?: ZoneFacts,
  ) {
    this.#reader = new Reader(rawReader(environment));
    this.#domains = new Memo(lower === undefined ? undefined : lower.#domains);
    this.#proxies = new Memo(lower === undefined ? undefined : lower.#proxies);
    this.#dnssec = new Memo(lower === undefined ? undefined : lower.#dnssec);
    this.#apexes = new Memo(lower === undefined ? undefined : lower.#apexes);
    this.#targets = new Memo(lower === undefined ? undefined : lower.#targets);
    this.#children = new Memo(lower === undefined ? undefined : lower.#children);
    this.#parents = new Memo(lower === undefined ? undefined : lower.#parents);
    this.#aliases = new Memo(lower === undefined ? undefined : lower.#aliases);
    this.#challenges = new Memo(lower === undefined ? undefined : lower.#challenges);
    this.#steerings = new Memo(lower === undefined ? undefined : lower.#steerings);
    this.#all = [
      this.#domains,
      this.#proxies,
      this.#dnssec,
      this.#apexes,
      this.#targets,
      this.#children,
      this.#parents,
      this.#aliases,
      this.#challenges,
      this.#steerings,
    ] as Memo<unknown, unknown>[];
  }

  clear(): void {
    for (const memo of this.#all) memo.clear();
  }

  /**
   * Adopts the data of facts above these. Data that is invalid there must be invalidated here
   * first.
   */
  adopt(upper: ZoneFacts): void {
    this.#all.forEach((memo, i) => {
      memo.adopt(upper.#all[i]);
    });
  }

  /** Replaces the facts below with equal facts. */
  rebase(lower: ZoneFacts): void {
    this.#all.forEach((memo, i) => {
      memo.rebase(lower.#all[i]);
    });
  }

  /** Records at the apex are added or deleted. */
  invalidateApex(domainId: Id): void {
    this.#apexes.delete(domainId);
  }

  /** Records with a target are added or deleted. */
  invalidateTargets(domainId: Id): void {
    this.#targets.delete(domainId);
  }

  /** The row of the ALIAS target with this key changes. */
  invalidateAlias(key: Uint8Array): void {
    this.#aliases.delete(latin1(key));
  }

  /** Challenges of a domain are added or deleted. */
  invalidateChallenges(domainId: Id): void {
    this.#challenges.delete(domainId);
  }

  /** Steering documents of a domain are added, replaced or deleted. */
  invalidateSteerings(domainId: Id): void {
    this.#steerings.delete(domainId);
  }

  /** The steering documents of a domain, by the canonical key of their name in Latin-1. */
  steeringsOf(domainId: Id): SteeringsByName {
    return this.#steerings.get(domainId, () => {
      const found = new Map<string, Steering[]>();
      for (const steering of this.#reader.steeringsOf(domainId)) {
        const key = latin1(nameKey(steering.name));
        const others = found.get(key);
        if (others === undefined) found.set(key, [steering]);
        else others.push(steering);
      }
      return found;
    });
  }

  /** The TXT records that answer the domain's dns-01 challenges. */
  challengesOf({ id, apex }: Pick<Domain, 'id' | 'apex'>): readonly ChallengeSet[] {
    return this.#challenges.get(id, () => challengeSets(apex, this.#reader.acmeChallenges(id)));
  }

  /** See AliasAnswers. */
  aliasAnswers(target: Name, account: Id): readonly ZoneRRset[] {
    const key = nameKey(target);
    const { row, sets } = this.#aliases.get(latin1(key), () => ({
      row: this.#reader.row(aliasTargets, key),
      sets: new Map(),
    }));
    const entry = row === undefined ? null : entryFor(row, account);
    let found = sets.get(entry);
    if (found === undefined) {
      found = aliasSets(entry);
      sets.set(entry, found);
    }
    return found;
  }

  domain(id: Id): Domain | undefined {
    return this.#domains.get(id, () => this.#reader.domain(id));
  }

  /** Whether the domain was deleted, and its rows are still there. */
  isInBin(id: Id): boolean {
    return this.domain(id) === undefined && this.environment.rows.get(deletedDomains.number)!.doesExist(idKey(id));
  }

  /** The signing row of the zone; undefined: the zone is not signed. */
  dnssec(domainId: Id): DnssecRow | undefined {
    return this.#dnssec.get(domainId, () => this.#reader.row(dnssec, idKey(domainId)));
  }

  isProxied(domainId: Id): boolean {
    return this.#proxyOf(domainId).isEnabled;
  }

  /** The host of the domain's origin; null: it has none. */
  originHost(domainId: Id): string | null {
    return this.#proxyOf(domainId).originHost;
  }

  #proxyOf(domainId: Id): ProxyFacts {
    return this.#proxies.get(domainId, () => {
      const row = this.#reader.proxy(domainId);
      if (row === undefined) return NO_PROXY;
      return { isEnabled: row.enabled, originHost: row.originHost };
    });
  }

  /** The RRsets at the apex of a domain, with the serial 0 in the SOA. */
  atApex(domain: Domain, settings: ZoneSettings): AtApex {
    const read = (): AtApex => {
      const { sets, proxied } = readHeld(this.environment, domain.id, domain.apex);
      // Copies, since rdata are views of larger buffers. (The slice of a Buffer would be a view.)
      const copies = sets.map((set) => ({
        ...set,
        rdatas: set.rdatas.map((rdata) => Uint8Array.prototype.slice.call(rdata)),
      }));
      const originHost = this.originHost(domain.id);
      const [origin] = originSets(copies, originHost);
      const all = { proxied, sets: apexSets(copies, domain, settings, 0, originHost) };
      return origin === undefined ? all : { ...all, origin };
    };
    return this.#apexes.get(domain.id, read, isSmall);
  }

  targetsOf(domainId: Id): ZoneTargets {
    return this.#targets.get(domainId, () => readTargets(this.environment, domainId));
  }

  /**
   * Our zones inside a zone. Valid only after all rows of the group are written; so is `parentOf`.
   */
  childrenOf(apex: Name): readonly Domain[] {
    return this.#children.get(nameId(apex), () => this.#reader.domainsBelow(apex));
  }

  /** See Reader. */
  catalogsFor(accountId: Id): readonly Domain[] {
    return this.#reader.catalogsFor(accountId);
  }

  /** Our zone that encloses a zone. */
  parentOf(apex: Name): Domain | null {
    return this.#parents.get(nameId(apex), () => {
      for (let ancestor = apex; ancestor.length > 1; ) {
        ancestor = parentName(ancestor);
        const domain = this.#reader.domainByApex(ancestor);
        if (domain !== undefined) return domain;
      }
      return null;
    });
  }
}

/** The addresses of an ALIAS target, from an entry of its row; null: not resolved. */
export function aliasSets(entry: AliasEntry | null): readonly ZoneRRset[] {
  return entry === null ? UNRESOLVED : [...familySets(TYPE.A, entry.a), ...familySets(TYPE.AAAA, entry.aaaa)];
}

/** An RRset without rdata: the family has no address. */
function familySets(type: number, family: AliasFamily | null): ZoneRRset[] {
  if (family === null) return [{ type, ttl: 0, rdatas: [] }];
  const { addresses, ttl, stale } = family;
  if (addresses.length === 0) return [];
  return [{ type, ttl, rdatas: addresses.map((text) => Buffer.from(text, 'hex')), isStale: stale }];
}

function isSmall({ sets }: AtApex): boolean {
  let bytes = 0;
  for (const { rdatas } of sets) for (const rdata of rdatas) bytes += rdata.length;
  return bytes <= MAX_APEX_BYTES;
}

/**
 * Values by id, cached after the first read. A memo above a lower memo returns its values until
 * they are invalidated here. It never changes the lower memo.
 */
class Memo<K, T> {
  readonly #values = new Map<K, T>();
  /** Ids of the lower memo that are invalid here; null: all of them. */
  #invalid: Set<K> | null = new Set();

  constructor(private lower: Memo<K, T> | null = null) {}

  /** `isKept`: whether the value may be cached. */
  get(id: K, read: () => T, isKept: (value: T) => boolean = always): T {
    const cached = this.#find(id);
    if (cached !== ABSENT) return cached;
    const value = read();
    if (!isKept(value)) return value;
    if (this.#values.size >= MAX_VALUES) this.clear();
    this.#values.set(id, value);
    return value;
  }

  /** Replaces the lower memo with one that has the same values. */
  rebase(lower: Memo<K, T>): void {
    this.lower = lower;
  }

  delete(id: K): void {
    this.#values.delete(id);
    if (this.lower !== null) this.#invalid?.add(id);
  }

  /**
   * Takes over the values of a memo above this one. Ids that are invalid there must be invalid
   * here.
   */
  adopt(upper: Memo<K, T>): void {
    for (const [id, value] of upper.#values) this.get(id, () => value);
  }

  clear(): void {
    this.#values.clear();
    this.#invalid = null;
  }

  #find(id: K): T | typeof ABSENT {
    const value = this.#values.get(id);
    if (value !== undefined || this.#values.has(id)) return value as T;
    if (this.lower === null || this.#invalid === null || this.#invalid.has(id)) return ABSENT;
    return this.lower.#find(id);
  }
}

const always = (): boolean => true;
