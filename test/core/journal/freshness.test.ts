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

test('without etcd, who is heard and knows no more makes it current; who knows more does not, until that is applied', () => {
  const one = new Freshness();
  one.looked(10, 5, 5);
  one.heard(20, 5, 5);
  one.heard(15, 4, 5);
  assert.equal([one.lookedAt, one.currentAt], [10, 20]);
  one.heard(30, 6, 5);
  one.heard(40, 6, 5);
  assert.is(one.currentAt, 20);
  one.heard(50, 5, 5);
  assert.is(one.currentAt, 20, 'what was heard is known, though who said it is gone');
  one.applied(6);
  assert.is(one.currentAt, 30, 'as of when it was first heard');
  one.heard(60, 6, 6);
  assert.is(one.currentAt, 60);
});

test('a look at the log has the last word: what another node says to have more is of another history', () => {
  const one = new Freshness();
  one.heard(10, 9, 5);
  one.looked(20, 5, 5);
  assert.is(one.currentAt, 20);
  one.looked(30, 7, 5);
  one.heard(40, 5, 5);
  assert.is(one.currentAt, 20, 'what the log was seen to have is missing, whatever others say');
});

test.run();
