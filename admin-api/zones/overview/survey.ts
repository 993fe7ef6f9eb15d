/**
 * Sums the states of all domains of an account. A small account is read for each request. A large
 * one is read in the background, in steps of milliseconds, and its sums are kept for a minute: so
 * each request takes milliseconds, whatever the number of domains.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Account } from '../../../core/store/rows.ts';
import { DELEGATION_STATES, type DelegationState } from '../../../core/upkeep/delegation/state.ts';
import type { Services } from '../../change/services.ts';
import { nowSeconds } from '../../http/time.ts';
import { stateOf } from './problems.ts';
import { MAX_PROBLEMS, type Overview, type Problem } from './schema.ts';

/** Domains that a request may read: a few milliseconds. */
const MAX_AT_ONCE = 200;
/** Domains of a step in the background. */
const PIECE = 100;
/** Accounts whose sums are kept. */
const MAX_KEPT = 64;
/** Seconds for which the sums of a large account are kept. */
const KEPT = 60;

type Sums = Omit<Overview, 'domains' | 'is_complete' | 'delegation'> & {
  readonly delegation: Record<DelegationState, number>;
};

interface Kept {
  /** Of all domains; null: not read yet. */
  whole: Sums | null;
  /** Of the running survey; null: none. */
  running: Sums | null;
  /** Seconds since 1970. */
  readAt: number;
}

export class AccountSurveys {
  readonly #kept = new RecentMap<Kept, Id>(MAX_KEPT);
  /** One survey at a time. */
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly services: Services) {}

  read({ id }: Account): Overview {
    const { domains } = this.services.reader.usage(id);
    if (domains <= MAX_AT_ONCE) {
      const sums = noSums();
      this.#add(sums, id, null, MAX_AT_ONCE);
      return view(sums, domains, true);
    }
    const kept = this.#kept.get(id) ?? { whole: null, running: null, readAt: 0 };
    this.#kept.set(id, kept);
    if (kept.running === null && kept.readAt + KEPT <= nowSeconds()) {
      kept.running = noSums();
      this.#last = this.#last.then(() => this.#survey(id, kept));
    }
    return view(kept.whole ?? kept.running ?? noSums(), domains, kept.whole !== null);
  }

  async #survey(id: Id, kept: Kept): Promise<void> {
    const sums = noSums();
    kept.running = sums;
    try {
      let after: string | null = null;
      do {
        await yieldToOthers();
        after = this.#add(sums, id, after, PIECE);
      } while (after !== null);
      kept.whole = sums;
    } catch (error) {
      this.services.log.warn('cannot read the states of the domains of an account; retrying', {
        account: id,
        reason: (error as Error).message,
      });
    } finally {
      kept.readAt = nowSeconds();
      kept.running = null;
    }
  }

  /** Adds the states of the next domains. Returns the key of the last one; null: that was all. */
  #add(sums: MutableSums, id: Id, after: string | null, limit: number): string | null {
    const { reader } = this.services;
    const now = nowSeconds();
    const found = reader.apexKeysOf(id, after, limit);
    for (const { id: domainId } of found) {
      const domain = reader.domain(domainId);
      if (domain === undefined) continue;
      const state = stateOf(this.services, domain, now);
      sums.checked++;
      sums.delegation[state.delegation]++;
      if (state.isSigned) sums.signed++;
      if (state.isProxied) sums.proxied++;
      if (state.hasCertificate) sums.certificates++;
      sums.problem_count += state.problems.length;
      for (const problem of state.problems) if (sums.problems.length < MAX_PROBLEMS) sums.problems.push(problem);
    }
    return found.length < limit ? null : found[found.length - 1].key;
  }
}

type MutableSums = { -readonly [Key in keyof Sums]: Sums[Key] } & { readonly problems: Problem[] };

const noSums = (): MutableSums => ({
  checked: 0,
  delegation: Object.fromEntries(DELEGATION_STATES.map((state) => [state, 0])) as Record<DelegationState, number>,
  signed: 0,
  proxied: 0,
  certificates: 0,
  problems: [],
  problem_count: 0,
});

const view = (sums: Sums, domains: number, isComplete: boolean): Overview => ({
  ...sums,
  domains,
  is_complete: isComplete,
});
