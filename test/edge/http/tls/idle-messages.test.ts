/**
 * Messages of TLS that carry no data: each costs the server more than the client that has them
 * ready.
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PREFACE } from '../../../../edge/http/http2/protocol.ts';
import { MAX_IDLE_MESSAGES } from '../../../../edge/http/tls/profile.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { HOST, withServer } from '../server/rig.ts';
import { rawClient } from './raw-client.ts';

const test = suite('edge/http/tls/idle-messages');

const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
/** PING without ACK: it is answered. */
const PING = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);

const closeOf = (socket: Socket): Promise<void> => new Promise((done) => socket.once('close', () => done()));

/** Something has come; rejects when the connection closes instead. */
async function heard(socket: Socket): Promise<void> {
  const data = new Promise<boolean>((done) => socket.once('data', () => done(true)));
  const isOpen = await Promise.race([data, closeOf(socket).then(() => false)]);
  assert.ok(isOpen, 'it was closed');
}

/** Bytes of two frames, if they share a record. */
const REPLIES = 9 + PING.length + 22;

test('a client that sends nothing but KeyUpdates is cut off, in one read or in many', async () => {
  await withServer(async ({ tlsPort, counters }) => {
    for (const [together, times] of [
      [100_000, 1],
      [100, 1],
      [1, 100],
    ]) {
      const client = await rawClient(tlsPort, HOST);
      client.socket.write(client.data(Buffer.concat([PREFACE, SETTINGS])));
      await heard(client.socket);
      const closed = closeOf(client.socket);
      for (let i = 0; i < times && !client.socket.destroyed; i++) {
        client.socket.write(client.keyUpdates(together));
        await new Promise((done) => setImmediate(done));
      }
      await closed;
      client.free();
    }
    assert.is(counters.get('http2'), 3);
  });
});

test('a client whose KeyUpdates come between data is served', async () => {
  await withServer(async ({ tlsPort }) => {
    const client = await rawClient(tlsPort, HOST);
    client.socket.write(client.data(Buffer.concat([PREFACE, SETTINGS])));
    await heard(client.socket);
    for (let i = 0; i < 20; i++) {
      // In one write: what is behind them is read though the socket tells of nothing more.
      const updates = client.keyUpdates(i === 0 ? MAX_IDLE_MESSAGES : 2);
      client.socket.write(Buffer.concat([updates, client.data(PING)]));
      await heard(client.socket);
    }
    assert.is(client.socket.destroyed, false);
    client.socket.destroy();
    client.free();
  });
});

test('thousands of small records are read in turns, and none is lost', async () => {
  await withServer(async ({ tlsPort }) => {
    const client = await rawClient(tlsPort, HOST);
    const bytes = Buffer.concat([PREFACE, SETTINGS, PING]);
    const records = Array.from(bytes, (byte) => client.data(Uint8Array.of(byte)));
    client.socket.write(Buffer.concat(records));
    let received = 0;
    client.socket.on('data', (part: Buffer) => {
      received += part.length;
    });
    // The acknowledgement of its SETTINGS and of its PING, behind ours.
    for (const end = Date.now() + PATIENCE_MS; received < REPLIES && Date.now() < end; ) await sleep(5);
    assert.ok(received >= REPLIES, String(received));
    client.socket.destroy();
    client.free();
  });
});

test.run();
