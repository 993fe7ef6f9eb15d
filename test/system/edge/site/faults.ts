/** What an origin may do to a request, and how the visitor's exchange has to end. */
import type { Socket } from 'node:net';
import { acceptOf } from '../host/websocket.ts';
import type { Script } from './scripted-origin.ts';

export interface Fault {
  readonly script: Script;
  /** The status, or that the response breaks off within its body. */
  readonly ending: number | 'broken';
  /** Of the page, when the edge answers. */
  readonly code?: string;
  /** Of the body that the visitor gets, when the origin's is one. */
  readonly body?: string;
  readonly method?: 'POST';
  /** It takes long: few of them in a mix. */
  readonly isSlow?: boolean;
}

const MB = 1_048_576;
const PIECE = 'x'.repeat(5000);
const LONG = `HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n`;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';

/** Says this. */
const says =
  (text: string): Script =>
  (socket) =>
    void socket.write(text, 'latin1');
/** Says this and closes its side. */
const ends =
  (text: string): Script =>
  (socket) =>
    void socket.end(text, 'latin1');
const later = (ms: number, socket: Socket, act: () => void): void => {
  const timer = setTimeout(act, ms);
  socket.once('close', () => clearTimeout(timer));
};

/**
 * A reset, unless the end of this side is on its way, since the other one's has come: node would
 * forget the socket then, and never close it (uv_tcp_close_reset, EINVAL).
 */
