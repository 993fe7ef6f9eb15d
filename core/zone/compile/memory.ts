/** A zone in memory, for bulk imports and rebuilds. */
import { type Name, nameAt, nameId, parentName } from '../../dns/wire/name.ts';
import { HOST_TARGET, type RRset, TYPE } from '../../dns/wire/types.ts';
import { NO_RRSETS, type ProxyHints, type ZoneView } from './view.ts';

interface Owner {
  readonly name: Name;
  sets: RRset[];
  proxied: boolean | null;
}

interface Source {
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
  readonly proxied?: boolean | null;
}

export class MemoryZone implements ZoneView, ProxyHints {
  readonly apex: Name;
  readonly parentDs: RRset | null;
  mayOcclude: boolean;
  readonly #owners = new Map<string, Owner>();
  readonly #enclosers = new Map<string, Name>();
  readonly #nestedIds = new Set<string>();
  #serviceTargets: Set<string> | null = null;
  #lastName: Name | null = null;
  #lastId = '';

  /**
   * `records`: all records of the zone in any order, including SOA and NS of the apex. `nested`:
   * apexes of our zones inside this one.
   */
  constructor(apex: Name, records: Iterable<Source>, nested: readonly Name[] = [], parentDs: RRset | null = null) {
    this.apex = apex;
    this.parentDs = parentDs;
    this.mayOcclude = nested.length > 0;
    this.add(records);
    for (const name of nested) {
      this.#nestedIds.add(nameId(name));
      this.#encloses(name);
    }
    this.sort();
  }

  /** Adds records. Add all of them and call `sort` before the zone is read. */
  add(records: Iterable<Source>): void {
    let { mayOcclude } = this;
    for (const record of records) {
      this.#add(record);
      mayOcclude ||= record.type === TYPE.DNAME || (record.type === TYPE.NS && record.name.length !== this.apex.length);
    }
    this.mayOcclude = mayOcclude;
  }

  sort(): void {
    for (const owner of this.#owners.values()) for (const set of owner.sets) sortRdatas(set.rdatas as Uint8Array[]);
  }

  rrsets(name: Name): readonly RRset[] {
    return this.#owners.get(this.#id(name))?.sets ?? NO_RRSETS;
  }

  hasBelow(name: Name): boolean {
    return this.#enclosers.has(this.#id(name));
  }

  isNested(name: Name): boolean {
    return this.#nestedIds.has(nameId(name));
  }

  proxied(name: Name): boolean | null {
    return this.#owners.get(this.#id(name))?.proxied ?? null;
  }

  isServiceTarget(name: Name): boolean {
    this.#serviceTargets ??= this.#findTargets();
    return this.#serviceTargets.has(nameId(name));
  }

  #findTargets(): Set<string> {
    const found = new Set<string>();
    for (const { sets } of this.#owners.values())
      for (const { type, rdatas } of sets) {
        const at = HOST_TARGET.get(type);
        if (at !== undefined) for (const rdata of rdatas) found.add(nameId(nameAt(rdata, at)));
      }
    return found;
  }

  /** Every name that may have a node: owners, and names above them. */
  *names(): Iterable<Name> {
    for (const owner of this.#owners.values()) yield owner.name;
    for (const [id, name] of this.#enclosers) if (!this.#owners.has(id)) yield name;
  }

  /** Caches the last id, since the compiler reads a name several times in a row. */
  #id(name: Name): string {
    if (name !== this.#lastName) {
      this.#lastName = name;
      this.#lastId = nameId(name);
    }
    return this.#lastId;
  }

  #add(record: Source): void {
    const id = this.#id(record.name);
    let owner = this.#owners.get(id);
    if (owner === undefined) {
      owner = { name: record.name, sets: [], proxied: null };
      this.#owners.set(id, owner);
      this.#encloses(record.name);
    }
    owner.proxied ??= record.proxied ?? null;
    const set = owner.sets.find((s) => s.type === record.type);
    if (set !== undefined) (set.rdatas as Uint8Array[]).push(record.rdata);
    else {
      owner.sets.push({ type: record.type, ttl: record.ttl, rdatas: [record.rdata] });
      if (owner.sets.length > 1) owner.sets.sort((a, b) => a.type - b.type);
    }
  }

  #encloses(name: Name): void {
    for (let at = name; at.length > this.apex.length; ) {
      at = parentName(at);
      const id = nameId(at);
      if (this.#enclosers.has(id)) return;
      this.#enclosers.set(id, at);
    }
  }
}

/**
 * Sorts rdata in canonical order (RFC 4034 6.3): as unsigned bytes, a prefix before longer rdata.
 */
export function sortRdatas(rdatas: Uint8Array[]): void {
  if (rdatas.length > 1) rdatas.sort(Buffer.compare);
}
