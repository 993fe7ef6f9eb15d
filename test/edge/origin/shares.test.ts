import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Shares } from '../../../edge/origin/limits.ts';

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

test('with a weight, one owner may have so many times what it leaves', () => {
  const shares = new Shares(100, 3);
  assert.is(takeAll(shares, 'a'), 75);
  assert.is(takeAll(shares, 'b'), 19);
  assert.is(takeAll(shares, 'c'), 5);
});

test('requests without a network are unlimited', () => {
  const shares = new Shares(2);
  shares.take(undefined);
  assert.ok(shares.hasRoom(undefined));
  shares.take(undefined);
  assert.not(shares.hasRoom(undefined));
  assert.not(shares.hasRoom('a'));
});

test.run();
