/**
 * acorn, without what takes it long: the names of a scope stand in a set, since it looks through a list at each declaration, which takes minutes
 * where a scope has 100,000 names; and names are read in one loop and looked up in sets, where it asks functions and regular expressions.
 */
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

/** Stands in for a regular expression of words, of which acorn uses nothing else. */
class Words {
  readonly all: ReadonlySet<string>;

  /** `pattern`: `^(?:break|case)$` */
  constructor(pattern: string) {
    this.all = new Set(pattern.slice('^(?:'.length, -')$'.length).split('|'));
  }

  test(word: string): boolean {
    return this.all.has(word);
  }
}

const known = new Map<string, Words>();

function wordsOf({ source }: { readonly source: string }): Words {
  let words = known.get(source);
  if (words === undefined) {
    words = new Words(source);
    known.set(source, words);
  }
  return words;
}

/** What the parser has that its types don't tell. */
interface Parts {
  readonly input: string;
  pos: number;
  containsEsc: boolean;
  readonly scopeStack: { var: Names; lexical: Names; functions: Names }[];
  keywords: Words;
  reservedWords: Words;
  reservedWordsStrict: Words;
  reservedWordsStrictBind: Words;
  enterScope(flags: number): void;
  readWord1(): string;
  checkUnreserved(name: { readonly name: string }): void;
}

const WORD_SETS = ['keywords', 'reservedWords', 'reservedWordsStrict', 'reservedWordsStrictBind'] as const;
/** What no name may be in some places, beside keywords and words that are reserved. */
const CONTEXTUAL = new Set(['yield', 'await', 'arguments']);
/** By the code of a character, 1: it may stand in a name. Of others than ASCII acorn knows more. */
const IN_NAMES = Uint8Array.from({ length: 128 }, (_, code) => Number(/[$\w]/.test(String.fromCharCode(code))));
const BACKSLASH = 0x5c;

const FastParser = Parser.extend((Base) => {
  const { enterScope, readWord1, checkUnreserved } = Base.prototype as unknown as Parts;
  const Extended = class extends Base {
    constructor(options: Options, input: string, startPos?: number) {
      super(options, input, startPos);
      const parts = this as unknown as Parts;
      for (const name of WORD_SETS) parts[name] = wordsOf(parts[name] as unknown as RegExp);
    }
  };
  Object.assign(Extended.prototype, {
    enterScope(this: Parts, flags: number): void {
      enterScope.call(this, flags);
      const scope = this.scopeStack[this.scopeStack.length - 1];
      scope.var = new Names();
      scope.lexical = new Names();
      scope.functions = new Names();
    },
    readWord1(this: Parts): string {
      const { input } = this;
      let at = this.pos;
      while (at < input.length && IN_NAMES[input.charCodeAt(at)] === 1) at++;
      const next = at < input.length ? input.charCodeAt(at) : 0;
      if (next >= IN_NAMES.length || next === BACKSLASH) return readWord1.call(this);
      const word = input.slice(this.pos, at);
      this.pos = at;
      this.containsEsc = false;
      return word;
    },
    checkUnreserved(this: Parts, name: { readonly name: string }): void {
      const word = name.name;
      // Otherwise it would look for the function around each name, several times.
      if (this.keywords.test(word) || this.reservedWordsStrict.test(word) || CONTEXTUAL.has(word))
        checkUnreserved.call(this, name);
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
