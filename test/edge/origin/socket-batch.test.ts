/** Writes within the events of a turn, whose calls are put together. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OriginSocket, SocketAttempt, SocketOwner } from '../../../edge/origin/sockets.ts';
import { until } from '../../support/until.ts';
import { type OwnSockets, ownSockets } from './own-sockets.ts';

/** Calls `act` with each read, within the call that brings it. */
class Actor implements SocketAttempt, SocketOwner {
  socket: OriginSocket | null = null;
  received = '';
  drained = 0;
  closed: string[] = [];
  readonly #act: (socket: OriginSocket, text: string) => void;

  constructor(act: (socket: OriginSocket, text: string) => void) {
    this.#act = act;
  }

  onConnected(): void {}
  onReady(socket: OriginSocket): void {
    this.socket = socket;
    socket.start(this);
  }
  onFailed(_socket: OriginSocket, error: Error): void {
    this.closed.push(error.message);
  }
  take(buffer: Buffer, length: number): boolean {
    const text = buffer.toString('latin1', 0, length);
    this.received += text;
    this.#act(this.socket!, text);
    return true;
  }
  onDrain(): void {
    this.drained++;
  }
  onSocketEnd(): void {}
  onWriteError(error: Error): void {
    this.closed.push(error.message);
  }
  onSocketClosed(error: Error | null): void {
    this.closed.push(error?.message ?? 'closed');
  }
}

interface End {
  readonly actor: Actor;
  readonly peer: Socket;
  text(): string;
}

async function withEnds(
  count: number,
  act: (socket: OriginSocket, text: string) => void,
  use: (ends: readonly End[], own: OwnSockets) => Promise<void>,
): Promise<void> {
  const own: OwnSockets = ownSockets();
  const server: Server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const ends: End[] = [];
  for (let i = 0; i < count; i++) {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const actor = new Actor(act);
    own.open('127.0.0.1', port, null, actor);
    const [peer] = await accepted;
    const parts: Buffer[] = [];
    peer.on('error', () => {});
    peer.on('data', (part: Buffer) => parts.push(part));
    await until(() => actor.socket !== null, 'a socket that is ready');
    ends.push({ actor, peer, text: () => Buffer.concat(parts).toString('latin1') });
  }
  try {
    await use(ends, own);
  } finally {
    for (const { actor, peer } of ends) {
      actor.socket?.destroy();
      peer.destroy();
    }
    server.close();
    own.close();
  }
}

test('each socket receives its own bytes and sends its own answer', () =>
  withEnds(
    80,
    (socket, text) => socket.writeText(`answer to ${text}`),
    async (ends) => {
      for (let round = 0; round < 3; round++) {
        for (const [i, { peer }] of ends.entries()) peer.write(`${round}/${i};`);
        await until(() => ends.every((end, i) => end.text().endsWith(`answer to ${round}/${i};`)), 'all answers');
      }
      for (const [i, { actor }] of ends.entries()) assert.is(actor.received, `0/${i};1/${i};2/${i};`);
    },
  ));

test('no socket waits for calls that the ring does not take', () =>
  withEnds(
    40,
    (socket, text) => socket.writeText(`answer to ${text}`),
    async (ends, own) => {
      for (let round = 0; round < 4; round++) {
        const mend = round % 2 === 0 ? own.breakRing() : null;
        for (const [i, { peer }] of ends.entries()) peer.write(`${round}/${i};`);
        await until(() => ends.every((end, i) => end.text().endsWith(`answer to ${round}/${i};`)), 'all answers');
        mend?.();
      }
      for (const [i, { actor }] of ends.entries()) assert.is(actor.received, `0/${i};1/${i};2/${i};3/${i};`);
    },
  ));

test('several writes of one event keep their order', () =>
  withEnds(
    3,
    (socket) => {
      socket.writeText('first ');
      socket.write(Buffer.from('second '));
      socket.write(Buffer.from('third'), '<', '> ');
      socket.writeText('last');
    },
    async (ends) => {
      for (const { peer } of ends) peer.write('x');
      await until(() => ends.every((end) => end.text() === 'first second <third> last'), 'all in order');
    },
  ));

test('written data is sent before a socket is destroyed, ended or closed', () => {
  const ways = ['destroy', 'end', 'destroySoon'] as const;
  return withEnds(
    3,
    (socket, text) => {
      socket.writeText(`bye from ${text}`);
      socket[ways[Number(text)]]();
    },
    async (ends) => {
      const over = ends.map(({ peer }) => once(peer, 'end'));
      for (const [i, { peer }] of ends.entries()) peer.write(`${i}`);
      await Promise.all(over);
      for (const [i, end] of ends.entries()) assert.is(end.text(), `bye from ${i}`);
    },
  );
});

test('data that the system does not accept at once follows, and is reported', () => {
  const part = 'abcdefgh'.repeat(8000);
  let parts = 0;
  return withEnds(
    1,
    (socket) => {
      while (!socket.isFull) {
        parts++;
        socket.writeText(part);
      }
    },
    async ([{ actor, peer, text }]) => {
      peer.pause();
      peer.write('x');
      await until(() => parts > 0 && actor.socket?.isFull === true, 'a full socket');
      peer.resume();
      await until(() => actor.drained > 0 && text().length === parts * part.length, 'all parts');
      assert.ok(text() === part.repeat(parts));
    },
  );
});

test('a socket that another one destroys receives nothing', () => {
  const sockets: OriginSocket[] = [];
  return withEnds(
    2,
    (socket) => {
      for (const other of sockets) if (other !== socket) other.destroy();
    },
    async (ends) => {
      for (const { actor } of ends) sockets.push(actor.socket!);
      for (const { peer } of ends) peer.write('x');
      await until(() => ends.some(({ actor }) => actor.received === 'x'), 'one read');
      await sleep(20);
      assert.is(ends.map(({ actor }) => actor.received).join(''), 'x');
    },
  );
});

test('a write to a socket that is broken is reported', () =>
  withEnds(
    1,
    (socket) => {
      for (let i = 0; i < 3; i++) socket.writeText('x'.repeat(1000));
    },
    async ([{ actor, peer }]) => {
      peer.write('x');
      await until(() => actor.received === 'x', 'a read');
      peer.resetAndDestroy();
      await until(() => actor.closed.length > 0, 'the end');
      assert.match(actor.closed[0], /ECONNRESET|EPIPE|closed/);
    },
  ));

test.run();
