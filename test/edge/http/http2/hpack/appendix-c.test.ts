/** The examples of RFC 7541 appendix C, all of them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HpackDecoder, NEVER_INDEXED } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { INDEX, NEVER_INDEX, NO_INDEX } from '../../../../../edge/http/http2/hpack/indexing.ts';
import { StringReader } from '../../../../../edge/http/http2/hpack/string-reader.ts';
import { writeInteger, writeLiteral } from '../../../../../edge/http/http2/hpack/write.ts';
import { decode, hex, WIDE } from './fixture.ts';

test('C.1: integers are written and read', () => {
  const cases: [number, number, string][] = [
    [0x1f, 10, '0a'],
    [0x1f, 1337, '1f9a0a'],
    [0xff, 42, '2a'],
  ];
  for (const [mask, value, bytes] of cases) {
    const target = new Uint8Array(8);
    assert.equal(target.slice(0, writeInteger(target, 0, 0, mask, value)), hex(bytes));
    const reader = new StringReader(100);
    assert.is(reader.integer(hex(bytes), bytes.length / 2, mask), value);
    assert.is(reader.at, bytes.length / 2);
  }
});

test('C.2: each representation is read', () => {
  const custom = '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572';
  const cases: [string, string[], number, number][] = [
    [custom, ['custom-key', 'custom-header'], 55, 0],
    ['040c 2f73 616d 706c 652f 7061 7468', [':path', '/sample/path'], 0, 0],
    ['1008 7061 7373 776f 7264 0673 6563 7265 74', ['password', 'secret'], 0, NEVER_INDEXED],
    ['82', [':method', 'GET'], 0, 0],
  ];
  for (const [bytes, lines, tableSize, neverIndexed] of cases) {
    const decoder = new HpackDecoder(WIDE);
    const { outcome, lines: got, flags } = decode(decoder, hex(bytes));
    assert.equal([outcome, got, decoder.tableSize], ['decoded', lines, tableSize]);
    assert.is(flags[0] & NEVER_INDEXED, neverIndexed);
  }
});

interface Step {
  readonly block: string;
  readonly lines: string[];
  readonly tableSize: number;
  /** The dynamic table, newest first. */
  readonly table: string[];
}

/** The entries one after another, as a peer may name them. */
function tableOf(decoder: HpackDecoder, count: number): string[] {
  const block = Uint8Array.from({ length: count }, (_, i) => 0x80 | (62 + i));
  const { outcome, lines } = decode(decoder, block);
  assert.is(outcome, 'decoded');
  assert.is(decode(decoder, Uint8Array.of(0x80 | (62 + count))).outcome, 'unknownIndex', 'one more');
  return lines;
}

/**
 * Blocks of one connection, behind `begin`; the table is looked at in a decoder that has seen the
 * same, since looking beyond its end breaks it.
 */
function follow(steps: readonly Step[], begin = ''): void {
  const make = (): HpackDecoder => {
    const decoder = new HpackDecoder(WIDE);
    assert.is(decode(decoder, hex(begin)).outcome, 'decoded');
    return decoder;
  };
  const decoder = make();
  steps.forEach((step, i) => {
    const { outcome, lines } = decode(decoder, hex(step.block));
    assert.equal([outcome, lines], ['decoded', step.lines], `block ${i}`);
    assert.is(decoder.tableSize, step.tableSize, `block ${i}`);
    const other = make();
    for (const before of steps.slice(0, i + 1)) decode(other, hex(before.block));
    assert.equal(tableOf(other, step.table.length / 2), step.table, `table after block ${i}`);
  });
}

