/** Signature times: their bounds, and which names are due when the clock advances. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dueHashes, type HashRange, validityOf } from '../../../../core/dns/dnssec/lifetime.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const test = suite('signature lifetime');
const DAY = 86_400;
const HOUR = 3600;
const LAST = 0xffffffff;

/** From 1970 to beyond 2106, when 32 bits of seconds end. */
const clock = fc.oneof(fc.nat(2 ** 31 - 1), fc.integer({ min: 2 ** 31, max: 2 ** 33 }));
const hash32 = fc.oneof(fc.nat(LAST), fc.constantFrom(0, 1, 7101, 7102, LAST - 1, LAST));
const numRuns = depth({ quick: 500, moderate: 2000, full: 500_000 });

const contains = (ranges: readonly HashRange[], hash: number): boolean =>
  ranges.some(({ first, last }) => hash >= first && hash <= last);

test('21 days or more and less than 28 are left, of 30 in all', () => {
  fc.assert(
    fc.property(clock, hash32, (time, hash) => {
      const { inception, expiration } = validityOf(time, hash);
      assert.ok(Number.isInteger(expiration));
      assert.is(expiration - inception, 30 * DAY);
      assert.ok(expiration - time >= 21 * DAY && expiration - time < 28 * DAY, String(expiration - time));
      assert.ok(time - inception > 2 * DAY && time - inception <= 9 * DAY, String(time - inception));
    }),
    { numRuns },
  );
});

test('a name keeps its phase: expirations are whole weeks apart, and hashes in order have phases in order', () => {
  const phase = (time: number, hash: number): number => validityOf(time, hash).expiration % (7 * DAY);
  fc.assert(
    fc.property(clock, clock, hash32, hash32, (time, other, hash, second) => {
      assert.is(phase(time, hash), phase(other, hash));
      if (hash < second) assert.ok(phase(time, hash) <= phase(time, second));
    }),
    { numRuns },
  );
  assert.is(phase(0, 0), 0);
  assert.is(phase(0, LAST), 7 * DAY - 1);
});

const twoClocks = fc
  .tuple(clock, fc.oneof(fc.nat(6 * HOUR), fc.nat(7 * DAY), fc.nat(20 * DAY), fc.constantFrom(0, 1, 7 * DAY - 1)))
  .map(([from, step]) => [from, from + step] as const);

test('expirations never go back, and the due hashes are those whose expiration changes', () => {
  fc.assert(
    fc.property(twoClocks, fc.array(hash32, { maxLength: 20 }), ([from, to], hashes) => {
      const ranges = dueHashes(from, to);
      const edges = ranges.flatMap(({ first, last }) => [first - 1, first, last, last + 1]);
      for (const hash of [...hashes, ...edges.filter((edge) => edge >= 0 && edge <= LAST)]) {
        const before = validityOf(from, hash).expiration;
        const after = validityOf(to, hash).expiration;
        assert.ok(after >= before);
        assert.is(contains(ranges, hash), after !== before, `${from} ${to} ${hash}`);
      }
    }),
    { numRuns },
  );
});

test('ranges are in order, apart, and two at most', () => {
  fc.assert(
    fc.property(twoClocks, ([from, to]) => {
      const ranges = dueHashes(from, to);
      assert.ok(ranges.length <= 2);
      for (const { first, last } of ranges)
        assert.ok(Number.isInteger(first) && Number.isInteger(last) && first >= 0 && first <= last && last <= LAST);
      if (ranges.length === 2) assert.ok(ranges[0].last < ranges[1].first);
    }),
    { numRuns },
  );
});

test('an advance by 6 hours makes at most 5 % of the names due, and those of 7 days make each due once', () => {
  fc.assert(
    fc.property(clock, (time) => {
      let sum = 0;
      for (let step = 0; step < 28; step++) {
        const ranges = dueHashes(time + step * 6 * HOUR, time + (step + 1) * 6 * HOUR);
        const share = ranges.reduce((total, { first, last }) => total + last - first + 1, 0);
        assert.ok(share <= 0.05 * 2 ** 32);
        sum += share;
      }
      assert.is(sum, 2 ** 32);
    }),
    { numRuns: depth({ quick: 50, moderate: 200, full: 20_000 }) },
  );
});

test('no advance makes no name due, and one of a week all', () => {
  assert.equal(dueHashes(1_700_000_000, 1_700_000_000), []);
  assert.equal(dueHashes(1_700_000_000, 1_700_000_000 + 7 * DAY), [{ first: 0, last: LAST }]);
  assert.equal(dueHashes(1_700_000_000, 1_700_000_000 + 100 * DAY), [{ first: 0, last: LAST }]);
});

test('every phase has its hashes', () => {
  // Second by second through a week: the ranges join without gap or overlap.
  let next = 0;
  for (let second = 0; second < 7 * DAY; second++) {
    const ranges = dueHashes(second, second + 1);
    assert.is(ranges.length, 1);
    assert.is(ranges[0].first, next);
    next = ranges[0].last + 1;
  }
  assert.is(next, 2 ** 32);
});

test('a validity begins and ends at the grid point of its hash', () => {
  // 21 days after 1 January 2026 is 22 January. Weeks begin on Thursday, as 1970 did, and a hash in
  // the middle has its grid point 3.5 days later.
  const time = Date.UTC(2026, 0, 1) / 1000;
  const { inception, expiration } = validityOf(time, 0x80000000);
  assert.is(new Date(expiration * 1000).toISOString(), '2026-01-25T12:00:00.000Z');
  assert.is(new Date(inception * 1000).toISOString(), '2025-12-26T12:00:00.000Z');
});

test.run();
