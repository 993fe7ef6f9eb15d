/**
 * Nothing is fetched for a client that takes nothing, and what is fetched is charged until it has
 * left.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LEAST_FETCH, MemoryBudget } from '../../../../edge/http/exchange/client-memory.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import { headers, Rig, reset, resetCode, settings, windowUpdate } from './rig.ts';

const KB = 1024;
const INITIAL_WINDOW_SIZE = 4;
const REFUSED_STREAM = 7;
const turn = (): Promise<void> => new Promise((done) => setImmediate(() => setImmediate(done)));

/**
 * A session whose clients may hold `limit` bytes, with the windows of each stream, and of the
 * session, as given.
 */
async function begin(limit: number, window: number, ofSession = 0): Promise<{ rig: Rig; budget: MemoryBudget }> {
  const budget = new MemoryBudget(limit);
  const rig = new Rig({ memory: budget });
  rig.transport.receive(settings([INITIAL_WINDOW_SIZE, window]));
  if (ofSession > 0) rig.transport.receive(windowUpdate(0, ofSession));
  await turn();
  return { rig, budget };
}

/** A stream that has its head, and how often it heard that more may come. */
function open(rig: Rig, id: number): { exchange: Rig['exchanges'][number]; drains: () => number } {
  rig.transport.receive(headers(id));
  const exchange = rig.exchanges.at(-1)!;
  let drains = 0;
  exchange.onDrain(() => drains++);
  exchange.respond(200, []);
  return { exchange, drains: () => drains };
}

test('a closed stream window: nothing is fetched until it opens', async () => {
  const { rig } = await begin(64 * 1024 * KB, 0);
  const { exchange, drains } = open(rig, 1);
  assert.is(exchange.reserve(256 * KB), 0);
  await turn();
  assert.is(drains(), 0);
  rig.transport.receive(windowUpdate(1, 1));
  await turn();
  assert.is(drains(), 1);
  assert.is(exchange.reserve(256 * KB), LEAST_FETCH, 'the least, for a byte of window');
});

test('a closed session window, used up by the first stream', async () => {
  const { rig } = await begin(64 * 1024 * KB, 1024 * KB);
  const first = open(rig, 1);
  const second = open(rig, 3);
  assert.is(first.exchange.reserve(256 * KB), LEAST_FETCH);
  first.exchange.write(Buffer.alloc(65_535));
  await rig.frames();
  assert.is(second.exchange.reserve(256 * KB), 0);
  await turn();
  assert.is(second.drains(), 0);
  rig.transport.receive(windowUpdate(0, 300 * KB));
  await turn();
  assert.is(second.drains(), 1);
  assert.is(second.exchange.reserve(256 * KB), 256 * KB);
});

test('a large backlog: only the minimum for each stream', async () => {
  const { rig } = await begin(64 * 1024 * KB, 1024 * KB, 8 * 1024 * KB);
  rig.transport.isHeld = true;
  const first = open(rig, 1);
  const second = open(rig, 3);
  first.exchange.write(Buffer.alloc(DEFAULT_LIMITS.sessionBuffer + 256 * KB));
  await turn();
  assert.is(second.exchange.reserve(256 * KB), LEAST_FETCH);
});

test('reserved, queued and sent bytes are charged until they are acknowledged or the stream ends', async () => {
  const { rig, budget } = await begin(64 * 1024 * KB, 64 * KB, 1024 * KB);
  const { exchange } = open(rig, 1);
  await turn();
  const before = budget.held;
  assert.is(exchange.reserve(10 * KB), 10 * KB);
  assert.is(budget.held - before, 10 * KB);
  exchange.write(Buffer.alloc(6 * KB));
  assert.is(budget.held - before, 6 * KB, 'what was not needed is free again');
  await turn();
  assert.is(budget.held, before);
  exchange.write(Buffer.alloc(200 * KB));
  await turn();
  assert.ok(budget.held - before >= 200 * KB, 'as long as any of a part is here, all of it is');
  assert.is(exchange.reserve(10 * KB), 0);
  rig.transport.receive(reset(1));
  await turn();
  const { exchange: other } = open(rig, 3);
  await turn();
  assert.is(budget.held, before);
  other.reserve(64 * KB);
  rig.transport.close();
  assert.is(budget.held, 0);
});

test('a network at its share: nothing is fetched, and new requests are refused, until memory is released', async () => {
  const { rig, budget } = await begin(512 * KB, 64 * KB, 1024 * KB);
  const first = open(rig, 1);
  const second = open(rig, 3);
  await turn();
  rig.session.memory.hold(rig.session.memory.room - LEAST_FETCH / 2);
  assert.is(first.exchange.reserve(256 * KB), 0);
  assert.is(second.exchange.reserve(16 * KB), 16 * KB, 'a little fits still');
  rig.session.memory.hold(rig.session.memory.room);
  const streams = rig.exchanges.length;
  rig.transport.receive(headers(5));
  await turn();
  assert.is(rig.exchanges.length, streams);
  assert.is(resetCode(await rig.frames()), REFUSED_STREAM);
  // Another network finds room.
  assert.ok(budget.enter('198.51.100.1').room > 0);
  rig.session.memory.release(200 * KB);
  await turn();
  await turn();
  assert.is(first.drains(), 1);
  rig.transport.receive(headers(7));
  assert.is(rig.exchanges.length, streams + 1);
});

test('a stream whose client does not read for too long is ended', async () => {
  const { rig } = await begin(64 * 1024 * KB, 0);
  const { exchange } = open(rig, 1);
  exchange.reserve(64 * KB);
  rig.clock.advance(DEFAULT_LIMITS.stallTimeout / 1000 + 1);
  await turn();
  assert.is(exchange.isEnded, true);
});

test.run();
