/** The transport on node:http. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { BodyCollector } from './body.ts';
import { errorResponse, HttpError } from './errors.ts';
import { newRequestId } from './request-id.ts';
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  ListenError,
  type Listening,
  type ListenPlace,
  type Timeouts,
  type Transport,
} from './transport.ts';

const MAX_HEADER = 16 * 1024;
/** Longer than what proxies keep, so that it is they who close. */
const KEEP_ALIVE = 75_000;

export class NodeTransport implements Transport {
  readonly name = 'node';
  readonly #timeouts: Timeouts;

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
  }

  async listen(place: ListenPlace, handler: Handler): Promise<Listening> {
    const timeouts = this.#timeouts;
    const server = createServer({
      maxHeaderSize: MAX_HEADER,
      headersTimeout: timeouts.headers,
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(2_000, timeouts.headers),
      keepAliveTimeout: KEEP_ALIVE,
    });
    server.on('request', (message, response) => {
      answer(new NodeRequest(message, timeouts.body), response, handler, timeouts).catch(() => response.destroy());
    });
    server.on('clientError', refuse);
    const listening = once(server, 'listening');
    server.listen({ host: place.address, port: place.port });
    try {
      await listening;
    } catch (error) {
      throw new ListenError(place, error instanceof Error ? error.message : String(error));
    }
    const { port } = server.address() as AddressInfo;
    return {
      port,
      async close() {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeIdleConnections();
        const timer = setTimeout(() => server.closeAllConnections(), timeouts.close);
        await closed;
        clearTimeout(timer);
      },
    };
  }
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #message: IncomingMessage;
  readonly #timeout: number;

  constructor(message: IncomingMessage, timeout: number) {
    const url = message.url ?? '/';
    const mark = url.indexOf('?');
    this.method = message.method ?? 'GET';
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.#message = message;
    this.#timeout = timeout;
  }

  get remoteAddress(): string {
    return this.#message.socket.remoteAddress ?? '';
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  body(limit: number): Promise<Buffer> {
    const message = this.#message;
    const collector = new BodyCollector(limit, message.headers['content-length'], this.#timeout);
    if (collector.done) return collector.whole;
    message.on('data', (chunk: Buffer) => {
      collector.add(chunk);
      if (collector.done) message.pause();
    });
    message.on('end', () => collector.end());
    message.on('close', () => collector.abort());
    message.on('error', () => collector.abort());
    collector.expectMore();
    return collector.whole;
  }
}

async function answer(request: NodeRequest, response: ServerResponse, handler: Handler, timeouts: Timeouts) {
  const { status, headers, body, close } = await handler(request);
  if (response.destroyed) return;
  if (close) {
    response.setHeader('Connection', 'close');
    // Node would go on reading a body that nobody wants.
    response.on('finish', () => response.socket?.destroySoon());
  }
  if (typeof body === 'string' || body instanceof Uint8Array) {
    response.writeHead(status, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) });
    response.end(body);
    return;
  }
  await stream(response, { status, headers, body }, request.method === 'HEAD', timeouts.write);
}

async function stream(
  response: ServerResponse,
  { status, headers, body }: HttpResponse & { body: AsyncIterable<string | Uint8Array> },
  headOnly: boolean,
  timeout: number,
): Promise<void> {
  response.writeHead(status, headers);
  if (!headOnly) {
    response.setTimeout(timeout, () => response.destroy());
    // Leaving the loop early ends the iterator, which frees what it reads from.
    for await (const chunk of body) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await drained(response);
    }
  }
  response.end();
}

/** Resolves when the client has taken what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** What is no HTTP gets an answer and the end of the connection. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const requestId = newRequestId();
  const { status, body } = errorResponse(faultOf(error.code), requestId);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nX-Request-Id: ${requestId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body as string)}\r\n\r\n${body}`,
  );
}

function faultOf(code: string | undefined): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new HttpError(431, 'header_too_large', `The request's header is longer than ${MAX_HEADER} bytes.`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new HttpError(408, 'header_too_slow', 'The request came too slowly; send it again.');
  return new HttpError(400, 'bad_request', 'This is not an HTTP/1.1 request.');
}
