/** Types of acorn's undocumented parser members, and of our additions. */
import { Parser, type TokenType, tokTypes } from 'acorn';
import type { NameNode, SyntaxNode } from './syntax-node.ts';

/**
 * Slots for interned names in large and small scripts. Must be powers of two.
 */
const SLOTS_LARGE = 4096;
const SLOTS_SMALL = 64;
/** Minimum characters of a large script. */
const LARGE_SCRIPT = 8192;

/** Maximum names in a list. For more, a set is faster. */
const MAX_LIST = 16;

/** Undocumented members of acorn's token types. */
export type Token = TokenType & {
  readonly keyword?: string;
  readonly beforeExpr: boolean;
  readonly isAssign: boolean;
  readonly postfix: boolean;
  /** The precedence of a binary operator. Null: not a binary operator. */
  readonly binop: number | null;
  readonly updateContext: ((this: Parts, before: Token) => void) | null;
};

export const TOKENS = tokTypes as unknown as Readonly<Record<keyof typeof tokTypes, Token>>;

/** Offsets of syntax that is valid in a pattern only. -1: none. */
interface PatternErrors {
  parenthesizedAssign: number;
  trailingComma: number;
}

interface RegExpState {
  readonly source: string;
  readonly flags: string;
}

/** A node with the additional members of its type. */
export type OpenNode = SyntaxNode & Record<string, unknown>;

/** Undocumented members of acorn's parser. */
export interface Parts {
  readonly input: string;
  pos: number;
  start: number;
  end: number;
  lastTokStart: number;
  lastTokEnd: number;
  type: Token;
  value: unknown;
  readonly context: readonly { readonly preserveSpace: boolean; override?: (parser: Parts) => void }[];
  containsEsc: boolean;
  inTemplateElement: boolean;
  /** A slash at this position begins a regular expression. */
  exprAllowed: boolean;
  potentialArrowAt: number;
  potentialArrowInForAwait: boolean;
  readonly scopeStack: ParserScope[];
  keywords: Words;
  reservedWords: Words;
  reservedWordsStrict: Words;
  reservedWordsStrictBind: Words;
  enterScope(flags: number): void;
  startNode(): OpenNode;
  startNodeAt(start: number): OpenNode;
  finishNode(node: SyntaxNode, type: string): SyntaxNode;
  finishNodeAt(node: SyntaxNode, type: string, end: number): SyntaxNode;
  copyNode(node: NameNode): object;
  fullCharCodeAtPos(): number;
  readToken(code: number): void;
  getTokenFromCode(code: number): void;
  finishToken(type: Token, value?: unknown): void;
  next(ignoreEscape?: boolean): void;
  nextToken(): void;
  skipSpace(): void;
  skipLineComment(startSkip: number): void;
  skipBlockComment(): void;
  readNumber(startsWithDot: boolean): void;
  readString(quote: number): void;
  readWord1(): string;
  readWord(): void;
  validateRegExpPattern(state: RegExpState): void;
  canInsertSemicolon(): boolean;
  checkUnreserved(name: { readonly name?: string }): void;
  parseIdent(liberal?: boolean): object;
  parseLiteral(value: unknown): object;
  parseVar(node: { declarations: readonly object[] }, isFor: unknown, kind: string, mayLack: unknown): object;
  parseBindingList(close: Token, mayLack: unknown, mayTrail: unknown, modifiers: unknown): readonly object[];
  parseExprList(close: Token, mayTrail: unknown, mayLack: unknown, errors: unknown): readonly object[];
  parseMaybeAssign(forInit?: unknown, errors?: PatternErrors | null, after?: unknown): SyntaxNode;
  eat(type: Token): boolean;
  expect(type: Token): void;
  unexpected(at: number): never;
  checkExpressionErrors(errors: PatternErrors | null | undefined): boolean;
  checkLValSimple(node: object): void;
  checkLValPattern(node: object): void;
  toAssignable(node: object, isBinding: boolean): object;
  parseStatement(context: string | null, isTop?: boolean, exports?: unknown): object;
  parseVarStatement(node: object, kind: string): object;
  parseReturnStatement(node: object): object;
  parseIfStatement(node: object): object;
  parseLabeledStatement(node: object, name: string, label: object, context: string | null): object;
  parseExpressionStatement(node: object, expression: object): object;
  parseExpression(): { readonly type: string };
  parseExprOp(left: object, start: number, startLoc: unknown, least: number, forInit: unknown): SyntaxNode;
  parseMaybeUnary(
    errors: PatternErrors | null | undefined,
    sawUnary: unknown,
    isUpdate: unknown,
    forInit: unknown,
  ): SyntaxNode;
  buildBinary(
    start: number,
    startLoc: unknown,
    left: object,
    right: object,
    operator: string,
    isLogical: boolean,
  ): SyntaxNode;
  parsePrivateIdent(): object;
  parseSubscript(
    inner: { readonly type: string },
    start: number,
    startLoc: unknown,
    noCalls: unknown,
    maybeArrow: unknown,
    isChained: unknown,
    forInit: unknown,
  ): object;
  parseExprSubscripts(errors?: unknown, forInit?: unknown): SyntaxNode;
  // Members that this parser adds:
  names: Names;
  /** Words that are not always names: keywords and contextual keywords. */
  special: Words;
  /** The last word is special, or needs acorn: it has escapes or characters outside ASCII. */
  isSpecial: boolean;
  /** Offsets of HTML-like comments. */
  htmlComments: number[];
  /**
   * Cache of valid regular expressions. Validating one takes as long as parsing a function.
   */
  regExps: Set<string>;
}

