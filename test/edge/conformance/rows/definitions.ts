/**
 * RFC 9113 sections 6 and 7 but for windows: what each type of frame may be, and unknown error
 * codes.
 */
import {
  ACK,
  continuation,
  data,
  dependency,
  END_HEADERS,
  END_STREAM,
  frame,
  goaway,
  headers,
  PADDED,
  PRIORITY,
  padded,
  ping,
  priority,
  resetStream,
  settings,
  settingsAck,
  TYPE,
  uint32,
} from '../frames.ts';
import {
  answer,
  bodyOf,
  connectionError,
  GET,
  get,
  ignored,
  malformed,
  open,
  POST,
  type Row,
  row,
  scene,
  streamError,
  works,
} from '../row.ts';
import { INDEX } from '../site.ts';

const protocolError = connectionError('PROTOCOL_ERROR');
const frameSize = connectionError('FRAME_SIZE_ERROR');
const EMPTY = Buffer.alloc(0);
const WHOLE = END_HEADERS | END_STREAM;

const dataRows: readonly Row[] = [
  row('9113 6.1', 'DATA', answer(1, 'abc'), [open(1), data(1, 'abc', END_STREAM)]),
  row('9113 6.1', 'more than one', answer(1, 'abcdef'), [open(1), data(1, 'abc'), data(1, 'def', END_STREAM)]),
  row('9113 6.1', 'padded', answer(1, 'abc'), [open(1), data(1, padded('abc', 255), PADDED | END_STREAM)]),
  row('9113 6.1', 'padded by nothing', answer(1, 'abc'), [open(1), data(1, padded('abc', 0), PADDED | END_STREAM)]),
  row(
    '9113 6.1',
    'padding that is not of zeros may be refused, and is not',
    answer(1, 'abc'),
    [open(1), data(1, Buffer.from('\x03abcxyz'), PADDED | END_STREAM)],
    { permits: [protocolError] },
  ),
  row('9113 6.1', 'nothing but padding', answer(1, ''), [open(1), data(1, padded('', 9), PADDED | END_STREAM)]),
  row('9113 6.1', 'empty', answer(1, ''), [open(1), data(1, EMPTY), data(1, EMPTY, END_STREAM)]),
  row('9113 6.1', 'on no stream', protocolError, [data(0, 'abc')]),
  row('9113 6.1', 'padding as long as the payload', protocolError, [
    open(1),
    frame(TYPE.DATA, PADDED, 1, Buffer.from('\x04abc')),
  ]),
  row('9113 6.1', 'padding longer than the payload', protocolError, [
    open(1),
    frame(TYPE.DATA, PADDED, 1, Buffer.from('\xffabc', 'latin1')),
  ]),
];

const headersRows: readonly Row[] = [
  row('9113 6.2', 'HEADERS', answer(1, INDEX), [get(1)]),
  row('9113 6.2', 'padded', answer(1, INDEX), [frame(TYPE.HEADERS, WHOLE | PADDED, 1, padded(GET, 200))]),
  row('9113 6.2', 'padded, with a priority', answer(1, INDEX), [
    frame(TYPE.HEADERS, WHOLE | PADDED | PRIORITY, 1, padded(Buffer.concat([dependency(0), GET]), 9)),
  ]),
  row('9113 6.2', 'on no stream', protocolError, [headers(0, GET)]),
  row('9113 6.2', 'padding longer than the payload', protocolError, [
    frame(TYPE.HEADERS, WHOLE | PADDED, 1, Buffer.concat([Buffer.of(GET.length + 1), GET])),
  ]),
  row('9113 6.2', 'padding that reaches into the priority', connectionError('PROTOCOL_ERROR', 'FRAME_SIZE_ERROR'), [
    frame(TYPE.HEADERS, WHOLE | PADDED | PRIORITY, 1, Buffer.concat([Buffer.of(4), Buffer.alloc(8)])),
  ]),
];

const priorityRows: readonly Row[] = [
  row('9113 6.3', 'PRIORITY on no stream', protocolError, [priority(0, 1)]),
  row('9113 6.3', 'PRIORITY of every kind', answer(1, INDEX), [
    priority(1, 0, 1),
    priority(1, 3, 256),
    priority(1, 5, 16, true),
    get(1),
    priority(1, 0),
  ]),
  ...[0, 4, 6].map((length) =>
    row('9113 6.3', `PRIORITY of ${length} bytes`, streamError(1, 'FRAME_SIZE_ERROR'), [
      open(1),
      frame(TYPE.PRIORITY, 0, 1, Buffer.alloc(length)),
    ]),
  ),
];

