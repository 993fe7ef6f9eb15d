/** The transport on node:http. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Body, BodyCollector } from './body.ts';
import { Charge, holderAt } from './body-memory.ts';
import { BodyStream } from './body-stream.ts';
import { ConnectionCount } from './connections.ts';
import { errorResponse, HttpError } from './errors.ts';
import { NodeConnection } from './node-connection.ts';
import { checkRequest, type RequestCheck } from './request-check.ts';
import { newRequestId } from './request-id.ts';
import {
  Aborted,
  CLOSING_MS,
  discard,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type ListenAddress,
  ListenError,
  type Listening,
  MAX_HEADER,
  SMALL_RESPONSE,
  safeHeaders,
  type Timeouts,
  type Transport,
  type TransportOptions,
} from './transport.ts';

/**
 * Maximum bytes of an unread body that are discarded; the connection is closed if there are more.
 */
const MAX_UNREAD = 1 << 20;

export class NodeTransport implements Transport {
  readonly name = 'node';
  #isClosing = false;

  constructor(private readonly options: TransportOptions) {}

  async listen(address: ListenAddress, handler: Handler): Promise<Listening> {
    const { timeouts } = this.options;
    const server = createServer({
      maxHeaderSize: MAX_HEADER,
      headersTimeout: timeouts.headers,
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(2_000, timeouts.headers),
      keepAliveTimeout: timeouts.idle,
    });
    // Node would drop fields above a limit; checkRequest rejects such requests instead.
    server.maxHeadersCount = 0;
    const connections = this.#accept(server);
    const serve = (message: IncomingMessage, response: ServerResponse, expectsContinue = false): void => {
      const connection = connections.get(message.socket);
      connection?.enqueue(message, response, () => {
        const request = new NodeRequest(message, response, expectsContinue, this.options);
        this.#respond(request, response, handler, connection);
      });
    };
    server.on('request', serve);
    // The response may be 413: 100 Continue is sent only when the body is read (RFC 9110 10.1.1).
    server.on('checkContinue', (message, response) => serve(message, response, true));
    server.on('checkExpectation', serve);
    const rejectInput = (error: NodeJS.ErrnoException, socket: Socket): void => {
      const connection = connections.get(socket);
      if (connection === undefined || error.code === 'ECONNRESET') socket.destroy();
      else connection.reject(formatRejection(parserError(error.code)));
    };
    server.on('clientError', rejectInput);
    server.on('connect', ({ socket }) => rejectInput(new Error('CONNECT'), socket));
    await bind(server, address);
    const { port } = server.address() as AddressInfo;
    return {
      port,
      connections: () => connections.size,
      close: async () => {
        this.#isClosing = true;
        await sleep(CLOSING_MS);
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeIdleConnections();
        const timer = setTimeout(() => {
          for (const socket of connections.keys()) socket.destroy();
        }, timeouts.close);
        await closed;
        clearTimeout(timer);
      },
    };
  }

  #accept(server: Server): ReadonlyMap<Socket, NodeConnection> {
    const count = new ConnectionCount(this.options.limits);
    const connections = new Map<Socket, NodeConnection>();
    server.on('connection', (socket) => {
      const leave = count.enter(socket.remoteAddress ?? '');
      if (leave === undefined) return void socket.destroy();
      connections.set(socket, new NodeConnection(socket));
      socket.once('close', () => {
        leave();
        connections.delete(socket);
      });
    });
    return connections;
  }

  #respond(request: NodeRequest, response: ServerResponse, handler: Handler, connection: NodeConnection): void {
    const { fault } = request.check;
    const pending = fault === undefined ? handler(request) : Promise.resolve(rejection(fault));
    pending
      .then((result) => {
        request.releaseBody();
        // The client has disconnected.
        if (response.destroyed || connection.isRejected || response.socket === null) return discard(result.body);
        return this.#send(request, response, result);
      })
      .catch(() => response.destroy());
  }

  #send(request: NodeRequest, response: ServerResponse, reply: HttpResponse): Promise<void> | void {
    const { status, body, length } = reply;
    const headers = safeHeaders(reply.headers, this.options.log);
    if (reply.close || this.#isClosing || request.unread > MAX_UNREAD) response.setHeader('Connection', 'close');
    request.discardUnread();
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      response.writeHead(status, length === undefined ? headers : { ...headers, 'Content-Length': String(length) });
      return sendStream(response, body, request.method === 'HEAD', this.options.timeouts.write, length);
    }
    const size = status === 304 ? {} : { 'Content-Length': String(length ?? Buffer.byteLength(body)) };
    response.writeHead(status, Object.assign(size, headers));
    response.end(body);
    this.#chargeUnsent(response, reply.holder ?? holderAt(request.remoteAddress));
    startWriteTimeout(response, this.options.timeouts);
  }

  #chargeUnsent(response: ServerResponse, holder: string): void {
    const unsent = response.socket?.writableLength ?? 0;
    if (unsent <= SMALL_RESPONSE) return;
    const charge = new Charge(this.options.memory, holder);
    if (charge.take(unsent)) response.once('close', () => charge.end());
    else response.socket?.destroy();
  }
}

