/**
 * What a scope declares, for acorn, which asks whether a name was declared before: in a list that
 * would take minutes for 100,000 names.
 */

/** From this many names on, a list is slower. */
const FEW = 16;

/** The part of an array that acorn uses of the names that a scope declares. */
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
    else if (this.#list.push(name) > FEW) this.#set = new Set(this.#list);
  }
}

/** As acorn's, with names in `Declared`. */
export class ParserScope {
  readonly var = new Declared();
  readonly lexical = new Declared();
  readonly functions = new Declared();

  constructor(readonly flags: number) {}
}
