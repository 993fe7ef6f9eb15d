/**
 * Reaching definitions: the writes of a variable that a use may see. Minifiers reuse a name for
 * several values, as in `e = e.style`, so the union of all writes is imprecise.
 *
 * The search goes from the use outwards. It collects the writes that may run before the use, up to
 * code that always runs before it and always writes. In unknown cases, a write may run before the
 * use. All writes and the use must be in one function: another function may write at any time.
 */
import type { AnyNode, Function as FunctionNode } from 'acorn';
import { isFunction } from './plain-call.ts';
import type { Scope, Variable, Write } from './scope.ts';
import { parentOf, scopeOf, type Walked } from './walk.ts';

/** Maximum writes of an analysed variable, and maximum levels of nesting. */
const MOST_WRITES = 64;
const MOST_LEVELS = 256;

/** Undefined: all writes. */
export function reachingWrites(
  walked: Walked,
  variable: Variable,
  use: AnyNode & { type: 'Identifier' },
): readonly Write[] | undefined {
  const { writes } = variable;
  if (writes.length < 2 || writes.length > MOST_WRITES || variable.isGlobal) return undefined;
  const around = functionAround(use);
  if (around === undefined || !isWithin(around.body, use) || !isOwn(variable, use)) return undefined;
  const byNode = new Map<AnyNode, Write>();
  let atEntry: Write | undefined;
  for (const write of writes) {
    const node = nodeOf(write, around);
    if (node === around && atEntry === undefined) atEntry = write;
    else if (node === undefined || byNode.has(node) || functionAround(node) !== around) return undefined;
    else byNode.set(node, write);
  }
  // `arguments` can change the parameters.
  if (atEntry !== undefined && usersOfArguments(walked).has(around)) return undefined;
  const found = new Set<AnyNode>();
  const isDecided = collect(use, around, byNode, found);
  if (isDecided === undefined) return undefined;
  const reaching = [...found].map((node) => byNode.get(node)!);
  if (!isDecided && atEntry !== undefined) reaching.push(atEntry);
  return reaching.length === writes.length ? undefined : reaching;
}

/** The node that performs a write; for a parameter, the function. Undefined: unknown. */
function nodeOf({ from, path, at }: Write, around: AnyNode): AnyNode | undefined {
  if (at !== undefined) return at;
  if (from === undefined) return undefined;
  if (from === around && typeof path[0] === 'number') return from;
  if (from.type === 'ForInStatement') return from;
  const parent = parentOf(from);
  switch (parent?.type) {
    case 'ForOfStatement':
      return parent.right === from ? parent : undefined;
    case 'VariableDeclarator':
      return parent.init === from ? parent : undefined;
    case 'AssignmentExpression':
      return parent.right === from ? parent : undefined;
    default:
      return undefined;
  }
}

/** The function that contains the use declares the variable. */
function isOwn(variable: Variable, use: AnyNode): boolean {
  const scope = scopeOf(use);
  if (scope === undefined) return false;
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent)
    if (at.own(variable.name) === variable)
      return at.functionScope === scope.functionScope || at === scope.functionScope.parameters;
  return false;
}

/** Undefined: in a class body, which runs at another time, or nested too deeply. */
function functionAround(node: AnyNode): (FunctionNode & AnyNode) | undefined {
  let at = parentOf(node);
  for (let level = 0; at !== undefined && level < MOST_LEVELS; level++, at = parentOf(at))
    if (isFunction(at)) return at;
    else if (at.type === 'ClassBody') return undefined;
  return undefined;
}

const users = new WeakMap<Walked, ReadonlySet<AnyNode>>();

/** Functions that use `arguments`. Arrow functions use those of their outer function. */
export function usersOfArguments(walked: Walked): ReadonlySet<AnyNode> {
  const before = users.get(walked);
  if (before !== undefined) return before;
  const found = new Set<AnyNode>();
  for (const node of walked.names) {
    if (node.name !== 'arguments') continue;
    for (let at = parentOf(node); at !== undefined; at = parentOf(at)) {
      if (!isFunction(at)) continue;
      found.add(at);
      if (at.type !== 'ArrowFunctionExpression') break;
    }
  }
  users.set(walked, found);
  return found;
}

const isWithin = (node: AnyNode, inner: AnyNode): boolean => node.start <= inner.start && inner.end <= node.end;

type Writes = ReadonlyMap<AnyNode, Write>;

/**
 * True: the found writes hide all earlier writes. False: they do not. Undefined: nested too deeply.
 */
function collect(use: AnyNode, around: AnyNode, writes: Writes, found: Set<AnyNode>): boolean | undefined {
  let inner: AnyNode = use;
  let at = parentOf(inner);
  for (let level = 0; at !== undefined && level < MOST_LEVELS; level++) {
    if (at === around) return false;
    const before: AnyNode[] = [];
    const isRepeated = !ONCE.has(at.type) || isOfPattern(at);
    for (const node of writes.keys()) {
      // A write that contains the use runs after it, except in repeated code.
      const isOther = isWithin(at, node) && (isRepeated || (node !== at && !isWithin(inner, node)));
      if (!isOther || (found.has(node) && isRepeated)) continue;
      if (isRepeated) found.add(node);
      const part = node === at ? undefined : partOf(at, node);
      if (part !== undefined && part !== inner && part.end <= inner.start && runsBefore(at, part, inner))
        before.push(part);
      else if (!isRepeated && part !== undefined && part.start < inner.start) found.add(node);
    }
    before.sort((a, b) => b.start - a.start);
    for (const part of new Set(before)) {
      for (const node of writes.keys()) if (isWithin(part, node)) found.add(node);
      if (alwaysWrites(part, writes, 0)) return true;
    }
    inner = at;
    at = parentOf(at);
  }
  return undefined;
}

