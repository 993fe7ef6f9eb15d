/**
 * RFC 9113 section 8.1, and RFC 9110 as far as it frames messages: requests, responses, trailers,
 * lengths.
 */
import type { Stream } from '../client.ts';
import { continuation, data, END_HEADERS, END_STREAM, headers, PADDED, padded, TYPE } from '../frames.ts';
import { block } from '../hpack.ts';
import {
  answer,
  bodyOf,
  connectionError,
  get,
  malformed,
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

const EMPTY = Buffer.alloc(0);
const site = { needs: ['site'] } as const;
const to = (path: string, method = 'GET'): Buffer => headers(1, request({ ':path': path, ':method': method }));
const trailers = (flags = END_HEADERS | END_STREAM): Buffer => headers(1, block([['x-trailer', 'last']]), flags);

const length = (...values: readonly string[]): Buffer =>
  request({ ':method': 'POST', ':path': '/echo' }, ...values.map((value) => ['content-length', value] as const));
const announced = (...values: readonly string[]): Buffer => headers(1, length(...values), END_HEADERS);

/** Answered, checked, and the connection works. */
const answered = (section: string, says: string, send: Buffer, check: (stream: Stream) => boolean): Row =>
  scene(
    section,
    says,
    async (client) => {
      client.send(send);
      const stream = await client.answered(1);
      if (!check(stream)) throw new Error(`${JSON.stringify(stream.blocks)} ${client.transcript()}`);
      await works(client);
    },
    site,
  );

const requests: readonly Row[] = [
  row('9113 8.1', 'GET', answer(1, INDEX), [get(1)]),
  row('9113 8.1', 'POST', answer(1, 'abc'), [open(1), data(1, 'abc', END_STREAM)]),
  row('9113 8.1', 'POST with trailers', answer(1, 'abc'), [open(1), data(1, 'abc'), trailers()]),
  row('9113 8.1', 'trailers without a body', answer(1, ''), [open(1), trailers()]),
  row('9113 8.1', 'trailers in several frames', answer(1, 'abc'), [
    open(1),
    data(1, 'abc'),
    headers(1, block([['x-trailer', '1']]).subarray(0, 4), END_STREAM),
    continuation(1, block([['x-trailer', '1']]).subarray(4)),
  ]),
  row('9113 8.1', 'a second HEADERS without END_STREAM', malformed, [open(1), data(1, 'abc'), trailers(END_HEADERS)]),
  row(
    '9113 8.1',
    'DATA after trailers',
    streamError(1, 'STREAM_CLOSED'),
    [headers(1, request({ ':method': 'POST', ':path': '/hold' }), END_HEADERS), trailers(), data(1, 'abc')],
    site,
  ),
  row('9113 8.1', 'a pseudo-header in trailers', malformed, [open(1), headers(1, block([[':method', 'POST']]))]),
  row('9113 8.1', 'a name in upper case in trailers', malformed, [open(1), headers(1, block([['X-Trailer', '1']]))]),
  row('9113 8.1', 'a field of the connection in trailers', malformed, [
    open(1),
    headers(1, block([['connection', 'close']])),
  ]),
  row('9113 8.1', 'a whole request in the place of trailers', malformed, [open(1), get(1)]),
  scene(
    '9110 6.5.1',
    'trailers that would frame a message are dropped',
    async (client) => {
      const lines = ['content-length', 'host', 'expect', 'cookie', 'authorization', 'trailer'];
      const late = block([...lines.map((name) => [name, '3'] as const), ['te', 'trailers'], ['x-trailer', 'last']]);
      client.send(open(1), data(1, 'abc'), headers(1, late));
      const stream = await client.answered(1);
      if (JSON.stringify(stream.blocks[1]) !== '[["x-trailer","last"]]') throw new Error(JSON.stringify(stream.blocks));
      await works(client);
    },
    site,
  ),
  row('9113 8.1', 'bodies of several streams may alternate', answer(3, 'adg'), [
    open(1),
    open(3),
    data(1, 'x'),
    data(3, 'a'),
    data(1, 'y'),
    data(3, 'd'),
    data(1, 'z', END_STREAM),
    data(3, 'g', END_STREAM),
  ]),
  row('9110 9.1', 'an unknown method is not implemented', answer(1, '', '501'), [to('/tell', 'BREW')], {
    permits: [answer(1)],
  }),
  row(
    '9110 9.1',
    'GET may have a body',
    answer(1, 'abc'),
    [headers(1, request({ ':path': '/echo' }), END_HEADERS), data(1, 'abc', END_STREAM)],
    site,
  ),
];

const lengths: readonly Row[] = [
  row('9113 8.1.1', 'content-length', answer(1, 'abcdef'), [
    announced('6'),
    data(1, 'abc'),
    data(1, 'def', END_STREAM),
  ]),
  row('9113 8.1.1', 'more than content-length', malformed, [announced('1'), data(1, 'abc', END_STREAM)]),
  row('9113 8.1.1', 'more, before the end', malformed, [announced('1'), data(1, 'abc')]),
  row('9113 8.1.1', 'more, in several frames', malformed, [announced('4'), data(1, 'abc'), data(1, 'def', END_STREAM)]),
  row('9113 8.1.1', 'less than content-length', malformed, [
    announced('7'),
    data(1, 'abc'),
    data(1, 'def', END_STREAM),
  ]),
  row('9113 8.1.1', 'less, ended by empty DATA', malformed, [announced('7'), data(1, EMPTY, END_STREAM)]),
  row('9113 8.1.1', 'less, ended by trailers', malformed, [announced('7'), data(1, 'abc'), trailers()]),
  row('9113 8.1.1', 'no DATA for a content-length', malformed, [headers(1, length('7'))]),
  row('9113 8.1.1', 'DATA for a content-length of 0', malformed, [announced('0'), data(1, 'a', END_STREAM)]),
  row('9113 8.1.1', 'no DATA for a content-length of 0', answer(1, ''), [headers(1, length('0'))]),
  row('9113 8.1.1', 'padding does not count', answer(1, 'abc'), [
    announced('3'),
    data(1, padded('abc', 100), PADDED | END_STREAM),
  ]),
  row('9110 8.6', 'content-length that is no number', malformed, [announced('3a'), data(1, 'abc', END_STREAM)]),
  row('9110 8.6', 'content-length with a sign', malformed, [announced('+3'), data(1, 'abc', END_STREAM)]),
  row('9110 8.6', 'content-length that is empty', malformed, [announced(''), data(1, 'abc', END_STREAM)]),
  row('9110 8.6', 'content-length beyond all numbers', malformed, [announced('9'.repeat(30))]),
  row('9110 8.6', 'two that differ', malformed, [announced('3', '4'), data(1, 'abc', END_STREAM)]),
  row('9110 8.6', 'two that differ, of which the last is right', malformed, [
    announced('4', '3'),
    data(1, 'abc', END_STREAM),
  ]),
  row('9110 8.6', 'two that are the same', answer(1, 'abc'), [announced('3', '3'), data(1, 'abc', END_STREAM)], {
    permits: [malformed],
  }),
  row('9110 8.6', 'a list', malformed, [announced('3, 3'), data(1, 'abc', END_STREAM)], {
    permits: [answer(1, 'abc')],
  }),
];

const bodiless = (status: string) => (stream: Stream) =>
  statusOf(stream) === status && stream.data.length === 0 && stream.blocks.length === 1;
const fieldsOf = (stream: Stream): Map<string, string> => new Map(stream.blocks.at(-1));

const responses: readonly Row[] = [
  row('9110 9.3.2', 'HEAD has no body', answer(1, ''), [to('/', 'HEAD')]),
  answered(
    '9110 9.3.2',
    'HEAD has the length of GET, and END_STREAM in HEADERS',
    to('/large', 'HEAD'),
    (stream) => bodiless('200')(stream) && fieldsOf(stream).get('content-length') === String(LARGE_BYTES),
  ),
  answered('9110 9.3.2', 'nor of a handler that writes one', to('/streamed', 'HEAD'), bodiless('200')),
  answered(
    '9110 15.3.5',
    '204 has neither a body nor a length',
    to('/none'),
    (stream) => bodiless('204')(stream) && !fieldsOf(stream).has('content-length'),
  ),
  answered(
    '9110 15.3.5',
    'nor of a handler that writes both',
    to('/streamed-none'),
    (stream) => bodiless('204')(stream) && !fieldsOf(stream).has('content-length'),
  ),
  answered('9110 15.4.5', '304 has no body', to('/same'), bodiless('304')),
  answered('9113 8.1', 'an empty body', to('/empty'), (stream) => statusOf(stream) === '200' && stream.bytes === 0),
  answered(
    '9113 8.3.2',
    ':status first, and no other pseudo-header',
    to('/'),
    ({ blocks: [[first, ...rest]] }) => first[0] === ':status' && rest.every(([name]) => !name.startsWith(':')),
  ),
  answered(
    '9113 8.2.1',
    'names in lower case, and none of the connection',
    to('/hop'),
    (stream) =>
      stream.blocks[0].every(([name]) => name === name.toLowerCase()) &&
      !fieldsOf(stream).has('connection') &&
      !fieldsOf(stream).has('keep-alive'),
  ),
  answered('9110 6.6.1', 'a date, and a length that is right', to('/'), (stream) => {
    const fields = fieldsOf(stream);
    const date = fields.get('date') ?? '';
    return fields.get('content-length') === String(INDEX.length) && new Date(date).toUTCString() === date;
  }),
  answered(
    '9113 8.1',
    'trailers of a response',
    to('/trailers'),
    (stream) => stream.blocks.length === 2 && bodyOf(stream) === INDEX && fieldsOf(stream).get('x-checksum') === '1',
  ),
  answered(
    '9113 8.1',
    'informational responses come first, without END_STREAM',
    to('/hints'),
    (stream) => stream.blocks.map((lines) => lines[0][1]).join() === '103,103,200' && bodyOf(stream) === INDEX,
  ),
  answered(
    '9113 4.2',
    'a head larger than a frame continues in CONTINUATION',
    to('/wide'),
    (stream) => fieldsOf(stream).get('x-wide')?.length === 40_000 && bodyOf(stream) === INDEX,
  ),
  scene(
    '9110 10.1.1',
    '100 when the body is waited for',
    async (client) => {
      const expecting = request({ ':method': 'POST', ':path': '/collect' }, ['expect', '100-continue']);
      client.send(headers(1, expecting, END_HEADERS));
      await client.until('100', () => client.stream(1).blocks.find((lines) => lines[0][1] === '100'));
      client.send(data(1, 'abc', END_STREAM));
      if (bodyOf(await client.answered(1)) !== 'abc') throw new Error(client.transcript());
      await works(client);
    },
    site,
  ),
  scene(
    '9110 10.1.1',
    'no 100 when the body is there already',
    async (client) => {
      const expecting = request({ ':method': 'POST', ':path': '/late' }, ['expect', '100-continue']);
      client.send(headers(1, expecting, END_HEADERS), data(1, 'abc', END_STREAM));
      const stream = await client.answered(1);
      if (stream.blocks.length !== 1 || bodyOf(stream) !== 'abc') throw new Error(client.transcript());
      await works(client);
    },
    site,
  ),
  scene(
    '9113 8.1',
    'a response before the request has ended is whole, then RST_STREAM with NO_ERROR',
    async (client) => {
      client.send(headers(1, request({ ':method': 'POST' }), END_HEADERS));
      const stream = await client.answered(1);
      const error = await client.reset(1);
      if (error !== 'NO_ERROR' || bodyOf(stream) !== INDEX) throw new Error(client.transcript());
      // What was pending is dropped.
      client.send(data(1, 'abc'), trailers());
      await works(client);
    },
    site,
  ),
  scene(
    '9113 8.1',
    'a request that ends while it is answered needs no reset',
    async (client) => {
      client.send(headers(1, request({ ':method': 'POST' }), END_HEADERS), data(1, 'abc', END_STREAM));
      await client.answered(1);
      await works(client);
      if (client.stream(1).resetBy !== undefined) throw new Error(client.transcript());
    },
    site,
  ),
  row('9113 8.1.1', 'a handler that gives up', streamError(1, 'INTERNAL_ERROR'), [to('/abort')], site),
  row('9113 8.1.1', 'a handler that throws', answer(1, '', '500'), [to('/throw')], site),
  row(
    '9113 8.1.1',
    'a response shorter than its content-length is no whole one',
    streamError(1, 'INTERNAL_ERROR'),
    [to('/short')],
    site,
  ),
  scene(
    '9113 8.7',
    'a refused stream has not been looked at: GOAWAY of an error tells the last that was',
    async (client) => {
      client.send(get(1), headers(0, EMPTY), get(3));
      await client.closed();
      if (client.goaways.at(-1)?.lastStreamId !== 1) throw new Error(client.transcript());
      if (client.frames.some(({ type, streamId }) => type === TYPE.HEADERS && streamId === 3))
        throw new Error(client.transcript());
    },
  ),
  row(
    '9113 10.5.1',
    'a header list that is too large gets 431',
    answer(1, '', '431'),
    [headers(1, request({}, ...Array.from({ length: 200 }, (_, i) => ['x', `${i}`] as const)))],
    site,
  ),
  row(
    '9113 6.5.2',
    'one with too many bytes, too',
    answer(1, '', '431'),
    (client) => {
      const bytes = client.settings.get(6) ?? 0;
      const large = request({}, ...Array.from({ length: 10 }, (_, i) => [`x-${i}`, 'x'.repeat(bytes / 9)] as const));
      return [
        headers(1, large.subarray(0, 16_000), END_STREAM),
        ...Array.from({ length: Math.ceil(large.length / 16_000) - 1 }, (_, i) => {
          const rest = large.subarray(16_000 * (i + 1), 16_000 * (i + 2));
          return continuation(1, rest, 16_000 * (i + 2) >= large.length ? END_HEADERS : 0);
        }),
      ];
    },
    site,
  ),
  row(
    '9113 10.5.1',
    'trailers that are too large',
    streamError(1, 'ENHANCE_YOUR_CALM', 'PROTOCOL_ERROR'),
    [open(1), headers(1, block(Array.from({ length: 200 }, (_, i) => ['x', `${i}`] as const)))],
    site,
  ),
  row(
    '9113 6.10',
    'a flood of CONTINUATION',
    connectionError('ENHANCE_YOUR_CALM'),
    [headers(1, EMPTY, END_STREAM), ...Array.from({ length: 100 }, () => continuation(1, EMPTY, 0))],
    site,
  ),
];

export const MESSAGES: readonly Row[] = [...requests, ...lengths, ...responses];
