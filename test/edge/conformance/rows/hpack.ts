/** RFC 7541: representations, tables and their sizes, strings, and what is no header block. */
import { END_HEADERS, END_STREAM, headers, PADDED, SETTING, settings } from '../frames.ts';
import { block, FIRST_DYNAMIC, indexed, integer, type Line, literal, sizeUpdate, string } from '../hpack.ts';
import { EOS, encodeHuffman } from '../huffman.ts';
import {
  answer,
  connectionError,
  type Expectation,
  GET,
  get,
  malformed,
  type Row,
  request,
  requestLines,
  row,
  scene,
  streamError,
  works,
} from '../row.ts';
import { INDEX } from '../site.ts';

const compression = connectionError('COMPRESSION_ERROR');
const WHOLE = END_HEADERS | END_STREAM;
const site = { needs: ['site'] } as const;
/** What the server decodes with: RFC 9113 section 6.5.2, and no server of ours says otherwise. */
const TABLE = 4096;

const TELL = request({ ':path': '/tell' });
const on = (streamId: number, ...parts: readonly Buffer[]): Buffer => headers(streamId, Buffer.concat(parts), WHOLE);
const wrong = (section: string, says: string, ...parts: readonly Buffer[]): Row =>
  row(section, says, compression, [on(1, GET, ...parts)]);
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** A request for /tell on this stream says these headers. */
function event(streamId: number, ...lines: readonly Line[]): Expectation {
  const expected = JSON.stringify(lines.flat());
  return {
    ...answer(streamId),
    text: expected,
    holds: (outcome) =>
      outcome.scope === 'answer' &&
      outcome.status === '200' &&
      JSON.stringify(JSON.parse(outcome.body).headers) === expected,
  };
}
const right = (section: string, says: string, lines: readonly Line[], ...parts: readonly Buffer[]): Row =>
  row(section, says, event(1, ...lines), [on(1, TELL, ...parts)], site);

const YES: Line = ['x-a', 'yes'];
const NEW_HUFFMAN = literal(...YES, 'without', true);
const USER_AGENT = 58;
const KINDS = ['incremental', 'without', 'never'] as const;

const representations: readonly Row[] = [
  row('7541 6.1', 'indexed fields', answer(1, INDEX), [
    on(1, indexed(2), indexed(7), indexed(4), literal(1, 'conformance.test', 'incremental')),
  ]),
  wrong('7541 6.1', 'the index 0', indexed(0)),
  wrong('7541 2.3.3', 'an index beyond both tables', indexed(FIRST_DYNAMIC)),
  wrong('7541 2.3.3', 'one far beyond', indexed(1_000_000)),
  ...KINDS.flatMap((kind) => [
    right('7541 6.2', `a literal with a new name, ${kind}`, [YES], literal(...YES, kind)),
    right('7541 6.2', `in Huffman's code, ${kind}`, [YES], literal(...YES, kind, true)),
    right('7541 6.2', `with an indexed name, ${kind}`, [['user-agent', 'a/1']], literal(USER_AGENT, 'a/1', kind)),
    wrong('7541 2.3.3', `with the name of an index beyond both tables, ${kind}`, literal(FIRST_DYNAMIC, 'a', kind)),
  ]),
  row(
    '7541 2.3.2',
    'the dynamic table outlives a block',
    event(3, YES),
    [on(1, GET, literal(...YES, 'incremental')), on(3, TELL, indexed(FIRST_DYNAMIC))],
    site,
  ),
  row(
    '7541 2.3.3',
    'the newest entry comes first',
    event(1, ['x-b', '2'], ['x-a', '1'], ['x-b', '2'], ['x-a', '3']),
    [
      on(
        1,
        TELL,
        literal('x-b', '2', 'incremental'),
        literal('x-a', '1', 'incremental'),
        indexed(FIRST_DYNAMIC + 1),
        literal(FIRST_DYNAMIC, '3', 'incremental'),
      ),
    ],
    site,
  ),
  ...(['without', 'never'] as const).map((kind) =>
    row('7541 6.2', `a literal ${kind} indexing is not in the table`, compression, [
      on(1, GET, literal(...YES, kind)),
      on(3, GET, indexed(FIRST_DYNAMIC)),
    ]),
  ),
  right(
    '7541 2.3.2',
    'duplicates are entries',
    [YES, YES, YES],
    literal(...YES, 'incremental'),
    literal(...YES, 'incremental'),
    indexed(FIRST_DYNAMIC + 1),
  ),
];

