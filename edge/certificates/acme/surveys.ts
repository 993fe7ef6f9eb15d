/**
 * Looks for proxied names without a certificate: after each change of a domain, one domain at a
 * time, accounts in turns. A scan of a large zone takes seconds, in small steps. It is not repeated
 * until a multiple of its duration has passed.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { DueQueue } from '../../../core/base/due-queue.ts';
import { FairQueue } from '../../../core/base/fair-queue.ts';
import type { Id } from '../../../core/store/keys.ts';

interface SurveysOptions {
  /** Resolves with the host names that no certificate covers. */
  survey(domainId: Id): Promise<readonly string[]>;
  /** The names of a domain are known. */
  surveyed(domainId: Id): void;
  /** Seconds since 1970. */
  now(): number;
}

/** Scans at the same time. */
const AT_ONCE = 1;
/** Seconds until a scan is repeated after an error of the store. */
const RETRY_SECONDS = 30;
/** A domain rests for this multiple of the duration of its scan. */
const REST = 20;

export class Surveys {
  readonly #waiting = new FairQueue<Id, Id>();
  /** Domains that have changed while they rest. */
  readonly #resting = new DueQueue<Id>();
  /** Ends of rests, seconds since 1970. */
  readonly #restsUntil = new Map<Id, number>();
  /** Of domains with such names. */
  readonly #uncovered = new Map<Id, readonly string[]>();
  /** Domains that are scanned, and what has happened to them meanwhile. */
  readonly #running = new Map<Id, 'nothing' | 'changed' | 'forgotten'>();

  constructor(private readonly options: SurveysOptions) {}

  /** Whether a domain is queued. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#resting.size === 0;
  }

  /** When the first resting domain is due, seconds since 1970; infinite: none. */
  get nextAt(): number {
    return this.#resting.first ?? Number.POSITIVE_INFINITY;
  }

  /** Host names without a certificate, as of the last scan. */
  uncoveredOf(domainId: Id): readonly string[] {
    return this.#uncovered.get(domainId) ?? NONE;
  }

  put(domainId: Id, accountId: Id): void {
    if (this.#running.has(domainId)) this.#running.set(domainId, 'changed');
    else if ((this.#restsUntil.get(domainId) ?? 0) > this.options.now())
      this.#resting.set(domainId, this.#restsUntil.get(domainId)!);
    else this.#waiting.put(domainId, accountId);
  }

  /** The domain needs no automatic certificates any more. */
  forget(domainId: Id): void {
    if (this.#running.has(domainId)) this.#running.set(domainId, 'forgotten');
    this.#waiting.remove(domainId);
    this.#resting.set(domainId, null);
    this.#restsUntil.delete(domainId);
    this.#uncovered.delete(domainId);
  }

  /** Starts queued scans up to the limit. */
  begin(track: (work: Promise<void>) => void, accountOf: (domainId: Id) => Id): void {
    const now = this.options.now();
    for (let id = this.#resting.take(now); id !== null; id = this.#resting.take(now))
      this.#waiting.put(id, accountOf(id));
    while (this.#running.size < AT_ONCE) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      track(this.#run(next, accountOf));
    }
  }

  async #run(id: Id, accountOf: (domainId: Id) => Id): Promise<void> {
    this.#running.set(id, 'nothing');
    const isForgotten = (): boolean => this.#running.get(id) === 'forgotten';
    const started = performance.now();
    try {
      const uncovered = await this.options.survey(id);
      if (uncovered.length > 0 && !isForgotten()) this.#uncovered.set(id, uncovered);
      else this.#uncovered.delete(id);
    } catch (error) {
      if (!isForgotten()) this.#resting.set(id, this.options.now() + RETRY_SECONDS);
      throw error;
    } finally {
      const seconds = ((performance.now() - started) * REST) / 1000;
      if (seconds > 1 && !isForgotten()) this.#restsUntil.set(id, this.options.now() + seconds);
      else this.#restsUntil.delete(id);
      const hasChanged = this.#running.get(id) === 'changed';
      this.#running.delete(id);
      if (hasChanged) this.put(id, accountOf(id));
    }
    // The next scan begins now. Scans of small zones end at once, and many may be queued.
    await nextTurn();
    this.options.surveyed(id);
  }
}

const NONE: readonly string[] = [];
