/**
 * The NSEC3 entries of zones in the arena, written by DenialWriter and found by Denial, compared
 * with a sorted list: hashes with the same first 32 bits, many chunks, removal down to nothing, and
 * an arena without room for all.
 */
import { MessageChannel } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nsec3Rdata } from '../../../../core/dns/dnssec/nsec3.ts';
import { type Name, parseName, ROOT } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { encodeEntry, entryOf } from '../../../../core/store/nsec3-entries.ts';
import { CHANGED, Denial, NO_ROOM, PROOF } from '../../../../core/zone/answer/denial.ts';
import { IndexReader, type NodeStore } from '../../../../core/zone/answer/index-reader.ts';
import { base32 } from '../../../reference/denial.ts';
import { depth } from '../../../support/depth.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';

const STEPS = depth({ quick: 700, moderate: 2000, full: 100_000 });
const APEX = parseName('zone.test.');
/** Of the apex in the packet. */
const APEX_AT = 16;
const ROOM = 4096;

/** `version`: told apart in the TTL. */
function entryFor(hash: Buffer, version: number): Buffer {
  const set = { type: TYPE.NSEC3, ttl: version, rdatas: [nsec3Rdata(hash, [TYPE.A])] };
  const signatures = { type: TYPE.RRSIG, ttl: version, rdatas: [Buffer.alloc(200 + (version % 40), version)] };
  return entryOf(encodeEntry(hash, set, signatures, ROOT));
}

/** The entries of one zone as a sorted list. */
class Model {
  readonly #versions = new Map<string, number>();
  #sorted: readonly string[] | undefined;

  get hashes(): readonly string[] {
    this.#sorted ??= [...this.#versions.keys()].sort();
    return this.#sorted;
  }

  has(hash: string): boolean {
    return this.#versions.has(hash);
  }

  set(hash: string, version: number): void {
    if (!this.#versions.has(hash)) this.#sorted = undefined;
    this.#versions.set(hash, version);
  }

  delete(hash: string): boolean {
    this.#sorted = undefined;
    return this.#versions.delete(hash);
  }

  clear(): void {
    this.#sorted = undefined;
    this.#versions.clear();
  }

  /** The hash that matches or covers another; undefined: there is none. */
  at(hash: string): string | undefined {
    const all = this.hashes;
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle] <= hash) low = middle + 1;
      else high = middle;
    }
    return all[low - 1] ?? all.at(-1);
  }

  entry(hash: string): Buffer {
    return entryFor(Buffer.from(hash, 'hex'), this.#versions.get(hash)!);
  }
}

class Zone {
  readonly model = new Model();
  readonly index: IndexWriter;
  fetches = 0;
  readonly #denial: Denial;
  readonly #reader: IndexReader;
  readonly #id: number;
  readonly #apex: Name;
  readonly #packet = new Uint8Array(ROOM);

  constructor(index: IndexWriter, id = 1, apex = APEX) {
    this.index = index;
    this.#id = id;
    this.#apex = apex;
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    port2.unref();
    const store: NodeStore = {
      refresh: () => {},
      fetch: () => 0,
      fetchEntry: (_packet, _from, hash, out, at) => {
        this.fetches++;
        const found = this.model.at(Buffer.from(hash).toString('hex'));
        if (found === undefined) return 0;
        const entry = this.model.entry(found);
        out.set(entry, at);
        return entry.length;
      },
    };
    this.#reader = new IndexReader(index.share(port1), id, port2, store);
    this.#denial = new Denial(this.#reader);
    this.#packet.set(apex, APEX_AT);
  }

