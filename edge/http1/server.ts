/** Serves connections that others have accepted, plain or TLS, with node's parser of HTTP/1.1 (RFC 9112). */
import { createServer, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Client, Handler } from '../exchange/exchange.ts';
import { Http1Connection } from './connection.ts';
import type { Http1Counters } from './counters.ts';
import { Incoming } from './incoming.ts';
import { type Http1Limits, sweepMs } from './limits.ts';

export interface Http1Options {
  readonly handler: Handler;
  readonly limits: Http1Limits;
  readonly counters: Http1Counters;
  /** What a handler threw or rejected with. */
  readonly onHandlerError?: (error: unknown) => void;
}

/** What the connections of a server share. */
export interface Http1Context extends Http1Options {
  isDraining: boolean;
  readonly onClose: (connection: Http1Connection) => void;
}

export class Http1 {
  readonly #server: Server<typeof Incoming>;
  readonly #context: Http1Context;
  readonly #connections = new Set<Http1Connection>();
  readonly #bySocket = new WeakMap<object, Http1Connection>();
  #sweep: NodeJS.Timeout | undefined;
  #drained: (() => void) | undefined;

  constructor(options: Http1Options) {
    const { limits } = options;
    this.#context = {
      ...options,
      isDraining: false,
      onClose: (connection) => this.#onClose(connection),
    };
    this.#server = createServer<typeof Incoming>({
      insecureHTTPParser: false,
      maxHeaderSize: limits.headerOctets,
      requireHostHeader: false,
      keepAliveTimeout: 0,
      IncomingMessage: Incoming,
      ServerResponse,
    });
    // Fields past a count would be cut off in silence: all that fit the octets are taken, and counted here.
    this.#server.maxHeadersCount = 0;
    // A client may end its side while it is answered (RFC 9112 section 9.6): what its end means is for the connection to say.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    const onRequest = (message: Incoming, response: ServerResponse): void => {
      this.#bySocket.get(message.socket)?.onRequest(message, response);
    };
    this.#server.on('request', onRequest);
    this.#server.on('checkContinue', onRequest);
    this.#server.on('checkExpectation', onRequest);
    this.#server.on('upgrade', (message, socket, rest) => {
      this.#bySocket.get(socket)?.onRequest(message, undefined, rest);
    });
    this.#server.on('connect', (_message, socket) => {
      this.#bySocket.get(socket)?.refuse({ status: 501, reason: 'method' });
    });
    this.#server.on('clientError', (error, socket) => this.#bySocket.get(socket)?.onParserError(error));
  }

  /** Takes over a connection: a TCP socket, or a TLS socket after its handshake. What was read of it may have been put back (`unshift`). While this drains it is served one request. */
  accept(socket: Socket, client: Client): void {
    if (socket.destroyed) {
      socket.destroy();
      return;
    }
    const { counters, limits } = this.#context;
    counters.count('connections');
    socket.allowHalfOpen = true;
    const connection = new Http1Connection(socket, client, this.#context);
    this.#connections.add(connection);
    this.#bySocket.set(socket, connection);
    this.#sweep ??= setInterval(() => this.#check(), sweepMs(limits)).unref();
    this.#server.emit('connection', socket);
    // Behind the parser's own: a request that its client's end has cut off is another matter.
    socket.on('end', () => connection.onClientEnd());
    if (socket.isPaused()) socket.resume();
  }

  /** Connections that wait for their next request are closed, others when a response is out. Resolves when all are gone. */
  drain(): Promise<void> {
    this.#context.isDraining = true;
    return new Promise((resolve) => {
      this.#drained = resolve;
      for (const connection of this.#connections) connection.drain();
      if (this.#connections.size === 0) resolve();
    });
  }

  /** Ends all connections where they are. */
  destroy(): void {
    this.#context.isDraining = true;
    for (const connection of this.#connections) connection.destroy('drain');
  }

  #check(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.deadlines.check(now);
  }

  #onClose(connection: Http1Connection): void {
    if (!this.#connections.delete(connection)) return;
    this.#context.counters.count('connections_closed');
    if (this.#connections.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    this.#drained?.();
  }
}
