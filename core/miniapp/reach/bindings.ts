/** Where the value of an expression goes: by which names it can be had from there on. */
import type { AnyNode, Identifier } from 'acorn';
import { keyOf } from '../script/scope.ts';
import { parentOf, scopeOf } from '../script/walk.ts';

export type Binding =
  | { readonly kind: 'variable'; readonly name: Identifier }
  /** `isOfClass`: of instances of a class, which browsers do not make. */
  | { readonly kind: 'member'; readonly name: string; readonly isOfClass?: boolean }
  /** Any member of an object that is written out. */
  | { readonly kind: 'object'; readonly name: Identifier }
  /** What a function gives back. */
  | { readonly kind: 'result'; readonly of: AnyNode };

/** `inline`: anything may be done with it there and then. `dropped`: nothing comes of it. */
export type Bindings = readonly Binding[] | 'inline' | 'dropped';

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
        found.push({ kind: 'member', name, isOfClass: parent.type === 'MethodDefinition' });
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
      default:
        return 'inline';
    }
  }
  return 'inline';
}

/** `const senders = { a: …, b: … }` */
function objectsOf(property: AnyNode): Binding[] {
  const object = parentOf(property);
  const holders = object?.type === 'ObjectExpression' ? bindingsOf(object) : [];
  if (typeof holders === 'string') return [];
  return holders.flatMap((holder) => (holder.kind === 'variable' ? [{ kind: 'object', name: holder.name }] : []));
}

/** It is in `arguments`, too. Of what the walk has given no scope nothing can be said. */
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

/** Undefined: it cannot be said. */
export function nameOfMember(node: AnyNode & { type: 'MemberExpression' }): string | undefined {
  if (!node.computed) return keyOf(node.property) ?? undefined;
  return node.property.type === 'Literal' ? String(node.property.value) : undefined;
}

const FUNCTIONS = new Set(['FunctionExpression', 'FunctionDeclaration', 'ArrowFunctionExpression']);

function functionAround(node: AnyNode): AnyNode | undefined {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at)) if (FUNCTIONS.has(at.type)) return at;
  return undefined;
}
