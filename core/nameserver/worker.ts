/** What the programs of the DNS threads share: their data, their messages, and how they start. */
import { parentPort } from 'node:worker_threads';
import type { ListenAddress } from '../config/index.ts';
import type { TransportName } from '../net/address/client.ts';
import { ConnectionLimits, type SharedLimits } from '../os/connection-limits.ts';
import { takeThreadData } from '../os/early-threads.ts';
import { maintainThread } from '../os/thread-upkeep.ts';
import { STOPPING } from '../store/index/layout.ts';
import { type HandlerData, type HandlerLimits, openQueryHandler, type QueryHandler } from './query-handler.ts';
import { PrefixList } from './rate-limit-prefixes.ts';
import type { TlsMaterial } from './tls-certificate.ts';

export interface WorkerData extends HandlerData {
  readonly transport: TransportName;
  readonly listen: readonly ListenAddress[];
  /**
   * The thread's sockets, in the order of `listen`; empty if the thread opens them itself. The main
   * thread owns them, and they outlive the thread.
   */
  readonly fds: readonly number[];
  readonly tcp: TcpLimits;
  /** Prefixes of clients whose datagrams and connections begin with a PROXY protocol header. */
  readonly proxies: readonly string[];
  /** See Pulse. */
  readonly pulse: SharedArrayBuffer;
  /** The eventfd that wakes a thread with its own loop, or -1. */
  readonly wake: number;
  /** See TcpLoopOptions.openFds. Empty if the thread has no TCP loop of its own. */
  readonly openFds: SharedArrayBuffer;
  /** Connections of all stream threads. `streamIndex` is the number of this thread, from 0. */
  readonly connections: SharedLimits;
  readonly streamIndex: number;
  /** Only for the thread that serves TLS. */
  readonly tls?: TlsMaterial;
}

/** All times are in milliseconds. */
export interface TcpLimits {
  readonly idleTimeout: number;
  readonly queryTimeout: number;
  readonly maxConnections: number;
  readonly maxPerAddress: number;
}

export type ToWorker =
  /** Replaces the certificate of the TLS thread. */
  { readonly kind: 'certificate'; readonly tls: TlsMaterial } | ({ readonly kind: 'limits' } & HandlerLimits);

export type FromWorker =
  | { readonly kind: 'listening' }
  /** The thread cannot listen. A restart would not help. */
  | { readonly kind: 'failed'; readonly message: string }
  /** A packet caused an exception and was dropped. */
  | { readonly kind: 'fault'; readonly message: string };

export const post = (message: FromWorker): void => parentPort?.postMessage(message);

interface DnsWorker {
  readonly data: WorkerData;
  readonly handler: QueryHandler;
  /** Null: no client is a proxy. */
  readonly proxies: PrefixList | null;
  readonly stopping: () => boolean;
}

/** Opens what each DNS thread works with. */
export function openWorker(): DnsWorker {
  const data = takeThreadData<WorkerData>();
  maintainThread(data.pulse);
  const header = new Int32Array(data.shared.header);
  const handler = openQueryHandler(data, faultReporter());
  // Threads with a loop of their own receive it once a second.
  parentPort?.on('message', (message: ToWorker) => {
    if (message.kind === 'limits') handler.setLimits(message);
  });
  return {
    data,
    handler,
    proxies: data.proxies.length === 0 ? null : new PrefixList(data.proxies),
    stopping: () => Atomics.load(header, STOPPING) !== 0,
  };
}

export function connectionLimits({ connections, streamIndex, tcp }: WorkerData): ConnectionLimits {
  return new ConnectionLimits(connections, streamIndex, tcp.maxConnections, tcp.maxPerAddress);
}

/** Reports at most one fault a second, so that a flood does not fill the log. */
function faultReporter(): (error: unknown) => void {
  let last = 0;
  return (error) => {
    if (Date.now() - last < 1000) return;
    last = Date.now();
    post({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  };
}
