/**
 * The listening sockets of the threads: one for each thread and address. All sockets of an address
 * share a port, so the kernel distributes connections over the threads (SO_REUSEPORT).
 *
 * The pool owns the sockets. A thread listens on a duplicate that it makes when it starts to
 * listen. When a thread ends or is replaced, the socket stays open. Its successor accepts the
 * connections queued in it. Closing a socket would reset them. A socket without a thread would
 * swallow its share of new connections.
 */

import { ConfigError } from '../../../core/base/errors.ts';
import { formatListen, type ListenAddress } from '../../../core/config/listen.ts';
import { loadLibc } from '../../../core/os/libc.ts';
import { bindFailure } from '../../../core/os/sockets.ts';
import { EDGE_STREAM } from './limits.ts';
import type { Listener } from './server.ts';

export interface Place {
  readonly isTls: boolean;
  readonly listen: ListenAddress;
}

interface Listening {
  /**
   * Whether threads can share a port. Otherwise there is one thread, which opens its own sockets.
   */
  readonly isShared: boolean;
  /** The listeners of thread `i`. The thread duplicates each with `ownListener`. */
  listenersOf(i: number): Listener[];
  /** To be called when no thread is starting. Can be called repeatedly. */
  close(): void;
}

/**
 * `transport`: "auto" falls back to one thread if system calls are missing. Throws ConfigError if
 * an address is in use or cannot be bound.
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
 * Duplicates the descriptor for a thread, right before it listens. The server closes the duplicate.
 * An earlier duplicate would leak if the thread cannot start.
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

/**
 * Throws ConfigError `listen` if an address is in use or does not belong to this machine.
 * `variable`: the environment variable that sets the address.
 */
export async function assertFree(listen: readonly ListenAddress[], variable: string): Promise<void> {
  for (const address of listen) {
    const why = await bindFailure(address, 'tcp');
    if (why === null) continue;
    const hint = `Choose another address with ${variable}, or disable it with ${variable}=off.`;
    throw new ConfigError('listen', `The edge cannot listen on ${formatListen(address)}: ${why.message}. ${hint}`);
  }
}
