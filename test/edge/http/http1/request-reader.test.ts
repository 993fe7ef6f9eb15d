/**
 * The reader of requests compared with one that is slow and plain: the same of every text, however
 * it is cut; and what it costs when it comes a byte at a time.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldList } from '../../../../edge/http/exchange/field-list.ts';
import type { Refusal } from '../../../../edge/http/http1/counters.ts';
import type { Http1Limits } from '../../../../edge/http/http1/limits.ts';
import type { RequestHead } from '../../../../edge/http/http1/request-head.ts';
import { RequestReader, type RequestSink } from '../../../../edge/http/http1/request-reader.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';
import { DEFAULT_HTTP1_LIMITS } from '../limits.ts';
import { type Reading, type Request, readAll, type Seen } from './reference.ts';

const CASES = depth({ quick: 800, moderate: 3000, full: 100_000 });
/** Short enough to be met by what is generated. */
const LIMITS: Http1Limits = { ...DEFAULT_HTTP1_LIMITS, headerBytes: 300, headerFields: 8, targetLength: 60 };

/** What a connection would receive. Takes `most` bytes of a body before it asks for a rest. */
class Ears implements RequestSink {
  readonly seen: Seen[] = [];
  readonly reader: RequestReader;
  readonly #most: number;
  #taken = 0;

  constructor(limits: Http1Limits, most: number, isEncrypted = false) {
    this.reader = new RequestReader(this, limits, isEncrypted);
    this.#most = most;
  }

  get #last(): Request {
    return this.seen.at(-1) as Request;
  }

  mayBegin(): boolean {
    return true;
  }

  onHead(head: RequestHead): void {
    const { method, version, isLast, authority, path, headers, expectsContinue, refusal } = head;
    const isOurs = refusal === null;
    this.seen.push({
      ...{ method, version, isLast, status: refusal?.status ?? 0, protocol: isOurs ? head.protocol : '' },
      ...{ authority: isOurs ? authority : '', path: isOurs ? path : '', headers: isOurs ? headers : [] },
      expectsContinue: isOurs && expectsContinue,
      body: '',
      trailers: head.length === 0 && (head.protocol === '' || !isOurs) ? [] : null,
    });
  }

  onBody(bytes: Buffer): boolean {
    assert.ok(bytes.length > 0);
    this.#last.body += bytes.toString('latin1');
    this.#taken += bytes.length;
    return this.#taken % this.#most !== 0;
  }

  onBodyEnd(trailers: FieldList): void {
    assert.is(this.#last.trailers, null);
    this.#last.trailers = trailers;
  }

  onRefused(refusal: Refusal): void {
    this.seen.push({ refused: refusal.status });
  }

  /** In a buffer that is overwritten behind each part, as those of sockets are. */
  feed(parts: readonly string[]): Seen[] {
    const memory = Buffer.alloc(Math.max(1, ...parts.map(({ length }) => length)));
    for (const part of parts) {
      memory.write(part, 'latin1');
      this.reader.push(memory.subarray(0, part.length));
      memory.fill('#');
      while (this.reader.isBlocked) {
        this.reader.resume();
        if (!this.reader.isHolding) break;
      }
    }
    return this.seen;
  }
}

function compare(value: string, parts: readonly string[], most = 1 << 30): void {
  const expected: Reading = readAll(value, LIMITS, false);
  const seen = new Ears(LIMITS, most).feed(parts);
  // What cannot become a line may be refused before its end has come, or only then.
  const isEarly = expected.isWithin && seen.length === expected.seen.length + 1 && 'refused' in (seen.at(-1) as Seen);
  const events = isEarly ? seen.slice(0, -1) : seen;
  assert.equal(events.map(sizeless), expected.seen.map(sizeless), JSON.stringify({ text: value, parts }));
}

/** What is too long and malformed is either, by what of it came first. */
const sizeless = (seen: Seen): Seen =>
  'refused' in seen && [414, 431].includes(seen.refused) ? { refused: 400 } : seen;

const data = (value: string): string[] => [...value];

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
/** What is usual comes most. */
const mostly = (usual: string, ...others: string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(...others) });

const newline = mostly('\r\n', '\n', '\r', '\r\r\n', '\r\n ');
const startLine = fc
  .tuple(
    fc.oneof({ weight: 10, arbitrary: oneOf('GET', 'POST', 'OPTIONS') }, oneOf('get', 'CONNECT', 'PRI', 'G(T', '')),
    mostly(' ', '  ', '\t', ''),
    fc.oneof(
      { weight: 10, arbitrary: oneOf('/', '/a?b', '/|^"') },
      oneOf(
        '*',
        'http://a.test',
        'http://a.test/b',
        'https://a.test/',
        'HTTP://b@a.test/',
        'a',
        '/#',
        `/${'a'.repeat(60)}`,
      ),
    ),
    mostly(' HTTP/1.1', ' HTTP/1.0', ' HTTP/1.2', ' HTTP/2.0', ' http/1.1', ' RTSP/1.0', '', ' HTTP/1.10'),
    newline,
  )
  .map((parts) => parts.join(''));
