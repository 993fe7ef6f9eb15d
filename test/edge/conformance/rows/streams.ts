/** RFC 9113 section 5: the states of streams, their identifiers, and errors. */
import {
  continuation,
  data,
  dependency,
  END_HEADERS,
  END_STREAM,
  frame,
  headers,
  PRIORITY,
  ping,
  priority,
  resetStream,
  SETTING,
  settings,
  TYPE,
  windowUpdate,
} from '../frames.ts';
import { block } from '../hpack.ts';
import {
  answer,
  connectionError,
  GET,
  GET_LARGE,
  get,
  ignored,
  open,
  type Row,
  request,
  row,
  scene,
  statusOf,
  streamError,
  works,
} from '../row.ts';
import { INDEX, LARGE_BYTES } from '../site.ts';

const protocolError = connectionError('PROTOCOL_ERROR');
const EMPTY = Buffer.alloc(0);
const TRAILERS = block([['x-trailer', '1']]);
/** DATA waits, so that the streams that it is sent for stay as they are. */
const stalled = { settings: [[SETTING.INITIAL_WINDOW_SIZE, 0]] } as const;
const getLarge = headers(1, GET_LARGE);

const idle: readonly Row[] = [
  row('9113 5.1', 'idle: DATA', protocolError, [data(1, 'abc', END_STREAM)]),
  row('9113 5.1', 'idle: RST_STREAM', protocolError, [resetStream(1)]),
  row('9113 5.1', 'idle: WINDOW_UPDATE', protocolError, [windowUpdate(1, 100)]),
  row('9113 5.1', 'idle: CONTINUATION', protocolError, [continuation(1, GET)]),
  row('9113 5.1', 'idle: PRIORITY is no error, and opens nothing', answer(1, INDEX), [priority(3, 0, 256), get(1)]),
  row('9113 5.1', 'idle, of a server: DATA', protocolError, [data(2, 'abc')]),
  row('9113 5.1', 'idle, of a server: RST_STREAM', protocolError, [resetStream(2)]),
  row('9113 5.1', 'idle, of a server: WINDOW_UPDATE', protocolError, [windowUpdate(2, 1)]),
];

const halfClosed: readonly Row[] = [
  row('9113 5.1', 'half-closed: DATA', streamError(1, 'STREAM_CLOSED'), [getLarge, data(1, 'abc')], stalled),
  row(
    '9113 5.1',
    'half-closed: empty DATA',
    streamError(1, 'STREAM_CLOSED'),
    [getLarge, data(1, EMPTY, END_STREAM)],
    stalled,
  ),
  row('9113 5.1', 'half-closed: HEADERS', streamError(1, 'STREAM_CLOSED'), [getLarge, headers(1, TRAILERS)], stalled),
  row(
    '9113 5.1',
    'half-closed: CONTINUATION',
    connectionError('PROTOCOL_ERROR', 'STREAM_CLOSED'),
    [getLarge, continuation(1, EMPTY)],
    stalled,
  ),
  row(
    '9113 5.1',
    'half-closed, after a body: DATA',
    streamError(1, 'STREAM_CLOSED'),
    [open(1), data(1, 'abc', END_STREAM), data(1, 'abc')],
    stalled,
  ),
  scene(
    '9113 5.1',
    'half-closed: WINDOW_UPDATE',
    async (client) => {
      client.send(getLarge, windowUpdate(1, 100));
      const stream = await client.answered(1, 100);
      if (stream.bytes !== 100) throw new Error(client.transcript());
      await works(client);
    },
    stalled,
  ),
  row('9113 5.1', 'half-closed: PRIORITY', ignored(1), [getLarge, priority(1, 0)], stalled),
  row('9113 5.1', 'half-closed: RST_STREAM', ignored(1), [getLarge, resetStream(1)], stalled),
];

/** Stream 1 is answered whole before these are sent. */
const afterAnswer =
  (...frames: readonly Buffer[]) =>
  async (client: Parameters<typeof works>[0]): Promise<readonly Buffer[]> => {
    client.send(get(1));
    await client.answered(1);
    return frames;
  };
const closedError = connectionError('STREAM_CLOSED');
const reset = [open(1), resetStream(1)];
/** Malformed, and not ended by the client. */
const resetByServer = headers(1, EMPTY, END_HEADERS);

