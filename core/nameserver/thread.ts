/** Prepares a DNS thread: its view of the index, its counters, its channel to the main thread. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import { type BackOff, type StartReport, SupervisedThread } from '../os/supervised-thread.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import type { NameserverCounters } from './counters.ts';
import type { DeferredChannel } from './deferred.ts';
import type { DeferredServer, DeferredSession } from './deferred-server.ts';
import { SMALL_HEAP } from './early.ts';
import type { FromWorker, ToWorker, WorkerData } from './worker.ts';

/**
 * A thread that dies is restarted soon, regardless of how often. If a restart fails, the delay
 * grows.
 */
const BACK_OFF: BackOff = { first: 250, factor: 4, maximum: 1000, settledAfter: 0 };

/** Shared by all DNS threads. */
interface ThreadParts {
  readonly index: IndexWriter;
  readonly log: Logger;
  readonly counters: NameserverCounters;
  /** Null: deferred messages are refused. */
  readonly deferred: DeferredServer | null;
  /** Keeps the heaps of the threads small. */
  readonly hasLittleMemory?: boolean;
  /** Receives each thread when it is started or restarted. */
  readonly onThread?: (name: string, worker: Worker) => void;
  /** The error for a thread that cannot listen. */
  cannotListen(reason: string): ConfigError;
}

export interface ThreadPlan {
  readonly name: string;
  /** The compiled program of the thread. */
  readonly file: URL;
  /** The number of the thread's index reader, from 1. */
  readonly readerNumber: number;
  /** workerData without the fields that each start creates again. */
  readonly data: Omit<WorkerData, 'shared' | 'readerNumber' | 'port' | 'counters' | 'deferred' | 'pulse'>;
  /** Wakes a thread that blocks outside its event loop. Called after each message to the thread. */
  readonly wake?: () => void;
  /** Called after the thread has ended, to release its resources. */
  readonly onExit?: () => void;
}

export type DnsThread = SupervisedThread<ToWorker, Exclude<FromWorker, StartReport>>;

export function createDnsThread(parts: ThreadParts, plan: ThreadPlan): DnsThread {
  const { index, log, counters, deferred, hasLittleMemory, onThread, cannotListen } = parts;
  const { name, file, readerNumber } = plan;
  return new SupervisedThread({
    log,
    role: 'DNS',
    name,
    file,
    backOff: BACK_OFF,
    heap: hasLittleMemory ? SMALL_HEAP : undefined,
    failure: cannotListen,
    prepare() {
      const { port1, port2 } = new MessageChannel();
      // The channel must not keep the process alive.
      port1.unref();
      const [session, channel] =
        deferred === null ? [null, null] : openDeferredChannel(deferred, plan.wake ?? (() => {}));
      const data: Omit<WorkerData, 'pulse'> = {
        ...plan.data,
        shared: index.share(port1),
        readerNumber,
        port: port2,
        counters: counters.slice(readerNumber - 1),
        deferred: channel,
      };
      return {
        data,
        transfer: channel === null ? [port2] : [port2, channel.port],
        release() {
          session?.close();
          plan.onExit?.();
          index.unshare(port1, readerNumber);
          counters.resetGauges(readerNumber - 1);
          port1.close();
        },
      };
    },
    onMessage: ({ message }) =>
      log.error('exception while handling a DNS packet; packet dropped', { thread: name, fault: message }),
    onRestart() {
      counters.restarts++;
    },
    onWorker: (worker) => onThread?.(name, worker),
  });
}

/**
 * Opens a channel for deferred messages. Returns the end of the main thread and the end of the DNS
 * thread.
 */
function openDeferredChannel(
  server: DeferredServer,
  wake: () => void,
): [DeferredSession, DeferredChannel<MessagePort>] {
  const { port1, port2 } = new MessageChannel();
  const pendingCount = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  return [server.open({ port: port1, pendingCount }, wake), { port: port2, pendingCount, udpLimit: server.udpLimit }];
}