  put(hash: string, version: number): void {
    const wasStored = this.model.has(hash);
    this.model.set(hash, version);
    this.index.denial.put(this.#id, this.#apex, this.model.entry(hash), wasStored);
  }

  remove(hash: string): void {
    if (this.model.delete(hash)) this.index.denial.remove(this.#id, this.#apex, Buffer.from(hash, 'hex'));
  }

  replaceAll(hashes: readonly string[], version: number): void {
    this.model.clear();
    for (const hash of hashes) this.model.set(hash, version);
    const entries = this.model.hashes.map((hash) => this.model.entry(hash));
    this.index.denial.replaceAll(this.#id, this.#apex, entries);
  }

  /** The records for some hashes, as bytes; CHANGED. */
  write(hashes: readonly string[], kind: number, limit = ROOM): Buffer | number {
    const reader = this.#reader;
    const denial = this.#denial;
    reader.enter();
    denial.clear();
    for (const hash of hashes) {
      // No reader has the number 0, whose part of the arena this is.
      reader.bytes.set(Buffer.from(hash, 'hex'));
      denial.addHash(0, kind);
    }
    const view = new DataView(this.#packet.buffer);
    reader.starts[0] = APEX_AT;
    reader.starts[1] = APEX_AT + 5;
    reader.starts[2] = APEX_AT + this.#apex.length - 1;
    const end = APEX_AT + this.#apex.length;
    reader.hashSuffixes(this.#packet, end, 2);
    const directory = reader.findDirectory(this.#packet, APEX_AT, end, reader.sums[0]);
    const p = denial.write(this.#packet, view, 0, 100, limit, directory, APEX_AT);
    reader.leave();
    return p < 0 ? p : Buffer.from(this.#packet.subarray(100, p));
  }

  check(hash: string): void {
    const found = this.model.at(hash);
    const matches = found === hash;
    const expected = found === undefined ? CHANGED : expectedBytes(this.model.entry(found));
    const isEqual = (got: Buffer | number, want: Buffer | number): boolean =>
      typeof got === 'number' || typeof want === 'number' ? got === want : got.equals(want);
    const label = `seed ${SEED}: ${hash}, found ${found} of ${this.model.hashes.length}`;
    assert.ok(isEqual(this.write([hash], PROOF.ANY), expected), label);
    assert.ok(isEqual(this.write([hash], PROOF.MATCH), matches ? expected : CHANGED), `${label}, to match`);
    assert.ok(isEqual(this.write([hash], PROOF.COVER), matches ? CHANGED : expected), `${label}, to cover`);
  }
}

/** The NSEC3 record and its signature, whose owner is a pointer to that of the first. */
function expectedBytes(entry: Buffer): Buffer {
  const records = entry.subarray(26);
  const first = 10 + records.readUInt16BE(8);
  const label = base32(entry.subarray(4, 24));
  return Buffer.concat([
    Buffer.from([32]),
    Buffer.from(label),
    Buffer.from([0xc0, APEX_AT]),
    records.subarray(0, first),
    Buffer.from([0xc0, 100]),
    records.subarray(first),
  ]);
}

/** A hash: often one of few first 32 bits, or of few in all. */
function randomHash(random: Random): string {
  const bytes = Buffer.from(random.bytes(20));
  const choice = random.below(4);
  if (choice === 0) bytes.writeUInt32BE([0, 1, 0x7fffffff, 0x80000000, 0xffffffff][random.below(5)]);
  if (choice === 1) bytes.fill(random.below(3), 0, 19);
  return bytes.toString('hex');
}

function neighbors(hash: string): string[] {
  const value = BigInt(`0x${hash}`);
  const all = (1n << 160n) - 1n;
  return [value, value + 1n, value - 1n].map((next) => (next & all).toString(16).padStart(40, '0'));
}

function checkSome(zone: Zone, random: Random): void {
  const { hashes } = zone.model;
  const hashesToFind = [randomHash(random), '0'.repeat(40), 'f'.repeat(40), ...neighbors(randomHash(random))];
  if (hashes.length > 0)
    for (const hash of [hashes[0], hashes[hashes.length - 1], random.pick(hashes)])
      hashesToFind.push(...neighbors(hash));
  for (const hash of hashesToFind) zone.check(hash);
}

for (const [what, bytes, most] of [
  ['room for all', 8 << 20, 900],
  ['room for some', 32 << 10, 130],
  ['no room for chunks', 16 << 10, 900],
  ['no room', 256, 900],
] as const)
  test(`${STEPS} changes with ${what}, seed ${SEED}`, () => {
    const random = new Random(SEED);
    const zone = new Zone(new IndexWriter(bytes));
    // Grows to several chunks, shrinks to nothing, and grows again.
    let isGrowing = true;
    for (let step = 0; step < STEPS; step++) {
      const { hashes } = zone.model;
      if (hashes.length > most) isGrowing = false;
      if (hashes.length === 0) isGrowing = true;
      const choice = random.below(isGrowing ? 6 : 12);
      if (choice < 4) zone.put(randomHash(random), step);
      else if (choice === 4 && hashes.length > 0) zone.put(random.pick(hashes), step);
      else if (hashes.length > 0) zone.remove(random.pick(hashes));
      if (random.below(what === 'room for some' ? 60 : 1500) === 0)
        zone.replaceAll(
          Array.from({ length: random.below(most) }, () => randomHash(random)),
          step,
        );
      if (step % 5 === 0 || what === 'room for some') zone.index.publish();
      if (step % 10 === 0) checkSome(zone, random);
      if (step % (what === 'room for some' ? 20 : 250) === 0) for (const hash of zone.model.hashes) zone.check(hash);
    }
    zone.replaceAll([], 0);
    zone.check(randomHash(random));
    for (let i = 0; i < 3; i++) zone.index.publish();
    assert.is(zone.index.stats.arenaUsed, 0, 'all memory is free again');
    if (what === 'room for all') assert.ok(zone.fetches < STEPS, 'no entry is looked up in the store');
  });

test('hundreds of hashes with the same first 32 bits are in one chunk', () => {
  const zone = new Zone(new IndexWriter(8 << 20));
  const random = new Random(SEED);
  const same = Array.from({ length: 600 }, () => `80000000${Buffer.from(random.bytes(16)).toString('hex')}`);
  for (const hash of same) zone.put(hash, 1);
  for (const hash of ['7fffffff', '80000001', '00000000'].map((prefix) => prefix.padEnd(40, '5'))) zone.put(hash, 2);
  for (let i = 0; i < 100; i++) {
    checkSome(zone, random);
    for (const hash of neighbors(random.pick(same))) zone.check(hash);
  }
  for (const hash of same) {
    zone.remove(hash);
    zone.check(hash);
  }
});

test('zones do not see the entries of others', () => {
  const index = new IndexWriter(1 << 20);
  const zones = ['a.test.', 'b.test.', 'c.test.'].map((apex, i) => new Zone(index, i + 1, parseName(apex)));
  const random = new Random(SEED);
  for (let i = 0; i < 600; i++) {
    const zone = random.pick(zones.slice(0, 2));
    if (random.below(3) > 0) zone.put(randomHash(random), i);
    else if (zone.model.hashes.length > 0) zone.remove(random.pick(zone.model.hashes));
    if (i % 20 === 0) for (const each of zones) each.check(randomHash(random));
  }
});

test('a zone without room for its directory stays in the store when there is room again', () => {
  const index = new IndexWriter(4096);
  const random = new Random(SEED);
  const [full, other] = ['a.test.', 'b.test.'].map((apex, i) => new Zone(index, i + 1, parseName(apex)));
  // Fills the arena: chunks and directories are no leaves.
  const fillers = Array.from({ length: 100 }, (_, i) => new Zone(index, i + 3, parseName(`z${i}.test.`)));
  for (const filler of fillers) filler.put(randomHash(random), 1);
  const hashes = Array.from({ length: 20 }, () => randomHash(random));
  full.replaceAll(hashes, 1);
  for (const filler of fillers) filler.replaceAll([], 1);
  for (let i = 0; i < 3; i++) index.publish();
  for (let i = 0; i < 20; i++) {
    full.put(randomHash(random), 2);
    full.remove(random.pick(full.model.hashes));
    checkSome(full, random);
  }
  other.replaceAll(hashes, 3);
  full.replaceAll(hashes, 3);
  for (const zone of [full, other]) checkSome(zone, random);
});

test('a record is written once, and never in part', () => {
  const zone = new Zone(new IndexWriter(1 << 20));
  const [a, b] = ['1'.repeat(40), '8'.repeat(40)];
  zone.put(a, 1);
  zone.put(b, 2);
  const first = expectedBytes(zone.model.entry(a));
  assert.equal(zone.write([a, '2'.repeat(40), a], PROOF.ANY), first);
  const both = zone.write([a, b, '9'.repeat(40), '2'.repeat(40)], PROOF.ANY) as Buffer;
  assert.is(both.length, first.length + expectedBytes(zone.model.entry(b)).length);
  assert.is((zone.write([a], PROOF.ANY, 100 + first.length) as Buffer).length, first.length);
  assert.is(zone.write([a], PROOF.ANY, 100 + first.length - 1), NO_ROOM);
  assert.is(zone.write([a, b], PROOF.ANY, 100 + both.length - 1), NO_ROOM);
});

test.run();
