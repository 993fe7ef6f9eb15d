/**
 * Which functions of a package run, as far as names tell. A function is reached when the code
 * around it is, and reached code names what it is bound to. A member counts whatever has it.
 */
import type { AnyNode, Identifier, Program } from 'acorn';
import { KNOWN } from '../script/check-undefined.ts';
import { CHILDREN } from '../script/children.ts';
import { ANYTHING, bind, keyOf, type Scope, type Variable, type Write } from '../script/scope.ts';
import { parentOf, scopeOf, type Walked } from '../script/walk.ts';
import { type Binding, bindingsOf, isParameter, nameOfMember } from './bindings.ts';
import { isImplicit } from './implicit-names.ts';

/** A function, or the top level of a script. */
export interface Unit {
  readonly start: number;
  readonly end: number;
  readonly around: Unit | undefined;
  readonly script: number;
  /** It runs when one of these is reached. Undefined: when the code around it does. */
  bound: readonly Key[] | undefined;
  /** What its code reaches: at once, or once `after` is reached, too. */
  readonly edges: { readonly to: Key; readonly after: Key | undefined }[];
  /** It takes a member by a name that is not known, and calls one. */
  takesOpen: boolean;
  callsOpen: boolean;
}

/** What can be reached other than code: a variable, a member by its name, a result. */
export interface Key {
  readonly name: string;
  readonly kind: 'variable' | 'member' | 'object' | 'result';
  /** It is named on something that is known to be of the package. */
  isStrong: boolean;
  /** Functions that are bound to it. */
  count: number;
}

/** `scope`: where the name stands; undefined: at the top. */
type VariableKeys = (name: string, scope: Scope | undefined) => Key;

export class Graph {
  readonly units: Unit[] = [];
  /** The first unit of each script. */
  readonly tops: Unit[] = [];
  /** Of each script, the texts in it that are names. */
  readonly texts: Set<string>[] = [];
  readonly #members = new Map<string, Key>();
  readonly #strong = new Map<string, Key>();
  readonly #globals = new Map<string, Key>();
  readonly #variables = new Map<Variable, Key>();
  readonly #results = new Map<Key | Unit, Key>();
  readonly #objects = new Map<Key, Key>();
  #byNode = new Map<AnyNode, Unit>();
  #script: Unit[] = [];
  /** Functions and classes that have a name for themselves. */
  #ownNames: [AnyNode, Key][] = [];

