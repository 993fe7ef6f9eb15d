/**
 * Loopback ports that nobody listens on now. They lie below those that the system gives to clients (32768 and up on Linux), so that
 * none of the many connections of tests that run beside takes one before the server is there; another test still may, so
 * callers start anew when a bind fails.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 10_000;
const COUNT = 22_000;

/** A port on 127.0.0.1 that is free for TCP and for UDP. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
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
