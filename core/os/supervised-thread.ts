/**
 * A worker thread as the main thread sees it: started, watched, restarted after a delay when it
 * dies, stopped.
 */
import v8 from 'node:v8';
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import type { Logger } from '../base/log/index.ts';
import { Pulse } from './pulse.ts';

const setSize = (megabytes: number): void => v8.setFlagsFromString(`--initial-old-space-size=${megabytes}`);

type StartedWorker = Pick<Worker, 'once'>;

/** Workers whose heap may not be made yet. */
let starting = 0;

/**
 * Threads whose old generation may grow before V8 collects it.
 *
 * The worker that `create` makes, of whose old generation V8 collects nothing below `megabytes`. By
 * itself it would collect once or twice a second where a heap of 30 MB has a young generation of 32
 * and many requests in flight, 35 ms each time. A thread's limits have no field for it, so it is a
 * flag of the process until the thread has made its heap; threads that others start meanwhile get
 * it too.
 */
export function withOldSpace<W extends StartedWorker>(megabytes: number, create: () => W): W {
  setSize(megabytes);
  starting++;
  let isStarting = true;
  const end = (): void => {
    if (!isStarting) return;
    isStarting = false;
    if (--starting === 0) setSize(0);
  };
  try {
    const worker = create();
    worker.once('online', end);
    worker.once('exit', end);
    return worker;
  } catch (error) {
    end();
    throw error;
  }
}

/** What the thread reports of its start. */
export type StartReport =
  | { readonly kind: 'listening' }
  /** It cannot start, and a restart would not help. */
  | { readonly kind: 'failed'; readonly message: string };

/** Delays before restarts, in milliseconds. */
export interface BackOff {
  readonly first: number;
  /** Each delay is the one before it times this. */
  readonly factor: number;
  readonly maximum: number;
  /** A thread that lived longer than that is restarted after the first delay. */
  readonly settledAfter: number;
}

/** What one start of a thread needs. */
interface ThreadStart {
  /** The thread's workerData; `pulse` is added. */
  readonly data: object;
  readonly transfer?: Transferable[];
  /** The thread has ended: frees what was made for this start. */
  release(): void;
}

interface ThreadOptions<From> {
  readonly log: Logger;
  /** Which threads it belongs to: `DNS`, `edge`. */
  readonly role: string;
  readonly name: string;
  /** The thread's program. */
  readonly file: URL;
  readonly backOff: BackOff;
  /** Limits of its heap; omitted: those of the process. */
  readonly heap?: ResourceLimits;
  /** Megabytes of its old generation below which it is not collected; omitted: V8 decides. */
  readonly oldSpace?: number;
  prepare(): ThreadStart;
  /** The error of `start` for a thread that reports `failed`. */
  failure(message: string): Error;
  /** Receives every message but a StartReport. */
  onMessage(message: From): void;
  /** The thread has died while it listened, and will be restarted. */
  onRestart(): void;
  /** Receives each worker: for tests that end one. */
  onWorker?(worker: Worker): void;
}

export class SupervisedThread<To, From extends { readonly kind: string }> {
  readonly pulse = new Pulse();
  readonly #options: ThreadOptions<From>;
  #worker: Worker | null = null;
  #isListening = false;
  #isStopping = false;
  #delay: number;
  #timer: NodeJS.Timeout | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ThreadOptions<From>) {
    this.#options = options;
    this.#delay = options.backOff.first;
  }

  get name(): string {
    return `${this.#options.role.toLowerCase()} ${this.#options.name}`;
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  /** Resolves when the thread listens. Rejects when it cannot, or dies before that. */
  start(): Promise<void> {
    const { log, role, name, file, heap, oldSpace, prepare, failure, onMessage, onWorker } = this.#options;
    const { data, transfer, release } = prepare();
    this.pulse.begin();
    const create = (): Worker =>
      new Worker(file, {
        workerData: { ...data, pulse: this.pulse.shared },
        transferList: transfer,
        resourceLimits: heap,
        name: this.name,
      });
    const worker = oldSpace === undefined ? create() : withOldSpace(oldSpace, create);
    this.#worker = worker;
    onWorker?.(worker);
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      let error: Error | undefined;
      worker.on('message', (message: StartReport | From) => {
        if (message.kind === 'listening') {
          this.#isListening = true;
          resolve();
        } else if (message.kind === 'failed') {
          // A thread that listens on some of its addresses would go on.
          error = failure((message as StartReport & { kind: 'failed' }).message);
          void worker.terminate();
        } else onMessage(message as From);
      });
      worker.on('error', (cause) => log.error(`${role} thread failed`, { thread: name, error: cause }));
      this.#ended = new Promise((done) => {
        worker.on('exit', (code) => {
          const wasListening = this.#isListening;
          this.#isListening = false;
          release();
          done();
          if (wasListening && !this.#isStopping) this.#restart(code, performance.now() - startedAt);
          reject(error ?? new Error(`${role} thread ${name} exited with code ${code}`));
        });
      });
    });
  }

  /**
   * Sends to the thread, if there is one. A restarted thread does not receive what was sent before.
   */
  send(message: To): void {
    this.#worker?.postMessage(message);
  }

  /**
   * Waits until the thread has ended, and ends it after `timeout` milliseconds. The caller has
   * asked it to end.
   */
  async stop(timeout: number): Promise<void> {
    this.#stopRestarts();
    const timer = setTimeout(() => void this.#worker?.terminate(), timeout);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends the thread now. */
  async terminate(): Promise<void> {
    this.#stopRestarts();
    await this.#worker?.terminate();
    await this.#ended;
  }

  #stopRestarts(): void {
    this.#isStopping = true;
    clearTimeout(this.#timer);
  }

  #restart(code: number, age: number): void {
    const { log, role, name, backOff, onRestart } = this.#options;
    if (age > backOff.settledAfter) this.#delay = backOff.first;
    onRestart();
    log.error(`${role} thread exited; restarting`, { thread: name, code });
    this.#startLater();
  }

  #startLater(): void {
    const { log, role, name, backOff } = this.#options;
    this.#timer = setTimeout(() => {
      this.start().catch((error: unknown) => {
        if (this.#isStopping) return;
        log.error(`cannot restart ${role} thread`, { thread: name, error });
        this.#startLater();
      });
    }, this.#delay);
    this.#delay = Math.min(this.#delay * backOff.factor, backOff.maximum);
  }
}
