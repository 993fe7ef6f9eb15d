/** What one thread serves: its listeners, the connections that they take, and their end. */
import { createServer, type Server, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { ConnectionLimits } from '../../core/net/connection-limits.ts';
import { CLIENT_FULL, FULL } from '../../core/net/connection-limits.ts';
import type { Http1Counters } from '../http1/counters.ts';
import type { Http1Limits } from '../http1/limits.ts';
import { Http1 } from '../http1/server.ts';
import type { Http2Counters } from '../http2/counters.ts';
import type { Http2Limits } from '../http2/limits.ts';
import type { Application } from './application.ts';
import { countedClient } from './client.ts';
import { Connection } from './connection.ts';
import type { ServerCounters } from './counters.ts';
import { KEEP_ALIVE, type ServerLimits } from './limits.ts';

export interface EdgeLimits {
  readonly server: ServerLimits;
  readonly http1: Http1Limits;
  readonly http2: Http2Limits;
}

/** A place to listen on: a socket that listens already, or an address. */
export interface Listener {
  readonly isTls: boolean;
  readonly fd?: number;
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;
}

export interface EdgeServerOptions {
  readonly application: Application;
  readonly limits: EdgeLimits;
  /** What TLS begins with, its tickets set (tls-context.ts, core/net/tls-tickets.ts). */
  readonly base: SecureContext;
  readonly connections: ConnectionLimits;
  readonly counters: ServerCounters;
  readonly http1Counters: Http1Counters;
  readonly http2Counters: Http2Counters;
  /** What a handler threw or rejected with; as often as it happens. */
  readonly onHandlerError: (error: unknown) => void;
}

/** Connections that wait to be accepted; the kernel takes less when it is set so. */
const BACKLOG = 4096;

export class EdgeServer {
  readonly application: Application;
  readonly limits: EdgeLimits;
  readonly base: SecureContext;
  readonly counters: ServerCounters;
  readonly http2Counters: Http2Counters;
  readonly onHandlerError: (error: unknown) => void;
  readonly http1: Http1;
  isDraining = false;
  readonly #connections: ConnectionLimits;
  readonly #servers: Server[] = [];
  readonly #open = new Set<Connection>();
  /** Whose version of HTTP is not known yet, in the order of their deadlines: all have the same time. */
  readonly #unsettled = new Set<Connection>();
  readonly #timer: NodeJS.Timeout;
  #onEmpty: (() => void) | null = null;

  constructor(options: EdgeServerOptions) {
    this.application = options.application;
    this.limits = options.limits;
    this.base = options.base;
    this.counters = options.counters;
    this.http2Counters = options.http2Counters;
    this.onHandlerError = options.onHandlerError;
    this.#connections = options.connections;
    this.http1 = new Http1({
      handler: options.application.handler,
      limits: options.limits.http1,
      counters: options.http1Counters,
      onHandlerError: options.onHandlerError,
    });
    const { handshakeTimeout } = this.limits.server;
    this.#timer = setInterval(() => this.#expire(), Math.min(1000, Math.max(20, handshakeTimeout / 4))).unref();
  }

  /** Resolves when it listens; rejects with node's error when it can't. */
  listen({ isTls, fd, address, port, family }: Listener): Promise<void> {
    // Half-open: a client that has sent all that it wants to may still be answered. Whoever serves the connection sees its end.
    // A socket of ours has TCP_NODELAY and keep-alive already, and hands them on to its connections.
    const own = fd === undefined ? { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE * 1000 } : {};
    const server = createServer({ allowHalfOpen: true, ...own }, (raw) => this.#accept(raw, isTls));
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      const options = fd === undefined ? { host: address, port, ipv6Only: family === 6 } : { fd };
      server.listen({ ...options, backlog: BACKLOG }, () => {
        server.off('error', reject);
        // Such as too many open files: the next connection may find room again.
        server.on('error', ignore);
        resolve();
      });
    });
  }

  /** Takes no more connections; resolves when all have ended, by themselves or when `drainTimeout` is over. Once. */
  async drain(): Promise<void> {
    this.isDraining = true;
    for (const server of this.#servers) server.close();
    for (const connection of this.#open) connection.drain();
    void this.http1.drain();
    if (this.#open.size > 0) await this.#emptied();
    clearInterval(this.#timer);
  }

  settled(connection: Connection): void {
    this.#unsettled.delete(connection);
  }

  closed(connection: Connection, bucket: number): void {
    this.#unsettled.delete(connection);
    if (!this.#open.delete(connection)) return;
    this.#connections.leave(bucket);
    this.counters.count('closed');
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  #accept(raw: Socket, isTls: boolean): void {
    const { counters } = this;
    const client = countedClient(raw);
    if (client === null) {
      raw.destroy();
      return;
    }
    const bucket = this.#connections.enter(client);
    if (bucket === FULL || bucket === CLIENT_FULL) {
      if (bucket === FULL) counters.limited('refused_total', client);
      else counters.limited('refused_address', client);
      raw.destroy();
      return;
    }
    const deadline = performance.now() + this.limits.server.handshakeTimeout;
    const connection = new Connection(this, raw, client, bucket, deadline);
    this.#open.add(connection);
    this.#unsettled.add(connection);
    if (isTls) {
      counters.count('accepted_tls');
      connection.startTls();
    } else {
      counters.count('accepted_clear');
      connection.startClear();
    }
  }

  #expire(): void {
    const now = performance.now();
    for (const connection of this.#unsettled) {
      if (connection.deadline > now) return;
      this.#unsettled.delete(connection);
      connection.expire();
    }
  }

  #emptied(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.http1.destroy();
        for (const connection of this.#open) connection.cut();
      }, this.limits.server.drainTimeout);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function ignore(): void {}
