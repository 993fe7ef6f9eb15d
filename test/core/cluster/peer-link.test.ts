/** Messages between two nodes, however the bytes come. */
import { Duplex } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KIND, type Message, PeerLink } from '../../../core/cluster/peer-link.ts';

/** A connection whose other end is the test. */
class Socket extends Duplex {
  readonly sent: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sent.push(chunk);
    done();
  }
}

function linked(head: Buffer = Buffer.alloc(0)) {
  const socket = new Socket();
  const heard: Message[] = [];
  const ended = new Promise<Error>((done) => socket.on('error', done));
  const link = new PeerLink(socket, head, (message) => {
    if (message.number === 13) throw new Error('not that one');
    heard.push(message);
  });
  return { socket, link, heard, ended };
}

const MESSAGES: readonly Message[] = [
  { kind: KIND.applied, number: 2 ** 48 - 1, payload: Buffer.alloc(0) },
  { kind: KIND.commits, number: 7, payload: Buffer.from('what is written') },
  { kind: KIND.answer, number: 0, payload: Buffer.alloc(100_000, 'x') },
];

function encoded(messages: readonly Message[]): Buffer {
  const { socket, link } = linked();
  for (const { kind, number, payload: reported } of messages) link.send(kind, number, reported);
  return Buffer.concat(socket.sent);
}

test('messages arrive as they were sent, in chunks of any size', async () => {
  const bytes = encoded(MESSAGES);
  for (const size of [1, 10, 11, 12, 37, 4096, bytes.length]) {
    const { socket, heard } = linked();
    for (let at = 0; at < bytes.length; at += size) socket.push(bytes.subarray(at, at + size));
    socket.push(null);
    await new Promise((done) => socket.on('end', done));
    assert.equal(heard, MESSAGES, `${size} bytes at a time`);
  }
});

test('data that arrives with the head is processed', async () => {
  const bytes = encoded(MESSAGES);
  const { socket, heard } = linked(bytes.subarray(0, 20));
  assert.equal(heard, MESSAGES.slice(0, 1));
  socket.push(bytes.subarray(20));
  socket.push(null);
  await new Promise((done) => socket.on('end', done));
  assert.equal(heard, MESSAGES);
});

test('an impossible length or an unknown message ends the connection', async () => {
  for (const length of [0, 6, 8 << 20, 2 ** 32 - 1]) {
    const { socket, ended } = linked();
    const bytes = Buffer.alloc(20);
    bytes.writeUInt32BE(length);
    socket.push(bytes);
    assert.match((await ended).message, /too long or truncated/, `${length}`);
    assert.ok(socket.destroyed);
  }
  const { socket, heard, ended } = linked();
  socket.push(encoded([{ kind: KIND.applied, number: 13, payload: Buffer.alloc(0) }, ...MESSAGES]));
  assert.is((await ended).message, 'not that one');
  assert.equal(heard, []);
});

test.run();
