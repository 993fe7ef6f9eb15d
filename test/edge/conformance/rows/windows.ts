/** RFC 9113 section 6.9: flow control, in both directions. */
import type { RawClient } from '../client.ts';
import {
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  headers,
  PADDED,
  padded,
  resetStream,
  SETTING,
  settings,
  TYPE,
  windowUpdate,
} from '../frames.ts';
import {
  answer,
  bodyOf,
  connectionError,
  GET_LARGE,
  get,
  ignored,
  open,
  POST,
  type Row,
  request,
  row,
  scene,
  streamError,
  works,
} from '../row.ts';
import { INDEX, LARGE_BYTES } from '../site.ts';

const MOST = 0x7fff_ffff;
/** Of every connection and stream at first. */
const WINDOW = 65_535;
const protocolError = connectionError('PROTOCOL_ERROR');
const flowControl = connectionError('FLOW_CONTROL_ERROR');
const initial = (bytes: number) => ({ settings: [[SETTING.INITIAL_WINDOW_SIZE, bytes]] }) as const;
const setInitial = (bytes: number): Buffer => settings([SETTING.INITIAL_WINDOW_SIZE, bytes]);
const getLarge = (streamId: number): Buffer => headers(streamId, GET_LARGE);

/** So many bytes of the stream come, and no more for now. */
async function exactly(client: RawClient, streamId: number, bytes: number): Promise<void> {
  await client.until(`${bytes} bytes`, () => client.stream(streamId).bytes >= bytes || undefined);
  await client.roundTrip();
  const { bytes: got, isEnded } = client.stream(streamId);
  if (got !== bytes || isEnded) throw new Error(`${got} bytes instead of ${bytes}. ${client.transcript()}`);
}

const frames: readonly Row[] = [
  row('9113 6.9', 'an increment of 0 of the connection', protocolError, [windowUpdate(0, 0)]),
  row('9113 6.9', 'an increment of 0 of a stream', streamError(1, 'PROTOCOL_ERROR'), [open(1), windowUpdate(1, 0)]),
  row('9113 6.9', 'an increment of 0 under the reserved bit', protocolError, [windowUpdate(0, 0x8000_0000)]),
  ...[0, 3, 5].map((length) =>
    row('9113 6.9', `WINDOW_UPDATE of ${length} bytes`, connectionError('FRAME_SIZE_ERROR'), [
      frame(TYPE.WINDOW_UPDATE, 0, 0, Buffer.alloc(length, 1)),
    ]),
  ),
  row('9113 6.9', 'WINDOW_UPDATE of 3 bytes on a stream', connectionError('FRAME_SIZE_ERROR'), [
    open(1),
    frame(TYPE.WINDOW_UPDATE, 0, 1, Buffer.alloc(3, 1)),
  ]),
  row('9113 6.9', 'WINDOW_UPDATE of the connection and of a stream', answer(1, 'abc'), [
    windowUpdate(0, 1),
    open(1),
    windowUpdate(1, 1),
    data(1, 'abc', END_STREAM),
  ]),
];

const overflow: readonly Row[] = [
  row('9113 6.9.1', 'a window of 2^31-1', ignored(1), [
    open(1),
    windowUpdate(0, MOST - WINDOW),
    windowUpdate(1, MOST - WINDOW),
  ]),
  row('9113 6.9.1', "more than 2^31-1 of the connection's", flowControl, [windowUpdate(0, MOST - WINDOW + 1)]),
  row('9113 6.9.1', 'more than that by two', flowControl, [windowUpdate(0, MOST), windowUpdate(0, MOST)]),
  row('9113 6.9.1', 'more than 2^31-1 of a stream', streamError(1, 'FLOW_CONTROL_ERROR'), [
    open(1),
    windowUpdate(1, MOST - WINDOW + 1),
  ]),
  row(
    '9113 6.9.1',
    'more than that of a stream that sends',
    streamError(1, 'FLOW_CONTROL_ERROR'),
    [getLarge(1), windowUpdate(1, MOST)],
    initial(0x40),
  ),
  row('9113 6.9.2', 'more than that by SETTINGS', flowControl, [
    open(1),
    windowUpdate(1, MOST - WINDOW),
    setInitial(WINDOW + 1),
  ]),
];

