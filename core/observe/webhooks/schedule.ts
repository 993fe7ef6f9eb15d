/**
 * Schedules the deliveries of a webhook. One is sent at a time: the first due delivery by id, which
 * is the order of events. After several consecutive failures the receiver counts as down. It then
 * gets one attempt after each pause, and pauses grow. The first success makes all attempted
 * deliveries due.
 */
import type { Id } from '../../store/keys.ts';

interface Waiting {
  readonly id: Id;
  /** Seconds since 1970. */
  readonly nextAt: number;
  /** Null: never. */
  readonly attemptedAt: number | null;
}

/** Consecutive failures after which the receiver counts as down. */
const DOWN_AFTER = 3;
/** Seconds. */
const LONGEST_PAUSE = 600;

export class Schedule {
  /** In the order of ids, which is the order of insertion except for replays. */
  readonly #waiting = new Map<Id, Waiting>();
  #isSorted = true;
  #lastId = 0;
  #failures = 0;
  #pausedUntil = 0;
  /** Deliveries with an attempt up to this time are due. */
  #recoveredAt = 0;

  /** `firstPause`: seconds. */
  constructor(private readonly firstPause: number) {}

  get size(): number {
    return this.#waiting.size;
  }

  get isDown(): boolean {
    return this.#failures >= DOWN_AFTER;
  }

  put(waiting: Waiting): void {
    if (!this.#waiting.has(waiting.id)) {
      if (waiting.id < this.#lastId) this.#isSorted = false;
      else this.#lastId = waiting.id;
    }
    this.#waiting.set(waiting.id, waiting);
  }

  remove(id: Id): void {
    this.#waiting.delete(id);
  }

  /** The delivery to send now; undefined: none is due. */
  next(now: number): Id | undefined {
    if (now < this.#pausedUntil) return undefined;
    this.#sort();
    for (const waiting of this.#waiting.values()) if (this.#dueAt(waiting) <= now) return waiting.id;
    return undefined;
  }

  /** The next due time; undefined: no delivery is waiting. */
  nextTime(): number | undefined {
    let first: number | undefined;
    for (const waiting of this.#waiting.values()) {
      const at = this.#dueAt(waiting);
      if (first === undefined || at < first) first = at;
    }
    return first === undefined ? undefined : Math.max(first, this.#pausedUntil);
  }

  noteSuccess(now: number): void {
    if (this.isDown) this.#recoveredAt = now;
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  noteFailure(now: number): void {
    this.#failures++;
    if (!this.isDown) return;
    const pause = this.firstPause * 2 ** Math.min(this.#failures - DOWN_AFTER, 20);
    this.#pausedUntil = now + Math.min(LONGEST_PAUSE, pause);
  }

  #dueAt({ nextAt, attemptedAt }: Waiting): number {
    return attemptedAt !== null && attemptedAt < this.#recoveredAt ? 0 : nextAt;
  }

  #sort(): void {
    if (this.#isSorted) return;
    const sorted = [...this.#waiting].sort(([a], [b]) => a - b);
    this.#waiting.clear();
    for (const [id, waiting] of sorted) this.#waiting.set(id, waiting);
    this.#isSorted = true;
  }
}
