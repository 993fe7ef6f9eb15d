/** A script as the checks see it. */
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
  /** Where the script begins in the source; offsets of nodes count from there. */
  readonly base: number;
  readonly kind: ScriptKind;
  readonly context: WebContext;
  /** Its index among the scripts of the package. */
  readonly script: number;
  readonly evaluator: Evaluator;
  /** Names that stand for Host or Function, whose uses are to be looked at as well. */
  readonly aliases: Set<string>;
  /** URLs of links and forms, and which these are. */
  readonly links: { readonly target: unknown; readonly url: AnyNode }[];
  /** Calls of `this.constructor`, and the functions whose `this` that is. */
  readonly unbound: { readonly node: AnyNode; readonly fn: AnyNode }[];
  /** Functions, and names of methods, that get another `this`. */
  readonly rebound: Set<AnyNode | Variable | string | undefined>;
  /** Functions that make an element of a parameter of theirs, and which. */
  readonly makers: { readonly fn: AnyNode; readonly index: number }[];
  /**
   * Names that are used and declared nowhere in the script, nor known to browsers: where first
   * without a test.
   */
  readonly undefined: Map<string, Identifier | MemberExpression>;
  /** Of variables that are keys, what they may be. */
  readonly keys: Map<Variable, PossibleKeys>;
  /**
   * Whether the source has the name of an element that holds code; undefined: not looked for yet.
   */
  readonly names: { isOfCode: boolean | undefined };
  /** Links and forms that the script follows. */
  readonly followed: Set<unknown>;
}

export const placeOf = (view: ScriptView, node: AnyNode): Place => view.source.at(view.base + node.start);

/** How grave a covered finding is: in any case, or where the app reaches it. */
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

/** As `report`, of what stays as grave as its rule says. */
export function reportAnyway(view: ScriptView, code: RuleCode, node: AnyNode, message: string, fix?: string): void {
  view.context.findings.add(code, placeOf(view, node), message, fix);
}

/** As it is written, cut to what a message can hold. */
export function written(view: ScriptView, node: AnyNode): string {
  const text = view.source.text.slice(
    view.base + node.start,
    Math.min(view.base + node.end, view.base + node.start + 60),
  );
  const line = text.replace(/\s+/g, ' ').trim();
  return node.end - node.start > 60 ? `${line}…` : line;
}

/**
 * What a key may be: whole keys, and such with gaps. None: nothing is known of it but that it is
 * one.
 */
export interface PossibleKeys {
  readonly keys: readonly string[];
  /** By `+=`. */
  readonly isPutTogether: boolean;
}
