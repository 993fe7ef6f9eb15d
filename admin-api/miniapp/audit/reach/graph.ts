/**
 * The call graph of a package, based on names. A function is reached when its enclosing code is
 * reached, and reached code uses a name that the function is bound to. Members match by name, on
 * any object.
 */
import type { AnyNode, Identifier } from 'acorn';
import { KNOWN } from '../script/check-undefined.ts';
import { ANYTHING, bind, keyOf, type Scope, type Variable, type Write } from '../script/scope.ts';
import { parentOf, scopeOf, type Walked } from '../script/walk.ts';
import { type Binding, type Bindings, bindingsOf, isParameter, nameOfMember, STORED } from './bindings.ts';
import { isImplicit, isOfDescription } from './implicit-names.ts';
import { textsOf } from './texts.ts';
import { Key, Unit } from './units.ts';

type Member = AnyNode & { type: 'MemberExpression' };

/** `scope`: the scope of the name; undefined: the top level. */
type VariableKeys = (name: string, scope: Scope | undefined) => Key;

export class Graph {
  readonly units: Unit[] = [];
  /** All values in lists and maps, whose contents are not tracked. */
  readonly stored = new Key('stored', '');
  /** How often the graph was traversed. */
  runs = 0;
  /** The first unit of each script. */
  readonly tops: Unit[] = [];
  /** The texts of each script that may be names. */
  readonly texts: Set<string>[] = [];
  readonly #members = new Map<string, Key>();
  readonly #strong = new Map<string, Key>();
  readonly #globals = new Map<string, Key>();
  readonly #objects = new Map<Key, Key>();
  #byNode = new Map<AnyNode, Unit>();
  /** The scope of each function's parameters. */
  #scopes = new Map<object, Scope>();
  #imported: ReadonlyMap<string, string> = new Map();
  /** The units of each script, in source order. */
  readonly #sorted = new Map<number, readonly Unit[]>();
  /** Named function and class expressions, with the key of the variable of the same name. */
  #ownNames: [AnyNode, Key][] = [];