const closed: readonly Row[] = [
  row('9113 5.1', 'closed by both: DATA', closedError, afterAnswer(data(1, 'abc')), {
    permits: [streamError(1, 'STREAM_CLOSED')],
  }),
  row('9113 5.1', 'closed by both: HEADERS', closedError, afterAnswer(get(1)), {
    permits: [protocolError, streamError(1, 'STREAM_CLOSED')],
  }),
  row('9113 5.1', 'closed by both: CONTINUATION', protocolError, afterAnswer(continuation(1, EMPTY)), {
    permits: [closedError],
  }),
  row('9113 5.1', 'closed by both: WINDOW_UPDATE', ignored(1), afterAnswer(windowUpdate(1, 100))),
  row('9113 5.1', 'closed by both: RST_STREAM', ignored(1), afterAnswer(resetStream(1))),
  row('9113 5.1', 'closed by both: PRIORITY', ignored(1), afterAnswer(priority(1, 0))),
  row('9113 5.1', 'reset by the client: DATA', streamError(1, 'STREAM_CLOSED'), [...reset, data(1, 'abc')], {
    permits: [ignored(1)],
  }),
  row('9113 5.1', 'reset by the client: HEADERS', streamError(1, 'STREAM_CLOSED'), [...reset, headers(1, TRAILERS)]),
  row('9113 5.1', 'reset by the client: CONTINUATION', protocolError, [...reset, continuation(1, EMPTY)], {
    permits: [closedError],
  }),
  row('9113 5.1', 'reset by the client: WINDOW_UPDATE', ignored(1), [...reset, windowUpdate(1, 1)]),
  row('9113 5.1', 'reset by the client: PRIORITY', ignored(1), [...reset, priority(1, 0)]),
  row('9113 5.4.2', 'reset by the client: no RST_STREAM answers RST_STREAM', ignored(1), [...reset, resetStream(1)]),
  ...(
    [
      ['DATA', data(1, 'abc')],
      ['DATA with END_STREAM', data(1, 'abc', END_STREAM)],
      ['HEADERS', headers(1, TRAILERS)],
      ['WINDOW_UPDATE', windowUpdate(1, 1)],
      ['WINDOW_UPDATE of 0', windowUpdate(1, 0)],
      ['RST_STREAM', resetStream(1)],
      ['PRIORITY', priority(1, 0)],
    ] as const
  ).map(([name, late]) =>
    scene('9113 5.1', `reset by the server, which the client may not know yet: ${name}`, async (client) => {
      client.send(resetByServer, late);
      const error = await client.reset(1);
      if (error !== 'PROTOCOL_ERROR') throw new Error(client.transcript());
      await works(client);
    }),
  ),
  scene('9113 5.1', 'DATA of a stream that was reset counts for the connection, and is given back', async (client) => {
    const before = client.credit.get(0) ?? 0;
    const frames = Math.floor((65_535 + before) / 16_384);
    client.send(resetByServer, ...Array.from({ length: frames }, () => data(1, Buffer.alloc(16_384))));
    await client.until('WINDOW_UPDATE', () => (client.credit.get(0) ?? 0) > before || undefined);
    await works(client);
  }),
];

