/** Since when a node may be behind. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Freshness } from '../../../core/journal/etcd/backlog.ts';

test('a read without new entries makes the node current, as of the start of the read', () => {
  const freshness = new Freshness();
  assert.equal([freshness.lookedAt, freshness.currentAt], [null, null]);
  freshness.noteRead(10, 5, 5);
  assert.equal([freshness.lookedAt, freshness.currentAt], [10, 10]);
  freshness.noteApplied(9);
  assert.is(freshness.currentAt, 10, 'groups of the watch do not show the end of the log');
});

test('a read with new entries makes the node current once they are applied, even if more arrive', () => {
  const freshness = new Freshness();
  freshness.noteRead(10, 8, 5);
  freshness.noteApplied(7);
  assert.equal([freshness.lookedAt, freshness.currentAt], [10, null]);
  freshness.noteRead(20, 12, 7);
  assert.equal([freshness.lookedAt, freshness.currentAt], [20, null]);
  freshness.noteApplied(8);
  assert.is(freshness.currentAt, 10);
  freshness.noteRead(30, 20, 9);
  freshness.noteRead(40, 30, 21);
  assert.is(freshness.currentAt, 30, 'the entries of the previous read are applied');
  freshness.noteApplied(29);
  assert.is(freshness.currentAt, 30);
  freshness.noteApplied(30);
  assert.is(freshness.currentAt, 40);
});

test('without etcd, the node is current by reports of others, and not while a reported entry is missing', () => {
  const freshness = new Freshness();
  freshness.noteRead(10, 5, 5);
  freshness.noteReport(20, 5, 5);
  freshness.noteReport(15, 4, 5);
  assert.equal([freshness.lookedAt, freshness.currentAt], [10, 20]);
  freshness.noteReport(30, 6, 5);
  freshness.noteReport(40, 6, 5);
  assert.is(freshness.currentAt, 20);
  freshness.noteReport(50, 5, 5);
  assert.is(freshness.currentAt, 20, 'a report stays valid after its node has stopped');
  freshness.noteApplied(6);
  assert.is(freshness.currentAt, 30, 'as of the first report');
  freshness.noteReport(60, 6, 6);
  assert.is(freshness.currentAt, 60);
});

test('a read of the log overrides reports: a node that reports more has another history', () => {
  const freshness = new Freshness();
  freshness.noteReport(10, 9, 5);
  freshness.noteRead(20, 5, 5);
  assert.is(freshness.currentAt, 20);
  freshness.noteRead(30, 7, 5);
  freshness.noteReport(40, 5, 5);
  assert.is(freshness.currentAt, 20, 'entries of the log are missing, whatever other nodes report');
});

test.run();
