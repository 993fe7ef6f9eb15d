/** RFC 9113 section 4: the format and the size of frames, and header blocks among them. */
import {
  continuation,
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  headers,
  padded,
  ping,
  priority,
  resetStream,
  SETTING,
  settings,
  TYPE,
  uint32,
  windowUpdate,
} from '../frames.ts';
import { block, FIRST_DYNAMIC, indexed, literal } from '../hpack.ts';
import {
  answer,
  bodyOf,
  connectionError,
  GET,
  GET_LARGE,
  get,
  ignored,
  malformed,
  open,
  POST,
  type Row,
  requestLines,
  row,
  scene,
  streamError,
} from '../row.ts';
import { INDEX } from '../site.ts';

const MAX = 16_384;
const RESERVED = 0x8000_0000;
const frameSize = connectionError('FRAME_SIZE_ERROR');
const protocolError = connectionError('PROTOCOL_ERROR');
const permitsStream = { permits: [streamError(1, 'FRAME_SIZE_ERROR')] };
const bytes = (length: number): Buffer => Buffer.alloc(length, 'x');

/** Flags that no section gives a meaning for this type. */
const undefinedFlags = (type: number, meant: number, streamId: number, payload: Buffer): Buffer =>
  frame(type, 0xff & ~0x2d & ~meant, streamId, payload);

const format: readonly Row[] = [
  row('9113 4.1', 'a frame of an unknown type is ignored', ignored(), [frame(0x16, 0xff, 0, bytes(8))]),
  row('9113 4.1', 'also on a stream that is open', answer(1, 'abc'), [
    open(1),
    frame(0x16, 0xff, 1, bytes(8)),
    data(1, 'abc', END_STREAM),
  ]),
  row('9113 4.1', 'also on a stream that is idle', ignored(7), [frame(0xfe, 0, 7)]),
  row('9113 4.1', 'also on a stream that is closed', ignored(3), [get(1), resetStream(1), frame(0xfe, 0, 1)]),
  row('9113 4.1', 'undefined flags are ignored: PING', ignored(), [frame(TYPE.PING, 0xfe, 0, bytes(8))]),
  row('9113 4.1', 'undefined flags are ignored: SETTINGS', ignored(), [frame(TYPE.SETTINGS, 0xfe, 0)]),
  row('9113 4.1', 'undefined flags are ignored: WINDOW_UPDATE', ignored(), [
    frame(TYPE.WINDOW_UPDATE, 0xff, 0, uint32(1)),
  ]),
  row('9113 4.1', 'undefined flags are ignored: HEADERS', answer(1, INDEX), [
    frame(TYPE.HEADERS, END_HEADERS | END_STREAM | 0xd2, 1, GET),
  ]),
  row('9113 4.1', 'undefined flags are ignored: DATA', answer(1, 'abc'), [
    open(1),
    undefinedFlags(TYPE.DATA, 0, 1, Buffer.from('ab')),
    frame(TYPE.DATA, 0xf7, 1, Buffer.from('c')),
  ]),
  row('9113 4.1', 'undefined flags are ignored: RST_STREAM', ignored(), [
    open(1),
    frame(TYPE.RST_STREAM, 0xff, 1, uint32(8)),
  ]),
  row('9113 4.1', 'undefined flags are ignored: CONTINUATION', answer(1, INDEX), [
    headers(1, GET.subarray(0, 5), END_STREAM),
    frame(TYPE.CONTINUATION, 0xff, 1, GET.subarray(5)),
  ]),
  row('9113 4.1', 'the reserved bit is ignored: HEADERS', answer(1, INDEX), [headers(1 + RESERVED, GET)]),
  row('9113 4.1', 'the reserved bit is ignored: PING', ignored(), [frame(TYPE.PING, 0, RESERVED, bytes(8))]),
  row('9113 4.1', 'the reserved bit is ignored: DATA', answer(1, 'abc'), [
    open(1),
    data(1 + RESERVED, 'abc', END_STREAM),
  ]),
];

