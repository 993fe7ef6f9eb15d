/**
 * What carries bytes to origins, by a table that holds for sockets of the thread and for node's.
 */

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openNodeSocket } from '../../../edge/origin/node-socket.ts';
import {
  type OpenSocket,
  type OriginSocket,
  READ_BYTES,
  type SocketAttempt,
  type SocketOwner,
} from '../../../edge/origin/sockets.ts';
import { freePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { type OwnSockets, ownSockets } from './own-sockets.ts';
import { listening } from './rig.ts';

/** Bytes that no buffers of a pair of sockets take. */
const LARGE = 32 << 20;

/** Writes down its events. */
class Owner implements SocketAttempt, SocketOwner {
  socket: OriginSocket | null = null;
  readonly heard: string[] = [];
  readonly parts: Buffer[] = [];
  bytes = 0;
  /** What `take` says, and does. */
  onTake: (owner: Owner) => boolean = () => true;

  onConnected(): void {
    this.heard.push('connected');
  }
  onReady(socket: OriginSocket): void {
    this.heard.push('ready');
    this.socket = socket;
    socket.start(this);
  }
  onFailed(_: OriginSocket, error: Error): void {
    this.heard.push(`failed: ${error.message}`);
  }
  take(buffer: Buffer, length: number): boolean {
    this.parts.push(Buffer.from(buffer.subarray(0, length)));
    this.bytes += length;
    return this.onTake(this);
  }
  onDrain(): void {
    this.heard.push('drain');
  }
  onSocketEnd(): void {
    this.heard.push('end');
  }
  onWriteError(error: Error): void {
    this.heard.push(`unwritable: ${(error as NodeJS.ErrnoException).syscall}`);
  }
  onSocketClosed(error: Error | null): void {
    this.heard.push(`closed: ${error?.message ?? 'no error'}`);
  }

  get text(): string {
    return Buffer.concat(this.parts).toString('latin1');
  }
}

/** Numbers that show what is missing or out of order. */
function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i + 4 <= length; i += 4) bytes.writeUInt32LE(Math.imul(i, 2_654_435_761) >>> 0, i);
  return bytes;
}

interface Pair {
  readonly owner: Owner;
  readonly socket: OriginSocket;
  /** The other end. */
  readonly peer: Socket;
}

