/** Findings of an audit and the rules behind them. */

/** An error prevents publication. A warning should be fixed. A notice is informational. */
export type FindingType = 'error' | 'warning' | 'notice';

/**
 * Location of a finding: a file of the package (null: the package itself), line and column (both
 * from 1; columns in UTF-16 units), and the text of the line, shortened.
 */
export interface Place {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly excerpt: string | null;
}

/** A finding, as returned by the API and the command line. */
export interface Finding extends Place {
  readonly type: FindingType;
  /** A key of `RULES`. */
  readonly code: string;
  /** The problem. */
  readonly message: string;
  /** How to fix it. */
  readonly fix: string;
}

/** A rule. Findings refer to it by its key. The page of all rules is generated from these texts. */
export interface Rule {
  readonly type: FindingType;
  /** A person must review the package before it is approved. */
  readonly review?: true;
  /** One line, without a full stop. */
  readonly title: string;
  /** The reason for the rule and what it detects. */
  readonly about: string;
  /** How to fix it, if the finding has no more specific advice. */
  readonly fix: string;
}

export type RuleTable = Readonly<Record<string, Rule>>;
