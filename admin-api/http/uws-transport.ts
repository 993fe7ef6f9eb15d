/**
 * The transport on uWebSockets.js. Its rules: a request is gone after the first await, so all of it is copied at once; a response is gone after
 * onAborted; pieces of a body are gone when the callback returns; what is written outside of a callback is corked into one packet.
 */
import { STATUS_CODES } from 'node:http';
import { BodyCollector } from './body.ts';
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
import type { Uws, UwsApp, UwsRequest, UwsResponse } from './uws.ts';

export class UwsTransport implements Transport {
  readonly name = 'uws';
  readonly #uws: Uws;
  readonly #timeouts: Timeouts;

  constructor(uws: Uws, timeouts: Timeouts) {
    this.#uws = uws;
    this.#timeouts = timeouts;
  }

  async listen(place: ListenPlace, handler: Handler): Promise<Listening> {
    const app = this.#uws.App();
    const open = new Set<Exchange>();
    app.any('/*', (response, request) => {
      const exchange = new Exchange(response, request, this.#timeouts);
      open.add(exchange);
      handler(exchange)
        .then((answer) => exchange.send(answer))
        .catch(() => exchange.abandon())
        .finally(() => open.delete(exchange));
    });
    const socket = await bind(this.#uws, app, place);
    return {
      port: this.#uws.us_socket_local_port(socket),
      close: async () => {
        this.#uws.us_listen_socket_close(socket);
        const end = performance.now() + this.#timeouts.close;
        while (open.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
        app.close();
      },
    };
  }
}

async function bind(uws: Uws, app: UwsApp, place: ListenPlace): Promise<object> {
  const socket = await new Promise<object | false>((resolve) => {
    app.listen(place.address, place.port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket === false) throw new ListenError(place, 'it is in use, or is no address of this machine');
  return socket;
}

class Exchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress: string;
  readonly #response: UwsResponse;
  readonly #timeouts: Timeouts;
  readonly #headers = new Map<string, string>();
  #collector: BodyCollector | undefined;
  #gone = false;
  /** Wakes who waits for the client to take more, or for its end. */
  #wake: () => void = () => {};

  constructor(response: UwsResponse, request: UwsRequest, timeouts: Timeouts) {
    this.#response = response;
    this.#timeouts = timeouts;
    this.method = request.getMethod().toUpperCase();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    this.remoteAddress = formatAddress(new Uint8Array(response.getRemoteAddress()));
    request.forEach((name, value) => {
      if (!this.#headers.has(name)) this.#headers.set(name, value);
    });
    response.onAborted(() => {
      this.#gone = true;
      this.#collector?.abort();
      this.#wake();
    });
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  body(limit: number): Promise<Buffer> {
    const collector = new BodyCollector(limit, this.#headers.get('content-length'), this.#timeouts.body);
    this.#collector = collector;
    if (collector.done) return collector.whole;
    this.#response.onData((chunk, last) => {
      if (!collector.done) collector.add(Buffer.from(new Uint8Array(chunk)));
      if (last) collector.end();
      else collector.expectMore();
    });
    // Not one piece has come yet, perhaps.
    collector.expectMore();
    return collector.whole;
  }

  async send(answer: HttpResponse): Promise<void> {
    const { body, close } = answer;
    if (this.#gone) return;
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return this.#stream(answer, body);
    this.#response.cork(() => {
      this.#head(answer);
      if (this.method === 'HEAD') this.#response.endWithoutBody(Buffer.byteLength(body), close);
      else this.#response.end(body, close);
    });
  }

  abandon(): void {
    if (!this.#gone) this.#response.close();
  }

  async #stream(answer: HttpResponse, body: AsyncIterable<string | Uint8Array>): Promise<void> {
    const response = this.#response;
    response.cork(() => this.#head(answer));
    response.onWritable(() => {
      this.#wake();
      return true;
    });
    if (this.method === 'HEAD') return response.cork(() => response.endWithoutBody(undefined, answer.close));
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
    response.cork(() => response.end(undefined, answer.close));
  }

  async #writable(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(() => this.abandon(), this.#timeouts.write);
    });
    clearTimeout(timer);
    this.#wake = () => {};
  }

  #head({ status, headers }: HttpResponse): void {
    this.#response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
    for (const name in headers) this.#response.writeHeader(name, headers[name]);
  }
}

function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups: string[] = [];
  for (let i = 0; i + 1 < bytes.length; i += 2) groups.push(((bytes[i] << 8) | bytes[i + 1]).toString(16));
  return groups.join(':');
}
