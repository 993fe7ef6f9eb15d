/** Inserts the guard before all scripts of a page, without a visible change. */

/** In UTF-8 no byte of these is part of another character, so bytes are compared as Latin-1. */
const BOM = '\u00ef\u00bb\u00bf';
/** Without `--` in it, so that all parsers see the same end. */
const COMMENT = '<!--(?!-?>)(?:(?!--)[^])*?-->';
const BLANK = `(?:[ \\t\\r\\n\\f]|${COMMENT})*`;
/** In a document type, `>` is the end also between quotes (HTML, 13.2.5.57 to 13.2.5.67). */
const DOCTYPE = '(?:<!doctype[^>]*>)?';
const ATTRIBUTE = '[ \\t\\r\\n\\f]+[a-z][a-z0-9:_-]*(?:="[^"<>]*"|=\'[^\'<>]*\'|=[a-z0-9_.:-]+)?';
const tag = (name: string): string => `(?:${BLANK}<${name}(?:${ATTRIBUTE})*[ \\t\\r\\n\\f]*>)?`;
/**
 * Matches the beginning of a page that certainly precedes all scripts. The guard is inserted after
 * the match. Parsers create missing html and head elements, and add the attributes of a later tag.
 */
const HEAD = new RegExp(`^(?:${BOM})?${BLANK}${DOCTYPE}${tag('html')}${tag('head')}`, 'i');
/** Maximum bytes to match, because comments are matched by backtracking. */
const HEAD_BYTES = 8192;

/** Undefined: the page is not in UTF-8, which no header can change (Encoding, 6: BOM sniff). */
export function insertGuard(page: Buffer, guard: string): Buffer | undefined {
  if ((page[0] === 0xfe && page[1] === 0xff) || (page[0] === 0xff && page[1] === 0xfe)) return;
  const end = HEAD.exec(page.toString('latin1', 0, HEAD_BYTES))?.[0].length ?? 0;
  return Buffer.concat([page.subarray(0, end), Buffer.from(`<script src="${guard}"></script>`), page.subarray(end)]);
}
