/** Resolves the method that a call calls, by name, on any object. */
import type { AnyNode, CallExpression, MemberExpression, NewExpression } from 'acorn';
import type { ScriptView } from './script-view.ts';
import { Steps } from './steps.ts';

export type Call = CallExpression | NewExpression;
/** Undefined: unknown, as in `f.apply(this, list)`. */
export type Arguments = readonly AnyNode[] | undefined;

/** A called method. */
export interface Method {
  readonly name: string;
  /** The object of the method. Undefined: unknown. */
  readonly object: AnyNode | undefined;
  readonly args: Arguments;
}

/**
 * Also resolves `o.name.call(…)`, bound methods, and methods that are passed to Reflect.apply.
 */
export function methodOf(view: ScriptView, node: Call): Method | undefined {
  const { callee, arguments: args } = node;
  if (callee.type === 'MemberExpression') {
    const name = nameOfMember(view, callee);
    if ((name === 'call' || name === 'apply') && callee.object.type !== 'Super') {
      const method = methodNamed(view, callee.object, new Steps());
      const isReflect = callee.object.type === 'Identifier' && callee.object.name === 'Reflect';
      if (method !== undefined && !isReflect)
        return withArguments(method, args[0], name === 'call' ? args.slice(1) : listed(args[1]));
      if (isReflect && args[0]) {
        const applied = methodNamed(view, args[0], new Steps());
        if (applied !== undefined) return withArguments(applied, args[1], listed(args[2]));
      }
    }
    return name === undefined ? undefined : { name, object: callee.object, args };
  }
  const isOther = callee.type !== 'Identifier' && callee.type !== 'CallExpression';
  const bound = isOther ? undefined : methodNamed(view, callee, new Steps());
  return bound?.args === undefined ? undefined : withArguments(bound, bound.object, args);
}

const withArguments = ({ name, args }: Method, object: AnyNode | undefined, more: Arguments): Method => ({
  name,
  object,
  args: more && [...(args ?? []), ...more],
});

/**
 * A method that is named without being called. `args`: its bound arguments. Undefined: it is not
 * bound.
 */
function methodNamed(view: ScriptView, node: AnyNode, steps: Steps): Method | undefined {
  if (!steps.take()) return undefined;
  if (node.type === 'MemberExpression') {
    const name = nameOfMember(view, node);
    return name === undefined ? undefined : { name, object: node.object, args: undefined };
  }
  if (node.type === 'CallExpression') {
    const { callee, arguments: args } = node;
    if (callee.type !== 'MemberExpression' || view.evaluator.keyOf(callee) !== 'bind') return undefined;
    const method = methodNamed(view, callee.object, steps);
    return method && withArguments(method, args[0], args.slice(1));
  }
  if (node.type !== 'Identifier') return undefined;
  const variable = view.evaluator.variableOf(node);
  const own = { name: node.name, object: undefined, args: undefined };
  if (variable?.writes.length !== 1 || !steps.enter(variable)) return own;
  const { from, path } = variable.writes[0];
  const last = path.at(-1);
  if (typeof last === 'string') return { ...own, name: last };
  return (from !== undefined && path.length === 0 ? methodNamed(view, from, steps) : undefined) ?? own;
}

/** Includes private names, which begin with #. */
export const nameOfMember = (view: ScriptView, node: MemberExpression): string | undefined =>
  node.property.type === 'PrivateIdentifier' ? `#${node.property.name}` : view.evaluator.keyOf(node);

export const listed = (node: AnyNode | undefined): Arguments =>
  node?.type === 'ArrayExpression' &&
  node.elements.every((element) => element !== null && element.type !== 'SpreadElement')
    ? (node.elements as AnyNode[])
    : undefined;
