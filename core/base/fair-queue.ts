/**
 * Linked queues for many items per second. The links are in the items. A line does not detect
 * duplicates (FairQueue does). A removed item has no link to later items.
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
  constructor(readonly owner: Owner) {
    super();
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

  owners(): Iterable<Owner> {
    return this.#lines.keys();
  }

  /** Do not change the line meanwhile. */
  *itemsOf(owner: Owner): Generator<T> {
    for (let item = this.#lines.get(owner)?.first ?? null; item !== null; item = item.after as T | null) yield item;
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

class Queued<T> implements InLine {
  line: object | null = null;
  before: InLine | null = null;
  after: InLine | null = null;

  constructor(readonly item: T) {}
}

/** A fair line that finds its items: an item is queued once, and can be removed. */
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

/** Reorders items so that owners take turns: each owner's first item, then each second one. */
export function inTurns<Item>(items: readonly Item[], ownerOf: (item: Item) => number | string): Item[] {
  const counts = new Map<number | string, number>();
  const rounds: Item[][] = [];
  for (const item of items) {
    const owner = ownerOf(item);
    const round = counts.get(owner) ?? 0;
    counts.set(owner, round + 1);
    rounds[round] ??= [];
    rounds[round].push(item);
  }
  return rounds.flat();
}
