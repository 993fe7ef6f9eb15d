/**
 * The queues of pending lookups, and the number in flight. Accounts take turns. Targets whose last
 * lookup failed have their own queue and limit: they are usually slow and must not use all slots.
 * The schedule has the lookups that are not due yet.
 */
import { FairQueue } from '../../base/fair-queue.ts';
import type { Id } from '../../store/keys.ts';
import type { Target } from './target.ts';

/** Maximum of concurrent lookups; each is two queries. */
const SLOTS = 128;
/** Maximum of these for targets whose last lookup failed. */
const FAILING_SLOTS = 32;

export class Looks {
  readonly #sound = new FairQueue<Target, Id>();
  readonly #failing = new FairQueue<Target, Id>();
  #isFailingTurn = false;
  #running = 0;
  #runningFailing = 0;

  /** No lookup is queued or in flight. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#sound.size + this.#failing.size === 0;
  }

  has(target: Target): boolean {
    return this.#sound.has(target) || this.#failing.has(target);
  }

  /** Queues a lookup in the turns of `account`. A queued target keeps its position. */
  put(target: Target, account: Id): void {
    if (!this.has(target)) (isFailing(target) ? this.#failing : this.#sound).put(target, account);
  }

  remove(target: Target): void {
    this.#sound.remove(target);
    this.#failing.remove(target);
  }

  /** Whether the account has a queued lookup. */
  isBusy(account: Id): boolean {
    return this.#sound.hasItemOf(account) || this.#failing.hasItemOf(account);
  }

  clear(): void {
    this.#sound.clear();
    this.#failing.clear();
  }

  /**
   * Removes and returns the next target; undefined: no target is queued, or no slot is free. Takes
   * from both queues in turns, since either may never become empty.
   */
  take(): Target | undefined {
    if (this.#running >= SLOTS) return undefined;
    const sound = this.#sound;
    const failing = this.#runningFailing < FAILING_SLOTS ? this.#failing : undefined;
    this.#isFailingTurn = !this.#isFailingTurn;
    return this.#isFailingTurn ? (failing?.take() ?? sound.take()) : (sound.take() ?? failing?.take());
  }

  /** Counts a lookup as in flight. The caller calls the returned function once at its end. */
  begin(target: Target): () => void {
    const failing = isFailing(target) ? 1 : 0;
    this.#running++;
    this.#runningFailing += failing;
    return () => {
      this.#running--;
      this.#runningFailing -= failing;
    };
  }
}

const isFailing = ({ a, aaaa }: Target): boolean => a.failures > 0 || aaaa.failures > 0;

/** Items by the second at which they are due. */
export class Schedule<T> {
  readonly #buckets = new Map<number, Set<T>>();
  readonly #dueSeconds = new Map<T, number>();

  /** `at`: seconds. Replaces an earlier time of the item. */
  put(item: T, at: number): void {
    this.remove(item);
    const second = Math.ceil(at);
    const bucket = this.#buckets.get(second);
    if (bucket === undefined) this.#buckets.set(second, new Set([item]));
    else bucket.add(item);
    this.#dueSeconds.set(item, second);
  }

  remove(item: T): void {
    const second = this.#dueSeconds.get(item);
    if (second === undefined) return;
    this.#dueSeconds.delete(item);
    const bucket = this.#buckets.get(second)!;
    bucket.delete(item);
    if (bucket.size === 0) this.#buckets.delete(second);
  }

  /**
   * Removes and returns the due items. Reads all buckets: there are at most a few thousand, since
   * no item is scheduled more than an hour ahead.
   */
  take(now: number): T[] {
    const due: T[] = [];
    for (const [second, bucket] of this.#buckets) {
      if (second > now) continue;
      for (const item of bucket) {
        due.push(item);
        this.#dueSeconds.delete(item);
      }
      this.#buckets.delete(second);
    }
    return due;
  }
}
