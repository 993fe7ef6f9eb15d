/** Resolves the names through which the value of an expression can be accessed. */
import type { AnyNode, Function as FunctionNode, Identifier } from 'acorn';
import { keyOf } from '../script/scope.ts';
import { parentOf, scopeOf } from '../script/walk.ts';

export type Binding =
  | { readonly kind: 'variable'; readonly name: Identifier }
  /**
   * `isOfClass`: a member of instances of a class, which browsers do not create. `isKept`: a member
   * of an object literal that is not directly an argument of a call.
   */
  | { readonly kind: 'member'; readonly name: string; readonly isOfClass?: boolean; readonly isKept?: boolean }
  /** Any member of an object literal in the variable `name`. */
  | { readonly kind: 'object'; readonly name: Identifier }
  /** The return value of a function. */
  | { readonly kind: 'result'; readonly of: AnyNode }
  | { readonly kind: 'parameter'; readonly of: FunctionNode; readonly name: Identifier }
  /** In a collection. Reads from collections are not tracked. */
  | { readonly kind: 'stored' };

/** `inline`: the value may be used right there, in any way. `dropped`: the value is discarded. */
export type Bindings = readonly Binding[] | 'inline' | 'dropped';

export const STORED: readonly Binding[] = [{ kind: 'stored' }];

export function bindingsOf(node: AnyNode): Bindings {
  const found: Binding[] = [];
  const end = (): Bindings => (found.length > 0 ? found : 'dropped');
  let at = node;
  for (let parent = parentOf(at); parent !== undefined; at = parent, parent = parentOf(at)) {
    switch (parent.type) {
      case 'ParenthesizedExpression':
      case 'ChainExpression':
        continue;
      case 'LogicalExpression':
        continue;
      case 'ConditionalExpression':
        if (parent.test === at) return end();
        continue;
      case 'SequenceExpression':
        if (parent.expressions.at(-1) !== at) return end();
        continue;
      case 'AssignmentExpression': {
        if (parent.right !== at) return 'inline';
        const { left } = parent;
        if (left.type === 'Identifier') {
          if (isParameter(left, node)) return 'inline';
          found.push({ kind: 'variable', name: left });
        } else if (left.type === 'MemberExpression') {
          const name = nameOfMember(left);
          if (name === undefined) return 'inline';
          found.push({ kind: 'member', name, isOfClass: isPrototype(left.object) });
        } else return 'inline';
        continue;
      }
      case 'VariableDeclarator':
        if (parent.id.type !== 'Identifier' || isParameter(parent.id, node)) return 'inline';
        found.push({ kind: 'variable', name: parent.id });
        if (isExported(parent)) found.push({ kind: 'member', name: parent.id.name });
        return found;
      case 'Property':
      case 'PropertyDefinition':
      case 'MethodDefinition': {
        if (parent.computed || parent.value !== at) return 'inline';
        const name = keyOf(parent.key);
        if (name === null) return 'inline';
        found.push({ kind: 'member', name, isOfClass: parent.type === 'MethodDefinition', isKept: isKept(parent) });
        if (parent.type === 'Property') found.push(...objectsOf(parent));
        return found;
      }
      case 'ExportSpecifier': {
        const { exported } = parent;
        found.push({ kind: 'member', name: exported.type === 'Identifier' ? exported.name : String(exported.value) });
        return found;
      }
      case 'ExportDefaultDeclaration':
        found.push({ kind: 'member', name: 'default' });
        return found;
      case 'BinaryExpression':
        return isIdentity(parent.operator) ? end() : stored(found);
      case 'UnaryExpression':
        return isConversion(parent.operator) ? stored(found) : end();
      // The value is only tested, or compared by identity.
      case 'IfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'SwitchStatement':
      case 'SwitchCase':
      case 'ExpressionStatement':
        return end();
      case 'ReturnStatement': {
        const fn = functionAround(parent);
        if (fn === undefined) return 'inline';
        found.push({ kind: 'result', of: fn });
        return found;
      }
      case 'ArrowFunctionExpression':
        if (parent.body !== at) return 'inline';
        found.push({ kind: 'result', of: parent });
        return found;
      case 'MemberExpression': {
        if (parent.object !== at) return 'inline';
        const name = nameOfMember(parent);
        return name === undefined || OF_ITSELF.has(name) ? 'inline' : stored(found);
      }
      case 'CallExpression': {
        const given = parent.callee === at ? [] : givenTo(parent, at);
        return given.length === 0 ? 'inline' : [...found, ...given];
      }
      default:
        return 'inline';
    }
  }
  return 'inline';
}

