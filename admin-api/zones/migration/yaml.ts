/** Reads YAML exports: the part of YAML 1.2 without anchors, tags and directives. */
import { type ConfigFile, invalidConfig } from './source.ts';

interface Line {
  readonly number: number;
  /** Spaces before the text. */
  readonly indent: number;
  readonly text: string;
}

const MAX_DEPTH = 50;
/** A key of a mapping on one line, and the text after its colon. */
const ENTRY =
  /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#[\]{}|>&*!%@`,](?:[^#:]|:(?!\s|$)|(?<=\S)#)*?)\s*:(?:\s+(.*))?$/s;

/**
 * The documents of a file, as JSON values. Numbers with a fraction stay texts. Throws InvalidError
 * `invalid_config` with the line of the error.
 */
export function parseYaml(file: ConfigFile): unknown[] {
  return new Reader(file).documents();
}

class Reader {
  readonly #file: string;
  readonly #lines: Line[];
  #at = 0;

  constructor({ file, text }: ConfigFile) {
    this.#file = file;
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
    this.#lines = lines.map((whole, i) => {
      const line = whole.trimStart();
      return { number: i + 1, indent: whole.length - line.length, text: line.trimEnd() };
    });
  }

  documents(): unknown[] {
    const found: unknown[] = [];
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      if (isMark(line)) this.#skipMark(line);
      else found.push(this.#block(0, 0));
    }
    return found;
  }

  /** What follows the mark on its line belongs to the document. */
  #skipMark({ number, text }: Line): void {
    const rest = text.slice(3).trimStart();
    if (rest === '' || rest.startsWith('#')) this.#at++;
    else this.#lines[this.#at] = { number, indent: 3, text: rest };
  }

  /** The next line with text, which is not read yet. */
  #next(): Line | undefined {
    while (this.#at < this.#lines.length && /^(#|$)/.test(this.#lines[this.#at].text)) this.#at++;
    return this.#lines[this.#at];
  }

  #fail(line: Pick<Line, 'number'>, message: string): never {
    throw invalidConfig({ file: this.#file, line: line.number }, message);
  }

  /** The node whose lines have at least `indent` spaces; null: there is none. */
  #block(indent: number, depth: number): unknown {
    const line = this.#next();
    if (line === undefined || line.indent < indent || isMark(line)) return null;
    if (depth > MAX_DEPTH) this.#fail(line, `values are nested more than ${MAX_DEPTH} deep`);
    if (isItem(line, '-')) return this.#sequence(line.indent, depth);
    if (isItem(line, '?') || ENTRY.test(line.text)) return this.#mapping(line.indent, depth);
    return this.#value(line.text, { ...line, indent: indent - 1 }, depth);
  }

  #sequence(indent: number, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      if (line.indent !== indent || !isItem(line, '-') || isMark(line)) break;
      items.push(this.#item(line, depth));
    }
    return items;
  }

  /** The node after "-", "?" or ":", as if these were spaces. */
  #item({ number, indent, text }: Line, depth: number): unknown {
    const rest = text.slice(1).trimStart();
    if (rest === '' || rest.startsWith('#')) this.#at++;
    else this.#lines[this.#at] = { number, indent: indent + text.length - rest.length, text: rest };
    return this.#block(indent + 1, depth + 1);
  }

  #mapping(indent: number, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      if (line.indent < indent || isMark(line)) break;
      if (line.indent > indent) this.#fail(line, 'the indentation fits no entry above');
      if (isItem(line, '?')) {
        const key = textOfKey(this.#item(line, depth));
        const next = this.#next();
        const hasValue = next !== undefined && next.indent === indent && isItem(next, ':');
        entries.push([key, hasValue ? this.#item(next, depth) : null]);
        continue;
      }
      const parts = ENTRY.exec(line.text);
      if (parts === null) this.#fail(line, `"${line.text.slice(0, 80)}" is not understood; write "NAME: VALUE"`);
      entries.push([keyOf(parts[1]), this.#value(parts[2] ?? '', line, depth)]);
    }
    return Object.fromEntries(entries);
  }

  /** The value whose first line is being read; `text` is the part of that line. */
  #value(text: string, line: Line, depth: number): unknown {
    const [first] = text;
    if (first === '&' || first === '*' || first === '!') this.#fail(line, 'anchors and tags of YAML are not supported');
    this.#at++;
    if (text === '' || first === '#') {
      const next = this.#next();
      const isList = next !== undefined && next.indent === line.indent && isItem(next, '-');
      return this.#block(isList ? line.indent : line.indent + 1, depth + 1);
    }
    if (first === '|' || first === '>') return this.#blockText(text, line);
    if (first === '"' || first === "'") return scalarOf(this.#whole(text, line, isQuoteClosed));
    if (first === '[' || first === '{') {
      const whole = this.#whole(text, line, isFlowClosed);
      return new Flow(whole, (message) => this.#fail(line, message)).value(0);
    }
    let whole = withoutComment(text);
    for (let next = this.#next(); next !== undefined && next.indent > line.indent; next = this.#next()) {
      if (ENTRY.test(next.text)) this.#fail(next, 'the indentation fits no entry above');
      whole += ` ${withoutComment(next.text)}`;
      this.#at++;
    }
    return scalarOf(whole);
  }

  /** The text with the lines after it, until `isClosed` is true. Folds line feeds. */
  #whole(text: string, line: Line, isClosed: (text: string) => boolean): string {
    let whole = text;
    while (!isClosed(whole)) {
      if (this.#at >= this.#lines.length) this.#fail(line, `"${text.slice(0, 40)}" has no end`);
      const next = this.#lines[this.#at++].text;
      // A backslash before the line feed joins the lines.
      if (/(^|[^\\])(\\\\)*\\$/.test(whole)) whole = whole.slice(0, -1) + next;
      else whole = next === '' || whole.endsWith('\n') ? `${whole}${next === '' ? '\n' : next}` : `${whole} ${next}`;
    }
    return whole;
  }

  /** A text of lines ("|"), or of folded lines (">"). */
  #blockText(head: string, { indent }: Line): string {
    const lines: string[] = [];
    let start = -1;
    for (; this.#at < this.#lines.length; this.#at++) {
      const next = this.#lines[this.#at];
      if (next.text !== '' && next.indent <= indent) break;
      if (start < 0 && next.text !== '') start = next.indent;
      lines.push(next.text === '' ? '' : ' '.repeat(Math.max(0, next.indent - start)) + next.text);
    }
    while (lines.at(-1) === '') lines.pop();
    return lines.join(head.startsWith('>') ? ' ' : '\n') + (head.includes('-') ? '' : '\n');
  }
}

const isMark = ({ indent, text }: Line): boolean => indent === 0 && /^(---|\.\.\.)(\s|$)/.test(text);

const isItem = ({ text }: Line, mark: '-' | '?' | ':'): boolean =>
  text[0] === mark && (text.length === 1 || text[1] === ' ' || text[1] === '\t');

const withoutComment = (text: string): string => text.replace(/(^|\s)#.*$/, '').trimEnd();

const textOfKey = (value: unknown): string => (value === null ? '' : String(value));

/** The text of a key on one line. */
const keyOf = (text: string): string => (/^["']/.test(text) ? String(scalarOf(text)) : text);

const isQuoteClosed = (text: string): boolean =>
  text[0] === "'" ? /^'(?:[^']|'')*'(?!')/.test(text) : /^"(?:[^"\\]|\\[\s\S])*"/.test(text);

