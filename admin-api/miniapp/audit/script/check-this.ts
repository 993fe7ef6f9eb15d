/**
 * Checks `this.constructor(text)`. It is harmless in components of frameworks, but it is Function
 * if call, apply or bind sets `this` to a function.
 */
import type { AnyNode, MemberExpression } from 'acorn';
import { isFunction, methodOf } from './plain-call.ts';
import { report, type ScriptView, written } from './script-view.ts';
import { Steps } from './steps.ts';
import { parentOf } from './walk.ts';

/** Methods that set the `this` of a function. */
const REBINDING = new Set(['call', 'apply', 'bind']);

/** Notes functions whose `this` is set to a value that may be a function. */
export function checkRebinding(view: ScriptView, node: MemberExpression, name: string): void {
  if (!REBINDING.has(name)) return;
  const parent = parentOf(node);
  const [first] = parent?.type === 'CallExpression' && parent.callee === node ? parent.arguments : [node];
  if (first === undefined || isObject(view, first, new Steps()) || isMethodOf(view, parent, first)) return;
  noteRebound(view, node.object);
}

/** `object.method = function () { … }.bind(object)`: the same `this` as in a method call. */
function isMethodOf(view: ScriptView, call: AnyNode | undefined, object: AnyNode): boolean {
  const parent = call && parentOf(call);
  if (parent?.type !== 'AssignmentExpression' || parent.left.type !== 'MemberExpression') return false;
  const target = parent.left.object;
  if (target.type !== 'Identifier' || object.type !== 'Identifier' || target.name !== object.name) return false;
  return !view.evaluator.valuesOf(object).some(({ kind }) => kind === 'function');
}

/** A new object or literal, or a variable of such values: not a function. */
function isObject(view: ScriptView, node: AnyNode, steps: Steps): boolean {
  if (!steps.take()) return false;
  switch (node.type) {
    case 'NewExpression':
    case 'ObjectExpression':
    case 'ArrayExpression':
    case 'Literal':
      return true;
    case 'ConditionalExpression':
      return isObject(view, node.consequent, steps) && isObject(view, node.alternate, steps);
    case 'LogicalExpression':
      return isObject(view, node.left, steps) && isObject(view, node.right, steps);
    case 'Identifier': {
      const writes = view.evaluator.variableOf(node)?.writes ?? [];
      return (
        writes.length > 0 &&
        writes.every(({ from, path }) => from !== undefined && path.length === 0 && isObject(view, from, steps))
      );
    }
    default:
      return false;
  }
}

/** Notes a call of `this.constructor` with arguments. */
export function noteUnbound(view: ScriptView, node: AnyNode): void {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at))
    if (isFunction(at) && at.type !== 'ArrowFunctionExpression') {
      view.unbound.push({ node, fn: at });
      return;
    }
}

/** `fn`: the function whose `this` is set. Methods are identified by name only. */
export function noteRebound(view: ScriptView, fn: AnyNode): void {
  if (fn.type === 'Identifier') {
    const variable = view.evaluator.variableOf(fn);
    if (variable === undefined || view.rebound.has(variable)) return;
    view.rebound.add(variable);
    for (const { from, path } of variable.writes) {
      const last = path.at(-1);
      if (typeof last === 'string') view.rebound.add(last);
      else if (from !== undefined && path.length === 0)
        view.rebound.add(from.type === 'MemberExpression' ? view.evaluator.keyOf(from) : from);
    }
  } else view.rebound.add(fn.type === 'MemberExpression' ? view.evaluator.keyOf(fn) : fn);
}

/** Runs at the end: the function may precede the code that sets its `this`. */
export function checkUnbound(view: ScriptView): void {
  for (const { node, fn } of view.unbound) {
    const name = methodOf(fn);
    if (view.rebound.has(fn) || (name !== undefined && view.rebound.has(name)))
      report(view, 'constructor_called', node, `Whose constructor ${written(view, node)} calls cannot be determined.`);
  }
}
