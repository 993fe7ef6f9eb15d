/** How response heads are written: what is indexed, what never, and what needs no table. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HpackDecoder, NEVER_INDEXED } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { blockBound, encodeStateless, HEAD_BOUND, HpackEncoder } from '../../../../../edge/http/http2/hpack/encoder.ts';
import { STATIC_TABLE } from '../../../../../edge/http/http2/hpack/tables.ts';
import { lineBound } from '../../../../../edge/http/http2/hpack/write.ts';
import fc from '../../../../support/fc.ts';
import { decode, encode, WIDE } from './fixture.ts';

const HEAD = [
  ...['server', 'waypost', 'content-type', 'text/html; charset=utf-8', 'cache-control', 'public, max-age=3600'],
  ...['x-frame-options', 'DENY', 'date', 'Sat, 21 Nov 2026 09:28:21 GMT', 'content-length', '2000', 'etag', '"a"'],
];

function response(encoder: HpackEncoder, status: number, fields: readonly string[]): Uint8Array {
  const target = new Uint8Array(blockBound(fields));
  return target.slice(0, encoder.fields(target, encoder.status(target, encoder.begin(target, 0), status), fields));
}

test('the static table: each line is one byte', () => {
  assert.is(STATIC_TABLE.length, 62);
  for (let index = 1; index < STATIC_TABLE.length; index++) {
    const { name, value } = STATIC_TABLE[index];
    assert.equal([...encode(new HpackEncoder(), [name, value])], [0x80 | index], `${name}: ${value}`);
    assert.equal([...encodeStateless(0, [name, value])], [0x80 | index]);
  }
});

test('repeated lines are indexed, changing ones are not', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(WIDE);
  const first = response(encoder, 200, HEAD);
  const size = encoder.tableSize;
  const second = response(encoder, 200, HEAD);
  assert.is(encoder.tableSize, size, 'nothing new');
  for (const block of [first, second]) {
    const { outcome, lines, flags } = decode(decoder, block);
    assert.equal([outcome, lines], ['decoded', [':status', '200', ...HEAD]]);
    assert.ok(flags.every((flag) => (flag & NEVER_INDEXED) === 0));
  }
  const entries = ['server', 'content-type', 'cache-control', 'x-frame-options'];
  const expected = HEAD.reduce(
    (sum, text, i) => (entries.includes(HEAD[i - (i % 2)]) ? sum + text.length + 16 : sum),
    0,
  );
  assert.is(size, expected);
  assert.equal([...second.slice(0, 5)], [0x88, 0x80 | 65, 0x80 | 64, 0x80 | 63, 0x80 | 62]);
});

test('a status beyond the static table is indexed', () => {
  const encoder = new HpackEncoder();
  assert.is(response(encoder, 301, []).length > 1, true);
  assert.equal([...response(encoder, 301, [])], [0x80 | 62]);
});

test('changing values are literal while short, Huffman-coded beyond', () => {
  const raw = encode(new HpackEncoder(), ['etag', 'a'.repeat(32)]);
  assert.equal([...raw], [0x0f, 34 - 15, 32, ...Buffer.from('a'.repeat(32))]);
  const coded = encode(new HpackEncoder(), ['etag', 'a'.repeat(33)]);
  assert.equal([...coded.slice(0, 3)], [0x0f, 34 - 15, 0x80 | 21]);
  const unlisted = encode(new HpackEncoder(), ['x-request-id', 'ÿ\t']);
  assert.equal(decode(new HpackDecoder(WIDE), unlisted).lines, ['x-request-id', 'ÿ\t']);
  assert.equal([...unlisted.slice(-3)], [2, 0xff, 0x09]);
});

test('secrets are never indexed, with or without a table', () => {
  for (const name of [
    'set-cookie',
    'authorization',
    'proxy-authorization',
    'cookie',
    'www-authenticate',
    'x-api-key',
  ]) {
    const encoder = new HpackEncoder();
    for (const block of [encode(encoder, [name, 'a=b']), encodeStateless(0, [name, 'a=b'])]) {
      const { lines, flags } = decode(new HpackDecoder(WIDE), block);
      assert.equal(lines, [name, 'a=b']);
      assert.is(flags[0] & NEVER_INDEXED, NEVER_INDEXED, name);
    }
    assert.is(encoder.tableSize, 0);
  }
});

test('a line that would evict most of the table is not indexed', () => {
  const encoder = new HpackEncoder();
  encode(encoder, ['x-a', 'v'.repeat(2048 - 35)]);
  assert.is(encoder.tableSize, 2048);
  encode(encoder, ['x-b', 'v'.repeat(2049 - 35)]);
  assert.is(encoder.tableSize, 2048);
});

test('a name of the dynamic table serves another value', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(WIDE);
  for (const value of ['one', 'two', 'three', 'one']) {
    const block = encode(encoder, ['x-custom-name', value]);
    assert.equal(decode(decoder, block).lines, ['x-custom-name', value]);
  }
  assert.is(encode(encoder, ['x-custom-name', 'four'])[0], 0x40 | 62);
});

test('blocks without a table: the same for all connections, in parts, between others', () => {
  const constant = encodeStateless(200, HEAD);
  const date = encodeStateless(0, ['date', 'Sat, 21 Nov 2026 09:28:22 GMT']);
  assert.is(date[0], 0x0f, 'a literal with a name of the static table');
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(WIDE);
  const whole = Uint8Array.from([...constant, ...date]);
  for (let i = 0; i < 3; i++) {
    const { outcome, lines } = decode(decoder, whole);
    assert.equal([outcome, lines], ['decoded', [':status', '200', ...HEAD, 'date', 'Sat, 21 Nov 2026 09:28:22 GMT']]);
    assert.equal(decode(decoder, response(encoder, 404, HEAD)).lines, [':status', '404', ...HEAD]);
    assert.is(decoder.tableSize, encoder.tableSize);
  }
});

test('no block is longer than its bound', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => String.fromCharCode(...bytes)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), fc.integer({ min: 100, max: 599 }), (texts, status) => {
      const fields = texts.slice(0, texts.length & ~1);
      const encoder = new HpackEncoder();
      encoder.allowTableSize(0);
      encoder.allowTableSize(4000);
      const target = new Uint8Array(blockBound(fields) + 1).fill(0xee);
      const head = encoder.status(target, encoder.begin(target, 0), status);
      assert.ok(head <= HEAD_BOUND);
      let at = head;
      for (let i = 0; i < fields.length; i += 2) {
        const next = encoder.line(target, at, fields[i], fields[i + 1]);
        assert.ok(next - at <= lineBound(fields[i], fields[i + 1]));
        at = next;
      }
      assert.is(target[target.length - 1], 0xee);
      assert.equal(decode(new HpackDecoder(WIDE), target.slice(0, at)).lines, [':status', String(status), ...fields]);
      assert.equal(decode(new HpackDecoder(WIDE), encodeStateless(status, fields)).lines, [
        ':status',
        String(status),
        ...fields,
      ]);
    }),
    { numRuns: 500 },
  );
});

test.run();
