/** Timeouts of promises, and intervals that end on time after a suspension. */

/**
 * Settles like `work`, or like `late` after a timeout of `ms` milliseconds. `late` returns a value
 * or throws. The work is not stopped, and a later failure is ignored.
 */
export async function withTimeout<T, L>(work: Promise<T>, ms: number, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<L>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error as Error);
      }
    }, ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds between reads of the system clock. */
const READ_MS = 1000;
/** Milliseconds by which a time service may set the clock back without the end of an interval. */
const SET_BACK_MS = 60_000;

/**
 * An interval that ends by the system clock or by the monotonic clock, whichever is first. So work
 * that depends on the date runs soon after the machine was suspended, or after the system clock was
 * set forward or back.
 */
export class Interval {
  readonly #end: number;
  readonly #offset: number;

  /** Starts now. `now`: milliseconds since 1970. */
  constructor(
    milliseconds: number,
    private readonly now: () => number = () => Date.now(),
  ) {
    this.#end = performance.now() + milliseconds;
    this.#offset = now() - performance.now();
  }

  /** Milliseconds until the caller should check again; 0: the interval has ended. */
  remaining(): number {
    const left = this.#end - performance.now();
    const byDate = this.#end - (this.now() - this.#offset);
    return left <= 0 || byDate <= 0 || byDate > left + SET_BACK_MS ? 0 : Math.min(left, READ_MS);
  }
}
