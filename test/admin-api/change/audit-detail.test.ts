/** Details of audit entries are bounded, whatever a customer writes. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boundDetail, MAX_DETAIL, MAX_SCARCE_DETAIL } from '../../../admin-api/change/change.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { SEED } from '../../support/seed.ts';

const sizeOf = (detail: object): number => JSON.stringify(detail).length;

test('small details are unchanged', () => {
  const detail = { name: 'www', content: '192.0.2.1', before: { content: '192.0.2.2' } };
  assert.is(boundDetail(detail, MAX_DETAIL), detail);
});

test('long texts and lists are cut, the rest stays, and a note says how much there was', () => {
  const detail = { kind: 'X-LONG', metadata: Array.from({ length: 50 }, (_, i) => `${i}`.padEnd(4000, 'x')), ttl: 60 };
  const bounded = boundDetail(detail, MAX_DETAIL);
  assert.is(bounded.kind, 'X-LONG');
  assert.is(bounded.ttl, 60);
  assert.is(bounded.shortened, sizeOf(detail));
  const kept = bounded.metadata as string[];
  assert.is(kept.length, 11);
  assert.is(kept[0], `${detail.metadata[0].slice(0, 256)}…`);
  assert.ok(sizeOf(bounded) <= MAX_DETAIL);
});

test('whatever the shape, the size is bounded', () => {
  const deep = (levels: number): unknown =>
    levels === 0 ? 'x'.repeat(300) : [deep(levels - 1), deep(levels - 1), deep(levels - 1)];
  for (const detail of [
    { deep: deep(8) },
    Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key${i}`.repeat(50), i])),
    { text: '\u0000'.repeat(100_000), ['"'.repeat(10_000)]: '"'.repeat(10_000) },
    { list: Array.from({ length: 10_000 }, () => ({ a: 'x'.repeat(500), b: 'y'.repeat(500) })) },
  ])
    for (const max of [MAX_DETAIL, MAX_SCARCE_DETAIL]) {
      const bounded = boundDetail(detail, max);
      assert.ok(sizeOf(bounded) <= max);
      assert.is(bounded.shortened, sizeOf(detail));
    }
});

test('generated: no detail above a limit is kept whole', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(400), (detail, max) => {
      const bounded = boundDetail(detail, max);
      if (sizeOf(detail) <= max) assert.is(bounded, detail);
      else assert.ok('shortened' in bounded);
    }),
    { seed: SEED, numRuns: depth({ quick: 200, moderate: 1000, full: 20_000 }) },
  );
});

test.run();
