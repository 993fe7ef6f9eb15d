/** Collects the literals of a script that may be names of members. */
import type { AnyNode, Program } from 'acorn';
import { CHILDREN } from '../script/syntax-node.ts';

/** Maximum characters of a name. */
const MAX_LENGTH = 64;

/** Includes numbers: bundles may use them as names of modules. */
export function textsOf(program: Program): Set<string> {
  const texts = new Set<string>();
  const stack: AnyNode[] = [program];
  for (let node = stack.pop(); node !== undefined; node = stack.pop())
    if (node.type !== 'Literal') pushChildren(node, stack);
    else if (typeof node.value === 'number') texts.add(String(node.value));
    else if (typeof node.value === 'string' && node.value.length <= MAX_LENGTH) texts.add(node.value);
  return texts;
}

/** Node types whose children differ from `CHILDREN`: patterns, and types the walk special-cases. */
const OTHER_CHILDREN: Readonly<Record<string, readonly string[]>> = {
  ExpressionStatement: ['expression'],
  MemberExpression: ['object', 'property'],
  CallExpression: ['callee', 'arguments'],
  Property: ['key', 'value'],
  MethodDefinition: ['key', 'value'],
  PropertyDefinition: ['key', 'value'],
  BinaryExpression: ['left', 'right'],
  LogicalExpression: ['left', 'right'],
  VariableDeclarator: ['id', 'init'],
  AssignmentExpression: ['left', 'right'],
  AssignmentPattern: ['left', 'right'],
  ArrayPattern: ['elements'],
  ObjectPattern: ['properties'],
  RestElement: ['argument'],
  FunctionDeclaration: ['params', 'body'],
  FunctionExpression: ['params', 'body'],
  ArrowFunctionExpression: ['params', 'body'],
  CatchClause: ['param', 'body'],
};

function pushChildren(node: AnyNode, stack: AnyNode[]): void {
  for (const key of OTHER_CHILDREN[node.type] ?? CHILDREN[node.type] ?? NONE) {
    const child = (node as unknown as Record<string, AnyNode | (AnyNode | null)[] | null | undefined>)[key];
    if (!Array.isArray(child)) {
      if (child && child.type !== 'Identifier') stack.push(child);
    } else for (const item of child) if (item !== null && item.type !== 'Identifier') stack.push(item);
  }
}

const NONE: readonly string[] = [];