function resets(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

const malformed = (script: Script): Fault => ({ script, ending: 502, code: 'origin_malformed' });
const broken = (script: Script): Fault => ({ script, ending: 'broken' });

const BEFORE_THE_HEAD: Readonly<Record<string, Fault>> = {
  close: { script: ends(''), ending: 502, code: 'origin_reset' },
  reset: { script: (socket) => resets(socket), ending: 502, code: 'origin_reset' },
  hang: { script: () => {}, ending: 504, code: 'origin_timeout', isSlow: true },
  'half-head': { script: ends('HTTP/1.1 200 OK\r\nContent-Ty'), ending: 502, code: 'origin_reset' },
  'half-head-hang': { script: says('HTTP/1.1 200 OK\r\nX: '), ending: 504, code: 'origin_timeout', isSlow: true },
  nonsense: malformed(ends('nonsense\r\n\r\n')),
  'http-0-9': malformed(ends('<html>An answer as in 1991</html>\n')),
  'http-2': malformed(says('\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80\0\x04\0\x01\0\0\0\x05\0\xff\xff\xff')),
  'tls-alert': malformed(ends('\x15\x03\x01\0\x02\x02\x46')),
  'bad-status': malformed(ends('HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok')),
  'bad-field': malformed(ends('HTTP/1.1 200 OK\r\nContent Length: 2\r\n\r\nok')),
  'two-lengths': malformed(ends('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab')),
  'giant-head': malformed(says(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}\r\nContent-Length: 2\r\n\r\nok`)),
  'endless-head': malformed((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    socket.write(`X-A: ${'a'.repeat(1000)}\r\n`.repeat(1000));
  }),
  'inform-flood': malformed(says('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1000))),
  'continue-flood': malformed(says('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000))),
  'not-modified-unasked': malformed(says('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n')),
  'switch-unasked': malformed(says('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n')),
};

const WITHIN_THE_BODY: Readonly<Record<string, Fault>> = {
  short: broken(ends(`${LONG}\r\n${PIECE}`)),
  'short-kept': broken(ends(`${LONG}Cache-Control: max-age=60\r\n\r\n${PIECE}`)),
  'reset-in-body': broken((socket) => {
    socket.write(`${LONG}\r\n${PIECE}`);
    later(2, socket, () => resets(socket));
  }),
  'hang-in-body': { ...broken(says(`${LONG}Content-Type: text/plain\r\n\r\n${PIECE}`)), isSlow: true },
  // Seen in the read that brings the head: nothing of it has gone to the visitor.
  'bad-first-chunk': malformed(says(`${CHUNKED}\r\nzz\r\n`)),
  'bad-chunk': malformed(says(`${CHUNKED}\r\n5\r\nabcde\r\nzz\r\n`)),
  'bad-chunk-coded': malformed(says(`${CHUNKED}Content-Type: text/plain\r\n\r\n1388\r\n${PIECE}\r\nzz\r\n`)),
  'no-last-chunk': broken(ends(`${CHUNKED}\r\n5\r\nabcde\r\n`)),
  'no-last-chunk-kept': broken(ends(`${CHUNKED}Cache-Control: max-age=60\r\n\r\n5\r\nabcde\r\n`)),
  'within-chunk': broken(ends(`${CHUNKED}\r\n100\r\nabcde`)),
};

const POISON = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\nCache-Control: max-age=60\r\n\r\nPOISON';

/** Odd, and yet answered. */
const BORNE: Readonly<Record<string, Fault>> = {
  fine: { script: says(`${OK}Cache-Control: max-age=60\r\n\r\nok`), ending: 200, body: 'ok' },
  coded: {
    script: says(`${CHUNKED}Content-Type: text/plain\r\n\r\n1388\r\n${PIECE}\r\n0\r\n\r\n`),
    ...{ ending: 200, body: PIECE },
  },
  download: { script: says(`HTTP/1.1 200 OK\r\nContent-Length: ${MB}\r\n\r\n${'d'.repeat(MB)}`), ending: 200 },
  surplus: { script: says(`${OK}\r\nokand more`), ending: 200, body: 'ok' },
  'surplus-response': { script: says(`${OK}\r\nok${POISON}`), ending: 200, body: 'ok' },
  // A connection that has served ends as the next request comes: that one is asked once more, on
  // another.
  'close-at-reuse': {
    script: (socket, { turn }) => (turn > 1 ? socket.destroy() : void socket.write(`${OK}\r\nok`)),
    ...{ ending: 200, body: 'ok' },
  },
  'close-soon': {
    script(socket) {
      socket.write(`${OK}\r\nok`);
      later(1, socket, () => socket.end());
    },
    ...{ ending: 200, body: 'ok' },
  },
  hints: {
    script: says(`${'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(3)}${OK}\r\nok`),
    ...{ ending: 200, body: 'ok' },
  },
  'until-close': { script: ends('HTTP/1.1 200 OK\r\n\r\nok'), ending: 200, body: 'ok' },
  // 10 KB a second.
  drip: {
    script(socket) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n');
      const drop = (left: number): void => {
        socket.write('x'.repeat(1000));
        if (left > 1) later(100, socket, () => drop(left - 1));
      };
      drop(5);
    },
    ...{ ending: 200, body: PIECE, isSlow: true },
  },
};

/**
 * A second response when the first one has gone. One that arrives after the next request cannot be
 * told from its answer by anybody: not a part of mixes.
 */
export const UNINVITED: Fault = {
  script(socket) {
    socket.write(`${OK}\r\nok`);
    later(50, socket, () => socket.write(POISON));
  },
  ...{ ending: 200, body: 'ok' },
};

const refusal = 'HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\nConnection: close\r\n\r\ntoo much';

const UPLOADS: Readonly<Record<string, Fault>> = {
  sink: {
    script: (socket, { whole }) => void whole.then(() => socket.write(`${OK}\r\nok`)),
    ...{ ending: 200, body: 'ok', method: 'POST' },
  },
  'sink-early': { script: says(`${OK}\r\nok`), ending: 200, body: 'ok', method: 'POST' },
  'sink-refused': {
    script: (socket, { whole }) => {
      socket.write(refusal);
      void whole.then(() => socket.end());
      later(50, socket, () => socket.end());
    },
    ...{ ending: 413, body: 'too much', method: 'POST' },
  },
  'sink-reset': {
    script: (socket) => resets(socket),
    ...{ ending: 502, code: 'origin_reset', method: 'POST' },
  },
  'sink-hang': {
    script(socket) {
      socket.pause();
      // Who does not read does not see that the other side has gone. It has, when this comes.
      setTimeout(() => socket.resume(), 8000);
    },
    ...{ ending: 504, code: 'origin_timeout', method: 'POST', isSlow: true },
  },
};

export const FAULTS: Readonly<Record<string, Fault>> = { ...BEFORE_THE_HEAD, ...WITHIN_THE_BODY, ...BORNE, ...UPLOADS };

const opened = (key: string): string =>
  `HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${acceptOf(key)}\r\n\r\n`;

/** For WebSockets: who answers what is said, who tears, who refuses. */
export const TUNNELS: Readonly<Record<string, Script>> = {
  socket(socket, { key }) {
    socket.write(`${opened(key)}hello`);
    socket.removeAllListeners('data');
    socket.on('data', (part) => socket.write(part));
    socket.on('end', () => socket.end());
  },
  'socket-torn'(socket, { key }) {
    socket.write(`${opened(key)}hello`);
    later(3, socket, () => resets(socket));
  },
  'socket-refused': says('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'),
};

export const scriptOf = (name: string): Script | undefined =>
  name === 'uninvited' ? UNINVITED.script : (FAULTS[name]?.script ?? TUNNELS[name]);
