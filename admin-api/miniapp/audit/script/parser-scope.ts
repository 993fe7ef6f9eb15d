/**
 * The declared names of a scope, for acorn's check for duplicates. Searching acorn's lists would
 * take minutes for 100,000 names.
 */

/** Maximum names in a list. For more, a set is faster. */
const MAX_LIST = 16;

/** The array methods that acorn calls on the declared names of a scope. */
class Declared {
  /** Most scopes declare names of one kind, if any. */
  #list: string[] | undefined;
  #set: Set<string> | undefined;

  get 0(): string | undefined {
    return this.#list?.[0];
  }

  indexOf(name: string): number {
    if (this.#list === undefined) return -1;
    if (this.#set === undefined) return this.#list.indexOf(name);
    return this.#set.has(name) ? 0 : -1;
  }

  push(name: string): void {
    if (this.#list === undefined) this.#list = [name];
    else if (this.#set !== undefined) this.#set.add(name);
    else if (this.#list.push(name) > MAX_LIST) this.#set = new Set(this.#list);
  }
}

/** Replaces acorn's scope. */
export class ParserScope {
  readonly var = new Declared();
  readonly lexical = new Declared();
  readonly functions = new Declared();

  constructor(readonly flags: number) {}
}