const sending: readonly Row[] = [
  scene(
    '9113 6.9.1',
    'a window of a byte',
    async (client) => {
      client.send(get(1));
      await exactly(client, 1, 1);
      client.send(windowUpdate(1, 1));
      await exactly(client, 1, 2);
      client.send(windowUpdate(1, 100));
      if (bodyOf(await client.answered(1)) !== INDEX) throw new Error(client.transcript());
      await works(client);
    },
    initial(1),
  ),
  scene(
    '9113 6.9.1',
    'no DATA at a window of 0',
    async (client) => {
      client.send(get(1));
      await client.until('the head', () => client.stream(1).blocks[0]);
      await exactly(client, 1, 0);
      client.send(windowUpdate(1, INDEX.length));
      await client.answered(1);
      await works(client);
    },
    initial(0),
  ),
  scene(
    '9113 6.9.1',
    'an end without bytes needs no window',
    async (client) => {
      client.send(open(1), data(1, Buffer.alloc(0), END_STREAM), headers(3, request({ ':method': 'HEAD' })));
      await client.answered(1);
      await client.answered(3);
      await works(client);
    },
    initial(0),
  ),
  scene(
    '9113 6.9.1',
    'the window of the connection is that of all streams together',
    async (client) => {
      client.send(getLarge(1));
      await exactly(client, 1, WINDOW);
      client.send(windowUpdate(1, LARGE_BYTES));
      await exactly(client, 1, WINDOW);
      client.send(windowUpdate(0, 1000));
      await exactly(client, 1, WINDOW + 1000);
      await works(client);
    },
    initial(LARGE_BYTES),
  ),
  scene(
    '9113 6.9.1',
    'a small response waits for it, too',
    async (client) => {
      client.send(getLarge(1));
      await exactly(client, 1, WINDOW);
      client.send(get(3));
      await client.until('the head', () => client.stream(3).blocks[0]);
      await exactly(client, 3, 0);
      client.send(resetStream(1), windowUpdate(0, INDEX.length));
      if (bodyOf(await client.answered(3)) !== INDEX) throw new Error(client.transcript());
      await works(client);
    },
    initial(LARGE_BYTES),
  ),
  scene(
    '9113 6.9.1',
    'the window of a stream is its own',
    async (client) => {
      client.send(windowUpdate(0, LARGE_BYTES), getLarge(1), getLarge(3));
      await exactly(client, 1, 1000);
      await exactly(client, 3, 1000);
      client.send(windowUpdate(3, 500));
      await exactly(client, 3, 1500);
      await exactly(client, 1, 1000);
      await works(client);
    },
    initial(1000),
  ),
  scene(
    '9113 6.9.1',
    'what a reset stream did not send is for the others',
    async (client) => {
      client.send(getLarge(1));
      await exactly(client, 1, WINDOW);
      client.send(resetStream(1), getLarge(3), windowUpdate(0, 2000));
      await exactly(client, 3, 2000);
      await works(client);
    },
    initial(WINDOW),
  ),
  scene('9113 6.9.1', 'a body of many windows', async (client) => {
    client.send(getLarge(1));
    for (let given = 0; given < LARGE_BYTES; given += 50_000) {
      client.send(windowUpdate(0, 50_000), windowUpdate(1, 50_000));
      await client.answered(1, Math.min(LARGE_BYTES, given + 50_000));
    }
    if ((await client.answered(1)).bytes !== LARGE_BYTES) throw new Error(client.transcript());
    await works(client);
  }),
  scene(
    '9113 6.9.2',
    'a new initial window is that of open streams, too',
    async (client) => {
      client.send(getLarge(1));
      await client.until('the head', () => client.stream(1).blocks[0]);
      await exactly(client, 1, 0);
      client.send(setInitial(100));
      await exactly(client, 1, 100);
      await works(client);
    },
    initial(0),
  ),
  scene(
    '9113 6.9.2',
    'a window may become negative',
    async (client) => {
      client.send(getLarge(1));
      await exactly(client, 1, 1000);
      client.send(setInitial(200), windowUpdate(1, 800));
      await exactly(client, 1, 1000);
      client.send(windowUpdate(1, 1));
      await exactly(client, 1, 1001);
      client.send(setInitial(300));
      await exactly(client, 1, 1101);
      await works(client);
    },
    initial(1000),
  ),
  scene('9113 6.9.2', 'the window of the connection does not follow SETTINGS', async (client) => {
    client.send(setInitial(MOST), getLarge(1));
    await exactly(client, 1, WINDOW);
    client.send(setInitial(0), windowUpdate(0, 100));
    await exactly(client, 1, WINDOW);
    await works(client);
  }),
  scene('9113 6.9.3', 'of two values in one frame the last counts', async (client) => {
    client.send(settings([SETTING.INITIAL_WINDOW_SIZE, 100], [SETTING.INITIAL_WINDOW_SIZE, 1]), get(1));
    await exactly(client, 1, 1);
    await works(client);
  }),
];

