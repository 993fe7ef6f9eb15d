/**
 * A background task that runs at intervals. A run starts when the interval after the previous run
 * has passed, so runs never overlap.
 */
import { clockOffset, Interval } from './interval.ts';

interface PeriodicOptions {
  /** Milliseconds between two runs. */
  readonly interval: number;
  /** Start the first run without waiting. */
  readonly runsImmediately?: boolean;
  /** The work depends on the date: a run follows when the system clock is set forward. */
  readonly followsDate?: boolean;
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
    else this.#scheduleNext(clockOffset());
  }

  /** Starts no further run. Resolves when the current run has ended; never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#currentRun;
  }

  /** `offset`: the clock offset before the run that has ended. */
  #scheduleNext(offset: number): void {
    if (this.#isStopped) return;
    const { interval, followsDate = false } = this.#options;
    if (followsDate) this.#await(new Interval(interval, undefined, offset));
    else this.#timer = setTimeout(() => this.#startRun(), interval).unref();
  }

  #await(interval: Interval): void {
    const milliseconds = interval.remaining();
    if (milliseconds === 0) this.#startRun();
    else this.#timer = setTimeout(() => this.#await(interval), milliseconds).unref();
  }

  #startRun(): void {
    this.#currentRun = this.#run();
  }

  async #run(): Promise<void> {
    const offset = clockOffset();
    const error = await this.#runWork();
    // Failures during the shutdown are not reported.
    if (error === null || !this.#isStopped) this.#options.onEnd(error);
    this.#scheduleNext(offset);
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
