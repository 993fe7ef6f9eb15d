/** Collects the counts of rules and sends them to the main thread in batches. */
import type { SiteRules } from '../../sites/site-rules.ts';

/** Milliseconds between the first new count and the batch. */
const FLUSH_MS = 1000;

export interface RuleCounts {
  readonly domainId: string;
  readonly revision: number;
  /** Indexed by the number of the rule. */
  readonly matched: Uint32Array;
  readonly stopped: Uint32Array;
}

export class RuleCounting {
  #counted: SiteRules[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly send: (counts: readonly RuleCounts[]) => void) {}

  /** Adds rules with new counts to the next batch. */
  note(rules: SiteRules): void {
    if (rules.isCounted) return;
    rules.isCounted = true;
    this.#counted.push(rules);
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const counted = this.#counted;
    if (counted.length === 0) return;
    this.#counted = [];
    this.send(
      counted.map((rules) => {
        const { domainId, revision, set } = rules;
        const counts = { domainId, revision, matched: set.matched.slice(), stopped: set.stopped.slice() };
        set.matched.fill(0);
        set.stopped.fill(0);
        set.hasCounted = false;
        rules.isCounted = false;
        return counts;
      }),
    );
  }
}
