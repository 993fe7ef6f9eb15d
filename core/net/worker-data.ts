/** What a DNS thread is started with, and what it says. */
import type { MessagePort } from 'node:worker_threads';
import { IndexReader } from '../answer/index-reader.ts';
import { Responder } from '../answer/responder.ts';
import type { ListenAddress } from '../config/index.ts';
import type { SharedIndex } from '../store/index/layout.ts';
import { STOPPING } from '../store/index/layout.ts';
import { type Slice, ThreadCounters } from './counters.ts';
import { LmdbNodeStore } from './node-store.ts';

export interface WorkerData {
  readonly shared: SharedIndex;
  /** Number of this reader of the index, from 1. */
  readonly reader: number;
  /** New slots of the index arrive here. */
  readonly port: MessagePort;
  readonly storeDirectory: string;
  readonly listen: readonly ListenAddress[];
  /** A UDP thread's sockets, in the order of `listen`. They are not the thread's own: they outlive it. */
  readonly fds: readonly number[];
  readonly udpPayload: number;
  readonly tcp: TcpLimits;
  readonly counters: Slice;
}

/** Times in milliseconds. */
export interface TcpLimits {
  readonly idleTimeout: number;
  readonly queryTimeout: number;
  readonly maxConnections: number;
  readonly maxPerAddress: number;
}

export type FromWorker =
  | { readonly kind: 'listening' }
  /** It can't listen; trying again would not help. */
  | { readonly kind: 'failed'; readonly message: string }
  /** A packet caused an exception and was dropped. */
  | { readonly kind: 'fault'; readonly message: string };

/** What every DNS thread works with: the reading side of the index, the query path, its counters. */
export function openReader(data: WorkerData): {
  index: IndexReader;
  responder: Responder;
  counters: ThreadCounters;
  stopping: () => boolean;
} {
  const index = new IndexReader(data.shared, data.reader, data.port, new LmdbNodeStore(data.storeDirectory));
  const header = new Int32Array(data.shared.header);
  return {
    index,
    responder: new Responder(index, data.udpPayload),
    counters: new ThreadCounters(data.counters),
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
