/** acorn, with the names of a scope in a set: it looks through a list at each declaration, which takes minutes where a scope has 100,000 names. */
import { type Options, Parser, type Program } from 'acorn';

/** From this many names on, a list is slower. */
const FEW = 16;

/** The part of an array that acorn uses. */
class Names {
  readonly #list: string[] = [];
  #set: Set<string> | undefined;

  get 0(): string | undefined {
    return this.#list[0];
  }

  indexOf(name: string): number {
    if (this.#set === undefined) return this.#list.indexOf(name);
    return this.#set.has(name) ? 0 : -1;
  }

  push(name: string): void {
    if (this.#set !== undefined) this.#set.add(name);
    else if (this.#list.push(name) > FEW) this.#set = new Set(this.#list);
  }
}

interface ParserScopes {
  enterScope(flags: number): void;
  readonly scopeStack: { var: Names; lexical: Names; functions: Names }[];
}

const FastParser = Parser.extend((Base) => {
  const { enterScope } = Base.prototype as unknown as ParserScopes;
  const Extended = class extends Base {};
  Object.assign(Extended.prototype, {
    enterScope(this: ParserScopes, flags: number): void {
      enterScope.call(this, flags);
      const scope = this.scopeStack[this.scopeStack.length - 1];
      scope.var = new Names();
      scope.lexical = new Names();
      scope.functions = new Names();
    },
  });
  return Extended;
});

/** Throws SyntaxError with `pos`, and RangeError where the stack does not do. */
export function parseScript(text: string, options: Options): Program {
  try {
    return FastParser.parse(text, options);
  } catch (error) {
    if (error instanceof SyntaxError && error.message.startsWith('Not enough stack space'))
      throw new RangeError(error.message);
    throw error;
  }
}
