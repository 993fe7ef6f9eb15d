import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TransferMemory } from '../../../../core/upkeep/secondary/memory.ts';

const FULL = /memory of this server for transfers is used up/;

test('a transfer that is alone may use all of the memory, and no more', () => {
  const memory = new TransferMemory(100);
  const holder = memory.open('a');
  holder.add(100);
  assert.throws(() => holder.add(1), FULL);
  assert.is(memory.used, 100);
  holder.close();
  holder.close();
  assert.is(memory.used, 0);
});

test('the account that holds most loses its largest transfer to one that holds less', () => {
  const memory = new TransferMemory(100);
  const [small, large, other] = ['a', 'a', 'b'].map((account) => memory.open(account));
  small.add(30);
  large.add(50);
  other.add(15);
  assert.not(large.signal.aborted);
  other.add(15);
  assert.match(large.signal.reason.message, FULL);
  assert.not(small.signal.aborted);
  assert.throws(() => large.add(1), FULL, 'it has lost its memory');
  assert.is(memory.used, 60);
  large.close();
  assert.is(memory.used, 60);
});

test('an account takes nothing from one that would then hold less than itself', () => {
  const memory = new TransferMemory(100);
  const [first, second] = ['a', 'b'].map((account) => memory.open(account));
  first.add(50);
  second.add(50);
  assert.throws(() => first.add(1), FULL);
  assert.not(second.signal.aborted);
});

test('a transfer that is complete keeps its memory', () => {
  const memory = new TransferMemory(100);
  const [first, second] = ['a', 'b'].map((account) => memory.open(account));
  first.add(90);
  first.isComplete = true;
  assert.throws(() => second.add(20), FULL);
  assert.not(first.signal.aborted);
});

test.run();
