/**
 * The transport on uWebSockets.js. Rules of the library:
 * - A request is invalid after the first await, so it is copied at once.
 * - A response is invalid after onAborted, and a chunk of a body when its callback returns.
 * - Writes outside of a callback are corked into one packet.
 * - A request that arrives before the previous response has ended closes the connection, as RFC
 *   9112 9.3.2 allows. A connection therefore has at most one response.
 */
import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Body, BodyCollector } from './body.ts';
import { Charge, holderAt } from './body-memory.ts';
import { BodyStream, type Flow } from './body-stream.ts';
import { AnonymousConnectionCount, formatAddress } from './connections.ts';
import { errorResponse, type HttpError } from './errors.ts';
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
  SMALL_RESPONSE,
  safeHeaders,
  type Transport,
  type TransportOptions,
} from './transport.ts';
import type { Uws, UwsApp, UwsRequest, UwsResponse } from './uws.ts';

export class UwsTransport implements Transport {
  readonly name = 'uws';

  constructor(
    private readonly uws: Uws,
    private readonly options: TransportOptions,
  ) {
    uws._cfg('silent');
  }

  async listen(address: ListenAddress, handler: Handler): Promise<Listening> {
    const app = this.uws.App();
    // A number, because a busy Set keeps deleted entries alive until the next full garbage
    // collection.
    let inFlight = 0;
    let isClosing = false;
    const count = new AnonymousConnectionCount(this.options.limits);
    const countConnection = (response: UwsResponse, change: number): void => {
      if (change < 0) count.closed();
      else if (!count.opened(formatAddress(new Uint8Array(response.getRemoteAddress())))) response.close();
    };
    app.filter(countConnection);
    app.any('/*', (response, request) => {
      const exchange = new Exchange(response, request, this.options);
      if (exchange.fault !== undefined) return exchange.reject(exchange.fault);
      inFlight++;
      handler(exchange)
        .then((reply) => {
          exchange.releaseBody();
          return exchange.send(isClosing ? { ...reply, close: true } : reply);
        })
        .then(
          () => inFlight--,
          () => {
            inFlight--;
            exchange.abandon();
          },
        );
    });
    const socket = await bind(this.uws, app, address);
    const port = this.uws.us_socket_local_port(socket);
    count.setPort(port);
    return {
      port,
      connections: () => count.total,
      close: async () => {
        isClosing = true;
        await sleep(CLOSING_MS);
        this.uws.us_listen_socket_close(socket);
        const end = performance.now() + this.options.timeouts.close;
        while (inFlight > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
        app.close();
      },
    };
  }
}

async function bind(uws: Uws, app: UwsApp, to: ListenAddress): Promise<object> {
  const socket = await new Promise<object | false>((resolve) => {
    app.listen(to.address, to.port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket === false) throw new ListenError(to, 'it is in use, or it is not an address of this machine');
  return socket;
}

class Exchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress: string;
  readonly #headers = new Map<string, string>();
  readonly #check: RequestCheck;
  #body: Body | undefined;
  /** The body of the response, while it is sent piece by piece. */
  #streamed: AsyncIterable<string | Uint8Array> | undefined;
  #isAborted = false;
  #abort: AbortController | undefined;
  /** Resolves the promise of #waitUntilWritable when the response is writable or aborted. */
  #wake: () => void = () => {};

  constructor(
    private readonly response: UwsResponse,
    request: UwsRequest,
    private readonly options: TransportOptions,
  ) {
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    this.remoteAddress = formatAddress(new Uint8Array(response.getRemoteAddress()));
    const fields: string[] = [];
    request.forEach((name, value) => {
      fields.push(name, value);
      const first = this.#headers.get(name);
      if (first === undefined) this.#headers.set(name, value);
      else if (name === 'x-forwarded-for') this.#headers.set(name, `${first}, ${value}`);
    });
    this.#check = checkRequest(this.method, this.path + this.query, fields);
    response.onAborted(() => {
      this.#isAborted = true;
      this.#abort?.abort(new Aborted());
      this.#body?.abort();
      // A stream of events may wait for its next chunk when the client disconnects.
      if (this.#streamed !== undefined) discard(this.#streamed);
      this.#wake();
    });
  }

  /** The library treats any Connection header of five letters as `close`. */
  get #libraryCloses(): boolean {
    return this.#headers.get('connection')?.length === 5;
  }

  get fault(): HttpError | undefined {
    return this.#check.fault;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#isAborted) this.#abort.abort(new Aborted());
    }
    return this.#abort.signal;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  body(limit: number, holder = holderAt(this.remoteAddress)): Promise<Buffer> {
    const { memory, timeouts } = this.options;
    const collector = new BodyCollector(limit, this.#check.length, timeouts.body, new Charge(memory, holder));
    this.#read(collector);
    return collector.whole;
  }

  stream(limit: number, holder = holderAt(this.remoteAddress), keeps = false): AsyncIterable<Buffer> {
    const { memory, timeouts } = this.options;
    const flow: Flow = {
      pause: () => this.#isAborted || this.response.pause(),
      resume: () => this.#isAborted || this.response.resume(),
    };
    const charge = new Charge(memory, holder);
    const stream = new BodyStream(limit, this.#check.length, timeouts.body, charge, flow, keeps);
    this.#read(stream);
    return stream;
  }

  #read(body: Body): void {
    this.#body = body;
    if (body.done) return;
    this.response.onData((chunk, last) => {
      if (!body.done) body.add(Buffer.from(new Uint8Array(chunk)));
      if (last) body.end();
      else body.expectMore();
    });
    // Starts the timeout for the first chunk.
    body.expectMore();
  }

  releaseBody(): void {
    this.#body?.release();
  }

  /** Responds in the callback of the request, so that the parser reads no further. */
  reject(fault: HttpError): void {
    const requestId = newRequestId();
    const reply = errorResponse(fault, requestId);
    void this.send({ ...reply, headers: { ...reply.headers, 'X-Request-Id': requestId } });
  }

  async send(reply: HttpResponse): Promise<void> {
    const { body } = reply;
    // Not while the request is being parsed: the connection would close only after the received
    // bytes, and the bytes after a chunked body would be parsed as a request.
    if (this.#check.isChunked) await new Promise((resolve) => setImmediate(resolve));
    if (this.#isAborted) return discard(body);
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return this.#sendStream(reply, body);
    if (reply.status === 304) return this.#sendNotModified(reply);
    if (this.method === 'HEAD') return this.#sendHeader(reply, reply.length ?? Buffer.byteLength(body));
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (this.#mustClose(reply)) this.#sendLast(reply, bytes);
    else await this.#sendBody(reply, bytes);
  }

  abandon(): void {
    if (!this.#isAborted) this.response.close();
  }

  /**
   * A chunked body closes the connection: the parser reads the extension of a chunk as digits of
   * its size. The end of the body is therefore uncertain, and later bytes must not be read as a
   * request.
   */
  #mustClose(reply: HttpResponse): boolean {
    return (reply.close ?? false) || (this.#check.close && !this.#libraryCloses) || this.#check.isChunked;
  }

  /**
   * Keeps unsent bytes here: in the library, they would be added to other unsent bytes of the
   * client.
   */
  async #sendBody(reply: HttpResponse, bytes: Uint8Array): Promise<void> {
    const response = this.response;
    let done = false;
    response.cork(() => {
      this.#writeHeader(reply);
      [, done] = response.tryEnd(bytes, bytes.length);
    });
    if (done) return;
    this.#wakeWhenWritable();
    const charge = new Charge(this.options.memory, reply.holder ?? holderAt(this.remoteAddress));
    const unsent = bytes.length - response.getWriteOffset();
    if (unsent > SMALL_RESPONSE && !charge.take(unsent)) return this.abandon();
    while (!done) {
      await this.#waitUntilWritable();
      if (this.#isAborted) break;
      response.cork(() => {
        [, done] = response.tryEnd(bytes.subarray(response.getWriteOffset()), bytes.length);
      });
    }
    charge.end();
  }

  /**
   * Sends the last response of a connection in one call. A closing `end` writes the Connection
   * field, which would be inside the chunked body after a `write`. The library keeps unsent bytes
   * until its own timeout.
   */
  #sendLast(reply: HttpResponse, bytes: Uint8Array): void {
    this.response.cork(() => {
      this.#writeHeader(reply);
      this.response.end(bytes, true);
    });
  }

  /** Closes the connection: the library does not report whether a client has read a header. */
  #sendHeader(reply: HttpResponse, length: number): void {
    let done = false;
    this.response.cork(() => {
      this.#writeHeader(reply);
      this.response.writeHeader('Connection', 'close');
      [, done] = this.response.tryEnd('', length);
    });
    // Deferred, because the header may still be in the library's buffer during the callback.
    if (!done) setImmediate(() => this.abandon());
  }

  /**
   * Without Content-Length (see transport.ts), which the library omits only where it leaves the
   * connection open: the header ends here, and the connection with it, as in #sendHeader.
   */
  #sendNotModified(reply: HttpResponse): void {
    this.response.cork(() => {
      this.#writeHeader(reply);
      // The library writes it only where it ends a response itself.
      this.response.writeHeader('Date', new Date().toUTCString());
      // The library adds the line break of the field; this one ends the header.
      this.response.writeHeader('Connection', 'close\r\n');
    });
    setImmediate(() => this.abandon());
  }

  /** Sends a streamed body of a known length. Unsent bytes stay here, as in #sendBody. */
  async #sendSized(reply: HttpResponse, body: AsyncIterable<string | Uint8Array>, length: number): Promise<void> {
    const response = this.response;
    response.cork(() => {
      this.#writeHeader(reply);
      if (this.#mustClose(reply)) response.writeHeader('Connection', 'close');
    });
    this.#wakeWhenWritable();
    this.#streamed = body;
    let sent = 0;
    for await (const piece of body) {
      if (this.#isAborted) return;
      const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece;
      let [isAccepted, isDone] = [false, false];
      response.cork(() => {
        [isAccepted, isDone] = response.tryEnd(chunk, length);
      });
      while (!isAccepted && !isDone) {
        await this.#waitUntilWritable();
        if (this.#isAborted) return;
        response.cork(() => {
          [isAccepted, isDone] = response.tryEnd(chunk.subarray(response.getWriteOffset() - sent), length);
        });
      }
      if (isDone) return;
      sent += chunk.length;
    }
    // The source was shorter than expected.
    this.abandon();
  }

  async #sendStream(reply: HttpResponse, body: AsyncIterable<string | Uint8Array>): Promise<void> {
    if (reply.length !== undefined) {
      if (this.method !== 'HEAD') return this.#sendSized(reply, body, reply.length);
      discard(body);
      return this.#sendHeader(reply, reply.length);
    }
    const response = this.response;
    const close = this.#mustClose(reply);
    response.cork(() => {
      this.#writeHeader(reply);
      if (close) response.writeHeader('Connection', 'close');
    });
    this.#wakeWhenWritable();
    if (this.method === 'HEAD') {
      discard(body);
      // The library would write an undefined length with `close` as 2^63.
      return response.cork(() => (close ? response.endWithoutBody(0, true) : response.endWithoutBody()));
    }
    this.#streamed = body;
    // Leaving the loop early ends the iterator, which releases its source.
    for await (const chunk of body) {
      if (this.#isAborted) return;
      let taken = true;
      response.cork(() => {
        taken = response.write(chunk);
      });
      if (!taken) await this.#waitUntilWritable();
      if (this.#isAborted) return;
    }
    // Not `end` with close, which would write a field into the body. The client closes the
    // connection, because it received `Connection: close`.
    if (!this.#isAborted) response.cork(() => response.end());
  }

  #wakeWhenWritable(): void {
    this.response.onWritable(() => {
      this.#wake();
      return true;
    });
  }

  async #waitUntilWritable(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(() => this.abandon(), this.options.timeouts.write);
    });
    clearTimeout(timer);
    this.#wake = () => {};
  }

  #writeHeader({ status, headers }: HttpResponse): void {
    this.response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
    const safe = safeHeaders(headers, this.options.log);
    for (const name in safe) this.response.writeHeader(name, safe[name]);
  }
}
