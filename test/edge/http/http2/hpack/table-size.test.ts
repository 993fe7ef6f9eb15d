/** Sizes of the dynamic tables: RFC 7541 sections 4.2, 4.3 and 6.3, both sides. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HpackDecoder } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { HpackEncoder } from '../../../../../edge/http/http2/hpack/encoder.ts';
import { DynamicTable, Entry } from '../../../../../edge/http/http2/hpack/tables.ts';
import fc from '../../../../support/fc.ts';
import { decode, encode, hex, WIDE } from './fixture.ts';

/** Bytes of a size update. */
const size = (value: number): string => {
  const target = encodeSize(value);
  return Buffer.from(target).toString('hex');
};
const encodeSize = (value: number): number[] => {
  if (value < 31) return [0x20 | value];
  const bytes = [0x3f];
  let rest = value - 31;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(0x80 | (rest % 128));
  return [...bytes, rest];
};

test('a size that the peer chooses evicts at once', () => {
  const decoder = new HpackDecoder(WIDE);
  decode(decoder, hex('40 0161 0162 40 0163 0164'));
  assert.is(decoder.tableSize, 68);
  assert.equal(decode(decoder, hex(`${size(67)} be`)).lines, ['c', 'd']);
  assert.is(decoder.tableSize, 34);
  assert.is(decode(decoder, hex(`${size(0)} ${size(4096)}`)).outcome, 'decoded');
  assert.is(decoder.tableSize, 0);
  decode(decoder, hex('40 0161 0162'));
  assert.equal(decode(decoder, hex('be')).lines, ['a', 'b']);
});

test('SETTINGS that shrink the table: the next block must begin with a size within them', () => {
  const shrunk = (...settings: number[]): HpackDecoder => {
    const decoder = new HpackDecoder(WIDE);
    decode(decoder, hex('40 0161 0162'));
    for (const value of settings) decoder.acknowledgeTableSize(value);
    return decoder;
  };
  assert.is(decode(shrunk(100), hex('82')).outcome, 'missingSizeUpdate');
  assert.is(decode(shrunk(100), hex(`${size(101)} 82`)).outcome, 'sizeUpdateTooLarge');
  assert.is(decode(shrunk(100), hex(`${size(100)} be`)).outcome, 'decoded');
  assert.is(decode(shrunk(100), hex(`${size(0)} ${size(100)} 82`)).outcome, 'decoded');
  assert.is(decode(shrunk(0, 4096), hex('82')).outcome, 'missingSizeUpdate', 'shrunk, then grown');
  assert.is(decode(shrunk(0, 4096), hex(`${size(4096)} 82`)).outcome, 'missingSizeUpdate');
  assert.is(decode(shrunk(0, 4096), hex(`${size(0)} ${size(4096)} 82`)).outcome, 'decoded');
  assert.is(decode(shrunk(200, 100, 300), hex(`${size(100)} ${size(300)} 82`)).outcome, 'decoded');
  assert.is(decode(shrunk(200, 100, 300), hex(`${size(200)} ${size(300)} 82`)).outcome, 'missingSizeUpdate');
  assert.is(decode(shrunk(200, 100, 300), hex(`${size(100)} ${size(301)} 82`)).outcome, 'sizeUpdateTooLarge');
  assert.is(decode(shrunk(4096), hex('82')).outcome, 'decoded', 'no change');
  const twice = shrunk(100);
  assert.is(decode(twice, hex(`${size(100)} 82`)).outcome, 'decoded');
  assert.is(decode(twice, hex('82')).outcome, 'decoded', 'once is enough');
});

