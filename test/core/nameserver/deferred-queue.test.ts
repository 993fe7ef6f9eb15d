/** Limits on the messages that the threads defer to the main thread. */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RESERVED_PENDING, type ToMain } from '../../../core/nameserver/deferred.ts';
import { createUdpLimit, DEFAULT_UDP_LIMIT, MAX_PER_SECOND } from '../../../core/nameserver/deferred-limit.ts';
import { DeferredQueue, type ReplyPath } from '../../../core/nameserver/deferred-queue.ts';
import { Client, TRANSPORT } from '../../../core/net/address/client.ts';

const MESSAGE = new Uint8Array(12);
/** The main thread replies through its socket. */
const DATAGRAM: ReplyPath = { replyTo: () => ({ fd: -1, name: new Uint8Array(16), control: new Uint8Array(0) }) };
const STREAM: ReplyPath = { replyTo: () => ({ write: () => {}, end: () => {} }) };

/** Each `n` is in a different network. */
function clientOf(n: number, transport: number): Client {
  const client = new Client();
  client.setAddress(Uint8Array.of(10, n >> 8, n, 1), 0, 4);
  client.transport = transport;
  return client;
}

const { rate } = DEFAULT_UDP_LIMIT;

test('UDP messages are limited per second over all threads; TCP messages are not', () => {
  let now = 5_000_500;
  const udpLimit = createUdpLimit();
  const channels = Array.from({ length: 4 }, () => {
    const { port1, port2 } = new MessageChannel();
    const pendingCount = new SharedArrayBuffer(4);
    const queue = new DeferredQueue({ port: port1, pendingCount, udpLimit }, () => now);
    return { queue, pendingCount: new Int32Array(pendingCount), close: () => port2.close() };
  });
  const countAccepted = (transport: number, networks: number, hasValidCookie = false): number => {
    const clients = Array.from({ length: networks }, (_, n) => clientOf(n, transport));
    let count = 0;
    for (let i = 0; i < 600; i++)
      for (const { queue, pendingCount } of channels) {
        if (queue.submit(MESSAGE, 0, MESSAGE.length, clients[i % networks], hasValidCookie, DATAGRAM) !== 0) count++;
        // As if the main thread had answered.
        pendingCount[0] = 0;
      }
    return count;
  };
  assert.is(countAccepted(TRANSPORT.UDP, 200), MAX_PER_SECOND);
  assert.is(countAccepted(TRANSPORT.UDP, 200), 0);
  assert.is(countAccepted(TRANSPORT.UDP, 200, true), MAX_PER_SECOND, 'clients with a cookie have a separate limit');
  assert.is(countAccepted(TRANSPORT.TCP, 200), 2400);
  now += 1500;
  assert.is(countAccepted(TRANSPORT.UDP, 1), rate, 'one network in the next second');
  assert.is(countAccepted(TRANSPORT.UDP, 1, true), MAX_PER_SECOND, 'a cookie exempts from the rate of the network');
  assert.is(countAccepted(TRANSPORT.UDP, 200), MAX_PER_SECOND - rate, 'other networks get the rest');
  for (const { close } of channels) close();
});

for (const [what, options, n, expected] of [
  ['a configured rate', { rate: 7, allow: false }, 1, 7],
  ['no rate', { rate: 0, allow: false }, 1, MAX_PER_SECOND],
  ['an exempt network', { rate: 7, allow: ['10.0.1.0/24'] }, 1, MAX_PER_SECOND],
  ['a network next to the exempt one', { rate: 7, allow: ['10.0.1.0/24'] }, 2, 7],
  ['all networks are exempt', { rate: 7, allow: true }, 2, MAX_PER_SECOND],
] as const) {
  test(`over UDP: ${what}`, () => {
    const { port1, port2 } = new MessageChannel();
    const pendingCount = new SharedArrayBuffer(4);
    const queue = new DeferredQueue({ port: port1, pendingCount, udpLimit: createUdpLimit(options) }, () => 5_000_500);
    const client = clientOf(n, TRANSPORT.UDP);
    let accepted = 0;
    for (let i = 0; i < MAX_PER_SECOND + 100; i++) {
      if (queue.submit(MESSAGE, 0, MESSAGE.length, client, false, DATAGRAM) !== 0) accepted++;
      new Int32Array(pendingCount)[0] = 0;
    }
    assert.is(accepted, expected);
    port2.close();
  });
}

/** A queue, and the main thread's end of its channel. */
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

test('over streams, a client has no more pending requests than its share', () => {
  const { queue, end, close } = streamQueue();
  const submit = (n: number): number =>
    queue.submit(MESSAGE, 0, MESSAGE.length, clientOf(n, TRANSPORT.TCP), true, STREAM);
  const fill = (n: number): number[] => {
    const ids: number[] = [];
    for (let id = submit(n); id !== 0; id = submit(n)) ids.push(id);
    return ids;
  };
  const first = fill(1);
  assert.is(first.length, 64);
  const second = fill(2);
  assert.is(second.length, 48);
  for (let n = 3; n < RESERVED_PENDING; n++) fill(n);
  assert.is.not(submit(100), 0, 'a client without pending requests is accepted');
  assert.is(submit(1), 0);
  for (const id of first) end(id);
  assert.is.not(submit(1), 0, 'finished requests free capacity');
  close();
});

test('a cancelled request counts until the main thread has finished it', () => {
  const { queue, main, end, close } = streamQueue();
  const client = clientOf(1, TRANSPORT.TCP);
  const ids: number[] = [];
  for (;;) {
    const id = queue.submit(MESSAGE, 0, MESSAGE.length, client, true, STREAM);
    if (id === 0) break;
    queue.cancel(id);
    queue.cancel(id);
    ids.push(id);
  }
  assert.is(ids.length, 64);
  const messages: ToMain[] = [];
  for (let next = receiveMessageOnPort(main); next !== undefined; next = receiveMessageOnPort(main))
    messages.push(next.message as ToMain);
  assert.equal(
    messages.map(({ kind, id }) => [kind, id]),
    ids.flatMap((id) => [
      ['submit', id],
      ['cancel', id],
    ]),
  );
  end(ids[0]);
  assert.is.not(queue.submit(MESSAGE, 0, MESSAGE.length, client, true, STREAM), 0);
  assert.is(queue.submit(MESSAGE, 0, MESSAGE.length, client, true, STREAM), 0);
  close();
});

test.run();
