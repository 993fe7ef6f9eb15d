/**
 * The transport on uWebSockets.js. Its rules: a request is gone after the first await, so all of it is copied at once; a response is gone after
 * onAborted; pieces of a body are gone when the callback returns; what is written outside of a callback is corked into one packet. A request that comes
 * while an answer of its connection has not been taken ends the connection (RFC 9112 9.3.2 makes a client ready for that), so a connection never holds
 * more than one answer.
 */
import { STATUS_CODES } from 'node:http';
import { formatAddress } from '../../core/address/socket-address.ts';
import { type Body, BodyCollector } from './body.ts';
import { BodyStream } from './body-stream.ts';
import { AnonymousConnectionCount } from './connections.ts';
import { errorResponse, type HttpError } from './errors.ts';
import { checkRequest, type RequestCheck } from './request-check.ts';
import { newRequestId } from './request-id.ts';
import { safeHeaders } from './response-headers.ts';
import {
  discard,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  ListenError,
  type Listening,
  type ListenPlace,
  type Transport,
  type TransportOptions,
} from './transport.ts';
import type { Uws, UwsApp, UwsRequest, UwsResponse } from './uws.ts';

export class UwsTransport implements Transport {
  readonly name = 'uws';
  readonly #uws: Uws;
  readonly #options: TransportOptions;

  constructor(uws: Uws, options: TransportOptions) {
    this.#uws = uws;
    this.#options = options;
  }

  async listen(place: ListenPlace, handler: Handler): Promise<Listening> {
    const app = this.#uws.App();
    // Requests that are being handled. A set of them would keep those that have been: its old tables lead to the new ones.
    let open = 0;
    const count = new AnonymousConnectionCount(this.#options.limits);
    const follow = (response: UwsResponse, change: number): void => {
      if (change < 0) count.closed();
      else if (!count.opened(formatAddress(new Uint8Array(response.getRemoteAddress())))) response.close();
    };
    app.filter(follow);
    app.any('/*', (response, request) => {
      const exchange = new Exchange(response, request, this.#options);
      if (exchange.fault !== undefined) return exchange.refuse(exchange.fault);
      open++;
      handler(exchange)
        .then((answer) => exchange.send(answer))
        .then(
          () => open--,
          () => {
            open--;
            exchange.abandon();
          },
        );
    });
    const socket = await bind(this.#uws, app, place);
    const port = this.#uws.us_socket_local_port(socket);
    count.listensOn(port);
    return {
      port,
      connections: () => count.total,
      close: async () => {
        this.#uws.us_listen_socket_close(socket);
        const end = performance.now() + this.#options.timeouts.close;
        while (open > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
        app.close();
      },
    };
  }
}

async function bind(uws: Uws, app: UwsApp, place: ListenPlace): Promise<object> {
  const socket = await new Promise<object | false>((resolve) => {
    app.listen(place.address, place.port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket === false) throw new ListenError(place, 'it is in use, or it is not an address of this machine');
  return socket;
}

class Exchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress: string;
  readonly #response: UwsResponse;
  readonly #options: TransportOptions;
  readonly #headers = new Map<string, string>();
  readonly #check: RequestCheck;
  #body: Body | undefined;
  #gone = false;
  /** Wakes who waits for the client to take more, or for its end. */
  #wake: () => void = () => {};

  constructor(response: UwsResponse, request: UwsRequest, options: TransportOptions) {
    this.#response = response;
    this.#options = options;
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    this.remoteAddress = formatAddress(new Uint8Array(response.getRemoteAddress()));
    const fields: string[] = [];
    request.forEach((name, value) => {
      fields.push(name, value);
      if (!this.#headers.has(name)) this.#headers.set(name, value);
    });
    this.#check = checkRequest(this.method, this.path + this.query, fields);
    response.onAborted(() => {
      this.#gone = true;
      this.#body?.abort();
      this.#wake();
    });
  }

  /** The library takes any value of five letters for `close`. */
  get #closesItself(): boolean {
    return this.#headers.get('connection')?.length === 5;
  }

  get fault(): HttpError | undefined {
    return this.#check.fault;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  body(limit: number): Promise<Buffer> {
    const collector = new BodyCollector(limit, this.#check.length, this.#options.timeouts.body);
    this.#read(collector);
    return collector.whole;
  }

  stream(limit: number): AsyncIterable<Buffer> {
    const stream = new BodyStream(limit, this.#check.length, this.#options.timeouts.body, {
      pause: () => this.#gone || this.#response.pause(),
      resume: () => this.#gone || this.#response.resume(),
    });
    this.#read(stream);
    return stream;
  }

  #read(body: Body): void {
    this.#body = body;
    if (body.done) return;
    this.#response.onData((chunk, last) => {
      if (!body.done) body.add(Buffer.from(new Uint8Array(chunk)));
      if (last) body.end();
      else body.expectMore();
    });
    // Not one piece has come yet, perhaps.
    body.expectMore();
  }

  /** Answers at once, in the callback that brought the request: the parser reads no further. */
  refuse(fault: HttpError): void {
    const requestId = newRequestId();
    const answer = errorResponse(fault, requestId);
    void this.send({ ...answer, headers: { ...answer.headers, 'X-Request-Id': requestId } });
  }

  async send(answer: HttpResponse): Promise<void> {
    const { body } = answer;
    // Answered while its bytes are being parsed, the connection would end only behind them: what follows a chunked body would be read.
    if (this.#check.isChunked) await new Promise((resolve) => setImmediate(resolve));
    if (this.#gone) return discard(body);
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return this.#stream(answer, body);
    // RFC 9110 15.4.5: a 304 tells the length of what it stands for.
    if (this.method === 'HEAD' || answer.status === 304) return this.#withoutBody(answer, Buffer.byteLength(body));
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (this.#closes(answer)) this.#last(answer, bytes);
    else await this.#whole(answer, bytes);
  }

  abandon(): void {
    if (!this.#gone) this.#response.close();
  }

  /**
   * After a chunked body the connection is closed: the parser takes an extension of a chunk for digits of its size, so where the body has
   * ended is not certain, and what follows must not be read as a request.
   */
  #closes(answer: HttpResponse): boolean {
    return (answer.close ?? false) || (this.#check.close && !this.#closesItself) || this.#check.isChunked;
  }

  /** What the client has not taken waits here, not in the library, where it would be added to what else the client does not read. */
  async #whole(answer: HttpResponse, bytes: Uint8Array): Promise<void> {
    const response = this.#response;
    let done = false;
    response.cork(() => {
      this.#head(answer);
      [, done] = response.tryEnd(bytes, bytes.length);
    });
    if (done) return;
    this.#wakeWhenWritable();
    while (!done) {
      await this.#writable();
      if (this.#gone) return;
      response.cork(() => {
        [, done] = response.tryEnd(bytes.subarray(response.getWriteOffset()), bytes.length);
      });
    }
  }

  /**
   * The last answer of a connection. In one call: with a closing `end` the library writes the field Connection by itself, which after a `write` would stand
   * in the chunked body. What the client has not taken it keeps until its own timeout.
   */
  #last(answer: HttpResponse, bytes: Uint8Array): void {
    this.#response.cork(() => {
      this.#head(answer);
      this.#response.end(bytes, true);
    });
  }

  /** The head of an answer, and the end of the connection: the library never tells whether a client takes a head. */
  #withoutBody(answer: HttpResponse, length: number): void {
    let done = false;
    this.#response.cork(() => {
      this.#head(answer);
      this.#response.writeHeader('Connection', 'close');
      [, done] = this.#response.tryEnd('', length);
    });
    // Later: now it may still are in the library's buffer, when this runs in the callback of the request.
    if (!done) setImmediate(() => this.abandon());
  }

