/** The server of one thread: its listeners, its connections, and the drain. */
import { createServer, type Server, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Client as CountedClient } from '../../../core/net/address/client.ts';
import { addressText } from '../../../core/net/address/ipv6.ts';
import { CLIENT_FULL, type ConnectionLimits, FULL } from '../../../core/os/connection-limits.ts';
import { loadLibc } from '../../../core/os/libc.ts';
import { releaseMemory } from '../../../core/os/memory.ts';
import type { TicketKeys } from '../../../core/site/tls/ticket-keys.ts';
import { MemoryBudget } from '../exchange/client-memory.ts';
import { sweepEvery } from '../exchange/clock.ts';
import type { Http1Counters } from '../http1/counters.ts';
import { Http1 } from '../http1/server.ts';
import type { Http2Counters } from '../http2/counters.ts';
import type { TlsCertificate } from '../tls/certificate.ts';
import { TlsLoop, type TlsLoopOptions } from '../tls/loop.ts';
import type { Application, ConnectionGate } from './application.ts';
import { Connection } from './connection.ts';
import { type ConnectionHost, countedClient, type Member } from './connection-host.ts';
import type { ServerCounters } from './counters.ts';
import { EDGE_STREAM, type EdgeLimits, KEEP_ALIVE } from './limits.ts';
import { NativeConnection } from './native-connection.ts';

/** Minimum bytes to release. Less does not justify stopping the thread. */
const MIN_RELEASE = 32 * 1024 * 1024;

/** Seconds for which at most half of the peak must have been held. */
const CALM_SECONDS = 3;

/**
 * Returns memory to the system after clients have released much of it. The process must not stay
 * large after an attack.
 */
export class MemoryReturn {
  readonly #budget: MemoryBudget;
  readonly #release: () => void;
  /** Maximum bytes held since the last release. */
  #peak = 0;
  #calmSeconds = 0;

  /** `release`: releaseMemory of core/os. */
  constructor(budget: MemoryBudget, release: () => void) {
    this.#budget = budget;
    this.#release = release;
  }

  /** To be called once a second. */
  look(): void {
    const { held } = this.#budget;
    this.#peak = Math.max(this.#peak, held);
    const isLess = this.#peak - held >= MIN_RELEASE && held * 2 <= this.#peak;
    this.#calmSeconds = isLess ? this.#calmSeconds + 1 : 0;
    if (this.#calmSeconds < CALM_SECONDS) return;
    this.#calmSeconds = 0;
    this.#peak = held;
    this.#release();
  }
}

/** A listening socket (`fd`), or an address to listen on. */
export interface Listener {
  readonly isTls: boolean;
  readonly fd?: number;
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;
}

interface EdgeServerOptions {
  readonly application: Application;
  readonly limits: EdgeLimits;
  /** The initial context of node:tls (tls-context.ts). */
  readonly base: SecureContext;
  readonly connections: ConnectionLimits;
  /** Omitted: the load of the process is not monitored. */
  readonly load?: { readonly refusesConnections: boolean };
  readonly counters: ServerCounters;
  readonly http1Counters: Http1Counters;
  readonly http2Counters: Http2Counters;
  /** Receives each error that a handler threw or rejected with. Not throttled. */
  readonly onHandlerError: (error: unknown) => void;
  /**
   * Enables TLS by edge/http/tls where the system supports it. Otherwise node:tls is used. The
   * caller closes the loop.
   */
  readonly native?: Omit<TlsLoopOptions, 'accept'>;
}

/**
 * Maximum connections of a thread that are accepted while it refuses connections: their requests
 * get 503, which tells clients when to retry. Others are closed at once.
 */
export const MAX_SURPLUS = 64;

/** Maximum connections in the accept queue. The kernel may set a lower limit. */
const BACKLOG = 4096;

export class EdgeServer implements ConnectionHost {
  readonly application: Application;
  readonly limits: EdgeLimits;
  readonly base: SecureContext;
  readonly counters: ServerCounters;
  readonly http2Counters: Http2Counters;
  readonly onHandlerError: (error: unknown) => void;
  readonly http1: Http1;
  /** Memory held for the clients of this thread. */
  readonly memory: MemoryBudget;
  isDraining = false;
  readonly #connections: ConnectionLimits;
  readonly #load: { readonly refusesConnections: boolean } | undefined;
  readonly #servers: Server[] = [];
  readonly #open = new Set<Member>();
  /** Number of open connections with `isSurplus`. */
  #surplus = 0;
  /**
   * Connections whose version of HTTP is not known yet, by deadline. All have the same timeout, so
   * the insertion order is the deadline order.
   */
  readonly #unsettled = new Set<Member>();
  readonly #timer: NodeJS.Timeout;
  readonly #memoryReturn: MemoryReturn;
  readonly #memoryTimer: NodeJS.Timeout;
  /** Bytes held by clients at the last check. */
  #memoryHeld = 0;
  #onEmpty: (() => void) | null = null;
  readonly #tls: TlsLoop | null = null;
  /** Why node:tls is used although `native` was given; empty: it is not. */
  readonly nativeFailure: string = '';

