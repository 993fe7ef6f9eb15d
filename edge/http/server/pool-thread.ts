/** One thread of the pool: started, started anew when it dies, replaced, drained. */
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../../core/base/log/index.ts';
import { Pulse } from '../../../core/os/pulse.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';

/** From a death to the next start, the first time and at most; doubled each time that it dies young. */
const RESTART_MS = 250;
const MAX_RESTART_MS = 30_000;
/** A thread that lived for so long was not killed by its start. */
const YOUNG_MS = 60_000;
/** After the time to drain, until it is ended. */
const END_MS = 3000;

export interface ThreadOptions {
  readonly log: Logger;
  readonly name: string;
  /** Milliseconds that a drain may take. */
  readonly drainTimeout: number;
  /** What it is given, anew for each start. */
  data(): Omit<ThreadData, 'pulse'>;
  /** It has ended: what it held is given back. */
  onEnd(): void;
  /** It is going to be started anew. */
  onRestart(): void;
  onMessage(message: unknown): void;
  /** Is told of each worker: for tests that end one. */
  onWorker?(worker: Worker): void;
}

export class PoolThread {
  isListening = false;
  readonly pulse = new Pulse();
  readonly #options: ThreadOptions;
  #worker: Worker | null = null;
  #isStopping = false;
  #restartMs = RESTART_MS;
  #timer: NodeJS.Timeout | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get name(): string {
    return `edge ${this.#options.name}`;
  }

  /** Resolves when it listens; rejects with an Error when it can't, or dies before. */
  start(): Promise<void> {
    const { log, name, onMessage, onWorker } = this.#options;
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: { ...this.#options.data(), pulse: this.pulse.shared } satisfies ThreadData,
      name: this.name,
    });
    this.pulse.begin();
    this.#worker = worker;
    onWorker?.(worker);
    const born = performance.now();
    return new Promise((resolve, reject) => {
      let failure: Error | undefined;
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'listening') {
          this.isListening = true;
          resolve();
        } else if (message.kind === 'failed') {
          failure = new Error(message.message);
          void worker.terminate();
        } else if (message.kind === 'log') log[message.level](message.message, { thread: name, ...message.fields });
        else onMessage(message.message);
      });
      worker.on('error', (error) => log.error('an edge thread died', { thread: name, error }));
      this.#ended = new Promise((done) => {
        worker.on('exit', (code) => {
          const wasListening = this.isListening;
          this.isListening = false;
          this.#options.onEnd();
          done();
          if (wasListening) this.#died(code, performance.now() - born);
          reject(failure ?? new Error(`edge thread ${name} ended with ${code}`));
        });
      });
    });
  }

  tell(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  /** Takes no more connections. Resolves when it has ended, which it does when none is left or the time is over. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    this.tell({ kind: 'drain' });
    const timer = setTimeout(() => void this.#worker?.terminate(), this.#options.drainTimeout + END_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends it where it is. */
  async terminate(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
    await this.#ended;
  }

  #died(code: number, age: number): void {
    if (this.#isStopping) return;
    if (age > YOUNG_MS) this.#restartMs = RESTART_MS;
    this.#options.onRestart();
    this.#options.log.error('an edge thread ended and is started anew', { thread: this.#options.name, code });
    this.#startLater();
  }

  #startLater(): void {
    this.#timer = setTimeout(() => {
      this.start().catch((error: unknown) => {
        if (this.#isStopping) return;
        this.#options.log.error('an edge thread could not be started anew', { thread: this.#options.name, error });
        this.#startLater();
      });
    }, this.#restartMs);
    this.#restartMs = Math.min(this.#restartMs * 2, MAX_RESTART_MS);
  }
}
