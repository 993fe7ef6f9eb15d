/**
 * The parts of css-tree, which has no types for them. All of it would build a lexer of every
 * property when it is loaded, which nobody asks for here.
 */
declare module 'css-tree/parser' {
  import type { parse } from 'css-tree';

  const parser: typeof parse;
  export default parser;
}

declare module 'css-tree/tokenizer' {
  export { tokenize, tokenTypes } from 'css-tree';
}

declare module 'css-tree/utils' {
  export { ident, string, url } from 'css-tree';
}
