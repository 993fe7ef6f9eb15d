/**
 * Origins that edge threads of this node have ejected from their pools, or whose requests fail, for
 * the status view.
 */

import type { Registry } from '../../base/metrics/index.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Id } from '../../store/keys.ts';

/** Maximum number of stored ejections. */
const MAX_ENTRIES = 10_000;

interface OriginFaultState {
  readonly reason: string;
  /** Seconds since 1970. */
  readonly since: number;
  /** In milliseconds since 1970. */
  readonly reportedAt: number;
}

/**
 * Milliseconds after which a fault is forgotten unless it is reported again: requests of other
 * threads may have succeeded, which only the thread with the fault reports.
 */
const FAULT_TTL = 300_000;

export class Ejections {
  /** End of each ejection in milliseconds since 1970, by domain and origin. */
  readonly #ends = new RecentMap<number>(MAX_ENTRIES);
  /** The faults of origins whose latest request failed, by domain and origin. */
  readonly #faults = new RecentMap<OriginFaultState>(MAX_ENTRIES);
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

  /** Requests to the origin fail. `reason`: a sentence. */
  setFault(domainId: Id, key: string, reason: string): void {
    const name = `${domainId} ${key}`;
    const reportedAt = Date.now();
    const since = this.faultOf(domainId, key)?.since ?? Math.floor(reportedAt / 1000);
    this.#faults.set(name, { reason, since, reportedAt });
  }

  /** The origin has responded. */
  deleteFault(domainId: Id, key: string): void {
    this.#faults.delete(`${domainId} ${key}`);
  }

  /** Null: the latest request got a response, or there was none. */
  faultOf(domainId: Id, key: string): OriginFaultState | null {
    const fault = this.#faults.get(`${domainId} ${key}`);
    return fault === undefined || fault.reportedAt + FAULT_TTL <= Date.now() ? null : fault;
  }

  /** End of the ejection in milliseconds since 1970. Null: all threads use the origin. */
  endOf(domainId: Id, key: string): number | null {
    const end = this.#ends.get(`${domainId} ${key}`);
    return end === undefined || end <= Date.now() ? null : end;
  }
}