/** What is wrong with a line is so wherever it comes from. */
const judged: readonly Row[] = [
  ...(
    [
      ['a name in upper case', 'X-A', 'yes'],
      ['a field of the connection', 'connection', 'close'],
      ['a value with LF', 'x-a', 'a\nb'],
      ['te of another value', 'te', 'gzip'],
      ['an unknown pseudo-header', ':unknown', 'yes'],
    ] as const
  ).map(([says, name, value]) =>
    row('9113 8.1.1', `a malformed line stays so in the table: ${says}`, streamError(3, 'PROTOCOL_ERROR'), [
      on(1, GET, literal(name, value, 'incremental')),
      on(3, GET, indexed(FIRST_DYNAMIC)),
    ]),
  ),
  row('9113 8.1.1', 'so does a name, of whatever value', streamError(3, 'PROTOCOL_ERROR'), [
    on(1, GET, literal('X-A', 'yes', 'incremental')),
    on(3, GET, literal(FIRST_DYNAMIC, 'no')),
  ]),
  row(
    '9113 8.1.1',
    'a name is not to blame for a value',
    event(3, ['x-a', 'yes']),
    [on(1, GET, literal('x-a', 'a\0b', 'incremental')), on(3, TELL, literal(FIRST_DYNAMIC, 'yes'))],
    site,
  ),
];

/** Fills the table exactly: name, value and 32 (section 4.1). */
const filling = (bytes: number): Buffer => literal('x', 'f'.repeat(bytes - 33), 'incremental');

const sizes: readonly Row[] = [
  row('7541 6.3', 'a size update', answer(1, INDEX), [on(1, sizeUpdate(128), GET)]),
  row('7541 6.3', 'a size update to the limit', answer(1, INDEX), [on(1, sizeUpdate(TABLE), GET)]),
  row('7541 4.2', 'two of them', answer(1, INDEX), [on(1, sizeUpdate(0), sizeUpdate(TABLE), GET)]),
  row('7541 6.3', 'above the limit', compression, [on(1, sizeUpdate(TABLE + 1), GET)]),
  row('7541 6.3', 'far above', compression, [on(1, sizeUpdate(0x7fff_ffff), GET)]),
  row('7541 4.2', 'at the end of a block', compression, [on(1, GET, sizeUpdate(128))]),
  row('7541 4.2', 'between fields', compression, [on(1, GET.subarray(0, 13), sizeUpdate(128), GET.subarray(13))]),
  row('7541 4.2', "the client's SETTINGS_HEADER_TABLE_SIZE is not the server's", compression, [
    settings([SETTING.HEADER_TABLE_SIZE, 65_536]),
    on(1, sizeUpdate(TABLE + 1), GET),
  ]),
  row('7541 4.3', 'a size of 0 empties the table', compression, [
    on(1, GET, literal(...YES, 'incremental')),
    on(3, sizeUpdate(0), sizeUpdate(TABLE), GET, indexed(FIRST_DYNAMIC)),
  ]),
  row(
    '7541 4.3',
    'a smaller size keeps what fits',
    event(3, ['x-b', '2']),
    [
      on(1, GET, literal('x-a', '1', 'incremental'), literal('x-b', '2', 'incremental')),
      on(3, sizeUpdate(36), TELL, indexed(FIRST_DYNAMIC)),
    ],
    site,
  ),
  row('7541 4.3', 'and nothing else', compression, [
    on(1, GET, literal('x-a', '1', 'incremental'), literal('x-b', '2', 'incremental')),
    on(3, sizeUpdate(71), GET, indexed(FIRST_DYNAMIC + 1)),
  ]),
  row('7541 4.4', 'an entry as large as the table is in it', answer(3, INDEX), [
    on(1, GET, filling(TABLE)),
    on(3, GET, indexed(FIRST_DYNAMIC)),
  ]),
  row('7541 4.4', 'and alone', compression, [
    on(1, GET, literal(...YES, 'incremental'), filling(TABLE)),
    on(3, GET, indexed(FIRST_DYNAMIC + 1)),
  ]),
  row('7541 4.4', 'a larger one is no error, and empties the table', compression, [
    on(1, GET, literal(...YES, 'incremental'), filling(TABLE + 1)),
    on(3, GET, indexed(FIRST_DYNAMIC)),
  ]),
  row(
    '7541 4.4',
    'it is a field of its request',
    event(1, ['x', 'f'.repeat(TABLE - 32)]),
    [on(1, TELL, filling(TABLE + 1))],
    site,
  ),
  row('7541 4.4', 'an entry whose name is that of the one which it evicts', answer(3, INDEX), [
    on(1, GET, filling(TABLE), literal(FIRST_DYNAMIC, 'g', 'incremental')),
    on(3, GET, indexed(FIRST_DYNAMIC)),
  ]),
  row('7541 4.2', 'a block of nothing but size updates is a request without fields', malformed, [
    on(1, sizeUpdate(0), sizeUpdate(TABLE)),
  ]),
];

const huffman = (bytes: Buffer): Buffer =>
  Buffer.concat([literal('x', '').subarray(0, -1), integer(bytes.length, 7, 0x80), bytes]);

