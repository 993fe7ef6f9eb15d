/** Recognizes symbols as member keys. No checked platform feature has a symbol as key. */
import type { AnyNode } from 'acorn';
import type { Evaluation } from './evaluation.ts';
import { CALLS_BACK, isWindow } from './global-names.ts';
import { calledAs, isCalledPlainly, isStrict, onlyReturns } from './plain-call.ts';
import { constantOf, global, NOTHING_KNOWN, type Value, type Values } from './values.ts';
import { parentOf } from './walk.ts';

const WINDOW: Values = [global('window')];
/** Name of the function that the host calls as a global function. */
const BACKGROUND_HANDLER = 'onBackgroundEvent';
const RECEIVER: Value = { kind: 'receiver', of: 'this' };

/** Constant members of Symbol (ECMA-262, 20.4.2). */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  (
    'asyncDispose asyncIterator dispose hasInstance isConcatSpreadable iterator match matchAll replace ' +
    'search species split toPrimitive toStringTag unscopables'
  )
    .split(' ')
    .map((name) => `Symbol.${name}`),
);

/** `Symbol.iterator` */
export const isWellKnown = (values: Values): boolean =>
  values.length === 1 && values[0].kind === 'global' && WELL_KNOWN.has(values[0].path);

/** `Symbol.for("name")`, in place or as the only value of a variable. */
export function isSymbol(evaluator: Evaluation, key: AnyNode): boolean {
  const node = key.type === 'Identifier' ? onlyValueOf(evaluator, key) : key;
  if (node?.type !== 'CallExpression' || node.callee.type === 'Super') return false;
  const [callee, ...others] = evaluator.valuesOf(node.callee);
  return others.length === 0 && callee.kind === 'global' && (callee.path === 'Symbol' || callee.path === 'Symbol.for');
}

/** `const CONSTRUCTOR = "constructor"`: as visible in the source as a named member. */
export function isNamedText(evaluator: Evaluation, key: AnyNode): boolean {
  const node = key.type === 'Identifier' ? onlyValueOf(evaluator, key) : undefined;
  if (node?.type === 'TemplateLiteral') return node.expressions.length === 0;
  return node?.type === 'Literal' && typeof constantOf(evaluator.valuesOf(node))?.value === 'string';
}

function onlyValueOf(evaluator: Evaluation, node: AnyNode & { type: 'Identifier' }): AnyNode | undefined {
  const [write, ...others] = evaluator.variableOf(node)?.writes ?? [];
  return others.length === 0 && write?.path.length === 0 ? write.from : undefined;
}

/**
 * Evaluates `this`. In sloppy mode, `this` is the window at the top of a script, and in functions
 * that are called by name.
 */
export function valuesOfThis(evaluator: Evaluation, kind: string, node: AnyNode): Values {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at)) {
    if (at.type === 'ClassBody') return NOTHING_KNOWN;
    if (at.type !== 'FunctionExpression' && at.type !== 'FunctionDeclaration') continue;
    if (at.type === 'FunctionExpression' && isCalledByWindow(evaluator, at)) return WINDOW;
    if (kind === 'module' || isStrict(at)) return NOTHING_KNOWN;
    if (at.type === 'FunctionExpression' ? isCalledPlainly(at) : onlyReturns(at, node)) return WINDOW;
    const calls = evaluator.callsOf(at);
    if (calls.length > 0 && !calls.some(({ callee }) => parentOf(callee)?.type === 'NewExpression')) return WINDOW;
    // Background files have no events or elements that could set `this`.
    if (kind === 'background') return isCallback(at) || calledAs(at) === BACKGROUND_HANDLER ? WINDOW : NOTHING_KNOWN;
    return [RECEIVER];
  }
  return kind === 'module' || kind === 'handler' ? NOTHING_KNOWN : WINDOW;
}

/** The function is the only argument of a call, so no argument sets its `this`. */
function isCallback(fn: AnyNode): boolean {
  const parent = parentOf(fn);
  return parent?.type === 'CallExpression' && parent.arguments.length === 1 && parent.arguments[0] === fn;
}

/** The function is a callback of a window function (a timer, a listener), or a handler of it. */
function isCalledByWindow(evaluator: Evaluation, fn: AnyNode): boolean {
  const parent = parentOf(fn);
  if (parent?.type === 'AssignmentExpression') return isHandlerOfWindow(evaluator, parent.left);
  if (parent?.type !== 'CallExpression' || (parent.callee as AnyNode) === fn) return false;
  return evaluator.valuesOf(parent.callee).some((value) => value.kind === 'global' && CALLS_BACK.has(value.path));
}

/** `onload = …`, `window.onload = …` */
function isHandlerOfWindow(evaluator: Evaluation, target: AnyNode): boolean {
  if (target.type === 'Identifier')
    return target.name.startsWith('on') && evaluator.variableOf(target)?.isGlobal !== false;
  if (target.type !== 'MemberExpression' || evaluator.keyOf(target)?.startsWith('on') !== true) return false;
  return evaluator.valuesOf(target.object).some((value) => value.kind === 'global' && isWindow(value.path));
}
