/**
 * Finds free loopback ports. They are below the ephemeral ports (32768 and up on Linux), so that no
 * client connection of concurrent tests occupies one before the server listens. The runner gives
 * each concurrent file its own range (`shareOf`). A process reuses a port only after it has gone
 * through its range.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { untilPasses } from './until.ts';

const FIRST = 10_000;
const COUNT = 22_000;

/**
 * The value of `WAYPOST_TEST_PORTS`, "first,count", for the concurrent file at index `at` of `all`.
 */
export function shareOf(at: number, all: number): string {
  const count = Math.floor(COUNT / all);
  return `${FIRST + at * count},${count}`;
}

const [first, count] = (process.env.WAYPOST_TEST_PORTS ?? shareOf(0, 1)).split(',').map(Number) as [number, number];
let next = Math.floor(Math.random() * count);

/** A port on 127.0.0.1 that is free for both TCP and UDP. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + next;
    next = (next + 1) % count;
    if ((await isFreeForTcp(port)) && (await isFreeForUdp(port))) return port;
  }
}

async function isFreeForTcp(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((done) => {
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => done(true));
  });
  if (free) {
    server.close();
    await once(server, 'close');
  }
  return free;
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  const free = await new Promise<boolean>((done) => {
    socket.once('error', () => done(false));
    socket.bind(port, '127.0.0.1', () => done(true));
  });
  socket.close();
  return free;
}

/** Resolves when a server accepts connections. BIND listens only after it says that it runs. */
export const accepts = (port: number): Promise<void> =>
  untilPasses(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
