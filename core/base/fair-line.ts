/**
 * Linked queues for many items per second. The links are in the items. A line does not detect
 * duplicates (fair-queue.ts does). A removed item has no link to later items.
 *
 * A Map or Set would leak: when it grows or is rehashed, its old table refers to the new table. If
 * the old table is in V8's old generation, each collection of the young generation keeps and copies
 * all items that were queued after it.
 */

/** An item, which is in at most one line. */
export interface InLine {
  /** Null: in no line. Only lines set this and the other fields. */
  line: object | null;
  before: InLine | null;
  after: InLine | null;
}

export class Line<T extends InLine> {
  size = 0;
  first: T | null = null;
  #last: T | null = null;

  /** The item must be in no line. */
  put(item: T): void {
    item.line = this;
    item.before = this.#last;
    if (this.#last === null) this.first = item;
    else this.#last.after = item;
    this.#last = item;
    this.size++;
  }

  /** False: the item is not in this line. */
  remove(item: T): boolean {
    if (item.line !== this) return false;
    const { before, after } = item;
    if (before === null) this.first = after as T | null;
    else before.after = after;
    if (after === null) this.#last = before as T | null;
    else after.before = before;
    item.line = null;
    item.before = null;
    item.after = null;
    this.size--;
    return true;
  }

  /** Removes and returns the first item; null: the line is empty. */
  take(): T | null {
    const { first } = this;
    if (first !== null) this.remove(first);
    return first;
  }
}

class OwnLine<T extends InLine, Owner> extends Line<T> {
  readonly owner: Owner;

  constructor(owner: Owner) {
    super();
    this.owner = owner;
  }
}

/**
 * A line in which owners take turns, so that an owner with many items delays only itself. The items
 * of each owner stay in order.
 */
export class FairLine<T extends InLine, Owner = string> {
  /** The owner of the next turn is first. Owners without items are not in the map. */
  readonly #lines = new Map<Owner, OwnLine<T, Owner>>();
  size = 0;

  hasItemOf(owner: Owner): boolean {
    return this.#lines.has(owner);
  }

  /** The item must be in no line. */
  put(item: T, owner: Owner): void {
    let line = this.#lines.get(owner);
    if (line === undefined) {
      line = new OwnLine(owner);
      this.#lines.set(owner, line);
    }
    line.put(item);
    this.size++;
  }

  /** False: the item is not in this line. */
  remove(item: T): boolean {
    const { line } = item;
    if (!(line instanceof OwnLine) || this.#lines.get(line.owner) !== line) return false;
    this.#takeFrom(line, item);
    return true;
  }

  /**
   * Removes and returns the oldest item of the next owner that `mayTake` allows. The owner moves to
   * the end of the line.
   */
  take(mayTake?: (owner: Owner) => boolean): T | undefined {
    for (const [owner, line] of this.#lines) {
      if (mayTake !== undefined && !mayTake(owner)) continue;
      const item = line.first as T;
      this.#takeFrom(line, item);
      if (line.size > 0 && this.#lines.size > 1) {
        this.#lines.delete(owner);
        this.#lines.set(owner, line);
      }
      return item;
    }
    return undefined;
  }

  /** Removes and returns the first items of each owner while `isDue` is true. */
  takeWhile(isDue: (item: T) => boolean): T[] {
    const due: T[] = [];
    for (const line of [...this.#lines.values()])
      for (let { first } = line; first !== null && isDue(first); first = line.first) {
        this.#takeFrom(line, first);
        due.push(first);
      }
    return due;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    return this.takeWhile(() => true);
  }

  #takeFrom(line: OwnLine<T, Owner>, item: T): void {
    line.remove(item);
    this.size--;
    if (line.size === 0) this.#lines.delete(line.owner);
  }
}