  /** Adds a walked script. Does not retain its syntax tree. */
  add(walked: Walked, isModule: boolean, withTexts: boolean): void {
    this.#byNode = new Map();
    this.#scopes = new Map();
    this.#ownNames = [];
    this.#imported = importedNames(walked);
    const script = this.tops.length;
    const top = this.#unit(0, Number.POSITIVE_INFINITY, undefined, script);
    this.tops.push(top);
    this.texts.push(withTexts ? textsOf(walked.program) : new Set());
    walked.top.unit = top;
    for (const { fn, scope } of walked.functions) {
      const unit = this.#unit(fn.start, fn.end, this.#unitOf(scopeOf(fn)), script);
      this.#byNode.set(fn, unit);
      scope.unit = unit;
      this.#scopes.set(fn, scope);
    }
    const keyOfVariable: VariableKeys = (name, scope) =>
      this.#keyOf(name, (scope ?? walked.top).lookup(name), walked, isModule);
    for (const [node, unit] of this.#byNode) this.#bind(node, unit, keyOfVariable);
    for (const node of walked.names) this.#addName(node, walked, isModule, keyOfVariable);
    for (const node of walked.nodes) this.#addNode(node, keyOfVariable);
    for (const { node } of walked.taken)
      if (node.type === 'Property') {
        const name = node.computed ? null : keyOf(node.key);
        if (name !== null) reach(this.#unitOf(scopeOf(node)), this.member(name));
      }
    for (const [node, key] of this.#ownNames) {
      const unit = this.#byNode.get(constructorOf(node) ?? node);
      if (unit?.bound !== undefined) unit.bound = [...unit.bound, key];
    }
    for (const unit of this.#byNode.values()) for (const key of unit.bound ?? []) key.bind(unit);
    this.#byNode = new Map();
    this.#scopes = new Map();
  }

  /** The innermost unit at an offset of a script. */
  unitAt(script: number, offset: number): Unit {
    let units = this.#sorted.get(script);
    if (units === undefined) {
      units = this.units
        .filter((candidate) => candidate.script === script)
        .sort((a, b) => a.start - b.start || b.end - a.end);
      this.#sorted.set(script, units);
    }
    let low = 0;
    let high = units.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (units[middle].start <= offset) low = middle;
      else high = middle - 1;
    }
    let unit: Unit | undefined = units[low];
    while (unit !== undefined && offset >= unit.end) unit = unit.around;
    return unit ?? this.tops[script];
  }

  /** Undefined: no code defines or accesses a member of that name. */
  memberIfAny(name: string): Key | undefined {
    return this.#members.get(name);
  }

  member(name: string): Key {
    return obtain(this.#members, name, 'member', name);
  }

  /** The member of this name, of an object that the package defines. */
  strong(name: string): Key {
    let key = this.#strong.get(name);
    if (key === undefined) {
      key = new Key('member', name, this.member(name));
      this.#strong.set(name, key);
    }
    return key;
  }

  /** The keys that an unknown name may refer to: members, and global variables. */
  *named(): Iterable<Key> {
    yield* this.#members.values();
    yield* this.#globals.values();
  }

  resultOf(of: Key | Unit): Key {
    of.result ??= new Key('result', '', undefined, of instanceof Key ? of : undefined);
    return of.result;
  }

  #unit(start: number, end: number, around: Unit | undefined, script: number): Unit {
    const unit = new Unit(start, end, around, script);
    this.units.push(unit);
    return unit;
  }

  /** The unit that contains a scope. */
  #unitOf(scope: Scope | undefined): Unit {
    for (let at = scope; at !== undefined; at = at.functionScope.parent) {
      const { unit } = at.functionScope;
      if (unit !== undefined) return unit as Unit;
    }
    return this.tops.at(-1)!;
  }

  #keyOf(name: string, variable: Variable | undefined, { top, implicit }: Walked, isModule: boolean): Key {
    if (variable === undefined) return this.#globalKey(name);
    if (variable.key !== undefined) return variable.key as Key;
    const isGlobal = variable === implicit.own(name) || (!isModule && variable === top.own(name));
    const key = isGlobal ? this.#globalKey(name) : new Key('variable', name);
    variable.key = key;
    const [write] = variable.writes;
    if (!isGlobal && write?.from !== undefined && isNamed(write.from, name)) this.#ownNames.push([write.from, key]);
    return key;
  }

  #globalKey(name: string): Key {
    const key = obtain(this.#globals, name, 'variable', name);
    key.isGlobal = true;
    return key;
  }