  /** Adds a script that was walked; its tree is not kept. */
  add(program: Program, walked: Walked, isModule: boolean): void {
    this.#byNode = new Map();
    this.#script = [];
    this.#ownNames = [];
    const script = this.tops.length;
    const top = this.#unit(0, Number.POSITIVE_INFINITY, undefined, script);
    this.tops.push(top);
    this.texts.push(new Set());
    this.#addUnits(program, top);
    const keyOfVariable: VariableKeys = (name, scope) => this.#keyOfName(name, scope ?? walked.top, walked, isModule);
    for (const [node, unit] of this.#byNode) this.#bind(node, unit, keyOfVariable);
    for (const node of walked.names) this.#addName(node, keyOfVariable, walked);
    for (const node of walked.nodes) this.#addNode(node, walked, keyOfVariable);
    for (const { node } of walked.taken)
      if (node.type === 'Property') {
        const unit = this.#unitAt(node.start);
        const name = node.computed ? null : keyOf(node.key);
        if (name !== null) this.#reach(unit, this.member(name), undefined);
      }
    for (const node of program.body) this.#addExports(node, top, keyOfVariable);
    for (const [node, key] of this.#ownNames) {
      const unit = this.#byNode.get(constructorOf(node) ?? node);
      if (unit?.bound !== undefined) unit.bound = [...unit.bound, key];
    }
    this.#byNode = new Map();
  }

  /** The innermost unit at an offset of a script. */
  unitAt(script: number, offset: number): Unit {
    let found = this.tops[script];
    for (const unit of this.units)
      if (unit.script === script && unit.start <= offset && offset < unit.end && unit.start >= found.start)
        found = unit;
    return found;
  }

  /** Undefined: nothing has or takes a member by that name. */
  memberIfAny(name: string): Key | undefined {
    return this.#members.get(name);
  }

  member(name: string): Key {
    return obtain(this.#members, name, 'member', name);
  }

  /** The member by this name of something of the package. */
  strong(name: string): Key {
    return obtain(this.#strong, name, 'member', name, true);
  }

  /** What an unknown name may be: members, and variables that are members of the window. */
  *named(): Iterable<Key> {
    yield* this.#members.values();
    yield* this.#globals.values();
  }

  resultOf(of: Key | Unit): Key {
    return obtain(this.#results, of, 'result', '');
  }

  #unit(start: number, end: number, around: Unit | undefined, script: number): Unit {
    const unit: Unit = { start, end, around, script, bound: undefined, edges: [], takesOpen: false, callsOpen: false };
    this.units.push(unit);
    this.#script.push(unit);
    return unit;
  }

  #addUnits(program: Program, top: Unit): void {
    const texts = this.texts[top.script];
    const stack: AnyNode[] = [program];
    const units: Unit[] = [top];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      let unit = units.pop()!;
      if (node.type === 'Literal') {
        if (typeof node.value === 'string' && NAME.test(node.value)) texts.add(node.value);
        continue;
      }
      if (isFunctionNode(node)) {
        unit = this.#unit(node.start, node.end, unit, top.script);
        this.#byNode.set(node, unit);
      }
      const before = stack.length;
      pushChildren(node, stack);
      for (let index = before; index < stack.length; index++) units.push(unit);
    }
    this.#script.sort((a, b) => a.start - b.start || b.end - a.end);
  }

  #unitAt(offset: number): Unit {
    let low = 0;
    let high = this.#script.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#script[middle].start <= offset) low = middle;
      else high = middle - 1;
    }
    let unit: Unit | undefined = this.#script[low];
    while (unit !== undefined && offset >= unit.end) unit = unit.around;
    return unit ?? this.#script[0];
  }

  #keyOfName(name: string, scope: Scope, { top, implicit }: Walked, isModule: boolean): Key {
    const variable = scope.lookup(name);
    const isShared = variable === undefined || variable === implicit.own(name);
    if (isShared || (!isModule && variable === top.own(name))) return obtain(this.#globals, name, 'variable', name);
    let key = this.#variables.get(variable);
    if (key === undefined) {
      key = obtain(this.#variables, variable, 'variable', name);
      const [write] = variable.writes;
      if (write?.from !== undefined && isNamed(write.from, name)) this.#ownNames.push([write.from, key]);
    }
    return key;
  }

  #bind(node: AnyNode, unit: Unit, keyOfVariable: VariableKeys): void {
    const keys = this.#boundTo(node, keyOfVariable);
    if (keys === undefined) return;
    for (const key of keys) key.count++;
    // A function may be called by its own name, but that is in it.
    unit.bound = keys;
  }

  /** Undefined: it may run as soon as the code around it does. */
  #boundTo(node: AnyNode, keyOfVariable: VariableKeys): readonly Key[] | undefined {
    if (node.type === 'FunctionDeclaration') {
      const exported = parentOf(node);
      const name = node.id as Identifier | null;
      if (exported?.type === 'ExportDefaultDeclaration')
        return [this.member('default'), ...(name ? [keyOfVariable(name.name, scopeOf(node))] : [])];
      if (name === null) return undefined;
      const own = keyOfVariable(name.name, scopeOf(node));
      if (this.#isHandler(own) || isParameter(name, node)) return undefined;
      if (exported?.type === 'ExportNamedDeclaration') return [own, this.member(name.name)];
      // In a block of sloppy code the name is the function's around it, too (ECMA-262, B.3.2).
      return [own, keyOfVariable(name.name, scopeOf(node)?.functionScope)];
    }
    const parent = parentOf(node);
    if (parent?.type === 'MethodDefinition' && parent.kind === 'constructor') {
      const made = parentOf(parentOf(parent)!)!;
      if (made.type === 'ClassDeclaration') {
        const exported = parentOf(made);
        if (exported?.type === 'ExportDefaultDeclaration') return undefined;
        if (!made.id) return undefined;
        const own = keyOfVariable(made.id.name, scopeOf(made));
        return exported?.type === 'ExportNamedDeclaration' ? [own, this.member(made.id.name)] : [own];
      }
      return this.#keysOf(made, keyOfVariable);
    }
    // Of an object that is copied, getters run without their names.
    if (parent?.type === 'Property' && parent.kind !== 'init') return undefined;
    if (parent?.type === 'MethodDefinition' && parent.kind === 'set') return undefined;
    if (parent?.type === 'Property') {
      const name = definedAs(parent);
      if (name !== undefined) return [this.member(name)];
    }
    return this.#keysOf(node, keyOfVariable);
  }

  #keysOf(node: AnyNode, keyOfVariable: VariableKeys): readonly Key[] | undefined {
    const bindings = bindingsOf(node);
    if (typeof bindings === 'string') return undefined;
    const keys = bindings.map((binding) => this.#keyOfBinding(binding, scopeOf(node), keyOfVariable));
    return keys.some((key) => key === undefined) ? undefined : (keys as readonly Key[]);
  }

  #keyOfBinding(binding: Binding, scope: Scope | undefined, keyOfVariable: VariableKeys): Key | undefined {
    switch (binding.kind) {
      case 'variable': {
        const key = keyOfVariable(binding.name.name, scope);
        return this.#isHandler(key) ? undefined : key;
      }
      case 'member':
        return isImplicit(binding.name, binding.isOfClass) ? undefined : this.member(binding.name);
      case 'object':
        return obtain(this.#objects, keyOfVariable(binding.name.name, scope), 'object', '');
      case 'result': {
        const unit = this.#byNode.get(binding.of);
        return unit === undefined ? undefined : this.resultOf(unit);
      }
    }
  }

  /** `onload = …`, which the window calls. */
  #isHandler(key: Key): boolean {
    return isImplicit(key.name) && this.#globals.get(key.name) === key;
  }

  #addName(node: Identifier, keyOfVariable: VariableKeys, walked: Walked): void {
    const unit = this.#unitAt(node.start);
    const key = keyOfVariable(node.name, scopeOf(node));
    const parent = parentOf(node);
    const call = parent?.type === 'CallExpression' && parent.callee === node ? parent : undefined;
    for (const { from } of walked.top.lookup(node.name)?.writes ?? [])
      if (from?.type === 'ImportSpecifier' || from?.type === 'ImportDefaultSpecifier') {
        const name = from.type === 'ImportDefaultSpecifier' ? 'default' : keyOf(from.imported);
        this.#reach(unit, this.strong(name ?? ''), undefined);
      }
    const value = call ?? node;
    const results = this.resultOf(key);
    if (call !== undefined) this.#reach(unit, key, undefined);
    if (bindingsOf(value) === 'dropped') return;
    const keys = this.#keysOf(value, keyOfVariable);
    for (const after of keys ?? [undefined]) {
      if (call === undefined) this.#reach(unit, key, after);
      this.#reach(unit, results, after);
    }
  }

  #addNode(node: AnyNode, walked: Walked, keyOfVariable: VariableKeys): void {
    if (node.type === 'ExportNamedDeclaration' && node.source) this.#addReexports(node);
    if (node.type === 'ThisExpression') this.#addSelf(node);
    if (node.type !== 'MemberExpression') return;
    if (node.object.type === 'Super') this.#addSelf(node);
    const parent = parentOf(node);
    if (parent?.type === 'AssignmentExpression' && parent.left === node && parent.operator === '=') return;
    const unit = this.#unitAt(node.start);
    const name = nameOfMember(node);
    if (name === undefined) this.#addOpen(node, unit, keyOfVariable);
    else this.#reach(unit, isOfPackage(node.object, walked) ? this.strong(name) : this.member(name), undefined);
  }

  #addOpen(
    { object, property, ...node }: AnyNode & { type: 'MemberExpression' },
    unit: Unit,
    keyOfVariable: VariableKeys,
  ): void {
    const scope = object.type === 'Identifier' ? scopeOf(object) : undefined;
    if (isIndex(property as AnyNode)) return;
    unit.takesOpen = true;
    const writes = object.type === 'Identifier' ? (scope?.lookup(object.name)?.writes ?? []) : [];
    if (
      object.type === 'Identifier' &&
      writes.length > 0 &&
      writes.every(({ from }) => from?.type === 'ObjectExpression')
    )
      this.#reach(unit, obtain(this.#objects, keyOfVariable(object.name, scope), 'object', ''), undefined);
    else if (isCalled(node as AnyNode)) unit.callsOpen = true;
  }

  /** What is exported may get another value: `export let a; a = …` */
  #addExports(node: AnyNode, top: Unit, keyOfVariable: VariableKeys): void {
    if (node.type !== 'ExportNamedDeclaration' && node.type !== 'ExportDefaultDeclaration') return;
    const { declaration } = node;
    const add = (name: string): void => {
      const key = keyOfVariable(name, undefined);
      const after = this.member(node.type === 'ExportDefaultDeclaration' ? 'default' : name);
      this.#reach(top, key, after);
      this.#reach(top, this.resultOf(key), after);
    };
    if (declaration?.type === 'VariableDeclaration')
      for (const { id } of declaration.declarations) bind(id, ANYTHING, add, nothing, nothing);
    else if (declaration && 'id' in declaration && declaration.id) add(declaration.id.name);
  }

  /** A class that is used by `this` where it is made. */
  #addSelf(node: AnyNode): void {
    const made = classAround(node);
    const unit = made && this.#byNode.get(constructorOf(made)!);
    if (unit !== undefined) unit.bound = undefined;
  }

  /** `export { a as b } from …` */
  #addReexports({ specifiers }: AnyNode & { type: 'ExportNamedDeclaration' }): void {
    for (const { local, exported } of specifiers)
      this.#reach(this.#script[0], this.strong(keyOf(local) ?? ''), this.member(keyOf(exported) ?? ''));
  }

  #reach(unit: Unit, to: Key, after: Key | undefined): void {
    unit.edges.push({ to, after });
  }
}

