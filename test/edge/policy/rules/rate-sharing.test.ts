/**
 * Rate limits that nodes share: what is promised of them holds for generated requests to nodes in
 * virtual time. The reference is one counter that knows each request at once.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createRateMemory,
  RATE_SECRET_BYTES,
  SLOTS,
  viewRateMemory,
} from '../../../../edge/policy/rules/rate-memory.ts';
import { RateSharing, SHARING_INTERVAL } from '../../../../edge/policy/rules/rate-sharing.ts';
import { type Rate, type RateScope, RateTable } from '../../../../edge/policy/rules/rate-table.ts';
import fc from '../../../support/fc.ts';
import { Random } from '../../../support/random.ts';

const SECRET = Buffer.from(Array.from({ length: RATE_SECRET_BYTES }, (_, i) => i * 7 + 1));
const START = 1_700_000_000_000;
/** Milliseconds that a message takes at most. */
const MAX_DELAY = 100;
/** Milliseconds from a request until all nodes have counted it. */
const D = 250 + MAX_DELAY;

interface Event {
  readonly time: number;
  run(): void;
}

interface Node {
  readonly memory: SharedArrayBuffer;
  readonly table: RateTable;
  readonly sharing: RateSharing;
  readonly received: ((usage: Buffer) => void)[];
  /** Times of the last message to each other node: messages keep their order. */
  readonly arrivals: number[];
}

/** Nodes whose time is simulated. */
class Nodes {
  now = START;
  isCut = false;
  readonly messages: Buffer[] = [];
  readonly #nodes: Node[];
  readonly #random: Random;
  readonly #scopes: RateScope[];
  /** In the order of their times; those of the same time as they were added. */
  readonly #events: Event[] = [];
  /** Whether a node sends at its next turn. */
  readonly #isDue: boolean[];

  constructor(count: number, rate: Rate, seed = 1) {
    this.#random = new Random(seed);
    this.#nodes = Array.from({ length: count }, (_, i) => this.#node(i, count));
    this.#scopes = this.#nodes.map(({ table }) => table.scopeOf('7 0 address', rate));
    this.#isDue = this.#nodes.map(() => false);
    // The first turn of each finds the others.
    for (const { sharing } of this.#nodes) sharing.send();
  }

  #node(index: number, count: number): Node {
    const memory = createRateMemory(SECRET, true);
    const received: Node['received'] = [];
    const sharing = new RateSharing({
      memory,
      channel: {
        countReceivers: () => (this.isCut ? 0 : count - 1),
        send: (usage) => this.#deliver(index, usage),
        follow: (listener) => received.push(listener),
      },
      clock: () => this.now,
    });
    return { memory, table: new RateTable(memory), sharing, received, arrivals: Array(count).fill(0) };
  }

  #deliver(from: number, usage: Buffer): void {
    this.messages.push(usage);
    for (const [i, { received }] of this.#nodes.entries()) {
      if (i === from) continue;
      const { arrivals } = this.#nodes[from];
      arrivals[i] = Math.max(arrivals[i], this.now + this.#random.below(MAX_DELAY + 1));
      this.#at(arrivals[i], () => received[0](usage));
    }
  }

  #at(time: number, run: () => void): void {
    let index = this.#events.length;
    while (index > 0 && this.#events[index - 1].time > time) index--;
    this.#events.splice(index, 0, { time, run });
  }

  /** Runs what happens until `time`. */
  advance(time: number): void {
    while (this.#events.length > 0 && this.#events[0].time <= time) {
      const next = this.#events.shift() as Event;
      this.now = next.time;
      next.run();
    }
    this.now = time;
  }

  /** Whether the node lets a request pass. */
  request(index: number, key = '192.0.2.1'): boolean {
    if (!this.#isDue[index]) {
      this.#isDue[index] = true;
      // Each node has turns of its own.
      const phase = index * 61;
      const turns = Math.floor((this.now - phase) / SHARING_INTERVAL) + 1;
      this.#at(turns * SHARING_INTERVAL + phase, () => {
        this.#isDue[index] = false;
        this.#nodes[index].sharing.send();
      });
    }
    return this.#nodes[index].table.count(this.#scopes[index], key, this.now) === 0;
  }

  receive(index: number, usage: Buffer): void {
    this.#nodes[index].received[0](usage);
  }

  slotsOf(index: number): Float64Array {
    return viewRateMemory(this.#nodes[index].memory).slots;
  }

  send(index: number): void {
    this.#nodes[index].sharing.send();
  }
}

/** One counter of all requests: how many of the burst are used. */
class Reference {
  #used = 0;
  #at = 0;
  readonly #interval: number;

  constructor(interval: number) {
    this.#interval = interval;
  }

