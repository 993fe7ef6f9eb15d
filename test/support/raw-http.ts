/** Raw HTTP over TCP, for requests that no client library sends. */
import { connect, type Socket } from 'node:net';
import { PATIENCE_MS } from './patience.ts';

export interface RawAnswer {
  /** All received data, one character per byte. */
  readonly text: string;
  /** Status of the first final response; 0: none. */
  readonly status: number;
  /** The server closed the connection. */
  readonly closed: boolean;
}

/**
 * Sends `bytes`, and reads until the server closes, `done` returns true, or `ms` milliseconds pass.
 * `bytes`: one character per byte.
 */
export async function exchange(
  port: number,
  bytes: string,
  { ms = PATIENCE_MS, done = () => false }: { ms?: number; done?: (text: string) => boolean } = {},
): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (done(text)) resolve();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      closed = true;
      clearTimeout(timer);
      resolve();
    });
    socket.write(Buffer.from(bytes, 'latin1'));
  });
  socket.destroy();
  const status = Number(/^(?:HTTP\/1\.1 1\d\d [\s\S]*?\r\n\r\n)?HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0);
  return { text, status, closed };
}

/** Resolves when connected; rejects if the connection is refused. */
export function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}
