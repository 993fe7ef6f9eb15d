/**
 * Clients of one site over HTTPS and HTTP/1.1, in a process of their own, which ends with its
 * standard input: `node flood-load.js KIND PORT HOST CONNECTIONS`.
 *
 * - `visitor`: about 100 requests per second on each connection. Prints the time of each answer by
 *   the system's clock, and the milliseconds that it took, as JSON.
 * - `slow`: a third send a byte of a request's head each second, a third a byte of a body, and a
 *   third take a large answer slowly.
 * - `handshakes`: a new connection as soon as the last one has its handshake.
 */
import { connect, type TLSSocket } from 'node:tls';

const [kind, port, host, connections] = process.argv.slice(2);
/** From half to one and a half of it, so that clients do not keep step. */
const PAUSE_MS = 10;
const SLOW_MS = 1000;
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
/** Milliseconds of the clock that all processes share. */
const now = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

const answers: [at: number, took: number][] = [];
let isOver = false;

/** Opens a connection, again whenever it has closed. */
function keepOpen(pause: number, use: (socket: TLSSocket) => void): void {
  const options = { host: '127.0.0.1', port: Number(port), servername: host, rejectUnauthorized: false };
  const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] }, () => use(socket));
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => {
    if (!isOver) setTimeout(() => keepOpen(pause, use), pause);
  });
}

/** Calls `onAnswer` for each answer that has come whole. */
function onAnswers(socket: TLSSocket, onAnswer: () => void): void {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (part: string) => {
    text += part;
    for (;;) {
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      text = text.slice(end + 4 + length);
      onAnswer();
    }
  });
}

function visit(): void {
  keepOpen(SLOW_MS, (socket) => {
    let begun = 0;
    const send = (): void => {
      begun = now();
      socket.write(request('/page'));
    };
    onAnswers(socket, () => {
      const at = now();
      answers.push([at, at - begun]);
      setTimeout(send, PAUSE_MS * (0.5 + Math.random()));
    });
    send();
  });
}

function dawdle(i: number): void {
  keepOpen(SLOW_MS / 10, (socket) => {
    const each = (step: () => void): void => {
      const timer = setInterval(step, SLOW_MS);
      socket.once('close', () => clearInterval(timer));
    };
    if (i % 3 === 0) {
      socket.write(request('/large'));
      socket.pause();
      each(() => void socket.read(1024));
      return;
    }
    socket.resume();
    if (i % 3 === 1) socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\n`);
    else socket.write(`POST /fresh HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 100000\r\n\r\n`);
    each(() => void socket.write('x'));
  });
}

for (let i = 0; i < Number(connections); i++)
  if (kind === 'slow') dawdle(i);
  else if (kind === 'handshakes') keepOpen(0, (socket) => socket.destroy());
  else visit();

process.stdin.resume();
process.stdin.once('end', () => {
  isOver = true;
  process.stdout.write(`${JSON.stringify(answers)}\n`, () => process.exit());
});