  constructor(options: EdgeServerOptions) {
    this.application = options.application;
    this.limits = options.limits;
    this.base = options.base;
    this.counters = options.counters;
    this.http2Counters = options.http2Counters;
    this.onHandlerError = options.onHandlerError;
    this.#connections = options.connections;
    this.#load = options.load;
    this.memory = new MemoryBudget(options.limits.server.clientMemory);
    this.#memoryReturn = new MemoryReturn(this.memory, releaseMemory);
    this.#memoryTimer = sweepEvery(1000, () => this.#checkMemory());
    this.http1 = new Http1({
      memory: this.memory,
      handler: options.application.handler,
      limits: options.limits.http1,
      counters: options.http1Counters,
      onHandlerError: options.onHandlerError,
    });
    try {
      if (options.native !== undefined)
        this.#tls = new TlsLoop({ ...options.native, accept: (client) => this.#acceptNative(client) });
    } catch (error) {
      this.nativeFailure = (error as Error).message;
    }
    const { handshakeTimeout } = this.limits.server;
    this.#timer = sweepEvery(Math.min(1000, Math.max(20, handshakeTimeout / 4)), () => this.#expire());
  }

  setTickets(keys: TicketKeys): void {
    this.#tls?.setTickets(keys);
  }

  /** Resolves once it listens. Rejects if it cannot. */
  async listen(listener: Listener): Promise<void> {
    if (this.#tls === null || !listener.isTls) return this.#listenByNode(listener);
    this.#tls.listen(listener.fd ?? loadLibc().openTcp(listener, { sharesPort: false, ...EDGE_STREAM }));
  }

  #listenByNode({ isTls, fd, address, port, family }: Listener): Promise<void> {
    // Half-open: a client that has ended its side may still wait for a response. The connection
    // code handles the end. A socket from `fd` already has TCP_NODELAY and keep-alive, and accepted
    // connections inherit both.
    const own = fd === undefined ? { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE * 1000 } : {};
    const server = createServer({ allowHalfOpen: true, ...own }, (raw) => this.#accept(raw, isTls));
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      const options = fd === undefined ? { host: address, port, ipv6Only: family === 6 } : { fd };
      server.listen({ ...options, backlog: BACKLOG }, () => {
        server.off('error', reject);
        // Such as too many open files. Later connections may succeed.
        server.on('error', ignore);
        resolve();
      });
    });
  }

