/**
 * Chooses an origin of a pool for each request, and ejects origins that fail.
 *
 *     usable: up by its checks, not ejected, not tried for this request
 *     choose ─► the origin of the visitor's cookie, if it is usable
 *            ─► by a hash of the request, by weight in turns, or by the fewest requests in flight
 *            ─► none is usable: one that is only ejected
 *            ─► none is up: -1
 *
 * An origin that is new, up again, or no longer ejected starts slowly: its weight grows with time.
 * A thread has its own ejections, as it sees its own requests. Nothing is allocated for a request.
 * Times are milliseconds of a clock that never goes back.
 */
import type { CompleteEntry } from './document.ts';
import { hashText, mix } from './sticky.ts';

export interface PoolTarget {
  /** The key of the origin (`originKey`). */
  readonly key: string;
  readonly weight: number;
  readonly load: OriginLoad;
}

/** Counted by the client of the origins. */
export interface OriginLoad {
  /** Requests that wait for a connection or whose response has not ended. */
  inFlight: number;
}

export type PoolSettings = Pick<CompleteEntry, 'ejection' | 'balance' | 'slow_start'>;

/** Events for the log and the metrics of the main thread. */
interface PoolEvents {
  onEjected(target: number, milliseconds: number): void;
}

/** The part of its weight with which an origin starts slowly. */
export const FIRST_SHARE = 0.1;
/** The window of the error rate in milliseconds. */
export const WINDOW = 10_000;
/** Maximum duration of an ejection, as a multiple of the first. */
export const LONGEST = 8;
const TWO_TO_32 = 0x1_0000_0000;

export class Pool {
  readonly #rule: CompleteEntry['ejection'];
  readonly #isByLoad: boolean;
  /** Milliseconds; 0: off. */
  readonly #slowStart: number;
  readonly #hashes: Float64Array;
  readonly #isDown: boolean[];
  /** When the origin was added or came up; -Infinity: when the pool was made, or before. */
  readonly #since: Float64Array;
  /** Credits of smooth weighted round-robin. */
  readonly #credits: Float64Array;
  readonly #failures: Int32Array;
  /** Consecutive incomplete response bodies. */
  readonly #broken: Int32Array;
  readonly #ejectedUntil: Float64Array;
  readonly #ejections: Int32Array;
  readonly #windowStart: Float64Array;
  readonly #requests: Int32Array;
  readonly #errors: Int32Array;

  /** At most 32 targets. */
  constructor(
    readonly targets: readonly PoolTarget[],
    { ejection, balance, slow_start }: PoolSettings,
    private readonly events: PoolEvents | null = null,
  ) {
    const count = targets.length;
    // A single origin is never ejected: requests would have no origin.
    this.#rule = count > 1 ? ejection : null;
    this.#isByLoad = balance === 'least_connections';
    this.#slowStart = (slow_start ?? 0) * 1000;
    this.#hashes = Float64Array.from(targets, ({ key }) => hashText(key));
    this.#isDown = targets.map(() => false);
    this.#since = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    this.#credits = new Float64Array(count);
    this.#failures = new Int32Array(count);
    this.#broken = new Int32Array(count);
    this.#ejectedUntil = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    this.#ejections = new Int32Array(count);
    this.#windowStart = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    this.#requests = new Int32Array(count);
    this.#errors = new Int32Array(count);
  }

