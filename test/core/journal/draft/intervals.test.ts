/** Sets of intervals, compared with a plain set. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Intervals } from '../../../../core/journal/draft/id-taker.ts';
import fc from '../../../support/fc.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('add'), start: fc.nat(40), count: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ kind: fc.constant('take'), start: fc.constant(0), count: fc.integer({ min: 1, max: 6 }) }),
);

/** The lowest run of `count` members of a set. */
function lowestRun(members: ReadonlySet<number>, count: number): number | undefined {
  for (let start = 0; start <= 60; start++)
    if (Array.from({ length: count }, (_, i) => start + i).every((n) => members.has(n))) return start;
  return undefined;
}

test('intervals hold what a set holds, and give the lowest run', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const intervals = new Intervals();
      const reference = new Set<number>();
      for (const { kind, start, count } of steps) {
        const run = Array.from({ length: count }, (_, i) => start + i);
        if (kind === 'add') {
          if (run.some((n) => reference.has(n))) continue;
          intervals.add({ start, end: start + count });
          for (const n of run) reference.add(n);
        } else {
          const expected = lowestRun(reference, count);
          assert.is(intervals.take(count), expected);
          for (let i = 0; expected !== undefined && i < count; i++) reference.delete(expected + i);
        }
        assert.is(intervals.size, reference.size);
        const members = intervals.all.flatMap(({ start: from, end }) =>
          Array.from({ length: end - from }, (_, i) => from + i),
        );
        assert.equal(
          members,
          [...reference].sort((a, b) => a - b),
        );
        for (const [i, { start: from }] of intervals.all.entries())
          assert.ok(i === 0 || intervals.all[i - 1].end < from, 'neighbours are merged');
      }
    }),
    { numRuns: 500 },
  );
});

test.run();
