/**
 * The TCP loop at its limits: unnoticed closed connections, full memory, no descriptors. The tests
 * run the turns of the loop on their own thread.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import koffi from 'koffi';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NameserverCounters, ThreadCounters } from '../../../core/nameserver/counters.ts';
import { QUIET_MS } from '../../../core/nameserver/tcp-connection.ts';
import { TcpLoop } from '../../../core/nameserver/tcp-loop.ts';
import { Newcomers } from '../../../core/nameserver/tcp-newcomers.ts';
import { ConnectionLimits, shareLimits } from '../../../core/os/connection-limits.ts';
import { type Libc, loadLibc } from '../../../core/os/libc.ts';
import { choosePort } from '../../../core/os/sockets.ts';
import { ask, LIMITS, V4 } from './fixture.ts';
import { framed, PATIENCE_MS } from './stream-client.ts';

const test = suite('TCP loop at its limits');

const RLIMIT_NOFILE = 7;
const QUERY = framed(ask('host1'));

interface LoopFixture {
  /** Runs one turn of the loop. */
  turn(): void;
  /** A client that has connected and sent a query, or `bytes`. */
  client(bytes?: Uint8Array): Promise<Socket>;
  close(): void;
}

/** Opens a loop that returns each query unchanged as its response. */
async function open(maxPerAddress: number, maxHeld?: number): Promise<LoopFixture> {
  const libc = loadLibc();
  const listen = await choosePort(V4);
  const fd = libc.openTcp(listen);
  const newcomers = new Newcomers();
  for (let i = 0; i < 100; i++) newcomers.recordOutcome(true);
  const openFds = new Int32Array(101);
  const loop = new TcpLoop(
    {
      fds: [fd],
      families: [4],
      wake: -1,
      openFds: openFds,
      limits: LIMITS,
      connections: new ConnectionLimits(shareLimits(1), 0, LIMITS.maxConnections, maxPerAddress),
      handler: {
        answerSingle: (_, __, length) => length,
        counters: new ThreadCounters(new NameserverCounters(['tcp']).slice(0)),
        deferred: null,
      },
      maxHeldBytes: maxHeld,
      proxies: null,
    },
    newcomers,
  );
  const sockets: Socket[] = [];
  return {
    turn() {
      let turns = 1;
      loop.run(() => turns-- === 0);
    },
    async client(bytes = QUERY) {
      const socket = connect(listen.port, listen.address);
      sockets.push(socket);
      // A reset is noticed by the assertions that follow.
      socket.on('error', () => {});
      await once(socket, 'connect');
      await new Promise((done) => socket.write(bytes, done));
      return socket;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      loop.close();
      closeAll(libc, [fd, openFds[openFds.length - 1] - 1]);
    },
  };
}

function closeAll(libc: Libc, fds: readonly number[]): void {
  for (const fd of fds) libc.close(fd);
}

/** Resolves with the first event: the answer, the end of the connection, or nothing in time. */
async function outcome(socket: Socket): Promise<'answered' | 'closed' | 'nothing'> {
  if (socket.closed) return 'closed';
  const nothing = sleep(PATIENCE_MS, 'nothing' as const, { ref: false });
  const closed = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')));
  const data = new Promise<Buffer>((resolve) => socket.once('data', resolve));
  const first = await Promise.race([data, closed, nothing]);
  if (typeof first === 'string') return first;
  assert.equal(first, Buffer.from(QUERY));
  return 'answered';
}

async function destroy(socket: Socket): Promise<void> {
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
}

test('a client that has closed its connections may open new ones immediately', async () => {
  const { turn, client, close } = await open(2);
  try {
    const before = [await client(), await client()];
    turn();
    for (const socket of before) assert.is(await outcome(socket), 'answered');
    for (const socket of before) await destroy(socket);
    const next = await client();
    turn();
    assert.is(await outcome(next), 'answered');
  } finally {
    close();
  }
});

test('when partial messages exceed the memory limit, the oldest connection is dropped', async () => {
  const { turn, client, close } = await open(10, 50_000);
  try {
    const part = new Uint8Array(20_000).fill(255);
    const first = await client(part);
    turn();
    const second = await client(part);
    turn();
    const third = await client(part);
    const next = await client(QUERY.subarray(0, 20));
    turn();
    assert.is(await outcome(first), 'closed');
    for (const socket of [second, third]) assert.not(socket.destroyed);
    await new Promise((done) => next.write(QUERY.subarray(20), done));
    turn();
    assert.is(await outcome(next), 'answered');
  } finally {
    close();
  }
});

test('without free descriptors, an idle connection is closed', async () => {
  const { turn, client, close } = await open(10);
  const limits = descriptors();
  try {
    const idle = await client();
    turn();
    assert.is(await outcome(idle), 'answered');
    await sleep(QUIET_MS + 50);
    const next = await client();
    limits.exhaust();
    turn();
    limits.restore();
    assert.is(await outcome(next), 'answered');
  } finally {
    limits.restore();
    close();
  }
});

/** The limit on descriptors of this process. */
function descriptors(): { exhaust(): void; restore(): void } {
  const libc = koffi.load(null);
  const getrlimit = libc.func('int getrlimit(int, void*)');
  const setrlimit = libc.func('int setrlimit(int, void*)');
  const duplicate = libc.func('int dup(int)');
  const { close } = loadLibc();
  const limits = Buffer.alloc(16);
  assert.is(getrlimit(RLIMIT_NOFILE, limits), 0);
  const lowered = Buffer.from(limits);
  return {
    exhaust() {
      // The lowest free descriptor.
      const free: number = duplicate(2);
      close(free);
      lowered.writeBigUInt64LE(BigInt(free));
      assert.is(setrlimit(RLIMIT_NOFILE, lowered), 0);
    },
    restore() {
      assert.is(setrlimit(RLIMIT_NOFILE, limits), 0);
    },
  };
}

// The loop exists on Linux only.
if (process.platform === 'linux') test.run();
