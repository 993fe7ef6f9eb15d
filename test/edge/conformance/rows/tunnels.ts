/** CONNECT: RFC 9113 section 8.5, and the extended one of RFC 8441. */
import { data, END_HEADERS, END_STREAM, headers, resetStream, SETTING } from '../frames.ts';
import { block, type Line } from '../hpack.ts';
import { answer, bodyOf, malformed, type Row, row, scene, statusOf, works } from '../row.ts';

const connect = (...lines: readonly Line[]): Buffer => block([[':method', 'CONNECT'], ...lines]);
const AUTHORITY: Line = [':authority', 'conformance.test:443'];
const SCHEME: Line = [':scheme', 'https'];
const PATH: Line = [':path', '/chat'];
const WEBSOCKET: Line = [':protocol', 'websocket'];
const bad = (section: string, says: string, ...lines: readonly Line[]): Row =>
  row(section, says, malformed, [headers(1, connect(...lines), END_HEADERS)]);
const extended = headers(1, connect(WEBSOCKET, SCHEME, PATH, AUTHORITY, ['sec-websocket-version', '13']), END_HEADERS);
const needs = { needs: ['extended-connect'] } as const;

export const TUNNELS: readonly Row[] = [
  row(
    '9113 8.5',
    'CONNECT is for the handler',
    answer(1, '', '501'),
    [headers(1, connect(AUTHORITY), END_HEADERS | END_STREAM)],
    { needs: ['site'] },
  ),
  bad('9113 8.5', 'CONNECT with :scheme', SCHEME, AUTHORITY),
  bad('9113 8.5', 'CONNECT with :path', PATH, AUTHORITY),
  bad('9113 8.5', 'CONNECT with both', SCHEME, PATH, AUTHORITY),
  bad('9113 8.5', 'CONNECT without :authority'),
  scene(
    '8441 3',
    'the server says SETTINGS_ENABLE_CONNECT_PROTOCOL',
    async (client) => {
      if (client.settings.get(SETTING.ENABLE_CONNECT_PROTOCOL) !== 1) throw new Error(client.transcript());
    },
    needs,
  ),
  row(
    '8441 4',
    'extended CONNECT without :scheme',
    malformed,
    [headers(1, connect(WEBSOCKET, PATH, AUTHORITY), END_HEADERS)],
    needs,
  ),
  row(
    '8441 4',
    'extended CONNECT without :path',
    malformed,
    [headers(1, connect(WEBSOCKET, SCHEME, AUTHORITY), END_HEADERS)],
    needs,
  ),
  row(
    '8441 4',
    'extended CONNECT without :authority',
    malformed,
    [headers(1, connect(WEBSOCKET, SCHEME, PATH), END_HEADERS)],
    needs,
  ),
  row('8441 4', ':protocol of another method', malformed, [
    headers(1, block([[':method', 'GET'], WEBSOCKET, SCHEME, PATH, AUTHORITY])),
  ]),
  row(
    '8441 4',
    'an empty :protocol',
    malformed,
    [headers(1, connect([':protocol', ''], SCHEME, PATH, AUTHORITY), END_HEADERS)],
    needs,
  ),
  row(
    '8441 4',
    ':protocol twice',
    malformed,
    [headers(1, connect(WEBSOCKET, WEBSOCKET, SCHEME, PATH, AUTHORITY), END_HEADERS)],
    needs,
  ),
  row(
    '8441 4',
    'an unknown protocol is for the handler',
    answer(1, '', '501'),
    [headers(1, connect([':protocol', 'connect-udp'], SCHEME, PATH, AUTHORITY), END_HEADERS | END_STREAM)],
    needs,
  ),
  scene(
    '8441 5',
    'bytes go both ways, and the end of one side is that of the other',
    async (client) => {
      client.send(extended);
      await client.until('200', () => client.stream(1).blocks[0]);
      if (statusOf(client.stream(1)) !== '200') throw new Error(client.transcript());
      for (const part of ['abc', 'def']) {
        const before = client.stream(1).bytes;
        client.send(data(1, part));
        await client.answered(1, before + 3);
      }
      if (client.stream(1).isEnded) throw new Error(client.transcript());
      client.send(data(1, Buffer.alloc(0), END_STREAM));
      if (bodyOf(await client.answered(1)) !== 'abcdef') throw new Error(client.transcript());
      await works(client);
    },
    needs,
  ),
  scene(
    '8441 5',
    'the end of the server is not that of the client',
    async (client) => {
      client.send(headers(1, connect(WEBSOCKET, SCHEME, [':path', '/bye'], AUTHORITY), END_HEADERS));
      if (bodyOf(await client.answered(1)) !== 'bye') throw new Error(client.transcript());
      client.send(data(1, 'abc'), data(1, 'def', END_STREAM));
      await works(client);
      if (client.stream(1).resetBy !== undefined) throw new Error(client.transcript());
    },
    { needs: ['extended-connect', 'site'] },
  ),
  scene(
    '8441 5',
    'RST_STREAM ends a tunnel',
    async (client) => {
      client.send(extended);
      await client.until('200', () => client.stream(1).blocks[0]);
      client.send(resetStream(1));
      await works(client);
      if (client.stream(1).resetBy !== undefined) throw new Error(client.transcript());
    },
    needs,
  ),
  scene(
    '9113 8.5',
    "a tunnel's bytes need not match a content-length",
    async (client) => {
      client.send(headers(1, connect(WEBSOCKET, SCHEME, PATH, AUTHORITY, ['content-length', '1']), END_HEADERS));
      client.send(data(1, 'abcdef', END_STREAM));
      if (bodyOf(await client.answered(1)) !== 'abcdef') throw new Error(client.transcript());
      await works(client);
    },
    { needs: ['extended-connect', 'site'] },
  ),
  row(
    '9113 8.5',
    'HEADERS on a stream that is connected',
    malformed,
    [extended, data(1, 'abc'), headers(1, block([['x-trailer', '1']]))],
    needs,
  ),
];
