/** The data that a DNS thread starts with, and the messages it exchanges with the main thread. */
import type { MessagePort } from 'node:worker_threads';
import type { ListenAddress } from '../config/index.ts';
import { openSampler } from '../observe/statistics/sample-ring.ts';
import { ConnectionLimits, type SharedLimits } from '../os/connection-limits.ts';
import { maintainThread } from '../os/thread-upkeep.ts';
import type { SharedIndex } from '../store/index/layout.ts';
import { STOPPING } from '../store/index/layout.ts';
import { IndexReader } from '../zone/answer/index-reader.ts';
import { Responder } from '../zone/answer/responder.ts';
import type { AnswerSettings } from '../zone/answer/settings.ts';
import { AnswerGate } from './answer-gate.ts';
import { type Slice, ThreadCounters } from './counters.ts';
import type { DeferredChannel } from './deferred.ts';
import { DeferredGate } from './deferred-gate.ts';
import { DeferredQueue } from './deferred-queue.ts';
import { openTap } from './dnstap/ring.ts';
import type { GateData } from './gates.ts';
import { LmdbNodeStore } from './node-store.ts';
import { openQueryLog } from './query-log.ts';
import { RateLimiter } from './rate-limit.ts';
import { PrefixList } from './rate-limit-prefixes.ts';
import type { TlsMaterial } from './tls-certificate.ts';

export interface WorkerData {
  readonly shared: SharedIndex;
  /** Number of this thread's index reader, from 1. */
  readonly readerNumber: number;
  /** Receives new slots of the index. */
  readonly port: MessagePort;
  readonly storeDirectory: string;
  readonly listen: readonly ListenAddress[];
  /**
   * The thread's sockets, in the order of `listen`; empty if the thread opens them itself. The main
   * thread owns them, and they outlive the thread.
   */
  readonly fds: readonly number[];
  readonly udpPayload: number;
  readonly answers: AnswerSettings;
  readonly tcp: TcpLimits;
  readonly counters: Slice;
  readonly gate: GateData;
  /** See Pulse. */
  readonly pulse: SharedArrayBuffer;
  /** Channel for messages that the query path defers. Null: they are refused. */
  readonly deferred: DeferredChannel<MessagePort> | null;
  /**
   * Prefixes of clients that may transfer zones without a signature. Null: the handler of deferred
   * messages decides.
   */
  readonly transferAllow: readonly string[] | null;
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

/** Replaces the certificate of the TLS thread. */
export interface ToWorker {
  readonly kind: 'certificate';
  readonly tls: TlsMaterial;
}

export type FromWorker =
  | { readonly kind: 'listening' }
  /** The thread cannot listen. A restart would not help. */
  | { readonly kind: 'failed'; readonly message: string }
  /** A packet caused an exception and was dropped. */
  | { readonly kind: 'fault'; readonly message: string };

/** The objects that every DNS thread works with. */
export interface DnsContext {
  readonly index: IndexReader;
  readonly responder: Responder;
  readonly counters: ThreadCounters;
  readonly gate: AnswerGate;
  /** Null: deferred messages are refused. */
  readonly deferred: DeferredQueue | null;
  readonly deferredGate: DeferredGate;
  readonly stopping: () => boolean;
}

export function connectionLimits({ connections, streamIndex, tcp }: WorkerData): ConnectionLimits {
  return new ConnectionLimits(connections, streamIndex, tcp.maxConnections, tcp.maxPerAddress);
}

export function createDnsContext(data: WorkerData): DnsContext {
  maintainThread(data.pulse);
  const store = new LmdbNodeStore(data.storeDirectory);
  const index = new IndexReader(data.shared, data.readerNumber, data.port, store);
  const header = new Int32Array(data.shared.header);
  const counters = new ThreadCounters(data.counters);
  const limiter = data.gate.rateLimit === null ? null : new RateLimiter(data.gate.rateLimit);
  const responder = new Responder(index, data.udpPayload, data.answers);
  const transferAllow = data.transferAllow === null ? null : new PrefixList(data.transferAllow);
  return {
    index,
    responder,
    counters,
    gate: new AnswerGate(
      counters,
      limiter,
      openQueryLog(data.gate, counters),
      openSampler(data.gate),
      openTap(data.gate),
    ),
    deferred: data.deferred === null ? null : new DeferredQueue(data.deferred),
    deferredGate: new DeferredGate(responder, counters, data.deferred !== null, transferAllow, (apex) =>
      store.transferPrefixes(apex),
    ),
    stopping: () => Atomics.load(header, STOPPING) !== 0,
  };
}

/** Reports at most one fault a second, so that a flood does not fill the log. */
export function faultReporter(post: (message: FromWorker) => void): (error: unknown) => void {
  let last = 0;
  return (error) => {
    if (Date.now() - last < 1000) return;
    last = Date.now();
    post({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  };
}
