/**
 * Evaluates an expression to its possible values. Depth and number of values are bounded; values
 * beyond the bounds are unknown.
 */
import type { AnyNode, BinaryExpression, Function as FunctionNode, Identifier, MemberExpression } from 'acorn';
import { BRIDGE_NAMES } from './bridges.ts';
import { valuesOfCall, valuesOfNew } from './evaluate-call.ts';
import type { Evaluation } from './evaluation.ts';
import { foldBinary, foldUnary } from './fold.ts';
import { canonical, DOCUMENT_NAMES } from './global-names.ts';
import { isName, isTextual, isWrittenOut, memberOf, OF_TEXT } from './member.ts';
import { valuesOfParameter } from './parameter.ts';
import { isFunction, nameOf } from './plain-call.ts';
import { PLATFORM_NAMES } from './platform.ts';
import { reachingWrites, usersOfArguments } from './reaching-writes.ts';
import { ANYTHING, type Scope, type Variable, type Write } from './scope.ts';
import { isWellKnown, valuesOfThis } from './symbols.ts';
import {
  asText,
  CONSTRUCTOR,
  type Constant,
  constant,
  constantOf,
  FETCHED,
  FUNCTION,
  global,
  MOST_TEXT,
  NOTHING_KNOWN,
  PLACEHOLDER,
  text,
  UNKNOWN,
  union,
  type Value,
  type Values,
} from './values.ts';
import { type Called, parentOf, returnedOf, scopeOf, type Walked } from './walk.ts';

/**
 * Maximum recursion depth of an evaluation. Bundles of several libraries need 240. The stack of an
 * audit thread allows 4,500.
 */
const MAX_DEPTH = 2000;
/**
 * Maximum characters and elements composed per script. Without it, auditing a small script could
 * take hours.
 */
const MOST_FOLDED = 1 << 25;
/** Maximum elements of an evaluated array. */
const MOST_ITEMS = 4096;
/** Maximum pairs of operand values that are evaluated separately. */
const MOST_PAIRS = 64;

/**
 * Cached values, stored on nodes and variables. A file of 200 KB has 50,000 of them; a map would
 * take twice the time. A node of another script may hold the values of that script's evaluator.
 */
interface Evaluated {
  evaluatedBy?: Evaluator | undefined;
  values?: Values | undefined;
}

export class Evaluator implements Evaluation {
  readonly #top: Scope;
  readonly #flattened = new Map<AnyNode, Value>();
  #names: Map<string, Identifier[]> | undefined;
  /** By name, the uses that pass it as an argument or assign it to another variable. */
  readonly #passed = new Map<string, readonly Identifier[]>();
  /** Calls by name, grouped by the variable that the name refers to. */
  readonly #calls = new Map<string, Map<Variable | undefined, Called[]>>();
  /** Remaining characters and elements that may be composed. */
  #left = MOST_FOLDED;
  #depth = 0;
  /** The first node beyond the maximum depth. */
  #cutAt: AnyNode | undefined;

  constructor(
    private readonly walked: Walked,
    private readonly kind: string,
    /** Globals of earlier scripts. */
    private readonly globals: ReadonlyMap<string, Values>,
  ) {
    this.#top = walked.top;
  }

