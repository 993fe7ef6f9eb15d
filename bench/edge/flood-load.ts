/**
 * Clients of one site over HTTPS and HTTP/1.1, in a process of their own:
 * `node flood-load.js KIND PORT HOST CONNECTIONS`. Ends with its standard input, and then prints
 * the milliseconds of each answer as JSON.
 *
 * - `visitor`: 20 requests per second on each connection.
 * - `fast`: the next request as soon as the last one is answered.
 * - `slow`: half send a byte of a request's head each second, half read a large answer slowly.
 */
import { connect, type TLSSocket } from 'node:tls';

const [kind, port, host, connections] = process.argv.slice(2);
const PAUSE_MS = 50;
const SLOW_MS = 1000;
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;

const times: number[] = [];
let isOver = false;

/** Opens a connection, again whenever it has closed. */
function keepOpen(use: (socket: TLSSocket) => void): void {
  const options = { host: '127.0.0.1', port: Number(port), servername: host, rejectUnauthorized: false };
  const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] }, () => use(socket));
  socket.on('error', () => {});
  socket.on('close', () => {
    if (!isOver) setTimeout(() => keepOpen(use), SLOW_MS / 10);
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

function ask(pause: number): void {
  keepOpen((socket) => {
    let begun = 0;
    const send = (): void => {
      begun = performance.now();
      socket.write(request('/page'));
    };
    onAnswers(socket, () => {
      times.push(performance.now() - begun);
      if (pause > 0) setTimeout(send, pause);
      else send();
    });
    send();
  });
}

function dawdle(i: number): void {
  keepOpen((socket) => {
    if (i % 2 === 0) {
      socket.write(request('/large'));
      socket.pause();
      const timer = setInterval(() => socket.read(1024), SLOW_MS);
      socket.once('close', () => clearInterval(timer));
      return;
    }
    socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\n`);
    const timer = setInterval(() => socket.write('x'), SLOW_MS);
    socket.once('close', () => clearInterval(timer));
  });
}

for (let i = 0; i < Number(connections); i++)
  if (kind === 'slow') dawdle(i);
  else ask(kind === 'visitor' ? PAUSE_MS : 0);

process.stdin.resume();
process.stdin.once('end', () => {
  isOver = true;
  process.stdout.write(`${JSON.stringify(times)}\n`, () => process.exit());
});
