/** Compares the table with a map of buckets, using a clock of the test. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBuckets, RateTable, toUnits } from '../../../core/nameserver/rate-limit-table.ts';
import fc from '../../support/fc.ts';

/** The simple implementation: one level for each account, in units of time. */
class Reference {
  readonly #levels = new Map<number, { level: number; at: number }>();
  readonly #interval: number;
  readonly #most: number;

  constructor(rate: number) {
    this.#interval = Math.round(toUnits(1000) / rate);
    this.#most = this.#interval * rate;
  }

  take(account: number, now: number): boolean {
    const bucket = this.#levels.get(account) ?? { level: this.#most, at: now };
    const level = Math.min(this.#most, bucket.level + now - bucket.at);
    const isTaken = level >= this.#interval;
    this.#levels.set(account, { level: isTaken ? level - this.#interval : level, at: now });
    return isTaken;
  }
}

/** Times as in the table: 32 bits that wrap around. */
const wrapped = (units: number): number => units | 0;

const traffic = fc.record({
  rate: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(200, 999, 10_000, 100_000)),
  /** Some tests start shortly before the time wraps around. */
  start: fc.constantFrom(1000, 2 ** 31 - 300_000, 2 ** 32 - 300_000),
  steps: fc.array(
    fc.record({
      account: fc.integer({ min: 0, max: 7 }),
      /** Units since the previous step: none, less than an interval, up to two seconds. */
      after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: toUnits(2000) })),
      packets: fc.integer({ min: 1, max: 40 }),
    }),
    { minLength: 1, maxLength: 60 },
  ),
});

test('the table behaves like one bucket for each account', () => {
  const accounts = [0x1234_5678, -1, 0, 1, 0x7fff_ffff, -0x8000_0000, 0x1_0000, 0x2_0000];
  fc.assert(
    fc.property(traffic, ({ rate, start, steps }) => {
      const table = new RateTable(createBuckets(), rate);
      const reference = new Reference(rate);
      let now = start;
      for (const { account, after, packets } of steps) {
        now += after;
        for (let i = 0; i < packets; i++)
          assert.is(table.take(accounts[account], wrapped(now)), reference.take(account, now), `at ${now}`);
      }
    }),
    { numRuns: 300 },
  );
});

test('the rate holds under any load: a burst of one second, then the rate', () => {
  for (const rate of [1, 7, 200, 5000]) {
    const table = new RateTable(createBuckets(), rate);
    let taken = 0;
    for (let ms = 0; ms < 10_000; ms++)
      for (let i = 0; i < (rate > 1000 ? 20 : 2); i++) if (table.take(99, toUnits(5000 + ms))) taken++;
    const expected = rate + rate * 10;
    assert.ok(taken <= expected + 1 && taken >= expected * 0.97 - 1, `${taken} of ${expected} at ${rate}/s`);
  }
});

test('a returned token can be taken again, and no additional token appears', () => {
  for (const start of [1000, 2 ** 31 - 300_000, 2 ** 32 - 300_000]) {
    const table = new RateTable(createBuckets(64), 10);
    const now = wrapped(start);
    const taken = (most: number, at: number): number => {
      let count = 0;
      while (count < most && table.take(5, at)) count++;
      return count;
    };
    for (let i = 0; i < 1000; i++) {
      assert.ok(table.take(5, now));
      table.refund(5, now);
    }
    assert.is(taken(100, now), 10);
    table.refund(5, now);
    table.refund(5, now);
    assert.is(taken(100, now), 2);
    table.refund(6, now);
    assert.is(taken(100, now), 0, 'the token went to another account');
    const later = wrapped(start + toUnits(1000));
    for (let i = 0; i < 20; i++) table.refund(5, later);
    assert.is(taken(100, later), 10, 'the capacity of a bucket');
  }
});

test('without a full bucket in a set, the fullest is reassigned, and limited accounts stay limited', () => {
  const rate = 10;
  // One set of eight buckets.
  const table = new RateTable(createBuckets(8), rate);
  const now = 123_456;
  for (let i = 0; i < rate; i++) assert.ok(table.take(1, now));
  assert.is(table.take(1, now), false);
  // Seven other accounts take two tokens each. Then a hundred accounts take one each.
  for (let account = 2; account <= 8; account++) for (let i = 0; i < 2; i++) assert.ok(table.take(account, now));
  for (let account = 1000; account < 1100; account++) assert.ok(table.take(account, now));
  assert.is(table.take(1, now), false, 'still limited');
});

test('a full bucket is reassigned, so that a small table serves any number of accounts in turn', () => {
  const table = new RateTable(createBuckets(8), 10);
  const interval = toUnits(100);
  for (let i = 0; i < 5; i++) assert.ok(table.take(1, 500));
  for (let i = 0; i < 1000; i++) assert.ok(table.take(10_000 + i, 500 + i * interval));
});

test('threads that share the buckets share the limit', () => {
  const buckets = createBuckets();
  const tables = [1, 2, 3].map(() => new RateTable(buckets, 30));
  let taken = 0;
  for (let i = 0; i < 300; i++) if (tables[i % 3].take(4711, 1_000_000)) taken++;
  assert.is(taken, 30);
});

test.run();
