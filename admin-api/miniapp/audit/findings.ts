/**
 * Collects what an audit finds: in number bounded, since a package may be made of nothing but
 * faults.
 */
import type { Finding, FindingType, Place } from './finding.ts';
import { RULES, type RuleCode } from './rules.ts';

/**
 * Findings of a rule in a file that are listed one by one, and of a package. What is more is
 * counted.
 */
const MOST_OF_RULE = 20;
const MOST = 1000;
/** Characters of a message: names and hosts in it are as long as a package wants them. */
const MOST_MESSAGE = 500;

/** The package itself. */
export const PACKAGE: Place = { file: null, line: null, column: null, excerpt: null };

/** A file as a whole. */
export const wholeFile = (file: string): Place => ({ ...PACKAGE, file });

export interface FindingsSummary {
  readonly errors: number;
  readonly warnings: number;
  readonly notices: number;
  /** Of these, for a person to look at. */
  readonly review: number;
  /** Counted above and not in the list. */
  readonly omitted: number;
}

/** How grave a finding is; `review`: a warning for a person to look at. */
export type Level = FindingType | 'review';

export class Findings {
  readonly #list: Finding[] = [];
  readonly #ofRule = new Map<string, number>();
  readonly #counts: Record<FindingType, number> = { error: 0, warning: 0, notice: 0 };
  #review = 0;
  #omitted = 0;

  /** `level`: where it is another than that of the rule. */
  add(code: RuleCode, at: Place, message: string, fix?: string, level?: Level): void {
    const rule = RULES[code];
    const type = level === undefined ? rule.type : level === 'review' ? 'warning' : level;
    this.#counts[type]++;
    if (level === undefined ? rule.review : level === 'review') this.#review++;
    const key = `${code} ${at.file}`;
    const before = this.#ofRule.get(key) ?? 0;
    this.#ofRule.set(key, before + 1);
    if (before >= MOST_OF_RULE || this.#list.length >= MOST) this.#omitted++;
    else this.#list.push({ type, code, message: cut(message), ...at, fix: fix ?? rule.fix });
  }

  /** Of the package first, then by file, line and column. */
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
  message.length > MOST_MESSAGE ? `${message.slice(0, MOST_MESSAGE).toWellFormed()}…` : message;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
