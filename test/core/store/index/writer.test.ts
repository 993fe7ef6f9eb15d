/**
 * The index against a map of what was put into it: every name is found with its bytes, whether it
 * is in the arena or in the store.
 */
import { MessageChannel } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Name, nameId, parseName } from '../../../../core/dns/wire/name.ts';
import { encodeNode, NODE_APEX, NODE_HAS_BELOW } from '../../../../core/store/answers.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { IndexReader, type NodeStore } from '../../../../core/zone/answer/index-reader.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';

/**
 * The names of a world, the nodes that they have, and the index over them; the map stands for the
 * answers table.
 */
class World implements NodeStore {
  readonly nodes = new Map<string, Buffer>();
  readonly index: IndexWriter;
  readonly reader: IndexReader;
  fetched = 0;

  constructor(arenaBytes: number) {
    this.index = new IndexWriter(arenaBytes);
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    port2.unref();
    this.reader = new IndexReader(this.index.share(port1), 1, port2, this);
  }

  /** All names have one hash: only comparing them tells them apart. */
  collide(): void {
    const { port1 } = new MessageChannel();
    new Int32Array(this.index.share(port1).multipliers).fill(0);
    this.index.unshare(port1, 2);
    port1.close();
  }

  fetchEntry(): number {
    return 0;
  }

  put(name: Name, node: Buffer): void {
    this.index.put(node, !this.index.isAmbiguous(name) || this.nodes.has(nameId(name)));
    this.nodes.set(nameId(name), node);
  }

  remove(name: Name): void {
    if (this.nodes.delete(nameId(name))) this.index.remove(name);
  }

  refresh(): void {}

  fetch(bytes: Uint8Array, from: number, wildcard: boolean, out: Uint8Array, at: number, room: number): number {
    let end = from;
    while (bytes[end] !== 0) end += bytes[end] + 1;
    const request = Buffer.from(bytes.subarray(from, end + 1));
    const node = this.nodes.get(nameId(wildcard ? Buffer.concat([Buffer.from('\x01*'), request]) : request));
    if (node === undefined || node.length > room) return 0;
    out.set(node, at);
    this.fetched++;
    return node.length;
  }

  /** The node that a reader finds, by the name itself or as the wildcard below its parent. */
  find(name: Name, asWildcard = false): Buffer | null {
    const { reader } = this;
    const request = asWildcard ? name.subarray(2) : name;
    let labels = 0;
    for (let p = 0; request[p] !== 0; p += request[p] + 1) reader.starts[labels++] = p;
    reader.enter();
    reader.hashSuffixes(request, request.length, labels);
    const sum = reader.sums[0];
    const at = asWildcard
      ? reader.findWildcard(request, 0, request.length, sum)
      : reader.find(request, 0, request.length, sum);
    const size = at === 0 ? 0 : Buffer.from(reader.bytes.buffer, at, 4).readUInt32BE(0);
    const node = at === 0 ? null : Buffer.from(reader.bytes.subarray(at, at + size));
    reader.leave();
    return node;
  }

  check(names: readonly Name[]): void {
    for (const name of names) {
      const expected = this.nodes.get(nameId(name)) ?? null;
      const found = this.find(name);
      assert.ok(
        expected === null ? found === null : found?.equals(expected),
        `seed ${SEED}: ${Buffer.from(name).toString('latin1')}`,
      );
    }
    const { index } = this;
    assert.is(index.stats.names, this.nodes.size);
    assert.ok(index.stats.arenaUsed >= 0 && index.stats.inStore >= 0 && index.stats.inStore <= index.stats.names);
  }
}

/** A node of about `size` bytes whose content says which one it is. */
function nodeOf(name: Name, size: number, mark: number, flags = 0): Buffer {
  const body = new Uint8Array(Math.max(4, Math.min(size, 60_000)));
  new DataView(body.buffer).setUint32(0, mark);
  const item = { rcode: 0, flags: 0, ancount: 1, nscount: 0, arcount: 0, moves: [], drops: [], body };
  const count = Math.max(1, Math.ceil(size / 60_000));
  return encodeNode(
    flags,
    name,
    name.length,
    Array.from({ length: count }, (_, i) => [i, item]),
  );
}

