import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inTurns } from '../../../core/base/fair-queue.ts';

test('each owner has one item before any has two, in the order of the items', () => {
  assert.equal(
    inTurns(['a1', 'a2', 'a3', 'b1', 'c1', 'b2'], (item) => item[0]),
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'],
  );
  assert.equal(
    inTurns([], () => 1),
    [],
  );
});

test.run();
