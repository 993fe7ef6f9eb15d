/**
 * acorn, without what takes it long. Names of a scope stand in a set, since it looks through a list at each declaration, which takes minutes where
 * a scope has 100,000 names. What it does for each token and each name is done here in one loop without regular expressions, and an operand that
 * stands alone is not taken through all levels of precedence. What is not of the ordinary (escapes, other characters than ASCII, errors) is left to it.
 */
import { type Options, Parser, type Program, tokTypes } from 'acorn';
import type { Parts, PatternErrors, RegExpState, Token } from './parser-parts.ts';
import { ParserScope } from './parser-scope.ts';
import { LiteralNode, NameNode, SyntaxNode } from './syntax-node.ts';
import { Names, Words } from './words.ts';

const known = new Map<string, Words>();

/** `source`: `^(?:break|case)$` */
function wordsOf({ source }: { readonly source: string }): Words {
  let words = known.get(source);
  if (words === undefined) {
    words = new Words(source.slice('^(?:'.length, -')$'.length).split('|'));
    known.set(source, words);
  }
  return words;
}

/** Elements of a list that is short. */
const FEW = 12;
const WORD_SETS = ['keywords', 'reservedWords', 'reservedWordsStrict', 'reservedWordsStrictBind'] as const;
/** What no name may be in some places, beside keywords and words that are reserved, or what begins something else. */
const CONTEXTUAL = ['yield', 'await', 'arguments', 'async', 'let', 'of', 'eval', 'enum', 'using'];
/** By the code of a character, what it may be. Of others than ASCII acorn knows more. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  const inName = Number(/[$\w]/.test(char));
  return (
    inName |
    (inName && !/\d/.test(char) ? 2 : 0) |
    (',;)]'.includes(char) ? 4 : 0) |
    ('<>!+-*&|%'.includes(char) ? 8 : 0)
  );
});
const IN_NAME = 1;
const BEGINS_NAME = 2;
const ENDS_OPERAND = 4;
const IS_OPERATOR = 8;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const BLANK = 0x20;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const STAR = 0x2a;
const LESS = 0x3c;
const EXCLAMATION = 0x21;
const EQUALS = 0x3d;
const QUESTION = 0x3f;

const isLineEnd = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

const TOKENS = tokTypes as unknown as Readonly<Record<keyof typeof tokTypes, Token>>;
const { name: NAME, num: NUMBER, string: STRING, eof: EOF, braceR: BRACE_RIGHT, privateId: PRIVATE } = TOKENS;
const {
  dot: POINT,
  questionDot: QUESTION_POINT,
  parenL: PARENTHESIS,
  bracketL: BRACKET,
  backQuote: BACKQUOTE,
} = TOKENS;
const { eq: ASSIGN, question: QUESTION_MARK, colon: COLON, starstar: POWER } = TOKENS;
const { _this: THIS, _const: CONST, _return: RETURN, _if: IF } = TOKENS;
/** By the code of a character, what it is by itself, whatever follows. */
const PUNCTUATORS: (Token | undefined)[] = new Array(128).fill(undefined);
for (const token of Object.values(TOKENS))
  if (token.label.length === 1 && '()[]{};,:'.includes(token.label)) PUNCTUATORS[token.label.charCodeAt(0)] = token;
/** Digits of a whole number that is put together exactly, in small integers of V8. */
const SMALL = 9;

