/**
 * An origin in raw bytes: reads requests as an ordinary server does, and answers each with what a
 * script says, which no library would let happen.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { ORIGIN_ADDRESS } from './rig.ts';

/** A request whose head has come. */
export interface Received {
  readonly method: string;
  readonly path: string;
  /** Of Sec-WebSocket-Key; empty: there is none. */
  readonly key: string;
  /** Which one it is on its connection, from 1. */
  readonly turn: number;
  /**
   * Resolves with the bytes of its body, framing included, when all of it has come; never when it
   * breaks off.
   */
  readonly whole: Promise<number>;
}

export type Script = (socket: Socket, request: Received) => void;

export interface ScriptedOrigin {
  readonly port: number;
  /** Open now, each with what it was asked last. */
  readonly sockets: ReadonlyMap<Socket, string>;
  /** Requests that have come so far. */
  readonly count: number;
  close(): void;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/**
 * `scriptOf`: what is done with a request, by the first part of its path. With `tls` behind TLS.
 */
export async function startScriptedOrigin(
  scriptOf: (name: string) => Script | undefined,
  tls?: TlsOptions,
): Promise<ScriptedOrigin> {
  const sockets = new Map<Socket, string>();
  let count = 0;
  const take = (socket: Socket): void => {
    sockets.set(socket, '');
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.setNoDelay(true);
    readRequests(socket, (request) => {
      count++;
      sockets.set(socket, `${request.method} ${request.path}`);
      scriptOf(/^\/([\w-]*)/.exec(request.path)?.[1] ?? '')?.(socket, request);
    });
  };
  const server: Server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
  server.listen(0, ORIGIN_ADDRESS);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    get count() {
      return count;
    },
    close() {
      server.close();
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

/** One after another; behind an upgrade nothing is read any more. */
function readRequests(socket: Socket, take: (request: Received) => void): void {
  let text = '';
  let turn = 0;
  /** Of the body that is being read. */
  let body: { left: number; bytes: number; done: (bytes: number) => void } | null = null;

  const readHead = (): boolean => {
    const end = text.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = text.slice(0, end);
    text = text.slice(end + HEAD_END.length);
    const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    const isChunked = /^transfer-encoding: *chunked/im.test(head);
    const key = /^sec-websocket-key: *(\S+)/im.exec(head)?.[1] ?? '';
    const whole = new Promise<number>((done) => {
      body = { left: isChunked ? Number.POSITIVE_INFINITY : Number(length ?? 0), bytes: 0, done };
    });
    take({ method, path, key, turn: ++turn, whole });
    return true;
  };

  const readBody = (now: NonNullable<typeof body>): boolean => {
    const isChunked = now.left === Number.POSITIVE_INFINITY;
    const last = isChunked ? text.indexOf(LAST_CHUNK) : -1;
    // The begin of a last chunk may be the end of what has come.
    const most = isChunked ? Math.max(0, text.length - LAST_CHUNK.length + 1) : now.left;
    const taken = last < 0 ? Math.min(text.length, most) : last + LAST_CHUNK.length;
    now.bytes += taken;
    now.left -= taken;
    text = text.slice(taken);
    if (last < 0 && now.left > 0) return false;
    body = null;
    now.done(now.bytes);
    return true;
  };

  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1');
    while (body === null ? readHead() : readBody(body));
  });
}
