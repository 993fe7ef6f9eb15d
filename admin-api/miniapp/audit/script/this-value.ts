/** Evaluates `this`. */
import type { AnyNode } from 'acorn';
import type { Evaluation } from './evaluation.ts';
import { CALLS_BACK, isWindow } from './global-names.ts';
import { calledAs, isCalledPlainly, isStrict, onlyReturns } from './plain-call.ts';
import { global, NOTHING_KNOWN, type Value, type Values } from './values.ts';
import { parentOf } from './walk.ts';

const WINDOW: Values = [global('window')];
/** Name of the function that the host calls as a global function. */
const BACKGROUND_HANDLER = 'onBackgroundEvent';
const RECEIVER: Value = { kind: 'receiver', of: 'this' };

/**
 * In sloppy mode, `this` is the window at the top of a script, and in functions that are called by
 * name.
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