const size: readonly Row[] = [
  row('9113 4.2', 'DATA of 2^14 bytes', answer(1, bytes(MAX).toString()), [open(1), data(1, bytes(MAX), END_STREAM)]),
  row('9113 4.2', 'DATA of more', frameSize, [open(1), data(1, bytes(MAX + 1))], permitsStream),
  row('9113 4.2', 'HEADERS of 2^14 bytes', answer(1, INDEX), [
    headers(1, Buffer.concat([GET, literal('x', 'x'.repeat(MAX - GET.length - 6))])),
  ]),
  row('9113 4.2', 'HEADERS of more', frameSize, [
    headers(1, Buffer.concat([GET, literal('x', 'x'.repeat(MAX - GET.length - 5))])),
  ]),
  row('9113 4.2', 'CONTINUATION of more', frameSize, [headers(1, GET, END_STREAM), continuation(1, bytes(MAX + 1))]),
  row('9113 4.2', 'SETTINGS of more', frameSize, [frame(TYPE.SETTINGS, 0, 0, Buffer.alloc(16_386))]),
  row('9113 4.2', 'an unknown frame of more', frameSize, [frame(0x16, 0, 0, bytes(MAX + 1))], {
    permits: [ignored()],
  }),
  row(
    '9113 4.2',
    'a length of 2^24-1 is refused before its bytes come',
    frameSize,
    [open(1), frame(TYPE.DATA, 0, 1, bytes(10), 0xff_ffff)],
    permitsStream,
  ),
  row(
    '9113 4.2',
    "the client's SETTINGS_MAX_FRAME_SIZE does not bind the server",
    frameSize,
    [settings([SETTING.MAX_FRAME_SIZE, 100_000]), open(1), data(1, bytes(MAX + 1))],
    permitsStream,
  ),
  row('9113 4.2', 'HEADERS too short for its pad length', connectionError('FRAME_SIZE_ERROR', 'PROTOCOL_ERROR'), [
    frame(TYPE.HEADERS, 0x0d, 1),
  ]),
  row('9113 4.2', 'HEADERS too short for its priority', connectionError('FRAME_SIZE_ERROR', 'PROTOCOL_ERROR'), [
    frame(TYPE.HEADERS, 0x25, 1, bytes(4)),
  ]),
  row(
    '9113 4.2',
    'DATA too short for its pad length',
    connectionError('FRAME_SIZE_ERROR', 'PROTOCOL_ERROR'),
    [open(1), frame(TYPE.DATA, 0x08, 1)],
    permitsStream,
  ),
];

const within = (name: string, ...frames: readonly Buffer[]): Row =>
  row('9113 4.3', `a header block is not to be interrupted: ${name}`, protocolError, [
    headers(1, GET, END_STREAM),
    ...frames,
  ]);

/** A request whose last line is new to the table. */
const teaching = (pseudo: Readonly<Record<string, string | null>> = {}): Buffer =>
  Buffer.concat([block(requestLines(pseudo)), literal('x-taught', 'yes', 'incremental')]);
const taught = headers(3, Buffer.concat([block(requestLines({ ':path': '/tell' })), indexed(FIRST_DYNAMIC)]));
const tellsTaught = {
  ...answer(3),
  text: 'a request with x-taught',
  holds: (outcome: { scope: string; body?: string }) =>
    outcome.scope === 'answer' && (outcome.body ?? '').includes('["x-taught","yes"]'),
};
const site = { needs: ['site'] } as const;

