/**
 * What a header block may not hold, what it may, and the limits of its list (RFC 7541 sections 2 to
 * 6).
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KIND, MALFORMED, PSEUDO_HEADER } from '../../../../../edge/http/exchange/fields.ts';
import { HpackDecoder, NEVER_INDEXED } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { INDEX, NO_INDEX } from '../../../../../edge/http/http2/hpack/indexing.ts';
import { isCompressionError, OUTCOME, type OutcomeName } from '../../../../../edge/http/http2/hpack/outcome.ts';
import { writeLiteral } from '../../../../../edge/http/http2/hpack/write.ts';
import { decode, hex, WIDE } from './fixture.ts';

const literal = (mode: number, name: string, value: string): number[] => {
  const target = new Uint8Array(name.length + value.length + 32);
  return [...target.slice(0, writeLiteral(target, 0, mode, 0, name, value))];
};

const indexed = (age: number): number => 0x80 | (62 + age);

test('a malformed block is refused with its reason', () => {
  const cases: [string, OutcomeName, string][] = [
    ['80', 'unknownIndex', 'index 0'],
    ['be', 'unknownIndex', 'the first of an empty dynamic table'],
    ['ff00', 'unknownIndex', 'index 127'],
    ['ff80ffff7f', 'unknownIndex', 'the largest index'],
    ['7e 0161', 'unknownIndex', 'a name of an empty dynamic table, to be indexed'],
    ['0f2f 0161', 'unknownIndex', 'a name of an empty dynamic table'],
    ['1f2f 0161', 'unknownIndex', 'a name of an empty dynamic table, never indexed'],
    ['4001610162 bf', 'unknownIndex', 'the second of one'],
    ['ff', 'truncated', 'an index without its end'],
    ['ff80', 'truncated', 'an index that is cut'],
    ['7f', 'truncated', 'an index of a name'],
    ['3f', 'truncated', 'a table size'],
    ['40', 'truncated', 'no name'],
    ['4001', 'truncated', 'no byte of the name'],
    ['40026162', 'truncated', 'no value'],
    ['400161 05 61626364', 'truncated', 'a value too short'],
    ['00 7f', 'truncated', 'a length without its end'],
    ['00 0161 8561626364', 'truncated', 'a Huffman string too short'],
    ['41', 'truncated', 'a known name without a value'],
    ['ff8080808001', 'integerOverflow', 'an index beyond 2^28'],
    ['ff8080808000', 'integerOverflow', 'zeros that go on'],
    ['ffffffffffffffffffffff', 'integerOverflow', 'ones that go on'],
    ['00 7fffffffff7f', 'integerOverflow', 'a length of a name'],
    ['00 0161 ffffffffff7f', 'integerOverflow', 'a length of a Huffman value'],
    ['3fffffffff7f', 'integerOverflow', 'a table size'],
    ['00 84ffffffff 00', 'huffmanEos', 'EOS in a name'],
    ['00 0161 84ffffffff', 'huffmanEos', 'EOS in a value'],
    ['00 0161 8107', 'decoded', 'three ones behind 0'],
    ['00 0161 8106', 'huffmanPadding', 'padding that is not all ones'],
    ['00 0161 81ff', 'huffmanPadding', 'padding of eight bits'],
    ['00 8107 8107', 'decoded', 'both by Huffman'],
    ['00 81ff 0161', 'huffmanPadding', 'padding of a name'],
    ['82 20', 'lateSizeUpdate', 'a size behind an index'],
    ['00 0161 0162 3fe11f', 'lateSizeUpdate', 'a size behind a literal'],
    ['3fe21f', 'sizeUpdateTooLarge', '4,097 bytes'],
    ['20 3fe21f', 'sizeUpdateTooLarge', '4,097 bytes behind 0'],
    ['3fe11f', 'decoded', '4,096 bytes'],
    ['20 3fe11f 82', 'decoded', 'two sizes'],
    ['', 'decoded', 'nothing'],
    ['3f8080808000', 'integerOverflow', 'a size with zeros that go on'],
    ['00 0161 7f80 00', 'truncated', 'a length of 127 in two bytes'],
    ['00 00 00', 'decoded', 'an empty name'],
    ['00 80 80', 'decoded', 'an empty name by Huffman'],
  ];
  for (const [bytes, outcome, what] of cases) {
    const decoder = new HpackDecoder(WIDE);
    assert.is(decode(decoder, hex(bytes)).outcome, outcome, what);
    assert.is(isCompressionError(OUTCOME[outcome]), outcome !== 'decoded' && outcome !== 'tooLarge');
    const after = decode(decoder, hex('82'));
    assert.is(after.outcome, outcome, `${what}: what comes after an error is the same error`);
    if (outcome !== 'decoded') assert.equal(after.lines, [], what);
  }
});

test('a block cut anywhere within a field is truncated', () => {
  const block = Uint8Array.from([
    ...literal(INDEX, 'custom-key', 'custom value!'),
    ...literal(NO_INDEX, 'x'.repeat(200), '\x01'.repeat(300)),
  ]);
  const ends = new Set([0, literal(INDEX, 'custom-key', 'custom value!').length, block.length]);
  for (let end = 0; end <= block.length; end++)
    assert.is(
      decode(new HpackDecoder(WIDE), block.slice(0, end)).outcome,
      ends.has(end) ? 'decoded' : 'truncated',
      `cut at ${end}`,
    );
});

test('the representations: what enters the table, and what is never to be indexed', () => {
  const decoder = new HpackDecoder(WIDE);
  assert.equal(decode(decoder, hex('40 0161 0162')).flags, [0]);
  assert.is(decoder.tableSize, 34);
  assert.equal(decode(decoder, hex('00 0163 0164')).flags, [0]);
  assert.equal(decode(decoder, hex('10 0165 0166')).flags, [NEVER_INDEXED]);
  assert.equal(decode(decoder, hex('1f2f 0166')).lines, ['a', 'f'], 'a name of the dynamic table');
  assert.is(decoder.tableSize, 34);
  assert.equal(decode(decoder, hex('be')).lines, ['a', 'b']);
});

test('flags are the same whether a line is new or indexed', () => {
  const lines: [string, string, number][] = [
    ['x', 'y', 0],
    ['X', 'y', MALFORMED],
    ['x', 'a\nb', MALFORMED],
    ['x', ' a', MALFORMED],
    ['', 'a', MALFORMED],
    [':path', '/a', PSEUDO_HEADER | KIND[':path']],
    [':path', 'a b', MALFORMED],
    [':nothing', 'a', MALFORMED],
    ['upgrade', 'x', MALFORMED],
    ['te', 'trailers', KIND.te],
    ['te', 'gzip', MALFORMED],
    ['content-length', '12', KIND['content-length']],
    ['x'.repeat(60), 'y', 0],
    ['X'.repeat(60), 'y', MALFORMED],
  ];
  for (const [name, value, expected] of lines) {
    const decoder = new HpackDecoder(WIDE);
    const first = decode(decoder, Uint8Array.from(literal(INDEX, name, value)));
    assert.equal([first.outcome, first.lines], ['decoded', [name, value]]);
    if (expected === MALFORMED) assert.ok((first.flags[0] & MALFORMED) !== 0, `${name}: ${value}`);
    else assert.is(first.flags[0], expected, `${name}: ${value}`);
    assert.equal(decode(decoder, Uint8Array.of(indexed(0))).flags, first.flags);
    const plain = [0, name.length, ...Buffer.from(name, 'latin1'), value.length, ...Buffer.from(value, 'latin1')];
    assert.equal(decode(decoder, Uint8Array.from(plain)).flags, first.flags, 'without Huffman');
  }
});

test('an entry larger than the table empties it and is returned', () => {
  const decoder = new HpackDecoder(WIDE);
  decode(decoder, Uint8Array.from(literal(INDEX, 'a', 'b')));
  const large = 'v'.repeat(4096 - 32);
  assert.equal(decode(decoder, Uint8Array.from(literal(INDEX, 'k', large))).lines, ['k', large]);
  assert.is(decoder.tableSize, 0);
  const fitting = large.slice(1);
  decode(decoder, Uint8Array.from(literal(INDEX, 'k', fitting)));
  assert.is(decoder.tableSize, 4096);
  assert.equal(decode(decoder, Uint8Array.of(indexed(0))).lines, ['k', fitting]);
});

test('an entry that is evicted by a line that uses its name', () => {
  const decoder = new HpackDecoder(WIDE);
  decode(decoder, Uint8Array.from(literal(INDEX, 'key', 'v'.repeat(4096 - 35))));
  // RFC 7541 section 4.4: there is no room for both.
  assert.equal(decode(decoder, hex('7e 03 313233')).lines, ['key', '123']);
  assert.equal(decode(decoder, Uint8Array.of(indexed(0))).lines, ['key', '123']);
  assert.is(decoder.tableSize, 38);
});

test('a list of too many fields or bytes: the first ones, and a table in step', () => {
  const block = Uint8Array.from(['a', 'b', 'c', 'd'].flatMap((name) => literal(INDEX, name, '123456789')));
  const cases: [number, number, number][] = [
    [42 * 4, 4, 4],
    [42 * 4 - 1, 4, 3],
    [42 * 4, 3, 3],
    [42, 100, 1],
    [41, 100, 0],
    [1000, 0, 0],
  ];
  for (const [maxListSize, maxListCount, given] of cases) {
    const decoder = new HpackDecoder({ maxListSize, maxListCount });
    const first = decode(decoder, block);
    assert.is(first.outcome, given === 4 ? 'decoded' : 'tooLarge');
    assert.equal(
      first.lines,
      ['a', 'b', 'c', 'd'].slice(0, given).flatMap((name) => [name, '123456789']),
    );
    assert.is(decoder.tableSize, 42 * 4);
    const again = decode(decoder, Uint8Array.of(indexed(3)));
    assert.equal([again.outcome, again.lines], given > 0 ? ['decoded', ['a', '123456789']] : ['tooLarge', []]);
  }
});

test('what does not fit in the list is still checked and still indexed', () => {
  const limits = { maxListSize: 100, maxListCount: 100 };
  const long = 'x'.repeat(20_000);
  const decoder = new HpackDecoder(limits);
  for (const mode of [INDEX, NO_INDEX]) {
    const behind = [
      ...literal(mode, 'a', long),
      ...literal(mode, long, 'b'),
      ...literal(mode, long, long),
      ...literal(INDEX, 'k', 'v'),
    ];
    assert.equal(decode(decoder, Uint8Array.from(behind)), { outcome: 'tooLarge', lines: [], flags: [] });
    assert.equal(decode(decoder, Uint8Array.of(indexed(0))).lines, ['k', 'v']);
    assert.is(decoder.tableSize, mode === INDEX ? 34 : 68);
  }
  const broken = Uint8Array.from([...literal(NO_INDEX, 'a', long), ...hex('00 0161 8106')]);
  assert.is(decode(decoder, broken).outcome, 'huffmanPadding');
});

test('a value of the largest size is held, whichever way it is written', () => {
  for (const character of ['0', 'a', 'X', '\x80', '\x0a'])
    for (const mode of [INDEX, NO_INDEX])
      for (const length of [4095 - 32, 5000, 9999 - 32, 10_000 - 32]) {
        const decoder = new HpackDecoder({ maxListSize: 10_000, maxListCount: 10 });
        const value = character.repeat(length);
        const { outcome, lines } = decode(decoder, Uint8Array.from(literal(mode, 'a', value)));
        const fits = length + 33 <= 10_000;
        assert.equal([outcome, lines], fits ? ['decoded', ['a', value]] : ['tooLarge', []], `${length}`);
        assert.is(decoder.tableSize, mode === INDEX && length + 33 <= 4096 ? length + 33 : 0);
      }
});

test.run();
