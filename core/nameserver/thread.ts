/** What a DNS thread needs to start: its view of the index, its counters, its channel to the main thread. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import { type BackOff, type StartReport, SupervisedThread } from '../os/supervised-thread.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import type { NameserverCounters } from './counters.ts';
import type { DeferredChannel } from './deferred.ts';
import type { DeferredLine, DeferredServer } from './deferred-server.ts';
import type { FromWorker, ToWorker, WorkerData } from './worker-data.ts';

/** A thread that dies is restarted soon, however often; one that cannot start again waits longer. */
const BACK_OFF: BackOff = { first: 250, factor: 4, maximum: 1000, settledAfter: 0 };

/** What all threads share. */
export interface ThreadParts {
  readonly index: IndexWriter;
  readonly log: Logger;
  readonly counters: NameserverCounters;
  /** Null: nobody takes what the query path leaves. */
  readonly deferred: DeferredServer | null;
  /** Receives each thread when it is started or restarted. */
  readonly onThread?: (name: string, worker: Worker) => void;
  /** The error for a thread that cannot listen. */
  cannotListen(why: string): ConfigError;
}

export interface ThreadPlan {
  readonly name: string;
  /** The thread's program. */
  readonly file: URL;
  /** The number of the thread's index reader, from 1. */
  readonly reader: number;
  /** The thread's workerData, apart from what is made for each start. */
  readonly data: Omit<WorkerData, 'shared' | 'reader' | 'port' | 'counters' | 'deferred' | 'pulse'>;
  /** Wakes a thread that does not hear messages by itself. Called after each message. */
  readonly wake?: () => void;
  /** The thread has ended: frees what it held. */
  readonly onExit?: () => void;
}

export type DnsThread = SupervisedThread<ToWorker, Exclude<FromWorker, StartReport>>;

export function createDnsThread(parts: ThreadParts, plan: ThreadPlan): DnsThread {
  const { index, log, counters, deferred, onThread, cannotListen } = parts;
  const { name, file, reader } = plan;
  return new SupervisedThread({
    log,
    role: 'DNS',
    name,
    file,
    backOff: BACK_OFF,
    failure: cannotListen,
    prepare() {
      const { port1, port2 } = new MessageChannel();
      // The channel must not keep the process alive.
      port1.unref();
      const [line, channel] = deferred === null ? [null, null] : openLine(deferred, plan.wake ?? (() => {}));
      const data: Omit<WorkerData, 'pulse'> = {
        ...plan.data,
        shared: index.share(port1),
        reader,
        port: port2,
        counters: counters.slice(reader - 1),
        deferred: channel,
      };
      return {
        data,
        transfer: channel === null ? [port2] : [port2, channel.port],
        release() {
          line?.close();
          plan.onExit?.();
          index.unshare(port1, reader);
          counters.ended(reader - 1);
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

/** A thread's way to main and back: main's end of it, and the thread's. */
function openLine(server: DeferredServer, wake: () => void): [DeferredLine, DeferredChannel<MessagePort>] {
  const { port1, port2 } = new MessageChannel();
  const underWay = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  return [server.open({ port: port1, underWay }, wake), { port: port2, underWay, udpBound: server.udpBound }];
}
