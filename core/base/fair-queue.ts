/**
 * A fair line (fair-line.ts) that finds its items: an item is queued once, and can be removed.
 */
import { FairLine, type InLine } from './fair-line.ts';

class Queued<T> implements InLine {
  line: object | null = null;
  before: InLine | null = null;
  after: InLine | null = null;
  readonly item: T;

  constructor(item: T) {
    this.item = item;
  }
}

export class FairQueue<T, Owner = string> {
  readonly #line = new FairLine<Queued<T>, Owner>();
  readonly #queued = new Map<T, Queued<T>>();

  get size(): number {
    return this.#queued.size;
  }

  has(item: T): boolean {
    return this.#queued.has(item);
  }

  hasItemOf(owner: Owner): boolean {
    return this.#line.hasItemOf(owner);
  }

  /** An item that is queued already keeps its position. */
  put(item: T, owner: Owner): void {
    if (this.#queued.has(item)) return;
    const queued = new Queued(item);
    this.#queued.set(item, queued);
    this.#line.put(queued, owner);
  }

  /** False: the item is not queued. */
  remove(item: T): boolean {
    const queued = this.#queued.get(item);
    if (queued === undefined) return false;
    this.#line.remove(queued);
    return this.#queued.delete(item);
  }

  /**
   * Removes and returns the oldest item of the next owner that `mayTake` allows. The owner moves to
   * the end of the line.
   */
  take(mayTake?: (owner: Owner) => boolean): T | undefined {
    const queued = this.#line.take(mayTake);
    if (queued !== undefined) this.#queued.delete(queued.item);
    return queued?.item;
  }

  /** Removes and returns the first items of each owner while `isDue` is true. */
  takeWhile(isDue: (item: T) => boolean): T[] {
    const due = this.#line.takeWhile(({ item }) => isDue(item)).map(({ item }) => item);
    for (const item of due) this.#queued.delete(item);
    return due;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    return this.takeWhile(() => true);
  }
}
