/** Audits in threads that are ended when they take too long or too much: what a package makes of its audit stays with that. */
import { Piscina } from 'piscina';
import { auditThreadLimits } from './audit-limits.ts';
import type { AuditTask } from './audit-task.ts';

export interface AuditPoolOptions {
  /** The program of the threads. */
  readonly program: URL;
  readonly threads: number;
  /** Milliseconds for one. */
  readonly timeout: number;
  /** Bytes of the heap of a thread. */
  readonly memory: number;
}

export type Outcome<R> =
  | { readonly kind: 'done'; readonly result: R }
  | { readonly kind: 'crashed'; readonly reason: string }
  | { readonly kind: 'timed_out' }
  /** The pool is closed. */
  | { readonly kind: 'stopped' };

/** Milliseconds for which a thread waits for more. */
const IDLE = 30_000;
/** What answers queries and requests goes first. */
const NICE = 10;

export class AuditPool<R> {
  readonly #options: AuditPoolOptions;
  readonly #running = new Set<AbortController>();
  #pool: Piscina<AuditTask, R> | undefined;
  #isClosed = false;

  constructor(options: AuditPoolOptions) {
    this.#options = options;
  }

  get threads(): number {
    return this.#options.threads;
  }

  /** Never rejects. The time runs from the call: what is over it may have waited for others. */
  async run(task: AuditTask): Promise<Outcome<R>> {
    if (this.#isClosed) return { kind: 'stopped' };
    const { timeout } = this.#options;
    // No thread before it is needed.
    this.#pool ??= this.#open();
    const stop = new AbortController();
    this.#running.add(stop);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop.abort();
    }, timeout);
    try {
      return { kind: 'done', result: await this.#pool.run(task, { signal: stop.signal }) };
    } catch (error) {
      if (this.#isClosed) return { kind: 'stopped' };
      if (isLate) return { kind: 'timed_out' };
      return { kind: 'crashed', reason: error instanceof Error ? error.message : String(error) };
    } finally {
      clearTimeout(timer);
      this.#running.delete(stop);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#running) stop.abort();
    await this.#pool?.destroy();
  }

  #open(): Piscina<AuditTask, R> {
    const { program, threads, memory } = this.#options;
    const pool = new Piscina<AuditTask, R>({
      filename: program.href,
      minThreads: 0,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: IDLE,
      niceIncrement: NICE,
      resourceLimits: auditThreadLimits(memory),
    });
    // Of a thread that fails after its task: another takes its place.
    pool.on('error', () => {});
    return pool;
  }
}
