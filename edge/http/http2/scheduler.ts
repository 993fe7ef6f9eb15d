/**
 * Whose DATA goes next (RFC 9218 section 10): the most urgent first; among equals in turn, a frame
 * each, so that a large body does not hold up small ones. Who asked by a priority field for bodies
 * one after the other gets them so. Lists are linked through what they hold.
 */

export interface Schedulable {
  /** 0 to 7. */
  urgency: number;
  /** Is served to its end before others of its urgency. */
  isSequential: boolean;
  /** In a list. */
  isScheduled: boolean;
  nextScheduled: Schedulable | null;
}

const URGENCIES = 8;

export class Scheduler<T extends Schedulable> {
  readonly #heads: (T | null)[] = new Array<T | null>(URGENCIES).fill(null);
  readonly #tails: (T | null)[] = new Array<T | null>(URGENCIES).fill(null);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Has something to send. Nothing happens when it is in a list. */
  add(stream: T): void {
    if (stream.isScheduled) return;
    stream.isScheduled = true;
    stream.nextScheduled = null;
    const { urgency } = stream;
    const tail = this.#tails[urgency];
    if (tail === null) this.#heads[urgency] = stream;
    else tail.nextScheduled = stream;
    this.#tails[urgency] = stream;
    this.#count++;
  }

  /** Has sent a frame, and has more to send. */
  again(stream: T): void {
    const { urgency } = stream;
    if (!stream.isSequential || this.#heads[urgency] === null) {
      this.add(stream);
      return;
    }
    stream.isScheduled = true;
    stream.nextScheduled = this.#heads[urgency];
    this.#heads[urgency] = stream;
    this.#count++;
  }

  /** Who is next, out of its list; null: nobody. */
  take(): T | null {
    if (this.#count === 0) return null;
    for (let urgency = 0; urgency < URGENCIES; urgency++) {
      const head = this.#heads[urgency];
      if (head === null) continue;
      this.#unlink(urgency, null, head);
      return head;
    }
    return null;
  }

  /** Has nothing to send any more. */
  remove(stream: T): void {
    if (!stream.isScheduled) return;
    // All lists, since its urgency may be another by now.
    for (let urgency = 0; urgency < URGENCIES; urgency++) {
      let before: T | null = null;
      for (let entry = this.#heads[urgency]; entry !== null; entry = entry.nextScheduled as T | null) {
        if (entry === stream) {
          this.#unlink(urgency, before, stream);
          return;
        }
        before = entry;
      }
    }
  }

  /** `before`: who stands in front of it, null at the head. */
  #unlink(urgency: number, before: T | null, stream: T): void {
    const next = stream.nextScheduled as T | null;
    if (before === null) this.#heads[urgency] = next;
    else before.nextScheduled = next;
    if (next === null) this.#tails[urgency] = before;
    stream.isScheduled = false;
    stream.nextScheduled = null;
    this.#count--;
  }
}