  /**
   * Stops accepting connections. Resolves when all have closed, at the latest after `drainTimeout`.
   * To be called once.
   */
  async drain(): Promise<void> {
    this.isDraining = true;
    for (const server of this.#servers) server.close();
    this.#tls?.stopListening();
    for (const connection of this.#open) connection.drain();
    void this.http1.drain();
    if (this.#open.size > 0) await this.#emptied();
    clearInterval(this.#timer);
    clearInterval(this.#memoryTimer);
    this.#tls?.close();
  }

  /** `serverName`: in lower case. An error of the application must not end the thread. */
  certificateFor(serverName: string): TlsCertificate | undefined {
    try {
      return this.application.certificateFor(serverName);
    } catch (error) {
      this.onHandlerError(error);
      return undefined;
    }
  }

  gateFor(serverName: string): ConnectionGate | null {
    try {
      return this.application.gateFor?.(serverName) ?? null;
    } catch (error) {
      this.onHandlerError(error);
      return null;
    }
  }

  reenter(bucket: number, client: CountedClient): number {
    // The server has accepted the connection.
    const entered = this.#enter(client, true);
    if (entered >= 0) this.#connections.leave(bucket);
    return entered;
  }

  isPressed(bucket: number): boolean {
    return this.#connections.isPressed(bucket);
  }

  settled(connection: Member): void {
    this.#unsettled.delete(connection);
  }

  closed(connection: Member, bucket: number): void {
    this.#unsettled.delete(connection);
    if (!this.#open.delete(connection)) return;
    if (connection.isSurplus) this.#surplus--;
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
    const isSurplus = this.#acceptsSurplus;
    const bucket = this.#enter(client, isSurplus);
    if (bucket < 0) {
      raw.destroy();
      return;
    }
    const connection = new Connection(this, raw, { client, bucket, deadline: this.#deadline(), isSurplus });
    this.#add(connection);
    counters.count(isTls ? 'accepted_tls' : 'accepted_clear');
    if (this.#sendsProxyHeader(client)) connection.startProxied(isTls);
    else if (isTls) connection.startTls();
    else connection.startClear();
  }

  #sendsProxyHeader(client: CountedClient): boolean {
    const { sendsProxyHeader } = this.application;
    return sendsProxyHeader?.(addressText(client)) === true;
  }

  #acceptNative(client: CountedClient): NativeConnection | null {
    const isSurplus = this.#acceptsSurplus;
    const bucket = this.#enter(client, isSurplus);
    if (bucket < 0) return null;
    const isProxy = this.#sendsProxyHeader(client);
    const connection = new NativeConnection(this, client, bucket, this.#deadline(), isProxy, isSurplus);
    this.#add(connection);
    this.counters.count('accepted_tls');
    return connection;
  }

  /** Whether the next connection is accepted for 503 alone. */
  get #acceptsSurplus(): boolean {
    return this.#load?.refusesConnections === true && this.#surplus < MAX_SURPLUS;
  }

  /** Returns the bucket of the client. Negative: a limit was reached. */
  #enter(client: CountedClient, ignoresLoad: boolean): number {
    if (!ignoresLoad && this.#load?.refusesConnections) {
      this.counters.limited('refused_overload', client);
      return FULL;
    }
    if (!this.memory.hasRoomFor(addressText(client))) {
      this.counters.limited('refused_memory', client);
      return CLIENT_FULL;
    }
    const bucket = this.#connections.enter(client);
    if (bucket === FULL) this.counters.limited('refused_total', client);
    else if (bucket === CLIENT_FULL) this.counters.limited('refused_address', client);
    return bucket;
  }

  #checkMemory(): void {
    const more = this.memory.held - this.#memoryHeld;
    this.#memoryHeld = this.memory.held;
    if (more > 0) this.counters.count('memory_charged', more);
    else this.counters.count('memory_released', -more);
    this.#memoryReturn.look();
  }

  #deadline(): number {
    return performance.now() + this.limits.server.handshakeTimeout;
  }

  #add(connection: Member): void {
    this.#open.add(connection);
    if (connection.isSurplus) this.#surplus++;
    this.#unsettled.add(connection);
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
