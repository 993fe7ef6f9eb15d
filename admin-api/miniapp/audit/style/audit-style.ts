/**
 * Audits a style sheet. The rules look at tokens (CSS Syntax Module Level 3), which takes linear
 * time and no stack; the parser is asked for errors alone.
 */
import parse from 'css-tree/parser';
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { ident, string, url } from 'css-tree/utils';
import type { SourceText } from '../source-text.ts';
import type { WebContext } from '../web/context.ts';
import { locate } from '../web/location.ts';
import { checkReference, FONT, IMAGE, STYLE } from '../web/references.ts';

// Taken apart once: in the bundle each member of `tokenTypes` is a getter.
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

/** Characters of a style sheet that is parsed, which takes ten times as long as its tokens do. */
const MOST_PARSED = 1 << 20;
/** Errors of a style sheet that are reported. */
const MOST_ERRORS = 5;
const BINDINGS = new Set(['behavior', '-ms-behavior', '-moz-binding']);
/** Escapes make a name longer. */
const SHORTEST_BINDING = 8;

/** `from` and `to`: offsets in the text. */
type LookAtToken = (type: number, from: number, to: number) => void;

/** `inline`: the declarations of a style attribute. */
export function auditStyle(source: SourceText, start: number, end: number, inline: boolean, context: WebContext): void {
  const text = start === 0 && end === source.text.length ? source.text : source.text.slice(start, end);
  const look = lookAtTokens(source, text, start, context);
  if (text.length < MOST_PARSED) checkSyntax(source, text, start, inline, context, look);
  else {
    tokenize(text, look);
    tellUnparsed(source, start, context);
  }
}

/** What receives each token in turn. */
function lookAtTokens(source: SourceText, text: string, base: number, context: WebContext): LookAtToken {
  const { findings } = context;
  /** The at-rule whose prelude or block this is. */
  let rule = '';
  /** Open url( or src( functions. */
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
        // An escape in its name hides that it is a URL without quotes.
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
  onToken: LookAtToken,
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
      // All of them, before any is parsed.
      onToken,
      onParseError: (error) => {
        // It has caught what the stack threw as well.
        if (!('offset' in error)) throw new RangeError();
        if (errors++ < MOST_ERRORS && !source.isPartial)
          context.findings.add('style_syntax', source.at(base + error.offset), `${error.message}.`);
      },
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    tellUnparsed(source, base, context);
  }
}

const tellUnparsed = (source: SourceText, base: number, { findings }: WebContext): void =>
  findings.add('style_too_large', source.at(base), 'The syntax of this style sheet was not checked.');
