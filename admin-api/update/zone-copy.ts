/** The names of a zone that an update speaks of: as they were, and as it leaves them. Nothing is written before all of it has been worked out. */
import type { Draft } from '../../core/journal/draft.ts';
import type { Domain, RecordRow } from '../../core/store/rows.ts';
import { type Name, nameId } from '../../core/wire/name.ts';

export interface Held {
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
}

export class NameCopy {
  readonly name: Name;
  readonly before: readonly RecordRow[];
  /** What it has now, by heldId; of one type all have one TTL. */
  readonly now: Map<string, Held>;

  constructor(name: Name, before: readonly RecordRow[]) {
    this.name = name;
    this.before = before;
    this.now = new Map(before.map((row) => [heldId(row.type, row.rdata), row]));
  }

  hasType(type: number): boolean {
    for (const held of this.now.values()) if (held.type === type) return true;
    return false;
  }

  hasOther(type: number): boolean {
    for (const held of this.now.values()) if (held.type !== type) return true;
    return false;
  }

  deleteType(type: number): void {
    for (const [id, held] of this.now) if (held.type === type) this.now.delete(id);
  }

  /** Adds a record, or gives it another TTL, which all of its RRset take (RFC 2181 5.2). */
  set(record: Held): void {
    const { type, ttl, rdata } = record;
    this.now.set(heldId(type, rdata), { type, ttl, rdata });
    for (const [id, held] of this.now) if (held.type === type && held.ttl !== ttl) this.now.set(id, { ...held, ttl });
  }
}

/** Equal for records of one type and rdata only. */
export function heldId(type: number, rdata: Uint8Array): string {
  return `${type} ${Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('latin1')}`;
}

export class ZoneCopy {
  readonly apex: Name;
  readonly #draft: Draft;
  readonly #domain: Domain;
  readonly #names = new Map<string, NameCopy>();

  constructor(draft: Draft, domain: Domain) {
    this.apex = domain.apex;
    this.#draft = draft;
    this.#domain = domain;
  }

  /** The name's records as stored: at the apex without SOA, and without NS when those are the service's. */
  at(name: Name): NameCopy {
    const id = nameId(name);
    let copy = this.#names.get(id);
    if (copy === undefined) {
      copy = new NameCopy(name, this.#draft.recordsAt(this.#domain.id, name));
      this.#names.set(id, copy);
    }
    return copy;
  }

  /** All names that have been looked at. */
  get names(): Iterable<NameCopy> {
    return this.#names.values();
  }
}
