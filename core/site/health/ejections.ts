/** Origins that edge threads of this node have ejected from their pools, for the status view. */

import type { Registry } from '../../base/metrics/index.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Id } from '../../store/keys.ts';

/** Maximum number of stored ejections. */
const MAX_ENTRIES = 10_000;

export class Ejections {
  /** End of each ejection in milliseconds since 1970, by domain and origin. */
  readonly #ends = new RecentMap<number>(MAX_ENTRIES);
  #count = 0;

  constructor(metrics: Registry) {
    metrics.read(
      'counter',
      'waypost_origin_ejections_total',
      'Ejections of origins from their pools because requests failed, by any edge thread.',
      [],
      (emit) => emit(this.#count),
    );
  }

  /** `key`: the key of the origin's state (core/site/pools/checks.ts). */
  add(domainId: Id, key: string, milliseconds: number): void {
    this.#count++;
    const name = `${domainId} ${key}`;
    this.#ends.set(name, Math.max(this.#ends.get(name) ?? 0, Date.now() + milliseconds));
  }

  /** End of the ejection in milliseconds since 1970. Null: all threads use the origin. */
  endOf(domainId: Id, key: string): number | null {
    const end = this.#ends.get(`${domainId} ${key}`);
    return end === undefined || end <= Date.now() ? null : end;
  }
}
