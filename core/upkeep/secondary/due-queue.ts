/** Zones by the time at which something is due: a binary heap, in which a zone has one time. */
import type { Id } from '../../store/keys.ts';

interface Due {
  readonly domainId: Id;
  readonly at: number;
}

export class DueQueue {
  readonly #heap: Due[] = [];
  /** The current time of each zone; entries with another are skipped. */
  readonly #times = new Map<Id, number>();

  get size(): number {
    return this.#times.size;
  }

  /** Null: there is none. */
  get first(): number | null {
    this.#skip();
    return this.#heap[0]?.at ?? null;
  }

  /** `at` null: nothing is due. */
  set(domainId: Id, at: number | null): void {
    if (at === null) {
      this.#times.delete(domainId);
      return;
    }
    if (this.#times.get(domainId) === at) return;
    this.#times.set(domainId, at);
    this.#push({ domainId, at });
  }

  /** The zone that is due at `now` for the longest time, which then has no time; null: none is. */
  take(now: number): Id | null {
    this.#skip();
    const first = this.#heap[0];
    if (first === undefined || first.at > now) return null;
    this.#pop();
    this.#times.delete(first.domainId);
    return first.domainId;
  }

  #skip(): void {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (this.#times.get(first.domainId) === first.at) return;
      this.#pop();
    }
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let i = heap.push(due) - 1;
    for (let above = (i - 1) >> 1; i > 0 && heap[above].at > due.at; above = (i - 1) >> 1) {
      heap[i] = heap[above];
      i = above;
    }
    heap[i] = due;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let i = 0;
    for (let below = 1; below < heap.length; below = 2 * i + 1) {
      if (below + 1 < heap.length && heap[below + 1].at < heap[below].at) below++;
      if (heap[below].at >= last.at) break;
      heap[i] = heap[below];
      i = below;
    }
    heap[i] = last;
  }
}
