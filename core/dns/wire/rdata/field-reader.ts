/** Reads the fields of a record's content in order. Errors state the fault and the correct form. */
import { isIP } from 'node:net';
import { InvalidError } from '../../../base/errors.ts';
import { typeName } from '../mnemonics.ts';
import { formatName, labelCount, MAX_NAME, type Name, toAscii } from '../name.ts';
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
  /**
   * Whether people typed the content. Names with two readings and what is no name of a host, such
   * as a URL, are then refused.
   */
  readonly isTyped: boolean;
}

interface FaultOptions {
  readonly code?: string;
  /** Texts of the field that would be accepted. */
  readonly choices?: readonly string[];
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

  fail(what: string, rule: string, text?: string, options: FaultOptions = {}): never {
    const found = text === undefined ? '' : `, not ${shown(text)}`;
    this.#refuse(`the ${what} ${rule}${found}. Write it like: ${this.#example}`, options);
  }

  #refuse(message: string, { code = 'invalid_content', choices }: FaultOptions): never {
    throw new InvalidError(code, `${typeName(this.#type)} content: ${message}`, {
      pointer: '/content',
      choices: choices?.length === 0 ? undefined : choices?.map((choice) => this.#contentWith(choice)),
    });
  }

  /** The content with another text of the field that was read last. */
  #contentWith(text: string): string {
    const parts = this.#fields.map((field, i) => {
      const part = i === this.#next - 1 ? text : field.quoted ? `"${toText(field.text)}"` : toText(field.text);
      return i === 0 || field.adjacent ? part : ` ${part}`;
    });
    return parts.join('');
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
    const { apex, origin, unicode, isTyped } = this.#names;
    if (text === '@') return apex ?? this.fail(what, 'must be a complete name', text, { code: 'invalid_name' });
    if (text.length > MAX_NAME_TEXT)
      this.fail(what, 'is too long: a name has at most 255 bytes', text, { code: 'invalid_name' });
    if (isTyped) this.#requireName(what, text);
    let ascii = text;
    let name: Name;
    try {
      if (unicode) ascii = toAscii(toText(text), '/content');
      name = parseNameBytes(ascii, origin);
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      const why = error.message.replace(/^The name /, '').replace(/\.$/, '');
      return this.#refuse(`the ${what} ${why}. Write it like: ${this.#example}`, { code: error.code });
    }
    if (isTyped && apex !== undefined) this.#requireOneReading(what, text, name, ascii, apex);
    return name;
  }

  /** Refuses what people write instead of a name, and what is a name only by the letter. */
  #requireName(what: string, text: string): void {
    const refuse = (rule: string, ...choices: string[]): never =>
      this.fail(what, `must be a name ${rule}`, text, { choices });
    const [, scheme, host] = /^([a-z][a-z0-9+.-]*:\/\/)([^/:?#]*)/i.exec(text) ?? [];
    if (scheme !== undefined) refuse(`without "${scheme}"`, ...(host === '' ? [] : [`${host}.`]));
    const family = isIP(text.replace(/^\[(.*)\]$/, '$1'));
    if (family !== 0) {
      const type = family === 4 ? 'A' : 'AAAA';
      const rule = `must be a name, but ${shown(text)} is an address; give it a name with an ${type} record`;
      this.fail(what, rule, undefined, { code: 'invalid_host' });
    }
    // With the final dot, all of it is meant as a name.
    if (text.endsWith('.')) return;
    const [, first, more] = /^([^:/\\]+)(:\d+|\/.*)$/s.exec(text) ?? [];
    if (more?.startsWith(':')) refuse('without a port', `${first}.`);
    if (more !== undefined && /\.[a-z][^.]*$/i.test(first)) refuse('without a path', `${first}.`);
    const [, local, mail] = /^([^@\\]+)@([^@\\]+)$/.exec(text) ?? [];
    if (mail !== undefined) refuse('with a dot for the "@" of a mailbox', `${local.replaceAll('.', '\\.')}.${mail}.`);
  }

  /**
   * A name without the final dot is absolute in the API, and relative in a master file. With one
   * label, people mean either; and a number, or a part of a reverse zone (RFC 2317), is no
   * top-level domain.
   */
  #requireOneReading(what: string, text: string, absolute: Name, ascii: string, apex: Name): void {
    const isOne = labelCount(absolute) === 1;
    if (!isOne && !/\.\d[\d/-]*$/.test(ascii)) return;
    if (absolute.length - 1 + apex.length > MAX_NAME) return;
    const relative = parseNameBytes(ascii, apex);
    if (relative.length === absolute.length) return;
    const [inside, top] = [formatName(relative), formatName(absolute)];
    this.#refuse(
      `the ${what} ${shown(text)} has ${isOne ? 'one label' : 'no top-level domain'} and no final dot. Write "${inside}" for the name in this domain, or "${top}" for the ${isOne ? 'top-level' : 'absolute'} name.`,
      { code: 'relative_target', choices: [inside, top] },
    );
  }

  /** Ends reading. Throws if a field is left. */
  end(): void {
    if (this.left > 0)
      this.fail(`field ${shown(this.#fields[this.#next].text)}`, 'is unexpected: each value is a record of its own');
  }
}
