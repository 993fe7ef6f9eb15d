/** The parts of the store, compared with slow and simple models. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CachePurge } from '../../../../edge/cache/store/cache-store.ts';
import { KeyHash } from '../../../../edge/cache/store/key-hash.ts';
import { Memory } from '../../../../edge/cache/store/memory.ts';
import { MemoryIndex } from '../../../../edge/cache/store/memory-index.ts';
import { MemoryLog } from '../../../../edge/cache/store/memory-log.ts';
import { Purges } from '../../../../edge/cache/store/purges.ts';
import { SegmentTable } from '../../../../edge/cache/store/segment-table.ts';
import { Signals, shareSignals } from '../../../../edge/cache/store/signals.ts';
import fc from '../../../support/fc.ts';
import { KB, MB } from './support.ts';

const test = suite('edge/cache/store: parts');

test('the memory index equals a Map despite collisions', () => {
  // With few home slots, nearly all entries probe the same run.
  const home = (key: number): number => [0, 1, 254, 255][key % 4];
  const step = fc.tuple(fc.constantFrom('set', 'delete', 'find'), fc.integer({ min: 1, max: 60 }), fc.nat(1000));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const index = new MemoryIndex(256);
      const model = new Map<number, number>();
      for (const [what, key, value] of steps) {
        const address = value * 64 + key;
        if (what === 'set') {
          index.set(home(key), key, address);
          model.set(key, address);
        } else if (what === 'delete') {
          index.delete(home(key), key, (at) => home(at % 64));
          model.delete(key);
        }
        for (let each = 1; each <= 60; each++) assert.is(index.find(home(each), each), model.get(each) ?? -1);
        assert.is(index.count, model.size);
      }
    }),
    { numRuns: 50 },
  );
});

/** A log whose entries contain their own number twice. */
function logOf(limit: number): {
  log: MemoryLog;
  add(n: number, bytes: number, outside?: number): number;
  read(n: number): boolean;
} {
  const log = new MemoryLog({ limit, isVoid: () => false, onEvict: () => {}, onUnpin: () => {} });
  const hash = new KeyHash(1, 2);
  const of = (n: number): KeyHash => hash.of('', `entry ${n}`);
  return {
    log,
    add(n, bytes, outside) {
      const { a, b } = of(n);
      const parts = outside === undefined ? undefined : [Buffer.alloc(outside, n)];
      return log.append(a, b, bytes, parts, (block, at) => {
        block.writeUInt32LE(n, at);
        block.writeUInt32LE(n, at + bytes - 4);
      });
    },
    read(n) {
      const { a, b } = of(n);
      const address = log.find(a, b);
      if (address < 0) return false;
      log.touch(address);
      assert.is(log.blockOf(address).readUInt32LE(log.headAt(address)), n);
      return true;
    },
  };
}

test('the memory stays within its limit, and finds the entries that were put', () => {
  const entry = fc.tuple(
    fc.nat(3000),
    fc.integer({ min: 8, max: 9000 }),
    fc.option(fc.nat(200 * KB), { nil: undefined }),
  );
  fc.assert(
    fc.property(fc.array(entry, { minLength: 200, maxLength: 1500 }), (entries) => {
      const { log, add, read } = logOf(2 * MB);
      for (let n = 0; n < 4000; n++) add(n, 500);
      for (const [n, bytes, outside] of entries) {
        add(n, bytes, outside);
        assert.ok(log.bytes <= 2 * MB, String(log.bytes));
        read((n * 7) % 3000);
      }
      log.clear();
      assert.is(log.count, 0);
      assert.is(log.outside, 0);
    }),
    { numRuns: 20 },
  );
});

test('a scan does not evict popular entries', () => {
  const { log, add, read } = logOf(4 * MB);
  for (let round = 0; round < 3; round++) for (let n = 0; n < 1000; n++) if (!read(n)) add(n, 1000);
  for (let n = 10_000; n < 60_000; n++) {
    add(n, 1000);
    // Popular entries have a hit now and then; entries of the scan have none.
    read(n % 1000);
  }
  let kept = 0;
  for (let n = 0; n < 1000; n++) if (read(n)) kept++;
  assert.ok(kept > 900, `${kept} of 1,000 were kept`);
  assert.ok(log.count < 4200);
});

test('a sweep keeps valid entries and frees the memory of the others', () => {
  let isVoid = (_: number): boolean => false;
  const log = new MemoryLog({
    limit: 8 * MB,
    isVoid: (block, at) => isVoid(block.readUInt32LE(at)),
    onEvict: () => {},
    onUnpin: () => {},
  });
  for (let n = 1; n <= 5000; n++) log.append(n, n, 1000, undefined, (block, at) => block.writeUInt32LE(n, at));
  const before = log.count;
  isVoid = (n) => n % 2 === 0;
  log.startSweep();
  while (log.sweep(100)) assert.ok(log.count <= before);
  assert.is(log.count, 2500);
  for (let n = 1; n <= 5000; n++) assert.is(log.find(n, n) >= 0, n % 2 === 1, String(n));
});

