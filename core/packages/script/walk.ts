/**
 * The one walk over a script's tree: it makes the scopes, notes the parents, and keeps the nodes that the checks look at once all
 * declarations are known. It does not recurse, so that nesting can't exhaust the stack.
 */
import type { AnyNode, Function as FunctionNode, Identifier, Pattern, Program } from 'acorn';
import { ANYTHING, bind, keyOf, Scope, type Taken, type Write } from './scope.ts';

/** A call by a name; `spread`: the index of the first argument that stands for several. */
interface Called {
  readonly args: readonly AnyNode[];
  readonly spread: number;
}

export interface Walked {
  /** Other scripts see what this one declares at its top. */
  readonly isShared: boolean;
  /** Calls, members, assignments, imports, exports; a node stands before all that is in it. */
  readonly nodes: readonly AnyNode[];
  /** Names where they are used, not where they are declared. */
  readonly names: readonly Identifier[];
  readonly taken: readonly Taken[];
  readonly top: Scope;
  /** Names assigned to and declared nowhere. */
  readonly implicit: Scope;
  /** Calls by a name alone, in whatever scope it is declared. */
  readonly calls: ReadonlyMap<string, readonly Called[]>;
  /** Of these names the ones that stand behind `new`. */
  readonly made: ReadonlySet<string>;
  /** Names that are used other than by calls. */
  readonly handedOn: ReadonlySet<string>;
  /** Of these names the ones that calls are given, or that get another name. */
  readonly passed: ReadonlySet<string>;
  /** Members of objects and classes as they are written, but those with a computed key. */
  readonly members: readonly Member[];
}

/** `value`: as it stands in the object or class. */
interface Member {
  readonly name: string;
  readonly value: AnyNode;
}

/** What the walk writes onto nodes. */
interface Noted {
  parent?: AnyNode;
  scope?: Scope;
  returned?: AnyNode[];
}

export const parentOf = (node: AnyNode): AnyNode | undefined => (node as Noted).parent;
/** Of a node that the walk has kept, and of functions: the scope around them. */
export const scopeOf = (node: AnyNode): Scope | undefined => (node as Noted).scope;

/** What the statements of a function return. */
export const returnedOf = (fn: AnyNode): readonly AnyNode[] => (fn as Noted).returned ?? [];

/** Children in the order of the source, of types that the walk has no case for; what is bound, labelled or named but not evaluated is not among them. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  Program: ['body'],
  BlockStatement: ['body'],
  StaticBlock: ['body'],
  WithStatement: ['object', 'body'],
  ReturnStatement: ['argument'],
  LabeledStatement: ['body'],
  IfStatement: ['test', 'consequent', 'alternate'],
  SwitchStatement: ['discriminant', 'cases'],
  SwitchCase: ['test', 'consequent'],
  ThrowStatement: ['argument'],
  TryStatement: ['block', 'handler', 'finalizer'],
  CatchClause: ['body'],
  WhileStatement: ['test', 'body'],
  DoWhileStatement: ['body', 'test'],
  ForStatement: ['init', 'test', 'update', 'body'],
  ForInStatement: ['left', 'right', 'body'],
  ForOfStatement: ['left', 'right', 'body'],
  VariableDeclaration: ['declarations'],
  ClassDeclaration: ['superClass', 'body'],
  ClassExpression: ['superClass', 'body'],
  ClassBody: ['body'],
  MethodDefinition: ['value'],
  PropertyDefinition: ['value'],
  FunctionDeclaration: ['body'],
  FunctionExpression: ['body'],
  ArrowFunctionExpression: ['body'],
  ArrayExpression: ['elements'],
  ObjectExpression: ['properties'],
  UnaryExpression: ['argument'],
  UpdateExpression: ['argument'],
  AssignmentExpression: ['right'],
  ConditionalExpression: ['test', 'consequent', 'alternate'],
  NewExpression: ['callee', 'arguments'],
  SequenceExpression: ['expressions'],
  YieldExpression: ['argument'],
  AwaitExpression: ['argument'],
  SpreadElement: ['argument'],
  TemplateLiteral: ['expressions'],
  TaggedTemplateExpression: ['tag', 'quasi'],
  ImportExpression: ['source', 'options'],
  ChainExpression: ['expression'],
  ParenthesizedExpression: ['expression'],
  ExportNamedDeclaration: ['declaration', 'specifiers'],
  ExportDefaultDeclaration: ['declaration'],
  ExportSpecifier: ['local'],
};

const KEPT = new Set([
  'NewExpression',
  'AssignmentExpression',
  'TaggedTemplateExpression',
  'ImportExpression',
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'WithStatement',
  'ThisExpression',
]);

/** Values of members that tell whether they are functions or texts. */
const IS_TOLD = new Set([
  'FunctionExpression',
  'ArrowFunctionExpression',
  'Identifier',
  'Literal',
  'TemplateLiteral',
  'BinaryExpression',
]);

