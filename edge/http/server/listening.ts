/**
 * The listening sockets of the threads: one for each thread and address, all of an address on the
 * same port, so that the kernel spreads connections over the threads (SO_REUSEPORT).
 *
 * They are the pool's. A thread listens on a duplicate, which it makes when it does: when it ends
 * or is replaced the socket stays, with the connections that wait in it, and its successor takes
 * them. A socket that is closed resets those, and one that nobody accepts from swallows its share.
 */

import { ConfigError } from '../../../core/base/errors.ts';
import type { ListenAddress } from '../../../core/config/index.ts';
import { loadLibc } from '../../../core/os/libc.ts';
import { EDGE_STREAM } from './limits.ts';
import type { Listener } from './server.ts';

export interface Place {
  readonly isTls: boolean;
  readonly listen: ListenAddress;
}

interface Listening {
  /** Whether threads can share a port here; else there is one thread, which listens by itself. */
  readonly isShared: boolean;
  /** What thread `i` listens on: sockets of which it takes `ownListener`. */
  listenersOf(i: number): Listener[];
  /** To be called when no thread is about to start. May be called again. */
  close(): void;
}

/**
 * `transport`: "auto" falls back to one thread where the system's calls are missing. Throws
 * ConfigError when a place is taken.
 */
export function openListening(places: readonly Place[], threads: number, transport: 'auto' | 'portable'): Listening {
  const libc = transport === 'portable' ? null : tryLibc();
  if (libc === null) return portable(places);
  const sockets: number[][] = [];
  const close = (): void => {
    for (const own of sockets) for (const fd of own.splice(0)) libc.close(fd);
  };
  for (let i = 0; i < threads; i++) {
    const own: number[] = [];
    sockets.push(own);
    for (const { listen } of places) {
      try {
        own.push(libc.openTcp(listen, { sharesPort: true, ...EDGE_STREAM }));
      } catch (error) {
        close();
        throw new ConfigError('listen', `The edge cannot listen: ${(error as Error).message}.`);
      }
    }
  }
  return {
    isShared: true,
    listenersOf: (i) => places.map(({ isTls, listen }, index) => ({ isTls, ...listen, fd: sockets[i][index] })),
    close,
  };
}

/**
 * In a thread, right before it listens: a descriptor of its own, which is closed with the server.
 * One that was made sooner would stay when the thread cannot start.
 */
export function ownListener(listener: Listener): Listener {
  return listener.fd === undefined ? listener : { ...listener, fd: loadLibc().duplicate(listener.fd) };
}

function tryLibc(): ReturnType<typeof loadLibc> | null {
  try {
    return loadLibc();
  } catch {
    return null;
  }
}

function portable(places: readonly Place[]): Listening {
  return { isShared: false, listenersOf: () => places.map(({ isTls, listen }) => ({ isTls, ...listen })), close() {} };
}