  /** The limit that cut the evaluation short, and where. Undefined: none did. */
  get exhausted(): { readonly message: string; readonly at: AnyNode | undefined } | undefined {
    if (this.#cutAt !== undefined)
      return {
        message: `This is ${MAX_DEPTH} steps away from an expression that it may be part of; the audit follows no more.`,
        at: this.#cutAt,
      };
    return this.#left < 0 ? { message: TOO_MUCH_TEXT, at: undefined } : undefined;
  }

  valuesOf(node: AnyNode): Values {
    switch (node.type) {
      // The most frequent types come first, to skip the other comparisons.
      case 'Identifier':
      case 'MemberExpression':
        break;
      case 'Literal':
        return this.#literal(node.value);
      case 'FunctionExpression':
      case 'FunctionDeclaration':
      case 'ArrowFunctionExpression':
      case 'ClassExpression':
      case 'ClassDeclaration':
        return [FUNCTION];
      case 'ObjectExpression':
      case 'ArrayExpression':
        return [{ kind: 'structure', node }];
      case 'Super':
        return NOTHING_KNOWN;
    }
    const entry = node as Evaluated;
    if (entry.evaluatedBy === this) return entry.values!;
    return this.#begin(entry, node) ? this.#end(entry, this.#expression(node)) : NOTHING_KNOWN;
  }

  /** The possible values that a write stores, including destructured members. */
  valuesOfWrite({ from, path }: Write): Values {
    if (from === undefined) return path.length === 0 ? NOTHING_KNOWN : this.#along(NOTHING_KNOWN, path);
    if (path.length === 0) return this.valuesOf(from);
    const first = path[0];
    if (typeof first === 'number' && isFunction(from)) {
      const given = valuesOfParameter(this, this.walked, from, first);
      return path.length === 1 ? given : this.#along(given, path.slice(1));
    }
    return this.#along(this.valuesOf(from), path);
  }

  variableOf(node: AnyNode & { type: 'Identifier' }): Variable | undefined {
    return (scopeOf(node) ?? this.#top).lookup(node.name);
  }

  /** The function that a name refers to, if that is its only value. */
  functionOf(node: AnyNode & { type: 'Identifier' }): (FunctionNode & AnyNode) | undefined {
    const writes = this.variableOf(node)?.writes ?? [];
    const { from, path } = writes.length === 1 ? writes[0] : ANYTHING;
    return from !== undefined && path.length === 0 && isFunction(from) ? from : undefined;
  }

  /** The script calls something of that name. */
  isCalled(name: string): boolean {
    return this.walked.calls.has(name);
  }

  /** The function is passed to a call by its name, or assigned to another name. */
  isPassed(fn: AnyNode): boolean {
    const name = nameOf(fn) ?? '';
    if (!this.walked.handedOn.has(name)) return false;
    let passed = this.#passed.get(name);
    if (passed === undefined) {
      passed = this.#namesOf(name).filter(isPassing);
      this.#passed.set(name, passed);
    }
    const variables = this.#variablesOf(fn, name);
    return passed.some((node) => variables.includes(this.variableOf(node)));
  }

  /** The arguments that calls by name pass to a parameter of a function. */
  *given(fn: AnyNode, index: number): Iterable<AnyNode> {
    for (const { args, spread } of this.callsOf(fn)) if (index < spread && args[index]) yield args[index];
  }

  /** All uses of a name, whatever variable it refers to. */
  #namesOf(name: string): readonly Identifier[] {
    if (this.#names === undefined) {
      this.#names = new Map();
      for (const node of this.walked.names) {
        const same = this.#names.get(node.name);
        if (same === undefined) this.#names.set(node.name, [node]);
        else same.push(node);
      }
    }
    return this.#names.get(name) ?? [];
  }

  /** All uses of the variable that a name refers to at `node`. */
  usesOf(name: string, node: AnyNode): readonly Identifier[] {
    let scope: Scope | undefined;
    for (let at: AnyNode | undefined = node; at !== undefined && scope === undefined; at = parentOf(at))
      scope = scopeOf(at);
    const variable = (scope ?? this.#top).lookup(name);
    return this.#namesOf(name).filter((use) => this.variableOf(use) === variable);
  }

  /** The function uses `arguments`, which can change its parameters. */
  usesArguments(fn: AnyNode): boolean {
    return usersOfArguments(this.walked).has(fn);
  }

  /** All uses of a parameter of a function. */
  usesOfParameter(fn: AnyNode, name: string): readonly Identifier[] {
    return this.#namesOf(name).filter((use) => this.variableOf(use)?.writes.some(({ from }) => from === fn));
  }

  /** Calls of a function by its name, except where the name refers to another variable. */
  callsOf(fn: AnyNode): readonly Called[] {
    const name = nameOf(fn) ?? '';
    const calls = this.walked.calls.get(name);
    if (calls === undefined) return [];
    let byVariable = this.#calls.get(name);
    if (byVariable === undefined) {
      byVariable = new Map<Variable | undefined, Called[]>();
      for (const call of calls) {
        const variable = this.variableOf(call.callee);
        const same = byVariable.get(variable);
        if (same === undefined) byVariable.set(variable, [call]);
        else same.push(call);
      }
      this.#calls.set(name, byVariable);
    }
    const [own, hoisted] = this.#variablesOf(fn, name).map((variable) => byVariable.get(variable) ?? []);
    return hoisted === undefined ? own : [...own, ...hoisted];
  }

  /**
   * The variable of a function, and in a block of sloppy code also that of the function around it
   * (ECMA-262, B.3.2).
   */
  #variablesOf(fn: AnyNode, name: string): readonly (Variable | undefined)[] {
    const scope = scopeOf(fn) ?? this.#top;
    const own = scope.lookup(name);
    if (fn.type !== 'FunctionDeclaration' || scope.functionScope === scope) return [own];
    const hoisted = scope.functionScope.lookup(name);
    return hoisted?.writes.some(({ from }) => from === fn) && hoisted !== own ? [own, hoisted] : [own];
  }

  valuesOfVariable(variable: Variable): Values {
    const entry = variable as Evaluated;
    if (entry.evaluatedBy === this) return entry.values!;
    return this.#begin(entry, variable.writes[0]?.from) ? this.#end(entry, this.#variable(variable)) : NOTHING_KNOWN;
  }

  #variable(variable: Variable): Values {
    const { writes } = variable;
    // Assigning to `location` navigates and does not replace it.
    if (variable.isGlobal && variable.name === 'location') return [global('location')];
    const before = variable.isGlobal || writes.length === 0 ? this.#before(variable) : undefined;
    if (writes.length === 0) return before ?? NOTHING_KNOWN;
    return withChanges(this.#unionOf(writes, before));
  }

  /** As `valuesOfWrite`, cached: a write may reach several uses. */
  #valuesOfReaching(write: Write): Values {
    const entry = write as Evaluated;
    if (entry.evaluatedBy === this) return entry.values!;
    return this.#begin(entry, write.from) ? this.#end(entry, this.valuesOfWrite(write)) : NOTHING_KNOWN;
  }