/** Where a name that stands there means what it is used for by others. */
const PASSING = new Set(['CallExpression', 'NewExpression', 'VariableDeclarator', 'SpreadElement']);

export function walk(program: Program, isModule: boolean, isShared = false): Walked {
  const implicit = new Scope(undefined, true);
  const top = new Scope(implicit, true);
  const nodes: AnyNode[] = [];
  const names: Identifier[] = [];
  const taken: Taken[] = [];
  const returned = new Map<Scope, AnyNode[]>();
  const calls = new Map<string, Called[]>();
  const made = new Set<string>();
  const handedOn = new Set<string>();
  const passed = new Set<string>();
  const members: Member[] = [];
  const assignments: [Pattern, Write, Scope][] = [];
  const stack: AnyNode[] = [program];
  const scopes: Scope[] = [top];

  const push = (node: AnyNode | null | undefined, parent: AnyNode, scope: Scope): void => {
    if (node === null || node === undefined) return;
    (node as Noted).parent = parent;
    // There is nothing in it.
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
    for (const key of keys) {
      const child = (parent as unknown as Record<string, unknown>)[key];
      if (Array.isArray(child)) pushList(child, parent, scope);
      else push(child as AnyNode | null | undefined, parent, scope);
    }
  };
  const declare = (pattern: Pattern, write: Write, at: AnyNode, target: Scope, around: Scope, isVar: boolean): void =>
    bind(
      pattern,
      write,
      (name, value) => target.declare(name, isVar && target === top && !isModule).writes.push(value),
      (one) => {
        keep(one.node, around);
        taken.push(one);
      },
      (rest) => push(rest, at, around),
    );
  const keep = (node: AnyNode, scope: Scope): void => {
    (node as Noted).scope = scope;
  };
  const declareFunction = (node: FunctionNode & AnyNode, scope: Scope): void => {
    keep(node, scope);
    const inner = new Scope(scope, true);
    const results: AnyNode[] = [];
    (node as Noted).returned = results;
    returned.set(inner, results);
    if (node.type === 'FunctionDeclaration' && node.id) {
      scope.declare(node.id.name).writes.push({ from: node, path: [] });
      // Annex B.3.2: outside of strict code the name is the function's too.
      if (scope.functionScope !== scope && !isModule)
        scope.functionScope.declare(node.id.name, false).writes.push({ from: node, path: [] }, ANYTHING);
    } else if (node.type === 'FunctionExpression' && node.id)
      inner.declare(node.id.name).writes.push({ from: node, path: [] });
    node.params.forEach((param, index) => {
      const isRest = param.type === 'RestElement';
      // What a parameter is told by calls: see the evaluation of a function with a path.
      declare(param, isRest ? ANYTHING : { from: node, path: [index] }, node, inner, inner, false);
    });
    const { body } = node;
    if (body.type === 'BlockStatement') {
      (body as Noted).parent = node;
      pushAll(body, inner);
    } else push(body, node, inner);
  };

  const noteMember = (key: AnyNode, value: AnyNode): void => {
    if (IS_TOLD.has(value.type)) members.push({ name: keyOf(key) ?? '', value });
  };
  const noteUse = (node: Identifier): void => {
    const parent = parentOf(node);
    if ((parent?.type !== 'CallExpression' && parent?.type !== 'NewExpression') || parent.callee !== node) {
      handedOn.add(node.name);
      if (parent !== undefined && PASSING.has(parent.type)) passed.add(node.name);
      return;
    }
    if (parent.type === 'NewExpression') made.add(node.name);
    const args = parent.arguments;
    let spread = 0;
    while (spread < args.length && args[spread].type !== 'SpreadElement') spread++;
    const call = { args, spread };
    const known = calls.get(node.name);
    if (known === undefined) calls.set(node.name, [call]);
    else known.push(call);
  };

  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const scope = scopes.pop()!;
    // Half of all nodes are names, and of the others most are of the next few types.
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
    if (KEPT.has(node.type)) {
      keep(node, scope);
      nodes.push(node);
    }
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        declareFunction(node as FunctionNode & AnyNode, scope);
        continue;
      case 'ClassDeclaration':
      case 'ClassExpression': {
        keep(node, scope);
        if (node.id) scope.declare(node.id.name).writes.push({ from: node, path: [] });
        break;
      }
      case 'VariableDeclaration': {
        const target = node.kind === 'var' ? scope.functionScope : scope;
        const loop = parentOf(node);
        const isLoop = (loop?.type === 'ForInStatement' || loop?.type === 'ForOfStatement') && loop.left === node;
        for (const { id, init } of node.declarations) {
          const write = init ? { from: init, path: [] } : undefined;
          if (isLoop) declare(id, takenBy(loop), node, target, scope, node.kind === 'var');
          else if (write !== undefined) declare(id, write, node, target, scope, node.kind === 'var');
          else if (id.type === 'Identifier')
            target.declare(id.name, node.kind === 'var' && target === top && !isModule);
        }
        break;
      }
      case 'ForInStatement':
      case 'ForOfStatement':
        if (node.left.type !== 'VariableDeclaration') {
          assignments.push([node.left, takenBy(node), scope]);
          pushTargets(node, node.left, scope, push);
          push(node.right, node, scope);
          push(node.body, node, new Scope(scope, false));
          continue;
        }
        pushAll(node, new Scope(scope, false));
        continue;
      case 'ReturnStatement':
        if (node.argument) returned.get(scope.functionScope)?.push(node.argument);
        break;
      case 'UpdateExpression':
        if (node.argument.type === 'Identifier') assignments.push([node.argument, ANYTHING, scope]);
        break;
      case 'AssignmentExpression': {
        const isPlain =
          node.operator === '=' || node.operator === '||=' || node.operator === '&&=' || node.operator === '??=';
        const changed = node.operator === '+=' ? { ...ANYTHING, added: node } : ANYTHING;
        assignments.push([node.left, isPlain ? { from: node.right, path: [] } : changed, scope]);
        break;
      }
      case 'ImportDeclaration':
        for (const specifier of node.specifiers) {
          (specifier as Noted).parent = node;
          top.declare(specifier.local.name).writes.push({ from: specifier, path: [] });
        }
        continue;
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) push(node.key as AnyNode, node, scope);
        else if (node.value && !(node.type === 'MethodDefinition' && node.kind === 'get'))
          noteMember(node.key, node.value);
        break;
      case 'ExportNamedDeclaration':
        if (node.source) continue;
        break;
      case 'ExportSpecifier':
        if (node.local.type === 'Literal') continue;
        break;
      case 'CatchClause': {
        const inner = new Scope(scope, false);
        if (node.param) declare(node.param, { from: node, path: [] }, node, inner, inner, false);
        pushAll(node, inner);
        continue;
      }
      case 'StaticBlock':
        pushAll(node, new Scope(scope, true));
        continue;
      case 'BlockStatement':
      case 'ForStatement':
      case 'SwitchStatement':
        pushAll(node, new Scope(scope, false));
        continue;
    }
    pushAll(node, scope);
    // Assigned patterns need the declarations only later, their inner nodes now.
    if (node.type === 'AssignmentExpression') pushTargets(node, node.left, scope, push);
  }
  for (const [pattern, write, scope] of assignments)
    bind(
      pattern,
      write,
      (name, value) => (scope.lookup(name) ?? implicit.declare(name, true)).writes.push(value),
      (one) => {
        keep(one.node, scope);
        taken.push(one);
      },
      () => {},
    );
  return { isShared, nodes, names, taken, top, implicit, calls, made, handedOn, passed, members };
}

/** What a loop gives to its variable: an element of what it goes over, or a key, which is a text. */
const takenBy = (loop: AnyNode & { type: 'ForInStatement' | 'ForOfStatement' }): Write =>
  loop.type === 'ForOfStatement' ? { from: loop.right, path: [null] } : { from: loop, path: [] };

function pushTargets(
  at: AnyNode,
  pattern: Pattern,
  scope: Scope,
  push: (node: AnyNode, parent: AnyNode, scope: Scope) => void,
): void {
  bind(
    pattern,
    ANYTHING,
    () => {},
    () => {},
    (rest) => push(rest, at, scope),
  );
}
