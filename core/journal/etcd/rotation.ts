/**
 * Who appends next when several nodes have much to write: each after the others, by what it sees of the log alone. An append that comes second is work for nothing, here, in etcd and
 * on its disks. So whoever has lost one lately counts the groups of others between two of its own, and lets as many by before the next: nodes that all do so go round. A node that
 * has nothing more to write is waited for once.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after a lost append for which turns are kept. */
const KEPT = 1000;
/** A group of another is waited for so many times as long as ours take, and at most so many milliseconds. */
const PATIENCE = 3;
const MOST = 250;

export class Rotation {
  readonly #writers: () => number;
  /** Of performance.now(). */
  #keptUntil = 0;
  /** Groups of others since our last one. */
  #seen = 0;
  /** So many are let by before our next. */
  #expected = 0;
  /** Milliseconds that a group takes, smoothed. */
  #took = 10;
  #wake: () => void = () => {};

  /** `writers`: how many others there are. */
  constructor(writers: () => number) {
    this.#writers = writers;
  }

  /** Whether others are to be let by first. */
  get isTheirs(): boolean {
    return this.#seen < this.#expected && performance.now() < this.#keptUntil;
  }

  /** Resolves when a group came, or was waited for long enough. */
  async letBy(): Promise<void> {
    const over = new AbortController();
    const came = new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
    });
    const late = sleep(Math.min(MOST, PATIENCE * this.#took), false, { signal: over.signal }).catch(() => false);
    if (!(await Promise.race([came, late]))) this.#expected = this.#seen;
    over.abort();
  }

  /** A group came; it may be our own. */
  came(): void {
    this.#wake();
  }

  /** So many groups of others are applied. */
  others(count: number): void {
    this.#seen += count;
  }

  /** An append of ours came second. */
  lost(): void {
    this.#keptUntil = performance.now() + KEPT;
  }

  /** One came first; from its check until it was applied it took so many milliseconds. */
  won(milliseconds: number): void {
    this.#took += (milliseconds - this.#took) / 8;
    this.#expected = Math.min(this.#seen, this.#writers());
    this.#seen = 0;
  }
}
