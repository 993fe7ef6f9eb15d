/** Reads the fields of a record's content in order. Errors state the fault and the correct form. */
import { InvalidError } from '../../../base/errors.ts';
import { typeName } from '../mnemonics.ts';
import { type Name, toAscii } from '../name.ts';
import { type Field, parseNameBytes, shown, toText } from './fields.ts';

/**
 * Bytes of text that can still be a name: 255 bytes, each as `\DDD` or as the UTF-8 of a character,
 * decomposed ones among them. The time that Unicode labels take grows with the square of their
 * length.
 */
const MAX_NAME_TEXT = 2048;

/** How names are read. */
export interface NameContext {
  /** The name that `@` stands for; undefined: `@` is not allowed. */
  readonly apex: Name | undefined;
  /** Completes names without the last dot. */
  readonly origin: Name;
  /** Whether labels may be Unicode (RFC 5890 2.3.2.1, U-labels). */
  readonly unicode: boolean;
}

export class FieldReader {
  readonly #type: number;
  readonly #example: string;
  readonly #fields: readonly Field[];
  readonly #names: NameContext;
  #next = 0;

  constructor(type: number, example: string, fields: readonly Field[], names: NameContext) {
    this.#type = type;
    this.#example = example;
    this.#fields = fields;
    this.#names = names;
  }

  fail(what: string, rule: string, text?: string, code = 'invalid_content'): never {
    const found = text === undefined ? '' : `, not ${shown(text)}`;
    throw new InvalidError(
      code,
      `${typeName(this.#type)} content: the ${what} ${rule}${found}. Write it like: ${this.#example}`,
      { pointer: '/content' },
    );
  }

  get left(): number {
    return this.#fields.length - this.#next;
  }

  get type(): number {
    return this.#type;
  }

  /** The next field, without consuming it. */
  peek(): Field | undefined {
    return this.#fields[this.#next];
  }

  /** The next field as it stands. */
  field(what: string): Field {
    const field = this.#fields[this.#next++];
    return field ?? this.fail(what, 'is missing');
  }

  /** The next field, which must not be quoted: a number, a name, an address. */
  word(what: string): string {
    const field = this.field(what);
    if (field.quoted) this.fail(what, 'must not be quoted', field.text);
    return field.text;
  }

  /**
   * All fields that are left, joined: hexadecimal and Base64 data may be cut by white space
   * anywhere.
   */
  joinedWords(what: string): string {
    let text = this.word(what);
    while (this.left > 0) text += this.word(what);
    return text;
  }

  /** A decimal number from 0 to `max`. */
  integer(what: string, max: number): number {
    const text = this.word(what);
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value <= max)) this.fail(what, `must be a whole number from 0 to ${max}`, text);
    return value;
  }

  name(what: string): Name {
    const text = this.word(what);
    const { apex, origin, unicode } = this.#names;
    if (text === '@') return apex ?? this.fail(what, 'must be a complete name', text, 'invalid_name');
    if (text.length > MAX_NAME_TEXT)
      this.fail(what, 'is not a domain name: it is longer than 255 bytes', text, 'invalid_name');
    try {
      return parseNameBytes(unicode ? toAscii(toText(text), '/content') : text, origin);
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      return this.fail(what, `is not a domain name (${error.message.replace(/\.$/, '')})`, undefined, error.code);
    }
  }

  /** Ends reading. Throws if a field is left. */
  end(): void {
    if (this.left > 0) this.fail(`field ${shown(this.#fields[this.#next].text)}`, 'is unexpected');
  }
}
