/**
 * Sockets of the DNS threads. The main thread opens them and keeps them open when a thread dies.
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { ConfigError } from '../base/errors.ts';
import { formatListen, type ListenAddress } from '../config/listen.ts';
import { loadLibc } from './libc.ts';

/** Timeout of recvmmsg, so that a thread notices a stop. */
const RECEIVE_TIMEOUT_MS = 200;

interface Sockets {
  /** Descriptors of each UDP thread, in the order of its addresses. */
  readonly udp: readonly (readonly number[])[];
  /** Descriptors of the TCP thread. */
  readonly tcp: readonly number[];
  /** An eventfd that wakes the TCP thread, or -1. */
  readonly wake: number;
  /**
   * Closes the sockets of an ended UDP thread. The kernel then rejects packets instead of queueing
   * them unread.
   */
  closeUdp(thread: number): void;
  close(): void;
}

export const NO_SOCKETS: Sockets = { udp: [], tcp: [], wake: -1, closeUdp: () => {}, close: () => {} };

/**
 * Opens the sockets for a number of UDP threads. The main thread opens them, because the kernel
 * distributes packets over all sockets of a port. Packets and connections for a dead thread wait in
 * its sockets until it has restarted. Throws ConfigError.
 */
export function openSockets(listen: readonly ListenAddress[], threads: number): Sockets {
  const libc = loadLibc();
  const udp = Array.from({ length: threads }, (): number[] => []);
  const tcp: number[] = [];
  const wake = libc.openEvent();
  const closeAll = (own: number[]): void => {
    for (const fd of own.splice(0)) libc.close(fd);
  };
  const sockets: Sockets = {
    udp,
    tcp,
    wake,
    closeUdp: (thread) => closeAll(udp[thread]),
    close() {
      for (const own of [...udp, tcp]) closeAll(own);
      libc.close(wake);
    },
  };
  try {
    for (const own of udp) for (const address of listen) own.push(libc.openUdp(address, RECEIVE_TIMEOUT_MS));
    for (const address of listen) tcp.push(libc.openTcp(address));
  } catch (error) {
    sockets.close();
    throw cannotListen(listen, (error as Error).message);
  }
  return sockets;
}

/** Closes the descriptors that an ended thread left open. `left`: each descriptor plus 1, or 0. */
export function closeLeft(left: SharedArrayBuffer): void {
  const fds = new Int32Array(left);
  const libc = loadLibc();
  for (let i = 0; i < fds.length; i++) {
    if (fds[i] === 0) continue;
    libc.close(fds[i] - 1);
    fds[i] = 0;
  }
}

export function cannotListen(
  listen: readonly ListenAddress[],
  why: string,
  variable = 'WAYPOST_DNS_LISTEN',
): ConfigError {
  const where = listen.map(formatListen).join(', ');
  return new ConfigError('listen', `DNS cannot listen on ${where}: ${why}. Set another address with ${variable}.`);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'address in use (EADDRINUSE): another server listens there'],
  ['EADDRNOTAVAIL', 'this machine does not have that address (EADDRNOTAVAIL)'],
  ['EACCES', 'not permitted (EACCES): ports below 1024 need CAP_NET_BIND_SERVICE'],
]);

/**
 * Binds an address exclusively and closes the socket. Threads share their ports with SO_REUSEPORT,
 * and would silently share them with a second daemon. Null: it can be bound.
 */
export function bindFailure(
  { address, port, family }: ListenAddress,
  protocol: 'udp' | 'tcp',
): Promise<{ readonly code: string; readonly message: string } | null> {
  return new Promise((resolve) => {
    const fail = ({ code = '', message }: NodeJS.ErrnoException): void =>
      resolve({ code, message: REASONS.get(code) ?? message });
    const isIPv6 = family === 6;
    if (protocol === 'udp') {
      const socket = createSocket({ type: isIPv6 ? 'udp6' : 'udp4', ipv6Only: isIPv6 }).on('error', fail);
      socket.bind({ address, port, exclusive: true }, () => socket.close(() => resolve(null)));
    } else {
      const server = createServer().on('error', fail);
      server.listen({ host: address, port, ipv6Only: isIPv6, exclusive: true }, () => {
        server.close(() => resolve(null));
      });
    }
  });
}

/** Replaces port 0 by a port that is free for TCP and UDP. */
export async function choosePort(listen: ListenAddress): Promise<ListenAddress> {
  if (listen.port !== 0) return listen;
  for (let attempt = 0; attempt < 20; attempt++) {
    const port = await new Promise<number>((resolve, reject) => {
      const server = createServer().on('error', (error) => reject(cannotListen([listen], error.message)));
      server.listen(0, listen.address, () => {
        const { port: chosen } = server.address() as { port: number };
        server.close(() => resolve(chosen));
      });
    });
    const free = await new Promise<boolean>((resolve) => {
      const socket = createSocket(listen.family === 4 ? 'udp4' : 'udp6').on('error', () => resolve(false));
      socket.bind(port, listen.address, () => socket.close(() => resolve(true)));
    });
    if (free) return { ...listen, port };
  }
  throw new ConfigError('listen', `No port of ${listen.address} is free for both UDP and TCP.`);
}