const HOLD = request({ ':method': 'POST', ':path': '/hold' });
const hold = (streamId: number): Buffer => headers(streamId, HOLD, END_HEADERS);
const parts = (streamId: number, bytes: number): Buffer[] => {
  const whole = Array.from({ length: Math.floor(bytes / 16_000) }, () => data(streamId, Buffer.alloc(16_000)));
  return [...whole, data(streamId, Buffer.alloc(bytes % 16_000))];
};
const streamWindow = (client: RawClient): number => client.settings.get(SETTING.INITIAL_WINDOW_SIZE) ?? WINDOW;
const connectionWindow = (client: RawClient): number => WINDOW + (client.credit.get(0) ?? 0);
const backpressure = { needs: ['backpressure'] } as const;

const receiving: readonly Row[] = [
  row(
    '9113 6.9.1',
    "as much as the server's window of a stream",
    ignored(1),
    (client) => [hold(1), ...parts(1, streamWindow(client))],
    backpressure,
  ),
  row(
    '9113 6.9.1',
    'a byte more',
    streamError(1, 'FLOW_CONTROL_ERROR'),
    (client) => [hold(1), ...parts(1, streamWindow(client) + 1)],
    backpressure,
  ),
  row(
    '9113 6.9.1',
    'a byte of padding more',
    streamError(1, 'FLOW_CONTROL_ERROR'),
    (client) => [hold(1), ...parts(1, streamWindow(client) - 1), data(1, padded('', 1), PADDED)],
    backpressure,
  ),
  row(
    '9113 6.9.1',
    "more than the server's window of the connection",
    flowControl,
    (client) => {
      const [each, all] = [streamWindow(client), connectionWindow(client)];
      const streams = Math.ceil((all + 1) / each);
      return Array.from({ length: streams }, (_, i) => 2 * i + 1).flatMap((id, i) => [
        hold(id),
        ...parts(id, Math.min(each, all + 1 - i * each)),
      ]);
    },
    backpressure,
  ),
  scene(
    '9113 6.9.1',
    'what lies with a stream that is reset is given back to the connection',
    async (client) => {
      const [each, all] = [streamWindow(client), connectionWindow(client)];
      let sent = 0;
      for (let streamId = 1; sent < 3 * all; streamId += 2, sent += each) {
        await client.until('WINDOW_UPDATE', () => connectionWindow(client) >= sent + each || undefined);
        client.send(hold(streamId), ...parts(streamId, each), resetStream(streamId));
      }
      await works(client);
    },
    backpressure,
  ),
  scene('9113 6.9', 'what was taken is given back: a body of many windows', async (client) => {
    const bytes = 500_000;
    client.send(windowUpdate(0, bytes), headers(1, POST, END_HEADERS), windowUpdate(1, bytes));
    let sent = 0;
    while (sent < bytes) {
      const room = await client.until('WINDOW_UPDATE', () => {
        const left = Math.min(
          connectionWindow(client) - sent,
          streamWindow(client) + (client.credit.get(1) ?? 0) - sent,
          16_384,
          bytes - sent,
        );
        return left > 0 ? left : undefined;
      });
      sent += room;
      client.send(data(1, Buffer.alloc(room, 'b'), sent === bytes ? END_STREAM : 0));
    }
    if ((await client.answered(1)).bytes !== bytes) throw new Error(client.transcript());
    await works(client);
  }),
  scene(
    '9113 6.9.1',
    'padding is given back without being asked for',
    async (client) => {
      client.send(open(1));
      const [each, all] = [streamWindow(client), connectionWindow(client)];
      for (let sent = 0; sent < 3 * all; sent += 256) {
        await client.until(
          'WINDOW_UPDATE',
          () =>
            (each + (client.credit.get(1) ?? 0) >= sent + 256 && connectionWindow(client) >= sent + 256) || undefined,
        );
        client.send(data(1, padded('a', 254), PADDED));
      }
      await works(client);
    },
    backpressure,
  ),
];

export const WINDOWS: readonly Row[] = [...frames, ...overflow, ...sending, ...receiving];
