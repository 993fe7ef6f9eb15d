/**
 * Copies of the names that an update changes, before and after. Nothing is written until the whole
 * update is applied to the copies.
 */

import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { type Name, nameId } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Domain, RecordRow } from '../../../core/store/rows.ts';

/** One RRset of a name; it may be empty. */
interface SetCopy {
  /** The new TTL of all its records (RFC 2181 5.2); null: unchanged. */
  ttl: number | null;
  /** By rdataId. */
  readonly rdatas: Map<string, Uint8Array>;
}

export class NameCopy {
  /** The current RRsets by type. */
  readonly now = new Map<number, SetCopy>();

  constructor(
    readonly name: Name,
    readonly before: readonly RecordRow[],
  ) {
    for (const { type, rdata } of before) this.#set(type).rdatas.set(rdataId(rdata), rdata);
  }

  has(type: number): boolean {
    return (this.now.get(type)?.rdatas.size ?? 0) > 0;
  }

  /** Whether the name has records of any other type. */
  hasOther(type: number): boolean {
    for (const other of this.now.keys()) if (other !== type && this.has(other)) return true;
    return false;
  }

  /** Adds a record, or changes the TTL of an existing one; sets the TTL of the whole RRset. */
  add(type: number, ttl: number, rdata: Uint8Array): void {
    const set = this.#set(type);
    set.ttl = ttl;
    set.rdatas.set(rdataId(rdata), rdata);
  }

  delete(type: number, rdata: Uint8Array): void {
    this.now.get(type)?.rdatas.delete(rdataId(rdata));
  }

  deleteType(type: number): void {
    this.now.get(type)?.rdatas.clear();
  }

  #set(type: number): SetCopy {
    let set = this.now.get(type);
    if (set === undefined) {
      set = { ttl: null, rdatas: new Map() };
      this.now.set(type, set);
    }
    return set;
  }
}

/** A text that is equal only for equal rdata. */
export function rdataId(rdata: Uint8Array): string {
  return latin1(rdata);
}

export class ZoneCopy {
  readonly apex: Name;
  readonly #names = new Map<string, NameCopy>();

  constructor(
    private readonly draft: Draft,
    private readonly domain: Domain,
  ) {
    this.apex = domain.apex;
  }

  /** The stored records of a name, without the SOA and NS of the service at the apex. */
  at(name: Name): NameCopy {
    const id = nameId(name);
    let copy = this.#names.get(id);
    if (copy === undefined) {
      copy = new NameCopy(name, this.draft.recordsAt(this.domain.id, name));
      this.#names.set(id, copy);
    }
    return copy;
  }

  /** All names that have been read. */
  get names(): Iterable<NameCopy> {
    return this.#names.values();
  }
}
