/** The rules of core/site/pools/pool.ts, slow and plain: from the history of every origin. */
import type { PoolSettings, PoolTarget } from '../../../../core/site/pools/pool.ts';
import { hashText, mix } from '../../../../core/site/pools/sticky.ts';

interface Origin {
  credit: number;
  isDown: boolean;
  /** When it was added or came up again. */
  startedAt: number;
  results: { readonly isFailure: boolean; readonly at: number }[];
  windowStart: number;
  ejectedUntil: number;
  ejections: number;
}

const newOrigin = (startedAt: number): Origin => ({
  ...{ credit: 0, isDown: false, startedAt, results: [], windowStart: Number.NEGATIVE_INFINITY },
  ...{ ejectedUntil: Number.NEGATIVE_INFINITY, ejections: 0 },
});

export class ReferencePool {
  targets: readonly PoolTarget[];
  readonly #settings: PoolSettings;
  #origins: ReadonlyMap<string, Origin>;

  constructor(targets: readonly PoolTarget[], settings: PoolSettings) {
    this.targets = targets;
    this.#settings = settings;
    this.#origins = new Map(targets.map(({ key }) => [key, newOrigin(Number.NEGATIVE_INFINITY)]));
  }

  setDown(keys: ReadonlySet<string>, now: number): void {
    for (const [key, origin] of this.#origins) {
      if (origin.isDown && !keys.has(key)) origin.startedAt = now;
      origin.isDown = keys.has(key);
    }
  }

  /** A new version counts results from its start. */
  replaceTargets(targets: readonly PoolTarget[], now: number): void {
    const before = this.#origins;
    this.targets = targets;
    this.#origins = new Map(
      targets.map(({ key }) => {
        const known = before.get(key);
        if (known === undefined) return [key, newOrigin(now)];
        const { isDown, startedAt, ejectedUntil, ejections } = known;
        return [key, { ...newOrigin(now), isDown, startedAt, ejectedUntil, ejections }];
      }),
    );
  }

  choose(tried: number, hash: number, preferred: number, now: number): number {
    const all = this.targets.map((_, i) => i);
    const isUp = (i: number): boolean => !this.#at(i).isDown && ((tried >> i) & 1) === 0;
    const isReady = (i: number): boolean => isUp(i) && this.#at(i).ejectedUntil <= now;
    if (preferred >= 0 && isReady(preferred)) return preferred;
    const weighted = all.filter((i) => this.targets[i].weight > 0);
    const ready = weighted.filter(isReady);
    const candidates = ready.length > 0 ? ready : weighted.filter(isUp);
    if (candidates.length === 0) return -1;
    // An ejected origin that is used because there is no other has its whole weight.
    const weights = new Map(
      candidates.map((i) => [i, ready.length > 0 ? this.#weightAt(i, now) : this.targets[i].weight]),
    );
    if (hash >= 0) return this.#byHash(weights, hash);
    if (this.#settings.balance === 'round_robin') return this.#inTurns(weights);
    const loads = new Map([...weights].map(([i, weight]) => [i, this.targets[i].load.inFlight / weight]));
    const least = Math.min(...loads.values());
    return this.#inTurns(new Map([...weights].filter(([i]) => loads.get(i) === least)));
  }

  record(target: number, isFailure: boolean, now: number): void {
    const origin = this.#at(target);
    const { ejection } = this.#settings;
    if (ejection === null || this.targets.length === 1 || origin.ejectedUntil > now) return;
    const { failures, error_rate, min_requests, duration } = ejection;
    if (now - origin.windowStart >= 10_000) origin.windowStart = now;
    origin.results.push({ isFailure, at: now });
    if (!isFailure) {
      if (now - origin.ejectedUntil >= duration * 1000) origin.ejections = 0;
      return;
    }
    const lastSuccess = origin.results.findLastIndex((result) => !result.isFailure);
    const inRow = origin.results.length - 1 - lastSuccess;
    const window = origin.results.filter(({ at }) => at >= origin.windowStart);
    const errors = window.filter((result) => result.isFailure).length;
    const isOverRate = window.length >= min_requests && errors / window.length >= error_rate / 100;
    if (inRow < failures && !isOverRate) return;
    origin.ejectedUntil = now + duration * 1000 * Math.min(8, 2 ** origin.ejections);
    origin.ejections++;
    origin.windowStart = Number.NEGATIVE_INFINITY;
    // All but one of the failures count when it returns; none of them is in a window.
    const before = { isFailure: true, at: Number.NEGATIVE_INFINITY };
    origin.results = [{ ...before, isFailure: false }, ...Array.from({ length: failures - 1 }, () => before)];
  }

  #at(target: number): Origin {
    return this.#origins.get(this.targets[target].key) as Origin;
  }

  #weightAt(target: number, now: number): number {
    const { weight } = this.targets[target];
    const { startedAt, ejectedUntil } = this.#at(target);
    const { slow_start } = this.#settings;
    if (slow_start === null) return weight;
    const part = (now - Math.max(startedAt, ejectedUntil)) / (slow_start * 1000);
    return part >= 1 ? weight : weight * Math.max(0.1, part);
  }

  #inTurns(weights: ReadonlyMap<number, number>): number {
    let sum = 0;
    for (const [i, weight] of weights) {
      this.#at(i).credit += weight;
      sum += weight;
    }
    const candidates = [...weights.keys()];
    const most = Math.max(...candidates.map((i) => this.#at(i).credit));
    const chosen = candidates.find((i) => this.#at(i).credit === most) as number;
    this.#at(chosen).credit -= sum;
    return chosen;
  }

  #byHash(weights: ReadonlyMap<number, number>, hash: number): number {
    const scores = [...weights].map(([i, weight]) => {
      const { key } = this.targets[i];
      return { i, score: -weight / Math.log((mix(hash ^ hashText(key)) + 0.5) / 2 ** 32) };
    });
    return scores.sort((a, b) => b.score - a.score)[0].i;
  }
}