  #unionOf(writes: readonly Write[], before: Values | undefined): Values {
    if (writes.length === 1 && before === undefined) return this.valuesOfWrite(writes[0]);
    const sets = writes.map((write) => this.valuesOfWrite(write));
    if (before !== undefined) sets.push(before);
    return union(sets);
  }

  /**
   * As `valuesOf`, but for a variable only the values that its writes store, without later changes
   * of their members.
   */
  writtenOut(node: AnyNode): Values {
    const variable = node.type === 'Identifier' ? this.variableOf(node) : undefined;
    if (variable === undefined || variable.writes.length === 0) return this.valuesOf(node);
    return union(variable.writes.map((write) => this.valuesOfWrite(write)));
  }

  /** The key of a member expression. Undefined: unknown. */
  keyOf(node: MemberExpression): string | undefined {
    if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : undefined;
    const fixed = constantOf(this.valuesOf(node.property));
    return fixed === undefined ? undefined : String(fixed.value);
  }

  /**
   * The existing value of a global: that of an earlier script or of the platform. A `var` without
   * an initializer keeps it: `var fetch` does not hide `fetch`.
   */
  #before(variable: Variable): Values | undefined {
    const shared = this.globals.get(variable.name);
    if (shared !== undefined) return shared;
    const isOfOthers = variable.writes.length === 0 && BRIDGE_NAMES.has(variable.name);
    return variable.isGlobal && (isOfOthers || PLATFORM_NAMES.has(variable.name))
      ? [global(canonical(variable.name))]
      : undefined;
  }

  #literal(value: unknown): Values {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return [constant(value)];
    return NOTHING_KNOWN;
  }

  /** False: the maximum depth is reached. */
  #begin(entry: Evaluated, at: AnyNode | undefined): boolean {
    if (this.#depth >= MAX_DEPTH) {
      this.#cutAt ??= at ?? this.walked.program;
      return false;
    }
    // Until the evaluation ends, a cyclic reference is unknown.
    entry.evaluatedBy = this;
    entry.values = NOTHING_KNOWN;
    this.#depth++;
    return true;
  }

  #end(entry: Evaluated, values: Values): Values {
    this.#depth--;
    entry.values = values;
    return values;
  }

  #expression(node: AnyNode): Values {
    switch (node.type) {
      case 'Identifier':
        return this.#identifier(node);
      case 'ThisExpression':
        return valuesOfThis(this, this.kind, node);
      case 'TemplateLiteral':
        return this.#template(
          node.quasis.map((quasi) => quasi.value.cooked ?? ''),
          node.expressions.map((expression) => this.valuesOf(expression)),
        );
      case 'MemberExpression': {
        const objects = this.valuesOf(node.object);
        if (objects === NOTHING_KNOWN && node.computed && !isName(node.property)) return NOTHING_KNOWN;
        const key = this.keyOf(node);
        if (key === undefined && node.computed && isWellKnown(this.valuesOf(node.property))) return NOTHING_KNOWN;
        // In `f[key]`, key may be "constructor", and `[][key]` may be a function.
        if (key === undefined && objects.length === 1 && objects[0].kind === 'function') return [CONSTRUCTOR];
        if (key === undefined && isWrittenOut(node.object)) return [FUNCTION];
        // In `"a"[key][key]`, both keys may be "constructor".
        if (key === undefined && objects === OF_TEXT) return [CONSTRUCTOR];
        if (key === undefined && objects.length === 1 && isTextual(this.#written(node.object, objects[0])))
          return OF_TEXT;
        return this.#members(objects, key);
      }
      case 'BinaryExpression':
        return this.#chain(node);
      case 'UnaryExpression':
        return node.operator === 'typeof'
          ? [text(PLACEHOLDER)]
          : this.valuesOf(node.argument).map((value) => foldUnary(node.operator, value) ?? UNKNOWN);
      case 'LogicalExpression':
        return union([this.valuesOf(node.left), this.valuesOf(node.right)]);
      case 'ConditionalExpression':
        return union([this.valuesOf(node.consequent), this.valuesOf(node.alternate)]);
      case 'SequenceExpression':
        return this.valuesOf(node.expressions.at(-1)!);
      case 'AssignmentExpression':
        return node.operator === '=' ? this.valuesOf(node.right) : NOTHING_KNOWN;
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        return this.valuesOf(node.expression);
      case 'AwaitExpression':
        return this.valuesOf(node.argument);
      case 'NewExpression':
        return valuesOfNew(this, node);
      case 'CallExpression':
        return valuesOfCall(this, node);
    }
    return NOTHING_KNOWN;
  }

  #identifier(node: AnyNode & { type: 'Identifier' }): Values {
    const variable = this.variableOf(node);
    if (variable !== undefined) {
      const writes = reachingWrites(this.walked, variable, node);
      if (writes === undefined) return this.valuesOfVariable(variable);
      return withChanges(union(writes.map((write) => this.#valuesOfReaching(write))));
    }
    if (node.name === 'undefined') return [constant(undefined)];
    const shared = this.globals.get(node.name);
    if (shared !== undefined) return shared;
    if (this.kind === 'handler' && DOCUMENT_NAMES.has(node.name)) return [global(canonical(`document.${node.name}`))];
    return [global(canonical(node.name))];
  }

  #template(quasis: readonly string[], parts: readonly Values[]): Values {
    let values: Values = [constant(quasis[0])];
    parts.forEach((part, index) => {
      values = this.#binary('+', this.#binary('+', values, part), [constant(quasis[index + 1])]);
    });
    // A template always evaluates to a string.
    return values.map((value) => (value.kind === 'unknown' ? text(PLACEHOLDER) : value));
  }

  /** `a + b + c …` nests to the left and may be long, so this iterates. */
  #chain(node: BinaryExpression): Values {
    const chain = [node];
    let left = node.left as AnyNode;
    for (; left.type === 'BinaryExpression' && chain.length < MOST_ITEMS; left = left.left as AnyNode) chain.push(left);
    let values = this.valuesOf(left);
    for (const { operator, right } of chain.reverse()) values = this.#binary(operator, values, this.valuesOf(right));
    return values;
  }

  #binary(operator: string, left: Values, right: Values): Values {
    if (left === NOTHING_KNOWN && right === NOTHING_KNOWN) return NOTHING_KNOWN;
    const results: Value[] = [];
    if (left.length * right.length > MOST_PAIRS) return UNKNOWN_TEXT;
    for (const value of left)
      for (const other of right) results.push(this.#operation(operator, this.flat(value), this.flat(other)));
    return results.length === 1 ? results : union([results]);
  }

  #operation(operator: string, left: Value, right: Value): Value {
    const folded = this.spend(left) && this.spend(right) ? foldBinary(operator, left, right) : undefined;
    if (folded !== undefined || operator !== '+') return folded ?? UNKNOWN;
    if (left.kind === 'fetched' || right.kind === 'fetched') return FETCHED;
    const isText = [left, right].some(
      (value) => value.kind === 'text' || (value.kind === 'constant' && typeof value.value === 'string'),
    );
    if (!isText) return UNKNOWN;
    const start = textWithPlaceholders(left) + textWithPlaceholders(right);
    return text(start.length > MOST_TEXT ? PLACEHOLDER : start);
  }

  /** Flattens the value of an array literal. */
  #written(node: AnyNode, value: Value): Value {
    return node.type === 'ArrayExpression' ? this.flat(value) : value;
  }

  /** Converts an array of constants to a list. */
  flat(value: Value): Value {
    if (value.kind !== 'structure') return value;
    let flat = this.#flattened.get(value.node);
    if (flat === undefined) {
      flat = this.#flatten(value);
      this.#flattened.set(value.node, flat);
    }
    return flat;
  }

  #flatten(value: Value & { kind: 'structure' }): Value {
    if (value.node.type !== 'ArrayExpression' || value.node.elements.length > MOST_ITEMS) return value;
    const items: Constant[] = [];
    for (const element of value.node.elements) {
      if (element === null) items.push(undefined);
      else if (element.type === 'SpreadElement') return value;
      else {
        const values = this.valuesOf(element);
        const fixed = constantOf(values);
        if (fixed !== undefined) items.push(fixed.value);
        else {
          const inner =
            values.length === 1 && element.type === 'ArrayExpression' ? asText(this.flat(values[0])) : undefined;
          if (inner === undefined) return value;
          items.push(inner);
        }
      }
    }
    return { kind: 'list', items };
  }

  /** The possible items of iterated values. */
  itemsOf(lists: Values): Values {
    if (lists === NOTHING_KNOWN) return lists;
    return union(
      lists.map((list) => this.#items(list)),
      MOST_PAIRS,
    );
  }

  #items(list: Value): Values {
    const flat = this.flat(list);
    if (flat.kind === 'list') return union([flat.items.map(constant)], MOST_PAIRS);
    if (flat.kind !== 'structure' || flat.node.type !== 'ArrayExpression') return this.member(flat, undefined);
    if (flat.node.elements.length > MOST_ITEMS) return NOTHING_KNOWN;
    return union(
      flat.node.elements.map((item) =>
        item === null || item.type === 'SpreadElement' ? NOTHING_KNOWN : this.valuesOf(item),
      ),
      MOST_PAIRS,
    );
  }

  /** Charges the size of a value to the budget. False: the budget is spent. */
  spend(value: Value): boolean {
    if (value.kind === 'list') this.#left -= value.items.length;
    // The source bounds the number of short strings.
    else if (value.kind === 'constant' && typeof value.value === 'string' && value.value.length > 256)
      this.#left -= value.value.length;
    return this.#left >= 0;
  }

  #along(values: Values, path: Write['path']): Values {
    let result = values;
    for (const key of path) {
      if (key !== null && typeof key === 'object') {
        const fixed = constantOf(this.valuesOf(key));
        result = this.#members(result, fixed === undefined ? undefined : String(fixed.value));
      } else if (key === null) result = this.itemsOf(result);
      else result = this.#members(result, String(key));
    }
    return result;
  }

  #members(objects: Values, key: string | undefined): Values {
    if (objects.length === 1) return this.member(objects[0], key);
    return union(objects.map((object) => this.member(object, key)));
  }

  /** The possible values of a member. `key` undefined: unknown. */
  member(object: Value, key: string | undefined): Values {
    return memberOf(this, this.globals, object, key);
  }

  /** The possible results of a function, cached. */
  resultsOf(fn: FunctionNode & AnyNode): Values {
    const entry = fn as Evaluated;
    if (entry.evaluatedBy === this) return entry.values!;
    if (!this.#begin(entry, fn)) return NOTHING_KNOWN;
    const { body } = fn;
    const values =
      body.type === 'BlockStatement'
        ? union(returnedOf(fn).map((result) => this.valuesOf(result)))
        : this.valuesOf(body);
    return this.#end(entry, values);
  }
}

const TOO_MUCH_TEXT = `The script puts together more than the ${MOST_FOLDED >> 20} M characters of text that the audit follows.`;

/** Parents of a name that pass its value on. */
const PASSING = new Set(['CallExpression', 'NewExpression', 'VariableDeclarator', 'SpreadElement']);

function isPassing(node: Identifier): boolean {
  const parent = parentOf(node);
  return parent !== undefined && PASSING.has(parent.type) && !('callee' in parent && parent.callee === node);
}

/** The script may change an object or array that has a name. */
const withChanges = (values: Values): Values =>
  values.some(({ kind }) => kind === 'structure' || kind === 'list') ? [...values, UNKNOWN] : values;

const UNKNOWN_TEXT: Values = [text(PLACEHOLDER), UNKNOWN];

const textWithPlaceholders = (value: Value): string =>
  value.kind === 'text' ? value.start : (asText(value) ?? PLACEHOLDER);