const fieldLine = fc
  .tuple(
    oneOf('X-A', 'x-b', 'Connection', 'Upgrade', 'TE', 'Expect', 'Keep-Alive', 'Cookie', 'Accept', 'X-A'),
    mostly(':', ' :', '', '\t:', ': ', ':\t '),
    fc.oneof(
      oneOf('a', '', 'é\xff', 'a\tb', 'close', 'keep-alive', 'upgrade', 'upgrade, close, x-a', 'websocket', 'h2c'),
      oneOf('tcp', 'SPDY/3.1', 'TLS/1.2', 'a/b/c', 'tcp, h2c'),
      oneOf('trailers', '100-continue', 'a\0', 'a\x7f', 'x'.repeat(200), 'te, content-length', 'chunked'),
    ),
    mostly('', ' ', '\t'),
    newline,
  )
  .map((parts) => parts.join(''));
const framing = fc.oneof(
  {
    weight: 6,
    arbitrary: oneOf('', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'content-length:\t0005 \r\n'),
  },
  oneOf(
    ...['Content-Length: 3\r\nContent-Length: 3\r\n', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'],
    ...['Content-Length: +3\r\n', 'Content-Length: \r\n', 'Content-Length: 3\t\r\n', 'Content-Length: 3, 3\r\n'],
    ...['Content-Length: 9007199254740992\r\n', 'Content-Length: 18446744073709551616\r\n'],
    ...['Transfer-Encoding: gzip, chunked\r\n', 'Transfer-Encoding: chunked, gzip\r\n', 'Transfer-Encoding:\r\n'],
    ...['Transfer-Encoding: chunked\t\r\n', 'Transfer-Encoding: Chunked \r\n', 'Transfer-Encoding: ,chunked\r\n'],
  ),
);
const host = mostly('Host: A.test\r\n', '', 'Host: a\r\nHost: a\r\n', 'Host: a/b\r\n', 'Host:\r\n', 'Host: u@a\r\n');
const chunk = fc
  .tuple(
    mostly('3', '0003', '3;a=b;c="d;\\"e"', '3;', '3;a="', ' 3', '3 ', '0x3', '-3', '', '20000000000003'),
    newline,
    mostly('abc', 'ab', 'abcd'),
    newline,
  )
  .map((parts) => parts.join(''));
const chunks = fc
  .tuple(
    fc.array(chunk, { maxLength: 3 }),
    mostly('0\r\n', '000;x\r\n', '0\n'),
    fc.array(fc.oneof(fieldLine, oneOf('Host: b\r\n', 'Content-Length: 3\r\n', 'Trailer: a\r\n')), { maxLength: 2 }),
    newline,
  )
  .map(([parts, last, trailers, end]) => parts.join('') + last + trailers.join('') + end);
const body = fc.oneof(oneOf('', 'abc', 'abcde'), chunks);
const request = fc
  .tuple(mostly('', '\r\n', '\n'), startLine, host, framing, fc.array(fieldLine, { maxLength: 5 }), newline, body)
  .map((parts) => parts.flat().join(''));
const text = fc.array(request, { minLength: 1, maxLength: 3 }).map((all) => all.join(''));

test('generated requests are read the same whole, by byte and split anywhere', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(600), { maxLength: 4 }), fc.integer({ min: 1, max: 5 }), (line, cuts, most) => {
      compare(line, [line]);
      compare(line, data(line), most);
      const at = [0, ...cuts.filter((cut) => cut < line.length).sort((a, b) => a - b), line.length];
      const parts = at.slice(1).map((to, i) => line.slice(at[i], to));
      compare(
        line,
        parts.filter((part) => part !== ''),
        most,
      );
    }),
    { numRuns: CASES },
  );
});

const SOUND = [
  'GET /a?b HTTP/1.1\r\nHost: a.test\r\nCookie: a=b\r\nX-A: b\r\n\r\nGET / HTTP/1.1\r\nHost: a.test\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nabcdeGET / HTTP/1.0\r\nHost: a\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTE: trailers\r\n\r\n3;a="b"\r\nabc\r\n0\r\nX-A: b\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET / HTTP/1.1\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n\r\n',
];

test('requests are read the same split at every byte, also with one byte missing, doubled or changed', () => {
  for (const value of SOUND)
    for (let at = 0; at <= value.length; at++) {
      compare(
        value,
        [value.slice(0, at), value.slice(at)].filter((part) => part !== ''),
      );
      const others = [...'\r\n\t\0 :;,0aA\x7f\xff'].map((byte) => value.slice(0, at) + byte + value.slice(at + 1));
      for (const other of [
        value.slice(0, at),
        value.slice(0, at) + value.slice(at + 1),
        value.slice(0, at) + value.slice(at - 1),
        ...others,
      ])
        compare(other, [other]);
    }
});

