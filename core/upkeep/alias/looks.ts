/**
 * Looks that wait, and how many are pending: accounts in turns, and targets that failed the last
 * time next to the others, since they take long as a rule and may not take all slots.
 */
import { FairQueue } from '../../base/fair-queue.ts';
import type { Id } from '../../store/keys.ts';
import type { Target } from './target.ts';

/** Looks at a time; each is two queries. */
const SLOTS = 128;
/** Of them at targets that failed the last time. */
const FAILING_SLOTS = 32;

export class Looks {
  readonly #sound = new FairQueue<Target, Id>();
  readonly #failing = new FairQueue<Target, Id>();
  #isFailingTurn = false;
  #running = 0;
  #runningFailing = 0;

  /** Nothing waits and nothing is pending. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#sound.size + this.#failing.size === 0;
  }

  has(target: Target): boolean {
    return this.#sound.has(target) || this.#failing.has(target);
  }

  /** `account`: whose turn it is. A target that waits already keeps its place. */
  put(target: Target, account: Id): void {
    if (!this.has(target)) (isFailing(target) ? this.#failing : this.#sound).put(target, account);
  }

  remove(target: Target): void {
    this.#sound.remove(target);
    this.#failing.remove(target);
  }

  /** Whether a look of the account waits. */
  isBusy(account: Id): boolean {
    return this.#sound.hasItemOf(account) || this.#failing.hasItemOf(account);
  }

  /** Nothing waits any more. */
  clear(): void {
    this.#sound.clear();
    this.#failing.clear();
  }

  /**
   * Takes out the next one, when there is a slot for it. From both queues in turns, since either
   * may never become empty.
   */
  take(): Target | undefined {
    if (this.#running >= SLOTS) return undefined;
    const sound = this.#sound;
    const failing = this.#runningFailing < FAILING_SLOTS ? this.#failing : undefined;
    this.#isFailingTurn = !this.#isFailingTurn;
    return this.#isFailingTurn ? (failing?.take() ?? sound.take()) : (sound.take() ?? failing?.take());
  }

  /** A look begins. Returns what is to be called once when it has ended. */
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
