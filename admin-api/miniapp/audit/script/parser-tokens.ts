/**
 * A tokenizer without regular expressions, with one loop per token. acorn reads all uncommon
 * tokens: escapes, characters outside ASCII, errors.
 */
import { ACORN, type Methods, TOKENS, type Token } from './parser-parts.ts';

const { name: NAME, num: NUMBER, string: STRING, eof: EOF, dot: POINT, braceR: BRACE_RIGHT } = TOKENS;
const KEYWORDS = new Map(
  Object.values(TOKENS).flatMap((type) => (type.keyword === undefined ? [] : [[type.keyword, type] as const])),
);
/** Single-character tokens by character code, valid before any character. */
const PUNCTUATORS: (Token | undefined)[] = new Array(128).fill(undefined);
for (const token of Object.values(TOKENS))
  if (token.label.length === 1 && '()[]{};,:'.includes(token.label)) PUNCTUATORS[token.label.charCodeAt(0)] = token;

/**
 * Character classes of names by ASCII code. acorn classifies all other characters.
 */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return Number(/[$\w]/.test(char)) | (/[$_a-z]/i.test(char) ? 2 : 0);
});
const IN_NAME = 1;
const BEGINS_NAME = 2;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const BLANK = 0x20;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const STAR = 0x2a;
/** Maximum digits of a number that fits a small integer of V8. */
const MAX_SMALL_DIGITS = 9;

const isLineEnd = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

export const tokenMethods: Methods = {
  next(ignoreEscape) {
    if (this.containsEsc) {
      ACORN.next.call(this, ignoreEscape);
      return;
    }
    this.lastTokEnd = this.end;
    this.lastTokStart = this.start;
    this.nextToken();
  },
  finishToken(type, value) {
    const before = this.type;
    this.end = this.pos;
    this.type = type;
    this.value = value;
    // Ordinary names (`of` and `yield` are special), and keywords as member names.
    if ((type === NAME && !this.isSpecial) || (type.keyword !== undefined && before === POINT))
      this.exprAllowed = false;
    else if (type.updateContext === null) this.exprAllowed = type.beforeExpr;
    else type.updateContext.call(this, before);
  },
  skipSpace() {
    const { input } = this;
    const { length } = input;
    let at = this.pos;
    for (;;) {
      // Not read past the end: V8 would deoptimize this function.
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
        if (at < length && (code < BLANK || code >= 128)) ACORN.skipSpace.call(this);
        return;
      }
    }
  },

  nextToken() {
    const { input, context } = this;
    const { length } = input;
    const around = context[context.length - 1];
    let { pos } = this;
    let code = pos < length ? input.charCodeAt(pos) : 0;
    if (!around.preserveSpace) {
      // Fast path: most tokens follow one blank or none.
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
  skipLineComment(startSkip) {
    const { input } = this;
    // `<!--` and `-->`.
    if (startSkip > 2) this.htmlComments.push(this.pos);
    let at = this.pos + startSkip;
    while (at < input.length && !isLineEnd(input.charCodeAt(at))) at++;
    this.pos = at;
  },
  readWord1() {
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
      return ACORN.readWord1.call(this);
    }
    const word = this.names.at(input, this.pos, at, hash);
    this.pos = at;
    this.containsEsc = false;
    this.isSpecial = this.special.test(word);
    return word;
  },
  readWord() {
    const word = this.readWord1();
    const type = this.isSpecial && this.keywords.test(word) ? KEYWORDS.get(word)! : NAME;
    this.finishToken(type, word);
  },
  readNumber(startsWithDot) {
    const { input, pos } = this;
    let at = pos;
    let value = 0;
    let code = input.charCodeAt(at);
    while (code >= ZERO && code <= NINE && at - pos < MAX_SMALL_DIGITS) {
      value = value * 10 + (code - ZERO);
      code = input.charCodeAt(++at);
    }
    const isPlain = !startsWithDot && (at === pos + 1 || input.charCodeAt(pos) !== ZERO) && at > pos;
    if (!isPlain || code === DOT || code >= 128 || (CLASSES[code] & IN_NAME) !== 0 || code === BACKSLASH) {
      ACORN.readNumber.call(this, startsWithDot);
      return;
    }
    this.pos = at;
    this.finishToken(NUMBER, value);
  },
  readString(quote) {
    const { input } = this;
    let at = this.pos + 1;
    let code = input.charCodeAt(at);
    while (code !== quote && code !== BACKSLASH && code >= BLANK && code !== 0x2028 && code !== 0x2029)
      code = input.charCodeAt(++at);
    if (code !== quote) {
      ACORN.readString.call(this, quote);
      return;
    }
    const value = input.slice(this.pos + 1, at);
    this.pos = at + 1;
    this.finishToken(STRING, value);
  },
  validateRegExpPattern(state) {
    const key = `${state.flags}/${state.source}`;
    if (this.regExps.has(key)) return;
    ACORN.validateRegExpPattern.call(this, state);
    this.regExps.add(key);
  },

  canInsertSemicolon() {
    const { type, input, start } = this;
    if (type === EOF || type === BRACE_RIGHT) return true;
    for (let at = this.lastTokEnd; at < start; at++) if (isLineEnd(input.charCodeAt(at))) return true;
    return false;
  },
};
