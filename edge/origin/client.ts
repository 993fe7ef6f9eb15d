/**
 * The origin client of a thread. It reuses connections (RFC 9112 section 9.3), and never follows
 * redirects: a 3xx is an ordinary response.
 */
import type { Exemptions } from '../../core/net/address/index.ts';
import { type Lookup, recursiveLookup } from '../../core/net/resolver/resolver.ts';
import { AddressBook } from './address-book.ts';
import { aborted, Call, newCounters, type OriginCounters } from './call.ts';
import type { Carrier, CreateMultiplexer } from './carrier.ts';
import { OriginClock } from './clock.ts';
import { DEFAULT_LIMITS, type OriginLimits } from './limits.ts';
import { openNodeSocket } from './node-socket.ts';
import {
  type Fetch,
  OriginError,
  type OriginRequest,
  type OriginResponse,
  type ResponseReceiver,
  type Send,
} from './origin.ts';
import { connectionKey, isHttp2, type Origin } from './origin-address.ts';
import { isNamedByVisitor, OriginPool, type PoolTools } from './pool.ts';
import { TotalShares } from './share-queue.ts';
import type { OpenSocket } from './sockets.ts';
import { OriginTls } from './tls.ts';

export interface OriginClientOptions {
  /** `address`, `address:port` or `[v6]:port`; empty: the resolvers of the system. */
  readonly resolvers?: readonly string[];
  /**
   * The operator's exemptions: permitted addresses although they are not public, or are our own.
   */
  readonly exemptions?: Exemptions;
  /** Our own addresses, of 4 or 16 bytes. Permitted only by exemption. */
  readonly own?: readonly Uint8Array[];
  /** PEM certificates of trusted authorities, in addition to the public ones. */
  readonly ca?: string;
  readonly limits?: Partial<OriginLimits>;
  /** Replaces the resolvers. */
  readonly lookup?: Lookup;
  /** Replaces the sockets of node. */
  readonly open?: OpenSocket;
  /** Enables HTTP/2 to origins. Omitted: requests to HTTP/2 origins fail. */
  readonly multiplex?: CreateMultiplexer;
}

export interface OriginClient {
  readonly fetch: Fetch;
  readonly send: Send;
  readonly counters: Readonly<OriginCounters>;
  /** Fails all pending requests with `aborted`, and closes all connections. */
  close(): Promise<void>;
}

export function createOriginClient(options: OriginClientOptions = {}): OriginClient {
  return new Client(options);
}

class Client implements OriginClient {
  readonly counters = newCounters();
  readonly #pools = new Map<string, OriginPool>();
  /**
   * The pool of an origin, valid while `#pools` contains it: avoids building a key for each
   * request. If the name for TLS is the visitor's host, it is the pool of the last host.
   */
  readonly #poolByOrigin = new WeakMap<Origin, OriginPool>();
  /** The HTTP/1.1 variant of an HTTP/2 origin. */
  readonly #tunnels = new WeakMap<Origin, Origin>();
  readonly #clock: OriginClock;
  readonly #tools: PoolTools;
  readonly #abort = new AbortController();
  #isClosed = false;
  #isAdmitDue = false;

  constructor(options: OriginClientOptions) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#clock = new OriginClock(
      Math.min(limits.headerTimeout, limits.idleTimeout, limits.keepAlive, limits.tlsTimeout),
      (now) => this.#tick(now),
    );
    this.#tools = {
      limits,
      clock: this.#clock,
      counters: this.counters,
      book: new AddressBook(options.lookup ?? recursiveLookup(options.resolvers ?? [], this.#abort.signal)),
      guard: { exemptions: options.exemptions ?? [], own: options.own ?? [] },
      tls: new OriginTls(options.ca),
      open: options.open ?? openNodeSocket,
      multiplex: options.multiplex ?? refuseHttp2,
      // An origin may hold fewer connections than are free. The fewer are free, the less one origin
      // may hold, so origins that hang leave some for the others.
      makeRoom: (held) => held < limits.totalConnections - this.counters.open || this.#closeOldest(),
      totalShares: new TotalShares(limits.totalConnections),
      onOver: () => this.#admitLater(),
      onEmpty: (pool) => this.#forget(pool),
    };
  }

  readonly fetch: Fetch = (request, signal) =>
    new Promise<OriginResponse>((resolve, reject) =>
      this.#start(request, signal, { onResponse: resolve, onFailure: reject }),
    );

  readonly send: Send = (request, receiver) => this.#start(request, undefined, receiver);

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#abort.abort();
    for (const pool of [...this.#pools.values()]) pool.close();
    this.#clock.stop();
  };

  #start(request: OriginRequest, signal: AbortSignal | undefined, receiver: ResponseReceiver): void {
    this.counters.requests++;
    if (this.#isClosed || signal?.aborted === true || request.cancel?.isCancelled === true) {
      this.counters.faults.aborted++;
      receiver.onFailure(aborted());
      return;
    }
    this.#poolOf(request).run(new Call(request, signal, receiver, this.counters));
  }

  #poolOf({ origin: requested, serverName, protocol }: OriginRequest): OriginPool {
    const origin = protocol === '' ? requested : this.#tunnelOrigin(requested);
    const last = this.#poolByOrigin.get(origin);
    if (last?.serves(serverName) === true && this.#pools.get(last.key) === last) return last;
    const key = isNamedByVisitor(origin) ? `${connectionKey(origin)} ${serverName}` : connectionKey(origin);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new OriginPool(key, origin, serverName, this.#tools);
      this.#pools.set(key, pool);
      this.#clock.start();
    }
    this.#poolByOrigin.set(origin, pool);
    return pool;
  }

  /** Tunnels always use HTTP/1.1, even to an HTTP/2 origin. */
  #tunnelOrigin(origin: Origin): Origin {
    if (!isHttp2(origin)) return origin;
    let other = this.#tunnels.get(origin);
    if (other === undefined) {
      other = { ...origin, version: '1.1' };
      this.#tunnels.set(origin, other);
    }
    return other;
  }

  #forget(pool: OriginPool): void {
    if (this.#pools.get(pool.key) !== pool) return;
    this.#pools.delete(pool.key);
    if (this.#pools.size === 0) this.#clock.stop();
  }

  #tick(now: number): void {
    for (const pool of this.#pools.values()) pool.tick(now);
  }

  /** A request that ends may release a share that a request in another pool waits for. */
  #admitLater(): void {
    if (this.#isAdmitDue) return;
    this.#isAdmitDue = true;
    setImmediate(() => {
      this.#isAdmitDue = false;
      for (const pool of this.#pools.values()) pool.admit();
    });
  }

  /** Closes the connection that has been idle for the longest time. False: all are in use. */
  #closeOldest(): boolean {
    let oldest: Carrier | undefined;
    for (const { oldestIdle } of this.#pools.values())
      if (oldestIdle !== undefined && !(oldest !== undefined && oldest.idleSince <= oldestIdle.idleSince))
        oldest = oldestIdle;
    oldest?.destroy();
    return oldest !== undefined;
  }
}

/** For clients without HTTP/2. */
const refuseHttp2: CreateMultiplexer = (owner) => ({
  attempt() {
    const attempt = {
      start: () =>
        owner.onAttemptFailed(attempt, new OriginError('refused', 'HTTP/2 to origins is not available here')),
      abort: () => {},
    };
    return attempt;
  },
  tick: () => {},
  close: () => {},
});