test('a repeated line is recognised, one that differs in a byte is read anew', () => {
  const head = (name: string, value: string): string => `GET / HTTP/1.1\r\nHost: a\r\n${name}: ${value}\r\n\r\n`;
  const values = ['a'.repeat(150), `${'a'.repeat(149)}b`, `b${'a'.repeat(149)}`, 'a'.repeat(149)];
  for (let round = 0; round < 3; round++)
    for (const value of values)
      for (const name of ['x-a', 'X-A', 'x-b']) compare(head(name, value), [head(name, value)]);
});

test('a line of 400,000 single bytes takes linear time', () => {
  const limits = { ...DEFAULT_HTTP1_LIMITS, headerBytes: 1 << 20 };
  const length = 400_000;
  for (const begin of ['X-A: ', 'a']) {
    const ears = new Ears(limits, 1 << 30);
    const byte = Buffer.from('a');
    const started = process.cpuUsage();
    ears.reader.push(Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\n${begin}`));
    for (let i = 0; i < length; i++) ears.reader.push(byte);
    ears.reader.push(Buffer.from(begin === 'a' ? ':\r\n\r\n' : '\r\n\r\n'));
    // If each byte made all before it be looked at, it would be 80,000,000,000 steps.
    assert.ok(process.cpuUsage(started).user < 10_000_000);
    const [{ headers }] = ears.seen as Request[];
    assert.is(headers.join('').length, begin === 'a' ? length + 1 : length + 3);
  }
});

test('reading a value takes linear time', () => {
  const noughts = '0'.repeat(32_000);
  const rows: readonly (readonly [line: string, seen: unknown])[] = [
    [`Content-Length: ${noughts}x`, { refused: 400 }],
    [`Content-Length: ${noughts}${2n ** 64n}`, { refused: 400 }],
    [`Content-Length: ${noughts}${2n ** 64n - 1n}`, { refused: 413 }],
    [`Content-Length: ${noughts}18446744073709551`, { refused: 413 }],
    [`Transfer-Encoding: ${','.repeat(32_000)}`, { refused: 400 }],
    [`Expect: ${noughts}`, 417],
    [`Host: ${'a.'.repeat(16_000)}:`, 400],
  ];
  for (const [line, seen] of rows) {
    const ears = new Ears(DEFAULT_HTTP1_LIMITS, 1 << 30);
    const prefix = line.startsWith('Host') ? '' : 'Host: a\r\n';
    const bytes = Buffer.from(`POST / HTTP/1.1\r\n${prefix}${line}\r\n\r\n`);
    const started = process.cpuUsage();
    ears.reader.push(bytes);
    // It takes a millisecond at most; two seconds, where a value was tried from each of its bytes.
    assert.ok(process.cpuUsage(started).user < 300_000, line.slice(0, 20));
    const last = ears.seen.at(-1)!;
    assert.equal('refused' in last ? last : last.status, seen, line.slice(0, 20));
  }
});

test('empty lines before a request count once, however they are split', () => {
  for (const [count, length] of [
    [64, 1],
    [65, 0],
  ]) {
    const ears = new Ears(DEFAULT_HTTP1_LIMITS, 1 << 30);
    for (const byte of '\r\n'.repeat(count)) ears.reader.push(Buffer.from(byte));
    ears.reader.push(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    assert.is(ears.seen.filter((seen) => !('refused' in seen)).length, length);
  }
});

test('connection options are looked up in constant time for each line', () => {
  const ears = new Ears({ ...DEFAULT_HTTP1_LIMITS, headerBytes: 1 << 20, headerFields: 20_000 }, 1 << 30);
  const options = Array.from({ length: 100_000 }, () => 'b').join();
  const bytes = Buffer.from(
    `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${options}\r\n${'a: \r\nb: \r\n'.repeat(9_000)}\r\n`,
  );
  const started = process.cpuUsage();
  ears.reader.push(bytes);
  // 20 milliseconds; four seconds if they were.
  assert.ok(process.cpuUsage(started).user < 500_000);
  assert.equal((ears.seen[0] as Request).headers, Array(9_000).fill(['a', '']).flat());
});

test('an endless request is refused at its limit, and nothing more is buffered', () => {
  const rows: readonly (readonly [begin: string, more: string, status: number])[] = [
    ['', '\r\n', 400],
    ['', 'a', 414],
    ['GET /', 'a', 414],
    ['GET / HTTP/1.1\r\n', 'a', 431],
    ['GET / HTTP/1.1\r\nX: ', 'a', 431],
    ['GET / HTTP/1.1\r\n', 'X: a\r\n', 431],
    ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', '0', 413],
    ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;', 'a', 413],
    ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X: a\r\n', 431],
  ];
  for (const [begin, more, status] of rows) {
    const ears = new Ears(DEFAULT_HTTP1_LIMITS, 1 << 30);
    ears.reader.push(Buffer.from(begin));
    for (let sent = 0; sent < 50_000; sent += more.length) ears.reader.push(Buffer.from(more));
    assert.equal(ears.seen.at(-1), { refused: status }, `${begin}${more}`);
    assert.is(ears.reader.isInHead, false);
  }
});

test.before(() => console.log(`WAYPOST_SEED=${SEED}`));
test.run();
