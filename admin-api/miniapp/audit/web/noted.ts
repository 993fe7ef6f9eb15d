/** Notes of the script audit, evaluated after the whole package is audited. */
import type { Place } from '../finding.ts';
import type { Level } from '../findings.ts';
import type { RuleCode } from '../rules.ts';
import type { Walked } from '../script/walk.ts';
import type { SourceText } from '../source-text.ts';
import type { ScriptKind } from './kind.ts';

/** An audited script, for checks that need all scripts. */
export interface AuditedScript {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
  readonly kind: ScriptKind;
  /** Undefined: the walked tree was not kept. */
  readonly walked: Walked | undefined;
}

/** A finding that the sandbox covers: see policy/covered.ts. */
export interface CoveredFinding {
  readonly code: RuleCode;
  readonly position: Place;
  readonly message: string;
  readonly fix: string | undefined;
  /** The level, if already decided. */
  readonly level?: Level;
  /** `level` holds only if the package replaces none of these platform names. */
  readonly unless?: readonly string[];
  /** The level if the app reaches the code. Undefined: the level in the table. */
  readonly reached?: Level;
  /** Index of the script, and the offset in it. */
  readonly script: number;
  readonly at: number;
}

/** A call with the tag name of an element that can run code as an argument. */
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
 * A member or global that is passed to a timer. `given`: the parameter of this index, of a function
 * of this name.
 */
export type Named =
  | { readonly name: string; readonly isOfPlatform: boolean }
  | { readonly name: string; readonly given: number };
/** A use of a global, reported only if the package does not define the global. */
export interface Undefined {
  readonly name: string;
  readonly code: RuleCode;
  readonly position: Place;
  readonly message: string;
}

/**
 * The function named `from` passes its parameter `index` to the function named `to`, as argument
 * `at`.
 */
export interface PassedOn {
  readonly from: string;
  readonly index: number;
  readonly to: string;
  readonly at: number;
}

/** Indexes of parameters, by the name of the function. */
export type Parameters = Map<string, Set<number>>;
