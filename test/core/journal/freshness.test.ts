/** Since when a node may be behind. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Freshness } from '../../../core/journal/etcd/freshness.ts';

test('a look that finds nothing new makes it current, as of its beginning', () => {
  const one = new Freshness();
  assert.equal([one.lookedAt, one.currentAt], [null, null]);
  one.looked(10, 5, 5);
  assert.equal([one.lookedAt, one.currentAt], [10, 10]);
  one.applied(9);
  assert.is(one.currentAt, 10, 'what comes by the watch says nothing of the log');
});

test('a look that finds more makes it current when that is applied, though more comes all the time', () => {
  const one = new Freshness();
  one.looked(10, 8, 5);
  one.applied(7);
  assert.equal([one.lookedAt, one.currentAt], [10, null]);
  one.looked(20, 12, 7);
  assert.equal([one.lookedAt, one.currentAt], [20, null]);
  one.applied(8);
  assert.is(one.currentAt, 10);
  one.looked(30, 20, 9);
  one.looked(40, 30, 21);
  assert.is(one.currentAt, 30, 'what the look before has found is applied');
  one.applied(29);
  assert.is(one.currentAt, 30);
  one.applied(30);
  assert.is(one.currentAt, 40);
});

test.run();
