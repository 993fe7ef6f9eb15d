/** Resolves names to their declarations, from the source alone (ECMA-262, 9.1). */
import type { AnyNode, AssignmentExpression, Pattern } from 'acorn';

/**
 * A write to a variable: the value of `from`, or of a member of `from`. Undefined: any value.
 */
export interface Write {
  readonly from: AnyNode | undefined;
  /**
   * Keys of the member, outermost first: a name, an index, or a key to evaluate. Null: any key.
   */
  readonly path: readonly (string | number | AnyNode | null)[];
  /** The writing node, if not given by `from`: `name++`. */
  readonly at?: AnyNode;
  /** `name += …`, for which `from` is undefined. */
  readonly added?: AssignmentExpression;
}

/** The path of the value itself. Shared, as most writes have it. */
export const WHOLE: Write['path'] = [];
export const ANYTHING: Write = { from: undefined, path: WHOLE };

export class Variable {
  readonly writes: Write[];
  /** Cache of the evaluator. */
  evaluatedBy = undefined;
  values = undefined;
  /** For the call graph, like `unit` of a scope. */
  key: object | undefined = undefined;

  constructor(
    readonly name: string,
    /**
     * Declared by `var` or `function` at the top level of a classic script, or undeclared: also a
     * property of the window.
     */
    readonly isGlobal: boolean,
    write: Write | undefined,
  ) {
    // V8 reserves room for 17 elements when an empty list grows.
    this.writes = write === undefined ? [] : [write];
  }
}

/** A member that a pattern reads: `const { fetch } = window`. */
export interface Taken {
  readonly node: AnyNode;
  readonly write: Write;
}

export class Scope {
  /** The scope of `var` declarations. */
  readonly functionScope: Scope;
  isStrict: boolean;
  /** For the body of a function: the scope of its parameters, if separate. */
  parameters: Scope | undefined = undefined;
  unit: object | undefined = undefined;
  /** For a function: the arguments of its return statements. */
  returned: AnyNode[] | undefined = undefined;
  #variables: Map<string, Variable> | undefined;

  constructor(
    readonly parent: Scope | undefined,
    isFunction: boolean,
  ) {
    this.functionScope = isFunction || parent === undefined ? this : parent.functionScope;
    this.isStrict = parent?.isStrict === true;
  }

  /** `write`: another write of the variable. */
  declare(name: string, isGlobal: boolean, write: Write | undefined): void {
    // A variable with the name of a parameter starts with the parameter's value.
    if (this.parameters?.own(name) !== undefined) {
      this.parameters.declare(name, isGlobal, write);
      return;
    }
    this.#variables ??= new Map();
    const variable = this.#variables.get(name);
    if (variable !== undefined) {
      if (write !== undefined) variable.writes.push(write);
    } else this.#variables.set(name, new Variable(name, isGlobal, write));
  }

  lookup(name: string): Variable | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const variable = scope.#variables?.get(name);
      if (variable !== undefined) return variable;
    }
    return undefined;
  }

  /** Ignores outer scopes. */
  own(name: string): Variable | undefined {
    return this.#variables?.get(name);
  }

  variables(): Iterable<Variable> {
    return this.#variables?.values() ?? [];
  }
}

/**
 * Visits the names of a pattern. `taken` receives each member that the pattern reads. `rest`
 * receives all other nodes: defaults, computed keys, assigned members.
 */
export function bind(
  pattern: Pattern,
  write: Write,
  name: (name: string, write: Write) => void,
  taken: (taken: Taken) => void,
  rest: (node: AnyNode) => void,
): void {
  // Fast path without allocations: most patterns are names.
  if (pattern.type === 'Identifier') {
    name(pattern.name, write);
    return;
  }
  const stack: [AnyNode, Write][] = [[pattern, write]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, value] = next;
    const at = (key: string | number | AnyNode | null): Write => ({ from: value.from, path: [...value.path, key] });
    switch (node.type) {
      case 'Identifier':
        name(node.name, value);
        break;
      case 'AssignmentPattern':
        stack.push([node.left, value], [node.left, { from: node.right, path: [] }]);
        rest(node.right);
        break;
      case 'ArrayPattern':
        node.elements.forEach((element, index) => {
          if (element !== null) stack.push([element, at(index)]);
        });
        break;
      case 'ObjectPattern':
        for (const property of node.properties) {
          if (property.type === 'RestElement') stack.push([property.argument, value]);
          else {
            const key = at(property.computed ? property.key : keyOf(property.key));
            taken({ node: property, write: key });
            stack.push([property.value, key]);
            if (property.computed) rest(property.key);
          }
        }
        break;
      case 'RestElement':
        stack.push([node.argument, ANYTHING]);
        break;
      default:
        rest(node);
    }
  }
}

/** The name of a key that is not computed. Null: unknown. */
export function keyOf(key: AnyNode): string | null {
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'Literal') return String(key.value);
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  return null;
}