  used(now: number): number {
    return Math.max(0, this.#used - (now - this.#at) / this.#interval);
  }

  count(now: number): void {
    this.#used = this.used(now) + 1;
    this.#at = now;
  }
}

const EPSILON = 0.01;
/** Of the burst, what nodes have not sent. */
const UNSENT = 1 / 8;

interface Wave {
  readonly nodes: number;
  readonly requests: number;
  readonly gap: number;
  readonly key: number;
}

const wave = fc.record({
  /** The bits are nodes. */
  nodes: fc.integer({ min: 1, max: 31 }),
  requests: fc.integer({ min: 1, max: 120 }),
  /** Between requests, in intervals of the limit. */
  gap: fc.constantFrom(0, 0.05, 0.2, 0.3, 0.9, 1.1, 3),
  key: fc.integer({ min: 0, max: 2 }),
});

const world = fc.record({
  count: fc.integer({ min: 2, max: 5 }),
  interval: fc.constantFrom(1, 13, 100, 1000, 30_000),
  burst: fc.constantFrom(1, 2, 10, 60, 200),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  waves: fc.array(wave, { minLength: 1, maxLength: 12 }),
});

interface World extends Rate {
  readonly count: number;
  readonly seed: number;
  readonly waves: readonly Wave[];
}

function checkWorld({ count, interval, burst, seed, waves }: World): void {
  const nodes = new Nodes(count, { interval, burst }, seed);
  const references = [0, 1, 2].map(() => new Reference(interval));
  const most = burst + burst * UNSENT + (count - 1) * (burst + D / interval) + EPSILON;
  const least = burst - 1 - burst * UNSENT - D / interval - EPSILON;
  let time = START;
  for (const { nodes: bits, requests, gap, key } of waves) {
    const chosen = Array.from({ length: count }, (_, i) => i).filter((i) => (bits >> i) & 1);
    if (chosen.length === 0) continue;
    for (let i = 0; i < requests; i++) {
      time += gap * interval;
      nodes.advance(time);
      const passes = nodes.request(chosen[i % chosen.length], `192.0.2.${key}`);
      if (passes) references[key].count(time);
      const used = references[key].used(time);
      if (passes) assert.ok(used <= most, `${used} requests of the burst are used, more than ${most}`);
      else assert.ok(used >= least, `a request is refused when ${used} of the burst are used, less than ${least}`);
    }
  }
}

test('nodes let no more pass, and refuse no more, than is promised', () => {
  fc.assert(fc.property(world, checkWorld), { numRuns: 40 });
});

/** Requests that pass in `seconds`, when `perSecond` reach each node. */
function passed(nodes: Nodes, count: number, perSecond: number, seconds: number): number {
  const from = nodes.now;
  let total = 0;
  for (let i = 0; i < perSecond * seconds; i++) {
    nodes.advance(from + (i * 1000) / perSecond);
    for (let node = 0; node < count; node++) if (nodes.request(node)) total++;
  }
  nodes.advance(from + seconds * 1000);
  return total;
}

test('in the long run, nodes together let the rate of the limit pass', () => {
  for (const count of [2, 4]) {
    const [burst, interval] = [40, 100];
    // Each node alone would let all of them pass, since they are fewer than the limit allows it.
    const nodes = new Nodes(count, { interval, burst });
    passed(nodes, count, 9, 60);
    const later = passed(nodes, count, 9, 60);
    assert.ok(later >= 560 && later <= 600 + count * (D / interval) + burst / 8, `${count} nodes: ${later}`);
  }
});

test('a burst to all nodes at once is paid back', () => {
  const [count, burst, interval] = [4, 50, 100];
  const nodes = new Nodes(count, { interval, burst });
  let first = 0;
  for (let node = 0; node < count; node++) for (let i = 0; i < 100; i++) if (nodes.request(node)) first++;
  assert.is(first, count * burst);
  // The bursts of all take 20 seconds of the limit, of which one is free.
  nodes.advance(nodes.now + 14_000);
  for (let node = 0; node < count; node++) assert.not.ok(nodes.request(node));
  nodes.advance(nodes.now + 2000);
  for (let node = 0; node < count; node++) assert.ok(nodes.request(node));
});

test('without connections each node counts alone, and later forgets what it has not sent', () => {
  const [count, burst, interval] = [3, 30, 100];
  const nodes = new Nodes(count, { interval, burst });
  nodes.isCut = true;
  assert.is(passed(nodes, count, 9, 30), 810);
  assert.equal(nodes.messages, []);
  nodes.isCut = false;
  const { now } = nodes;
  for (let node = 0; node < count; node++) nodes.send(node);
  assert.equal(nodes.messages, []);
  nodes.advance(now + 1000);
  const after = passed(nodes, count, 9, 60);
  const most = count * burst + 600 + (count - 1) * (D / interval) + burst / 8;
  assert.ok(after > 560 && after <= most, `${after} of at most ${most}`);
});

const tagsIn = (usage: Buffer): number[] =>
  Array.from({ length: usage.length / 16 }, (_, i) => usage.readDoubleLE(i * 16));

test('a message has at most 1,024 keys: those that have used most come first', () => {
  const nodes = new Nodes(2, { interval: 1000, burst: 64 });
  // A sixteenth of the burst, for two nodes: fewer are not sent.
  for (let key = 0; key < 3000; key++) for (let i = 0; i < 4; i++) nodes.request(0, `key ${key}`);
  for (let i = 0; i < 3; i++) nodes.request(0, 'few');
  for (let i = 0; i < 40; i++) nodes.request(0, 'many');
  for (let i = 0; i < 5; i++) nodes.send(0);
  const sizes = nodes.messages.map((usage) => tagsIn(usage).length);
  assert.equal(sizes.slice(0, 2), [1024, 1024]);
  assert.equal(
    sizes.reduce((a, b) => a + b),
    3001,
  );
  assert.is(new Set(nodes.messages.flatMap(tagsIn)).size, 3001);
  const [first] = nodes.messages;
  const debits = Array.from({ length: 1024 }, (_, i) => first.readDoubleLE(i * 16 + 8));
  assert.equal(debits.toSorted((a, b) => b - a).slice(0, 2), [40_000, 4000]);
});

test('no key is in a message in clear, and other secrets give other keys', () => {
  const tagWith = (secret: Uint8Array): number => {
    const memory = createRateMemory(secret, false);
    const table = new RateTable(memory);
    table.count(table.scopeOf('7 0 address', { interval: 1000, burst: 5 }), '192.0.2.1', START);
    return viewRateMemory(memory).slots.find((value, i) => i % 2 === 0 && value !== 0)!;
  };
  const tags = Array.from({ length: RATE_SECRET_BYTES }, (_, i) => {
    const secret = Buffer.from(SECRET);
    secret[i] ^= 1;
    return tagWith(secret);
  });
  assert.is(new Set([...tags, tagWith(SECRET)]).size, RATE_SECRET_BYTES + 1);
  assert.is(tagWith(SECRET), tagWith(Buffer.from(SECRET)));
});

test('a limit that was changed counts from zero', () => {
  const table = new RateTable(createRateMemory(SECRET, true));
  const strict = table.scopeOf('7 0 address', { interval: 3_600_000, burst: 1 });
  assert.is(table.count(strict, 'a', START), 0);
  assert.is(table.count(strict, 'a', START), 3_600_000);
  assert.is(table.count(table.scopeOf('7 0 address', { interval: 1000, burst: 1 }), 'a', START), 0);
  assert.is(table.count(table.scopeOf('7 1 address', { interval: 3_600_000, burst: 1 }), 'a', START), 0);
});

test('malformed messages change nothing', () => {
  const nodes = new Nodes(2, { interval: 1000, burst: 5 });
  const pairs: [number, number][] = [
    ...[Number.NaN, -1, 0, 1.5, 2 ** 60, Number.POSITIVE_INFINITY].map((tag): [number, number] => [tag, 1000]),
    ...[Number.NaN, -1, 0, 1e30, Number.POSITIVE_INFINITY].map((debit): [number, number] => [77, debit]),
  ];
  const usage = Buffer.concat(pairs.map((pair) => Buffer.from(Float64Array.from(pair).buffer)));
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(15, 1), usage]) nodes.receive(0, bytes);
  assert.ok(nodes.slotsOf(0).every((value) => value === 0));
  // Of one that is too long, the beginning is read.
  const long = Buffer.concat(Array.from({ length: SLOTS }, (_, i) => Buffer.from(Float64Array.of(i + 1, 1000).buffer)));
  nodes.receive(0, long);
  assert.is(nodes.slotsOf(0).filter((value, i) => i % 2 === 0 && value !== 0).length, 1024);
});

test('a key of another node does not replace one that lasts longer', () => {
  const nodes = new Nodes(2, { interval: 1000, burst: 5 });
  // They share a bucket.
  const tags = [0, 1, 2, 3, 4].map((i) => 5 + i * 16_384);
  const debit = (tag: number, ms: number): void => nodes.receive(0, Buffer.from(Float64Array.of(tag, ms).buffer));
  const present = (): number[] => tags.filter((tag) => nodes.slotsOf(0).includes(tag));
  for (const tag of tags.slice(0, 4)) debit(tag, 60_000);
  debit(tags[4], 59_000);
  assert.equal(present(), tags.slice(0, 4));
  debit(tags[4], 61_000);
  assert.equal(present().length, 4);
  assert.ok(present().includes(tags[4]));
});

test('a memory that is not shared has no room for pending usage', () => {
  const channel = { countReceivers: () => 1, send() {}, follow() {} };
  assert.throws(() => new RateSharing({ memory: createRateMemory(SECRET, false), channel }), /no room/);
});

test.run();
