/** The table of a session's streams, next to a Map. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StreamTable } from '../../../../edge/http/http2/streams.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

test('streams are found by their ids, whichever were closed before', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ skip: fc.oneof(fc.constant(0), fc.nat(40)) }) },
    { weight: 2, arbitrary: fc.record({ close: fc.nat() }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const table = new StreamTable<{ readonly id: number }>();
      const map = new Map<number, { readonly id: number }>();
      let next = 1;
      for (const operation of steps) {
        if ('skip' in operation) {
          next += 2 * operation.skip;
          const stream = { id: next };
          table.add(stream);
          map.set(next, stream);
          next += 2;
        } else {
          const id = [...map.keys()][operation.close % Math.max(1, map.size)] ?? 1;
          assert.is(table.delete(id), map.delete(id));
          assert.is(table.delete(id), false);
        }
        assert.is(table.size, map.size);
      }
      for (let id = 1; id <= next; id += 2) assert.is(table.get(id), map.get(id));
      assert.equal(new Set(table.values()), new Set(map.values()));
    }),
    { numRuns: depth({ quick: 100, moderate: 1000, full: 10000 }) },
  );
});

test('a stream that is deleted during an iteration is not visited', () => {
  const table = new StreamTable<{ readonly id: number }>();
  for (const id of [1, 3, 5, 7]) table.add({ id });
  const visited: number[] = [];
  for (const { id } of table.values()) {
    visited.push(id);
    table.delete(id);
    table.delete(id + 2);
  }
  assert.equal([visited, table.size], [[1, 5], 0]);
});

test.run();
