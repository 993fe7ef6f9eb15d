/** Finds the immediate call, the name and the strictness of functions. */
import type { AnyNode, CallExpression, Function as FunctionNode } from 'acorn';
import { keyOf } from './scope.ts';
import { hasStrictDirective, parentOf } from './walk.ts';

export const argumentsOf = (node: CallExpression): readonly AnyNode[] => node.arguments;

/**
 * The immediate call of a function expression: `(function () {})()`, `(function () {}).call(this)`.
 * `skip`: the number of arguments before those of the function.
 */
export function callOf(fn: AnyNode): { node: CallExpression; skip: number } | undefined {
  let at = fn;
  let parent = parentOf(at);
  while (parent?.type === 'ParenthesizedExpression') {
    at = parent;
    parent = parentOf(at);
  }
  if (parent?.type === 'CallExpression' && parent.callee === at) return { node: parent, skip: 0 };
  if (parent?.type !== 'MemberExpression' || parent.object !== at || parent.computed) return undefined;
  const call = parentOf(parent);
  if (parent.property.type !== 'Identifier' || call?.type !== 'CallExpression' || call.callee !== parent)
    return undefined;
  const { name } = parent.property;
  return name === 'call' || (name === 'apply' && call.arguments.length === 0) ? { node: call, skip: 1 } : undefined;
}

/** `this`, a name, null: in sloppy mode, they make `this` the global object in most code. */
const PLAIN = new Set(['ThisExpression', 'Identifier', 'Literal']);

export function isCalledPlainly(fn: AnyNode): boolean {
  const call = callOf(fn);
  if (call === undefined) return false;
  return call.skip === 0 || argumentsOf(call.node).length === 0 || PLAIN.has(argumentsOf(call.node)[0].type);
}

/**
 * In sloppy mode, code writes `function () { return this }` only to get the global object.
 */
export function onlyReturns(fn: FunctionNode, node: AnyNode): boolean {
  const [only, ...more] = fn.body.type === 'BlockStatement' ? fn.body.body : [];
  return more.length === 0 && only?.type === 'ReturnStatement' && only.argument === node;
}

/**
 * Whether the function or its enclosing code has a strict directive (ECMA-262, 11.2.2). Classes are
 * strict without one. Callers check for modules.
 */
export function isStrict(fn: AnyNode): boolean {
  for (let at: AnyNode | undefined = fn; at !== undefined; at = parentOf(at)) {
    if (at.type === 'ClassBody') return true;
    if ((at.type === 'FunctionExpression' || at.type === 'FunctionDeclaration') && hasStrictDirective(at.body.body))
      return true;
    if (at.type === 'Program' && hasStrictDirective(at.body)) return true;
  }
  return false;
}

/** The name of a declared function, or of the variable that a function initializes. */
export function nameOf(fn: AnyNode): string | undefined {
  if (fn.type === 'FunctionDeclaration') return fn.id?.name;
  const parent = parentOf(fn);
  return parent?.type === 'VariableDeclarator' && parent.init === fn && parent.id.type === 'Identifier'
    ? parent.id.name
    : undefined;
}

/** The name of the member that holds the function. */
export function methodOf(fn: AnyNode): string | undefined {
  const parent = parentOf(fn);
  if (parent?.type === 'AssignmentExpression' && parent.left.type === 'MemberExpression')
    return keyOf(parent.left.property) ?? undefined;
  const isMember =
    parent?.type === 'Property' || parent?.type === 'MethodDefinition' || parent?.type === 'PropertyDefinition';
  return isMember && !parent.computed ? (keyOf(parent.key) ?? undefined) : undefined;
}

/** The key of a setter, which assignments call. */
export const setterOf = (name: string): string => `set ${name}`;

/**
 * The name by which a call can reach a function: its own name, or that of its member, its global or
 * its class.
 */
export function calledAs(fn: AnyNode): string | undefined {
  const parent = parentOf(fn);
  if (parent?.type === 'MethodDefinition' && parent.kind === 'constructor') {
    const classNode = parentOf(parentOf(parent)!)!;
    return classNode.type === 'ClassDeclaration' ? classNode.id?.name : nameOf(classNode);
  }
  if (parent?.type === 'AssignmentExpression' && parent.left.type === 'Identifier') return parent.left.name;
  const isSetter = (parent?.type === 'Property' || parent?.type === 'MethodDefinition') && parent.kind === 'set';
  const name = nameOf(fn) ?? methodOf(fn);
  return isSetter && name !== undefined ? setterOf(name) : name;
}

export function isFunction(node: AnyNode): node is FunctionNode & AnyNode {
  return (
    node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration' || node.type === 'ArrowFunctionExpression'
  );
}
