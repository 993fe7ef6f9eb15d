import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClientMemory, MemoryBudget, type MemoryWaiter } from '../../../../edge/http/exchange/client-memory.ts';

const test = suite('memory of clients');

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes `bytes` repeatedly until it is refused; returns how often it was granted. */
function takeAll(memory: ClientMemory, bytes: number): number {
  let times = 0;
  while (memory.take(bytes)) times++;
  return times;
}

test('one network gets half of the limit, two a third each, and the next one always finds room', () => {
  const budget = new MemoryBudget(600);
  const first = budget.enter('192.0.2.1');
  assert.is(takeAll(first, 1), 300);
  const second = budget.enter('192.0.2.2');
  assert.is(takeAll(second, 1), 150);
  first.release(300);
  assert.is(takeAll(second, 1), 150, 'half of the limit, when no other network holds any');
  assert.not(budget.enter('192.0.2.9').take(200), 'not at once either');
  const third = budget.enter('192.0.2.3');
  assert.ok(third.room > 0);
  assert.ok(budget.held < budget.limit);
});

test('visitors of one site, whatever their networks, leave a quarter for others', () => {
  const budget = new MemoryBudget(800);
  const flood = Array.from({ length: 60 }, (_, i) => budget.enter(`192.0.2.${i}`, 'flooded'));
  const held = flood.map((memory) => takeAll(memory, 1)).reduce((sum, times) => sum + times, 0);
  assert.is(held, 600);
  const [fresh, flooding] = [budget.enter('198.51.100.1', 'other'), budget.enter('192.0.2.0', 'other')];
  assert.ok(fresh.room >= 90, String(fresh.room));
  assert.is(flooding.room, 0, 'what its network holds as a visitor of the other site counts');
  assert.is.not(flooding, flood[0]);
  for (const memory of flood) {
    memory.release(memory.held);
    budget.leave(memory);
  }
  assert.is(budget.enter('203.0.113.1', 'flooded').room, 400, 'half, as for any network');
});

test('addresses of one /64 share an account, as do an IPv4 address and its mapped form', () => {
  const budget = new MemoryBudget(100);
  assert.is(budget.enter('2001:db8::1'), budget.enter('2001:db8::ffff:2'));
  assert.is.not(budget.enter('2001:db8::1'), budget.enter('2001:db8:0:1::1'));
  assert.is(budget.enter('192.0.2.1').network, '192.0.2.1');
});

test('an account is forgotten with the last connection that has entered it', () => {
  const budget = new MemoryBudget(100);
  const memory = budget.enter('192.0.2.1');
  assert.is(budget.enter('192.0.2.1'), memory);
  budget.leave(memory);
  assert.is(budget.enter('192.0.2.1'), memory);
  budget.leave(memory);
  budget.leave(memory);
  assert.is.not(budget.enter('192.0.2.1'), memory);
});

test('waiters are called in turn, once, and only when there is room', async () => {
  const budget = new MemoryBudget(100);
  const memory = budget.enter('192.0.2.1');
  const called: string[] = [];
  const waiter = (name: string, bytes: number): MemoryWaiter => ({
    onMemory() {
      called.push(name);
      if (!memory.take(bytes)) memory.waitFor(this);
    },
  });
  assert.ok(memory.take(50));
  memory.waitFor(waiter('a', 20));
  memory.waitFor(waiter('b', 20));
  memory.waitFor(waiter('c', 20));
  await turn();
  assert.equal(called, []);
  memory.release(25);
  await turn();
  // 25 are held, and 25 may be; when the first has its 20 there is room for 5, which is not enough
  // for the others.
  assert.equal(called, ['a', 'b', 'c']);
  memory.release(20);
  await turn();
  assert.equal(called, ['a', 'b', 'c', 'b', 'c'], 'in the order in which they came');
  assert.is(memory.held, 45);
});

test('a removed waiter is not called', async () => {
  const budget = new MemoryBudget(100);
  const memory = budget.enter('192.0.2.1');
  let calls = 0;
  const waiter: MemoryWaiter = { onMemory: () => calls++ };
  memory.hold(100);
  memory.waitFor(waiter);
  memory.forget(waiter);
  memory.release(100);
  await turn();
  assert.is(calls, 0);
});

test('memory that one network releases wakes a waiter of another', async () => {
  const budget = new MemoryBudget(100);
  const first = budget.enter('192.0.2.1');
  const second = budget.enter('192.0.2.2');
  first.hold(100);
  let calls = 0;
  second.waitFor({ onMemory: () => calls++ });
  first.release(60);
  await turn();
  assert.is(calls, 1);
});

test('a waiter whose network has left gets its turn, and no waiter is left', async () => {
  const budget = new MemoryBudget(100);
  const first = budget.enter('192.0.2.1');
  const second = budget.enter('192.0.2.2');
  first.hold(100);
  let calls = 0;
  second.waitFor({ onMemory: () => calls++ });
  budget.leave(second);
  first.release(60);
  await turn();
  assert.is(calls, 1);
  assert.is(budget.waiting, 0);
  assert.is.not(budget.enter('192.0.2.2'), second, 'the account is gone');
});

test.run();
