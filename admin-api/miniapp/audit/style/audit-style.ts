/**
 * Audits a style sheet. The rules check tokens (CSS Syntax Module Level 3), in linear time and
 * without recursion. The parser only finds syntax errors.
 */
import parse from 'css-tree/parser';
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { ident, string, url } from 'css-tree/utils';
import type { SourceText } from '../source-text.ts';
import type { WebContext } from '../web/context.ts';
import { locate } from '../web/location.ts';
import { checkReference, FONT, IMAGE, STYLE } from '../web/references.ts';

// Destructured once: each member of `tokenTypes` is a getter in the bundle.
const {
  AtKeyword: AT_KEYWORD,
  Semicolon: SEMICOLON,
  RightCurlyBracket: RIGHT_CURLY_BRACKET,
  Url: URL_TOKEN,
  Function: FUNCTION,
  RightParenthesis: RIGHT_PARENTHESIS,
  String: STRING,
  Ident: IDENT,
  Colon: COLON,
  WhiteSpace: WHITE_SPACE,
  Comment: COMMENT,
} = tokenTypes;

/** Length limit in characters for parsing, which takes ten times as long as tokenizing. */
const PARSE_LIMIT = 1 << 20;
/** Maximum number of reported syntax errors per style sheet. */
const MAX_ERRORS = 5;
const BINDINGS = new Set(['behavior', '-ms-behavior', '-moz-binding']);
/** Length of the shortest name in BINDINGS. Escapes only make a name longer. */
const SHORTEST_BINDING = 8;

/** `from` and `to`: offsets in the text. */
type TokenHandler = (type: number, from: number, to: number) => void;

/** `inline`: the text is a style attribute. */
export function auditStyle(source: SourceText, start: number, end: number, inline: boolean, context: WebContext): void {
  const text = start === 0 && end === source.text.length ? source.text : source.text.slice(start, end);
  const look = tokenHandler(source, text, start, context);
  if (text.length < PARSE_LIMIT) checkSyntax(source, text, start, inline, context, look);
  else {
    tokenize(text, look);
    reportUnparsed(source, start, context);
  }
}

/** Returns the handler that checks each token in turn. */
function tokenHandler(source: SourceText, text: string, base: number, context: WebContext): TokenHandler {
  const { findings } = context;
  /** Name of the at-rule whose prelude or block contains the token. */
  let rule = '';
  /** Inside url(…), src(…) or an image function. */
  let isUrl = false;
  let property: { readonly from: number; readonly to: number } | undefined;
  const refer = (value: string, at: number): void => {
    const where = source.at(base + at);
    if (locate(value, source.file).kind === 'code') findings.add('style_code', where, 'This is a javascript: URL.');
    else
      checkReference(
        context,
        source.file,
        value,
        where,
        rule === 'import' ? STYLE : rule === 'font-face' ? FONT : IMAGE,
      );
  };
  return (type, from, to) => {
    switch (type) {
      case AT_KEYWORD:
        rule = ident.decode(text.slice(from + 1, to)).toLowerCase();
        break;
      case SEMICOLON:
        if (rule !== 'font-face') rule = '';
        break;
      case RIGHT_CURLY_BRACKET:
        rule = '';
        break;
      case URL_TOKEN:
        refer(url.decode(text.slice(from, to)), from);
        break;
      case FUNCTION: {
        const name = ident.decode(text.slice(from, to - 1)).toLowerCase();
        isUrl = name === 'url' || name === 'src' || name === 'image' || name.endsWith('image-set');
        // With an escape in its name, url(…) without quotes is tokenized as a function.
        const close = name === 'url' ? text.indexOf(')', to) : -1;
        if (close >= 0 && !/^\s*["']/.test(text.slice(to, to + 8))) refer(text.slice(to, close), from);
        if (name === 'expression') findings.add('style_code', source.at(base + from), 'expression(…) runs code.');
        break;
      }
      case RIGHT_PARENTHESIS:
        isUrl = false;
        break;
      case STRING:
        if (isUrl || rule === 'import') refer(string.decode(text.slice(from, to)), from);
        break;
      case IDENT:
        property = to - from < SHORTEST_BINDING ? undefined : { from, to };
        return;
      case COLON: {
        const name = property && ident.decode(text.slice(property.from, property.to)).toLowerCase();
        if (name !== undefined && BINDINGS.has(name))
          findings.add('style_code', source.at(base + property!.from), `${name} binds code to elements.`);
        break;
      }
      case WHITE_SPACE:
      case COMMENT:
        return;
    }
    property = undefined;
  };
}

function checkSyntax(
  source: SourceText,
  text: string,
  base: number,
  inline: boolean,
  context: WebContext,
  onToken: TokenHandler,
): void {
  let errors = 0;
  try {
    parse(text, {
      context: inline ? 'declarationList' : 'stylesheet',
      parseValue: false,
      parseRulePrelude: false,
      parseAtrulePrelude: false,
      positions: false,
      list: false,
      // css-tree passes all tokens before it parses.
      onToken,
      onParseError: (error) => {
        // css-tree also passes a caught stack overflow, which has no offset.
        if (!('offset' in error)) throw new RangeError();
        if (errors++ < MAX_ERRORS && !source.isPartial)
          context.findings.add('style_syntax', source.at(base + error.offset), `${error.message}.`);
      },
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    reportUnparsed(source, base, context);
  }
}

const reportUnparsed = (source: SourceText, base: number, { findings }: WebContext): void =>
  findings.add('style_too_large', source.at(base), 'The syntax of this style sheet was not checked.');
