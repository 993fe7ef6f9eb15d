/** Since when a node may be behind. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Freshness } from '../../../core/journal/etcd/freshness.ts';

test('a look that finds nothing new makes it current, as of its beginning', () => {
  const one = new Freshness();
  assert.equal([one.lookedAt, one.currentAt], [null, null]);
  one.noteRead(10, 5, 5);
  assert.equal([one.lookedAt, one.currentAt], [10, 10]);
  one.noteApplied(9);
  assert.is(one.currentAt, 10, 'what comes by the watch says nothing of the log');
});

test('a look that finds more makes it current when that is applied, though more comes all the time', () => {
  const one = new Freshness();
  one.noteRead(10, 8, 5);
  one.noteApplied(7);
  assert.equal([one.lookedAt, one.currentAt], [10, null]);
  one.noteRead(20, 12, 7);
  assert.equal([one.lookedAt, one.currentAt], [20, null]);
  one.noteApplied(8);
  assert.is(one.currentAt, 10);
  one.noteRead(30, 20, 9);
  one.noteRead(40, 30, 21);
  assert.is(one.currentAt, 30, 'what the look before has found is applied');
  one.noteApplied(29);
  assert.is(one.currentAt, 30);
  one.noteApplied(30);
  assert.is(one.currentAt, 40);
});

test('without etcd, who is heard and knows no more makes it current; who knows more does not, until that is applied', () => {
  const one = new Freshness();
  one.noteRead(10, 5, 5);
  one.noteReport(20, 5, 5);
  one.noteReport(15, 4, 5);
  assert.equal([one.lookedAt, one.currentAt], [10, 20]);
  one.noteReport(30, 6, 5);
  one.noteReport(40, 6, 5);
  assert.is(one.currentAt, 20);
  one.noteReport(50, 5, 5);
  assert.is(one.currentAt, 20, 'what was heard is known, though who said it is gone');
  one.noteApplied(6);
  assert.is(one.currentAt, 30, 'as of when it was first heard');
  one.noteReport(60, 6, 6);
  assert.is(one.currentAt, 60);
});

test('a look at the log has the last word: what another node says to have more is of another history', () => {
  const one = new Freshness();
  one.noteReport(10, 9, 5);
  one.noteRead(20, 5, 5);
  assert.is(one.currentAt, 20);
  one.noteRead(30, 7, 5);
  one.noteReport(40, 5, 5);
  assert.is(one.currentAt, 20, 'what the log was seen to have is missing, whatever others say');
});

test.run();
