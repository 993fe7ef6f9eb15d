/** RFC 9113 section 3: how a connection starts. */
import {
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  PREFACE,
  ping,
  SETTING,
  settings,
  settingsAck,
  TYPE,
} from '../frames.ts';
import { answer, connectionError, GET, get, open, type Row, row, scene, works } from '../row.ts';
import { INDEX } from '../site.ts';

const first = { handshake: false } as const;
const protocolError = connectionError('PROTOCOL_ERROR');

export const STARTING: readonly Row[] = [
  scene('9113 3.4', "the server's first frame is SETTINGS, and the client's are acknowledged", async (client) => {
    const [seen] = client.frames;
    if (seen.type !== TYPE.SETTINGS || seen.flags !== 0) throw new Error(client.transcript());
  }),
  scene(
    '9113 3.4',
    'the server does not wait for the preface with its SETTINGS',
    async (client) => {
      await client.until('SETTINGS', () => client.settings.size > 0 || undefined);
      await client.handshake();
      await works(client);
    },
    first,
  ),
  row('9113 3.4', 'requests may follow the preface at once', answer(1, INDEX), [PREFACE, settings(), get(1)], first),
  row(
    '9113 3.4',
    'so may bodies, in the window that holds without SETTINGS',
    answer(1, 'abc'),
    [PREFACE, settings(), open(1), data(1, 'abc', END_STREAM)],
    first,
  ),
  row(
    '9113 6.9.2',
    'the window that holds without SETTINGS is there until they are acknowledged',
    answer(1, 'x'.repeat(60_000)),
    [
      PREFACE,
      settings(),
      open(1),
      ...Array.from({ length: 3 }, () => data(1, 'x'.repeat(16_000))),
      data(1, 'x'.repeat(12_000), END_STREAM),
    ],
    first,
  ),
  scene(
    '9113 3.4',
    'the preface may come in pieces of a byte',
    async (client) => {
      for (const byte of Buffer.concat([PREFACE, settings([SETTING.INITIAL_WINDOW_SIZE, 70_000])])) {
        client.send(Buffer.of(byte));
        await new Promise((done) => setImmediate(done));
      }
      client.acknowledge();
      await client.until('the acknowledgement', () => client.settingsAcks > 0 || undefined);
      await works(client);
    },
    first,
  ),
  row('9113 3.4', 'an invalid preface', protocolError, [Buffer.from('INVALID CONNECTION PREFACE\r\n\r\n')], first),
  row('9113 3.4', 'a request of HTTP/1.1', protocolError, [Buffer.from('GET / HTTP/1.1\r\nhost: a\r\n\r\n')], first),
  row(
    '9113 3.4',
    'a preface that is wrong in its last byte',
    protocolError,
    [PREFACE.subarray(0, -1), Buffer.from('\t'), settings()],
    first,
  ),
  row('9113 3.4', 'SETTINGS must be the first frame: PING', protocolError, [PREFACE, ping('12345678')], first),
  row('9113 3.4', 'SETTINGS must be the first frame: HEADERS', protocolError, [PREFACE, get(1)], first),
  row('9113 3.4', 'SETTINGS must be the first frame: unknown', protocolError, [PREFACE, frame(99, 0, 0)], first),
  scene(
    '9113 3.4',
    'an acknowledgement is no preface',
    async (client) => {
      client.send(PREFACE, settingsAck(), settings());
      await client.closed();
      if (client.goaways[0]?.error !== 'PROTOCOL_ERROR') throw new Error(client.transcript());
    },
    first,
  ),
  row(
    '9113 3.4',
    'the preface comes once',
    connectionError('PROTOCOL_ERROR', 'FRAME_SIZE_ERROR'),
    [PREFACE, settings(), PREFACE],
    first,
  ),
  row('9113 3.3', 'SETTINGS may be sent again', answer(1, INDEX), [
    settings([SETTING.ENABLE_PUSH, 0]),
    settings(),
    frame(TYPE.HEADERS, END_HEADERS | END_STREAM, 1, GET),
  ]),
];
