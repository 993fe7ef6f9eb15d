/**
 * Visitors of a site, over HTTP/1.1 and HTTP/2, by node's own clients: those who stay to the end
 * and say what they got, and those who go before.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { Agent, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../../../support/patience.ts';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Seen {
  /** 0: none came. */
  readonly status: number;
  /** By names in lower case; several values of a name with commas between. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** It ended as a whole response does. */
  readonly isWhole: boolean;
  /** Why none came. */
  readonly error?: string;
}

/**
 * When somebody goes who does not stay: before there is anything, with the first part of a body,
 * while uploading, or out of a WebSocket.
 */
export type Departure = 'head' | 'body' | 'upload' | 'tunnel';

export interface Visitor {
  readonly version: '1.1' | '2';
  /** Rejects only when it is never over. */
  visit(host: string, path: string, request?: Asked): Promise<Seen>;
  /** Resolves when it has gone. `ms`: how long it waits for what it goes at. */
  leave(host: string, path: string, how: Departure, ms: number): Promise<void>;
  /** Ends its connections. */
  close(): void;
}

/** All that it has of a response in one text, as far as a visitor can read it. */
export const textOf = ({ status, headers, body }: Seen): string =>
  `${status}\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}\n${body.toString('latin1')}`;

const PART = new Uint8Array(16_384);
const NOTHING: Seen = { status: 0, headers: {}, body: Buffer.alloc(0), isWhole: false };

const plain = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name, String(value)]),
  );

/** What comes until it ends or breaks off. */
async function partsOf(stream: AsyncIterable<Buffer>): Promise<{ body: Buffer; isEnded: boolean }> {
  const parts: Buffer[] = [];
  try {
    for await (const part of stream) parts.push(part);
    return { body: Buffer.concat(parts), isEnded: true };
  } catch {
    return { body: Buffer.concat(parts), isEnded: false };
  }
}

/** As many bytes as were announced. */
function hasAll(method: string, status: number, headers: Record<string, string>, body: Buffer): boolean {
  const length = headers['content-length'];
  return length === undefined || method === 'HEAD' || status === 304 || Number(length) === body.length;
}

/** Also when no connection comes about, which node's own time-outs wait for. */
function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`Never over: ${what}`)), 2 * PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const patient = (visitor: Visitor): Visitor => ({
  ...visitor,
  visit: (host, path, request) => inTime(`${visitor.version} ${host}${path}`, visitor.visit(host, path, request)),
  leave: (host, path, how, ms) =>
    inTime(`${visitor.version} ${host}${path}, ${how}`, visitor.leave(host, path, how, ms)),
});

/** Keeps its connections. `ca`: PEM. */
export const http1Visitor = (port: number, ca: string): Visitor => patient(http1(port, ca));

function http1(port: number, ca: string): Visitor {
  const agent = new Agent({ keepAlive: true, ca });
  const open = (host: string, path: string, { method = 'GET', headers = {} }: Asked) =>
    requestHttps({
      ...{ agent, host: '127.0.0.1', port, path, method, servername: host },
      headers: { host, ...headers },
    });

  const visit = async (host: string, path: string, question: Asked, mayTryAgain: boolean): Promise<Seen> => {
    const request = open(host, path, question);
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer in time')));
    request.on('error', () => {});
    const failed = once(request, 'error').then(([error]) => error as NodeJS.ErrnoException);
    request.end(question.body);
    const come = once(request, 'response').then(([response]) => response as IncomingMessage);
    const first = await Promise.race([come.catch(() => failed), failed]);
    if (first instanceof Error) {
      // The connection had served and waited for too long: browsers ask once more then (RFC 9112
      // section 9.3.1).
      if (request.reusedSocket && first.code === 'ECONNRESET' && mayTryAgain) return visit(host, path, question, false);
      return { ...NOTHING, error: `${first.code} ${first.message}` };
    }
    const { statusCode: status = 0 } = first;
    const { body, isEnded } = await partsOf(first);
    const headers = plain(first.headers);
    const isWhole = isEnded && first.complete && hasAll(question.method ?? 'GET', status, headers, body);
    return { status, headers, body, isWhole };
  };

  return {
    version: '1.1',
    visit: (host, path, question = {}) => visit(host, path, question, true),
    async leave(host, path, how, ms) {
      const request = open(host, path, {
        method: how === 'upload' ? 'POST' : 'GET',
        headers: how === 'tunnel' ? UPGRADE() : {},
      });
      request.on('error', () => {});
      let tunnel: Duplex | undefined;
      const come = new Promise<void>((resolve) => {
        request.on('response', (response) => {
          response.on('error', () => {});
          response.once('data', () => resolve());
          response.resume();
        });
        request.on('upgrade', (_, socket: Duplex) => {
          tunnel = socket;
          socket.on('error', () => {});
          socket.write('told');
          socket.once('data', () => resolve());
        });
      });
      if (how === 'upload') request.write(PART);
      else request.end();
      await Promise.race([...(how === 'body' || how === 'tunnel' ? [come] : []), sleep(ms)]);
      request.destroy();
      tunnel?.destroy();
    },
    close: () => agent.destroy(),
  };
}

