/**
 * Waits for who was answered lately to come back before the next group is cut. Clients that each wait for their answer fall into two crowds else, one of which is under way while the
 * other collects: twice as many groups, each of which costs every node a transaction and etcd a round, whatever its size.
 */

/** Of those that were there at the last group: once so many are, the others get so many milliseconds. */
const ENOUGH = 0.9;
const STRAGGLERS = 1;

const NOBODY = (): void => {};

export class Gathering {
  #crowd = 0;
  #look = NOBODY;

  /** A group of so many is done, while so many wait for the next. */
  done(size: number, waiting: number): void {
    this.#crowd = size + waiting;
  }

  /** To be called when more wait, or it may be over: nobody looks by themselves. */
  changed(): void {
    this.#look();
  }

  /** Resolves when about as many wait as there were, after so many milliseconds at the latest, or when `isOver`. */
  async gather(waiting: () => number, patience: number, isOver: () => boolean): Promise<void> {
    const isDone = (): boolean => waiting() >= this.#crowd || isOver();
    if (isDone()) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((done) => {
      timer = setTimeout(done, patience);
      let isNear = false;
      this.#look = () => {
        if (isDone()) done();
        else if (!isNear && waiting() >= ENOUGH * this.#crowd) {
          isNear = true;
          clearTimeout(timer);
          timer = setTimeout(done, Math.min(STRAGGLERS, patience));
        }
      };
      this.#look();
    });
    this.#look = NOBODY;
    clearTimeout(timer);
  }
}