const resetRows: readonly Row[] = [
  row('9113 6.4', 'RST_STREAM on no stream', protocolError, [resetStream(0)]),
  ...[0, 3, 5].map((length) =>
    row('9113 6.4', `RST_STREAM of ${length} bytes`, frameSize, [
      open(1),
      frame(TYPE.RST_STREAM, 0, 1, Buffer.alloc(length)),
    ]),
  ),
  row('9113 7', 'RST_STREAM with an unknown code', ignored(1), [open(1), resetStream(1, 0xff)]),
  scene('9113 7', 'GOAWAY with an unknown code is one like any other', async (client) => {
    client.send(get(1), goaway(0, 0xff, 'why'));
    const stream = await client.answered(1);
    if (bodyOf(stream) !== INDEX || client.goaways.some(({ error }) => error !== 'NO_ERROR'))
      throw new Error(client.transcript());
  }),
];

const bad = (id: number, value: number, name: string, error: 'PROTOCOL_ERROR' | 'FLOW_CONTROL_ERROR'): Row =>
  row('9113 6.5.2', name, connectionError(error), [settings([id, value])]);
const good = (id: number, value: number, name: string): Row =>
  row('9113 6.5.2', name, answer(1, INDEX), [settings([id, value]), get(1)]);

const settingsRows: readonly Row[] = [
  row('9113 6.5', 'SETTINGS with ACK and a payload', frameSize, [frame(TYPE.SETTINGS, ACK, 0, Buffer.alloc(6))]),
  row('9113 6.5', 'SETTINGS on a stream', protocolError, [frame(TYPE.SETTINGS, 0, 1, Buffer.alloc(6))]),
  row('9113 6.5', 'an acknowledgement on a stream', protocolError, [frame(TYPE.SETTINGS, ACK, 1)]),
  row('9113 6.5', 'SETTINGS of 5 bytes', frameSize, [frame(TYPE.SETTINGS, 0, 0, Buffer.alloc(5))]),
  row('9113 6.5', 'SETTINGS of 7 bytes', frameSize, [frame(TYPE.SETTINGS, 0, 0, Buffer.alloc(7))]),
  row('9113 6.5', 'an acknowledgement of nothing', protocolError, [settingsAck(), settingsAck()], {
    permits: [ignored()],
  }),
  bad(2, 2, 'SETTINGS_ENABLE_PUSH of 2', 'PROTOCOL_ERROR'),
  good(2, 0, 'SETTINGS_ENABLE_PUSH of 0'),
  good(2, 1, 'SETTINGS_ENABLE_PUSH of 1'),
  good(3, 0, 'SETTINGS_MAX_CONCURRENT_STREAMS of 0 is about pushes'),
  bad(4, 0x8000_0000, 'SETTINGS_INITIAL_WINDOW_SIZE of 2^31', 'FLOW_CONTROL_ERROR'),
  good(4, 0x7fff_ffff, 'SETTINGS_INITIAL_WINDOW_SIZE of 2^31-1'),
  bad(5, 16_383, 'SETTINGS_MAX_FRAME_SIZE of 2^14-1', 'PROTOCOL_ERROR'),
  bad(5, 0x100_0000, 'SETTINGS_MAX_FRAME_SIZE of 2^24', 'PROTOCOL_ERROR'),
  good(5, 16_384, 'SETTINGS_MAX_FRAME_SIZE of 2^14'),
  good(5, 0xff_ffff, 'SETTINGS_MAX_FRAME_SIZE of 2^24-1'),
  good(1, 0, 'SETTINGS_HEADER_TABLE_SIZE of 0'),
  good(1, 0xffff_ffff, 'SETTINGS_HEADER_TABLE_SIZE of 2^32-1'),
  good(6, 1, 'SETTINGS_MAX_HEADER_LIST_SIZE is advice'),
  row('8441 3', 'SETTINGS_ENABLE_CONNECT_PROTOCOL of 2', protocolError, [settings([8, 2])], { permits: [ignored()] }),
  row('9218 2.1', 'SETTINGS_NO_RFC7540_PRIORITIES of 2', protocolError, [settings([9, 2])], { permits: [ignored()] }),
  row('9113 6.5.3', 'values apply in order: a wrong one after a right one', connectionError('FLOW_CONTROL_ERROR'), [
    settings([4, 100], [4, 0x8000_0000]),
  ]),
  scene('9113 6.5.3', 'each is acknowledged, by an empty frame, in order with what follows', async (client) => {
    client.send(settings(), settings([2, 0]), settings(), ping('12345678'));
    await client.roundTrip();
    const acks = client.frames.filter(({ type, flags }) => type === TYPE.SETTINGS && flags === ACK);
    if (acks.length !== 4 || acks.some(({ payload }) => payload.length > 0)) throw new Error(client.transcript());
    await works(client);
  }),
  scene('9113 6.5.2', "the server's SETTINGS are such as a server may send", async (client) => {
    const [push, frameSizeLimit] = [client.settings.get(2) ?? 0, client.settings.get(5) ?? 16_384];
    if (push !== 0) throw new Error('SETTINGS_ENABLE_PUSH of a server is not 0.');
    if (frameSizeLimit < 16_384 || frameSizeLimit > 0xff_ffff) throw new Error('SETTINGS_MAX_FRAME_SIZE is wrong.');
  }),
];

