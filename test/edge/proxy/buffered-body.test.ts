/** The start of a request body is buffered before a connection to the origin is used. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyQueue } from '../../../edge/http/exchange/body-queue.ts';
import { MemoryBudget } from '../../../edge/http/exchange/client-memory.ts';
import { bufferBodyStart, bufferTerms } from '../../../edge/proxy/request-body.ts';
import { FakeExchange } from './fake-exchange.ts';

const MEMORY = new MemoryBudget(1024 ** 3).enter('192.0.2.1');
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

function begin(
  length: number | undefined,
  size: number | null = null,
  memory = MEMORY,
): {
  queue: BodyQueue;
  begun: ReturnType<typeof bufferBodyStart>;
  isBegun: () => boolean;
} {
  const queue = new BodyQueue({ onFirstRead() {}, onTaken() {} }, length);
  const exchange = Object.assign(new FakeExchange({ body: queue }), { memory });
  let isBegun = false;
  const begun = bufferBodyStart(exchange, bufferTerms(size)).then((body) => {
    isBegun = true;
    return body;
  });
  begun.catch(() => {});
  return { queue, begun, isBegun: () => isBegun };
}

/** Reads the body as a flow, and pauses `holds` times after each part. */
function flowed(body: Awaited<ReturnType<typeof bufferBodyStart>>, holds = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: string[] = [];
    let left = holds;
    const flow = body.flow?.({
      onPart(part) {
        parts.push(Buffer.from(part).toString());
        if (left-- <= 0) return true;
        setImmediate(() => flow?.resume());
        return false;
      },
      onOver: (error) => (error === null ? resolve(parts.join('')) : reject(error)),
    });
  });
}

async function read(body: Awaited<ReturnType<typeof bufferBodyStart>>): Promise<string> {
  let text = '';
  for (let part = await body.read(); part !== null; part = await body.read()) text += Buffer.from(part).toString();
  return text;
}

test('a short body is buffered completely', async () => {
  const { queue, begun, isBegun } = begin(6);
  queue.push(Buffer.from('abc'));
  await turn();
  assert.not(isBegun());
  assert.is(MEMORY.held, 3);
  queue.push(Buffer.from('def'));
  queue.finish();
  assert.is(await flowed(await begun), 'abcdef');
  assert.is(MEMORY.held, 0);
});

test('the start of a long body is buffered', async () => {
  const { queue, begun, isBegun } = begin(200_000);
  queue.push(Buffer.alloc(65_535, 'a'));
  await turn();
  assert.not(isBegun());
  queue.push(Buffer.alloc(10_000, 'b'));
  const body = await begun;
  assert.is(MEMORY.held, 75_535);
  const all = flowed(body, 1);
  queue.push(Buffer.alloc(124_465, 'c'));
  queue.finish();
  assert.is((await all).length, 200_000);
  assert.is(MEMORY.held, 0);
});

test('a body of unknown length is passed on after a silence, and loses nothing', async () => {
  const { queue, begun } = begin(undefined);
  queue.push(Buffer.from('abc'));
  const body = await begun;
  assert.is(body.flow, undefined, 'a read is pending');
  const all = read(body);
  queue.push(Buffer.from('def'));
  await turn();
  queue.push(Buffer.from('ghi'));
  queue.finish(['name', 'value']);
  assert.is(await all, 'abcdefghi');
  assert.equal(body.trailers, ['name', 'value']);
  assert.is(MEMORY.held, 0);
});

test('a body of unknown length that arrives slowly is passed on before it fills the buffer', async () => {
  const { queue, begun } = begin(undefined);
  let sent = 0;
  // Four seconds or more.
  const timer = setInterval(() => {
    if (++sent < 400) return queue.push(Buffer.from('a'));
    queue.finish();
    clearInterval(timer);
  }, 10);
  const body = await begun;
  const sentBefore = sent;
  clearInterval(timer);
  queue.finish();
  assert.ok(sentBefore < 400, `${sentBefore}`);
  assert.is(await read(body), 'a'.repeat(sentBefore));
  assert.is(MEMORY.held, 0);
});

test('a body that breaks off or is discarded keeps no memory', async () => {
  const broken = begin(100);
  broken.queue.push(Buffer.from('abc'));
  await turn();
  broken.queue.fail('client');
  await broken.begun.then(
    () => assert.unreachable(),
    (error) => assert.is(error.name, 'AbortError'),
  );
  assert.is(MEMORY.held, 0);
  const unwanted = begin(undefined);
  unwanted.queue.push(Buffer.from('abc'));
  (await unwanted.begun).discard();
  assert.ok(unwanted.queue.isDiscarding);
  assert.is(MEMORY.held, 0);
});

test('without a buffer, the request is sent at once', async () => {
  for (const length of [undefined, 6]) {
    const { queue, begun } = begin(length, 0);
    const body = await begun;
    assert.is(body.length, length);
    const all = flowed(body);
    queue.push(Buffer.from('abcdef'));
    queue.finish();
    assert.is(await all, 'abcdef');
    assert.is(MEMORY.held, 0);
  }
});

test('a body that fits a set buffer is received to its end, and gets a length', async () => {
  const { queue, begun, isBegun } = begin(undefined, 200_000);
  queue.push(Buffer.alloc(70_000, 'a'));
  await new Promise((done) => setTimeout(done, 300));
  assert.not(isBegun(), 'silence does not end it');
  queue.push(Buffer.alloc(70_000, 'b'));
  queue.finish();
  const body = await begun;
  assert.is(body.length, 140_000);
  assert.is((await flowed(body)).length, 140_000);
  assert.is(MEMORY.held, 0);
});

test('a body with trailers keeps its unknown length', async () => {
  const { queue, begun } = begin(undefined, 200_000);
  queue.push(Buffer.from('abc'));
  queue.finish(['name', 'value']);
  const body = await begun;
  assert.is(body.length, undefined);
  assert.is(await read(body), 'abc');
});

test('a set buffer is not larger than usual when half of the memory is in use', async () => {
  const memory = new MemoryBudget(400_000).enter('192.0.2.1');
  const { queue, begun } = begin(undefined, 1_000_000, memory);
  for (let i = 0; i < 5; i++) queue.push(Buffer.alloc(30_000, 'a'));
  const body = await begun;
  assert.ok(memory.held >= 65_536 && memory.held <= 150_000, String(memory.held));
  queue.finish();
  assert.is((await read(body)).length, 150_000);
  assert.is(memory.held, 0);
});

test.run();
