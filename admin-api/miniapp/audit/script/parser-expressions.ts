/**
 * Fast paths for expressions that begin with a name, `this` or a literal, and so cannot be a
 * pattern. They skip the levels of precedence, and statements skip the comparison with all
 * keywords. acorn parses all other expressions.
 */
import { ACORN, type Methods, type Parts, TOKENS } from './parser-parts.ts';
import { LiteralNode, NameNode, type SyntaxNode } from './syntax-node.ts';

const { name: NAME, num: NUMBER, string: STRING, privateId: PRIVATE, _this: THIS } = TOKENS;
const {
  dot: POINT,
  questionDot: QUESTION_POINT,
  parenL: PARENTHESIS,
  bracketL: BRACKET,
  backQuote: BACKQUOTE,
} = TOKENS;
const { eq: ASSIGN, question: QUESTION_MARK, colon: COLON, starstar: POWER } = TOKENS;
const { _const: CONST, _return: RETURN, _if: IF } = TOKENS;

/**
 * Character classes by code: characters that end an operand, and first characters of binary
 * operators.
 */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return (',;)]'.includes(char) ? 1 : 0) | ('<>!+-*&|%'.includes(char) ? 2 : 0);
});
const ENDS_OPERAND = 1;
const IS_OPERATOR = 2;
const BLANK = 0x20;
const EXCLAMATION = 0x21;
const LESS = 0x3c;
const EQUALS = 0x3d;
const QUESTION = 0x3f;
/** Lists with fewer elements are trimmed. */
const SHORT_LIST = 12;

/** Whether the next token is a literal, or a name that is never a keyword or contextual keyword. */
const isPlain = ({ type, isSpecial, containsEsc }: Parts): boolean =>
  type === NAME ? !isSpecial && !containsEsc : type === NUMBER || type === STRING;
/** Whether the next expression begins with a name, a literal or `this`. */
const beginsPlainly = (parser: Parts): boolean => parser.type === THIS || isPlain(parser);
/** Whether the next token is a whole operand that ends directly after it. */
const isAlone = (parser: Parts): boolean => {
  if (!isPlain(parser)) return false;
  const code = parser.input.charCodeAt(parser.pos);
  return code < 128 && (CLASSES[code] & ENDS_OPERAND) !== 0;
};
/** As `isAlone`, or a binary operator follows. */
const hasNoSubscripts = (parser: Parts): boolean => {
  if (!isPlain(parser)) return false;
  const { input, pos } = parser;
  const code = input.charCodeAt(pos);
  if (!(code < 128)) return false;
  if (code !== BLANK) return (CLASSES[code] & ENDS_OPERAND) !== 0;
  const next = input.charCodeAt(pos + 1);
  // `<!--` begins a comment, and any token may follow it.
  if (next === LESS) return input.charCodeAt(pos + 2) !== EXCLAMATION;
  // Excludes `=>` and `?.`.
  if (next === EQUALS) return input.charCodeAt(pos + 2) === EQUALS;
  if (next === QUESTION) return input.charCodeAt(pos + 2) === BLANK;
  return next < 128 && (CLASSES[next] & IS_OPERATOR) !== 0;
};
const operand = (parser: Parts): SyntaxNode =>
  (parser.type === NAME ? parser.parseIdent(false) : parser.parseLiteral(parser.value)) as SyntaxNode;
/** `start`: the offset of the expression. */
const isArrow = (node: SyntaxNode, start: number): boolean =>
  node.type === 'ArrowFunctionExpression' && node.start === start;

/** Copies a short list: V8 reserves room for 17 elements in a list that has grown. */
const trimmed = (list: readonly object[]): readonly object[] => (list.length < SHORT_LIST ? list.slice() : list);

