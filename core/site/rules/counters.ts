/**
 * Counts of matched and stopped requests per rule on this node, since the last change of the rules.
 */
import { RecentMap } from '../../base/recent-map.ts';

/** Maximum number of domains; the oldest is evicted. */
export const MAX_DOMAINS = 20_000;

export interface AddedCounts {
  readonly domainId: string;
  readonly revision: number;
  /** By rule number. */
  readonly matched: ArrayLike<number>;
  readonly stopped: ArrayLike<number>;
}

export interface RuleTotals {
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly matched: readonly number[];
  readonly stopped: readonly number[];
}

interface Totals {
  readonly revision: number;
  readonly since: number;
  readonly matched: number[];
  readonly stopped: number[];
}

export class RuleCounters {
  readonly #domains = new RecentMap<Totals>(MAX_DOMAINS);

  constructor(private readonly clock: () => number = Date.now) {}

  /** Drops counts of an earlier revision, which threads may still send. */
  add({ domainId, revision, matched, stopped }: AddedCounts): void {
    let totals = this.#domains.get(domainId);
    if (totals !== undefined && totals.revision > revision) return;
    if (totals === undefined || totals.revision < revision) {
      totals = {
        revision,
        since: this.clock(),
        matched: Array.from(matched, () => 0),
        stopped: Array.from(matched, () => 0),
      };
      this.#domains.set(domainId, totals);
    }
    for (let i = 0; i < matched.length; i++) {
      totals.matched[i] += matched[i];
      totals.stopped[i] += stopped[i];
    }
  }

  /** Undefined: no counts for this revision. */
  of(domainId: number, revision: number): RuleTotals | undefined {
    const totals = this.#domains.get(String(domainId));
    return totals?.revision === revision ? totals : undefined;
  }
}
