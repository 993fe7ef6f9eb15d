import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FairSlots, type Slot, SlotLines } from '../../../core/base/fair-slots.ts';

class Stage {
  readonly slots: FairSlots;
  readonly lines: SlotLines;
  readonly begun: string[] = [];
  readonly cancelled: string[] = [];
  readonly held: Slot[] = [];

  constructor(slots: number, queue = 100) {
    this.slots = new FairSlots({ slots, queue });
    this.lines = new SlotLines(this.slots);
  }

  put(name: string, account: string, isUrgent = false): void {
    const begin = (slot: Slot): void => {
      this.begun.push(name);
      this.held.push(slot);
    };
    this.lines.put({ begin, cancel: () => this.cancelled.push(name) }, account, isUrgent);
  }

  async release(): Promise<void> {
    this.held.shift()?.release();
    await setImmediate();
  }
}

test('work begins at once while slots are free for its account', () => {
  const stage = new Stage(4);
  for (const name of ['a1', 'a2', 'a3']) stage.put(name, 'a');
  stage.put('b1', 'b');
  assert.equal(stage.begun, ['a1', 'a2', 'b1']);
  assert.is(stage.lines.waiting, 1);
});

test('a long line of one account delays no other, and has one waiter', async () => {
  const stage = new Stage(2);
  for (let i = 0; i < 500; i++) stage.put(`a${i}`, 'a');
  for (let i = 0; i < 500; i++) stage.put(`b${i}`, 'b');
  stage.put('c', 'c');
  assert.is(stage.slots.waiting, 3);
  await stage.release();
  assert.equal(stage.begun, ['a0', 'b0', 'c']);
  for (let i = 0; i < 999; i++) await stage.release();
  assert.is(stage.begun.length, 1001);
  assert.equal([stage.lines.waiting, stage.slots.waiting], [0, 0]);
});

test('urgent work of an account is first', async () => {
  const stage = new Stage(1);
  for (const name of ['first', 'second', 'third']) stage.put(name, 'a');
  stage.put('urgent', 'a', true);
  for (let i = 0; i < 4; i++) await stage.release();
  assert.equal(stage.begun, ['first', 'urgent', 'second', 'third']);
});

test('an account that finds the queue full gets its slot later', async () => {
  const stage = new Stage(1, 1);
  for (const account of ['a', 'b', 'c']) stage.put(account, account);
  await stage.release();
  await stage.release();
  while (stage.begun.length < 3) await setImmediate();
  assert.equal(stage.begun, ['a', 'b', 'c']);
});

test('closed lines cancel what waits, and what is put', async () => {
  const stage = new Stage(1);
  for (const name of ['first', 'second']) stage.put(name, 'a');
  stage.lines.close();
  stage.put('third', 'b');
  await stage.release();
  assert.equal(stage.begun, ['first']);
  assert.equal(stage.cancelled, ['second', 'third']);
  assert.equal([stage.slots.inUse, stage.slots.waiting], [0, 0]);
});

test.run();
