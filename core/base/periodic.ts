/** Work that is done over and over in the background: one turn at a time, each so long after the end of the one before. */

export interface PeriodicOptions {
  /** Milliseconds between two turns. */
  readonly interval: number;
  /** The first turn does not wait. */
  readonly atOnce?: boolean;
  /** Is told of each turn: null, or what it has thrown. The next one comes all the same. */
  readonly onEnd: (error: unknown) => void;
}

export class Periodic {
  readonly #work: () => unknown;
  readonly #options: PeriodicOptions;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `work` may give a promise, which its turn waits for. */
  constructor(work: () => unknown, options: PeriodicOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** For work that takes long, to end early. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Keeps no process alive. */
  start(): void {
    if (this.#options.atOnce) this.#begin();
    else this.#wait();
  }

  /** No turn begins any more. Resolves when the one that is under way has ended; never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  #wait(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#begin(), this.#options.interval).unref();
  }

  #begin(): void {
    this.#turn = this.#take();
  }

  async #take(): Promise<void> {
    const error = await this.#outcome();
    // What fails since all is being stopped is nobody's trouble.
    if (error === null || !this.#isStopped) this.#options.onEnd(error);
    this.#wait();
  }

  async #outcome(): Promise<unknown> {
    try {
      await this.#work();
      return null;
    } catch (error) {
      return error;
    }
  }
}