const blocks: readonly Row[] = [
  row('9113 4.3', 'a block that cannot be decoded', connectionError('COMPRESSION_ERROR'), [
    headers(1, Buffer.from('ffffffffffffffffffffffff', 'hex')),
  ]),
  row('9113 4.3', 'a block that ends within a string', connectionError('COMPRESSION_ERROR'), [
    headers(1, Buffer.concat([GET, Buffer.from('000a61', 'hex')])),
  ]),
  row('9113 4.3', 'nor may one of trailers', connectionError('COMPRESSION_ERROR'), [
    open(1),
    headers(1, Buffer.of(0x80)),
  ]),
  within('HEADERS of the same stream', get(1)),
  within('HEADERS of another stream', get(3)),
  within('DATA', data(1, 'abc')),
  within('PRIORITY', priority(1, 0)),
  within('RST_STREAM', resetStream(1)),
  within('SETTINGS', settings()),
  within('PING', ping('12345678')),
  within('GOAWAY', frame(TYPE.GOAWAY, 0, 0, Buffer.alloc(8))),
  within('WINDOW_UPDATE', windowUpdate(0, 1)),
  within('an unknown frame', frame(0x16, 0, 1)),
  within('CONTINUATION of another stream', continuation(3, Buffer.alloc(0))),
  within('CONTINUATION of no stream', continuation(0, Buffer.alloc(0))),
  row('9113 4.3', 'a block may be cut anywhere', answer(1, INDEX), [
    headers(1, GET.subarray(0, 1), END_STREAM),
    continuation(1, GET.subarray(1, 2), 0),
    continuation(1, GET.subarray(2, 11), 0),
    continuation(1, GET.subarray(11)),
  ]),
  row(
    '9113 4.3',
    'one block after the other',
    answer(5, INDEX),
    [1, 3, 5].flatMap((streamId) => [
      headers(streamId, GET.subarray(0, 7), END_STREAM),
      continuation(streamId, GET.subarray(7, 19), 0),
      continuation(streamId, GET.subarray(19)),
    ]),
  ),
  row('9113 4.3', 'fragments may be empty', answer(1, INDEX), [
    headers(1, Buffer.alloc(0), END_STREAM),
    continuation(1, GET, 0),
    continuation(1, Buffer.alloc(0)),
  ]),
  row(
    '9113 4.3',
    'a malformed request still changes the table',
    tellsTaught,
    [headers(1, teaching({ ':method': null })), taught],
    site,
  ),
  row(
    '9113 4.3',
    'a block of a stream that the server has reset still changes it',
    tellsTaught,
    [headers(1, GET.subarray(0, 0), END_HEADERS), headers(1, literal('x-taught', 'yes', 'incremental')), taught],
    site,
  ),
  row(
    '9113 4.3',
    'a block of a stream that the client has reset still changes it',
    tellsTaught,
    [open(1), resetStream(1), headers(1, literal('x-taught', 'yes', 'incremental')), taught],
    { ...site, permits: [connectionError('STREAM_CLOSED', 'PROTOCOL_ERROR')] },
  ),
  row(
    '9113 4.3',
    'a block on a stream that the client has ended still changes it',
    tellsTaught,
    [
      headers(1, GET_LARGE),
      headers(1, literal('x-taught', 'yes', 'incremental')),
      windowUpdate(0, 1000),
      settings([SETTING.INITIAL_WINDOW_SIZE, 1000]),
      taught,
    ],
    { ...site, settings: [[SETTING.INITIAL_WINDOW_SIZE, 0]] },
  ),
  scene(
    '9113 4.3',
    'a block of a stream that was refused still changes it',
    async (client) => {
      const most = client.settings.get(SETTING.MAX_CONCURRENT_STREAMS) ?? 0;
      const ids = Array.from({ length: most }, (_, i) => 2 * i + 1);
      const next = 2 * most + 1;
      client.send(...ids.map(open), headers(next, teaching()), resetStream(1));
      await client.roundTrip(); // until then the work for stream 1 may count
      client.send(
        headers(next + 2, Buffer.concat([block(requestLines({ ':path': '/tell' })), indexed(FIRST_DYNAMIC)])),
      );
      const stream = await client.answered(next + 2);
      if (client.stream(next).resetBy !== 'REFUSED_STREAM' || !bodyOf(stream).includes('["x-taught","yes"]'))
        throw new Error(client.transcript());
    },
    { needs: ['site', 'limited'] },
  ),
  row('9113 4.3', 'an empty block is a request without pseudo-headers', malformed, [headers(1, Buffer.alloc(0))]),
  row('9113 4.3', 'padding is no part of a block', answer(1, 'abc'), [
    frame(TYPE.HEADERS, END_HEADERS | 0x8, 1, padded(POST, 7)),
    data(1, 'abc', END_STREAM),
  ]),
];

export const FRAMES: readonly Row[] = [...format, ...size, ...blocks];
