/** RFC 7541 section 5.2 and appendix B. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isFieldName, isFieldValue, NOT_IN_NAME, NOT_IN_VALUE } from '../../../../../edge/http/exchange/fields.ts';
import {
  CODE_LENGTHS,
  CODES,
  DECODER_SPARE,
  decodedBound,
  decodeHuffman,
  EOS,
  HUFFMAN_EOS,
  HUFFMAN_PADDING,
  skipHuffman,
} from '../../../../../edge/http/http2/hpack/huffman.ts';
import { writeString } from '../../../../../edge/http/http2/hpack/write.ts';
import fc from '../../../../support/fc.ts';

/** Bits as text, filled up with ones. */
function bits(text: string): Uint8Array {
  const whole = text.padEnd(Math.ceil(text.length / 8) * 8, '1');
  return Uint8Array.from({ length: whole.length / 8 }, (_, i) => Number.parseInt(whole.slice(i * 8, i * 8 + 8), 2));
}

const code = (symbol: number): string => CODES[symbol].toString(2).padStart(CODE_LENGTHS[symbol], '0');

/**
 * As the plainest reading of the RFC has it: the code that the rest begins with, until what is left
 * may be padding.
 */
function reference(coded: Uint8Array): number[] | number {
  let rest = [...coded].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const symbols: number[] = [];
  for (;;) {
    const symbol = SYMBOLS.find((candidate) => rest.startsWith(code(candidate)));
    if (symbol === EOS) return HUFFMAN_EOS;
    if (symbol === undefined) return rest.length < 8 && /^1*$/.test(rest) ? symbols : HUFFMAN_PADDING;
    symbols.push(symbol);
    rest = rest.slice(CODE_LENGTHS[symbol]);
  }
}
const SYMBOLS = Array.from({ length: EOS + 1 }, (_, symbol) => symbol);

function decoded(coded: Uint8Array): number[] | number {
  const out = new Uint8Array(decodedBound(coded.length) + 1).fill(0xee);
  const result = decodeHuffman(coded, 0, coded.length, out);
  assert.is(skipHuffman(coded, 0, coded.length), result);
  assert.is(out[out.length - 1], 0xee, 'wrote beyond its bound');
  return result < 0 ? result : [...out.subarray(0, result >> 2)];
}

test('the code is complete and free of prefixes', () => {
  assert.is(
    SYMBOLS.reduce((sum, symbol) => sum + 2 ** -CODE_LENGTHS[symbol], 0),
    1,
  );
  assert.is(code(EOS), '1'.repeat(30));
  // Some lines of appendix B.
  assert.is(code(0x30), '00000');
  assert.is(code(0x7a), '1111011');
  assert.is(code(0x26), '11111000');
  assert.is(code(0x5c), '1111111111111110000');
  assert.is(code(0x00), '1111111111000');
  assert.is(code(0xf9), '1111111111111111111111111110');
});

test('each byte alone, at each bit offset, and between others', () => {
  for (let byte = 0; byte < 256; byte++)
    for (let before = 0; before < 8; before++) {
      // Codes of five bits move the next one through all places of a byte.
      const symbols = [...new Array<number>(before).fill(0x61), byte, 0x2f];
      assert.equal(decoded(bits(symbols.map(code).join(''))), symbols, `${byte} behind ${before}`);
    }
});

test('the classes of the characters come with them', () => {
  for (let byte = 0; byte < 256; byte++) {
    const coded = bits(code(0x61) + code(byte) + code(0x61));
    const result = decodeHuffman(coded, 0, coded.length, new Uint8Array(decodedBound(coded.length)));
    const text = `a${String.fromCharCode(byte)}a`;
    assert.is((result & NOT_IN_NAME) === 0, isFieldName(text), text);
    assert.is((result & NOT_IN_VALUE) === 0, isFieldValue(text), text);
  }
});

test('padding: up to seven bits, all ones', () => {
  const zero = code(0x30); // 5 bits
  const good = [zero, `${zero}111`, zero.repeat(8), `${zero.repeat(5)}1111111`];
  for (const text of good) assert.type(decoded(bits(text)), 'object', text);
  const bad = [
    `${zero}110`,
    `${zero}011`,
    `${zero}000`,
    `${zero.repeat(8)}11111111`,
    `${zero}${'1'.repeat(11)}`,
    '1'.repeat(8),
    '1'.repeat(16),
    '1'.repeat(24),
  ];
  for (const text of bad) assert.is(decoded(bits(text)), HUFFMAN_PADDING, text);
});

test('EOS, wherever it begins', () => {
  for (let before = 0; before < 8; before++)
    for (const behind of ['', code(0x30), code(0x30).repeat(8)])
      assert.is(decoded(bits(code(0x30).repeat(before) + code(EOS) + behind)), HUFFMAN_EOS, `${before} ${behind}`);
});

test('any bytes decode as the plainest reader has them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), fc.boolean(), (bytes, isLong) => {
      // Bytes by chance seldom reach the long codes, which begin with many ones.
      const coded = isLong ? Uint8Array.from([...bytes].flatMap((byte) => [0xff, 0xf0 | (byte & 15), byte])) : bytes;
      assert.equal(decoded(coded), reference(coded));
    }),
    { numRuns: 2000 },
  );
});

test('strings are coded where that is shorter, and decode to themselves', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = String.fromCharCode(...bytes);
      const target = new Uint8Array(bytes.length + 6);
      const end = writeString(target, 0, text);
      assert.ok(end <= bytes.length + 6, `${end} bytes for ${bytes.length}`);
      const coded = [...bytes].map(code).join('').length;
      const isHuffman = target[0] >= 0x80;
      assert.is(isHuffman, Math.ceil(coded / 8) < bytes.length);
      const start = (target[0] & 0x7f) < 0x7f ? 1 : target[1] < 0x80 ? 2 : 3;
      if (isHuffman) assert.equal(decoded(target.slice(start, end)), [...bytes]);
      else assert.equal(target.slice(start, end), bytes);
    }),
    { numRuns: 500 },
  );
});

test('characters above 255 are written as a question mark', () => {
  for (const [text, bytes] of [
    ['\u010a', '?'],
    ['\u0100\u0141', '??'],
    ['\u{1f600}', '??'],
  ]) {
    const target = new Uint8Array(100);
    assert.equal(target.slice(0, writeString(target, 0, text)), Uint8Array.from([bytes.length, ...Buffer.from(bytes)]));
    const end = writeString(target, 0, text + 'a'.repeat(60));
    assert.ok(target[0] >= 0x80);
    assert.equal(decoded(target.slice(1, end)), [...Buffer.from(bytes + 'a'.repeat(60))]);
  }
});

test('the decoder respects its bound', () => {
  const coded = bits(code(0x30).repeat(80));
  assert.is(decodedBound(coded.length), 80 + DECODER_SPARE);
  assert.is(decodeHuffman(coded, 0, coded.length, new Uint8Array(80 + DECODER_SPARE)) >> 2, 80);
});

test.run();
