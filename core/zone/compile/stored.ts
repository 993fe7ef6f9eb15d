/** A zone that is read from the store name by name, to compile a change to a few names. */

import type { Transaction } from 'lmdb';
import { equalNames, isWithin, type Name, nameAt, nameId, parentName } from '../../dns/wire/name.ts';
import { HOST_TARGET, type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import {
  afterPrefix,
  type Id,
  idKey,
  nameOfKey,
  recordKeyParts,
  recordsAt,
  recordsBelow,
  targetKeyParts,
  targetsAt,
} from '../../store/keys.ts';
import { type Domain, proxiedOf, RECORD_RDATA } from '../../store/rows.ts';
import { scan } from '../../store/scan.ts';
import { sortRdatas } from './memory.ts';
import { findType, NO_RRSETS, type ProxyHints, type ZoneView } from './view.ts';
import type { Leads } from './zone-targets.ts';

/** The records at the apex of a zone. */
export interface AtApex {
  readonly sets: readonly RRset[];
  /** The proxy setting of its records; null: none. */
  readonly proxied: boolean | null;
  /** The RRset that is served for the origin of the domain, but not stored (origin-apex.ts). */
  readonly origin?: RRset;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Valid within one transaction, the current one if none is given. Create a new one after rows have
 * changed.
 */
export class StoredZone implements ZoneView, ProxyHints {
  readonly apex: Name;
  readonly mayOcclude = true;
  readonly parentDs: RRset | null;
  readonly #environment: Environment;
  readonly #domainId: Id;
  readonly #atApex: AtApex;
  #apexHasBelow: boolean | undefined;
  readonly #nestedIds: ReadonlySet<string>;
  /** Apexes of our zones inside this one. */
  readonly nested: readonly Name[];
  readonly #cache = new Map<string, Held>();
  /** The last result, since the compiler reads a name several times in a row. */
  #lastName: Name | undefined;
  #lastHeld: Held | undefined;
  readonly #serviceTargets = new Map<string, boolean>();

  constructor(
    environment: Environment,
    domainId: Id,
    apex: Name,
    atApex: AtApex,
    nested: readonly Name[],
    parentDs: RRset | null,
    private readonly transaction?: Transaction,
  ) {
    this.#environment = environment;
    this.#domainId = domainId;
    this.apex = apex;
    this.#atApex = atApex;
    this.nested = nested;
    this.#nestedIds = nested.length === 0 ? NONE : new Set(nested.map(nameId));
    this.parentDs = parentDs;
  }

  rrsets(name: Name): readonly RRset[] {
    return equalNames(name, this.apex) ? this.#atApex.sets : this.#held(name).sets;
  }

  hasBelow(name: Name): boolean {
    return this.#holdsBelow(name) || this.hasNestedBelow(name);
  }

  proxied(name: Name): boolean | null {
    return equalNames(name, this.apex) ? this.#atApex.proxied : this.#held(name).proxied;
  }

  isServiceTarget(name: Name): boolean {
    const id = nameId(name);
    let isTarget = this.#serviceTargets.get(id);
    if (isTarget === undefined) {
      isTarget = this.#findServiceTarget(name);
      this.#serviceTargets.set(id, isTarget);
    }
    return isTarget;
  }

  #findServiceTarget(name: Name): boolean {
    const prefix = targetsAt(this.#domainId, name);
    let found = false;
    scan(
      this.#environment.targets,
      prefix,
      afterPrefix(prefix),
      (key) => {
        found = isOfService(targetKeyParts(key), this.apex);
        return !found;
      },
      this.transaction,
    );
    if (found) return true;
    // At the apex, the served NS count. NS of the service are not stored, and hide stored NS.
    const ns = findType(this.rrsets(this.apex), TYPE.NS);
    return ns?.rdatas.some((rdata) => equalNames(nameAt(rdata, 0), name)) ?? false;
  }

  #held(name: Name): Held {
    if (name === this.#lastName && this.#lastHeld !== undefined) return this.#lastHeld;
    const id = nameId(name);
    let held = this.#cache.get(id);
    if (held === undefined) {
      held = readHeld(this.#environment, this.#domainId, name, this.transaction);
      this.#cache.set(id, held);
    }
    this.#lastName = name;
    this.#lastHeld = held;
    return held;
  }

  #holdsBelow(name: Name): boolean {
    if (!equalNames(name, this.apex)) return this.#held(name).below;
    if (this.#apexHasBelow === undefined) {
      const prefix = recordsBelow(this.#domainId, name);
      const start = Buffer.concat([prefix, Uint8Array.of(1)]);
      let found = false;
      scan(
        this.#environment.records,
        start,
        afterPrefix(prefix),
        () => {
          found = true;
          return false;
        },
        this.transaction,
      );
      this.#apexHasBelow = found;
    }
    return this.#apexHasBelow;
  }

  /**
   * The owners of the first and the last record below a name, in canonical order. Empty: the name
   * has no records below it.
   */
  outermostBelow(name: Name): Name[] {
    const prefix = recordsBelow(this.#domainId, name);
    const { records } = this.#environment;
    const { transaction } = this;
    const start = Buffer.concat([prefix, Uint8Array.of(1)]);
    const end = afterPrefix(prefix)!;
    const owners: Name[] = [];
    const add = (key: Buffer): number => owners.push(nameOfKey(key, 8, recordKeyParts(key).nameEnd));
    for (const key of records.getKeys({ start, end, limit: 1, transaction })) add(key as Buffer);
    for (const key of records.getKeys({ start: end, end: start, reverse: true, limit: 1, transaction }))
      add(key as Buffer);
    return owners;
  }

  hasNestedBelow(name: Name): boolean {
    return this.nested.some((apex) => apex.length > name.length && isWithin(apex, name));
  }

  isNested(name: Name): boolean {
    return this.#nestedIds.size > 0 && this.#nestedIds.has(nameId(name));
  }
}

/**
 * Whether a record makes its target a name of mail or another service. NS at the apex are excluded:
 * the caller checks the served ones.
 */
export function isOfService({ owner, type }: Leads, apex: Name): boolean {
  return HOST_TARGET.has(type) && !(type === TYPE.NS && equalNames(owner, apex));
}

/** The RRsets stored at a name, in ascending order of type, and whether it has records below it. */
interface Held extends AtApex {
  readonly below: boolean;
}

/**
 * Reads a name in one scan: its own records come first, and the first record below it ends the
 * scan.
 */
export function readHeld(environment: Environment, domainId: Id, name: Name, transaction?: Transaction): Held {
  const own = recordsAt(domainId, name);
  const sets: { type: number; ttl: number; rdatas: Uint8Array[] }[] = [];
  let below = false;
  let proxied: boolean | null = null;
  const end = afterPrefix(recordsBelow(domainId, name));
  scan(
    environment.records,
    own,
    end,
    (key, value) => {
      // 0x00 after the name means the name itself; every label starts with a greater byte.
      below = key[own.length - 1] !== 0;
      if (below) return false;
      const { type } = recordKeyParts(key);
      proxied ??= proxiedOf(value);
      const rdata = value.subarray(RECORD_RDATA);
      addRdata(sets, type, value.readUInt32BE(0), rdata);
      return true;
    },
    transaction,
  );
  for (const set of sets) sortRdatas(set.rdatas);
  return { sets: sets.length === 0 ? NO_RRSETS : sets, below, proxied };
}

/**
 * Adds the rdata of the next record of a name to its RRset. An RRSIG has the TTL of the RRset that
 * it covers (RFC 4034 section 3), so RRSIG records with different TTLs are in separate sets.
 */
export function addRdata(
  sets: { readonly type: number; readonly ttl: number; readonly rdatas: Uint8Array[] }[],
  type: number,
  ttl: number,
  rdata: Uint8Array,
): void {
  for (let i = sets.length - 1; i >= 0 && sets[i].type === type; i--)
    if (type !== TYPE.RRSIG || sets[i].ttl === ttl) {
      sets[i].rdatas.push(rdata);
      return;
    }
  sets.push({ type, ttl, rdatas: [rdata] });
}

/** The RRsets stored at exactly this name, in ascending order of type. */
export function readRRsets(environment: Environment, domainId: Id, name: Name): readonly RRset[] {
  return readHeld(environment, domainId, name).sets;
}

/**
 * The DS that the parent zone has for the apex of a nested zone (RFC 4035 3.1.4.1). Null: there is
 * none, or a zone cut or DNAME of the parent zone is above.
 */
export function readParentDs(environment: Environment, parent: Pick<Domain, 'id' | 'apex'>, apex: Name): RRset | null {
  for (let above = parentName(apex); above.length >= parent.apex.length; above = parentName(above)) {
    const sets = readRRsets(environment, parent.id, above);
    if (findType(sets, TYPE.DNAME) !== undefined) return null;
    if (above.length > parent.apex.length && findType(sets, TYPE.NS) !== undefined) return null;
    if (above.length === 1) break;
  }
  return findType(readRRsets(environment, parent.id, apex), TYPE.DS) ?? null;
}

/** A record for MemoryZone. */
interface StoredRecord {
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
  readonly proxied: boolean | null;
}

/**
 * Reads all records of a zone below its apex, in canonical order. `onAlias` receives the target and
 * key of every ALIAS, including one at the apex.
 */
export function readBelowApex(
  environment: Environment,
  { id, apex }: Pick<Domain, 'id' | 'apex'>,
  onAlias: (target: Name, key: Buffer) => void,
): StoredRecord[] {
  const found: StoredRecord[] = [];
  const start = idKey(id);
  let lastKey: Buffer = Buffer.alloc(0);
  let lastEnd = 0;
  let name: Name = apex;
  for (const { key, value } of environment.records.getRange({ start, end: afterPrefix(start) })) {
    const { nameEnd, type } = recordKeyParts(key);
    const k = key as Buffer;
    if (nameEnd !== lastEnd || k.compare(lastKey, 0, lastEnd, 0, nameEnd) !== 0) {
      name = nameOfKey(k, 8, nameEnd);
      lastKey = k;
      lastEnd = nameEnd;
    }
    if (type === TYPE.ALIAS) onAlias(nameAt(value, RECORD_RDATA), k);
    if (name.length !== apex.length)
      found.push({
        name,
        type,
        ttl: value.readUInt32BE(0),
        rdata: value.subarray(RECORD_RDATA),
        proxied: proxiedOf(value),
      });
  }
  return found;
}
