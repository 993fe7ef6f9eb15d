/**
 * An origin by hand: it says exactly the bytes that a test gives it, and keeps what it was sent.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { NO_BODY } from '../../../edge/http/exchange/body-queue.ts';
import { createOriginClient, type OriginClient, type OriginClientOptions } from '../../../edge/origin/client.ts';
import type { OriginBody, OriginError, OriginRequest, OriginResponse } from '../../../edge/origin/origin.ts';
import { freePort } from '../../support/ports.ts';
import { kind, ownSockets } from './own-sockets.ts';

export interface ScriptedOrigin {
  readonly port: number;
  readonly sockets: Set<Socket>;
  /** Connections so far. */
  readonly accepted: number;
  /** All that came, by connection, a character a byte. */
  readonly received: string[];
  close(): Promise<void>;
}

/**
 * Called for each request head that has come whole on a connection: `turn` is its number there,
 * from 0.
 */
export type Script = (socket: Socket, head: string, turn: number) => void;

export async function scriptedOrigin(script: Script, host = '127.0.0.1', port?: number): Promise<ScriptedOrigin> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const at = received.push('') - 1;
    sockets.add(socket);
    let turn = 0;
    let text = '';
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data: Buffer) => {
      received[at] += data.toString('latin1');
      text += data.toString('latin1');
      // A body, in which no head is looked for.
      if (text.length > 100_000) text = '';
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end + 4);
        text = text.slice(end + 4);
        script(socket, head, turn++);
      }
    });
    socket.on('end', () => socket.end());
  });
  const at = await listening(server, host, port);
  return {
    port: at,
    sockets,
    received,
    get accepted() {
      return received.length;
    },
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

/** On a port that is free, or on the one given. */
export async function listening(server: Server, host: string, port?: number): Promise<number> {
  for (let tries = 0; ; tries++) {
    const at = port ?? (await freePort());
    const error = await new Promise<Error | null>((done) => {
      server.once('error', done);
      server.listen(at, host, () => {
        server.removeListener('error', done);
        done(null);
      });
    });
    if (error === null) return at;
    if (tries === 10 || port !== undefined) throw error;
  }
}

/** Says the same to every request. */
export const saying =
  (bytes: string, { end = false } = {}): Script =>
  (socket) => {
    socket.write(Buffer.from(bytes, 'latin1'));
    if (end) socket.end();
  };

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

export function request(port: number, more: Partial<OriginRequest> = {}): OriginRequest {
  return {
    origin: { host: '127.0.0.1', port, protocol: 'http' },
    serverName: 'site.test',
    method: 'GET',
    path: '/',
    authority: 'site.test',
    headers: [],
    body: NO_BODY,
    protocol: '',
    ...more,
  };
}

/** The rest of a body, a character a byte. */
export async function bodyText(body: OriginBody): Promise<string> {
  let text = '';
  for (let part = await body.read(); part !== null; part = await body.read())
    text += Buffer.from(part).toString('latin1');
  return text;
}

export interface Seen {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  readonly trailers: readonly string[];
}

export async function seen(response: Promise<OriginResponse>): Promise<Seen> {
  const { status, headers, body } = await response;
  const text = await bodyText(body);
  return { status, headers, body: text, trailers: body.trailers };
}

/** What it rejected with. */
export async function faultOf(outcome: Promise<unknown>): Promise<string> {
  try {
    await outcome;
  } catch (error) {
    return (error as OriginError).fault ?? `${error}`;
  }
  return 'none';
}

/** Loopback is exempted. Over sockets of the thread, unless `kind` says otherwise. */
export function client(options: OriginClientOptions = {}): OriginClient {
  if (kind.isNode) return createOriginClient({ exemptions: true, ...options });
  const sockets = ownSockets();
  const its = createOriginClient({ exemptions: true, open: sockets.open, ...options });
  return {
    fetch: its.fetch,
    send: its.send,
    counters: its.counters,
    async close() {
      await its.close();
      sockets.close();
    },
  };
}

/** Runs a test with an origin and a client, and closes both. */
export async function withOrigin(
  script: Script,
  run: (origin: ScriptedOrigin, client: OriginClient) => Promise<void>,
  options: OriginClientOptions = {},
): Promise<void> {
  const origin = await scriptedOrigin(script);
  const its = client(options);
  try {
    await run(origin, its);
  } finally {
    await its.close();
    await origin.close();
  }
}

/** A body of a request, from parts. `length`: what is announced. */
export function bodyOf(parts: readonly (string | Error)[], length: number | undefined) {
  const left = [...parts];
  return {
    length,
    trailers: [] as string[],
    isDiscarded: false,
    taken: 0,
    async read(): Promise<Uint8Array | null> {
      const part = left.shift();
      if (part instanceof Error) throw part;
      if (part === undefined || this.isDiscarded) return null;
      this.taken++;
      return Buffer.from(part, 'latin1');
    },
    discard(): void {
      this.isDiscarded = true;
    },
  };
}
