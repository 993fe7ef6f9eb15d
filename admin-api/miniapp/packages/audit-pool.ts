/**
 * Runs audits in threads with limits on time and memory, so that a hostile package harms only its
 * own audit.
 */
import { Piscina } from 'piscina';
import { auditThreadLimits } from './audit-limits.ts';
import type { AuditTask } from './audit-task.ts';

interface AuditPoolOptions {
  /** Program of the threads. */
  readonly program: URL;
  readonly threads: number;
  /** Milliseconds for one audit. */
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

/** Milliseconds after which an idle thread ends. */
const IDLE_TIMEOUT = 30_000;
/** Audits have a lower priority than queries and requests. */
const NICE = 10;

export class AuditPool<R> {
  readonly #running = new Set<AbortController>();
  #pool: Piscina<AuditTask, R> | undefined;
  #isClosed = false;

  constructor(private readonly options: AuditPoolOptions) {}

  get threads(): number {
    return this.options.threads;
  }

  /** Never rejects. The timeout includes the time in the queue. */
  async run(task: AuditTask): Promise<Outcome<R>> {
    if (this.#isClosed) return { kind: 'stopped' };
    const { timeout } = this.options;
    // Created on first use, so that no thread runs without an audit.
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
    const { program, threads, memory } = this.options;
    const pool = new Piscina<AuditTask, R>({
      filename: program.href,
      minThreads: 0,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: IDLE_TIMEOUT,
      niceIncrement: NICE,
      resourceLimits: auditThreadLimits(memory),
    });
    // A thread can fail after its task; the pool replaces it.
    pool.on('error', () => {});
    return pool;
  }
}