  async #stream(answer: HttpResponse, body: AsyncIterable<string | Uint8Array>): Promise<void> {
    const response = this.#response;
    const close = this.#closes(answer);
    response.cork(() => {
      this.#head(answer);
      if (close) response.writeHeader('Connection', 'close');
    });
    this.#wakeWhenWritable();
    if (this.method === 'HEAD') {
      discard(body);
      // An undefined length beside `close` is written as 2^63.
      return response.cork(() => (close ? response.endWithoutBody(0, true) : response.endWithoutBody()));
    }
    // Leaving the loop early ends the iterator, which frees what it reads from.
    for await (const chunk of body) {
      if (this.#gone) return;
      let taken = true;
      response.cork(() => {
        taken = response.write(chunk);
      });
      if (!taken) await this.#writable();
      if (this.#gone) return;
    }
    // Not `end` with close, which would put a field into the body: who was told so closes.
    if (!this.#gone) response.cork(() => response.end());
  }

  #wakeWhenWritable(): void {
    this.#response.onWritable(() => {
      this.#wake();
      return true;
    });
  }

  async #writable(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(() => this.abandon(), this.#options.timeouts.write);
    });
    clearTimeout(timer);
    this.#wake = () => {};
  }

  #head({ status, headers }: HttpResponse): void {
    this.#response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
    const safe = safeHeaders(headers, this.#options.log);
    for (const name in safe) this.#response.writeHeader(name, safe[name]);
  }
}
