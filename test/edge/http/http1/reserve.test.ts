/**
 * Nothing is fetched for a client that takes nothing, and what is fetched is charged until it has
 * left.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LEAST_FETCH, MemoryBudget, type MemoryWaiter } from '../../../../edge/http/exchange/client-memory.ts';
import { Outgoing } from '../../../../edge/http/http1/outgoing.ts';
import { MemoryTransport } from '../http2/rig.ts';

const KB = 1024;
const NOBODY: MemoryWaiter = { onMemory() {} };
const turn = (): Promise<void> => new Promise((done) => setImmediate(() => setImmediate(done)));

function begin(limit: number): {
  outgoing: Outgoing;
  transport: MemoryTransport;
  budget: MemoryBudget;
  written: () => number;
} {
  const budget = new MemoryBudget(limit);
  const transport = new MemoryTransport();
  let written = 0;
  const outgoing = new Outgoing(
    transport,
    budget.enter('192.0.2.1'),
    () => {},
    () => written++,
  );
  return { outgoing, transport, budget, written: () => written };
}

test('nothing is fetched while something waits behind a write', async () => {
  const { outgoing, transport } = begin(16 * 1024 * KB);
  transport.isHeld = true;
  outgoing.write(Buffer.alloc(100 * KB));
  outgoing.flush();
  assert.is(outgoing.reserve(256 * KB, NOBODY), 0);
  transport.release();
  outgoing.flush();
  assert.is(outgoing.reserve(256 * KB, NOBODY), 256 * KB, 'the last of it is under way');
});

test('reserved and waiting bytes are charged until they are sent', async () => {
  const { outgoing, budget } = begin(16 * 1024 * KB);
  assert.is(outgoing.reserve(256 * KB, NOBODY), 256 * KB);
  assert.is(budget.held, 256 * KB);
  outgoing.write(Buffer.alloc(200 * KB));
  assert.is(budget.held, 200 * KB);
  outgoing.flush();
  await turn();
  assert.ok(budget.held >= 200 * KB, 'as long as any of a part is here, all of it is');
  while (outgoing.isPending) {
    outgoing.flush();
    await turn();
  }
  assert.is(budget.held, 0);
  outgoing.write('text');
  outgoing.write(Buffer.alloc(70 * KB));
  assert.ok(budget.held >= 70 * KB);
  outgoing.stop();
  assert.is(budget.held, 0);
});

test('a network that holds its share waits for memory', async () => {
  const { outgoing, budget } = begin(2 * LEAST_FETCH);
  const other = budget.enter('192.0.2.1');
  other.hold(LEAST_FETCH);
  let calls = 0;
  assert.is(outgoing.reserve(256 * KB, { onMemory: () => calls++ }), 0);
  other.release(LEAST_FETCH);
  await turn();
  assert.is(calls, 1);
  assert.is(outgoing.reserve(256 * KB, NOBODY), LEAST_FETCH);
});

test.run();