const GET = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com'];
const REQUESTS: Omit<Step, 'block'>[] = [
  { lines: GET, tableSize: 57, table: [':authority', 'www.example.com'] },
  {
    lines: [...GET, 'cache-control', 'no-cache'],
    tableSize: 110,
    table: ['cache-control', 'no-cache', ':authority', 'www.example.com'],
  },
  {
    lines: [
      ...[':method', 'GET', ':scheme', 'https', ':path', '/index.html', ':authority', 'www.example.com'],
      ...['custom-key', 'custom-value'],
    ],
    tableSize: 164,
    table: ['custom-key', 'custom-value', 'cache-control', 'no-cache', ':authority', 'www.example.com'],
  },
];

/** A size update. */
const TABLE_OF_256 = '3fe101';

const at = (steps: readonly Omit<Step, 'block'>[], blocks: readonly string[]): Step[] =>
  steps.map((step, i) => ({ ...step, block: blocks[i] }));

test('C.3: requests without Huffman coding', () => {
  follow(
    at(REQUESTS, [
      '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      '8286 84be 5808 6e6f 2d63 6163 6865',
      '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
    ]),
  );
});

test('C.4: requests with Huffman coding', () => {
  follow(
    at(REQUESTS, [
      '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      '8286 84be 5886 a8eb 1064 9cbf',
      '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
    ]),
  );
});

const DATE = 'Mon, 21 Oct 2013 20:13:21 GMT';
const LATER = 'Mon, 21 Oct 2013 20:13:22 GMT';
const LOCATION = 'https://www.example.com';
const COOKIE = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1';
const RESPONSES: Omit<Step, 'block'>[] = [
  {
    lines: [':status', '302', 'cache-control', 'private', 'date', DATE, 'location', LOCATION],
    tableSize: 222,
    table: ['location', LOCATION, 'date', DATE, 'cache-control', 'private', ':status', '302'],
  },
  {
    lines: [':status', '307', 'cache-control', 'private', 'date', DATE, 'location', LOCATION],
    tableSize: 222,
    table: [':status', '307', 'location', LOCATION, 'date', DATE, 'cache-control', 'private'],
  },
  {
    lines: [
      ...[':status', '200', 'cache-control', 'private', 'date', LATER, 'location', LOCATION],
      ...['content-encoding', 'gzip', 'set-cookie', COOKIE],
    ],
    tableSize: 215,
    table: ['set-cookie', COOKIE, 'content-encoding', 'gzip', 'date', LATER],
  },
];

test('C.5: responses without Huffman coding, in a table of 256 bytes', () => {
  follow(
    at(RESPONSES, [
      `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e
       1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
      '4803 3330 37c1 c0bf',
      `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d
       4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572
       7369 6f6e 3d31`,
    ]),
    TABLE_OF_256,
  );
});

test('C.6: responses with Huffman coding, in a table of 256 bytes', () => {
  follow(
    at(RESPONSES, [
      `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b
       97c8 e9ae 82ae 43d3`,
      '4883 640e ffc1 c0bf',
      `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf
       cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
    ]),
    TABLE_OF_256,
  );
});

test('the same literals are written with Huffman coding', () => {
  const cases: [number, number, string, string, string][] = [
    [INDEX, 1, ':authority', 'www.example.com', '418c f1e3 c2e5 f23a 6ba0 ab90 f4ff'],
    [INDEX, 24, 'cache-control', 'no-cache', '5886 a8eb 1064 9cbf'],
    [INDEX, 0, 'custom-key', 'custom-value', '4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf'],
    [INDEX, 8, ':status', '302', '4882 6402'],
    [INDEX, 33, 'date', DATE, '6196 d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff'],
    [INDEX, 46, 'location', LOCATION, '6e91 9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3'],
    [NO_INDEX, 33, 'date', DATE, '0f12 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff'],
    [NEVER_INDEX, 55, 'set-cookie', '', '1f28 00'],
  ];
  for (const [mode, nameIndex, name, value, bytes] of cases) {
    const target = new Uint8Array(100);
    assert.equal(
      target.slice(0, writeLiteral(target, 0, mode, nameIndex, name, value)),
      hex(bytes),
      `${name}: ${value}`,
    );
  }
});

test.run();
