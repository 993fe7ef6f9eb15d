/** How many messages the threads hand to main, and of whom. */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, TRANSPORT } from '../../../core/address/client.ts';
import { RESERVED_PENDING, type ToMain } from '../../../core/nameserver/deferred.ts';
import { createUdpLimit, DEFAULT_UDP_LIMIT, MAX_PER_SECOND } from '../../../core/nameserver/deferred-limit.ts';
import { type AnswerSink, DeferredQueue } from '../../../core/nameserver/deferred-queue.ts';

const MESSAGE = new Uint8Array(12);
const TAKER: AnswerSink = { write: () => {}, end: () => {} };

/** `n`: a network of its own for each. */
function clientOf(n: number, transport: number): Client {
  const client = new Client();
  client.setAddress(Uint8Array.of(10, n >> 8, n, 1), 0, 4);
  client.transport = transport;
  return client;
}

const { rate } = DEFAULT_UDP_LIMIT;

test('over UDP so many a second, however many threads there are; over TCP as many as are answered', () => {
  let now = 5_000_500;
  const udpLimit = createUdpLimit();
  const channels = Array.from({ length: 4 }, () => {
    const { port1, port2 } = new MessageChannel();
    const pendingCount = new SharedArrayBuffer(4);
    const queue = new DeferredQueue({ port: port1, pendingCount, udpLimit }, () => now);
    return { queue, pendingCount: new Int32Array(pendingCount), close: () => port2.close() };
  });
  const taken = (transport: number, networks: number, isProven = false): number => {
    const clients = Array.from({ length: networks }, (_, n) => clientOf(n, transport));
    let count = 0;
    for (let i = 0; i < 600; i++)
      for (const { queue, pendingCount } of channels) {
        if (queue.submit(MESSAGE, 0, MESSAGE.length, clients[i % networks], isProven, null, () => NOBODY) !== 0)
          count++;
        // As if main had answered.
        pendingCount[0] = 0;
      }
    return count;
  };
  assert.is(taken(TRANSPORT.UDP, 200), MAX_PER_SECOND);
  assert.is(taken(TRANSPORT.UDP, 200), 0);
  assert.is(taken(TRANSPORT.UDP, 200, true), MAX_PER_SECOND, 'who cannot be forged has a bound of its own');
  assert.is(taken(TRANSPORT.TCP, 200), 2400);
  now += 1500;
  assert.is(taken(TRANSPORT.UDP, 1), rate, 'of one network in the next second');
  assert.is(taken(TRANSPORT.UDP, 1, true), MAX_PER_SECOND, 'from which a cookie exempts');
  assert.is(taken(TRANSPORT.UDP, 200), MAX_PER_SECOND - rate, 'which leaves the rest to others');
  for (const { close } of channels) close();
});

for (const [what, options, n, expected] of [
  ['a rate that is set', { rate: 7, allow: false }, 1, 7],
  ['no rate', { rate: 0, allow: false }, 1, MAX_PER_SECOND],
  ['a network that is exempt', { rate: 7, allow: ['10.0.1.0/24'] }, 1, MAX_PER_SECOND],
  ['a network beside it', { rate: 7, allow: ['10.0.1.0/24'] }, 2, 7],
  ['all are exempt', { rate: 7, allow: true }, 2, MAX_PER_SECOND],
] as const) {
  test(`over UDP: ${what}`, () => {
    const { port1, port2 } = new MessageChannel();
    const pendingCount = new SharedArrayBuffer(4);
    const queue = new DeferredQueue({ port: port1, pendingCount, udpLimit: createUdpLimit(options) }, () => 5_000_500);
    const client = clientOf(n, TRANSPORT.UDP);
    let taken = 0;
    for (let i = 0; i < MAX_PER_SECOND + 100; i++) {
      if (queue.submit(MESSAGE, 0, MESSAGE.length, client, false, null, () => NOBODY) !== 0) taken++;
      new Int32Array(pendingCount)[0] = 0;
    }
    assert.is(taken, expected);
    port2.close();
  });
}

/** Where main's own replies go. */
const NOBODY = { fd: -1, name: new Uint8Array(16), control: new Uint8Array(0) };

/** A queue, and main's end of it. */
function streamQueue(): { queue: DeferredQueue; main: MessagePort; end(id: number): void; close(): void } {
  const { port1, port2 } = new MessageChannel();
  const pendingCount = new SharedArrayBuffer(4);
  const queue = new DeferredQueue({ port: port1, pendingCount, udpLimit: createUdpLimit() });
  return {
    queue,
    main: port2,
    end(id) {
      Atomics.sub(new Int32Array(pendingCount), 0, 1);
      port2.postMessage({ kind: 'end', id, failed: false });
      queue.receive();
    },
    close: () => port2.close(),
  };
}

test('over streams nobody has more under way than is left to others', () => {
  const { queue, end, close } = streamQueue();
  const ask = (n: number): number => queue.submit(MESSAGE, 0, MESSAGE.length, clientOf(n, TRANSPORT.TCP), true, TAKER);
  const fill = (n: number): number[] => {
    const ids: number[] = [];
    for (let id = ask(n); id !== 0; id = ask(n)) ids.push(id);
    return ids;
  };
  const first = fill(1);
  assert.is(first.length, 64);
  const second = fill(2);
  assert.is(second.length, 48);
  for (let n = 3; n < RESERVED_PENDING; n++) fill(n);
  assert.is.not(ask(100), 0, 'there is room for one who has nothing');
  assert.is(ask(1), 0);
  for (const id of first) end(id);
  assert.is.not(ask(1), 0, 'what has ended makes room');
  close();
});

test('who asks and goes away counts until main has ended it', () => {
  const { queue, main, end, close } = streamQueue();
  const client = clientOf(1, TRANSPORT.TCP);
  const ids: number[] = [];
  for (;;) {
    const id = queue.submit(MESSAGE, 0, MESSAGE.length, client, true, TAKER);
    if (id === 0) break;
    queue.cancel(id);
    queue.cancel(id);
    ids.push(id);
  }
  assert.is(ids.length, 64);
  const told: ToMain[] = [];
  for (let one = receiveMessageOnPort(main); one !== undefined; one = receiveMessageOnPort(main))
    told.push(one.message as ToMain);
  assert.equal(
    told.map(({ kind, id }) => [kind, id]),
    ids.flatMap((id) => [
      ['submit', id],
      ['cancel', id],
    ]),
  );
  end(ids[0]);
  assert.is.not(queue.submit(MESSAGE, 0, MESSAGE.length, client, true, TAKER), 0);
  assert.is(queue.submit(MESSAGE, 0, MESSAGE.length, client, true, TAKER), 0);
  close();
});

test.run();