const NAME = /^[A-Za-z_$][\w$]{0,40}$/;

function obtain<K>(keys: Map<K, Key>, at: K, kind: Key['kind'], name: string, isStrong = false): Key {
  let key = keys.get(at);
  if (key === undefined) {
    key = { name, kind, isStrong, count: 0 };
    keys.set(at, key);
  }
  return key;
}

const nothing = (): void => {};

const isNamed = (node: AnyNode, name: string): boolean =>
  (node.type === 'FunctionExpression' || node.type === 'ClassExpression') && node.id?.name === name;

function constructorOf(node: AnyNode): AnyNode | undefined {
  if (node.type !== 'ClassExpression' && node.type !== 'ClassDeclaration') return undefined;
  for (const part of node.body.body)
    if (part.type === 'MethodDefinition' && part.kind === 'constructor') return part.value;
  return undefined;
}

/** The class that `this` is within a static block, or within the value of a static field. */
function classAround(node: AnyNode): AnyNode | undefined {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at)) {
    if (at.type === 'FunctionExpression' || at.type === 'FunctionDeclaration') return undefined;
    if (at.type === 'StaticBlock' || (at.type === 'PropertyDefinition' && at.static)) return parentOf(parentOf(at)!);
  }
  return undefined;
}

const isFunctionNode = (node: AnyNode): boolean =>
  node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration' || node.type === 'ArrowFunctionExpression';

