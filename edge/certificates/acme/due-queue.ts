/**
 * What is due when: a binary heap of times, and the time that counts for each item. One that is
 * given another time leaves its old entry behind, which is passed over.
 */
import type { Id } from '../../../core/store/keys.ts';

interface Entry {
  readonly id: Id;
  readonly at: number;
}

export class DueQueue {
  readonly #heap: Entry[] = [];
  readonly #times = new Map<Id, number>();

  /** Items, each once. */
  get size(): number {
    return this.#times.size;
  }

  /** The time given last counts. */
  put(id: Id, at: number): void {
    if (this.#times.get(id) === at) return;
    this.#times.set(id, at);
    this.#heap.push({ id, at });
    this.#rise(this.#heap.length - 1);
    // Times that count no more are half of all at most.
    if (this.#heap.length > 64 + this.#times.size * 2) this.#rebuild();
  }

  remove(id: Id): void {
    this.#times.delete(id);
  }

  has(id: Id): boolean {
    return this.#times.has(id);
  }

  /** When the first is due; undefined: nothing waits. */
  next(): number | undefined {
    while (this.#heap.length > 0 && !this.#counts(this.#heap[0])) this.#pop();
    return this.#heap[0]?.at;
  }

  /** Takes out one that is due; undefined: none is. */
  take(now: number): Id | undefined {
    const at = this.next();
    if (at === undefined || at > now) return undefined;
    const { id } = this.#pop();
    this.#times.delete(id);
    return id;
  }

  #counts({ id, at }: Entry): boolean {
    return this.#times.get(id) === at;
  }

  #rebuild(): void {
    this.#heap.length = 0;
    for (const [id, at] of this.#times) {
      this.#heap.push({ id, at });
      this.#rise(this.#heap.length - 1);
    }
  }

  #pop(): Entry {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (heap[above].at <= heap[at].at) return;
      [heap[above], heap[at]] = [heap[at], heap[above]];
      at = above;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && heap[child].at < heap[least].at) least = child;
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least], heap[at]];
      at = least;
    }
  }
}
