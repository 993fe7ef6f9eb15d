/**
 * HPACK (RFC 7541) for tests: slow, plain, and nothing of the server's, so that both cannot share
 * an error. Pieces to write any block with, right or wrong, and a decoder of responses that throws
 * at what it does not know.
 */
import { decodeHuffman, encodeHuffman } from './huffman.ts';

/** Appendix A; `name: value`, the first has index 1. */
const STATIC: readonly string[] =
  `:authority: |:method: GET|:method: POST|:path: /|:path: /index.html|:scheme: http|:scheme: https|:status: 200|:status: 204
:status: 206|:status: 304|:status: 400|:status: 404|:status: 500|accept-charset: |accept-encoding: gzip, deflate|accept-language: |accept-ranges: |accept:${' '}
access-control-allow-origin: |age: |allow: |authorization: |cache-control: |content-disposition: |content-encoding: |content-language: |content-length:${' '}
content-location: |content-range: |content-type: |cookie: |date: |etag: |expect: |expires: |from: |host: |if-match: |if-modified-since: |if-none-match:${' '}
if-range: |if-unmodified-since: |last-modified: |link: |location: |max-forwards: |proxy-authenticate: |proxy-authorization: |range: |referer: |refresh:${' '}
retry-after: |server: |set-cookie: |strict-transport-security: |transfer-encoding: |user-agent: |vary: |via: |www-authenticate: `.split(
    /[|\n]/,
  );

/** The index after the static table, where the dynamic one begins (section 2.3.3). */
export const FIRST_DYNAMIC = STATIC.length + 1;

export type Line = readonly [name: string, value: string];

const lineOf = (text: string): Line => {
  const at = text.indexOf(': ');
  return [text.slice(0, at), text.slice(at + 2)];
};

/** Section 5.1: `prefix` bits of the first byte, whose upper bits are those of `pattern`. */
export function integer(value: number, prefix: number, pattern = 0): Buffer {
  const most = 2 ** prefix - 1;
  if (value < most) return Buffer.of(pattern | value);
  const data = [pattern | most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) data.push((rest % 128) | 128);
  return Buffer.from([...data, rest]);
}

/** Section 5.2. */
export function string(text: string, isHuffman = false): Buffer {
  const data = isHuffman ? encodeHuffman(text) : Buffer.from(text, 'latin1');
  return Buffer.concat([integer(data.length, 7, isHuffman ? 0x80 : 0), data]);
}

/** Section 6.1. */
export const indexed = (index: number): Buffer => integer(index, 7, 0x80);

/** Section 6.3. */
export const sizeUpdate = (data: number): Buffer => integer(data, 5, 0x20);

const LITERAL = {
  incremental: [6, 0x40],
  without: [4, 0],
  never: [4, 0x10],
} as const;

/** Section 6.2. `name`: as text, or as the index of an entry. */
export function literal(
  name: string | number,
  value: string,
  kind: keyof typeof LITERAL = 'without',
  isHuffman = false,
): Buffer {
  const [prefix, pattern] = LITERAL[kind];
  const head =
    typeof name === 'number' ? [integer(name, prefix, pattern)] : [Buffer.of(pattern), string(name, isHuffman)];
  return Buffer.concat([...head, string(value, isHuffman)]);
}

/** A block of literals that leaves no trace in any table. */
export const block = (lines: readonly Line[]): Buffer =>
  Buffer.concat(lines.map(([name, value]) => literal(name, value)));

/** Decodes the blocks of one connection, in their order. Throws an Error at a compression error. */
export class Decoder {
  readonly #dynamic: Line[] = [];
  #limit: number;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #isUpdateDue = false;

  /** `limit`: SETTINGS_HEADER_TABLE_SIZE as the client has sent it, bytes. */
  constructor(private readonly limit: number) {
    this.#limit = limit;
  }

  /** The next block has to begin with a size update. */
  expectSizeUpdate(): void {
    this.#isUpdateDue = true;
  }

  decode(bytes: Buffer): Line[] {
    this.#bytes = bytes;
    this.#at = 0;
    if (this.#isUpdateDue && (bytes[0] & 0xe0) !== 0x20) throw new Error('A size update is missing.');
    this.#isUpdateDue = false;
    const lines: Line[] = [];
    while (this.#at < bytes.length) {
      const first = bytes[this.#at];
      if (first >= 0x80) lines.push(this.#entry(this.#integer(7)));
      else if (first >= 0x40) {
        const line = this.#literal(6);
        this.#dynamic.unshift(line);
        this.#evict();
        lines.push(line);
      } else if (first >= 0x20) {
        if (lines.length > 0) throw new Error('A size update after a field line.');
        this.#limit = this.#integer(5);
        if (this.#limit > this.limit) throw new Error('A table larger than SETTINGS allow.');
        this.#evict();
      } else lines.push(this.#literal(4));
    }
    return lines;
  }

  #evict(): void {
    const size = (): number => this.#dynamic.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
    while (size() > this.#limit) this.#dynamic.pop();
  }

  #entry(index: number): Line {
    if (index > 0 && index < FIRST_DYNAMIC) return lineOf(STATIC[index - 1]);
    const line = this.#dynamic[index - FIRST_DYNAMIC];
    if (line === undefined) throw new Error(`No entry has the index ${index}.`);
    return line;
  }

  #literal(prefix: number): Line {
    const index = this.#integer(prefix);
    const name = index === 0 ? this.#string() : this.#entry(index)[0];
    return [name, this.#string()];
  }

  #integer(prefix: number): number {
    const most = 2 ** prefix - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  #string(): string {
    const isHuffman = this.#bytes[this.#at] >= 0x80;
    const length = this.#integer(7);
    if (this.#at + length > this.#bytes.length) throw new Error('A string goes on after the block.');
    const data = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return isHuffman ? decodeHuffman(data) : data.toString('latin1');
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw new Error('The block ends within an integer.');
    return this.#bytes[this.#at++];
  }
}
