/** Supervises a worker thread: starts it, restarts it after a delay when it dies, and stops it. */
import v8 from 'node:v8';
import type { ResourceLimits, Transferable, Worker } from 'node:worker_threads';
import type { Logger } from '../base/log/index.ts';
import { createThread } from './early-threads.ts';
import { Pulse } from './pulse.ts';

const setSize = (megabytes: number): void => v8.setFlagsFromString(`--initial-old-space-size=${megabytes}`);

type StartedWorker = Pick<Worker, 'once'>;

/** Number of workers whose heap may not exist yet. */
let starting = 0;

/**
 * Creates a worker whose old generation V8 does not collect below `megabytes`. By default V8 would
 * collect once or twice a second, 35 ms each time, in a heap of 30 MB with a young generation of 32
 * MB and many requests in flight. The resource limits of a worker have no such field, so a flag of
 * the process is set until the heap exists. Threads that start meanwhile get it too.
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

/** The report of a thread about its start. */
export type StartReport =
  | { readonly kind: 'listening' }
  /** The thread cannot start, and a restart would not help. */
  | { readonly kind: 'failed'; readonly message: string };

/** Delays before restarts, in milliseconds. */
export interface BackOff {
  readonly first: number;
  /** The factor between consecutive delays. */
  readonly factor: number;
  readonly maximum: number;
  /** After a longer life, a restart has the first delay again. */
  readonly settledAfter: number;
}

/** The data and the clean-up of one start. */
interface ThreadStart {
  /** The thread's workerData; `pulse` is added. */
  readonly data: object;
  readonly transfer?: Transferable[];
  /** Frees the resources of this start after the thread has ended. */
  release(): void;
}

interface ThreadOptions<From> {
  readonly log: Logger;
  /** The group of the thread: `DNS`, `edge`. */
  readonly role: string;
  readonly name: string;
  /** The thread's program. */
  readonly file: URL;
  readonly backOff: BackOff;
  /** Limits of its heap; omitted: those of the process. */
  readonly heap?: ResourceLimits;
  /** Megabytes below which V8 does not collect the old generation; omitted: V8 decides. */
  readonly oldSpace?: number;
  prepare(): ThreadStart;
  /** Creates the error of `start` for a thread that reports `failed`. */
  failure(message: string): Error;
  /** Receives every message except a StartReport. */
  onMessage(message: From): void;
  /** The thread died after it was listening, and will be restarted. */
  onRestart(): void;
  /** Receives each worker, for tests that terminate it. */
  onWorker?(worker: Worker): void;
}

const running = new Set<Pulse>();

/** Each supervised thread collects its garbage within about a second. */
export function collectThreads(): void {
  for (const pulse of running) pulse.requestCollection();
}

export class SupervisedThread<To, From extends { readonly kind: string }> {
  readonly pulse = new Pulse();
  #worker: Worker | null = null;
  #isListening = false;
  #isStopping = false;
  #delay: number;
  #timer: NodeJS.Timeout | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: ThreadOptions<From>) {
    this.#delay = options.backOff.first;
  }

  get name(): string {
    return `${this.options.role.toLowerCase()} ${this.options.name}`;
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  /** Resolves when the thread listens. Rejects if it cannot start, or dies before that. */
  start(): Promise<void> {
    const { log, role, name, file, heap, oldSpace, prepare, failure, onMessage, onWorker } = this.options;
    const { data, transfer, release } = prepare();
    this.pulse.begin();
    const create = (): Worker =>
      createThread(file, {
        workerData: { ...data, pulse: this.pulse.shared },
        transferList: transfer,
        resourceLimits: heap,
        name: this.name,
      });
    const worker = oldSpace === undefined ? create() : withOldSpace(oldSpace, create);
    this.#worker = worker;
    running.add(this.pulse);
    onWorker?.(worker);
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      let error: Error | undefined;
      worker.on('message', (message: StartReport | From) => {
        if (message.kind === 'listening') {
          this.#isListening = true;
          resolve();
        } else if (message.kind === 'failed') {
          // The thread may listen on some of its addresses, and would continue.
          error = failure((message as StartReport & { kind: 'failed' }).message);
          void worker.terminate();
        } else onMessage(message as From);
      });
      worker.on('error', (cause) => log.error(`${role} thread failed`, { thread: name, error: cause }));
      this.#ended = new Promise((done) => {
        worker.on('exit', (code) => {
          const wasListening = this.#isListening;
          this.#isListening = false;
          running.delete(this.pulse);
          release();
          done();
          if (wasListening && !this.#isStopping) this.#restart(code, performance.now() - startedAt);
          reject(error ?? new Error(`${role} thread ${name} exited with code ${code}`));
        });
      });
    });
  }

  /**
   * Sends a message to the thread, if it exists. A restarted thread does not receive earlier
   * messages.
   */
  send(message: To): void {
    this.#worker?.postMessage(message);
  }

  /**
   * Waits for the end of the thread, and terminates it after `timeout` milliseconds. The caller
   * must have requested the stop.
   */
  async stop(timeout: number): Promise<void> {
    this.#stopRestarts();
    const timer = setTimeout(() => void this.#worker?.terminate(), timeout);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Terminates the thread immediately. */
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
    const { log, role, name, backOff, onRestart } = this.options;
    if (age > backOff.settledAfter) this.#delay = backOff.first;
    onRestart();
    log.error(`${role} thread exited; restarting`, { thread: name, code });
    this.#startLater();
  }

  #startLater(): void {
    const { log, role, name, backOff } = this.options;
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
