/**
 * Maintains the NSEC3 records of a signed zone: one record for each name that exists, linked in
 * hash order (RFC 5155 section 7.1). An added or deleted name also changes the record of the
 * preceding hash.
 */
import { nsec3Owner, nsec3Rdata } from '../../dns/dnssec/nsec3.ts';
import type { Signer, SigningBatch, Steps } from '../../dns/dnssec/zone-signer.ts';
import type { Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { HASH_LENGTH } from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, nsec3Key } from '../../store/keys.ts';
import {
  encodeEntry,
  encodeListed,
  entryHash,
  entryName,
  entryRecords,
  isListedOnly,
} from '../../store/nsec3-entries.ts';

/** A change of the nsec3 table, for the index. */
export interface Nsec3Change {
  readonly domainId: Id;
  readonly apex: Name;
  /** Null: the entries of `all` replace all entries of the zone. */
  readonly hash: Uint8Array | null;
  /** The new entry, as in the table. Null: the entry was deleted. */
  readonly stored: Buffer | null;
  /** Sorted by hash. */
  readonly all?: readonly Buffer[];
  /** The previous entry in the table; null: none. */
  readonly before: Buffer | null;
  /** The records are also rows of the zone. */
  readonly isPresigned?: boolean;
}

interface ChainZone {
  readonly domainId: Id;
  readonly apex: Name;
  readonly signer: Signer;
  /** TTL of the records in seconds (RFC 9077 section 3). */
  readonly ttl: number;
}

interface Link {
  readonly hash: Buffer;
  readonly name: Name;
  readonly types: readonly number[];
}

const NEXT_HASH_AT = 6;
const NO_ENTRY = Buffer.alloc(0);
const NO_HASH = Buffer.alloc(0);
const LAST_HASH = Buffer.alloc(HASH_LENGTH, 0xff);
/** Links encoded per step. */
const STEP_LINKS = 64;

/** Inside a write transaction. */
export class Nsec3Chain {
  /** By hash in latin1. Null: the name was deleted. */
  readonly #changes = new Map<string, Link | null>();

  /** By hash in latin1: the next hash, if known. It may have been deleted. */
  readonly #next = new Map<string, Buffer>();

