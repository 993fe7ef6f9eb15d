import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Work with many concurrent callers. All calls during a run share the next run, which starts after
 * these calls.
 */
export class SharedRun<T> {
  readonly #pause: number;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | null = null;

  /** `pause`: milliseconds between the end of a run and the start of the next. */
  constructor(
    private readonly work: () => Promise<T>,
    pause = 0,
  ) {
    this.#pause = pause;
  }

  /** Returns the result of a run that starts after this call. */
  join(): Promise<T> {
    if (this.#next !== null) return this.#next;
    const next = this.#running.then(() => {
      this.#next = null;
      return this.work();
    });
    this.#next = next;
    const ended = next.catch(() => {});
    this.#running = this.#pause === 0 ? ended : ended.then(() => sleep(this.#pause, undefined, { ref: false }));
    return next;
  }
}
