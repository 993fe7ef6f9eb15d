/**
 * The HTTP/1.1 client of a thread: requests to origins over connections that are kept (RFC 9112
 * section 9.3). Redirects are never followed: a 3xx is a response like any other.
 */
import type { Exemptions } from '../../core/net/address/index.ts';
import { type Lookup, recursiveLookup } from '../../core/net/resolver/resolver.ts';
import { AddressBook } from './address-book.ts';
import { aborted, Call } from './call.ts';
import type { Carrier, CreateMultiplexer } from './carrier.ts';
import { OriginClock } from './clock.ts';
import { newCounters, type OriginCounters } from './counters.ts';
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
import { isNamedByVisitor, OriginPool, type PoolTools, SITE_WEIGHT } from './pool.ts';
import { Shares } from './shares.ts';
import type { OpenSocket } from './sockets.ts';
import { OriginTls } from './tls.ts';

export interface OriginClientOptions {
  /** `address`, `address:port` or `[v6]:port`; none: the system's. */
  readonly resolvers?: readonly string[];
  /** The operator's: addresses that may be connected to though they are not public, or our own. */
  readonly exemptions?: Exemptions;
  /** Our own addresses, of 4 or 16 bytes: never connected to but by exemption. */
  readonly own?: readonly Uint8Array[];
  /** Certificates in PEM that origins may be verified by, in addition to the usual ones. */
  readonly ca?: string;
  readonly limits?: Partial<OriginLimits>;
  /** In place of the resolvers. */
  readonly lookup?: Lookup;
  /** In place of node's sockets. */
  readonly open?: OpenSocket;
  /** Asks origins over HTTP/2. Omitted: they are refused. */
  readonly multiplex?: CreateMultiplexer;
}

export interface OriginClient {
  readonly fetch: Fetch;
  readonly send: Send;
  readonly counters: Readonly<OriginCounters>;
  /** Ends what is pending (`aborted`), and closes all connections. */
  close(): Promise<void>;
}

export function createOriginClient(options: OriginClientOptions = {}): OriginClient {
  return new Client(options);
}

class Client implements OriginClient {
  readonly counters = newCounters();
  readonly #pools = new Map<string, OriginPool>();
  /**
   * Of an origin its pool, as long as `#pools` has it: no key has to be put together for each
   * request. Where the visitor's host is the name for TLS, the pool of the last one.
   */
  readonly #known = new WeakMap<Origin, OriginPool>();
  /** Of an origin that is asked over HTTP/2, the same one over HTTP/1.1. */
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
      // None gets more than is left over for others: the fewer are free, the less one origin may
      // hold, and those that hang leave some for those that don't.
      makeRoom: (held) => held < limits.totalConnections - this.counters.open || this.#closeOldest(),
      shares: new Shares(limits.totalConnections),
      siteShares: new Shares(limits.totalConnections, SITE_WEIGHT),
      queued: 0,
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

  #poolOf({ origin: wanted, serverName, protocol }: OriginRequest): OriginPool {
    const origin = protocol === '' ? wanted : this.#tunnelled(wanted);
    const last = this.#known.get(origin);
    if (last?.serves(serverName) === true && this.#pools.get(last.key) === last) return last;
    const key = isNamedByVisitor(origin) ? `${connectionKey(origin)} ${serverName}` : connectionKey(origin);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new OriginPool(key, origin, serverName, this.#tools);
      this.#pools.set(key, pool);
      this.#clock.start();
    }
    this.#known.set(origin, pool);
    return pool;
  }

  /** Tunnels use HTTP/1.1, whatever the origin's other requests use. */
  #tunnelled(origin: Origin): Origin {
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

  /**
   * A request that is over may make room for one to another origin, at whose pool nothing has
   * happened.
   */
  #admitLater(): void {
    if (this.#isAdmitDue) return;
    this.#isAdmitDue = true;
    setImmediate(() => {
      this.#isAdmitDue = false;
      for (const pool of this.#pools.values()) pool.admit();
    });
  }

  /** False: all are in use. */
  #closeOldest(): boolean {
    let oldest: Carrier | undefined;
    for (const { oldestIdle } of this.#pools.values())
      if (oldestIdle !== undefined && !(oldest !== undefined && oldest.idleSince <= oldestIdle.idleSince))
        oldest = oldestIdle;
    oldest?.destroy();
    return oldest !== undefined;
  }
}

/** For clients that are not given HTTP/2. */
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
