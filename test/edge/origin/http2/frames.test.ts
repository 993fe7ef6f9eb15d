/** Frames by hand: what an origin may not send, and which requests are sent again. */
import { createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_BODY } from '../../../../edge/http/exchange/body-queue.ts';
import { FrameReader } from '../../../../edge/http/http2/frame-reader.ts';
import { encodeStateless } from '../../../../edge/http/http2/hpack/encoder.ts';
import { ERROR_CODE, FLAG, FRAME } from '../../../../edge/http/http2/protocol.ts';
import { createMultiplexer } from '../../../../edge/origin/http2/multiplexer.ts';
import type { OriginRequest } from '../../../../edge/origin/origin.ts';
import { until } from '../../../support/until.ts';
import { bodyOf, client, faultOf, listening, request, seen } from '../rig.ts';

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

const frame = (type: number, flags: number, streamId: number, payload: Uint8Array | string = ''): Buffer => {
  const bytes = Buffer.from(payload as string, 'latin1');
  const head = Buffer.alloc(9);
  head.writeUIntBE(bytes.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, bytes]);
};
const word = (...values: number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    }),
  );
const END = FLAG.END_HEADERS | FLAG.END_STREAM;
const block = (status: number, fields: readonly string[] = []): Uint8Array => encodeStateless(status, fields);
const head = (flags: number, status = 200, fields: readonly string[] = [], streamId = 1): Buffer =>
  frame(FRAME.HEADERS, flags, streamId, block(status, fields));
const data = (text: string, flags = 0, streamId = 1): Buffer => frame(FRAME.DATA, flags, streamId, text);
const setting = (id: number, value: number): Buffer => {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id);
  bytes.writeUInt32BE(value, 2);
  return bytes;
};
const SETTINGS = frame(FRAME.SETTINGS, 0, 0);

/** Called for each frame of the client; `turn`: number of its connection. */
type Script = (socket: Socket, its: Frame, turn: number) => void;

