/**
 * Zones that their primary has signed: their nodes, and their NSEC or NSEC3 records as entries of
 * the nsec3 table (store/nsec3-entries.ts). Inside a write transaction.
 */
import { hashOfOwner } from '../../dns/dnssec/nsec3.ts';
import type { Steps } from '../../dns/dnssec/zone-signer.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { type Name, nameId, parentName } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import {
  afterPrefix,
  apexKey,
  type Id,
  idKey,
  nameKey,
  nameOfKey,
  nsec3Key,
  recordKeyParts,
} from '../../store/keys.ts';
import { type EntryOwner, encodeEntry, entryHash, entryKey } from '../../store/nsec3-entries.ts';
import { findOrdered, numberBetween, orderNumber } from '../../store/ordered-entries.ts';
import { type Domain, RECORD_RDATA } from '../../store/rows.ts';
import { compileNode } from '../../zone/compile/compile.ts';
import { MemoryZone } from '../../zone/compile/memory.ts';
import { isHidden, isOfChain, PresignedSigner, PresignedView, signaturesOver } from '../../zone/compile/presigned.ts';
import type { PresignedDenial, ZoneSigner } from '../../zone/compile/signer.ts';
import { addRdata } from '../../zone/compile/stored.ts';
import { NO_RRSETS } from '../../zone/compile/view.ts';
import type { Nsec3Change } from './nsec3-chain.ts';

/** A name and all its stored RRsets. */
interface StoredName {
  readonly name: Name;
  readonly sets: readonly RRset[];
}

/** Names examined and entries encoded per step. */
const STEP_NAMES = 2000;
const STEP_ENTRIES = 128;

export class PresignedChain {
  readonly #domainId: Id;
  readonly #zone: Buffer;
  readonly #apex: Name;
  readonly #apexKeyLength: number;

  constructor(
    private readonly environment: Environment,
    { id, apex }: { readonly id: Id; readonly apex: Name },
    private readonly denial: PresignedDenial,
  ) {
    this.#domainId = id;
    this.#zone = idKey(id);
    this.#apex = apex;
    this.#apexKeyLength = nameKey(apex).length;
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
      const change = this.denial.kind === 'nsec3' ? this.#updateHashed(stored) : this.#updateOrdered(stored);
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
    const before = this.environment.nsec3.get(nsec3Key(this.#domainId, hash));
    return this.#put(hash, set && this.#encode(stored, set, hash), before);
  }

  #updateOrdered(stored: StoredName): Nsec3Change | undefined | null {
    const { nsec3 } = this.environment;
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
    for (const key of this.environment.nsec3.getKeys(range)) return Buffer.from(key).subarray(this.#zone.length);
    return undefined;
  }

  #put(hash: Uint8Array, stored: Buffer | null, before: Buffer | undefined): Nsec3Change | undefined {
    const { nsec3 } = this.environment;
    const key = nsec3Key(this.#domainId, hash);
    if (stored === null ? before === undefined : before?.equals(stored) === true) return undefined;
    const copy = before === undefined ? null : Buffer.from(before);
    if (stored === null) nsec3.remove(key);
    else nsec3.put(key, stored);
    return { domainId: this.#domainId, apex: this.#apex, hash, stored, before: copy, isPresigned: true };
  }

  /** The NSEC or NSEC3 records of a name that belong to the zone's chain. */
  #denialAt({ name, sets }: StoredName): RRset | null {
    const denial = this.denial;
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
    if (this.denial.kind === 'nsec') return encodeEntry(number, set, signatures, name, this.#ownerOf(name));
    return encodeEntry(this.#hashOf(name)!, set, signatures, name);
  }

  #ownerOf(name: Name): EntryOwner {
    return {
      labels: name.subarray(0, name.length - this.#apex.length),
      key: nameKey(name).subarray(this.#apexKeyLength),
    };
  }
}

/** Rows read and names compiled per step. */
const STEP_ROWS = 1000;
const STEP_COMPILED = 64;

interface PresignedParts {
  readonly domain: Domain;
  readonly denial: PresignedDenial;
  /** The RRsets at the apex as they are served. */
  readonly apexSets: readonly RRset[];
  readonly nested: readonly Name[];
  readonly parentDs: RRset | null;
  readonly parentSigner: ZoneSigner | null;
}

interface CompiledPresigned {
  readonly nodes: readonly [key: Buffer, node: Buffer][];
  /** Entries of the nsec3 table, sorted. */
  readonly entries: readonly Buffer[];
}

/** Compiles the nodes and entries of the zone from its rows. */
export function* compilePresigned(environment: Environment, parts: PresignedParts): Steps<CompiledPresigned> {
  const { domain, denial, apexSets, nested, parentDs, parentSigner } = parts;
  const { apex } = domain;
  const names: StoredName[] = [{ name: apex, sets: apexSets }];
  for (const read of readNames(environment, domain)) {
    names.push(...read);
    yield;
  }
  const zone = new MemoryZone(apex, [], nested, parentDs);
  const signatures = new Map<string, readonly RRset[]>();
  for (const [i, { name, sets }] of names.entries()) {
    if (i % STEP_ROWS === STEP_ROWS - 1) yield;
    const hidden = sets.filter(({ type }) => type === TYPE.RRSIG);
    if (hidden.length > 0) signatures.set(nameId(name), hidden);
    for (const { type, ttl, rdatas } of sets)
      if (!isHidden(type)) zone.add(rdatas.map((rdata) => ({ name, type, ttl, rdata })));
  }
  zone.sort();
  yield;
  const signer = new PresignedSigner(denial, (owner) => signatures.get(nameId(owner)) ?? NO_RRSETS);
  const view = new PresignedView(zone);
  const nodes: [Buffer, Buffer][] = [];
  let count = 0;
  for (const name of zone.names()) {
    const node = compileNode(view, name, signer, parentSigner);
    if (node !== null) nodes.push([name.length === apex.length ? apexKey(name) : nameKey(name), node]);
    if (++count % STEP_COMPILED === 0) yield;
  }
  const entries = yield* new PresignedChain(environment, domain, denial).encodeAll(names);
  return { nodes, entries };
}

/** Reads all names of a zone below its apex, in canonical order, in pieces. */
function* readNames(environment: Environment, { id, apex }: Domain): Generator<StoredName[]> {
  const end = afterPrefix(idKey(id));
  let start: Buffer | null = idKey(id);
  let owner: { name: Name; sets: { type: number; ttl: number; rdatas: Uint8Array[] }[] } | null = null;
  let lastKey: Buffer = Buffer.alloc(0);
  let lastEnd = 0;
  while (start !== null) {
    const found: StoredName[] = [];
    let rows = 0;
    const from: Buffer = start;
    start = null;
    for (const { key, value } of environment.records.getRange({ start: from, end, limit: STEP_ROWS })) {
      const k = key as Buffer;
      const { nameEnd, type } = recordKeyParts(k);
      if (owner === null || nameEnd !== lastEnd || k.compare(lastKey, 0, lastEnd, 0, nameEnd) !== 0) {
        owner = { name: nameOfKey(k, 8, nameEnd), sets: [] };
        lastEnd = nameEnd;
        if (owner.name.length !== apex.length) found.push(owner);
      }
      lastKey = k;
      addRdata(owner.sets, type, value.readUInt32BE(0), value.subarray(RECORD_RDATA));
      if (++rows === STEP_ROWS) start = Buffer.concat([k, Uint8Array.of(0)]);
    }
    yield found;
  }
}