test('with more popular URLs than fit into the hot set, few are promoted', () => {
  const COUNT = 40_000;
  const memory = new Memory(256 * MB, new KeyHash(1, 2), new Purges());
  const keyOf = (i: number): string => `https://a.test/${i}`;
  const whole = Buffer.alloc(100);
  const body = { length: whole.length, whole, slice: (from: number, to: number) => whole.subarray(from, to) };
  const rest = { selecting: [], status: 200, headers: [], requestTime: 0, responseTime: 0, tags: [] };
  for (let i = 0; i < COUNT; i++) memory.put({ ...rest, domainId: '1', key: keyOf(i), body }, 1, []);
  const hotAfter = (rounds: number, keys: number): number => {
    let hot = 0;
    for (let round = 0; round < rounds; round++) {
      hot = 0;
      for (let i = 0; i < keys; i++) if (memory.lookup('1', keyOf(i))?.[0].isHot) hot++;
    }
    return hot;
  };
  const share = hotAfter(4, COUNT) / COUNT;
  assert.ok(share > 0.2 && share < 0.6, `${share} are hot: not much more than there is room for`);
  // A URL with so many hits is promoted.
  assert.is(hotAfter(300, 1000), 1000);
});

const url = fc.constantFrom('https://a.test/', 'https://a.test/x', 'http://a.test/x/y', 'https://b.a.test/x');
/** The URL as requested with a port, or with the final dot of the host. */
const requestedUrl = fc.tuple(url, fc.constantFrom('', '', ':8443', '.', '.:80')).map(([text, after]) => {
  const end = text.indexOf('/', text.indexOf('://') + 3);
  return text.slice(0, end) + after + text.slice(end);
});
const tag = fc.constantFrom('t1', 't2', 't3');
const purge = fc.record({
  domainId: fc.constantFrom('1', '2'),
  urls: fc.array(url, { maxLength: 2 }),
  prefixes: fc.array(fc.constantFrom('a.test/', 'a.test/x', 'a.test/x/', 'b.a.test/'), { maxLength: 2 }),
  tags: fc.array(tag, { maxLength: 2 }),
});

function fits(cachePurge: CachePurge, domainId: string, key: string, tags: readonly string[]): boolean {
  if (cachePurge.domainId !== domainId) return false;
  if (cachePurge.urls.length + cachePurge.prefixes.length + cachePurge.tags.length === 0) return true;
  const { protocol, hostname, pathname } = new URL(key);
  const bare = hostname.replace(/\.$/, '') + pathname;
  return (
    cachePurge.urls.includes(`${protocol}//${bare}`) ||
    cachePurge.prefixes.some((prefix) => bare.startsWith(prefix)) ||
    cachePurge.tags.some((each) => tags.includes(each))
  );
}

test('purges cover the same entries as a search of all purges, also after a restore', () => {
  fc.assert(
    fc.property(
      fc.array(purge, { maxLength: 20 }),
      fc.array(fc.tuple(fc.constantFrom('1', '2'), requestedUrl, fc.subarray(['t1', 't2', 't3']), fc.nat(21))),
      (list, looks) => {
        const purges = new Purges();
        for (const [i, cachePurge] of list.entries()) purges.add(cachePurge, i + 1);
        const restored = new Purges();
        for (const state of purges.states()) restored.restore(JSON.parse(JSON.stringify(state)));
        for (const [domainId, key, tags, mark] of looks) {
          const expected = list.some((cachePurge, i) => mark < i + 1 && fits(cachePurge, domainId, key, tags));
          assert.is(purges.covers(domainId, key, tags, mark), expected);
          assert.is(restored.covers(domainId, key, tags, mark), expected);
        }
      },
    ),
  );
});

test('purges are bounded: condensed purges cover more entries, never fewer', () => {
  const purges = new Purges();
  const name = (i: number): string => `https://a.test/${'x'.repeat(200)}/${i}`;
  for (let i = 1; i <= 20_000; i++) purges.add({ domainId: 'a', urls: [name(i)], prefixes: [], tags: [] }, i);
  for (let i = 1; i <= 20_000; i++) assert.ok(purges.covers('a', name(i), [], i - 1));
  assert.not(purges.covers('a', name(19_990), [], 19_990), 'the newest ones stay separate');
  assert.not(purges.covers('b', name(1), [], 0), 'another domain');
  assert.ok(JSON.stringify([...purges.states()]).length < 400 * KB);
  for (let i = 1; i <= 300_000; i++)
    purges.add({ domainId: `d${i}`, urls: [], prefixes: [], tags: [`t${i}`] }, 20_000 + i);
  for (let i = 1; i <= 300_000; i += 1000) assert.ok(purges.covers(`d${i}`, 'https://d/', [`t${i}`], 20_000 + i - 1));
  assert.not(purges.covers('d299999', 'https://d/', ['t1'], 320_000));
  assert.ok([...purges.states()].length < 60_000);
});

