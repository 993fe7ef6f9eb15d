import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Call } from '../../../edge/origin/call.ts';
import { FairQueue } from '../../../edge/origin/fair-queue.ts';
import type { OriginRequest } from '../../../edge/origin/origin.ts';
import { Shares } from '../../../edge/origin/shares.ts';

function takeAll(shares: Shares, network: string): number {
  let times = 0;
  for (; shares.hasRoom(network); times++) shares.take(network);
  return times;
}

test('one network gets half, the next half of the rest, and another one finds some', () => {
  const shares = new Shares(256);
  assert.is(takeAll(shares, 'a'), 128);
  assert.is(takeAll(shares, 'b'), 64);
  assert.ok(shares.hasRoom('c'));
  for (let i = 0; i < 128; i++) shares.giveBack('a');
  assert.is(shares.of('a'), 0);
  assert.is(takeAll(shares, 'b') + 64, 128);
});

test('what is nobody’s in particular may have all', () => {
  const shares = new Shares(2);
  shares.take(undefined);
  assert.ok(shares.hasRoom(undefined));
  shares.take(undefined);
  assert.not(shares.hasRoom(undefined));
  assert.not(shares.hasRoom('a'));
});

const call = (client: string, path: string, deadline = 0): Call => {
  const made = new Call(
    { client, path } as OriginRequest,
    '',
    undefined,
    () => {},
    () => {},
  );
  made.deadline = deadline;
  return made;
};
const pathsOf = (calls: readonly (Call | undefined)[]): unknown[] => calls.map((one) => one?.request.path);

test('networks take turns, each in the order in which its calls came; one that may not go is passed over', () => {
  const queue = new FairQueue();
  for (const one of [call('a', '/a1'), call('a', '/a2'), call('a', '/a3'), call('b', '/b1'), call('c', '/c1')])
    queue.add(one);
  const next = (but = ''): Call | undefined => queue.next((network) => network !== but);
  assert.equal(pathsOf([next(), next(), next('c'), next()]), ['/a1', '/b1', '/a2', '/c1']);
  assert.is(queue.size, 1);
  assert.is(next('a'), undefined);
  assert.ok(queue.has('a'));
  assert.equal(pathsOf([next(), next()]), ['/a3', undefined]);
});

test('calls leave when they are cancelled or late', () => {
  const queue = new FairQueue();
  const calls = [call('a', '/1', 10), call('a', '/2', 20), call('b', '/3', 15)];
  for (const one of calls) queue.add(one);
  assert.ok(queue.delete(calls[1]));
  assert.not(queue.delete(calls[1]));
  assert.equal(pathsOf(queue.expired(12)), ['/1']);
  assert.equal(pathsOf(queue.clear()), ['/3']);
  assert.is(queue.size, 0);
});

test.run();