/** Sizes from 20 bytes to 100,000, most of them small. */
function someSize(random: Random): number {
  switch (random.below(20)) {
    case 0:
      return 30_000 + random.below(70_000);
    case 1:
    case 2:
      return 1000 + random.below(30_000);
    default:
      return 4 + random.below(200);
  }
}

const nameOf = (n: number): Name => parseName(`${n % 7 === 0 ? '*.' : ''}${'x'.repeat(n % 40)}${n}.z${n % 5}.test.`);

function churn(world: World, names: readonly Name[], steps: number, random: Random): void {
  for (let step = 0; step < steps; step++) {
    const name = random.pick(names);
    if (random.below(3) === 0) world.remove(name);
    else world.put(name, nodeOf(name, someSize(random), step, random.below(4) === 0 ? NODE_HAS_BELOW : 0));
    if (random.below(8) === 0) world.index.publish();
    if (step % 250 === 0) world.check(names);
  }
  world.check(names);
}

test(`random puts and removals in an arena that overflows, seed ${SEED}`, () => {
  const random = new Random(SEED);
  const names = Array.from({ length: 400 }, (_, i) => nameOf(i));
  const world = new World(256 * 1024);
  churn(world, names, 6000, random);
  assert.ok(world.fetched > 0, 'nothing overflowed');
  for (const name of names) world.remove(name);
  world.index.publish();
  world.index.publish();
  world.check(names);
  assert.is(world.index.stats.arenaUsed, 0, 'what is removed comes back');
  assert.is(world.index.stats.inStore, 0);
});

test(`the same with names whose hashes are all alike, seed ${SEED}`, () => {
  const names = Array.from({ length: 30 }, (_, i) => nameOf(i));
  const world = new World(64 * 1024);
  world.collide();
  churn(world, names, 3000, new Random(SEED));
});

test('nodes return to the arena when there is room again', () => {
  const names = Array.from({ length: 40 }, (_, i) => nameOf(i));
  const world = new World(16 * 1024);
  for (const name of names) world.put(name, nodeOf(name, 1000, 1));
  world.check(names);
  assert.ok(world.index.stats.inStore > 0);
  for (const name of names) world.put(name, nodeOf(name, 4, 2));
  world.index.publish();
  world.index.publish();
  for (const name of names) world.put(name, nodeOf(name, 5, 3));
  world.check(names);
  assert.is(world.index.stats.inStore, 0);
});

test('the largest nodes are found in the store when the arena is full', () => {
  const world = new World(16 * 1024);
  const names = Array.from({ length: 60 }, (_, i) => nameOf(i));
  for (const name of names) world.put(name, nodeOf(name, 500, 1, NODE_APEX));
  const large = parseName('large.test.');
  for (let i = 0; i < 50; i++) {
    world.put(large, nodeOf(large, 460_000 + 100 * i, i));
    world.index.publish();
    world.check([...names, large]);
  }
});

test('the table grows, but not for deleted names', () => {
  const world = new World(1 << 20);
  const names = Array.from({ length: 5000 }, (_, i) => nameOf(i));
  const before = world.index.stats.slots;
  for (const name of names) world.put(name, nodeOf(name, 4, 1));
  world.check(names);
  const { slots } = world.index.stats;
  assert.ok(slots > before && slots >= names.length / 0.66);
  for (let round = 0; round < 20_000; round++) {
    const name = parseName(`r${round}.test.`);
    world.put(name, nodeOf(name, 4, 1));
    world.remove(name);
    world.index.publish();
  }
  world.check(names);
  // Once more at most, when those that have gone meet a table that is nearly full.
  assert.ok(world.index.stats.slots <= 2 * slots, `${world.index.stats.slots} slots`);
});

test('a wildcard is found below its parent', () => {
  const world = new World(1 << 20);
  for (const text of ['*.a.test.', '*.test.', '*.x-y.test.']) {
    const name = parseName(text);
    const node = nodeOf(name, 10, 7);
    world.put(name, node);
    assert.equal(world.find(name, true), node);
  }
  assert.is(world.find(parseName('*.b.test.'), true), null);
});

test.run();
