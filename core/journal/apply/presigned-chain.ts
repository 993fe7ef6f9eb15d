/**
 * The NSEC or NSEC3 records of a zone that its primary has signed, as entries of the nsec3 table
 * (store/nsec3-entries.ts). Inside a write transaction.
 */
import { hashOfOwner } from '../../dns/dnssec/nsec3.ts';
import type { Steps } from '../../dns/dnssec/zone-signer.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { type Name, parentName } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, nameKey, nsec3Key } from '../../store/keys.ts';
import { type EntryOwner, encodeEntry, entryHash, entryKey } from '../../store/nsec3-entries.ts';
import { findOrdered, numberBetween, orderNumber } from '../../store/ordered-entries.ts';
import { isOfChain, signaturesOver } from '../../zone/compile/presigned.ts';
import type { PresignedDenial } from '../../zone/compile/signer.ts';
import type { Nsec3Change } from './nsec3-chain.ts';

/** A name and all its stored RRsets. */
export interface StoredName {
  readonly name: Name;
  readonly sets: readonly RRset[];
}

/** Names examined and entries encoded per step. */
const STEP_NAMES = 2000;
const STEP_ENTRIES = 128;

export class PresignedChain {
  readonly #environment: Environment;
  readonly #domainId: Id;
  readonly #zone: Buffer;
  readonly #apex: Name;
  readonly #apexKeyLength: number;
  readonly #denial: PresignedDenial;

  constructor(
    environment: Environment,
    { id, apex }: { readonly id: Id; readonly apex: Name },
    denial: PresignedDenial,
  ) {
    this.#environment = environment;
    this.#domainId = id;
    this.#zone = idKey(id);
    this.#apex = apex;
    this.#apexKeyLength = nameKey(apex).length;
    this.#denial = denial;
  }

  /** Encodes the entries of a whole zone, sorted. `names`: in canonical order. */
  *encodeAll(names: readonly StoredName[]): Steps<Buffer[]> {
    const found: { readonly stored: StoredName; readonly set: RRset }[] = [];
    for (const [i, stored] of names.entries()) {
      if (i % STEP_NAMES === STEP_NAMES - 1) yield;
      const set = this.#denialAt(stored);
      if (set !== null) found.push({ stored, set });
    }
    const entries: Buffer[] = [];
    let isSorted = true;
    for (const [i, { stored, set }] of found.entries()) {
      if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
      const entry = this.#encode(stored, set, orderNumber(i, found.length));
      isSorted &&= i === 0 || Buffer.compare(entryHash(entries[i - 1]), entryHash(entry)) < 0;
      entries.push(entry);
    }
    // Base32hex keeps the order of hashes, so NSEC3 owner names in canonical order are usually
    // sorted by hash.
    if (!isSorted) entries.sort((a, b) => Buffer.compare(entryHash(a), entryHash(b)));
    return entries;
  }

  /**
   * Writes the entries of names that may have changed. Null: an entry has no free order number, so
   * all entries of the zone must be encoded again.
   */
  update(names: Iterable<StoredName>): Nsec3Change[] | null {
    // One change per order number: another name may take the number of a removed name.
    const changes = new Map<string, Nsec3Change>();
    for (const stored of names) {
      const change = this.#denial.kind === 'nsec3' ? this.#updateHashed(stored) : this.#updateOrdered(stored);
      if (change === null) return null;
      if (change === undefined) continue;
      const id = latin1(change.hash!);
      const earlier = changes.get(id);
      changes.set(id, earlier === undefined ? change : { ...change, before: earlier.before });
    }
    return [...changes.values()];
  }

  #updateHashed(stored: StoredName): Nsec3Change | undefined {
    const hash = this.#hashOf(stored.name);
    if (hash === null) return undefined;
    const set = this.#denialAt(stored);
    const before = this.#environment.nsec3.get(nsec3Key(this.#domainId, hash));
    return this.#put(hash, set && this.#encode(stored, set, hash), before);
  }

  #updateOrdered(stored: StoredName): Nsec3Change | undefined | null {
    const { nsec3 } = this.#environment;
    const { key } = this.#ownerOf(stored.name);
    const set = this.#denialAt(stored);
    const previous = findOrdered(nsec3, this.#zone, key);
    const isStored = previous !== undefined && Buffer.compare(entryKey(previous), key) === 0;
    if (isStored) {
      const number = Buffer.from(entryHash(previous));
      return this.#put(number, set && this.#encode(stored, set, number), previous);
    }
    if (set === null) return undefined;
    const number = numberBetween(previous && entryHash(previous), this.#numberAfter(previous));
    return number && this.#put(number, this.#encode(stored, set, number), undefined);
  }

  /** The order number after that of an entry; undefined: there is none. */
  #numberAfter(entry: Buffer | undefined): Buffer | undefined {
    const start = entry === undefined ? this.#zone : Buffer.concat([this.#zone, entryHash(entry), Uint8Array.of(0)]);
    const range = { start, end: afterPrefix(this.#zone), limit: 1 };
    for (const key of this.#environment.nsec3.getKeys(range)) return Buffer.from(key).subarray(this.#zone.length);
    return undefined;
  }

  #put(hash: Uint8Array, stored: Buffer | null, before: Buffer | undefined): Nsec3Change | undefined {
    const { nsec3 } = this.#environment;
    const key = nsec3Key(this.#domainId, hash);
    if (stored === null ? before === undefined : before?.equals(stored) === true) return undefined;
    const copy = before === undefined ? null : Buffer.from(before);
    if (stored === null) nsec3.remove(key);
    else nsec3.put(key, stored);
    return { domainId: this.#domainId, apex: this.#apex, hash, stored, before: copy, isPresigned: true };
  }

  /** The NSEC or NSEC3 records of a name that belong to the zone's chain. */
  #denialAt({ name, sets }: StoredName): RRset | null {
    const denial = this.#denial;
    if (denial.kind === 'nsec') return sets.find(({ type }) => type === TYPE.NSEC) ?? null;
    if (denial.kind !== 'nsec3') return null;
    const set = sets.find(({ type }) => type === TYPE.NSEC3);
    if (set === undefined || this.#hashOf(name) === null) return null;
    return set.rdatas.some((rdata) => isOfChain(rdata, denial.hashing)) ? set : null;
  }

  #hashOf(name: Name): Uint8Array | null {
    return parentName(name).length === this.#apex.length ? hashOfOwner(name) : null;
  }

  #encode({ name, sets }: StoredName, set: RRset, number: Uint8Array): Buffer {
    const signatures = signaturesOver(sets, set.type, set.ttl);
    if (this.#denial.kind === 'nsec') return encodeEntry(number, set, signatures, name, this.#ownerOf(name));
    return encodeEntry(this.#hashOf(name)!, set, signatures, name);
  }

  #ownerOf(name: Name): EntryOwner {
    return {
      labels: name.subarray(0, name.length - this.#apex.length),
      key: nameKey(name).subarray(this.#apexKeyLength),
    };
  }
}
