/**
 * Collects the findings of an audit. The list is bounded, since a package may have any number of
 * faults.
 */
import type { Finding, FindingType, Place } from './finding.ts';
import { RULES, type RuleCode } from './rules.ts';

/**
 * Limits of the list: findings of one rule in one file, and of the whole package. The rest is only
 * counted.
 */
const FINDINGS_PER_RULE = 20;
const MAX_FINDINGS = 1000;
/** Characters of a message. Names and hosts in it may have any length. */
const MAX_MESSAGE_LENGTH = 500;

/** Place of findings about the package itself. */
export const PACKAGE: Place = { file: null, line: null, column: null, excerpt: null };

/** Place of findings about a whole file. */
export const wholeFile = (file: string): Place => ({ ...PACKAGE, file });

export interface FindingsSummary {
  readonly errors: number;
  readonly warnings: number;
  readonly notices: number;
  /** Findings that a person must review; included in the counts above. */
  readonly review: number;
  /** Included in the counts above, but not in the list. */
  readonly omitted: number;
}

/** Severity of a finding; `review`: a warning that a person must review. */
export type Level = FindingType | 'review';

export class Findings {
  readonly #list: Finding[] = [];
  readonly #ofRule = new Map<string, number>();
  readonly #counts: Record<FindingType, number> = { error: 0, warning: 0, notice: 0 };
  #review = 0;
  #omitted = 0;

  /** `level`: overrides the type of the rule. */
  add(code: RuleCode, at: Place, message: string, fix?: string, level?: Level): void {
    const rule = RULES[code];
    const type = level === undefined ? rule.type : level === 'review' ? 'warning' : level;
    this.#counts[type]++;
    if (level === undefined ? rule.review : level === 'review') this.#review++;
    const key = `${code} ${at.file}`;
    const before = this.#ofRule.get(key) ?? 0;
    this.#ofRule.set(key, before + 1);
    if (before >= FINDINGS_PER_RULE || this.#list.length >= MAX_FINDINGS) this.#omitted++;
    else this.#list.push({ type, code, message: cut(message), ...at, fix: fix ?? rule.fix });
  }

  /** Sorted: the package first, then by file, line and column. */
  list(): readonly Finding[] {
    return this.#list.toSorted(
      (a, b) =>
        compare(a.file ?? '', b.file ?? '') || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    );
  }

  summary(): FindingsSummary {
    const { error, warning, notice } = this.#counts;
    return { errors: error, warnings: warning, notices: notice, review: this.#review, omitted: this.#omitted };
  }
}

const cut = (message: string): string =>
  message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` : message;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