  #bind(node: AnyNode, unit: Unit, keyOfVariable: VariableKeys): void {
    const keys = this.#boundTo(node, keyOfVariable);
    if (keys === undefined) return;
    for (const key of keys) key.count++;
    // The function's own name is not counted: only its body can use that name.
    unit.bound = keys;
  }

  /** Undefined: the function may run as soon as its enclosing code runs. */
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
      // In sloppy mode, a block's function is also bound in its outer function (ECMA-262, B.3.2).
      return [own, keyOfVariable(name.name, scopeOf(node)?.functionScope)];
    }
    const parent = parentOf(node);
    if (parent?.type === 'MethodDefinition' && parent.kind === 'constructor') {
      const classNode = parentOf(parentOf(parent)!)!;
      if (classNode.type === 'ClassDeclaration') {
        const exported = parentOf(classNode);
        if (exported?.type === 'ExportDefaultDeclaration') return undefined;
        if (!classNode.id) return undefined;
        const own = keyOfVariable(classNode.id.name, scopeOf(classNode));
        return exported?.type === 'ExportNamedDeclaration' ? [own, this.member(classNode.id.name)] : [own];
      }
      return this.#keysOf(bindingsOf(classNode), scopeOf(classNode), keyOfVariable);
    }
    // Copying an object runs its getters without naming them.
    if (parent?.type === 'Property' && parent.kind !== 'init') return undefined;
    if (parent?.type === 'MethodDefinition' && parent.kind === 'set') return undefined;
    if (parent?.type === 'Property') {
      const name = definedAs(parent);
      if (name !== undefined) return [this.member(name)];
    }
    return this.#keysOf(bindingsOf(node), scopeOf(node), keyOfVariable);
  }

  #keysOf(bindings: Bindings, scope: Scope | undefined, keyOfVariable: VariableKeys): readonly Key[] | undefined {
    if (typeof bindings === 'string') return undefined;
    const keys: Key[] = [];
    for (const binding of bindings) {
      if (binding.kind === 'member' && binding.isKept === true && isOfDescription(binding.name)) {
        keys.push(this.member(binding.name), this.stored);
        continue;
      }
      const key = this.#keyOfBinding(binding, scope, keyOfVariable);
      if (key === undefined) return undefined;
      keys.push(key);
    }
    return keys;
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
      case 'parameter':
        return keyOfVariable(binding.name.name, this.#scopes.get(binding.of));
      case 'stored':
        return this.stored;
    }
  }

  /** `onload = …`, an event handler of the window. */
  #isHandler(key: Key): boolean {
    return key.isGlobal && isImplicit(key.name);
  }

  #addName(node: Identifier, walked: Walked, isModule: boolean, keyOfVariable: VariableKeys): void {
    const scope = scopeOf(node) ?? walked.top;
    const unit = this.#unitOf(scope);
    const variable = scope.lookup(node.name);
    const key = this.#keyOf(node.name, variable, walked, isModule);
    const parent = parentOf(node);
    if (parent?.type === 'MemberExpression' && parent.object === node)
      this.#addMember(parent, unit, keyOfVariable, isOfPackage(node.name, variable, key, walked));
    const call = parent?.type === 'CallExpression' && parent.callee === node ? parent : undefined;
    const imported = this.#imported.size === 0 ? undefined : this.#imported.get(node.name);
    if (imported !== undefined) reach(unit, this.strong(imported));
    if (call !== undefined) reach(unit, key);
    const value = call ?? node;
    const bindings = bindingsOf(value);
    if (bindings === 'dropped') return;
    // For a call, its result is tracked; for a plain name, the variable itself.
    const to = call === undefined ? key : this.resultOf(key);
    if (bindings === STORED) {
      keep(unit, to);
      return;
    }
    const keys = this.#keysOf(bindings, scopeOf(value), keyOfVariable);
    if (keys === undefined) use(unit, to);
    else for (const after of keys) unit.waits.push({ to, after, isUse: true });
  }

  #addNode(node: AnyNode, keyOfVariable: VariableKeys): void {
    switch (node.type) {
      case 'MemberExpression':
        // Members of identifiers were added by #addName.
        if (node.object.type !== 'Identifier') this.#addMember(node, this.#unitOf(scopeOf(node)), keyOfVariable, false);
        break;
      case 'ThisExpression':
        this.#addSelf(node);
        break;
      case 'ExportNamedDeclaration':
        if (node.source) this.#addReexports(node);
        this.#addExports(node, keyOfVariable);
        break;
      case 'ExportDefaultDeclaration':
        this.#addExports(node, keyOfVariable);
        break;
    }
  }

  #addMember(node: Member, unit: Unit, keyOfVariable: VariableKeys, isStrong: boolean): void {
    if (node.object.type === 'Super') this.#addSelf(node);
    const parent = parentOf(node);
    if (parent?.type === 'AssignmentExpression' && parent.left === node && parent.operator === '=') return;
    const name = nameOfMember(node);
    if (name === undefined) this.#addOpen(node, unit, keyOfVariable);
    else reach(unit, isStrong ? this.strong(name) : this.member(name));
  }

  #addOpen(node: Member, unit: Unit, keyOfVariable: VariableKeys): void {
    const { object, property } = node;
    const scope = object.type === 'Identifier' ? scopeOf(object) : undefined;
    if (isIndex(property as AnyNode)) return;
    unit.takesOpen = true;
    const writes = object.type === 'Identifier' ? (scope?.lookup(object.name)?.writes ?? []) : [];
    if (
      object.type === 'Identifier' &&
      writes.length > 0 &&
      writes.every(({ from }) => from?.type === 'ObjectExpression')
    )
      reach(unit, obtain(this.#objects, keyOfVariable(object.name, scope), 'object', ''));
    else if (isCalled(node)) unit.callsOpen = true;
  }

  /** An exported variable may get another value later: `export let a; a = …` */
  #addExports(
    node: AnyNode & { type: 'ExportNamedDeclaration' | 'ExportDefaultDeclaration' },
    keyOfVariable: VariableKeys,
  ): void {
    const { declaration } = node;
    const { waits } = this.tops.at(-1)!;
    const add = (name: string): void => {
      const key = keyOfVariable(name, undefined);
      const after = this.member(node.type === 'ExportDefaultDeclaration' ? 'default' : name);
      waits.push({ to: key, after, isUse: true });
    };
    if (declaration?.type === 'VariableDeclaration')
      for (const { id } of declaration.declarations) bind(id, ANYTHING, add, nothing, nothing);
    else if (declaration && 'id' in declaration && declaration.id) add(declaration.id.name);
  }

  /** `this` and `super` in a static block or field access the class: its constructor may run. */
  #addSelf(node: AnyNode): void {
    const classNode = classAround(node);
    const unit = classNode && this.#byNode.get(constructorOf(classNode)!);
    if (unit !== undefined) unit.bound = undefined;
  }

  /** `export { a as b } from …` */
  #addReexports({ specifiers }: AnyNode & { type: 'ExportNamedDeclaration' }): void {
    for (const { local, exported } of specifiers)
      this.tops
        .at(-1)!
        .waits.push({ to: this.strong(keyOf(local) ?? ''), after: this.member(keyOf(exported) ?? ''), isUse: false });
  }
}