/**
 * Nodes whose parts run at most once per run of the node, in source order. In other nodes, a write
 * at any position may run before the use.
 */
const ONCE: ReadonlySet<string> = new Set([
  ...['BlockStatement', 'SwitchCase', 'ExpressionStatement', 'VariableDeclaration', 'VariableDeclarator'],
  ...['IfStatement', 'ReturnStatement', 'ThrowStatement', 'LabeledStatement'],
  ...['SequenceExpression', 'CallExpression', 'NewExpression', 'ArrayExpression', 'ObjectExpression', 'Property'],
  ...['TemplateLiteral', 'BinaryExpression', 'LogicalExpression', 'ConditionalExpression', 'UnaryExpression'],
  ...['MemberExpression', 'AwaitExpression', 'SpreadElement', 'ChainExpression', 'AssignmentExpression'],
]);

/** Expressions in a pattern run after the value, and between the writes. */
const isOfPattern = (node: AnyNode): boolean =>
  node.type === 'AssignmentExpression' && (node.left.type === 'ObjectPattern' || node.left.type === 'ArrayPattern');

/** The child of `node` that contains `inner`. */
function partOf(node: AnyNode, inner: AnyNode): AnyNode | undefined {
  let at = inner;
  for (let level = 0; level < MOST_LEVELS; level++) {
    const parent = parentOf(at);
    if (parent === undefined) return undefined;
    if (parent === node) return at;
    at = parent;
  }
  return undefined;
}

/** Whenever `inner` runs, `part` has completed. */
function runsBefore(node: AnyNode, part: AnyNode, inner: AnyNode): boolean {
  switch (node.type) {
    case 'BlockStatement':
    case 'SequenceExpression':
    case 'CallExpression':
    case 'NewExpression':
    case 'ArrayExpression':
    case 'ObjectExpression':
    case 'Property':
    case 'TemplateLiteral':
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'MemberExpression':
      return true;
    case 'VariableDeclaration':
      return part.type === 'VariableDeclarator';
    case 'AssignmentExpression':
      return node.left.type === 'MemberExpression';
    // Falling through from another case skips the test.
    case 'SwitchCase':
      return part !== node.test;
    case 'IfStatement':
    case 'ConditionalExpression':
      return part === node.test;
    case 'ForStatement':
      return part === node.init || (part === node.test && inner !== node.test);
    case 'ForInStatement':
    case 'ForOfStatement':
      return part === node.right;
    case 'WhileStatement':
      return part === node.test;
    case 'SwitchStatement':
      return part === node.discriminant;
    default:
      return false;
  }
}

/** The code always writes if it completes. */
function alwaysWrites(node: AnyNode, writes: Writes, level: number): boolean {
  if (level > MOST_LEVELS) return false;
  const does = (part: AnyNode | null | undefined): boolean => part != null && alwaysWrites(part, writes, level + 1);
  switch (node.type) {
    case 'AssignmentExpression':
      if (LOGICAL.has(node.operator)) return false;
      return writes.has(node) || does(node.right) || (node.left.type === 'MemberExpression' && does(node.left));
    case 'UpdateExpression':
      return writes.has(node);
    case 'VariableDeclarator':
      return writes.has(node) || does(node.init);
    case 'VariableDeclaration':
      return node.declarations.some(does);
    case 'ExpressionStatement':
      return does(node.expression);
    case 'SequenceExpression':
      return node.expressions.some(does);
    // A break also leaves the code after the block, except with a label.
    case 'BlockStatement':
      return node.body.some(does);
    case 'IfStatement':
    case 'ConditionalExpression':
      return does(node.test) || (does(node.consequent) && does(node.alternate));
    case 'LogicalExpression':
      return does(node.left);
    case 'BinaryExpression':
      return does(node.left as AnyNode) || does(node.right);
    case 'UnaryExpression':
    case 'AwaitExpression':
    case 'SpreadElement':
      return does(node.argument);
    case 'MemberExpression':
      return does(node.object as AnyNode) || (node.computed && !node.optional && does(node.property as AnyNode));
    case 'CallExpression':
    case 'NewExpression':
      return does(node.callee as AnyNode) || (!('optional' in node && node.optional) && node.arguments.some(does));
    case 'ArrayExpression':
      return node.elements.some(does);
    case 'ForStatement':
      return does(node.init) || does(node.test);
    case 'WhileStatement':
      return does(node.test);
    default:
      return false;
  }
}

const LOGICAL: ReadonlySet<string> = new Set(['||=', '&&=', '??=']);
