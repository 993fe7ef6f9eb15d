/** Types of acorn's undocumented parser members, and of our additions. */
import { Parser, type TokenType, tokTypes } from 'acorn';
import type { ParserScope } from './parser-scope.ts';
import type { NameNode, SyntaxNode } from './syntax-node.ts';
import type { Names, Words } from './words.ts';

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
