/** A master file's records by owner name and type: identical ones merged, one TTL an RRset. */
import type { MasterRecord } from '../../../core/wire/master/index.ts';
import { equalNames, type Name, nameId } from '../../../core/wire/name.ts';

export interface OwnedSet {
  readonly type: number;
  /** The lowest of those given (RFC 2181 5.2). Seconds. */
  ttl: number;
  /** Line of the first record. */
  readonly line: number;
  readonly rdatas: Uint8Array[];
  /** Bytes of all rdata. */
  size: number;
  /** Made once the set is too large for comparing one by one. */
  seen: Set<string> | undefined;
}

export interface Owner {
  readonly name: Name;
  readonly sets: OwnedSet[];
}

const COMPARED = 12;

export class Owners {
  readonly #byId = new Map<string, Owner>();
  #last: Owner | undefined;

  add(record: MasterRecord): void {
    const owner = this.#owner(record.name);
    let set: OwnedSet | undefined;
    for (const one of owner.sets) if (one.type === record.type) set = one;
    if (set === undefined) {
      const { type, ttl, line, rdata } = record;
      owner.sets.push({ type, ttl, line, rdatas: [rdata], size: rdata.length, seen: undefined });
      return;
    }
    if (record.ttl < set.ttl) set.ttl = record.ttl;
    if (has(set, record.rdata)) return;
    set.rdatas.push(record.rdata);
    set.size += record.rdata.length;
  }

  get(name: Name): Owner | undefined {
    return this.#byId.get(nameId(name));
  }

  [Symbol.iterator](): IterableIterator<Owner> {
    return this.#byId.values();
  }

  /** Records of one name mostly stand together. */
  #owner(name: Name): Owner {
    if (this.#last !== undefined && (this.#last.name === name || equalNames(this.#last.name, name))) return this.#last;
    const id = nameId(name);
    let owner = this.#byId.get(id);
    if (owner === undefined) {
      owner = { name, sets: [] };
      this.#byId.set(id, owner);
    }
    this.#last = owner;
    return owner;
  }
}

/** Whether the set holds the rdata; notes it when the set is large. */
function has(set: OwnedSet, rdata: Uint8Array): boolean {
  if (set.rdatas.length < COMPARED) return set.rdatas.some((other) => equalNames(other, rdata));
  set.seen ??= new Set(set.rdatas.map(nameId));
  const id = nameId(rdata);
  if (set.seen.has(id)) return true;
  set.seen.add(id);
  return false;
}

export function setOf(owner: Owner | undefined, type: number): OwnedSet | undefined {
  if (owner !== undefined) for (const set of owner.sets) if (set.type === type) return set;
  return undefined;
}
