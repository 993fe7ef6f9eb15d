/** What an audit of scripts notes until the whole package is known. */
import type { Place } from '../finding.ts';
import type { Level } from '../findings.ts';
import type { RuleCode } from '../rules.ts';
import type { Walked } from '../script/walk.ts';
import type { SourceText } from '../source-text.ts';
import type { ScriptKind } from './kind.ts';

/** A script as it was audited, for what is decided once all were. */
export interface AuditedScript {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
  readonly kind: ScriptKind;
  /** As it was walked, if that was kept. */
  readonly walked: Walked | undefined;
}

/** A finding about what the sandbox covers: see policy/covered.ts. */
export interface CoveredFinding {
  readonly code: RuleCode;
  readonly position: Place;
  readonly message: string;
  readonly fix: string | undefined;
  /** How grave it is, where that is decided already. */
  readonly level?: Level;
  /** Names of the platform that the package must not replace, or that does not hold. */
  readonly unless?: readonly string[];
  /** How grave it is where the app reaches it, if not as the table says. */
  readonly reached?: Level;
  /** Index of the script, and the offset in it. */
  readonly script: number;
  readonly at: number;
}

/** A call that gives a function the name of an element that holds code. */
export interface Tagged {
  readonly name: string;
  readonly index: number;
  readonly tag: string;
  readonly position: Place;
  readonly message: string;
  /** Index of the script, and the offset in it. */
  readonly script: number;
  readonly at: number;
}

/**
 * A member or global that a timer takes; or `given`: the parameter of this index, of a function by
 * this name.
 */
export type Named =
  | { readonly name: string; readonly isOfPlatform: boolean }
  | { readonly name: string; readonly given: number };
/** A global that is used; only where the package does not define it this is found. */
export interface Undefined {
  readonly name: string;
  readonly code: RuleCode;
  readonly position: Place;
  readonly message: string;
}

/**
 * The function of the name `from` gives its parameter `index` to that of the name `to`, as argument
 * `at`.
 */
export interface PassedOn {
  readonly from: string;
  readonly index: number;
  readonly to: string;
  readonly at: number;
}

/** Names of functions, and arguments of them. */
export type Parameters = Map<string, Set<number>>;