/** acorn's own methods. */
export const ACORN = Parser.prototype as unknown as Parts;

/** Methods that replace acorn's. */
export type Methods = Partial<Parts> & ThisType<Parts>;

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

/**
 * The declared names of a scope, for acorn's check for duplicates. Searching acorn's lists would
 * take minutes for 100,000 names. Replaces acorn's scope.
 */
export class ParserScope {
  readonly var = new Declared();
  readonly lexical = new Declared();
  readonly functions = new Declared();

  constructor(readonly flags: number) {}
}

/**
 * Words of scripts: lookup of keywords, and interning of names. Replaces acorn's regular
 * expressions for words. acorn only calls `test`.
 */
export class Words {
  readonly all: ReadonlySet<string>;
  /**
   * By first character, one bit for each length of a word. This rejects most names without a lookup
   * in the set.
   */
  readonly #lengths = new Uint32Array(128);

  /** `words`: each in ASCII, with fewer than 32 characters. */
  constructor(words: Iterable<string>) {
    this.all = new Set(words);
    for (const word of this.all) this.#lengths[word.charCodeAt(0)] |= 1 << word.length;
  }

  test(word: string): boolean {
    // The parser also reads flags of regular expressions as words, and flags are often empty.
    if (word.length === 0 || word.length >= 32) return false;
    const first = word.charCodeAt(0);
    return first < 128 && ((this.#lengths[first] >> word.length) & 1) === 1 && this.all.has(word);
  }
}

/**
 * Interns names: all uses of a name share one string, so V8 hashes it once and compares by
 * reference. A collision replaces the slot's name, which only costs time.
 */
export class Names {
  readonly #kept: (string | undefined)[];

  /** `characters`: the length of the script. */
  constructor(characters: number) {
    this.#kept = new Array(characters < LARGE_SCRIPT ? SLOTS_SMALL : SLOTS_LARGE).fill(undefined);
  }

  /** `hash`: the hash of `text` from `from` up to `to`. */
  at(text: string, from: number, to: number, hash: number): string {
    const slot = hash & (this.#kept.length - 1);
    const kept = this.#kept[slot];
    if (kept !== undefined && kept.length === to - from && text.startsWith(kept, from)) return kept;
    const name = text.slice(from, to);
    this.#kept[slot] = name;
    return name;
  }
}
