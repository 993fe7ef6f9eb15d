/**
 * A slow visitor does not occupy the connection to the origin: the body is read ahead, within
 * limits, and nothing is lost.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryBudget } from '../../../edge/http/exchange/client-memory.ts';
import type { BodySink } from '../../../edge/http/exchange/exchange.ts';
import { OriginError } from '../../../edge/origin/origin.ts';
import { ReceivedBody } from '../../../edge/origin/received-body.ts';
import { Gate, Outflow } from '../../../edge/proxy/outflow.ts';
import { FakeExchange } from './fake-exchange.ts';

const KB = 1024;
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

function begin(limit: number): {
  exchange: FakeExchange;
  body: ReceivedBody & BodySinkOwner;
  outflow: Outflow;
  budget: MemoryBudget;
  result: { value?: unknown };
} {
  const budget = new MemoryBudget(limit);
  const exchange = Object.assign(new FakeExchange(), { memory: budget.enter('192.0.2.1') });
  const body = new ReceivedBody({ onRoom() {}, onCancelled() {} }, undefined);
  exchange.respond(200, []);
  const outflow = new Outflow(body, exchange, new Gate(exchange));
  const result: { value?: unknown } = {};
  outflow.finished.then(
    (end) => Object.assign(result, { value: end }),
    (error) => Object.assign(result, { value: error }),
  );
  return { exchange, body, outflow, budget, result };
}
type BodySinkOwner = { flow(sink: BodySink): unknown };

test('a fast visitor gets each part immediately, and nothing is buffered', async () => {
  const { exchange, body, budget, result } = begin(1024 * KB);
  body.push(Buffer.from('one'));
  body.push(Buffer.from('two'));
  assert.is(exchange.text, 'onetwo');
  assert.is(budget.held, 0);
  body.finish([]);
  await turn();
  assert.is(result.value, null);
});

test('a short pause makes the origin wait', async () => {
  const { exchange, body, outflow } = begin(1024 * KB);
  exchange.isFull = true;
  body.push(Buffer.from('one'));
  assert.ok(body.isFull);
  outflow.check();
  assert.ok(body.isFull);
  exchange.drain();
  await turn();
  assert.not(body.isFull);
});

test('for a slow visitor the rest is read ahead, and sent in order', async () => {
  const { exchange, body, outflow, budget, result } = begin(1024 * KB);
  exchange.isFull = true;
  body.push(Buffer.from('one'));
  outflow.check();
  outflow.check();
  assert.not(body.isFull);
  body.push(Buffer.from('two'));
  body.push(Buffer.alloc(100 * KB, 'x'));
  body.finish([]);
  assert.is(budget.held, 3 + 100 * KB);
  await turn();
  assert.is(result.value, undefined);
  exchange.drain();
  await turn();
  assert.is(exchange.text.length, 6 + 100 * KB);
  assert.is(exchange.text.slice(0, 6), 'onetwo');
  assert.is(result.value, null);
  assert.is(budget.held, 0);
});

test('reading ahead uses at most half of the memory of a network', () => {
  const { exchange, body, outflow, budget } = begin(1024 * KB);
  exchange.isFull = true;
  body.push(Buffer.from('one'));
  outflow.check();
  outflow.check();
  for (let i = 0; i < 100 && !body.isFull; i++) body.push(Buffer.alloc(16 * KB));
  assert.ok(body.isFull);
  assert.ok(budget.held <= 256 * KB + 16 * KB, String(budget.held));
});

test('parts before a fault are sent before it is reported', async () => {
  const { exchange, body, outflow, result } = begin(1024 * KB);
  exchange.isFull = true;
  body.push(Buffer.from('one'));
  outflow.check();
  outflow.check();
  body.push(Buffer.from('two'));
  body.fail(new OriginError('reset', 'gone'));
  await turn();
  assert.is(result.value, undefined);
  exchange.drain();
  await turn();
  assert.is(exchange.text, 'onetwo');
  assert.instance(result.value, OriginError);
});

test('a visitor who disconnects leaves nothing behind', async () => {
  const { exchange, body, outflow, budget, result } = begin(1024 * KB);
  exchange.isFull = true;
  body.push(Buffer.from('one'));
  outflow.check();
  outflow.check();
  body.push(Buffer.from('two'));
  exchange.isEnded = true;
  exchange.drain();
  await turn();
  assert.is(budget.held, 0);
  assert.is(result.value, null);
});

test.run();
