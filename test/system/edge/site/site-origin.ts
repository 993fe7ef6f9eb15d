/** An ordinary site, by node:http: pages, downloads, uploads, a WebSocket. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { GALLERY_PAGE, IMAGE } from '../host/gallery.ts';
import { acceptOf, frame, frames, VERSION_QUESTION } from '../host/websocket.ts';
import { ORIGIN_ADDRESS } from './rig.ts';

export interface SiteOrigin {
  readonly port: number;
  /**
   * Requests in the order in which they came: `GET /path`, with ` bytes=…` behind it where a range
   * was asked for.
   */
  readonly questions: string[];
  close(): void;
}

const PART_BYTES = 251 * 256;
/** Of downloads: the byte at `i` is `i % 251`, so that one part begins as another one does. */
const PART = Buffer.from(Array.from({ length: PART_BYTES }, (_, i) => i % 251));
export const ETAG = '"site-1"';
export const STYLE = Array.from({ length: 800 }, (_, i) => `.class-${i} { margin: ${i % 40}px; color: green }`).join(
  '\n',
);
export const SCRIPT = `document.title = 'ran';${' '.repeat(4000)}`;
const READY = '<!doctype html><title>Ready</title><link rel="icon" href="data:,">';
type Route = (request: IncomingMessage, response: ServerResponse, count: number) => void;
const PAGE = GALLERY_PAGE.replace(
  '<body>',
  '<link rel="stylesheet" href="/style.css"><script src="/script.js"></script><body>',
);

/** Bytes `from` to `to` of a download. */
export const bytesOf = (from: number, to: number): Buffer =>
  Buffer.from(Array.from({ length: to - from }, (_, i) => (from + i) % 251));

export function hashOf(bytes: number): string {
  const hash = createHash('sha256');
  for (let left = bytes; left > 0; left -= PART_BYTES) hash.update(PART.subarray(0, Math.min(left, PART_BYTES)));
  return hash.digest('hex');
}

/** Bytes from `first` on; broken off before byte `stop`. */
async function* bytesFrom(first: number, bytes: number, stop: number): AsyncGenerator<Buffer> {
  for (let at = first; at < stop; ) {
    const begin = at % 251;
    const part = PART.subarray(begin, Math.min(PART_BYTES, begin + stop - at));
    at += part.length;
    yield part;
  }
  if (stop === bytes) return;
  // What has been given is to leave, and to be read: a browser gives up what it has not handed on
  // by then.
  await sleep(1500);
  throw new Error('broken off');
}

export async function startSiteOrigin(): Promise<SiteOrigin> {
  const questions: string[] = [];
  /** Downloads that have been broken off once. */
  const broken = new Set<string>();

  /**
   * A server of files: parts of them by Range, if they are still the same (RFC 9110 section
   * 13.1.5).
   */
  const file = (request: IncomingMessage, response: ServerResponse, bytes: number, doesBreak: boolean): void => {
    const { range, 'if-range': ifRange } = request.headers;
    const first = /^bytes=(\d+)-$/.exec(range ?? '')?.[1];
    const isPart = first !== undefined && (ifRange === undefined || ifRange === ETAG);
    const from = isPart ? Number(first) : 0;
    if (isPart) response.setHeader('content-range', `bytes ${from}-${bytes - 1}/${bytes}`);
    response.setHeader('content-length', bytes - from);
    response.writeHead(isPart ? 206 : 200, {
      etag: ETAG,
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
    });
    const breaksNow = doesBreak && !broken.has(request.url ?? '');
    broken.add(request.url ?? '');
    pipeline(bytesFrom(from, bytes, breaksNow ? bytes / 2 : bytes), response).catch(() => {});
  };

  const sink = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const part of request as AsyncIterable<Buffer>) {
      hash.update(part);
      bytes += part.length;
    }
    response.end(JSON.stringify({ bytes, hash: hash.digest('hex') }));
  };

  const kept = (response: ServerResponse, type: string, body: string): void => {
    response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=600', etag: ETAG });
    response.end(body);
  };

  const routes: Readonly<Record<string, Route>> = {
    page: (_, response) => kept(response, 'text/html', PAGE),
    'style.css': (_, response) => kept(response, 'text/css', STYLE),
    'script.js': (_, response) => kept(response, 'text/javascript', SCRIPT),
    image: (_, response) => kept(response, 'image/svg+xml', IMAGE),
    ready: (_, response) => response.setHeader('cache-control', 'no-store').end(READY),
    /** Gives the whole, whatever is asked for: parts are the edge's to make. */
    kept(request, response, count) {
      delete request.headers.range;
      file(request, response.setHeader('cache-control', 'max-age=600'), count, false);
    },
    unkept: (request, response, count) => file(request, response.setHeader('cache-control', 'no-store'), count, false),
    breaks: (request, response, count) =>
      file(request, response.setHeader('cache-control', 'max-age=600'), count, true),
    sink: (request, response) => void sink(request, response),
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = '' } = request;
    questions.push([`${method} ${url}`, request.headers.range].filter(Boolean).join(' '));
    const [, name, count] = url.split(/[/?]/);
    const route = routes[name];
    if (route === undefined) response.writeHead(404, { 'cache-control': 'no-store' }).end('missing');
    else route(request, response, Number(count));
  };

  const server = createServer(answer);
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    answer(request, response);
  });
  server.on('upgrade', (request, socket) => void echo(request, socket));
  server.listen(0, ORIGIN_ADDRESS);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    questions,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Gives back what comes, message by message; VERSION_QUESTION is answered by what the edge says of
 * how the visitor came to it (Via).
 */
async function echo({ headers }: IncomingMessage, socket: Duplex): Promise<void> {
  socket.on('error', () => {});
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      `Sec-WebSocket-Accept: ${acceptOf(headers['sec-websocket-key'] ?? '')}\r\n\r\n`,
  );
  const parts = (socket as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const read = async (): Promise<Uint8Array | null> => {
    const { done, value } = await parts.next();
    return done === true ? null : value;
  };
  try {
    for await (const { opcode, payload } of frames({ read })) {
      const isQuestion = Buffer.from(payload).toString() === VERSION_QUESTION;
      socket.write(frame(opcode, isQuestion ? Buffer.from(String(headers.via).split(' ')[0]) : payload));
      if (opcode === 8) break;
    }
  } catch {
    // The visitor has gone.
  }
  socket.end();
}
