/** One DNS thread as main sees it: started, started anew when it dies, stopped. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import { Pulse } from '../os/pulse.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import type { NameserverCounters } from './counters.ts';
import type { DeferredChannel } from './deferred.ts';
import type { DeferredLine, DeferredServer } from './deferred-server.ts';
import type { FromWorker, ToWorker, WorkerData } from './worker-data.ts';

/** From one death of a thread to its next start, at least. */
const RESTART_MS = 250;
/** A thread that has not ended by then is ended. */
const STOP_MS = 3000;

/** What all threads share. */
export interface ThreadParts {
  readonly index: IndexWriter;
  readonly log: Logger;
  readonly counters: NameserverCounters;
  /** Null: nobody takes what the query path leaves. */
  readonly deferred: DeferredServer | null;
  /** Is told of each thread when it is started, also anew. */
  readonly onThread?: (name: string, worker: Worker) => void;
  /** What to say when a thread can't listen. */
  cannotListen(why: string): ConfigError;
}

export interface ThreadPlan {
  readonly name: string;
  /** Of the thread's program. */
  readonly file: URL;
  /** Of the index, from 1. */
  readonly reader: number;
  /** What it is given beside what is made for each start. */
  readonly data: Omit<WorkerData, 'shared' | 'reader' | 'port' | 'counters' | 'deferred' | 'pulse'>;
  /** Called after each message to it, and when it is to end: it has no ear of its own. */
  readonly wake?: () => void;
  /** It has ended: what it held is given back. */
  readonly onExit?: () => void;
}

export class Thread {
  stopping = false;
  listening = false;
  readonly pulse = new Pulse();
  readonly #parts: ThreadParts;
  readonly #plan: ThreadPlan;
  #worker: Worker | null = null;
  #exited: Promise<void> = Promise.resolve();

  constructor(parts: ThreadParts, plan: ThreadPlan) {
    this.#parts = parts;
    this.#plan = plan;
  }

  /** Resolves when it listens. Throws ConfigError when it can't. */
  start(): Promise<void> {
    const { index, log, counters, deferred, onThread, cannotListen } = this.#parts;
    const { name, file, reader } = this.#plan;
    const { port1, port2 } = new MessageChannel();
    // The channel must not keep the process alive.
    port1.unref();
    const [line, channel] = deferred === null ? [null, null] : openLine(deferred, this.#plan.wake ?? (() => {}));
    const data: WorkerData = {
      ...this.#plan.data,
      shared: index.share(port1),
      reader,
      port: port2,
      counters: counters.slice(reader - 1),
      deferred: channel,
      pulse: this.pulse.shared,
    };
    this.pulse.begin();
    const worker = new Worker(file, {
      workerData: data,
      transferList: channel === null ? [port2] : [port2, channel.port],
      name: this.name,
    });
    this.#worker = worker;
    onThread?.(name, worker);
    return new Promise((resolve, reject) => {
      let failure: ConfigError | undefined;
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'listening') {
          this.listening = true;
          resolve();
        } else if (message.kind === 'failed') {
          // One that listens on some of its addresses would go on.
          failure = cannotListen(message.message);
          void worker.terminate();
        } else
          log.error('exception while handling a DNS packet; packet dropped', { thread: name, fault: message.message });
      });
      worker.on('error', (error) => log.error('DNS thread failed', { thread: name, error }));
      this.#exited = new Promise((done) => {
        worker.on('exit', (code) => {
          line?.close();
          this.#plan.onExit?.();
          done();
          this.#exit(port1, code);
          reject(failure ?? new Error(`DNS thread ${name} exited with code ${code}`));
        });
      });
    });
  }

  get name(): string {
    return `dns ${this.#plan.name}`;
  }

  /** Says something to the thread, if there is one; a new one is not told what the old one was. */
  tell(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  /** To be called once it was told to stop. Resolves when it has ended, by itself or not. */
  async ended(): Promise<void> {
    this.#plan.wake?.();
    const timer = setTimeout(() => void this.#worker?.terminate(), STOP_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #exit(port: MessagePort, code: number): void {
    const { index, log, counters } = this.#parts;
    const { reader, name } = this.#plan;
    index.unshare(port, reader);
    counters.ended(reader - 1);
    port.close();
    const wasListening = this.listening;
    this.listening = false;
    if (this.stopping || !wasListening) return;
    counters.restarts++;
    log.error('DNS thread exited; restarting', { thread: name, code });
    setTimeout(() => {
      if (!this.stopping) this.start().catch((error: unknown) => this.#startAgain(error));
    }, RESTART_MS);
  }

  #startAgain(error: unknown): void {
    this.#parts.log.error('cannot restart DNS thread', { thread: this.#plan.name, error });
    setTimeout(() => {
      if (!this.stopping) this.start().catch((again: unknown) => this.#startAgain(again));
    }, RESTART_MS * 4);
  }
}

/** A thread's way to main and back: main's end of it, and the thread's. */
function openLine(server: DeferredServer, wake: () => void): [DeferredLine, DeferredChannel<MessagePort>] {
  const { port1, port2 } = new MessageChannel();
  const underWay = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  return [server.open({ port: port1, underWay }, wake), { port: port2, underWay, udpBound: server.udpBound }];
}
