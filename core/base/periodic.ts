/**
 * A background task that runs at intervals. A run starts when the interval after the previous run
 * has passed, so runs never overlap.
 */

export interface PeriodicOptions {
  /** Milliseconds between two runs. */
  readonly interval: number;
  /** Start the first run without waiting. */
  readonly runsImmediately?: boolean;
  /**
   * Called after each run with null or the thrown error. The next run is scheduled in either case.
   */
  readonly onEnd: (error: unknown) => void;
}

export class Periodic {
  readonly #work: () => unknown;
  readonly #options: PeriodicOptions;
  #timer: NodeJS.Timeout | undefined;
  #currentRun: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** If `work` returns a promise, the run lasts until it settles. */
  constructor(work: () => unknown, options: PeriodicOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** Lets long work stop early. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Does not keep the process alive. */
  start(): void {
    if (this.#options.runsImmediately) this.#startRun();
    else this.#scheduleNext();
  }

  /** Starts no further run. Resolves when the current run has ended; never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#currentRun;
  }

  #scheduleNext(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#startRun(), this.#options.interval).unref();
  }

  #startRun(): void {
    this.#currentRun = this.#run();
  }

  async #run(): Promise<void> {
    const error = await this.#runWork();
    // Failures during the shutdown are not reported.
    if (error === null || !this.#isStopped) this.#options.onEnd(error);
    this.#scheduleNext();
  }

  async #runWork(): Promise<unknown> {
    try {
      await this.#work();
      return null;
    } catch (error) {
      return error;
    }
  }
}