for (const kind of ['own', 'own, unbatched', 'node'] as const) {
  const test = suite(`sockets to origins: ${kind}`);
  let own: OwnSockets;
  let open: OpenSocket;
  test.before.each(() => {
    own = ownSockets(undefined, kind === 'own');
    open = kind === 'node' ? openNodeSocket : own.open;
  });
  // Fails when a descriptor is left.
  test.after.each(() => own.close());

  async function withPair(use: (pair: Pair) => Promise<void>, host = '127.0.0.1'): Promise<void> {
    const server = createServer({ allowHalfOpen: true });
    const port = await listening(server, host);
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const owner = new Owner();
    const socket = open(host, port, null, owner);
    assert.equal(owner.heard, [], 'nothing is told within the call');
    assert.not.ok(socket.isOpen);
    const [peer] = await accepted;
    peer.on('error', () => {});
    await until(() => owner.heard.length === 2, 'ready');
    assert.equal(owner.heard.splice(0), ['connected', 'ready']);
    try {
      await use({ owner, socket, peer });
    } finally {
      socket.destroy();
      peer.destroy();
      server.close();
    }
  }

  test('both directions carry text and bytes in order', () =>
    withPair(async ({ owner, socket, peer }) => {
      let received = '';
      peer.setEncoding('latin1');
      peer.on('data', (part: string) => {
        received += part;
        peer.write(part, 'latin1');
      });
      assert.is(socket.address, '127.0.0.1');
      assert.ok(socket.isOpen && socket.isWritable && !socket.isFull);
      socket.writeText('h\xe9ad ');
      socket.write(Buffer.from('bytes'), 'before ', ' after ');
      socket.write(Buffer.from('alone '));
      socket.write(Buffer.from('x'), '1\r\n');
      socket.write(Buffer.alloc(100_000, 'y'), 'large ', ' end');
      const all = `h\xe9ad before bytes after alone 1\r\nxlarge ${'y'.repeat(100_000)} end`;
      await until(() => owner.bytes === all.length, 'echoed');
      assert.is(received, all);
      assert.is(owner.text, all);
    }));

  test('an address of IPv6', () =>
    withPair(async ({ owner, peer }) => {
      peer.write('six');
      await until(() => owner.text === 'six', 'came');
    }, '::1'));

  test('a refused connection fails the attempt, once', async () => {
    const owner = new Owner();
    const port = await freePort();
    open('127.0.0.1', port, null, owner);
    assert.equal(owner.heard, []);
    await until(() => owner.heard.length > 0, 'failed');
    await sleep(20);
    assert.equal(owner.heard, [`failed: connect ECONNREFUSED 127.0.0.1:${port}`]);
  });

  test('a socket destroyed before it connects gets no event', async () => {
    const server = createServer();
    const port = await listening(server, '127.0.0.1');
    const owner = new Owner();
    open('127.0.0.1', port, null, owner).destroy();
    await sleep(50);
    assert.equal(owner.heard, []);
    server.close();
  });

  test('a peer that does not read: data waits, is sent in order, and drain is reported once', () =>
    withPair(async ({ owner, socket, peer }) => {
      const bytes = pattern(LARGE);
      peer.pause();
      assert.is(socket.write(bytes), false);
      assert.ok(socket.isFull);
      socket.writeText('text');
      socket.write(Buffer.from('bytes'), '(', ')');
      const parts: Buffer[] = [];
      let data = 0;
      peer.on('data', (part: Buffer) => {
        parts.push(part);
        data += part.length;
      });
      await sleep(20);
      peer.resume();
      await until(() => data === LARGE + 11, 'all came');
      assert.ok(Buffer.concat(parts).equals(Buffer.concat([bytes, Buffer.from('text(bytes)')])));
      await until(() => !socket.isFull, 'drained');
      assert.equal(owner.heard, ['drain']);
    }));

  test('a paused owner: nothing is read until it resumes', () =>
    withPair(async ({ owner, peer }) => {
      const bytes = pattern(LARGE);
      const enough = 300_000;
      owner.onTake = ({ bytes: data }) => data < enough || data > 10_000_000;
      peer.end(bytes);
      await until(() => owner.bytes >= enough, 'full');
      await sleep(50);
      assert.ok(owner.bytes < enough + READ_BYTES, `${owner.bytes} at once`);
      for (; owner.bytes <= 10_000_000; await sleep(0)) owner.socket?.resume();
      await until(() => owner.heard.length > 0, 'the end');
      assert.equal(owner.heard, ['end']);
      assert.ok(Buffer.concat(owner.parts).equals(bytes));
    }));

  test('the end waits for a paused owner', () =>
    withPair(async ({ owner, socket, peer }) => {
      owner.onTake = () => false;
      peer.end('last');
      await until(() => owner.bytes > 0, 'bytes');
      await sleep(30);
      assert.equal(owner.heard, []);
      socket.resume();
      await until(() => owner.heard.length > 0, 'the end');
      assert.equal(owner.heard, ['end']);
      assert.not.ok(socket.isOpen);
    }));

  test('our end: the peer sees it behind all written data, and may still send', () =>
    withPair(async ({ owner, socket, peer }) => {
      let data = 0;
      peer.on('data', (part: Buffer) => {
        data += part.length;
      });
      socket.write(Buffer.alloc(LARGE));
      socket.end();
      assert.not.ok(socket.isWritable);
      await once(peer, 'end');
      assert.is(data, LARGE);
      peer.write('still');
      await until(() => owner.text === 'still', 'came');
    }));

  test('closed after sending: the peer gets all data, the owner is notified', () =>
    withPair(async ({ owner, socket, peer }) => {
      let data = 0;
      peer.on('data', (part: Buffer) => {
        data += part.length;
      });
      socket.write(Buffer.alloc(LARGE));
      socket.destroySoon();
      assert.equal(owner.heard, []);
      await once(peer, 'end');
      assert.is(data, LARGE);
      await until(() => owner.heard.some((line) => line.startsWith('closed')), 'closed');
      assert.is(owner.heard.at(-1), 'closed: no error');
    }));

  test('closed with nothing left to send', () =>
    withPair(async ({ owner, socket }) => {
      socket.destroySoon();
      assert.equal(owner.heard, [], 'not within the call');
      await until(() => owner.heard.length > 0, 'closed');
      assert.equal(owner.heard, ['closed: no error']);
    }));

  test('a reset closes the socket with its error', () =>
    withPair(async ({ owner, socket, peer }) => {
      peer.write('some');
      await until(() => owner.bytes === 4, 'came');
      peer.resetAndDestroy();
      await until(() => owner.heard.length > 0, 'closed');
      assert.equal(owner.heard, ['closed: read ECONNRESET']);
      assert.not.ok(socket.isOpen);
    }));

  test('a peer that responds and closes: the write error is reported, and its response is read', () =>
    withPair(async ({ owner, socket, peer }) => {
      // Full, so that the owner hears of the end after it has tried to write.
      owner.onTake = () => false;
      peer.write('first');
      await until(() => owner.bytes === 5, 'came');
      peer.write('the answer');
      // What is there unread makes the close a reset.
      socket.writeText('unread');
      await sleep(20);
      peer.pause();
      peer.destroy();
      await sleep(20);
      for (let n = 0; n < 10 && owner.heard.length === 0; n++) {
        const before = owner.heard.length;
        socket.writeText('x');
        assert.is(owner.heard.length, before, 'not within a write');
        await sleep(10);
      }
      assert.equal(owner.heard, ['unwritable: write']);
      assert.not.ok(socket.isWritable);
      owner.onTake = () => true;
      socket.resume();
      await until(() => owner.text === 'firstthe answer', 'the answer');
    }));

  test('an owner that destroys it within a callback gets no more events', () =>
    withPair(async ({ owner, socket, peer }) => {
      owner.onTake = () => {
        socket.destroy();
        return true;
      };
      peer.write(Buffer.alloc(LARGE));
      await until(() => owner.bytes > 0, 'came');
      const { bytes: data } = owner;
      await sleep(50);
      assert.is(owner.bytes, data);
      assert.equal(owner.heard, []);
      // None of these does anything.
      socket.writeText('x');
      socket.write(Buffer.from('y'));
      socket.end();
      socket.resume();
      socket.destroySoon();
      socket.destroy();
      await sleep(20);
      assert.equal(owner.heard, []);
    }));

  test.run();
}

const bounds = suite('sockets to origins: bounds');

bounds('more than may be at one time are node’s', async () => {
  const server = createServer((socket) => socket.on('error', () => {}));
  const port = await listening(server, '127.0.0.1');
  const own = ownSockets(2);
  const owners = Array.from({ length: 4 }, () => new Owner());
  const sockets = owners.map((owner) => own.open('127.0.0.1', port, null, owner));
  await until(() => owners.every(({ heard }) => heard.includes('ready')), 'all stand');
  assert.is(own.count(), 2, 'main knows of those that are the thread’s own');
  sockets[0].destroy();
  assert.is(own.count(), 1);
  for (const socket of sockets) socket.destroy();
  server.close();
  own.close();
});

bounds.run();