  /** Sets the origins that are down by their checks, by key. */
  setDown(keys: ReadonlySet<string>, now: number): void {
    for (const [i, { key }] of this.targets.entries()) {
      const isDown = keys.has(key);
      if (this.#isDown[i] && !isDown) this.#since[i] = now;
      this.#isDown[i] = isDown;
    }
  }

  /** Continues the state of the origins of an earlier version. Its other origins are new. */
  continueFrom(before: Pool, now: number): void {
    for (const [i, { key }] of this.targets.entries()) {
      const at = before.targets.findIndex((target) => target.key === key);
      this.#since[i] = at < 0 ? now : before.#since[at];
      if (at < 0) continue;
      this.#isDown[i] = before.#isDown[at];
      this.#ejectedUntil[i] = before.#ejectedUntil[at];
      this.#ejections[i] = before.#ejections[at];
    }
  }

  isDown(target: number): boolean {
    return this.#isDown[target];
  }

  isEjected(target: number, now: number): boolean {
    return this.#ejectedUntil[target] > now;
  }

  /**
   * Returns the index of an origin; -1: every origin is down or was tried. `tried`: a bit for each
   * origin that this request has tried. `hash`: of what keeps it at one origin; -1: none.
   * `preferred`: the origin of the cookie, which may have the weight 0; -1: none.
   */
  choose(tried: number, hash: number, preferred: number, now: number): number {
    if (preferred >= 0 && this.#isUsable(preferred, tried, now)) return preferred;
    const chosen = this.#pick(tried, hash, now);
    return chosen >= 0 ? chosen : this.#pick(tried, hash, Number.POSITIVE_INFINITY);
  }

  /** Whether an untried origin is up. */
  hasUntried(tried: number): boolean {
    return this.targets.some(({ weight }, i) => weight > 0 && this.#isUsable(i, tried, Number.POSITIVE_INFINITY));
  }

  /** Records the result of a request. Cancelled requests are not recorded. */
  record(target: number, isFailure: boolean, now: number): void {
    const rule = this.#rule;
    // The origin is still ejected. The request was sent before the ejection, or no other origin was
    // usable.
    if (rule === null || this.#ejectedUntil[target] > now) return;
    if (now - this.#windowStart[target] >= WINDOW) {
      this.#windowStart[target] = now;
      this.#requests[target] = 0;
      this.#errors[target] = 0;
    }
    const requests = ++this.#requests[target];
    if (!isFailure) {
      this.#failures[target] = 0;
      // The origin served without ejection for as long as the first ejection lasts.
      if (now - this.#ejectedUntil[target] >= rule.duration * 1000) this.#ejections[target] = 0;
      return;
    }
    const failures = ++this.#failures[target];
    const errors = ++this.#errors[target];
    const isOverRate = requests >= rule.min_requests && errors * 100 >= rule.error_rate * requests;
    if (failures >= rule.failures || isOverRate) this.#eject(target, rule, now);
  }

  /**
   * Records an incomplete response body. Its head already counted as a success, so incomplete
   * bodies have their own count, which `recordWhole` resets.
   */
  recordBroken(target: number, now: number): void {
    const rule = this.#rule;
    if (rule === null || this.#ejectedUntil[target] > now) return;
    this.#errors[target]++;
    const isOverRate =
      this.#requests[target] >= rule.min_requests &&
      this.#errors[target] * 100 >= rule.error_rate * this.#requests[target];
    if (++this.#broken[target] >= rule.failures || isOverRate) this.#eject(target, rule, now);
  }

  recordWhole(target: number): void {
    this.#broken[target] = 0;
  }

  #eject(target: number, { failures, duration }: NonNullable<CompleteEntry['ejection']>, now: number): void {
    const milliseconds = duration * 1000 * Math.min(LONGEST, 2 ** this.#ejections[target]++);
    this.#ejectedUntil[target] = now + milliseconds;
    // The first failure after the ejection ejects the origin again.
    this.#failures[target] = failures - 1;
    this.#broken[target] = failures - 1;
    this.#windowStart[target] = Number.NEGATIVE_INFINITY;
    this.events?.onEjected(target, milliseconds);
  }

  #isUsable(target: number, tried: number, now: number): boolean {
    return !this.#isDown[target] && (tried & (1 << target)) === 0 && this.#ejectedUntil[target] <= now;
  }

  #pick(tried: number, hash: number, now: number): number {
    if (hash >= 0) return this.#pickByHash(tried, hash, now);
    return this.#pickInTurns(tried, this.#isByLoad ? this.#leastLoad(tried, now) : Number.POSITIVE_INFINITY, now);
  }

  /** The weight, or a part of it that grows during a slow start. */
  #weightOf(target: number, now: number): number {
    const { weight } = this.targets[target];
    if (this.#slowStart === 0) return weight;
    const elapsed = now - Math.max(this.#since[target], this.#ejectedUntil[target]);
    return elapsed >= this.#slowStart ? weight : weight * Math.max(FIRST_SHARE, elapsed / this.#slowStart);
  }

  /** The least number of requests in flight for a weight of 1. */
  #leastLoad(tried: number, now: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.targets.length; i++) {
      const { weight, load } = this.targets[i];
      if (weight === 0 || !this.#isUsable(i, tried, now)) continue;
      least = Math.min(least, load.inFlight / this.#weightOf(i, now));
    }
    return least;
  }

  /**
   * Smooth weighted round-robin among the origins whose load is at most `mostLoad`: each gains its
   * weight, and the chosen origin pays the sum of their weights.
   */
  #pickInTurns(tried: number, mostLoad: number, now: number): number {
    let best = -1;
    let sum = 0;
    for (let i = 0; i < this.targets.length; i++) {
      const { weight: whole, load } = this.targets[i];
      if (whole === 0 || !this.#isUsable(i, tried, now)) continue;
      const weight = this.#weightOf(i, now);
      if (load.inFlight / weight > mostLoad) continue;
      sum += weight;
      this.#credits[i] += weight;
      if (best < 0 || this.#credits[i] > this.#credits[best]) best = i;
    }
    if (best >= 0) this.#credits[best] -= sum;
    return best;
  }

  /**
   * Weighted rendezvous hashing: if an origin fails, only its requests move to others, and they
   * return when it recovers.
   */
  #pickByHash(tried: number, hash: number, now: number): number {
    let best = -1;
    let bestScore = 0;
    for (let i = 0; i < this.targets.length; i++) {
      if (this.targets[i].weight === 0 || !this.#isUsable(i, tried, now)) continue;
      const score = -this.#weightOf(i, now) / Math.log((mix(hash ^ this.#hashes[i]) + 0.5) / TWO_TO_32);
      if (best < 0 || score > bestScore) {
        best = i;
        bestScore = score;
      }
    }
    return best;
  }
}