/** Whether all brackets outside of quotes are closed. */
function isFlowClosed(text: string): boolean {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g, '');
  return (bare.match(/[[{]/g)?.length ?? 0) <= (bare.match(/[\]}]/g)?.length ?? 0);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', e: '\x1b', _: '\u00a0' };

/** A text with or without quotes; without: also a whole number, true, false and null. */
function scalarOf(text: string): unknown {
  if (text[0] === "'") return text.slice(1, text.lastIndexOf("'")).replaceAll("''", "'");
  if (text[0] === '"')
    return text
      .slice(1, text.lastIndexOf('"'))
      .replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([\s\S]))/gi, (_, byte?: string, unit?: string, char?: string) =>
        char === undefined ? String.fromCharCode(Number.parseInt((byte ?? unit)!, 16)) : (ESCAPES[char] ?? char),
      );
  const plain = withoutComment(text);
  if (/^(-?[1-9]\d{0,14}|0)$/.test(plain)) return Number(plain);
  if (/^(true|false)$/i.test(plain)) return plain.toLowerCase() === 'true';
  return /^(null|~|)$/i.test(plain) ? null : plain;
}

/** Lists and mappings in brackets. */
class Flow {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly fail: (message: string) => never,
  ) {}

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) this.fail(`values are nested more than ${MAX_DEPTH} deep`);
    this.#space();
    const char = this.text[this.#at];
    if (char !== '[' && char !== '{') return scalarOf(this.#take(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,[\]{}]*/y));
    this.#at++;
    const list: unknown[] = [];
    const entries: [string, unknown][] = [];
    const end = char === '[' ? ']' : '}';
    for (;;) {
      this.#space();
      if (this.text[this.#at] === end) break;
      if (this.#at >= this.text.length) this.fail(`"${end}" is missing`);
      if (char === '[') list.push(this.value(depth + 1));
      else {
        const key = this.#take(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?:[^:,[\]{}]|:(?!\s))*/y);
        this.#space();
        const hasValue = this.text[this.#at] === ':';
        if (hasValue) this.#at++;
        entries.push([keyOf(key), hasValue ? this.value(depth + 1) : null]);
      }
      this.#space();
      if (this.text[this.#at] === ',') this.#at++;
      else if (this.text[this.#at] !== end) this.fail(`"," or "${end}" is missing`);
    }
    this.#at++;
    return char === '[' ? list : Object.fromEntries(entries);
  }

  #space(): void {
    this.#take(/\s*/y);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.text)!;
    this.#at += found.length;
    return found.trim();
  }
}