const identifiers: readonly Row[] = [
  row('9113 5.1.1', 'an even identifier', protocolError, [get(2)]),
  row('9113 5.1.1', 'an identifier below the last', protocolError, [get(5), get(3)]),
  row(
    '9113 5.1.1',
    'identifiers that are passed over are closed: DATA',
    connectionError('PROTOCOL_ERROR', 'STREAM_CLOSED'),
    [open(5), data(3, 'abc')],
    { permits: [streamError(3, 'STREAM_CLOSED')] },
  ),
  row('9113 5.1.1', 'also after many streams', protocolError, () => {
    const head = request({ ':method': 'HEAD' });
    const ids = Array.from({ length: 300 }, (_, i) => 2 * i + 1);
    return [...ids.map((id) => headers(id, head)), get(1201), get(1101)];
  }),
  row('9113 5.1.1', 'identifiers need not follow each other', answer(1001, INDEX), [get(1), get(1001)]),
  row('9113 5.1.1', 'one that was refused is used', connectionError('PROTOCOL_ERROR', 'STREAM_CLOSED'), [
    headers(3, EMPTY, END_HEADERS | END_STREAM),
    get(1),
  ]),
  scene('9113 5.1.1', 'the highest identifier', async (client) => {
    client.send(get(0x7fff_ffff));
    const stream = await client.answered(0x7fff_ffff);
    if (statusOf(stream) !== '200') throw new Error(client.transcript());
    await client.roundTrip();
  }),
  scene(
    '9113 5.1.2',
    'streams above SETTINGS_MAX_CONCURRENT_STREAMS',
    async (client) => {
      const most = client.settings.get(SETTING.MAX_CONCURRENT_STREAMS) ?? 0;
      if (most < 100) throw new Error(`The server allows ${most} streams.`);
      const last = 2 * most + 1;
      const ids = Array.from({ length: most }, (_, i) => 2 * i + 1);
      client.send(...ids.map(open), get(last));
      const error = await client.reset(last);
      if (error !== 'REFUSED_STREAM') throw new Error(client.transcript());
      // One that ends makes room for one.
      client.send(data(1, 'abc', END_STREAM));
      await client.answered(1);
      client.send(resetStream(3), get(last + 2), get(last + 4));
      await client.answered(last + 2);
      await client.answered(last + 4);
      if (client.goaways.length > 0) throw new Error(client.transcript());
    },
    { needs: ['limited'] },
  ),
];

const priorities: readonly Row[] = [
  row('9113 5.3.2', 'HEADERS with a priority', answer(1, INDEX), [
    frame(TYPE.HEADERS, END_HEADERS | END_STREAM | PRIORITY, 1, Buffer.concat([dependency(0, 256), GET])),
  ]),
  row('9113 5.3.2', 'an exclusive one of a stream that does not exist', answer(1, INDEX), [
    frame(TYPE.HEADERS, END_HEADERS | END_STREAM | PRIORITY, 1, Buffer.concat([dependency(99, 1, true), GET])),
  ]),
  // RFC 7540 section 5.3.1 makes it an error, RFC 9113 says nothing of it.
  row(
    '7540 5.3.1',
    'HEADERS that depend on their own stream',
    streamError(1, 'PROTOCOL_ERROR'),
    [frame(TYPE.HEADERS, END_HEADERS | END_STREAM | PRIORITY, 1, Buffer.concat([dependency(1), GET]))],
    { permits: [answer(1)] },
  ),
  row(
    '7540 5.3.1',
    'PRIORITY that depends on its own stream',
    streamError(1, 'PROTOCOL_ERROR'),
    [open(1), priority(1, 1)],
    {
      permits: [ignored(1)],
    },
  ),
];

const errors: readonly Row[] = [
  scene('9113 5.4.1', 'GOAWAY tells the last stream, then the connection ends', async (client) => {
    client.send(get(1), get(7), open(3 + 6));
    await client.answered(7);
    client.send(ping('1234567'));
    await client.closed();
    const last = client.goaways.at(-1);
    if (last?.lastStreamId !== 9 || last.error !== 'FRAME_SIZE_ERROR') throw new Error(client.transcript());
  }),
  scene('9113 5.4.1', 'what comes after the error is not looked at', async (client) => {
    client.send(ping('1234567'), get(1), windowUpdate(0, 0), ping('12345678'));
    await client.closed();
    const late = client.frames.filter(({ type }) => type === TYPE.HEADERS || type === TYPE.PING);
    if (late.length > 0 || client.goaways.length !== 1) throw new Error(client.transcript());
  }),
  scene(
    '9113 5.4.2',
    'an error of one stream leaves the others as they are',
    async (client) => {
      client.send(getLarge, open(3), headers(5, EMPTY), windowUpdate(3, 0), get(7));
      await client.reset(3);
      await client.reset(5);
      client.send(settings([SETTING.INITIAL_WINDOW_SIZE, LARGE_BYTES]), windowUpdate(0, LARGE_BYTES));
      const stream = await client.answered(1);
      if (stream.bytes !== LARGE_BYTES) throw new Error(client.transcript());
      await client.answered(7);
      await works(client);
    },
    stalled,
  ),
  row('9113 5.5', 'an unknown setting is ignored', ignored(), [settings([0xfafa, 0xffff_ffff], [0, 1], [0x7f, 0])]),
];

export const STREAMS: readonly Row[] = [...idle, ...halfClosed, ...closed, ...identifiers, ...priorities, ...errors];
