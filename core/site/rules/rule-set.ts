/**
 * A compiled rules document. Rules run in order: after a rule that changes something the next rule
 * follows; a rule that decides stops the run.
 */

import { isDeciding } from './actions.ts';
import { type Change, Changes, changeOf } from './changes.ts';
import { type Condition, compileMatch, type RequestPart } from './conditions.ts';
import type { AuthenticateAction, OidcRule, Rule, RuleAction, RulesDocument } from './document.ts';
import type { RequestFacts } from './facts.ts';
import { BUILD_STEPS } from './limits.ts';
import type { BuildBudget } from './pattern/automaton.ts';
import { nextBit, RuleIndex } from './rule-index.ts';

export interface CompiledRule {
  /** The index in the document, from 0. */
  readonly number: number;
  readonly action: RuleAction;
  readonly rule: Rule;
  readonly isDryRun: boolean;
  readonly conditions: readonly Condition[];
  readonly exceptions: readonly Condition[];
  /** Null: the rule decides. */
  readonly change: Change | null;
}

export class RuleSet {
  /** By rule number: the requests that each rule matched, and the requests that it stopped. */
  readonly matched: Uint32Array;
  readonly stopped: Uint32Array;
  /** The changes of the last run. */
  changes: Changes;
  /** Whether a count has changed since this flag was reset. */
  hasCounted = false;
  readonly rules: readonly CompiledRule[];
  /** Rules with which visitors sign in at an OpenID provider. Null: there are none. */
  readonly logins: readonly OidcRule[] | null;
  /** The changes before the first rule: headers that rules of authentication set are removed. */
  readonly noChanges: Changes;
  readonly #index: RuleIndex;

  /** Throws PatternError or InvalidError for a document that `checkRules` does not accept. */
  constructor({ rules }: RulesDocument) {
    const budget: BuildBudget = { steps: BUILD_STEPS, shares: true };
    this.rules = rules.flatMap((rule, number) => (rule.enabled === false ? [] : [compileRule(rule, number, budget)]));
    this.#index = new RuleIndex(this.rules);
    this.matched = new Uint32Array(rules.length);
    this.stopped = new Uint32Array(rules.length);
    const logins = this.rules.flatMap(({ action, isDryRun }) =>
      action.type !== 'authenticate' || action.oidc === undefined || isDryRun ? [] : action.oidc,
    );
    this.logins = logins.length === 0 ? null : logins;
    this.noChanges = Changes.withoutClaims(identityHeaders(this.rules));
    this.changes = this.noChanges;
  }

  /**
   * Runs the rules from index `from`. Returns the index of the rule that decides; -1: none decides.
   * `changes` then contains the changes of the run, on top of `before`.
   */
  run(facts: RequestFacts, from = 0, before: Changes = this.noChanges): number {
    const { rules } = this;
    const matches = this.#index.find(facts);
    let changes = before;
    for (let i = nextBit(matches, from); i >= 0; i = nextBit(matches, i + 1)) {
      const rule = rules[i];
      this.matched[rule.number]++;
      this.hasCounted = true;
      if (rule.change === null) {
        // A rate limit counts in a dry run too, to show how many requests it would stop.
        if (rule.isDryRun && rule.action.type !== 'limit') continue;
        this.changes = changes;
        return i;
      }
      if (!rule.isDryRun) changes = changes.after(i, rule.change);
    }
    this.changes = changes;
    return -1;
  }

  /** Calls `use` without counting its matches. */
  uncounted<T>(use: () => T): T {
    const { hasCounted } = this;
    const matched = this.matched.slice();
    const result = use();
    this.matched.set(matched);
    this.hasCounted = hasCounted;
    return result;
  }
}

/** Parts of a request that differ between visitors of the same URL. */
const OF_VISITORS: ReadonlySet<string> = new Set<RequestPart>(['client', 'country', 'header']);

/** Whether a rule can match some visitors of a URL and not others. */
export const distinguishesVisitors = ({ conditions, exceptions }: CompiledRule): boolean =>
  [...conditions, ...exceptions].some(({ part }) => OF_VISITORS.has(part));

/**
 * Headers with which rules tell the origin who the visitor is. Visitors must not send them, on any
 * path. Credentials of visitors are not among them: they are only replaced.
 */
function identityHeaders(rules: readonly CompiledRule[]): readonly string[] {
  const names = rules.flatMap(({ action, isDryRun }) =>
    action.type === 'authenticate' && !isDryRun ? identityNames(action) : [],
  );
  return [...new Set(names)].filter((name) => name !== 'authorization');
}

/** The headers that an action of authentication sets, in lower case. */
export const identityNames = ({ forward, jwt, oidc, certificate }: AuthenticateAction): readonly string[] => {
  const copied = jwt?.copy_claims ?? oidc?.copy_claims ?? certificate?.copy_fields ?? [];
  return [...(forward?.copy_headers ?? []), ...copied.map(({ header }) => header)].map((name) => name.toLowerCase());
};

function compileRule(rule: Rule, number: number, budget: BuildBudget): CompiledRule {
  const { action, match, except, dry_run } = rule;
  return {
    number,
    action,
    rule,
    isDryRun: dry_run === true,
    conditions: compileMatch(match, budget),
    exceptions: compileMatch(except, budget),
    change: isDeciding(action.type) ? null : changeOf(rule)!,
  };
}