async function bind(server: Server, to: ListenAddress): Promise<void> {
  const listening = once(server, 'listening');
  server.listen({ host: to.address, port: to.port });
  try {
    await listening;
  } catch (error) {
    throw new ListenError(to, error instanceof Error ? error.message : String(error));
  }
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly check: RequestCheck;
  #body: Body | undefined;
  #abort: AbortController | undefined;

  constructor(
    private readonly message: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly expectsContinue: boolean,
    private readonly options: TransportOptions,
  ) {
    const url = originForm(message.url ?? '/');
    const mark = url.indexOf('?');
    this.method = message.method ?? 'GET';
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.check = checkRequest(this.method, url, message.rawHeaders);
  }

  get remoteAddress(): string {
    return (this.message.socket.remoteAddress ?? '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const leave = (): void => abort.abort(new Aborted());
      if (this.response.destroyed) leave();
      else this.response.once('close', leave);
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  header(name: string): string | undefined {
    const value = this.message.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  body(limit: number, holder = holderAt(this.remoteAddress)): Promise<Buffer> {
    const { memory, timeouts } = this.options;
    const collector = new BodyCollector(limit, this.check.length, timeouts.body, new Charge(memory, holder));
    this.#read(collector);
    return collector.whole;
  }

  stream(limit: number, holder = holderAt(this.remoteAddress), keeps = false): AsyncIterable<Buffer> {
    const { memory, timeouts } = this.options;
    const charge = new Charge(memory, holder);
    const stream = new BodyStream(limit, this.check.length, timeouts.body, charge, this.message, keeps);
    this.#read(stream);
    return stream;
  }

  #read(body: Body): void {
    this.#body = body;
    if (body.done) return;
    const message = this.message;
    message.on('data', (chunk: Buffer) => {
      body.add(chunk);
      if (body.done) message.pause();
    });
    message.on('end', () => body.end());
    message.on('close', () => body.abort());
    message.on('error', () => body.abort());
    if (this.expectsContinue) this.response.writeContinue();
    body.expectMore();
  }

  releaseBody(): void {
    this.#body?.release();
  }

  /** Bytes of the body that have not arrived yet. */
  get unread(): number {
    if (this.message.complete) return 0;
    return this.check.isChunked ? Number.POSITIVE_INFINITY : Number(this.check.length ?? 0);
  }

  /** Node reads the rest of the body without a limit; this adds a timeout. */
  discardUnread(): void {
    const message = this.message;
    if (message.complete) return;
    const timer = setTimeout(() => message.socket.destroy(), this.options.timeouts.body).unref();
    message.once('close', () => clearTimeout(timer));
    message.once('end', () => clearTimeout(timer));
  }
}

/** A server must also accept the absolute form (RFC 9112 3.2.2). */
function originForm(url: string): string {
  const match = /^https?:\/\/[^/?#]*/i.exec(url);
  if (match === null) return url;
  const rest = url.slice(match[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Starts the write timeout for bytes that the kernel has not accepted yet. */
function startWriteTimeout(response: ServerResponse, { write }: Timeouts): void {
  if (response.writableFinished || (response.socket?.writableLength ?? 0) === 0) return;
  const timer = setTimeout(() => response.socket?.destroy(), write);
  response.once('close', () => clearTimeout(timer));
}

async function sendStream(
  response: ServerResponse,
  body: AsyncIterable<string | Uint8Array>,
  headOnly: boolean,
  timeout: number,
  length: number | undefined,
): Promise<void> {
  if (headOnly) discard(body);
  else {
    response.setTimeout(timeout, () => response.destroy());
    // A stream of events may wait for its next chunk when the client disconnects.
    response.once('close', () => discard(body));
    // Leaving the loop early ends the iterator, which frees its source.
    let left = length ?? 0;
    for await (const chunk of body) {
      if (response.destroyed) return;
      left -= Buffer.byteLength(chunk);
      if (!response.write(chunk)) await waitForDrain(response);
    }
    // The client would wait for the rest.
    if (left > 0) return void response.destroy();
  }
  response.end();
}

/** Resolves when the client has read the written bytes, or has disconnected. */
function waitForDrain(response: ServerResponse): Promise<void> {
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

function rejection(fault: HttpError): HttpResponse {
  const requestId = newRequestId();
  const reply = errorResponse(fault, requestId);
  return { ...reply, headers: { ...reply.headers, 'X-Request-Id': requestId } };
}

/** The response to malformed HTTP, as bytes, because node:http provides no response object. */
function formatRejection(fault: HttpError): string {
  const { status, headers, body } = rejection(fault);
  const fields = { ...headers, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body as string)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function parserError(code: string | undefined): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new HttpError(431, 'header_too_large', `The request's header is longer than ${MAX_HEADER} bytes.`);
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new HttpError(413, 'chunk_too_large', 'The extensions of a chunk are too long; omit them.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new HttpError(408, 'header_too_slow', 'The request arrived too slowly; send it again.');
  return new HttpError(400, 'bad_request', 'This is not a valid HTTP/1.1 request.');
}