  readonly #removed: { readonly hash: Buffer; readonly before: Buffer }[] = [];
  readonly #linked: { readonly hash: Buffer; readonly entry: Buffer }[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly zone: ChainZone,
  ) {}

  /**
   * Notes that the records of a name may have changed. `types`: as NSEC3 lists them; null: the name
   * does not exist.
   */
  note(name: Name, types: readonly number[] | null): void {
    const hash = Buffer.from(this.zone.signer.hash(name));
    this.#changes.set(hash.toString('latin1'), types === null ? null : { hash, name, types });
  }

  /** Notes a name of a zone that will be signed, unless it was noted already. */
  list(name: Name): void {
    const hash = Buffer.from(this.zone.signer.hash(name));
    const id = hash.toString('latin1');
    if (!this.#changes.has(id)) this.#changes.set(id, { hash, name, types: [] });
  }

  /** Links the records and adds their signatures to the batch of the signer. */
  link(): void {
    const { nsec3 } = this.environment;
    const { domainId, signer } = this.zone;
    const links = new Map<string, Link>();
    const addedOrRemoved: Buffer[] = [];
    for (const [id, link] of this.#changes) {
      const hash = Buffer.from(id, 'latin1');
      const key = nsec3Key(domainId, hash);
      const before = nsec3.get(key) ?? null;
      const isStored = before !== null;
      const isKept = link !== null && (signer.signsHash(hash) || signer.willSign(hash));
      if (isKept) {
        links.set(id, link);
        if (isStored) this.#noteNext(id, before);
        // An empty entry as a placeholder, so that other records can link to it.
        else nsec3.put(key, NO_ENTRY);
      } else if (isStored) {
        nsec3.remove(key);
        this.#removed.push({ hash, before: Buffer.from(before) });
      }
      if (isStored !== isKept) addedOrRemoved.push(hash);
    }
    if (signer.signsSome) this.#linkBefore(addedOrRemoved, links);
    const removed = new Set(this.#removed.map(({ hash }) => hash.toString('latin1')));
    const hashes = new NextHashes(this.environment, domainId);
    for (const link of [...links.values()].sort((a, b) => Buffer.compare(a.hash, b.hash))) {
      const { hash, name } = link;
      if (signer.signsHash(hash)) {
        const noted = this.#next.get(hash.toString('latin1'));
        const next = noted === undefined || removed.has(noted.toString('latin1')) ? hashes.after(hash) : noted;
        this.#linked.push({ hash, entry: this.#encode(link, next) });
      } else this.#linked.push({ hash, entry: encodeListed(hash, name) });
    }
    hashes.close();
  }

  /** Notes the next hash of a stored record. */
  #noteNext(id: string, stored: Buffer): void {
    if (stored.length > 0 && !isListedOnly(stored)) this.#next.set(id, nextOf(stored));
  }

  /** Adds the names whose next hash was added or deleted. */
  #linkBefore(addedOrRemoved: readonly Buffer[], links: Map<string, Link>): void {
    const { nsec3 } = this.environment;
    const { domainId, signer } = this.zone;
    const sorted = [...addedOrRemoved].sort(Buffer.compare);
    /**
     * The hash before the previous hash of the loop. Deleted hashes in between are not searched
     * again.
     */
    let before: Buffer | undefined;
    for (const [i, hash] of sorted.entries()) {
      const last = sorted[i - 1];
      if (last === undefined) before = this.#before(hash);
      else before = this.#lastBetween(last, hash) ?? (nsec3.doesExist(nsec3Key(domainId, last)) ? last : before);
      if (before === undefined || before.equals(hash)) continue;
      const id = before.toString('latin1');
      if (!links.has(id) && signer.signsHash(before)) {
        const stored = nsec3.get(nsec3Key(domainId, before))!;
        // A listed-only entry is linked later in the same group.
        if (!isListedOnly(stored)) {
          links.set(id, { hash: before, name: Uint8Array.from(entryName(stored)), types: typesOf(stored) });
          this.#noteNext(id, stored);
        }
      }
      const own = hash.toString('latin1');
      if (!links.has(own)) continue;
      // A new hash takes over the next hash of its predecessor, which now points to the new hash.
      // The last hash of the circle may have a next hash already.
      const next = this.#next.get(id);
      if (next !== undefined && !this.#next.has(own)) this.#next.set(own, next);
      this.#next.set(id, hash);
    }
  }

  /** Writes the linked records after the batch is signed. Returns the changes for the index. */
  write(batch: SigningBatch): Nsec3Change[] {
    const { nsec3 } = this.environment;
    const { domainId, apex } = this.zone;
    const changes: Nsec3Change[] = this.#removed.map((removed) => ({ domainId, apex, stored: null, ...removed }));
    for (const { hash, entry } of this.#linked) {
      batch.fill(entry);
      const key = nsec3Key(domainId, hash);
      const before = nsec3.get(key);
      if (before?.equals(entry) === true) continue;
      // An empty entry is the placeholder of a new record.
      const isNew = before === undefined || before.length === 0;
      changes.push({ domainId, apex, hash, stored: entry, before: isNew ? null : Buffer.from(before) });
      nsec3.put(key, entry);
    }
    return changes;
  }

  /**
   * Encodes the records of these names, which replace all others of the zone. Their signatures are
   * added to the batch of the signer. Returns them sorted by hash. Runs in steps.
   */
  *encodeAll(names: Iterable<readonly [name: Name, types: readonly number[]]>): Steps<Buffer[]> {
    const { signer } = this.zone;
    const links: Link[] = [];
    for (const [name, types] of names) {
      const hash = Buffer.from(signer.hash(name));
      if (signer.signsHash(hash) || signer.willSign(hash)) links.push({ hash, name, types });
    }
    links.sort((a, b) => Buffer.compare(a.hash, b.hash));
    const entries: Buffer[] = [];
    for (const [i, link] of links.entries()) {
      const next = links[(i + 1) % links.length].hash;
      entries.push(signer.signsHash(link.hash) ? this.#encode(link, next) : encodeListed(link.hash, link.name));
      if (i % STEP_LINKS === 0) yield;
    }
    return entries;
  }

  /** Replaces all records of the zone with these. */
  replaceAll(all: readonly Buffer[]): Nsec3Change {
    const { domainId, apex } = this.zone;
    const change = { domainId, apex, hash: null, stored: null, all, before: null };
    repeat(this.environment, [change]);
    return change;
  }

  #encode({ hash, name, types }: Link, next: Uint8Array): Buffer {
    const { apex, signer, ttl } = this.zone;
    const set = { type: TYPE.NSEC3, ttl, rdatas: [nsec3Rdata(next, types)] };
    return encodeEntry(hash, set, signer.sign(nsec3Owner(hash, apex), set, hash), name);
  }

  /** The preceding hash in the circle, which may be the hash itself; undefined: there are none. */
  #before(hash: Buffer): Buffer | undefined {
    // No key has an empty hash.
    return this.#lastBetween(NO_HASH, hash) ?? this.#last(NO_HASH, LAST_HASH);
  }

  /** The last hash strictly between `low` and `high`. */
  #lastBetween(low: Buffer, high: Buffer): Buffer | undefined {
    return this.#last(low, decremented(high));
  }

  /** The last hash above `low` and not above `high`. */
  #last(low: Buffer, high: Buffer): Buffer | undefined {
    const { nsec3 } = this.environment;
    const zone = idKey(this.zone.domainId);
    const [start, end] = [high, low].map((hash) => Buffer.concat([zone, hash]));
    // A reverse range includes its start.
    for (const found of nsec3.getKeys({ start, end, reverse: true, limit: 1 })) return Buffer.from(found).subarray(8);
    return undefined;
  }
}

