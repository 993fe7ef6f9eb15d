/** What the rules of domains have matched on this node since their last change. */

/** Domains that are counted; the one that was counted first is forgotten. */
export const MAX_DOMAINS = 20_000;

export interface AddedCounts {
  readonly domainId: string;
  readonly revision: number;
  /** By number of the rule. */
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
  readonly #domains = new Map<string, Totals>();
  readonly #clock: () => number;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** Counts of an earlier revision come late, and are dropped. */
  add({ domainId, revision, matched, stopped }: AddedCounts): void {
    let totals = this.#domains.get(domainId);
    if (totals !== undefined && totals.revision > revision) return;
    if (totals === undefined || totals.revision < revision) {
      totals = {
        revision,
        since: this.#clock(),
        matched: Array.from(matched, () => 0),
        stopped: Array.from(matched, () => 0),
      };
      this.#domains.delete(domainId);
      if (this.#domains.size >= MAX_DOMAINS) this.#domains.delete(this.#domains.keys().next().value!);
      this.#domains.set(domainId, totals);
    }
    for (let i = 0; i < matched.length; i++) {
      totals.matched[i] += matched[i];
      totals.stopped[i] += stopped[i];
    }
  }

  /** Undefined: nothing was counted since that revision. */
  of(domainId: number, revision: number): RuleTotals | undefined {
    const totals = this.#domains.get(String(domainId));
    return totals?.revision === revision ? totals : undefined;
  }
}
