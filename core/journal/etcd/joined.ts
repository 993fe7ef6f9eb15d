/** Work that many ask for at a time: who comes while it is under way shares the next run, which begins after they came. */
export class Joined<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | null = null;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** What a run gives that begins no sooner than now. */
  join(): Promise<T> {
    if (this.#next !== null) return this.#next;
    const next = this.#running.then(() => {
      this.#next = null;
      return this.#work();
    });
    this.#next = next;
    this.#running = next.catch(() => {});
    return next;
  }
}
