/**
 * What one look after the other makes of a family: generated looks, and the rules that hold
 * whatever they are.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  advance,
  delay,
  type FamilyState,
  isServedAlike,
  isUnresolvable,
  newFamily,
} from '../../../../core/upkeep/alias/family-state.ts';
import type { FamilyResult } from '../../../../core/upkeep/alias/target-lookup.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';

const STALE_MAX = 1000;

const look: fc.Arbitrary<{ passed: number; result: FamilyResult }> = fc.record({
  passed: fc.oneof(fc.nat(100), fc.nat(2000)),
  result: fc.oneof(
    fc.record({
      kind: fc.constant('addresses' as const),
      addresses: fc.constantFrom(['0a000001'], ['0a000001', '0a000002'], ['0a000003']),
      ttl: fc.constantFrom(0, 5, 60, 300, 90_000),
      isOwn: fc.boolean(),
      note: fc.constant(null),
    }),
    fc.record({
      kind: fc.constant('none' as const),
      ttl: fc.constantFrom(0, 30, 3600),
      isOwn: fc.boolean(),
      note: fc.constant('none'),
      isDropped: fc.constant(false),
    }),
    fc.record({ kind: fc.constant('failed' as const), isOwn: fc.boolean(), error: fc.constant('x') }),
  ),
});

test(`generated looks, seed ${SEED}`, () => {
  fc.assert(
    fc.property(fc.array(look, { maxLength: 30 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (looks, random) => {
      let state: FamilyState = newFamily(null);
      let now = 1_000_000;
      let lastGood: readonly string[] | null = null;
      let noes = 0;
      for (const { passed, result } of looks) {
        const before = state;
        now += passed;
        state = advance(state, result, now, STALE_MAX);
        const { served } = state;
        if (result.kind === 'addresses') {
          lastGood = result.addresses;
          noes = 0;
          assert.equal(served?.addresses, result.addresses);
          assert.not(served?.stale);
          // Never longer than what was served already, or than what the target says.
          assert.ok(served!.ttl <= Math.max(result.ttl, before.served?.ttl ?? 0));
          assert.is(served?.goodAt, now);
        } else if (result.kind === 'none') {
          noes++;
          const isBelieved = result.isOwn || noes >= 2 || before.served === null;
          if (isBelieved) lastGood = [];
          if (isBelieved) assert.equal(served?.addresses, []);
          else checkKept();
          if (result.isOwn) noes = 2;
        } else checkKept();
        function checkKept(): void {
          assert.ok(served, 'a lookup decides');
          if (isUnresolvable(served!)) {
            assert.ok(before.served === null || now - before.served.goodAt > STALE_MAX);
            lastGood = [];
          } else assert.ok(now - served!.goodAt <= STALE_MAX);
          assert.equal(served!.addresses, lastGood);
          if (served!.stale) assert.ok(now > served!.goodAt + served!.ttl);
        }
        const seconds = delay(state, result.isOwn, random);
        assert.ok(seconds >= 1 && seconds <= 3602, `next in ${seconds}`);
      }
    }),
    { seed: SEED, numRuns: depth({ quick: 300, moderate: 750, full: 60_000 }) },
  );
});

test('failures are retried with growing delays', () => {
  const failed: FamilyResult = { kind: 'failed', isOwn: false, error: 'x' };
  let state = newFamily(null);
  const delays: number[] = [];
  for (let i = 0; i < 10; i++) {
    state = advance(state, failed, i, STALE_MAX);
    delays.push(delay(state, false, 0.5));
  }
  assert.equal(delays, [2, 4, 8, 16, 32, 64, 120, 120, 120, 120]);
});

test('a higher TTL is served once it has lasted', () => {
  const seen = (ttl: number): FamilyResult => ({
    kind: 'addresses',
    addresses: ['0a000001'],
    ttl,
    isOwn: false,
    note: null,
  });
  let state = advance(newFamily(null), seen(30), 0, STALE_MAX);
  state = advance(state, seen(300), 25, STALE_MAX);
  assert.is(state.served?.ttl, 30);
  state = advance(state, seen(300), 601, STALE_MAX);
  assert.is(state.served?.ttl, 300);
});

test('clients see addresses, their TTL and that they are stale', () => {
  const family = { addresses: ['0a000001'], ttl: 5, stale: false, goodAt: 1 };
  assert.ok(isServedAlike(family, { ...family, goodAt: 2 }));
  assert.ok(isServedAlike(null, null));
  for (const other of [null, { ...family, ttl: 6 }, { ...family, stale: true }, { ...family, addresses: [] }])
    assert.not(isServedAlike(family, other));
  assert.ok(isServedAlike({ ...family, addresses: [] }, { ...family, addresses: [], ttl: 9 }));
});

test.run();