test('signals arrive in order; a thread that missed too many is notified of the loss', () => {
  const memory = shareSignals(2 ** 40);
  const sender = new Signals(memory);
  const listener = new Signals(memory);
  const slowListener = new Signals(memory);
  const received: unknown[] = [];
  const to = {
    onPurge: (cachePurge: CachePurge, sequence: number) => received.push([cachePurge.urls[0], sequence]),
    onRemoval: (a: number, b: number, sequence: number) => received.push([a, b, sequence]),
    onReplaced: (a: number, b: number) => received.push([a, b]),
    onLost: (sequence: number) => received.push(['lost', sequence]),
  };
  const base = 2 ** 40;
  assert.is(sender.mark(), base);
  sender.purge({ domainId: 'a', urls: ['caf\u00e9 "x"'], prefixes: [], tags: [] });
  sender.remove(0xffff_fff0, 7);
  sender.replaced(5, 6);
  listener.poll(to);
  assert.equal(received, [
    ['caf\u00e9 "x"', base + 1],
    [0xffff_fff0, 7, base + 2],
    [5, 6],
  ]);
  assert.is(listener.removedAt(0xffff_fff0), base + 2);
  assert.is(listener.removedAt(1), 0);
  received.length = 0;
  sender.poll(to);
  assert.equal(
    received.map((message) => (message as unknown[]).length),
    [2, 3],
    'a thread ignores its own newer copies',
  );
  const urls = Array.from({ length: 1000 }, (_, i) => `https://a.test/${i}`);
  for (let i = 0; i < 2000; i++) {
    sender.purge({ domainId: 'a', urls, prefixes: [], tags: [] });
    received.length = 0;
    listener.poll(to);
    assert.equal(received, [[urls[0], base + 3 + i]]);
  }
  received.length = 0;
  slowListener.poll(to);
  assert.equal(received, [['lost', base + 2002]]);
  received.length = 0;
  slowListener.poll(to);
  assert.equal(received, []);
});

test('a purge that is too large for the ring becomes a purge of the whole domain', () => {
  const memory = shareSignals(0);
  const received: CachePurge[] = [];
  const signals = new Signals(memory);
  signals.purge({
    domainId: 'a',
    urls: Array.from({ length: 20_000 }, (_, i) => `https://a.test/${i}/abcdefghijklmnop`),
    prefixes: [],
    tags: [],
  });
  signals.poll({ onPurge: (notice) => received.push(notice), onRemoval() {}, onReplaced() {}, onLost() {} });
  assert.equal(received, [{ domainId: 'a', urls: [], prefixes: [], tags: [] }]);
});

test('segments are counted, and discarded in the order of their age', () => {
  const memory = SegmentTable.share([
    { number: 7, bytes: 40 * KB },
    { number: 9, bytes: 100 },
  ]);
  const table = new SegmentTable(memory, 100 * KB);
  assert.equal([table.oldest, table.first, table.bytes], [7, 10, 44 * KB]);
  assert.is(table.allocate(64 * KB), 10);
  assert.equal(table.evictOldest(), [7]);
  assert.is(table.bytes, 68 * KB);
  table.resize(10, 8 * KB);
  assert.is(table.bytes, 12 * KB);
  table.resize(7, 80 * KB);
  assert.is(table.bytes, 12 * KB, 'it is gone');
  for (let i = 0; i < 70_000; i++) table.allocate(0);
  table.evictOldest();
  assert.ok(table.next - table.oldest < 65_536);
});

test('the hash of a URL does not depend on earlier hashes', () => {
  const shared = new KeyHash(1, 2);
  const urls = [
    ['d1', 'https://a.test/'],
    ['d2', 'https://a.test/'],
    ['d1', 'https://a.test/'],
    ['d1', 'https://a.test/'],
    ['d1', ''],
    ['', ''],
  ];
  for (const [domainId, key] of urls) {
    const { a, b } = shared.of(domainId, key);
    const fresh = new KeyHash(1, 2).of(domainId, key);
    assert.equal([a, b], [fresh.a, fresh.b], JSON.stringify([domainId, key]));
  }
  assert.is.not(shared.of('d1', 'https://a.test/').a, new KeyHash(1, 2).of('d2', 'https://a.test/').a);
});

test.run();
