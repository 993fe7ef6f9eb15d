/**
 * Keeps the NSEC3 records of a signed zone: one for each name that exists, linked in the order of
 * the hashes (RFC 5155 section 7.1). A name that comes or goes changes one other record, that of
 * the hash before it.
 */
import { nsec3Owner, nsec3Rdata } from '../../dnssec/nsec3.ts';
import type { Signer } from '../../dnssec/zone-signer.ts';
import { HASH_LENGTH } from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, nsec3Key } from '../../store/keys.ts';
import { encodeEntry, entryHash, entryName, entryRecords } from '../../store/nsec3-entries.ts';
import type { Name } from '../../wire/name.ts';
import { TYPE } from '../../wire/types.ts';

/** A change of the table, for the index. */
export interface Nsec3Change {
  readonly domainId: Id;
  readonly apex: Name;
  /** Null: all entries of the zone are replaced by those of `all`. */
  readonly hash: Uint8Array | null;
  /** As in the table. Null: the entry of the hash has gone. */
  readonly stored: Buffer | null;
  /** Sorted by hash. */
  readonly all?: readonly Buffer[];
  /** What was in the table before; null: nothing. */
  readonly before: Buffer | null;
}

export interface ChainZone {
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

/** Inside a write transaction. */
export class Nsec3Chain {
  readonly #environment: Environment;
  readonly #zone: ChainZone;
  /** By hash in latin1. Null: the name has gone. */
  readonly #changes = new Map<string, Link | null>();

  constructor(environment: Environment, zone: ChainZone) {
    this.#environment = environment;
    this.#zone = zone;
  }

  /**
   * What a name has may have changed. `types`: as NSEC3 lists them; null: the name does not exist.
   */
  note(name: Name, types: readonly number[] | null): void {
    const hash = Buffer.from(this.#zone.signer.hash(name));
    this.#changes.set(hash.toString('latin1'), types === null ? null : { hash, name, types });
  }

  /** Writes the records; returns the changes for the index. */
  write(): Nsec3Change[] {
    const { nsec3 } = this.#environment;
    const { domainId, apex } = this.#zone;
    const changes: Nsec3Change[] = [];
    const links = new Map<string, Link>();
    const moved: Buffer[] = [];
    for (const [id, link] of this.#changes) {
      const hash = Buffer.from(id, 'latin1');
      const key = nsec3Key(domainId, hash);
      const before = nsec3.get(key) ?? null;
      const isThere = before !== null;
      if (link !== null) {
        links.set(id, link);
        // Holds the place, so that others are linked to it.
        if (!isThere) nsec3.put(key, Buffer.alloc(0));
      } else if (isThere) {
        nsec3.remove(key);
        changes.push({ domainId, apex, hash, stored: null, before });
      }
      if (isThere !== (link !== null)) moved.push(hash);
    }
    for (const hash of moved) {
      const before = this.#neighbor(hash, true);
      const id = before?.toString('latin1');
      if (before === undefined || id === undefined || links.has(id)) continue;
      const stored = nsec3.get(nsec3Key(domainId, before))!;
      links.set(id, { hash: before, name: Uint8Array.from(entryName(stored)), types: typesOf(stored) });
    }
    for (const link of links.values()) {
      const stored = this.#encode(link, this.#neighbor(link.hash, false) ?? link.hash);
      const key = nsec3Key(domainId, link.hash);
      const before = nsec3.get(key);
      if (before?.equals(stored) === true) continue;
      nsec3.put(key, stored);
      // An empty one holds the place of a new one.
      changes.push({
        domainId,
        apex,
        hash: link.hash,
        stored,
        before: before === undefined || before.length === 0 ? null : before,
      });
    }
    return changes;
  }

  /** Replaces all records of the zone by those of these names. */
  replaceAll(names: Iterable<readonly [name: Name, types: readonly number[]]>): Nsec3Change {
    const { nsec3 } = this.#environment;
    const { domainId, apex, signer } = this.#zone;
    const links: Link[] = [];
    for (const [name, types] of names) links.push({ hash: Buffer.from(signer.hash(name)), name, types });
    links.sort((a, b) => Buffer.compare(a.hash, b.hash));
    removeAll(this.#environment, domainId);
    const all = links.map((link, i) => this.#encode(link, links[(i + 1) % links.length].hash));
    links.forEach(({ hash }, i) => {
      nsec3.put(nsec3Key(domainId, hash), all[i]);
    });
    return { domainId, apex, hash: null, stored: null, all, before: null };
  }

  #encode({ hash, name, types }: Link, next: Uint8Array): Buffer {
    const { apex, signer, ttl } = this.#zone;
    const set = { type: TYPE.NSEC3, ttl, rdatas: [nsec3Rdata(next, types)] };
    return encodeEntry(hash, set, signer.sign(nsec3Owner(hash, apex), set, hash), name);
  }

  /** The hash before or after one, in a circle; undefined: it is the only one. */
  #neighbor(hash: Buffer, isBefore: boolean): Buffer | undefined {
    const { nsec3 } = this.#environment;
    const { domainId } = this.#zone;
    const first = idKey(domainId);
    const end = afterPrefix(first)!;
    const own = nsec3Key(domainId, hash);
    const after = Buffer.concat([own, Uint8Array.of(0)]);
    const ranges = isBefore
      ? [
          { start: own, end: first, reverse: true },
          { start: end, end: own, reverse: true },
        ]
      : [
          { start: after, end },
          { start: first, end: own },
        ];
    for (const range of ranges)
      for (const found of nsec3.getKeys({ ...range, limit: 2 })) {
        const key = Buffer.from(found);
        // A range in reverse includes its start.
        if (key.equals(own) || key.length !== own.length || !key.subarray(0, 8).equals(first)) continue;
        return key.subarray(8, 8 + HASH_LENGTH);
      }
    return undefined;
  }
}

/** The names whose hashes begin with 32 bits from `first` to `last`, both included. */
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

/** Removes the NSEC3 records of a zone from the table. Returns how many. */
export function removeAll({ nsec3 }: Environment, domainId: Id): number {
  const start = idKey(domainId);
  const keys = [...nsec3.getKeys({ start, end: afterPrefix(start) })].map((found) => Buffer.from(found));
  for (const key of keys) nsec3.remove(key);
  return keys.length;
}

/** Writes what another chain has written before its transaction was rolled back. */
export function repeat(environment: Environment, changes: readonly Nsec3Change[]): void {
  for (const { domainId, hash, stored, all = [] } of changes) {
    if (hash === null) {
      removeAll(environment, domainId);
      for (const entry of all) environment.nsec3.put(nsec3Key(domainId, entryHash(entry)), entry);
    } else if (stored === null) environment.nsec3.remove(nsec3Key(domainId, hash));
    else environment.nsec3.put(nsec3Key(domainId, hash), stored);
  }
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
