/** How many messages the threads hand to main. */
import { MessageChannel } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, TRANSPORT } from '../../../core/answer/client.ts';
import { DeferredQueue } from '../../../core/net/deferred-queue.ts';

const MESSAGE = new Uint8Array(12);

test('over UDP so many a second, however many threads there are; over TCP as many as are answered', () => {
  let now = 5_000_500;
  const udpSecond = new SharedArrayBuffer(8);
  const channels = Array.from({ length: 4 }, () => {
    const { port1, port2 } = new MessageChannel();
    const underWay = new SharedArrayBuffer(4);
    const queue = new DeferredQueue({ port: port1, underWay, udpSecond }, () => now);
    return { queue, underWay: new Int32Array(underWay), close: () => port2.close() };
  });
  const client = new Client();
  const taken = (transport: number): number => {
    client.transport = transport;
    let count = 0;
    for (let i = 0; i < 600; i++)
      for (const { queue, underWay } of channels) {
        if (queue.ask(MESSAGE, 0, MESSAGE.length, client, null) !== 0) count++;
        // As if main had answered.
        underWay[0] = 0;
      }
    return count;
  };
  assert.is(taken(TRANSPORT.UDP), 1000);
  assert.is(taken(TRANSPORT.UDP), 0);
  assert.is(taken(TRANSPORT.TCP), 2400);
  now += 500;
  assert.is(taken(TRANSPORT.UDP), 1000, 'in the next second');
  for (const { close } of channels) close();
});

test.run();
