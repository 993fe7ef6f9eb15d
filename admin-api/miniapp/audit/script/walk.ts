/**
 * Walks a script's tree once: creates the scopes, sets the parents, and collects the nodes that the
 * checks need after all declarations are known. The walk is iterative, so deep nesting cannot
 * exhaust the stack.
 */
import type {
  AnyNode,
  ArrayExpression,
  Function as FunctionNode,
  Identifier,
  Pattern,
  Program,
  TemplateLiteral,
} from 'acorn';
import { ANYTHING, bind, keyOf, Scope, type Taken, WHOLE, type Write } from './scope.ts';
import { CHILDREN } from './syntax-node.ts';

/** A call by name. `spread`: the index of the first spread argument, or the argument count. */
export interface Called {
  readonly callee: Identifier;
  readonly args: readonly AnyNode[];
  readonly spread: number;
}

export interface Walked {
  readonly program: Program;
  /** Other scripts share the top-level declarations of this script. */
  readonly isShared: boolean;
  /** Calls, members, assignments, imports, exports. Outer nodes precede inner nodes. */
  readonly nodes: readonly AnyNode[];
  /** Uses of names, without declarations. */
  readonly names: readonly Identifier[];
  readonly taken: readonly Taken[];
  readonly top: Scope;
  /** Names that are assigned but not declared. */
  readonly implicit: Scope;
  /** Calls by name, for all scopes together. */
  readonly calls: ReadonlyMap<string, readonly Called[]>;
  /** Names with uses other than calls. */
  readonly handedOn: ReadonlySet<string>;
  /** Members of object literals and classes, except those with a computed key. */
  readonly members: readonly Member[];
  /** Outer functions precede inner functions. */
  readonly functions: readonly Scoped[];
}

interface Scoped {
  readonly fn: FunctionNode & AnyNode;
  /** The scope of the parameters. */
  readonly scope: Scope;
}

/** `value`: the expression in the object literal or class. */
interface Member {
  readonly name: string;
  readonly value: AnyNode;
}

/** Fields that the walk sets on nodes. */
interface Noted {
  parent?: AnyNode;
  scope?: Scope;
  returned?: AnyNode[];
}

export const parentOf = (node: AnyNode): AnyNode | undefined => (node as Noted).parent;
/** The enclosing scope of a collected node or of a function. */
export const scopeOf = (node: AnyNode): Scope | undefined => (node as Noted).scope;

/** The arguments of a function's return statements. */
export const returnedOf = (fn: AnyNode): readonly AnyNode[] => (fn as Noted).returned ?? [];

const COLLECTED = new Set([
  'NewExpression',
  'AssignmentExpression',
  'TaggedTemplateExpression',
  'ImportExpression',
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportDefaultDeclaration',
  'ExportAllDeclaration',
  'WithStatement',
  'ThisExpression',
]);

/** Types of member values that may be functions or texts. */
const CLASSIFIED_VALUES = new Set([
  'FunctionExpression',
  'ArrowFunctionExpression',
  'Identifier',
  'Literal',
  'TemplateLiteral',
  'BinaryExpression',
]);

/** A function declaration in a block in sloppy mode. */
interface Hoisted {
  readonly name: string;
  readonly write: Write;
  /** The scope of the block. */
  readonly scope: Scope;
}

export function hasStrictDirective(body: readonly AnyNode[]): boolean {
  for (const statement of body) {
    if (statement.type !== 'ExpressionStatement' || statement.directive === undefined) return false;
    if (statement.directive === 'use strict') return true;
  }
  return false;
}