function obtain<K>(keys: Map<K, Key>, at: K, kind: Key['kind'], name: string): Key {
  let key = keys.get(at);
  if (key === undefined) {
    key = new Key(kind, name);
    keys.set(at, key);
  }
  return key;
}

function use(unit: Unit, key: Key): void {
  if (key.usedBy === unit) return;
  key.usedBy = unit;
  unit.uses.push(key);
}

function keep(unit: Unit, key: Key): void {
  if (key.keptBy === unit) return;
  key.keptBy = unit;
  unit.keeps.push(key);
}

function reach(unit: Unit, key: Key): void {
  // A unit often names the same key repeatedly.
  if (key.reachedBy === unit) return;
  key.reachedBy = unit;
  unit.reaches.push(key);
}

/** Local names of a module's imports, with the exported name of each. */
function importedNames({ nodes }: Walked): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const node of nodes)
    if (node.type === 'ImportDeclaration')
      for (const specifier of node.specifiers)
        if (specifier.type === 'ImportSpecifier') names.set(specifier.local.name, keyOf(specifier.imported) ?? '');
        else if (specifier.type === 'ImportDefaultSpecifier') names.set(specifier.local.name, 'default');
  return names;
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

/** The class that `this` refers to in a static block or in the value of a static field. */
function classAround(node: AnyNode): AnyNode | undefined {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at)) {
    if (at.type === 'FunctionExpression' || at.type === 'FunctionDeclaration') return undefined;
    if (at.type === 'StaticBlock' || (at.type === 'PropertyDefinition' && at.static)) return parentOf(parentOf(at)!);
  }
  return undefined;
}

/** Whether the key is evidently a number. */
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

/** Whether the member is called directly, or through `call`, `apply` or `bind`. */
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

/** A name from another script or module, or of an object literal. */
function isOfPackage(name: string, variable: Variable | undefined, key: Key, { implicit }: Walked): boolean {
  if (variable === undefined || (key.isGlobal && variable === implicit.own(name))) return !KNOWN.has(name);
  if (key.isGlobal) return isMade(variable);
  key.isMade ??= isMade(variable);
  return key.isMade;
}

const isMade = ({ writes }: Variable): boolean =>
  writes.some(({ from, path }) => path.length === 0 && from !== undefined && OBJECTS_AND_IMPORTS.has(from.type));

const OBJECTS_AND_IMPORTS = new Set([
  'ObjectExpression',
  'ImportNamespaceSpecifier',
  'ImportDefaultSpecifier',
  'ImportSpecifier',
]);