test('SETTINGS that let the table grow: the peer may use them, but need not', () => {
  const decoder = new HpackDecoder(WIDE);
  decoder.acknowledgeTableSize(8192);
  assert.is(decode(decoder, hex('82')).outcome, 'decoded');
  assert.is(decode(decoder, hex(`${size(8192)}`)).outcome, 'decoded');
  const value = 'x'.repeat(8192 - 33);
  const literal = [0x40, 1, 0x61, 0x7f, ...lengthRest(value.length), ...Buffer.from(value)];
  assert.is(decode(decoder, Uint8Array.from(literal)).outcome, 'decoded');
  assert.is(decoder.tableSize, 8192);
  assert.is(decode(decoder, hex(`${size(8193)}`)).outcome, 'sizeUpdateTooLarge');
});

const lengthRest = (length: number): number[] => [0x80 | ((length - 127) & 127), (length - 127) >> 7];

test('the encoder signals the smallest and the last size at the start of the next block only', () => {
  const cases: [number[], number[]][] = [
    [[4096], []],
    [[100], [100]],
    [[0], [0]],
    [[65536], []],
    [
      [100, 4096],
      [100, 4096],
    ],
    [
      [200, 100, 300],
      [100, 300],
    ],
    [[100, 200, 4096, 50], [50]],
  ];
  for (const [settings, events] of cases) {
    const encoder = new HpackEncoder();
    encode(encoder, ['x-a', 'b']);
    for (const value of settings) encoder.allowTableSize(value);
    const block = encode(encoder, [':method', 'GET']);
    assert.equal([...block], [...events.flatMap(encodeSize), 0x82], `${settings}`);
    assert.equal([...encode(encoder, [':method', 'GET'])], [0x82], `${settings}: once`);
  }
  assert.equal(
    [...encode(new HpackEncoder(0), [':method', 'GET'])],
    [0x20, 0x82],
    'less than the protocol begins with',
  );
  const large = new HpackEncoder(10_000);
  assert.equal([...encode(large, [':method', 'GET'])], [0x82]);
  large.allowTableSize(65536);
  assert.equal([...encode(large, [':method', 'GET'])], [...encodeSize(10_000), 0x82], 'its own bound');
});

test('both sides stay in step through any sizes and any fields', () => {
  const action = fc.oneof(
    fc.record({ size: fc.oneof(fc.nat(300), fc.nat(8192)) }),
    fc.record({ lines: fc.array(fc.tuple(fc.nat(30), fc.nat(300)), { maxLength: 12 }) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), fc.nat(8192), (actions, ownMax) => {
      const encoder = new HpackEncoder(ownMax);
      const decoder = new HpackDecoder(WIDE);
      for (const step of actions) {
        if ('size' in step) {
          decoder.acknowledgeTableSize(step.size);
          encoder.allowTableSize(step.size);
          continue;
        }
        const lines = step.lines.flatMap(([name, length]) => [`x-${name}`, 'v'.repeat(length)]);
        const block = encode(encoder, lines);
        const got = decode(decoder, block);
        // An empty block has no beginning to put a size in.
        assert.equal([got.outcome, got.lines], ['decoded', lines]);
        assert.is(decoder.tableSize, encoder.tableSize);
      }
    }),
    { numRuns: 300 },
  );
});

test('a table holds no more than its size, and no more slots than that needs', () => {
  const table = new DynamicTable(4096);
  assert.is(table.slots, 0, 'nothing before the first entry');
  for (let i = 0; i < 1000; i++) {
    table.insert(new Entry('', '', 0, i));
    assert.ok(table.size <= 4096);
  }
  assert.equal([table.count, table.size, table.slots], [128, 4096, 128]);
  for (let age = 0; age < 128; age++) assert.is(table.at(age)?.flags, 999 - age);
  assert.is(table.at(128), undefined);
  table.resize(63);
  assert.equal([table.count, table.at(0)?.flags, table.at(1)], [1, 999, undefined]);
  table.clear();
  assert.equal([table.count, table.size, table.at(0)], [0, 0, undefined]);
  table.insert(new Entry('a', 'b', 0, 7));
  assert.is(table.at(0)?.flags, 7);
});

test.run();