/** Others than those that the walk goes over: patterns, and what it has short ways for. */
const MORE: Readonly<Record<string, readonly string[]>> = {
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
  for (const key of MORE[node.type] ?? CHILDREN[node.type] ?? NONE) {
    const child = (node as unknown as Record<string, AnyNode | (AnyNode | null)[] | null | undefined>)[key];
    if (!Array.isArray(child)) {
      if (child && child.type !== 'Identifier') stack.push(child);
    } else for (const item of child) if (item !== null && item.type !== 'Identifier') stack.push(item);
  }
}

const NONE: readonly string[] = [];

/** A number, as far as it shows. */
function isIndex(key: AnyNode): boolean {
  switch (key.type) {
    case 'Literal':
      return typeof key.value === 'number';
    case 'UpdateExpression':
      return true;
    case 'BinaryExpression':
      return key.operator !== '+' || isIndex(key.left as AnyNode) || isIndex(key.right);
    case 'Identifier': {
      const writes = scopeOf(key)?.lookup(key.name)?.writes ?? [];
      const isCounted = ({ from, path, added }: Write) =>
        added === undefined &&
        path.length === 0 &&
        (from === undefined || (from.type === 'Literal' && typeof from.value === 'number'));
      return writes.some(({ from }) => from !== undefined) && writes.every(isCounted);
    }
    default:
      return false;
  }
}

const CALLING = new Set(['call', 'apply', 'bind']);

/** There and then, or by call and apply. */
function isCalled(node: AnyNode): boolean {
  const parent = parentOf(node);
  if (parent?.type === 'MemberExpression')
    return parent.object.start === node.start && CALLING.has(nameOfMember(parent) ?? '');
  return (
    (parent?.type === 'CallExpression' || parent?.type === 'NewExpression') &&
    parent.arguments.every(({ start }) => start > node.start)
  );
}

/** `Object.defineProperty(exports, "name", { get: function () { … } })` */
function definedAs(property: AnyNode & { type: 'Property' }): string | undefined {
  const object = parentOf(property);
  const call = object && parentOf(object);
  if (property.computed || keyOf(property.key) !== 'get' || call?.type !== 'CallExpression') return undefined;
  const [, key, description] = call.arguments;
  const { callee } = call;
  const isDefined = callee.type === 'MemberExpression' && nameOfMember(callee) === 'defineProperty';
  if (!isDefined || description !== object || key?.type !== 'Literal') return undefined;
  return isImplicit(String(key.value)) ? undefined : String(key.value);
}

/** A name of another script or module, or of an object that is written out. */
function isOfPackage(node: AnyNode, { top, implicit }: Walked): boolean {
  if (node.type !== 'Identifier') return false;
  const variable = (scopeOf(node) ?? top).lookup(node.name);
  if (variable === undefined || variable === implicit.own(node.name)) return !KNOWN.has(node.name);
  return variable.writes.some(({ from, path }) => path.length === 0 && from !== undefined && MADE.has(from.type));
}

const MADE = new Set(['ObjectExpression', 'ImportNamespaceSpecifier', 'ImportDefaultSpecifier', 'ImportSpecifier']);
