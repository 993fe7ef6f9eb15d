/** The syntax of named.conf: statements of words and blocks, comments of C, C++ and the shell. */
import { Includes } from './include.ts';
import { type ConfigFile, type ConfigFiles, type Finding, invalidConfig, type Position } from './source.ts';

interface Word {
  readonly kind: 'word';
  readonly text: string;
  readonly at: Position;
}

interface Block {
  readonly kind: 'block';
  readonly statements: readonly Statement[];
}

export interface Statement {
  readonly items: readonly (Word | Block)[];
  readonly at: Position;
}

const MAX_DEPTH = 50;
const PUNCTUATION = new Set(['{', '}', ';']);

interface Token {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly line: number;
}

/** Throws InvalidError `invalid_config` for a comment or a string without an end. */
function* tokensOf({ file, text }: ConfigFile): Generator<Token, void, undefined> {
  let line = 1;
  let i = 0;
  while (i < text.length) {
    const char = text[i];
    const pair = text.slice(i, i + 2);
    if (char === '\n') line++;
    if (/\s/.test(char) || char === '\ufeff') i++;
    else if (char === '#' || pair === '//') {
      const end = text.indexOf('\n', i);
      i = end < 0 ? text.length : end;
    } else if (pair === '/*') {
      const end = text.indexOf('*/', i + 2);
      if (end < 0) throw invalidConfig({ file, line }, 'the comment has no end; write "*/" after it');
      line += text.slice(i, end).split('\n').length - 1;
      i = end + 2;
    } else if (char === '"') {
      const start = line;
      let value = '';
      for (i++; text[i] !== '"'; i++) {
        if (i >= text.length) throw invalidConfig({ file, line: start }, "the string has no end; write '\"' after it");
        if (text[i] === '\n') line++;
        if (text[i] === '\\' && i + 1 < text.length) i++;
        value += text[i];
      }
      i++;
      yield { text: value, isQuoted: true, line: start };
    } else if (PUNCTUATION.has(char)) {
      i++;
      yield { text: char, isQuoted: false, line };
    } else {
      const start = i;
      while (i < text.length && !/[\s{};"#]/.test(text[i]) && !['//', '/*'].includes(text.slice(i, i + 2))) i++;
      yield { text: text.slice(start, i), isQuoted: false, line };
    }
  }
}

/**
 * The statements of a file and of the files that it includes. `directory`: folder of relative
 * includes, once an `options` block before them has set it.
 */
export function readNamed(main: ConfigFile, files: ConfigFiles, findings: Finding[]): Statement[] {
  return new Reader(new Includes(files, findings)).file(main, 0);
}

class Reader {
  constructor(private readonly includes: Includes) {}

  file(file: ConfigFile, depth: number): Statement[] {
    const tokens = [...tokensOf(file)];
    const [statements, end] = this.#statements(file.file, tokens, 0, depth, 0);
    if (end < tokens.length)
      throw invalidConfig({ file: file.file, line: tokens[end].line }, 'there is a "}" without a "{"');
    return statements;
  }

  /** Reads up to a closing brace or the end. Returns the index of that token. */
  #statements(
    file: string,
    tokens: readonly Token[],
    from: number,
    depth: number,
    nesting: number,
  ): [Statement[], number] {
    const statements: Statement[] = [];
    let items: (Word | Block)[] = [];
    let start: Position | undefined;
    let i = from;
    for (; i < tokens.length; i++) {
      const { text, isQuoted, line } = tokens[i];
      const at = { file, line };
      if (isQuoted || !PUNCTUATION.has(text)) {
        start ??= at;
        items.push({ kind: 'word', text, at });
      } else if (text === '{') {
        start ??= at;
        if (nesting >= MAX_DEPTH) throw invalidConfig(at, `blocks are nested more than ${MAX_DEPTH} deep`);
        const [inner, end] = this.#statements(file, tokens, i + 1, depth, nesting + 1);
        if (end >= tokens.length) throw invalidConfig(at, 'the block has no end; write "};" after it');
        items.push({ kind: 'block', statements: inner });
        i = end;
      } else if (text === ';') {
        if (start !== undefined) statements.push(...this.#expanded({ items, at: start }, depth));
        items = [];
        start = undefined;
      } else break;
    }
    if (start !== undefined) throw invalidConfig(start, 'the statement has no end; write ";" after it');
    return [statements, i];
  }

  #expanded(statement: Statement, depth: number): Statement[] {
    const [keyword, path] = statement.items;
    if (statement.items.length !== 2 || keyword.kind !== 'word' || path.kind !== 'word') return [statement];
    if (keyword.text.toLowerCase() !== 'include') return [statement];
    return this.includes.open(path.text, statement.at, depth).flatMap((file) => this.file(file, depth + 1));
  }
}

/** The first word of a statement, in lower case. */
export function keywordOf({ items }: Statement): string {
  const [first] = items;
  return first?.kind === 'word' ? first.text.toLowerCase() : '';
}

/** The words of a statement after the keyword. */
export const wordsOf = ({ items }: Statement): string[] =>
  items.slice(1).flatMap((item) => (item.kind === 'word' ? [item.text] : []));

/** The statements in the blocks of a statement. */
export const blockOf = ({ items }: Statement): readonly Statement[] =>
  items.flatMap((item) => (item.kind === 'block' ? item.statements : []));