const FastParser = Parser.extend((Base) => {
  const base = Base.prototype as unknown as Parts;
  const keywordTypes = new Map(
    Object.values(tokTypes as unknown as Record<string, Token>).flatMap((type) =>
      type.keyword === undefined ? [] : [[type.keyword, type] as const],
    ),
  );
  let special: Words | undefined;
  const Extended = class extends Base {
    constructor(options: Options, input: string, startPos?: number) {
      super(options, input, startPos);
      const parts = this as unknown as Parts;
      for (const name of WORD_SETS) parts[name] = wordsOf(parts[name] as unknown as RegExp);
      special ??= new Words([...WORD_SETS.flatMap((name) => [...parts[name].all]), ...CONTEXTUAL]);
      parts.names = new Names(input.length);
      parts.isSpecial = false;
      parts.htmlComments = [];
      parts.regExps = new Set();
      // A parser to which acorn adds this at the first template is of another shape from there on, and all that V8 knew of it is slow for both.
      parts.inTemplateElement = false;
    }
  };

  /** Whether the next token, which is a name or a literal, is all of an operand, which ends right behind it. */
  const isAlone = (parser: Parts): boolean => {
    const { type } = parser;
    if (type === NAME ? parser.isSpecial || parser.containsEsc : type !== NUMBER && type !== STRING) return false;
    const code = parser.input.charCodeAt(parser.pos);
    return code < 128 && (CLASSES[code] & ENDS_OPERAND) !== 0;
  };
  /** As `isAlone`, or an operator of two operands comes. */
  const hasNoSubscripts = (parser: Parts): boolean => {
    const { type, input, pos } = parser;
    if (type === NAME ? parser.isSpecial || parser.containsEsc : type !== NUMBER && type !== STRING) return false;
    const code = input.charCodeAt(pos);
    if (!(code < 128)) return false;
    if (code !== BLANK) return (CLASSES[code] & ENDS_OPERAND) !== 0;
    const next = input.charCodeAt(pos + 1);
    // `<!--` begins a comment, behind which anything may follow.
    if (next === LESS) return input.charCodeAt(pos + 2) !== EXCLAMATION;
    // Not an arrow, and not `?.`.
    if (next === EQUALS) return input.charCodeAt(pos + 2) === EQUALS;
    if (next === QUESTION) return input.charCodeAt(pos + 2) === BLANK;
    return next < 128 && (CLASSES[next] & IS_OPERATOR) !== 0;
  };
  const operand = (parser: Parts): SyntaxNode =>
    (parser.type === NAME ? parser.parseIdent(false) : parser.parseLiteral(parser.value)) as SyntaxNode;
  /** Whether the next token is a name, `this` or a literal: an expression that begins with it is no pattern but a name or a member. */
  const beginsPlainly = (parser: Parts): boolean => {
    const { type } = parser;
    return type === NAME
      ? !parser.isSpecial && !parser.containsEsc
      : type === THIS || type === NUMBER || type === STRING;
  };
  /** `start`: of the expression. */
  const isArrow = (node: SyntaxNode, start: number): boolean =>
    node.type === 'ArrowFunctionExpression' && node.start === start;

  /** A list that has grown has room for 17, and most have few. */
  const trimmed = (list: readonly object[]): readonly object[] => (list.length < FEW ? list.slice() : list);

  Object.assign(Extended.prototype, {
    startNode(this: Parts): SyntaxNode {
      return new SyntaxNode(this.start);
    },
    startNodeAt(start: number): SyntaxNode {
      return new SyntaxNode(start);
    },
    finishNode(this: Parts, node: SyntaxNode, type: string): SyntaxNode {
      node.type = type;
      node.end = this.lastTokEnd;
      return node;
    },
    finishNodeAt(node: SyntaxNode, type: string, end: number): SyntaxNode {
      node.type = type;
      node.end = end;
      return node;
    },
    copyNode(node: NameNode): object {
      if (node.type === 'Identifier') return new NameNode(node.start, node.end, node.name);
      return Object.assign(new SyntaxNode((node as SyntaxNode).start), node);
    },

    enterScope(this: Parts, flags: number): void {
      this.scopeStack.push(new ParserScope(flags));
    },

    next(this: Parts, ignoreEscape?: boolean): void {
      if (this.containsEsc) {
        base.next.call(this, ignoreEscape);
        return;
      }
      this.lastTokEnd = this.end;
      this.lastTokStart = this.start;
      this.nextToken();
    },
    finishToken(this: Parts, type: Token, value?: unknown): void {
      const before = this.type;
      this.end = this.pos;
      this.type = type;
      this.value = value;
      // Names but `of` and `yield`, which are special, and keywords that are names of members.
      if ((type === NAME && !this.isSpecial) || (type.keyword !== undefined && before === POINT))
        this.exprAllowed = false;
      else if (type.updateContext === null) this.exprAllowed = type.beforeExpr;
      else type.updateContext.call(this, before);
    },
    skipSpace(this: Parts): void {
      const { input } = this;
      const { length } = input;
      let at = this.pos;
      for (;;) {
        // V8 throws code away that it has made for what lies within a text when something behind it is read.
        const code = at < length ? input.charCodeAt(at) : 0;
        if (code === BLANK || code === 10 || code === 13 || code === 9) at++;
        else if (code === SLASH && input.charCodeAt(at + 1) === SLASH) {
          this.pos = at;
          this.skipLineComment(2);
          at = this.pos;
        } else if (code === SLASH && input.charCodeAt(at + 1) === STAR) {
          this.pos = at;
          this.skipBlockComment();
          at = this.pos;
        } else {
          this.pos = at;
          if (at < length && (code < BLANK || code >= 128)) base.skipSpace.call(this);
          return;
        }
      }
    },

    nextToken(this: Parts): void {
      const { input, context } = this;
      const { length } = input;
      const around = context[context.length - 1];
      let { pos } = this;
      let code = pos < length ? input.charCodeAt(pos) : 0;
      if (!around.preserveSpace) {
        // One blank, which is what there is mostly, or none.
        if (code === BLANK) code = ++pos < length ? input.charCodeAt(pos) : 0;
        if (code > BLANK && code < 128 && code !== SLASH) this.pos = pos;
        else {
          this.skipSpace();
          pos = this.pos;
          code = pos < length ? input.charCodeAt(pos) : 0;
        }
      }
      this.start = pos;
      const isEnd = pos >= length;
      if (!isEnd && around.override) {
        around.override(this);
        return;
      }
      const punctuator = isEnd ? EOF : code < 128 ? PUNCTUATORS[code] : undefined;
      if (punctuator !== undefined) {
        this.pos = isEnd ? pos : pos + 1;
        this.finishToken(punctuator);
      } else if (code >= 128) this.readToken(this.fullCharCodeAtPos());
      else if ((CLASSES[code] & BEGINS_NAME) !== 0 || code === BACKSLASH) this.readWord();
      else this.getTokenFromCode(code);
    },
    skipLineComment(this: Parts, startSkip: number): void {
      const { input } = this;
      // `<!--` and `-->`.
      if (startSkip > 2) this.htmlComments.push(this.pos);
      let at = this.pos + startSkip;
      while (at < input.length && !isLineEnd(input.charCodeAt(at))) at++;
      this.pos = at;
    },
    readWord1(this: Parts): string {
      const { input } = this;
      let at = this.pos;
      let hash = 0;
      let code = at < input.length ? input.charCodeAt(at) : 0;
      while (code < 128 && (CLASSES[code] & IN_NAME) !== 0) {
        hash = (Math.imul(hash, 31) + code) | 0;
        code = ++at < input.length ? input.charCodeAt(at) : 0;
      }
      if (code >= 128 || code === BACKSLASH) {
        this.isSpecial = true;
        return base.readWord1.call(this);
      }
      const word = this.names.at(input, this.pos, at, hash);
      this.pos = at;
      this.containsEsc = false;
      this.isSpecial = special!.test(word);
      return word;
    },
    readWord(this: Parts): void {
      const word = this.readWord1();
      const type = this.isSpecial && this.keywords.test(word) ? keywordTypes.get(word)! : NAME;
      this.finishToken(type, word);
    },
    readNumber(this: Parts, startsWithDot: boolean): void {
      const { input, pos } = this;
      let at = pos;
      let value = 0;
      let code = input.charCodeAt(at);
      while (code >= ZERO && code <= NINE && at - pos < SMALL) {
        value = value * 10 + (code - ZERO);
        code = input.charCodeAt(++at);
      }
      const isPlain = !startsWithDot && (at === pos + 1 || input.charCodeAt(pos) !== ZERO) && at > pos;
      if (!isPlain || code === DOT || code >= 128 || (CLASSES[code] & IN_NAME) !== 0 || code === BACKSLASH) {
        base.readNumber.call(this, startsWithDot);
        return;
      }
      this.pos = at;
      this.finishToken(NUMBER, value);
    },
    readString(this: Parts, quote: number): void {
      const { input } = this;
      let at = this.pos + 1;
      let code = input.charCodeAt(at);
      while (code !== quote && code !== BACKSLASH && code >= BLANK && code !== 0x2028 && code !== 0x2029)
        code = input.charCodeAt(++at);
      if (code !== quote) {
        base.readString.call(this, quote);
        return;
      }
      const value = input.slice(this.pos + 1, at);
      this.pos = at + 1;
      this.finishToken(STRING, value);
    },
    validateRegExpPattern(this: Parts, state: RegExpState): void {
      const key = `${state.flags}/${state.source}`;
      if (this.regExps.has(key)) return;
      base.validateRegExpPattern.call(this, state);
      this.regExps.add(key);
    },

    canInsertSemicolon(this: Parts): boolean {
      const { type, input, start } = this;
      if (type === EOF || type === BRACE_RIGHT) return true;
      for (let at = this.lastTokEnd; at < start; at++) if (isLineEnd(input.charCodeAt(at))) return true;
      return false;
    },
    checkUnreserved(this: Parts, name: { readonly name?: string }): void {
      // Otherwise it would look for the function around each name, several times. A string, which an import may give, has none.
      if (name.name !== undefined && special!.test(name.name)) base.checkUnreserved.call(this, name);
    },
    parseIdent(this: Parts, liberal?: boolean): object {
      if (this.type !== NAME || this.isSpecial || this.containsEsc) return base.parseIdent.call(this, liberal);
      const node = new NameNode(this.start, this.end, this.value as string);
      this.next(!!liberal);
      return node;
    },
    parseLiteral(this: Parts, value: unknown): object {
      if (this.type !== NUMBER && this.type !== STRING) return base.parseLiteral.call(this, value);
      // `1n`
      if (typeof value !== 'string' && typeof value !== 'number') return base.parseLiteral.call(this, value);
      const node = new LiteralNode(this.start, this.end, value, this.input.slice(this.start, this.end));
      this.next();
      return node;
    },
    parseVar(this: Parts, node: { declarations: readonly object[] }, isFor: unknown, kind: string, mayLack: unknown) {
      base.parseVar.call(this, node, isFor, kind, mayLack);
      node.declarations = trimmed(node.declarations);
      return node;
    },
    parseBindingList(this: Parts, close: Token, mayLack: unknown, mayTrail: unknown, modifiers: unknown) {
      return trimmed(base.parseBindingList.call(this, close, mayLack, mayTrail, modifiers));
    },
    parseExprList(this: Parts, close: Token, mayTrail: unknown, mayLack: unknown, errors: unknown) {
      return trimmed(base.parseExprList.call(this, close, mayTrail, mayLack, errors));
    },
    parseStatement(this: Parts, context: string | null, isTop?: boolean, exports?: unknown): object {
      const { type } = this;
      if (type === NAME) {
        if (this.isSpecial || this.containsEsc) return base.parseStatement.call(this, context, isTop, exports);
        const node = new SyntaxNode(this.start);
        const name = this.value as string;
        const expression = this.parseExpression();
        return expression.type === 'Identifier' && this.eat(COLON)
          ? this.parseLabeledStatement(node, name, expression, context)
          : this.parseExpressionStatement(node, expression);
      }
      // It would be compared with all keywords that begin a statement, in turn.
      if (type === CONST && !context) return this.parseVarStatement(new SyntaxNode(this.start), 'const');
      if (type === IF) return this.parseIfStatement(new SyntaxNode(this.start));
      if (type === RETURN) return this.parseReturnStatement(new SyntaxNode(this.start));
      return base.parseStatement.call(this, context, isTop, exports);
    },
    /** `after` is for extensions of acorn's, which there are none of. */
    parseMaybeAssign(this: Parts, forInit?: unknown, errors?: PatternErrors | null, after?: unknown): SyntaxNode {
      const isOperand = isAlone(this);
      // Behind what is no expression but for a pattern, an operator is an error.
      if (!isOperand && (!beginsPlainly(this) || (errors && this.checkExpressionErrors(errors))))
        return base.parseMaybeAssign.call(this, forInit, errors, after);
      const { start } = this;
      if (this.type === NAME) {
        this.potentialArrowAt = start;
        this.potentialArrowInForAwait = forInit === 'await';
      }
      if (isOperand) return operand(this);
      let left = this.parseMaybeUnary(null, false, false, forInit);
      if (!isArrow(left, start)) {
        if (this.type.binop !== null) left = this.parseExprOp(left, start, undefined, -1, forInit);
        if (this.eat(QUESTION_MARK)) {
          const node = new SyntaxNode(start) as SyntaxNode & Record<string, unknown>;
          node.test = left;
          node.consequent = this.parseMaybeAssign();
          this.expect(COLON);
          node.alternate = this.parseMaybeAssign(forInit);
          node.type = 'ConditionalExpression';
          node.end = this.lastTokEnd;
          left = node;
        }
      }
      const { type } = this;
      if (!type.isAssign) return left;
      const node = new SyntaxNode(start) as SyntaxNode & Record<string, unknown>;
      node.operator = this.value;
      if (errors) {
        errors.parenthesizedAssign = -1;
        errors.trailingComma = -1;
      }
      if (type === ASSIGN) {
        this.toAssignable(left, false);
        this.checkLValPattern(left);
      } else this.checkLValSimple(left);
      node.left = left;
      this.next();
      node.right = this.parseMaybeAssign(forInit);
      node.type = 'AssignmentExpression';
      node.end = this.lastTokEnd;
      return node;
    },
    parseMaybeUnary(
      this: Parts,
      errors: PatternErrors | null | undefined,
      sawUnary: unknown,
      isUpdate: unknown,
      forInit: unknown,
    ): SyntaxNode {
      if (!beginsPlainly(this)) return base.parseMaybeUnary.call(this, errors, sawUnary, isUpdate, forInit);
      const { start } = this;
      let node = this.parseExprSubscripts(errors, forInit);
      if (errors && this.checkExpressionErrors(errors)) return node;
      while (this.type.postfix && !this.canInsertSemicolon()) {
        const update = new SyntaxNode(start) as SyntaxNode & Record<string, unknown>;
        update.operator = this.value;
        update.prefix = false;
        update.argument = node;
        this.checkLValSimple(node);
        this.next();
        update.type = 'UpdateExpression';
        update.end = this.lastTokEnd;
        node = update;
      }
      if (this.type !== POWER || isUpdate || isArrow(node, start)) return node;
      this.next();
      if (sawUnary) this.unexpected(this.lastTokStart);
      const right = this.parseMaybeUnary(null, false, false, forInit);
      return this.buildBinary(start, undefined, node, right, '**', false);
    },
    parseSubscript(
      this: Parts,
      inner: { readonly type: string },
      start: number,
      startLoc: unknown,
      noCalls: unknown,
      maybeArrow: unknown,
      isChained: unknown,
      forInit: unknown,
    ): object {
      const { type } = this;
      if (type !== POINT) {
        // It would ask for each of them in turn.
        const isSubscript = type === PARENTHESIS || type === BRACKET || type === QUESTION_POINT || type === BACKQUOTE;
        if (!isSubscript) return inner;
        return base.parseSubscript.call(this, inner, start, startLoc, noCalls, maybeArrow, isChained, forInit);
      }
      this.next();
      const node = new SyntaxNode(start) as SyntaxNode & Record<string, unknown>;
      node.object = inner;
      node.property =
        this.type === PRIVATE && inner.type !== 'Super' ? this.parsePrivateIdent() : this.parseIdent(true);
      node.computed = false;
      node.optional = false;
      node.type = 'MemberExpression';
      node.end = this.lastTokEnd;
      return node;
    },
    parseExprSubscripts(this: Parts, errors?: unknown, forInit?: unknown): SyntaxNode {
      return hasNoSubscripts(this) ? operand(this) : base.parseExprSubscripts.call(this, errors, forInit);
    },
  });
  return Extended;
});

export interface Parsed {
  readonly program: Program;
  /** Offsets of comments that begin as in HTML, such as `<!--`. */
  readonly htmlComments: readonly number[];
}

/** Throws SyntaxError with `pos`, and RangeError where the stack does not do. */
export function parseScript(text: string, options: Options): Parsed {
  try {
    const parser = new (FastParser as unknown as new (options: Options, text: string) => Parser & Parts)(options, text);
    return { program: parser.parse(), htmlComments: parser.htmlComments };
  } catch (error) {
    if (error instanceof SyntaxError && error.message.startsWith('Not enough stack space'))
      throw new RangeError(error.message);
    throw error;
  }
}