const UPGRADE = (): Record<string, string> => ({
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': randomBytes(16).toString('base64'),
});

/**
 * Resets that a client may send in a burst: a session is left before the edge has to take it for a
 * flood.
 */
const MOST_STREAMS = 300;

/** A session for each host, another one after some hundred streams. */
export const http2Visitor = (port: number, ca: string): Visitor => patient(http2(port, ca));

function http2(port: number, ca: string): Visitor {
  const sessions = new Map<string, { session: ClientHttp2Session; streams: number }>();

  const sessionFor = async (host: string): Promise<ClientHttp2Session> => {
    const existing = sessions.get(host);
    if (
      existing !== undefined &&
      ++existing.streams < MOST_STREAMS &&
      !existing.session.closed &&
      !existing.session.destroyed
    )
      return existing.session;
    existing?.session.close();
    const session = connect(`https://127.0.0.1:${port}`, { ca, servername: host });
    session.on('error', () => {});
    sessions.set(host, { session, streams: 1 });
    await Promise.race([once(session, 'remoteSettings'), once(session, 'close')]);
    return session;
  };

  const open = async (host: string, path: string, { method = 'GET', headers = {}, body }: Asked, isOpen = false) => {
    let session = await sessionFor(host);
    // Another visitor may have left it meanwhile.
    while (session.closed || session.destroyed) session = await sessionFor(host);
    const fields = { ':authority': host, ':path': path, ':method': method, ':scheme': 'https', ...headers };
    const stream = session.request(fields, { endStream: body === undefined && !isOpen });
    stream.on('error', () => {});
    stream.setTimeout(PATIENCE_MS, () => stream.close(constants.NGHTTP2_CANCEL));
    return stream;
  };

  return {
    version: '2',
    async visit(host, path, request = {}) {
      const stream = await open(host, path, request);
      const closed = once(stream, 'close').then(
        () => undefined,
        () => undefined,
      );
      if (request.body !== undefined) stream.end(request.body);
      const [fields] = (await Promise.race([once(stream, 'response').catch(() => undefined), closed])) ?? [];
      if (fields === undefined) return { ...NOTHING, error: `the stream ended with code ${stream.rstCode}` };
      const { body, isEnded } = await partsOf(stream);
      await closed;
      const status = Number((fields as Record<string, number>)[':status']);
      const headers = plain(fields as object);
      // An answer before the end of an upload is followed by a reset with NO_ERROR (RFC 9113
      // section 8.1).
      const isWhole = isEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR;
      return { status, headers, body, isWhole: isWhole && hasAll(request.method ?? 'GET', status, headers, body) };
    },
    async leave(host, path, how, ms) {
      const method = { upload: 'POST', tunnel: 'CONNECT', head: 'GET', body: 'GET' }[how];
      const headers = how === 'tunnel' ? TUNNEL : {};
      const isOpen = how === 'upload' || how === 'tunnel';
      const stream = await open(host, path, { method, headers }, isOpen);
      const come = new Promise<void>((resolve) => stream.once('data', () => resolve()));
      if (how === 'upload') stream.write(PART);
      if (how === 'tunnel') stream.write('told');
      await Promise.race([...(how === 'body' || how === 'tunnel' ? [come] : []), sleep(ms)]);
      await reset(stream);
    },
    close() {
      for (const { session } of sessions.values()) session.destroy();
      sessions.clear();
    },
  };
}

const TUNNEL = { ':protocol': 'websocket', 'sec-websocket-version': '13' };

async function reset(stream: ClientHttp2Stream): Promise<void> {
  if (stream.destroyed) return;
  const closed = once(stream, 'close').catch(() => {});
  stream.close(constants.NGHTTP2_CANCEL);
  stream.resume();
  await Promise.race([closed, sleep(1000)]);
}
