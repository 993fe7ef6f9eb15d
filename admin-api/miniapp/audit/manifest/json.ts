/**
 * A JSON parser (RFC 8259) that keeps the offset of each value and duplicate members. JSON.parse
 * keeps neither. Libraries that do accept more than JSON and recurse without a limit.
 */

/** Offset in the text, in UTF-16 units. */
interface At {
  readonly start: number;
}

export interface JsonMember extends At {
  readonly key: string;
  readonly value: JsonValue;
}

export type JsonValue =
  | (At & { readonly type: 'object'; readonly members: readonly JsonMember[] })
  | (At & { readonly type: 'array'; readonly items: readonly JsonValue[] })
  | (At & { readonly type: 'string'; readonly value: string })
  | (At & { readonly type: 'number'; readonly value: number })
  | (At & { readonly type: 'boolean'; readonly value: boolean })
  | (At & { readonly type: 'null' });

export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    /** Offset of the unexpected character. */
    readonly offset: number,
  ) {
    super(message);
  }
}

/** Maximum depth of nested objects and arrays. */
const MAX_DEPTH = 32;

const BLANK = /[\t\n\r ]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Up to the closing quotation mark. JSON.parse decodes the escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what may not stand in a string.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /true|false|null/y;

/** Throws JsonSyntaxError. */
export function parseJson(text: string): JsonValue {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  #at = 0;

  constructor(private readonly text: string) {}

  end(): void {
    this.#skip();
    if (this.#at < this.text.length) this.#fail('Something follows the end of the JSON value');
  }

  value(depth: number): JsonValue {
    this.#skip();
    const start = this.#at;
    const first = this.text[start];
    if (first === '{' || first === '[') {
      if (depth === MAX_DEPTH) this.#fail(`More than ${MAX_DEPTH} objects and arrays within one another`);
      this.#at++;
      return first === '{'
        ? { start, type: 'object', members: this.#list('}', () => this.#member(depth + 1)) }
        : { start, type: 'array', items: this.#list(']', () => this.value(depth + 1)) };
    }
    if (first === '"') return { start, type: 'string', value: this.#string() };
    const literal = this.#match(LITERAL);
    if (literal === 'null') return { start, type: 'null' };
    if (literal !== undefined) return { start, type: 'boolean', value: literal === 'true' };
    const number = this.#match(NUMBER);
    if (number !== undefined) return { start, type: 'number', value: Number(number) };
    return this.#fail(
      'A value is expected here: an object, an array, a string in double quotation marks, a number, true, false or null',
    );
  }

  #member(depth: number): JsonMember {
    this.#skip();
    const start = this.#at;
    if (this.text[start] !== '"') this.#fail('The name of a member is expected here, in double quotation marks');
    const key = this.#string();
    this.#skip();
    if (this.text[this.#at] !== ':') this.#fail('A colon is expected here');
    this.#at++;
    return { start, key, value: this.value(depth) };
  }

  #list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    this.#skip();
    if (this.text[this.#at] === close) {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(item());
      this.#skip();
      const next = this.text[this.#at];
      if (next !== ',' && next !== close) this.#fail(`A comma or ${close} is expected here`);
      this.#at++;
      if (next === close) return items;
      this.#skip();
      if (this.text[this.#at] === close) this.#fail('JSON has no comma behind the last one');
    }
  }

  #string(): string {
    const text = this.#match(STRING);
    if (text === undefined)
      return this.#fail(
        'This string does not end in its line, or has a control or a backslash that JSON does not know',
      );
    return JSON.parse(text);
  }

  #skip(): void {
    this.#match(BLANK);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.text)?.[0];
    if (text !== undefined) this.#at += text.length;
    return text;
  }

  #fail(message: string): never {
    throw new JsonSyntaxError(message, this.#at);
  }
}