async function withFrames(
  script: Script,
  work: (ask: (more?: Partial<OriginRequest>) => ReturnType<typeof seen>, frames: readonly Frame[]) => Promise<void>,
  first: Uint8Array = SETTINGS,
): Promise<void> {
  const frames: Frame[] = [];
  const sockets = new Set<Socket>();
  let turns = 0;
  const server = createServer((socket) => {
    const turn = turns++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.write(first);
    const reader = new FrameReader(
      {
        frame(type, flags, streamId, bytes, start, end) {
          const its = { type, flags, streamId, payload: Buffer.from(bytes.subarray(start, end)) };
          frames.push(its);
          script(socket, its, turn);
        },
        badPreface: () => assert.unreachable(),
        oversized: () => assert.unreachable(),
      },
      65_536,
    );
    socket.on('data', (bytes) => reader.push(bytes));
  });
  const port = await listening(server, '127.0.0.1');
  const its = client({ multiplex: createMultiplexer, limits: { headerTimeout: 5000 } });
  const origin = { host: '127.0.0.1', port, protocol: 'http', version: 'h2c' } as const;
  try {
    await work((more = {}) => seen(its.fetch(request(port, { origin, ...more }))), frames);
  } finally {
    await its.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const answering =
  (...answer: readonly Buffer[]): Script =>
  (socket, { type }) => {
    if (type === FRAME.HEADERS) socket.write(Buffer.concat(answer));
  };

/** Answers that fail the request with `malformed`; the code of the RST_STREAM or GOAWAY. */
const RESPONSES: readonly (readonly [string, readonly Buffer[], keyof typeof ERROR_CODE])[] = [
  ['a body before its head', [data('a')], 'PROTOCOL_ERROR'],
  ['no status', [frame(FRAME.HEADERS, END, 1, block(0, ['x-a', 'b']))], 'PROTOCOL_ERROR'],
  ['two statuses', [frame(FRAME.HEADERS, END, 1, block(200, [':status', '200']))], 'PROTOCOL_ERROR'],
  [
    'a pseudo-header behind a field',
    [frame(FRAME.HEADERS, END, 1, block(0, ['x-a', 'b', ':status', '200']))],
    'PROTOCOL_ERROR',
  ],
  ['a pseudo-header of a request', [head(END, 200, [':path', '/'])], 'PROTOCOL_ERROR'],
  ['a status that is none', [frame(FRAME.HEADERS, END, 1, block(0, [':status', '99']))], 'PROTOCOL_ERROR'],
  ['a field of the connection', [head(END, 200, ['connection', 'close'])], 'PROTOCOL_ERROR'],
  ['transfer-encoding', [head(END, 200, ['transfer-encoding', 'chunked'])], 'PROTOCOL_ERROR'],
  ['a name in upper case', [head(END, 200, ['X-A', 'b'])], 'PROTOCOL_ERROR'],
  ['a line feed in a value', [head(END, 200, ['x-a', 'b\nc'])], 'PROTOCOL_ERROR'],
  ['two lengths', [head(END, 200, ['content-length', '0', 'content-length', '1'])], 'PROTOCOL_ERROR'],
  ['a length that is none', [head(END, 200, ['content-length', '-1'])], 'PROTOCOL_ERROR'],
  ['a length without a body', [head(END, 200, ['content-length', '1'])], 'PROTOCOL_ERROR'],
  ['101', [head(FLAG.END_HEADERS, 101)], 'PROTOCOL_ERROR'],
  ['103 that ends', [head(END, 103)], 'PROTOCOL_ERROR'],
  ['33 times 103', Array.from({ length: 33 }, () => head(FLAG.END_HEADERS, 103)), 'ENHANCE_YOUR_CALM'],
  ['a body of 204', [head(FLAG.END_HEADERS, 204), data('a')], 'PROTOCOL_ERROR'],
  ['a longer body', [head(FLAG.END_HEADERS, 200, ['content-length', '1']), data('ab')], 'PROTOCOL_ERROR'],
  ['a shorter body', [head(FLAG.END_HEADERS, 200, ['content-length', '2']), data('a', 1)], 'PROTOCOL_ERROR'],
  [
    'a shorter body with trailers',
    [head(FLAG.END_HEADERS, 200, ['content-length', '2']), data('a'), frame(1, END, 1, block(0, ['x-a', 'b']))],
    'PROTOCOL_ERROR',
  ],
  ['trailers that do not end', [head(FLAG.END_HEADERS), head(FLAG.END_HEADERS, 200)], 'PROTOCOL_ERROR'],
  ['trailers with a status', [head(FLAG.END_HEADERS), head(END, 200)], 'PROTOCOL_ERROR'],
  [
    'a head that is too large',
    [
      head(
        FLAG.END_HEADERS | 1,
        200,
        Array.from({ length: 60 }, () => ['x-a', 'b'.repeat(1100)])
          .flat()
          .slice(0, 118),
      ),
    ],
    'PROTOCOL_ERROR',
  ],
  ['a WINDOW_UPDATE of 0', [frame(FRAME.WINDOW_UPDATE, 0, 1, word(0))], 'PROTOCOL_ERROR'],
  ['a window past its bound', [frame(FRAME.WINDOW_UPDATE, 0, 1, word(0x7fffffff))], 'FLOW_CONTROL_ERROR'],
];
for (const [name, answer, code] of RESPONSES)
  test(`fails one response: ${name}`, () =>
    withFrames(
      (socket, its, turn) => {
        if (its.type !== FRAME.HEADERS) return;
        if (its.streamId === 1) answering(...answer)(socket, its, turn);
        else socket.write(head(END, 204, [], its.streamId));
      },
      async (ask, frames) => {
        assert.is(await faultOf(ask()), 'malformed');
        assert.is((await ask()).status, 204, 'the connection lives');
        const reset = frames.find(({ type }) => type === FRAME.RST_STREAM);
        assert.is(reset?.payload.readUInt32BE(), ERROR_CODE[code]);
      },
    ));

const CONNECTIONS: readonly (readonly [string, readonly Buffer[], keyof typeof ERROR_CODE])[] = [
  ['DATA on a stream that is not open', [data('a', 0, 3)], 'PROTOCOL_ERROR'],
  ['HEADERS on a stream of the origin', [head(END, 200, [], 2)], 'PROTOCOL_ERROR'],
  ['RST_STREAM on a stream that is not open', [frame(FRAME.RST_STREAM, 0, 5, word(0))], 'PROTOCOL_ERROR'],
  ['WINDOW_UPDATE on a stream that is not open', [frame(FRAME.WINDOW_UPDATE, 0, 5, word(1))], 'PROTOCOL_ERROR'],
  ['a push', [frame(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, 1, word(2))], 'PROTOCOL_ERROR'],
  ['SETTINGS on a stream', [frame(FRAME.SETTINGS, 0, 1)], 'PROTOCOL_ERROR'],
  ['SETTINGS of a wrong size', [frame(FRAME.SETTINGS, 0, 0, 'abc')], 'FRAME_SIZE_ERROR'],
  ['SETTINGS that switch push on', [frame(FRAME.SETTINGS, 0, 0, setting(2, 1))], 'PROTOCOL_ERROR'],
  ['an initial window past its bound', [frame(FRAME.SETTINGS, 0, 0, setting(4, 0x80000000))], 'FLOW_CONTROL_ERROR'],
  ['a frame size below the least', [frame(FRAME.SETTINGS, 0, 0, setting(5, 1))], 'PROTOCOL_ERROR'],
  ['a PING of a wrong size', [frame(FRAME.PING, 0, 0, 'a')], 'FRAME_SIZE_ERROR'],
  ['a PING on a stream', [frame(FRAME.PING, 0, 1, word(0, 0))], 'PROTOCOL_ERROR'],
  ['a RST_STREAM of a wrong size', [frame(FRAME.RST_STREAM, 0, 1, 'a')], 'FRAME_SIZE_ERROR'],
  ['a short GOAWAY', [frame(FRAME.GOAWAY, 0, 0, 'a')], 'FRAME_SIZE_ERROR'],
  ['a GOAWAY on a stream', [frame(FRAME.GOAWAY, 0, 1, word(0, 0))], 'PROTOCOL_ERROR'],
  ['WINDOW_UPDATE of 0 for the connection', [frame(FRAME.WINDOW_UPDATE, 0, 0, word(0))], 'PROTOCOL_ERROR'],
  [
    'the window of the connection past its bound',
    [frame(FRAME.WINDOW_UPDATE, 0, 0, word(0x7fffffff))],
    'FLOW_CONTROL_ERROR',
  ],
  ['a frame within a header block', [frame(FRAME.HEADERS, 0, 1, block(200)), data('a')], 'PROTOCOL_ERROR'],
  ['CONTINUATION without HEADERS', [frame(FRAME.CONTINUATION, 0, 1)], 'PROTOCOL_ERROR'],
  [
    'CONTINUATION without an end',
    [frame(FRAME.HEADERS, 0, 1), ...Array.from({ length: 9 }, () => frame(FRAME.CONTINUATION, 0, 1))],
    'ENHANCE_YOUR_CALM',
  ],
  [
    'padding longer than its frame',
    [head(FLAG.END_HEADERS), frame(FRAME.DATA, FLAG.PADDED, 1, '\xff')],
    'PROTOCOL_ERROR',
  ],
  ['a block that cannot be decoded', [frame(FRAME.HEADERS, END, 1, '\xff\xff\xff\xff\xff\xff')], 'COMPRESSION_ERROR'],
  ['a frame longer than allowed', [frame(FRAME.DATA, 0, 1, 'x'.repeat(65_537))], 'FRAME_SIZE_ERROR'],
  ['a flood of PING', Array.from({ length: 600 }, () => frame(FRAME.PING, 0, 0, word(0, 0))), 'ENHANCE_YOUR_CALM'],
  ['a flood of SETTINGS', Array.from({ length: 60 }, () => SETTINGS), 'ENHANCE_YOUR_CALM'],
  [
    'a flood of empty DATA',
    [head(FLAG.END_HEADERS), ...Array.from({ length: 110 }, () => data(''))],
    'ENHANCE_YOUR_CALM',
  ],
];
for (const [name, answer, code] of CONNECTIONS)
  test(`ends the connection: ${name}`, () =>
    withFrames(answering(...answer), async (ask, frames) => {
      assert.is(await faultOf(ask({ method: 'POST' })), 'malformed');
      await until(() => frames.some(({ type }) => type === FRAME.GOAWAY), 'GOAWAY');
      const goaway = frames.find(({ type }) => type === FRAME.GOAWAY)!;
      assert.is(goaway.payload.readUInt32BE(4), ERROR_CODE[code]);
    }));

test('a frame behind the end of its stream ends the connection, one behind our reset does not', () =>
  withFrames(
    (socket, { type, streamId }) => {
      if (type !== FRAME.HEADERS) return;
      if (streamId === 1) socket.write(Buffer.concat([data('a'), data('b')]));
      else socket.write(Buffer.concat([head(END, 204, [], 3), data('late', 0, 3)]));
    },
    async (ask, frames) => {
      assert.is(await faultOf(ask()), 'malformed');
      assert.is((await ask()).status, 204);
      await until(() => frames.some(({ type }) => type === FRAME.GOAWAY), 'GOAWAY');
      const goaway = frames.find(({ type }) => type === FRAME.GOAWAY)!;
      assert.is(goaway.payload.readUInt32BE(4), ERROR_CODE.STREAM_CLOSED);
    },
  ));

test('an origin that speaks HTTP/1.1', () =>
  withFrames(
    () => {},
    async (ask) => assert.is(await faultOf(ask()), 'malformed'),
    Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  ));

test('a body that breaks off by RST_STREAM', () =>
  withFrames(answering(head(FLAG.END_HEADERS), data('a'), frame(FRAME.RST_STREAM, 0, 1, word(2))), async (ask) =>
    assert.is(await faultOf(ask()), 'reset'),
  ));

test('padding, unknown frames, continued blocks and trailers', () => {
  const whole = block(200, ['x-a', 'b']);
  const answer = [
    frame(0x55, 0, 1, 'unknown'),
    frame(FRAME.HEADERS, FLAG.PRIORITY, 1, Buffer.concat([word(0), Buffer.from([9]), whole.subarray(0, 2)])),
    frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, whole.subarray(2)),
    frame(FRAME.DATA, FLAG.PADDED, 1, '\x02ab\0\0'),
    frame(FRAME.HEADERS, END, 1, block(0, ['x-end', 'c', 'content-length', '9'])),
  ];
  return withFrames(answering(...answer), async (ask) => {
    assert.equal(await ask(), { status: 200, headers: ['x-a', 'b'], body: 'ab', trailers: ['x-end', 'c'] });
  });
});

test('GOAWAY: streams above the last are sent again over another connection, also a POST', () =>
  withFrames(
    (socket, { type, flags, streamId }, turn) => {
      if (turn === 0) {
        if (type === FRAME.HEADERS) socket.write(frame(FRAME.GOAWAY, 0, 0, word(0, 0)));
      } else if ((flags & FLAG.END_STREAM) !== 0 && type === FRAME.DATA) socket.write(head(END, 204, [], streamId));
    },
    async (ask, frames) => {
      assert.is((await ask({ method: 'POST', body: bodyOf(['ok'], undefined) })).status, 204);
      assert.equal(
        frames
          .filter(({ type, payload }) => type === FRAME.DATA && payload.length > 0)
          .map(({ payload }) => `${payload}`),
        ['ok', 'ok'],
      );
    },
  ));

test('GOAWAY with an error fails open streams', () =>
  withFrames(answering(frame(FRAME.GOAWAY, 0, 0, word(1, 11))), async (ask) =>
    assert.is(await faultOf(ask({ method: 'POST' })), 'reset'),
  ));

test('a request is HEADERS alone, or HEADERS and one frame of DATA that ends it', () =>
  withFrames(
    (socket, { type, flags, streamId }) => {
      if ((type === FRAME.HEADERS || type === FRAME.DATA) && (flags & FLAG.END_STREAM) !== 0)
        socket.write(head(END, 204, [], streamId));
    },
    async (ask, frames) => {
      await ask({ body: NO_BODY });
      const flow = (sink: { onPart(part: Uint8Array): boolean; onOver(error: null): void }): { resume(): void } => {
        sink.onPart(Buffer.from('ok'));
        sink.onOver(null);
        return { resume: () => {} };
      };
      await ask({ method: 'POST', body: { ...bodyOf([], undefined), flow } });
      const its = frames.filter(({ streamId }) => streamId > 0);
      assert.equal(
        its.map(({ type, flags }) => [type, flags]),
        [
          [FRAME.HEADERS, END],
          [FRAME.HEADERS, FLAG.END_HEADERS],
          [FRAME.DATA, FLAG.END_STREAM],
        ],
      );
    },
  ));

test('the table size of the origin is acknowledged before the next block', () =>
  withFrames(
    (socket, { type, streamId }) => {
      if (type === FRAME.HEADERS) socket.write(head(END, 204, [], streamId));
    },
    async (ask, frames) => {
      await ask();
      await ask();
      const blocks = frames.filter(({ type }) => type === FRAME.HEADERS).map(({ payload }) => payload);
      // RFC 7541 section 4.2: an update to 0, once.
      assert.equal(
        blocks.map((bytes) => bytes[0] === 0x20),
        [blocks[0][0] === 0x20, blocks[0][0] !== 0x20],
      );
    },
    frame(FRAME.SETTINGS, 0, 0, setting(1, 0)),
  ));

test.run();
