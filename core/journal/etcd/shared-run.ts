import { setTimeout as sleep } from 'node:timers/promises';

/** Work that many ask for at a time: who comes while it is under way shares the next run, which begins after they came. */
export class Joined<T> {
  readonly #work: () => Promise<T>;
  readonly #rest: number;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | null = null;

  /** `rest`: milliseconds from the end of a run to the next. */
  constructor(work: () => Promise<T>, rest = 0) {
    this.#work = work;
    this.#rest = rest;
  }

  /** What a run gives that begins no sooner than now. */
  join(): Promise<T> {
    if (this.#next !== null) return this.#next;
    const next = this.#running.then(() => {
      this.#next = null;
      return this.#work();
    });
    this.#next = next;
    const ended = next.catch(() => {});
    this.#running = this.#rest === 0 ? ended : ended.then(() => sleep(this.#rest, undefined, { ref: false }));
    return next;
  }
}
