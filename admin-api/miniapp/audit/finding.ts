/** What an audit says of a package, and the rules that it goes by. */

/**
 * An error keeps a package from being published, a warning should be mended, a notice is only
 * shown.
 */
export type FindingType = 'error' | 'warning' | 'notice';

/**
 * Where something was found: a file of the package (null: the package itself), its line and column
 * (both from 1; columns in UTF-16 units), and the line's text, cut to what fits.
 */
export interface Place {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly excerpt: string | null;
}

/** A finding, as the API and the command line give it. */
export interface Finding extends Place {
  readonly type: FindingType;
  /** A key of the table of rules. */
  readonly code: string;
  /** What is wrong here. */
  readonly message: string;
  /** What to write or do instead. */
  readonly fix: string;
}

/** A rule: a finding's code is its key. The page of all rules is made of these texts. */
export interface Rule {
  readonly type: FindingType;
  /** A person has to look before the package is approved. */
  readonly review?: true;
  /** One line, without a full stop. */
  readonly title: string;
  /** Why it is a rule, and what exactly it looks for. */
  readonly about: string;
  /** What to do instead, where a finding says nothing more exact. */
  readonly fix: string;
}

export type RuleTable = Readonly<Record<string, Rule>>;
