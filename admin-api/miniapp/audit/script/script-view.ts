/** The state of the checks of a script. */
import type { AnyNode, Identifier, MemberExpression } from 'acorn';
import type { Place } from '../finding.ts';
import { COVERED } from '../policy/covered.ts';
import type { RuleCode } from '../rules.ts';
import type { SourceText } from '../source-text.ts';
import type { WebContext } from '../web/context.ts';
import type { ScriptKind } from '../web/kind.ts';
import type { CoveredFinding } from '../web/noted.ts';
import type { Evaluator } from './evaluate.ts';
import type { Variable } from './scope.ts';

export interface ScriptView {
  readonly source: SourceText;
  /** Offset of the script in the source. Offsets of nodes are relative to it. */
  readonly base: number;
  readonly kind: ScriptKind;
  readonly context: WebContext;
  /** Index of the script in the package. */
  readonly script: number;
  readonly evaluator: Evaluator;
  /** Names of variables that may hold Host or Function, whose uses are checked too. */
  readonly aliases: Set<string>;
  /** Links and forms, with the URLs that are set on them. */
  readonly links: { readonly target: unknown; readonly url: AnyNode }[];
  /** Calls of `this.constructor`, and the functions that contain them. */
  readonly unbound: { readonly node: AnyNode; readonly fn: AnyNode }[];
  /** Functions and method names whose `this` is set by call, apply or bind. */
  readonly rebound: Set<AnyNode | Variable | string | undefined>;
  /** Functions that create an element from a parameter, and the index of that parameter. */
  readonly makers: { readonly fn: AnyNode; readonly index: number }[];
  /**
   * Used names that neither the script nor browsers define, with their first use without a test.
   */
  readonly undefined: Map<string, Identifier | MemberExpression>;
  /** Cache of the possible keys of variables. */
  readonly keys: Map<Variable, PossibleKeys>;
  /**
   * Whether the source contains the tag name of an element that can run code. Undefined: not
   * searched yet.
   */
  readonly names: { isOfCode: boolean | undefined };
  /** Links and forms that the script clicks or submits. */
  readonly followed: Set<unknown>;
}

export const placeOf = (view: ScriptView, node: AnyNode): Place => view.source.at(view.base + node.start);

/** The level of a covered finding: in all cases, or if the app reaches the code. */
export type Gravity = Pick<CoveredFinding, 'level' | 'reached' | 'unless'>;

export function report(
  view: ScriptView,
  code: RuleCode,
  node: AnyNode,
  message: string,
  fix?: string,
  gravity: Gravity = {},
): void {
  const found = { code, position: placeOf(view, node), message, fix };
  if (isCovered(view, code)) view.context.covered.push({ ...found, script: view.script, at: node.start, ...gravity });
  else view.context.findings.add(code, found.position, message, fix);
}

/** Background files run in another sandbox. */
const isCovered = ({ kind }: ScriptView, code: RuleCode): boolean => kind !== 'background' && COVERED.has(code);

/** As `report`, always with the level of the rule. */
export function reportAnyway(view: ScriptView, code: RuleCode, node: AnyNode, message: string, fix?: string): void {
  view.context.findings.add(code, placeOf(view, node), message, fix);
}

/** The source text of a node, shortened for a message. */
export function written(view: ScriptView, node: AnyNode): string {
  const text = view.source.text.slice(
    view.base + node.start,
    Math.min(view.base + node.end, view.base + node.start + 60),
  );
  const line = text.replace(/\s+/g, ' ').trim();
  return node.end - node.start > 60 ? `${line}…` : line;
}

/**
 * The possible values of a key, with or without unknown parts. Empty: unknown.
 */
export interface PossibleKeys {
  readonly keys: readonly string[];
  /** Composed by `+=`. */
  readonly isPutTogether: boolean;
}
