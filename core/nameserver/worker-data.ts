/** What a DNS thread is started with, and what it says. */
import type { MessagePort } from 'node:worker_threads';
import { IndexReader } from '../answer/index-reader.ts';
import { Responder } from '../answer/responder.ts';
import type { AnswerSettings } from '../answer/settings.ts';
import type { ListenAddress } from '../config/index.ts';
import { ConnectionLimits, type SharedLimits } from '../os/connection-limits.ts';
import { beat } from '../os/pulse.ts';
import type { SharedIndex } from '../store/index/layout.ts';
import { STOPPING } from '../store/index/layout.ts';
import { AnswerGate } from './answer-gate.ts';
import { type Slice, ThreadCounters } from './counters.ts';
import type { DeferredChannel } from './deferred.ts';
import { DeferredGate } from './deferred-gate.ts';
import { DeferredQueue } from './deferred-queue.ts';
import type { GateData } from './gates.ts';
import { LmdbNodeStore } from './node-store.ts';
import { openQueryLog } from './query-log.ts';
import { RateLimiter } from './rate-limit.ts';
import { PrefixList } from './rate-limit-prefixes.ts';
import type { TlsMaterial } from './tls-certificate.ts';

export interface WorkerData {
  readonly shared: SharedIndex;
  /** Number of this reader of the index, from 1. */
  readonly reader: number;
  /** New slots of the index arrive here. */
  readonly port: MessagePort;
  readonly storeDirectory: string;
  readonly listen: readonly ListenAddress[];
  /** The thread's sockets, in the order of `listen`, where it does not open them itself. They are main's and outlive it. */
  readonly fds: readonly number[];
  readonly udpPayload: number;
  readonly answers: AnswerSettings;
  readonly tcp: TcpLimits;
  readonly counters: Slice;
  readonly gate: GateData;
  /** See Pulse. */
  readonly pulse: SharedArrayBuffer;
  /** For messages that the query path leaves; null: nobody takes them. */
  readonly deferred: DeferredChannel<MessagePort> | null;
  /** Prefixes of those who may transfer zones without a signature; null: whoever takes what is deferred knows. */
  readonly transferAllow: readonly string[] | null;
  /** What a thread with an own loop is woken by, an eventfd, or -1. */
  readonly wake: number;
  /** See TcpLoopOptions.open. Empty where the thread has no loop for streams of its own. */
  readonly open: SharedArrayBuffer;
  /** Connections of all threads for streams, of which this is number `stream` from 0. */
  readonly connections: SharedLimits;
  readonly stream: number;
  /** Of the thread that serves TLS. */
  readonly tls?: TlsMaterial;
}

/** Times in milliseconds. */
export interface TcpLimits {
  readonly idleTimeout: number;
  readonly queryTimeout: number;
  readonly maxConnections: number;
  readonly maxPerAddress: number;
}

/** From now on this is the certificate. */
export interface ToWorker {
  readonly kind: 'certificate';
  readonly tls: TlsMaterial;
}

export type FromWorker =
  | { readonly kind: 'listening' }
  /** It cannot listen; trying again would not help. */
  | { readonly kind: 'failed'; readonly message: string }
  /** A packet caused an exception and was dropped. */
  | { readonly kind: 'fault'; readonly message: string };

/** What every DNS thread works with: the reading side of the index, the query path, its counters. */
export interface Reader {
  readonly index: IndexReader;
  readonly responder: Responder;
  readonly counters: ThreadCounters;
  readonly gate: AnswerGate;
  /** Null: nobody takes what is deferred. */
  readonly deferred: DeferredQueue | null;
  readonly deferredGate: DeferredGate;
  readonly stopping: () => boolean;
}

export function connectionLimits({ connections, stream, tcp }: WorkerData): ConnectionLimits {
  return new ConnectionLimits(connections, stream, tcp.maxConnections, tcp.maxPerAddress);
}

export function openReader(data: WorkerData): Reader {
  beat(data.pulse);
  const index = new IndexReader(data.shared, data.reader, data.port, new LmdbNodeStore(data.storeDirectory));
  const header = new Int32Array(data.shared.header);
  const counters = new ThreadCounters(data.counters);
  const limiter = data.gate.rateLimit === null ? null : new RateLimiter(data.gate.rateLimit);
  const responder = new Responder(index, data.udpPayload, data.answers);
  const transferAllow = data.transferAllow === null ? null : new PrefixList(data.transferAllow);
  return {
    index,
    responder,
    counters,
    gate: new AnswerGate(counters, limiter, openQueryLog(data.gate, counters)),
    deferred: data.deferred === null ? null : new DeferredQueue(data.deferred),
    deferredGate: new DeferredGate(responder, counters, data.deferred !== null, transferAllow),
    stopping: () => Atomics.load(header, STOPPING) !== 0,
  };
}

/** Reports faults, but not every one of a flood. */
export function faultReporter(post: (message: FromWorker) => void): (error: unknown) => void {
  let last = 0;
  return (error) => {
    if (Date.now() - last < 1000) return;
    last = Date.now();
    post({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  };
}