export function walk(program: Program, isModule: boolean, isShared = false): Walked {
  const implicit = new Scope(undefined, true);
  const top = new Scope(implicit, true);
  top.isStrict = isModule || hasStrictDirective(program.body);
  const nodes: AnyNode[] = [];
  const names: Identifier[] = [];
  const taken: Taken[] = [];
  const calls = new Map<string, Called[]>();
  const handedOn = new Set<string>();
  const members: Member[] = [];
  const functions: Scoped[] = [];
  const assignments: { readonly left: Pattern; readonly write: Write; readonly scope: Scope }[] = [];
  const stack: AnyNode[] = [program];
  const scopes: Scope[] = [top];
  const hoisted: Hoisted[] = [];
  /** Scopes of `catch (name)`, to which a `var name` in the block assigns (ECMA-262, B.3.4). */
  const catchScopes = new Set<Scope>();

  const push = (node: AnyNode | null | undefined, parent: AnyNode, scope: Scope): void => {
    if (node === null || node === undefined) return;
    (node as Noted).parent = parent;
    // Literals have no children.
    if (node.type === 'Literal') return;
    stack.push(node);
    scopes.push(scope);
  };
  const pushList = (list: readonly (AnyNode | null)[], parent: AnyNode, scope: Scope): void => {
    for (let i = 0; i < list.length; i++) push(list[i], parent, scope);
  };
  const pushAll = (parent: AnyNode, scope: Scope): void => {
    const keys = CHILDREN[parent.type];
    if (keys === undefined) return;
    for (let i = 0; i < keys.length; i++) {
      const child = (parent as unknown as Record<string, unknown>)[keys[i]];
      if (Array.isArray(child)) pushList(child, parent, scope);
      else push(child as AnyNode | null | undefined, parent, scope);
    }
  };
  const declare = (
    pattern: Pattern,
    write: Write | undefined,
    at: AnyNode,
    target: Scope,
    around: Scope,
    isVar: boolean,
  ): void => {
    const isGlobal = isVar && target === top && !isModule;
    if (isVar && write !== undefined && catchScopes.size > 0 && pattern.type === 'Identifier')
      for (let inner: Scope | undefined = around; inner !== undefined && inner !== target; inner = inner.parent)
        if (catchScopes.has(inner) && inner.own(pattern.name)) inner.declare(pattern.name, false, write);
    // Fast path without allocations: most patterns are names.
    if (pattern.type === 'Identifier') target.declare(pattern.name, isGlobal, write);
    else if (write !== undefined)
      bind(
        pattern,
        write,
        (name, value) => target.declare(name, isGlobal, value),
        (part) => {
          keep(part.node, around);
          taken.push(part);
        },
        (rest) => push(rest, at, around),
      );
  };
  const keep = (node: AnyNode, scope: Scope): void => {
    (node as Noted).scope = scope;
  };
  const declareFunction = (node: FunctionNode & AnyNode, scope: Scope): void => {
    keep(node, scope);
    const inner = new Scope(scope, true);
    functions.push({ fn: node, scope: inner });
    if (node.type === 'FunctionDeclaration' && node.id) {
      const { name } = node.id;
      const write = { from: node, path: WHOLE };
      if (scope.functionScope !== scope) {
        scope.declare(name, false, write);
        if (!scope.isStrict && !node.async && !node.generator) hoisted.push({ name, write, scope });
      } else if (parentOf(node)?.type !== 'IfStatement') scope.declare(name, false, write);
      else hoist(name, write, scope);
    } else if (node.type === 'FunctionExpression' && node.id)
      inner.declare(node.id.name, false, { from: node, path: WHOLE });
    const { params, body } = node;
    // A write from the function with an index as path: the evaluator resolves it to arguments.
    const declareParameter = (param: Pattern, write: Write): void => declare(param, write, node, inner, inner, false);
    for (let index = 0; index < params.length; index++) {
      const param = params[index];
      if (param.type !== 'RestElement') declareParameter(param, { from: node, path: [index] });
      else if (param.argument.type !== 'ArrayPattern') declareParameter(param, ANYTHING);
      // `(...[a, b])` is `(a, b)`.
      else
        param.argument.elements.forEach((element, after) => {
          if (element === null) return;
          const isRest = element.type === 'RestElement';
          declareParameter(element, isRest ? ANYTHING : { from: node, path: [index + after] });
        });
    }
    if (body.type === 'BlockStatement') {
      const within = bodyScope(inner, params);
      if (!inner.isStrict && hasStrictDirective(body.body)) {
        inner.isStrict = true;
        within.isStrict = true;
      }
      within.returned = [];
      (node as Noted).returned = within.returned;
      (body as Noted).parent = node;
      pushList(body.body, body, within);
    } else push(body, node, inner);
  };
  /** In sloppy mode, the name is also bound in the enclosing function (ECMA-262, B.3.2). */
  const hoist = (name: string, write: Write, { functionScope }: Scope): void => {
    functionScope.declare(name, functionScope === top && !isModule, write);
    functionScope.declare(name, false, ANYTHING);
  };

  const noteMember = (key: AnyNode, value: AnyNode): void => {
    if (CLASSIFIED_VALUES.has(value.type)) members.push({ name: keyOf(key) ?? '', value });
  };
  const noteCall = (call: Called): void => {
    const list = calls.get(call.callee.name);
    if (list === undefined) calls.set(call.callee.name, [call]);
    else list.push(call);
  };
  const noteUse = (node: Identifier): void => {
    const parent = parentOf(node);
    if (parent?.type === 'TaggedTemplateExpression') {
      const args = [stringsOf(parent.quasi), ...parent.quasi.expressions];
      noteCall({ callee: node, args, spread: args.length });
      return;
    }
    if ((parent?.type !== 'CallExpression' && parent?.type !== 'NewExpression') || parent.callee !== node) {
      handedOn.add(node.name);
      return;
    }
    const args = parent.arguments;
    let spread = 0;
    while (spread < args.length && args[spread].type !== 'SpreadElement') spread++;
    noteCall({ callee: node, args, spread });
  };

  /**
   * Handles types without a fast path. In a separate function, so that V8 optimizes the main loop
   * earlier.
   */
  const walkOther = (node: AnyNode, scope: Scope): void => {
    if (COLLECTED.has(node.type)) {
      keep(node, scope);
      nodes.push(node);
    }
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        declareFunction(node as FunctionNode & AnyNode, scope);
        return;
      case 'ClassDeclaration':
      case 'ClassExpression': {
        keep(node, scope);
        const inner = new Scope(scope, false);
        inner.isStrict = true;
        // The name of a class expression is visible only inside it.
        if (node.id)
          (node.type === 'ClassExpression' ? inner : scope).declare(node.id.name, false, { from: node, path: WHOLE });
        pushAll(node, inner);
        return;
      }
      case 'VariableDeclaration': {
        const target = node.kind === 'var' ? scope.functionScope : scope;
        const loop = parentOf(node);
        const isLoop = (loop?.type === 'ForInStatement' || loop?.type === 'ForOfStatement') && loop.left === node;
        const { declarations } = node;
        for (let i = 0; i < declarations.length; i++) {
          const { id, init } = declarations[i];
          const write = isLoop ? writeOfLoop(loop) : init ? { from: init, path: WHOLE } : undefined;
          declare(id, write, node, target, scope, node.kind === 'var');
        }
        break;
      }
      case 'ForInStatement':
      case 'ForOfStatement':
        if (node.left.type !== 'VariableDeclaration') {
          assignments.push({ left: node.left, write: writeOfLoop(node), scope });
          pushTargets(node, node.left, scope, push);
          push(node.right, node, scope);
          push(node.body, node, new Scope(scope, false));
          return;
        }
        pushAll(node, new Scope(scope, false));
        return;
      case 'ReturnStatement':
        if (node.argument) scope.functionScope.returned?.push(node.argument);
        break;
      case 'UpdateExpression':
        if (node.argument.type === 'Identifier')
          assignments.push({ left: node.argument, write: { ...ANYTHING, at: node }, scope });
        break;
      case 'AssignmentExpression': {
        const isPlain =
          node.operator === '=' || node.operator === '||=' || node.operator === '&&=' || node.operator === '??=';
        const changed = node.operator === '+=' ? { ...ANYTHING, at: node, added: node } : { ...ANYTHING, at: node };
        const write = isPlain ? { from: node.right, path: WHOLE } : changed;
        assignments.push({ left: node.left, write, scope });
        break;
      }
      case 'ImportDeclaration':
        for (const specifier of node.specifiers) {
          (specifier as Noted).parent = node;
          top.declare(specifier.local.name, false, { from: specifier, path: WHOLE });
        }
        return;
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) push(node.key as AnyNode, node, scope);
        else if (node.value && !(node.type === 'MethodDefinition' && node.kind === 'get'))
          noteMember(node.key, node.value);
        break;
      case 'ExportNamedDeclaration':
        if (node.source) return;
        break;
      case 'ExportSpecifier':
        if (node.local.type === 'Literal') return;
        break;
      case 'CatchClause': {
        const inner = new Scope(scope, false);
        if (node.param?.type === 'Identifier') catchScopes.add(inner);
        if (node.param) declare(node.param, { from: node, path: WHOLE }, node, inner, inner, false);
        pushAll(node, inner);
        return;
      }
      case 'StaticBlock':
        pushAll(node, new Scope(scope, true));
        return;
      case 'BlockStatement':
      case 'ForStatement':
      case 'SwitchStatement':
        pushAll(node, new Scope(scope, false));
        return;
    }
    pushAll(node, scope);
    // Patterns are assigned after all declarations; their inner nodes are walked now.
    if (node.type === 'AssignmentExpression') pushTargets(node, node.left, scope, push);
  };

  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const scope = scopes.pop()!;
    // Fast paths: half of all nodes are names, and most others have the next few types.
    switch (node.type) {
      case 'Identifier':
        keep(node, scope);
        names.push(node);
        noteUse(node);
        continue;
      case 'MemberExpression':
        keep(node, scope);
        nodes.push(node);
        if (node.computed) push(node.property as AnyNode, node, scope);
        push(node.object, node, scope);
        continue;
      case 'CallExpression':
        keep(node, scope);
        nodes.push(node);
        push(node.callee, node, scope);
        pushList(node.arguments, node, scope);
        continue;
      case 'Property':
        if (node.computed) push(node.key, node, scope);
        else if (node.kind !== 'get') noteMember(node.key, node.value);
        push(node.value, node, scope);
        continue;
      case 'BinaryExpression':
      case 'LogicalExpression':
        push(node.left as AnyNode, node, scope);
        push(node.right, node, scope);
        continue;
      case 'ExpressionStatement':
        push(node.expression, node, scope);
        continue;
      case 'VariableDeclarator':
        push(node.init, node, scope);
        continue;
    }
    walkOther(node, scope);
  }
  for (const { name, write, scope } of hoisted) if (isHoisted(name, scope, catchScopes)) hoist(name, write, scope);
  const assign = (name: string, write: Write, scope: Scope): void => {
    const variable = scope.lookup(name);
    if (variable === undefined) implicit.declare(name, true, write);
    else variable.writes.push(write);
  };
  for (const { left, write, scope } of assignments)
    if (left.type === 'Identifier') assign(left.name, write, scope);
    else if (left.type !== 'MemberExpression')
      bind(
        left,
        write,
        (name, value) => assign(name, value, scope),
        (part) => {
          keep(part.node, scope);
          taken.push(part);
        },
        () => {},
      );
  return { program, isShared, nodes, names, taken, top, implicit, calls, handedOn, members, functions };
}

