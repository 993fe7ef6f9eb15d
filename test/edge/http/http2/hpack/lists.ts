/**
 * Header lists by chance, such as node:http2 is willing to send: much that repeats, some that does
 * not, some that is large.
 */

import type { OutgoingHttpHeaders } from 'node:http2';
import { sensitiveHeaders } from 'node:http2';
import { STATIC_TABLE } from '../../../../../edge/http/http2/hpack/tables.ts';
import type { Random } from '../../../../support/random.ts';

/**
 * What node:http2 refuses to send or to receive without more: fields of the connection, and those
 * that frame a message.
 */
const UNFIT = ['host', 'transfer-encoding', 'content-length', 'date', 'set-cookie', 'cookie'];
const KNOWN = STATIC_TABLE.map(({ name }) => name).filter(
  (name) => name !== '' && !name.startsWith(':') && !UNFIT.includes(name),
);
const REPEATABLE = ['set-cookie', 'cookie', 'x-many', 'x-a'];
const TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
/** Every byte that a value may hold; not at its ends, where some are cut off. */
const INSIDE = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).filter(
  (character) => character === '\t' || (character >= ' ' && character !== '\x7f'),
);
const AT_END = INSIDE.filter((character) => character > ' ');
const ALPHANUMERIC = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=;/.'];

export interface HeaderList {
  /** As node:http2 takes it; an array stands for lines one behind another. */
  readonly object: OutgoingHttpHeaders;
  readonly flat: string[];
  /** Names that are sent as never indexed. */
  readonly secret: readonly string[];
}

export class Lists {
  readonly #random: Random;
  /** What was used lately, and will be again. */
  readonly #values: string[] = ['', 'gzip, deflate', '1', 'text/html; charset=utf-8'];

  constructor(random: Random) {
    this.#random = random;
  }

  request(): HeaderList {
    const method = this.#random.pick(['GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE', 'X-ANY']);
    const scheme = this.#random.pick(['http', 'https']);
    const path = this.#random.pick(['/', '/index.html', `/${this.#word(40)}`]);
    const authority = this.#random.pick(['www.example.com', 'localhost:80', `${this.#random.below(1000)}.example`]);
    return this.#list({ ':method': method, ':scheme': scheme, ':authority': authority, ':path': path }, false);
  }

  response(): HeaderList {
    const status = this.#random.pick([200, 204, 206, 304, 400, 404, 500, 301, 403, 200 + this.#random.below(400)]);
    return this.#list({ ':status': String(status) }, true);
  }

  #list(pseudo: Readonly<Record<string, string>>, isDated: boolean): HeaderList {
    const object: OutgoingHttpHeaders = { ...pseudo };
    for (let n = this.#random.below(12); n > 0; n--) {
      if (this.#random.below(5) === 0) {
        const count = 1 + this.#random.below(4);
        object[this.#random.pick(REPEATABLE)] = Array.from({ length: count }, () => this.#value());
      } else object[this.#name()] = this.#value();
    }
    // At most one that is larger than the smaller tables.
    if (this.#random.below(50) === 0) object['x-large'] = this.#word(9000);
    if (isDated) object.date = `Sat, 21 Nov 2026 09:28:${10 + this.#random.below(50)} GMT`;
    const secret = this.#random.below(4) === 0 ? Object.keys(object).filter(() => this.#random.below(3) === 0) : [];
    const flat = Object.entries(object).flatMap(([name, value]) =>
      [value].flat().flatMap((item) => [name, String(item)]),
    );
    return { object: { ...object, [sensitiveHeaders]: secret }, flat, secret };
  }

  #name(): string {
    if (this.#random.below(3) > 0) return this.#random.pick(KNOWN);
    let name = 'x';
    for (let n = this.#random.below(12); n > 0; n--) name += TOKEN[this.#random.below(TOKEN.length)];
    return name;
  }

  #value(): string {
    if (this.#random.below(3) > 0) return this.#random.pick(this.#values);
    const value = this.#random.below(3) === 0 ? this.#bytes() : this.#word(120);
    if (this.#values.length < 60) this.#values.push(value);
    else this.#values[this.#random.below(60)] = value;
    return value;
  }

  #word(longest: number): string {
    let word = '';
    for (let n = this.#random.below(longest); n > 0; n--) word += this.#random.pick(ALPHANUMERIC);
    return word;
  }

  #bytes(): string {
    let inside = '';
    for (let n = this.#random.below(60); n > 0; n--) inside += this.#random.pick(INSIDE);
    return this.#random.pick(AT_END) + inside + this.#random.pick(AT_END);
  }
}