/** The hash minus one, modulo 2^160. It need not exist. */
function decremented(hash: Buffer): Buffer {
  const before = Buffer.from(hash);
  for (let i = HASH_LENGTH - 1; i >= 0; i--) if (before[i]-- !== 0) break;
  return before;
}

/** Maximum number of skipped hashes. Above it, a new search is cheaper. */
const MAX_SKIPPED = 8;

/** Finds the next hashes in a zone. Hashes must be given in ascending order. */
class NextHashes {
  readonly #nsec3: Environment['nsec3'];
  readonly #first: Buffer;
  #keys: Iterator<unknown> | null = null;
  #current: Buffer | undefined;

  constructor({ nsec3 }: Environment, domainId: Id) {
    this.#nsec3 = nsec3;
    this.#first = idKey(domainId);
  }

  /** The next hash in the circle, which may be `hash` itself. */
  after(hash: Buffer): Buffer {
    const own = Buffer.concat([this.#first, hash]);
    let skipped = 0;
    while (this.#current !== undefined && skipped < MAX_SKIPPED && Buffer.compare(this.#current, own) <= 0) {
      this.#advance();
      skipped++;
    }
    if (this.#current === undefined || Buffer.compare(this.#current, own) <= 0) {
      this.#open(Buffer.concat([own, Uint8Array.of(0)]));
      if (this.#current === undefined) this.#open(this.#first);
      const found = this.#current;
      // The hash wraps around, so the next call must search again.
      if (found !== undefined && Buffer.compare(found, own) <= 0) this.close();
      return (found ?? own).subarray(8, 8 + HASH_LENGTH);
    }
    return this.#current.subarray(8, 8 + HASH_LENGTH);
  }

  close(): void {
    this.#keys?.return?.();
    this.#keys = null;
    this.#current = undefined;
  }

  #open(start: Buffer): void {
    this.close();
    this.#keys = this.#nsec3.getKeys({ start, end: afterPrefix(this.#first) })[Symbol.iterator]();
    this.#advance();
  }

  #advance(): void {
    const next = this.#keys?.next();
    this.#current = next === undefined || next.done === true ? undefined : Buffer.from(next.value as Uint8Array);
  }
}

/** The names whose hashes start with 32 bits from `first` to `last`, both included. */
export function* namesBetween({ nsec3 }: Environment, domainId: Id, first: number, last: number): Generator<Name> {
  const start = nsec3Key(domainId, prefixBytes(first));
  const end = afterPrefix(nsec3Key(domainId, prefixBytes(last)));
  for (const { value } of nsec3.getRange({ start, end })) yield Uint8Array.from(entryName(value));
}

function prefixBytes(prefix: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(prefix);
  return bytes;
}

/** Removes the NSEC3 records of a zone from the table. Returns their number. */
export function removeAll({ nsec3 }: Environment, domainId: Id): number {
  const start = idKey(domainId);
  const keys = [...nsec3.getKeys({ start, end: afterPrefix(start) })].map((found) => Buffer.from(found));
  for (const key of keys) nsec3.remove(key);
  return keys.length;
}

/** Repeats the writes of another chain whose transaction was rolled back. */
export function repeat(environment: Environment, changes: readonly Nsec3Change[]): void {
  for (const { domainId, hash, stored, all = [] } of changes) {
    if (hash === null) {
      removeAll(environment, domainId);
      for (const entry of all) environment.nsec3.put(nsec3Key(domainId, entryHash(entry)), entry);
    } else if (stored === null) environment.nsec3.remove(nsec3Key(domainId, hash));
    else environment.nsec3.put(nsec3Key(domainId, hash), stored);
  }
}

function nextOf(stored: Buffer): Buffer {
  const [{ rdata }] = entryRecords(stored);
  return Buffer.from(rdata.subarray(NEXT_HASH_AT, NEXT_HASH_AT + HASH_LENGTH));
}

/** The types in the bitmap of a stored entry (RFC 4034 section 4.1.2). */
function typesOf(stored: Buffer): number[] {
  const [{ rdata }] = entryRecords(stored);
  const types: number[] = [];
  for (let p = NEXT_HASH_AT + HASH_LENGTH; p < rdata.length; p += 2 + rdata[p + 1])
    for (let i = 0; i < rdata[p + 1] * 8; i++)
      if ((rdata[p + 2 + (i >> 3)] & (0x80 >> (i & 7))) !== 0) types.push((rdata[p] << 8) | i);
  return types;
}
