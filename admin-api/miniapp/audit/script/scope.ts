/** Which declaration a name means (ECMA-262, 9.1), as far as the source alone tells. */
import type { AnyNode, AssignmentExpression, Pattern } from 'acorn';

/**
 * A value that a variable may take: that of `from`, or of a member of it. `from` undefined:
 * anything.
 */
export interface Write {
  readonly from: AnyNode | undefined;
  /**
   * Keys from there on, the outermost first: a name, an index, a key to be evaluated, or null for
   * what cannot be said.
   */
  readonly path: readonly (string | number | AnyNode | null)[];
  /** Where it happens, if `from` does not tell: `name++`. */
  readonly at?: AnyNode;
  /** `name += …`, of which `from` says nothing. */
  readonly added?: AssignmentExpression;
}

/** The value itself. One list for all, as most writes have it. */
export const WHOLE: Write['path'] = [];
export const ANYTHING: Write = { from: undefined, path: WHOLE };

export class Variable {
  readonly writes: Write[];
  /** For the evaluation, which writes its results there. */
  evaluatedBy = undefined;
  values = undefined;
  /** For the call graph, as is `unit` of a scope. */
  key: object | undefined = undefined;

  constructor(
    readonly name: string,
    /**
     * At the top level of a classic script with `var` or `function`, where it is a property of the
     * window too.
     */
    readonly isGlobal: boolean,
    write: Write | undefined,
  ) {
    // A list that grows from nothing gets room for 17.
    this.writes = write === undefined ? [] : [write];
  }
}

/** A pattern has taken a member of a value: `const { fetch } = window`. */
export interface Taken {
  readonly node: AnyNode;
  readonly write: Write;
}

export class Scope {
  /** Where `var` goes. */
  readonly functionScope: Scope;
  isStrict: boolean;
  /** Of a function's body: the scope of its parameters, if that is another one. */
  parameters: Scope | undefined = undefined;
  unit: object | undefined = undefined;
  /** Of a function: what its statements return. */
  returned: AnyNode[] | undefined = undefined;
  #variables: Map<string, Variable> | undefined;

  constructor(
    readonly parent: Scope | undefined,
    isFunction: boolean,
  ) {
    this.functionScope = isFunction || parent === undefined ? this : parent.functionScope;
    this.isStrict = parent?.isStrict === true;
  }

  /** `write`: one more of its values. */
  declare(name: string, isGlobal: boolean, write: Write | undefined): void {
    // What has the name of a parameter begins with its value.
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

  /** Of this scope alone. */
  own(name: string): Variable | undefined {
    return this.#variables?.get(name);
  }

  variables(): Iterable<Variable> {
    return this.#variables?.values() ?? [];
  }
}

/**
 * Goes over the names of a pattern; `taken` gets each member that it takes of a value, `rest` each
 * node in it that is no binding: defaults, computed keys, members that are assigned to.
 */
export function bind(
  pattern: Pattern,
  write: Write,
  name: (name: string, write: Write) => void,
  taken: (taken: Taken) => void,
  rest: (node: AnyNode) => void,
): void {
  // Most are names, for which nothing need be made.
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

/** The name of a key that isn't computed. */
export function keyOf(key: AnyNode): string | null {
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'Literal') return String(key.value);
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  return null;
}
