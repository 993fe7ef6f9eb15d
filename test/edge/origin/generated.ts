/** Responses that are well-formed, generated with what they mean. */
import fc from '../../support/fc.ts';

export interface Meaning {
  readonly status: number;
  /** As they are passed on, content-length included. */
  readonly headers: readonly string[];
  readonly body: string;
  readonly trailers: readonly string[];
  /** The statuses of 1xx before it. */
  readonly informs: readonly number[];
  /** The connection may carry another request. */
  readonly isKept: boolean;
}

export interface Generated {
  readonly method: string;
  /** A character a byte. */
  readonly bytes: string;
  /** Ends with the connection. */
  readonly isClosed: boolean;
  readonly meaning: Meaning;
}

const TOKEN = [..."!#$%&'*+-.^_`|~0123456789ABCXYZabcxyz"];
const VALUE = [...' \t!"()/:;<=>?@[]{}abcXYZ019\x80\xe9\xff'];

const join = (pieces: readonly string[]): string => pieces.join('');
const name = fc.array(fc.constantFrom(...TOKEN), { minLength: 1, maxLength: 12 }).map((pieces) => `x-${join(pieces)}`);
const value = fc
  .array(fc.constantFrom(...VALUE), { maxLength: 20 })
  .map((pieces) => join(pieces).replace(/^[ \t]+|[ \t]+$/g, ''));
const blank = fc.constantFrom('', ' ', '\t', '  ');
const field = fc.tuple(name, blank, value, blank);
const data = fc
  .uint8Array({ maxLength: 80 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'))
  // What a reader could take for something else.
  .chain((text) => fc.constantFrom(text, `${text}\r\n\r\n`, `\r\n0\r\n\r\n${text}`, `HTTP/1.1 200 OK\r\n\r\n${text}`));
const cased = (text: string): fc.Arbitrary<string> => fc.constantFrom(text, text.toUpperCase(), text.toLowerCase());
const inform = fc.tuple(fc.constantFrom(100, 102, 103), fc.array(field, { maxLength: 2 }));

const parts = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST'),
  version: fc.constantFrom('1.1', '1.1', '1.1', '1.0'),
  status: fc.constantFrom(200, 200, 200, 204, 206, 301, 304, 404, 500, 599),
  reason: fc.constantFrom(' OK', ' ', '', ' Not \xe9\t!'),
  fields: fc.array(field, { maxLength: 6 }),
  framing: fc.constantFrom('length', 'length', 'chunked', 'chunked', 'close'),
  chunks: fc.array(data, { maxLength: 4 }),
  extension: fc.constantFrom('', '', ';a', ';a=b', ' ;a="b;c"', ';\x80'),
  zeros: fc.constantFrom('', '', '0', '00'),
  trailers: fc.array(field, { maxLength: 2 }),
  connection: fc.constantFrom('', '', 'keep-alive', 'close', 'Keep-Alive, X-Named', 'CLOSE'),
  informs: fc.array(inform, { maxLength: 2 }),
  lengthName: cased('Content-Length'),
  codingName: cased('Transfer-Encoding'),
  coding: cased('chunked'),
  twice: fc.constantFrom('', ', '),
});

export const generated: fc.Arbitrary<Generated> = parts.map((given) => {
  const { method, version, status, fields, chunks, connection } = given;
  const isBodiless = method === 'HEAD' || status === 204 || status === 304;
  // HTTP/1.0 has no chunks; and a 204 neither a length nor chunks.
  const framing = version === '1.0' && given.framing === 'chunked' ? 'length' : given.framing;
  const body = chunks.join('');
  const lines = fields.map(([key, space, text, after]) => `${key}:${space}${text}${after}\r\n`);
  const isNamed = connection.endsWith('X-Named');
  const headers = fields.flatMap(([key, , text]) =>
    isNamed && key.toLowerCase() === 'x-named' ? [] : [key.toLowerCase(), text],
  );
  if (connection !== '') lines.unshift(`Connection: ${connection}\r\n`);
  if (isNamed) lines.push('X-Named: of the connection\r\n');
  const { length } = body;
  if (framing === 'length' && status !== 204) {
    lines.push(`${given.lengthName}: ${length}${given.twice === '' ? '' : `${given.twice}${length}`}\r\n`);
    headers.push('content-length', `${length}`);
  }
  if (framing === 'chunked' && status !== 204) lines.unshift(`${given.codingName}: ${given.coding}\r\n`);
  const isClosed = !isBodiless && framing === 'close';
  const isLast = isClosed || /close/i.test(connection) || (version === '1.0' && !/keep-alive/i.test(connection));
  // A body that is announced where none may come is not waited for.
  const saysBody = framing === 'chunked' || (framing === 'length' && length > 0);
  const isDoubtful = method === 'HEAD' || (status === 304 && saysBody);
  const before = given.informs.map(
    ([code, extra]) => `HTTP/1.1 ${code} X\r\n${extra.map(([key, , text]) => `${key}: ${text}\r\n`).join('')}\r\n`,
  );
  const head = `HTTP/${version} ${status}${given.reason}\r\n${lines.join('')}\r\n`;
  const hasTrailers = framing === 'chunked' && !isBodiless;
  return {
    method,
    bytes: before.join('') + head + (isBodiless ? '' : framing === 'chunked' ? chunked(given) : body),
    isClosed,
    meaning: {
      status,
      headers,
      body: isBodiless ? '' : body,
      trailers: hasTrailers ? given.trailers.flatMap(([key, , text]) => [key.toLowerCase(), text]) : [],
      informs: given.informs.map(([code]) => code),
      isKept: !isLast && !isDoubtful,
    },
  };
});

interface Chunked {
  readonly chunks: readonly string[];
  readonly zeros: string;
  readonly extension: string;
  readonly trailers: readonly (readonly string[])[];
}

function chunked({ chunks, zeros, extension, trailers }: Chunked): string {
  const coded = chunks
    .filter((chunk) => chunk !== '')
    .map(
      (chunk, i) =>
        `${zeros}${i % 2 === 0 ? chunk.length.toString(16) : chunk.length.toString(16).toUpperCase()}${extension}\r\n${chunk}\r\n`,
    );
  const lines = trailers.map(([key, before, text, after]) => `${key}:${before}${text}${after}\r\n`);
  return `${coded.join('')}${zeros}0${extension}\r\n${lines.join('')}\r\n`;
}