const strings: readonly Row[] = [
  right('7541 5.2', 'an empty string', [['x', '']], literal('x', '')),
  right('7541 5.2', "an empty string in Huffman's code", [['x', '']], huffman(Buffer.alloc(0))),
  right('7541 5.2', 'padding of seven bits', [['x', 'ae0?']], huffman(encodeHuffman('ae0?'))),
  wrong('7541 5.2', 'padding of eight bits', huffman(Buffer.concat([encodeHuffman('aaaaaaaa'), Buffer.of(0xff)]))),
  wrong('7541 5.2', 'padding of more', huffman(Buffer.concat([encodeHuffman('a'), Buffer.of(0xff)]))),
  wrong('7541 5.2', 'padding of zeros', huffman(encodeHuffman('a', '000'))),
  wrong('7541 5.2', 'padding that begins like EOS and goes on otherwise', huffman(encodeHuffman('a', '110'))),
  wrong('7541 5.2', 'EOS', huffman(encodeHuffman('a', EOS))),
  wrong('7541 5.2', 'nothing but EOS', huffman(encodeHuffman('', EOS))),
  wrong('7541 5.2', 'EOS before a text', huffman(encodeHuffman('', `${EOS}00011`))),
  wrong('7541 5.2', 'a string that goes on after the block', hex('00 01 78 7f 61')),
  wrong('7541 5.2', 'a name that does', hex('00 05 78')),
  wrong('7541 5.2', 'a literal without its value', hex('00 01 78')),
  wrong('7541 5.2', 'a literal without anything', hex('40')),
  wrong('7541 5.2', 'a string of 2^31 bytes', Buffer.concat([hex('00'), integer(2 ** 31, 7)])),
  row('7541 5.2', "a name in upper case in Huffman's code is malformed, no compression error", malformed, [
    on(1, GET, literal('X-A', 'yes', 'incremental', true)),
  ]),
  row('7541 5.2', 'padding of the frame is not that of the string', answer(1, INDEX), [
    headers(1, Buffer.concat([Buffer.of(3), GET, NEW_HUFFMAN, Buffer.alloc(3, 0xff)]), WHOLE | PADDED),
  ]),
];

const integers: readonly Row[] = [
  wrong('7541 5.1', 'an integer without its end', hex('ff')),
  wrong('7541 5.1', 'one whose bytes all go on', hex('ff 80 80')),
  wrong('7541 5.1', 'one beyond 32 bits', hex('ff ff ff ff ff 7f')),
  wrong('7541 5.1', 'one beyond 64 bits', hex('ff ff ff ff ff ff ff ff ff ff ff 7f')),
  wrong('7541 5.1', 'a length beyond 64 bits', hex('00 7f ff ff ff ff ff ff ff ff ff ff 7f')),
  wrong('7541 5.1', 'a size beyond 64 bits is not at the beginning anyway', hex('3f ff ff ff ff ff ff ff ff ff 7f')),
  row('7541 5.1', 'a size beyond 64 bits', compression, [on(1, hex('3f ff ff ff ff ff ff ff ff ff 7f'), GET)]),
  right(
    '7541 5.1',
    'an integer with a byte more than it needs',
    [['x', 'a'.repeat(127)]],
    hex('00 01 78 7f 80 00'),
    Buffer.alloc(127, 'a'),
  ),
  right('7541 5.1', 'a length of two bytes', [['x', 'a'.repeat(300)]], hex('00'), string('x'), string('a'.repeat(300))),
];

const encoders: readonly Row[] = [
  scene(
    '7541 4.2',
    'the server keeps to a header table of 0',
    async (client) => {
      for (const streamId of [1, 3, 5]) {
        client.send(get(streamId));
        await client.answered(streamId);
      }
      await works(client);
    },
    { settings: [[SETTING.HEADER_TABLE_SIZE, 0]], tableSize: 0 },
  ),
  scene(
    '7541 4.2',
    'and to one of a few bytes',
    async (client) => {
      for (const streamId of [1, 3, 5]) {
        client.send(get(streamId));
        await client.answered(streamId);
      }
      await works(client);
    },
    { settings: [[SETTING.HEADER_TABLE_SIZE, 100]], tableSize: 100 },
  ),
  scene(
    '7541 4.2',
    'one that does so within one frame is emptied, too',
    async (client) => {
      client.send(get(1));
      await client.answered(1);
      client.send(settings([SETTING.HEADER_TABLE_SIZE, 0], [SETTING.HEADER_TABLE_SIZE, TABLE]));
      client.shrinkTable();
      client.send(on(3, block(requestLines({ ':path': '/trailers' }))));
      await client.answered(3);
      await works(client);
    },
    site,
  ),
  scene(
    '7541 4.2',
    'a table that shrinks and grows between two blocks is emptied',
    async (client) => {
      client.send(get(1));
      await client.answered(1);
      client.send(settings([SETTING.HEADER_TABLE_SIZE, 0]), settings([SETTING.HEADER_TABLE_SIZE, TABLE]));
      client.shrinkTable();
      client.send(
        on(3, block(requestLines({ ':path': '/trailers' }))),
        on(5, block(requestLines({ ':path': '/trailers' }))),
      );
      await client.answered(3);
      await client.answered(5);
      await works(client);
    },
    site,
  ),
];

export const HPACK: readonly Row[] = [...representations, ...judged, ...sizes, ...strings, ...integers, ...encoders];
