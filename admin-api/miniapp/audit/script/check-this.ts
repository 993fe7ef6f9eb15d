/**
 * `this.constructor(text)`: harmless as components of frameworks write it, and Function where
 * `this` is made a function by call, apply or bind.
 */
import type { AnyNode, MemberExpression } from 'acorn';
import { isFunction, methodOf } from './plain-call.ts';
import { report, type ScriptView, written } from './script-view.ts';
import { Steps } from './steps.ts';
import { parentOf } from './walk.ts';

/** Methods of functions that give them another `this`. */
const REBINDING = new Set(['call', 'apply', 'bind']);

/** A member of something by its name, which may be one of these methods. */
export function checkRebinding(view: ScriptView, node: MemberExpression, name: string): void {
  if (!REBINDING.has(name)) return;
  const parent = parentOf(node);
  const [first] = parent?.type === 'CallExpression' && parent.callee === node ? parent.arguments : [node];
  if (first === undefined || isObject(view, first, new Steps()) || isMethodOf(view, parent, first)) return;
  noteRebound(view, node.object);
}

/** `object.method = function () { … }.bind(object)`, as it would be called without it. */
function isMethodOf(view: ScriptView, call: AnyNode | undefined, object: AnyNode): boolean {
  const parent = call && parentOf(call);
  if (parent?.type !== 'AssignmentExpression' || parent.left.type !== 'MemberExpression') return false;
  const target = parent.left.object;
  if (target.type !== 'Identifier' || object.type !== 'Identifier' || target.name !== object.name) return false;
  return !view.evaluator.valuesOf(object).some(({ kind }) => kind === 'function');
}

/** Something that is made where it stands, or a name for that, and so no function. */
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

/** A call of `this.constructor` with arguments. */
export function noteUnbound(view: ScriptView, node: AnyNode): void {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at))
    if (isFunction(at) && at.type !== 'ArrowFunctionExpression') {
      view.unbound.push({ node, fn: at });
      return;
    }
}

/** `fn`: what gets another `this`. A method is known by its name, whatever has it. */
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

/** Once all is noted: the function may stand before what gives it another `this`. */
export function checkUnbound(view: ScriptView): void {
  for (const { node, fn } of view.unbound) {
    const name = methodOf(fn);
    if (view.rebound.has(fn) || (name !== undefined && view.rebound.has(name)))
      report(view, 'constructor_called', node, `Whose constructor ${written(view, node)} calls cannot be determined.`);
  }
}
