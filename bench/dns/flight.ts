/**
 * What one socket has on its way: query IDs are given out in order and each remembers its query, so
 * that an answer is distinguished from a stray packet and a lost query from a slow one. Allocated
 * once; nothing here allocates later.
 *
 *        tail                      next
 *   ...... | ## # ### # ############ | ......      # in flight, blank answered; IDs wrap at 65,536
 */
const IDS = 65_536;
const NONE = -1;

export class Flight {
  /** Query in flight under this ID (its index in the query file), or NONE. */
  readonly #query = new Int32Array(IDS).fill(NONE);
  /** When it was sent, milliseconds of the run. */
  readonly #sentAt = new Uint32Array(IDS);
  #tail = 0;
  #next = 0;
  /** Queries in flight. */
  size = 0;
  /** Queries given up so far. */
  lost = 0;

  /**
   * Takes the next ID for a query. A query that is still out when its ID is the next to be given
   * again counts as lost.
   */
  launch(query: number, now: number): number {
    const id = this.#next;
    this.#query[id] = query;
    this.#sentAt[id] = now;
    this.#next = (id + 1) & (IDS - 1);
    if (this.#next === this.#tail) {
      if (this.#query[this.#tail] !== NONE) this.#giveUp(this.#tail);
      this.#tail = (this.#tail + 1) & (IDS - 1);
    }
    this.size++;
    return id;
  }

  /** The query that an answer with this ID is for, or -1 when there is none. */
  land(id: number): number {
    const query = this.#query[id];
    if (query !== NONE) {
      this.#query[id] = NONE;
      this.size--;
    }
    return query;
  }

  /** Gives up what was sent before `time`. */
  expire(time: number): void {
    for (; this.#tail !== this.#next; this.#tail = (this.#tail + 1) & (IDS - 1)) {
      if (this.#query[this.#tail] === NONE) continue;
      if (this.#sentAt[this.#tail] >= time) return;
      this.#giveUp(this.#tail);
    }
  }

  #giveUp(id: number): void {
    this.#query[id] = NONE;
    this.size--;
    this.lost++;
  }
}