/** Defaults of parameters cannot access declarations of the body (ECMA-262, 10.2.11). */
function bodyScope(inner: Scope, parameters: readonly Pattern[]): Scope {
  if (parameters.every(({ type }) => type === 'Identifier')) return inner;
  const scope = new Scope(inner, true);
  scope.parameters = inner;
  return scope;
}

/** A `var` of the same name would not conflict with a declaration of an enclosing block. */
function isHoisted(name: string, { parent, functionScope }: Scope, catchScopes: ReadonlySet<Scope>): boolean {
  for (let scope = parent; scope !== undefined && scope !== functionScope; scope = scope.parent)
    if (scope.own(name) !== undefined && !catchScopes.has(scope)) return false;
  return true;
}

/**
 * The first argument of a tag call: an array of the template's strings (ECMA-262, 13.2.8.4).
 */
const stringsOf = ({ quasis, start, end }: TemplateLiteral): ArrayExpression => ({
  type: 'ArrayExpression',
  start,
  end,
  elements: quasis.map(({ value: { cooked }, ...quasi }) => ({
    type: 'Literal',
    start: quasi.start,
    end: quasi.end,
    value: cooked ?? undefined,
  })),
});

/**
 * The write of a loop to its variable: an element of the iterated value, or a key, which is text.
 */
const writeOfLoop = (loop: AnyNode & { type: 'ForInStatement' | 'ForOfStatement' }): Write =>
  loop.type === 'ForOfStatement' ? { from: loop.right, path: [null] } : { from: loop, path: WHOLE };

function pushTargets(
  at: AnyNode,
  pattern: Pattern,
  scope: Scope,
  push: (node: AnyNode, parent: AnyNode, scope: Scope) => void,
): void {
  if (pattern.type === 'Identifier') return;
  if (pattern.type === 'MemberExpression') {
    push(pattern, at, scope);
    return;
  }
  bind(
    pattern,
    ANYTHING,
    () => {},
    () => {},
    (rest) => push(rest, at, scope),
  );
}
