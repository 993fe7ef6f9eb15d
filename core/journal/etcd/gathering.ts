/**
 * Delays a group until the clients of the last group have sent their next commits. Otherwise the
 * clients split into two sets: one set is committed while the other collects. That doubles the
 * number of groups, and each group costs every node a transaction and etcd one round.
 */

/**
 * When this share of the expected commits is pending, the gathering ends after this many
 * milliseconds.
 */
const ENOUGH_SHARE = 0.9;
const STRAGGLER_WAIT = 1;

const NO_CHECK = (): void => {};

export class Gathering {
  #expected = 0;
  #check = NO_CHECK;

  /** A group of `size` commits is finished, and `waiting` commits are queued for the next. */
  noteGroup(size: number, waiting: number): void {
    this.#expected = size + waiting;
  }

  /** Must be called when more commits wait, or when `isOver` may have changed. */
  update(): void {
    this.#check();
  }

  /**
   * Resolves when about as many commits wait as expected, after `patience` milliseconds, or when
   * `isOver` returns true.
   */
  async gather(waiting: () => number, patience: number, isOver: () => boolean): Promise<void> {
    const isDone = (): boolean => waiting() >= this.#expected || isOver();
    if (isDone()) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((done) => {
      timer = setTimeout(done, patience);
      let isNear = false;
      this.#check = () => {
        if (isDone()) done();
        else if (!isNear && waiting() >= ENOUGH_SHARE * this.#expected) {
          isNear = true;
          clearTimeout(timer);
          timer = setTimeout(done, Math.min(STRAGGLER_WAIT, patience));
        }
      };
      this.#check();
    });
    this.#check = NO_CHECK;
    clearTimeout(timer);
  }
}