const pushPromise = (streamId: number): Buffer =>
  frame(TYPE.PUSH_PROMISE, END_HEADERS, streamId, Buffer.concat([uint32(2), GET]));

const otherRows: readonly Row[] = [
  row('9113 8.4', 'PUSH_PROMISE on a stream that is open', protocolError, [open(1), pushPromise(1)]),
  row('9113 6.6', 'PUSH_PROMISE on an idle stream', protocolError, [pushPromise(1)]),
  row('9113 6.6', 'PUSH_PROMISE on no stream', protocolError, [pushPromise(0)]),
  scene('9113 6.7', 'PING is answered with its own bytes, in order', async (client) => {
    const payloads = ['\0\x01\x02\x03\x04\x05\x06\xff', 'abcdefgh', 'abcdefgh', 'ABCDEFGH'];
    client.send(...payloads.map((payload) => ping(Buffer.from(payload, 'latin1'))));
    await client.roundTrip();
    const acks = client.frames.filter(({ type, flags }) => type === TYPE.PING && flags === ACK).slice(0, 4);
    if (acks.some(({ payload }, i) => payload.toString('latin1') !== payloads[i])) throw new Error(client.transcript());
    await works(client);
  }),
  scene('9113 6.7', 'PING with ACK is not answered', async (client) => {
    client.send(ping('unasked!', ACK));
    await client.roundTrip();
    if (client.frames.some(({ payload }) => payload.toString() === 'unasked!')) throw new Error(client.transcript());
    await works(client);
  }),
  row('9113 6.7', 'PING on a stream', protocolError, [frame(TYPE.PING, 0, 1, Buffer.alloc(8))]),
  ...[0, 7, 9].map((length) =>
    row('9113 6.7', `PING of ${length} bytes`, frameSize, [frame(TYPE.PING, 0, 0, Buffer.alloc(length))]),
  ),
  row('9113 6.8', 'GOAWAY on a stream', protocolError, [frame(TYPE.GOAWAY, 0, 1, Buffer.alloc(8))]),
  row('9113 6.8', 'GOAWAY of 7 bytes', frameSize, [frame(TYPE.GOAWAY, 0, 0, Buffer.alloc(7))]),
  row('9113 6.10', 'CONTINUATION', answer(1, INDEX), [
    headers(1, GET.subarray(0, 3), END_STREAM),
    continuation(1, GET.subarray(3)),
  ]),
  row('9113 6.10', 'on no stream', protocolError, [headers(1, GET, END_STREAM), continuation(0, EMPTY)]),
  row('9113 6.10', 'after END_HEADERS of HEADERS', protocolError, [
    headers(1, POST, END_HEADERS),
    continuation(1, EMPTY),
  ]),
  row('9113 6.10', 'after END_HEADERS of CONTINUATION', protocolError, [
    headers(1, POST, 0),
    continuation(1, EMPTY),
    continuation(1, EMPTY),
  ]),
  row('9113 6.10', 'after DATA', protocolError, [open(1), data(1, 'abc'), continuation(1, EMPTY)]),
  row('9113 6.10', 'END_STREAM of HEADERS counts when the block ends', malformed, [
    headers(1, EMPTY, END_STREAM),
    continuation(1, EMPTY),
  ]),
];

export const DEFINITIONS: readonly Row[] = [
  ...dataRows,
  ...headersRows,
  ...priorityRows,
  ...resetRows,
  ...settingsRows,
  ...otherRows,
];
