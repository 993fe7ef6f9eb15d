/** The rules of core/site/pools/pool.ts, slow and plain: from the history of every origin. */
import type { EjectionRule } from '../../../../core/site/pools/document.ts';
import type { PoolTarget } from '../../../../core/site/pools/pool.ts';
import { hashText, mix } from '../../../../core/site/pools/sticky.ts';

interface Origin {
  credit: number;
  results: { readonly isFailure: boolean; readonly at: number }[];
  windowStart: number;
  ejectedUntil: number;
  ejections: number;
}

export class ReferencePool {
  down: ReadonlySet<string> = new Set();
  readonly #targets: readonly PoolTarget[];
  readonly #rule: Required<EjectionRule>;
  readonly #origins: Origin[];

  constructor(targets: readonly PoolTarget[], rule: Required<EjectionRule>) {
    this.#targets = targets;
    this.#rule = rule;
    this.#origins = targets.map(() => ({
      ...{ credit: 0, results: [], windowStart: Number.NEGATIVE_INFINITY },
      ...{ ejectedUntil: Number.NEGATIVE_INFINITY, ejections: 0 },
    }));
  }

  choose(tried: number, client: number, preferred: number, now: number): number {
    const all = this.#targets.map((_, i) => i);
    const isUp = (i: number): boolean => !this.down.has(this.#targets[i].key) && ((tried >> i) & 1) === 0;
    const isReady = (i: number): boolean => isUp(i) && this.#origins[i].ejectedUntil <= now;
    if (preferred >= 0 && isReady(preferred)) return preferred;
    const weighted = all.filter((i) => this.#targets[i].weight > 0);
    const ready = weighted.filter(isReady);
    const candidates = ready.length > 0 ? ready : weighted.filter(isUp);
    if (candidates.length === 0) return -1;
    return client < 0 ? this.#inTurns(candidates) : this.#byClient(candidates, client);
  }

  record(target: number, isFailure: boolean, now: number): void {
    const origin = this.#origins[target];
    const { failures, error_rate, min_requests, duration } = this.#rule;
    if (this.#targets.length === 1 || origin.ejectedUntil > now) return;
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

  #inTurns(candidates: readonly number[]): number {
    const sum = candidates.reduce((total, i) => total + this.#targets[i].weight, 0);
    for (const i of candidates) this.#origins[i].credit += this.#targets[i].weight;
    const most = Math.max(...candidates.map((i) => this.#origins[i].credit));
    const chosen = candidates.find((i) => this.#origins[i].credit === most) as number;
    this.#origins[chosen].credit -= sum;
    return chosen;
  }

  #byClient(candidates: readonly number[], client: number): number {
    const scores = candidates.map((i) => {
      const { key, weight } = this.#targets[i];
      return { i, score: -weight / Math.log((mix(client ^ hashText(key)) + 0.5) / 2 ** 32) };
    });
    return scores.sort((a, b) => b.score - a.score)[0].i;
  }
}