/** `const sink = { write() {} }`, as opposed to `new WritableStream({ write() {} })` */
function isKept(property: AnyNode): boolean {
  const object = property.type === 'Property' ? parentOf(property) : undefined;
  const holder = object && parentOf(object);
  return holder !== undefined && holder.type !== 'CallExpression' && holder.type !== 'NewExpression';
}

/** `const senders = { a: …, b: … }` */
function objectsOf(property: AnyNode): Binding[] {
  const object = parentOf(property);
  const holders = object?.type === 'ObjectExpression' ? bindingsOf(object) : [];
  if (typeof holders === 'string') return [];
  return holders.flatMap((holder) => (holder.kind === 'variable' ? [{ kind: 'object', name: holder.name }] : []));
}

const stored = (found: readonly Binding[]): readonly Binding[] => (found.length === 0 ? STORED : [...found, ...STORED]);

const isIdentity = (operator: string): boolean => operator === '===' || operator === '!==';
/** Calls Function.prototype.valueOf, which the app may have replaced. */
const isConversion = (operator: string): boolean => operator === '+' || operator === '-' || operator === '~';

/** Members that call a function, or that lead to the function or its result. */
const OF_ITSELF = new Set([
  ...['call', 'apply', 'bind', 'prototype', 'constructor', 'valueOf', 'caller', 'arguments'],
  ...['then', 'catch', 'finally', 'next', 'return', 'throw'],
]);

/** Methods that store their arguments. */
const STORING = new Set(['set', 'add', 'push', 'unshift']);

function givenTo(
  { callee, arguments: args }: AnyNode & { type: 'CallExpression' },
  argument: AnyNode,
): readonly Binding[] {
  if (callee.type === 'MemberExpression') return STORING.has(nameOfMember(callee) ?? '') ? STORED : [];
  const fn = functionOf(callee);
  const index = args.indexOf(argument as (typeof args)[number]);
  const parameter = fn?.params[index];
  if (fn === undefined || parameter?.type !== 'Identifier') return [];
  if (args.slice(0, index).some(({ type }) => type === 'SpreadElement')) return [];
  return [{ kind: 'parameter', of: fn, name: parameter }, ...STORED];
}

/** The function that an expression or a name always refers to. */
function functionOf(node: AnyNode): (FunctionNode & AnyNode) | undefined {
  if (node.type === 'Identifier') {
    const writes = scopeOf(node)?.lookup(node.name)?.writes ?? [];
    const [{ from, path }] = writes.length === 1 ? writes : [{ from: undefined, path: [] }];
    return from !== undefined && path.length === 0 && from.type !== 'Identifier' ? functionOf(from) : undefined;
  }
  return FUNCTIONS.has(node.type) ? (node as FunctionNode & AnyNode) : undefined;
}

/** A parameter is also in `arguments`. True for nodes without a scope, which are unknown. */
export function isParameter({ name }: Identifier, at: AnyNode): boolean {
  const scope = scopeOf(at);
  if (scope === undefined) return true;
  const writes = scope.lookup(name)?.writes ?? [];
  return writes.some(({ from, path }) => from !== undefined && path.length > 0 && FUNCTIONS.has(from.type));
}

/** `export const name = …` */
function isExported(declarator: AnyNode): boolean {
  const declaration = parentOf(declarator);
  return declaration !== undefined && parentOf(declaration)?.type === 'ExportNamedDeclaration';
}

const isPrototype = (node: AnyNode): boolean => node.type === 'MemberExpression' && nameOfMember(node) === 'prototype';

/** Undefined: a computed key that is not a literal. */
export function nameOfMember(node: AnyNode & { type: 'MemberExpression' }): string | undefined {
  if (!node.computed) return keyOf(node.property) ?? undefined;
  return node.property.type === 'Literal' ? String(node.property.value) : undefined;
}

const FUNCTIONS = new Set(['FunctionExpression', 'FunctionDeclaration', 'ArrowFunctionExpression']);

function functionAround(node: AnyNode): AnyNode | undefined {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at)) if (FUNCTIONS.has(at.type)) return at;
  return undefined;
}