export const expressionMethods: Methods = {
  checkUnreserved(name) {
    // Skips acorn's search for the enclosing function, which runs several times per name. A string
    // as an import name has no `name`.
    if (name.name !== undefined && this.special.test(name.name)) ACORN.checkUnreserved.call(this, name);
  },
  parseIdent(liberal) {
    if (this.type !== NAME || this.isSpecial || this.containsEsc) return ACORN.parseIdent.call(this, liberal);
    const node = new NameNode(this.start, this.end, this.value as string);
    this.next(!!liberal);
    return node;
  },
  parseLiteral(value) {
    if (this.type !== NUMBER && this.type !== STRING) return ACORN.parseLiteral.call(this, value);
    // `1n`
    if (typeof value !== 'string' && typeof value !== 'number') return ACORN.parseLiteral.call(this, value);
    const node = new LiteralNode(this.start, this.end, value, this.input.slice(this.start, this.end));
    this.next();
    return node;
  },
  parseVar(node, isFor, kind, mayLack) {
    ACORN.parseVar.call(this, node, isFor, kind, mayLack);
    node.declarations = trimmed(node.declarations);
    return node;
  },
  parseBindingList(close, mayLack, mayTrail, modifiers) {
    return trimmed(ACORN.parseBindingList.call(this, close, mayLack, mayTrail, modifiers));
  },
  parseExprList(close, mayTrail, mayLack, errors) {
    return trimmed(ACORN.parseExprList.call(this, close, mayTrail, mayLack, errors));
  },
  parseStatement(context, isTop, exports) {
    const { type } = this;
    if (type === NAME && !this.isSpecial && !this.containsEsc) {
      const node = this.startNode();
      const name = this.value as string;
      const expression = this.parseExpression();
      return expression.type === 'Identifier' && this.eat(COLON)
        ? this.parseLabeledStatement(node, name, expression, context)
        : this.parseExpressionStatement(node, expression);
    }
    // acorn would compare the token with each keyword that begins a statement.
    if (type === CONST && !context) return this.parseVarStatement(this.startNode(), 'const');
    if (type === IF) return this.parseIfStatement(this.startNode());
    if (type === RETURN) return this.parseReturnStatement(this.startNode());
    return ACORN.parseStatement.call(this, context, isTop, exports);
  },
  /** `after`: for acorn plugins. Unused. */
  parseMaybeAssign(forInit, errors, after) {
    const isOperand = isAlone(this);
    // After a construct that only a pattern may contain, an operator is an error.
    if (!isOperand && (!beginsPlainly(this) || (errors && this.checkExpressionErrors(errors))))
      return ACORN.parseMaybeAssign.call(this, forInit, errors, after);
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
        const node = this.startNodeAt(start);
        node.test = left;
        node.consequent = this.parseMaybeAssign();
        this.expect(COLON);
        node.alternate = this.parseMaybeAssign(forInit);
        left = this.finishNode(node, 'ConditionalExpression');
      }
    }
    const { type } = this;
    if (!type.isAssign) return left;
    const node = this.startNodeAt(start);
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
    return this.finishNode(node, 'AssignmentExpression');
  },
  parseMaybeUnary(errors, sawUnary, isUpdate, forInit) {
    if (!beginsPlainly(this)) return ACORN.parseMaybeUnary.call(this, errors, sawUnary, isUpdate, forInit);
    const { start } = this;
    let node = this.parseExprSubscripts(errors, forInit);
    if (errors && this.checkExpressionErrors(errors)) return node;
    while (this.type.postfix && !this.canInsertSemicolon()) {
      const update = this.startNodeAt(start);
      update.operator = this.value;
      update.prefix = false;
      update.argument = node;
      this.checkLValSimple(node);
      this.next();
      node = this.finishNode(update, 'UpdateExpression');
    }
    if (this.type !== POWER || isUpdate || isArrow(node, start)) return node;
    this.next();
    if (sawUnary) this.unexpected(this.lastTokStart);
    const right = this.parseMaybeUnary(null, false, false, forInit);
    return this.buildBinary(start, undefined, node, right, '**', false);
  },
  parseSubscript(inner, start, startLoc, noCalls, maybeArrow, isChained, forInit) {
    const { type } = this;
    if (type !== POINT) {
      // acorn would test for each type in turn.
      const isSubscript = type === PARENTHESIS || type === BRACKET || type === QUESTION_POINT || type === BACKQUOTE;
      if (!isSubscript) return inner;
      return ACORN.parseSubscript.call(this, inner, start, startLoc, noCalls, maybeArrow, isChained, forInit);
    }
    this.next();
    const node = this.startNodeAt(start);
    node.object = inner;
    node.property = this.type === PRIVATE && inner.type !== 'Super' ? this.parsePrivateIdent() : this.parseIdent(true);
    node.computed = false;
    node.optional = false;
    return this.finishNode(node, 'MemberExpression');
  },
  parseExprSubscripts(errors, forInit) {
    return hasNoSubscripts(this) ? operand(this) : ACORN.parseExprSubscripts.call(this, errors, forInit);
  },
};
