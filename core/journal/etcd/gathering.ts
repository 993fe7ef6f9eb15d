/**
 * Waits for who was answered lately to come back before the next group is cut. Clients that each wait for their answer fall into two crowds else, one of which is under way while the
 * other collects: twice as many groups, each of which costs every node a transaction and etcd a round, whatever its size.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Of those that were there at the last group. */
const ENOUGH = 0.9;
/** Milliseconds between looks. */
const LOOK = 1;

export class Gathering {
  #crowd = 0;

  /** A group of so many is done, while so many wait for the next. */
  done(size: number, waiting: number): void {
    this.#crowd = size + waiting;
  }

  /** Resolves when about as many wait as there were, after so many milliseconds at the latest, or when `isOver`. */
  async gather(waiting: () => number, patience: number, isOver: () => boolean): Promise<void> {
    const until = performance.now() + patience;
    while (waiting() < ENOUGH * this.#crowd && performance.now() < until && !isOver()) await sleep(LOOK);
  }
}
