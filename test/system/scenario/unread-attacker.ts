/**
 * A program that asks for much and takes nothing: `node unread-attacker.js PORT HOST PATH KIND
 * CONNECTIONS`. It prints "asked" once all is asked for, and ends with its standard input.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { headers, PREFACE, SETTING, settings, settingsAck, windowUpdate } from '../../edge/conformance/frames.ts';
import { block } from '../../edge/conformance/hpack.ts';

/** Not the one of the visitors next to it. */
const ADDRESS = '127.0.0.2';
const STREAMS = 128;
const WIDE = 0x7fff0000;
const DRIP_MS = 1000;

const [port, host, path, kind, count] = process.argv.slice(2);

const requests = (scheme: string): Buffer => {
  const lines = block([
    [':method', 'GET'],
    [':scheme', scheme],
    [':authority', host],
    [':path', path],
  ]);
  return Buffer.concat(Array.from({ length: STREAMS }, (_, i) => headers(2 * i + 1, lines)));
};

/** What is sent at once, and whether what comes is read. */
const KINDS: Readonly<Record<string, { readonly bytes: Buffer; readonly reads: boolean }>> = {
  /** Windows that stay shut. */
  shut: {
    bytes: Buffer.concat([PREFACE, settings([SETTING.INITIAL_WINDOW_SIZE, 0]), settingsAck(), requests('http')]),
    reads: true,
  },
  /** Windows of a byte, and one more each second. */
  drip: {
    bytes: Buffer.concat([PREFACE, settings([SETTING.INITIAL_WINDOW_SIZE, 1]), settingsAck(), requests('http')]),
    reads: true,
  },
  /** Wide windows, of a connection that is not read. */
  deaf: {
    bytes: Buffer.concat([
      PREFACE,
      settings([SETTING.INITIAL_WINDOW_SIZE, WIDE]),
      windowUpdate(0, WIDE),
      settingsAck(),
      requests('http'),
    ]),
    reads: false,
  },
  http1: { bytes: Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`), reads: false },
};

const { bytes, reads } = KINDS[kind];
const sockets: Socket[] = [];
for (let i = 0; i < Number(count); i++) {
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: ADDRESS });
  socket.on('error', () => {});
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  if (reads) socket.resume();
  socket.write(bytes);
  sockets.push(socket);
}
if (kind === 'drip') {
  const more = Buffer.concat(Array.from({ length: STREAMS }, (_, i) => windowUpdate(2 * i + 1, 1)));
  setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write(more);
  }, DRIP_MS).unref();
}
process.stdout.write(`asked, ${sockets.filter((socket) => !socket.destroyed).length} connections open\n`);
process.stdin.resume();
await once(process.stdin, 'end');
process.exit();
