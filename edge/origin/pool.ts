/**
 * The connection pool of one origin, and its queue of requests. The most recently used idle
 * connection is reused first, so surplus connections reach their idle timeout.
 *
 *     run ─► does the visitor's network have a share of the connections left?
 *         ─► otherwise: queued, by turns (core/base/fair-queue.ts)
 *         ─► an idle connection; without one, the first connection that is released or opened
 */

import { isIP } from 'node:net';
import { Line } from '../../core/base/fair-queue.ts';
import { parseAddress } from '../../core/net/address/index.ts';
import { proxyHeader } from '../http/transport/proxy-protocol.ts';
import { aborted, type Call, type CallHolder, type OriginCounters } from './call.ts';
import type { Attempt, Carrier, CreateMultiplexer, Multiplexer, MultiplexerOwner } from './carrier.ts';
import type { OriginClock } from './clock.ts';
import { OriginConnection } from './connection.ts';
import { Dial, type DialOwner, type DialTools } from './dial.ts';
import type { OriginLimits } from './limits.ts';
import { OriginError } from './origin.ts';
import { isHttp2, type Origin } from './origin-address.ts';
import { IDEMPOTENT, SafeIdle } from './retry.ts';
import { gaveWay, ShareQueue, type TotalShares } from './share-queue.ts';
import type { OriginSocket, SocketTls } from './sockets.ts';
import { OriginPlace } from './spellings.ts';
import { type OriginTls, refusalOf } from './tls.ts';

/** Shared by all pools of a client. */
export interface PoolTools extends DialTools {
  readonly limits: OriginLimits;
  readonly clock: OriginClock;
  readonly counters: OriginCounters;
  readonly tls: OriginTls;
  /**
   * Whether an origin with `held` connections may open another. Closes an idle connection of any
   * origin if that is necessary.
   */
  makeRoom(held: number): boolean;
  /** Creates the multiplexer of an HTTP/2 origin. */
  readonly multiplex: CreateMultiplexer;
  readonly totalShares: TotalShares;
  /** A request has ended. Queued requests to other origins may start now. */
  onOver(): void;
  /** The pool has no connections and no requests. */
  onEmpty(pool: OriginPool): void;
}

/** Maximum addresses in `identity`, as in address-book.ts. The latest addresses are kept. */
const MOST_ADDRESSES = 16;

export class OriginPool implements MultiplexerOwner, DialOwner, CallHolder {
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[] | undefined;
  readonly limits: OriginLimits;
  /** Names and addresses of the origin. Replaced by a new object when an address is added. */
  identity: OriginPlace;
  readonly #origin: Origin;
  readonly #serverName: string;
  /** Each request has a connection of its own, which states its visitor. */
  readonly #isPersonal: boolean;
  readonly #tools: PoolTools;
  readonly #idle: Carrier[] = [];
  readonly #safeIdle = new SafeIdle();
  readonly #connections = new Set<Carrier>();
  /** Requests that have a share and wait for a connection. */
  readonly #waiting = new Line<Call>();
  /** Requests that wait for a share. */
  readonly #queue: ShareQueue;
  /**
   * Connections being opened. The value is the call that the connection is for: a retried one, or
   * any of `#isPersonal`; or null.
   */
  readonly #dials = new Map<Attempt, Call | null>();
  /** Null for HTTP/1.1. */
  readonly #multiplexer: Multiplexer | null;

  /**
   * `serverName`: the visitor's host. The certificate is verified for it if the origin has no name.
   */
  constructor(key: string, origin: Origin, serverName: string, tools: PoolTools) {
    this.key = key;
    this.host = origin.host;
    this.port = origin.port;
    this.addresses = origin.addresses;
    this.limits = limitsOf(origin, tools.limits);
    this.#origin = origin;
    this.identity = new OriginPlace(origin);
    this.#serverName = serverName;
    this.#isPersonal = origin.proxyProtocol !== undefined;
    this.#tools = tools;
    this.#queue = new ShareQueue(tools.limits.connections, tools.limits.waiting, tools.totalShares);
    this.#multiplexer = isHttp2(origin) ? tools.multiplex(this, tools) : null;
  }

  /** Whether requests for this host may use these connections. */
  serves(serverName: string): boolean {
    return serverName === this.#serverName || !isNamedByVisitor(this.#origin);
  }

  run(call: Call): void {
    const { yields = false } = call.request;
    const mayStart = this.#queue.mayStart(call);
    const waiting = this.#waiting.size + this.#queue.size;
    if (yields && (!mayStart || waiting > 0 || this.#isHalfInUse())) {
      call.fail(aborted());
      return;
    }
    const isFull = !(mayStart && this.#hasIdle()) && waiting >= this.#tools.limits.waiting;
    if (isFull || !(mayStart || this.#queue.hasRoom(call))) {
      call.fail(new OriginError('busy', `${waiting} requests wait for a connection to ${this.host}`));
      return;
    }
    if (mayStart) {
      this.#start(call);
      return;
    }
    this.#queue.put(call);
    this.#wait(call);
  }

  /** Starts queued requests whose network and site have a share left. */
  admit(): void {
    for (let call = this.#queue.next(); call !== undefined; call = this.#queue.next()) this.#start(call);
  }

  tls(preface: Uint8Array | null): SocketTls | null {
    if (this.#origin.protocol === 'http') return null;
    const { tls } = this.#tools;
    return {
      options: tls.optionsFor(this.#origin, this.#serverName, this.key),
      preface,
      refusalOf: refusalOf(this.#origin),
      remember: (session) => tls.remember(this.key, session),
    };
  }

  onIdle(connection: Carrier): void {
    this.#releaseCarried(connection);
    const call = this.#takeWaiting();
    if (call === undefined) {
      this.#idle.push(connection);
      this.admit();
      return;
    }
    this.#tools.counters.reused++;
    // The dial that was started for this call continues: the wait showed that the pool is too
    // small.
    this.#send(connection, call);
    this.admit();
  }

  onClosed(connection: Carrier, retried: Call | null): void {
    if (!this.#connections.delete(connection)) return;
    // A retried call keeps its share.
    if (retried === null) this.#releaseCarried(connection);
    else connection.carried = null;
    this.#tools.counters.open--;
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (retried !== null) this.#retry(retried);
    this.#openConnections();
    this.admit();
    this.#forgetIfEmpty();
  }

  onDialled(dial: Dial, socket: OriginSocket): void {
    this.onConnected(socket.address, dial.resolved);
    const connection = new OriginConnection(socket, this, this.limits, this.#tools.clock, this.#safeIdle);
    socket.start(connection);
    this.onCarrier(dial, connection);
  }

  onConnected(address: string, resolved: readonly string[]): void {
    this.#tools.counters.connections++;
    this.#tools.book.hasServed(this.host, address);
    this.#learn([address, ...resolved]);
  }

  onCarrier(attempt: Attempt, carrier: Carrier): void {
    const ownCall = this.#dials.get(attempt) ?? null;
    this.#dials.delete(attempt);
    this.#connections.add(carrier);
    const call = ownCall ?? this.#takeWaiting();
    if (call === undefined) carrier.rest();
    else this.#send(carrier, call);
  }

  /**
   * Keeps earlier addresses: open connections may use them, and responses may still contain them.
   */
  #learn(addresses: readonly string[]): void {
    const before = this.identity.addresses;
    if (addresses.every((address) => before.includes(address))) return;
    this.identity = new OriginPlace(this.#origin, [...new Set([...addresses, ...before])].slice(0, MOST_ADDRESSES));
  }

  onDialFailed(dial: Dial, error: OriginError): void {
    this.onAttemptFailed(dial, error);
  }

  onAttemptFailed(attempt: Attempt, error: OriginError): void {
    const ownCall = this.#dials.get(attempt) ?? null;
    this.#dials.delete(attempt);
    this.#tools.counters.open--;
    if (error.fault === 'tls') this.#tools.tls.forget(this.key);
    const call = ownCall ?? this.#takeWaiting();
    if (call !== undefined) this.#fail(call, error);
    this.#openConnections();
    this.admit();
    this.#forgetIfEmpty();
  }

  /** From a call that is queued, waits for a connection, or is being retried. */
  onCallCancelled(call: Call): void {
    if (this.#queue.remove(call)) call.fail(aborted());
    else {
      this.#waiting.remove(call);
      for (const [dial, ownCall] of this.#dials) if (ownCall === call) this.#dropDial(dial);
      this.#dropDials();
      this.#fail(call, aborted());
      this.admit();
    }
    this.#forgetIfEmpty();
  }

  /** Expires connections and requests whose deadline has passed. `now`: of the clock. */
  tick(now: number): void {
    for (const connection of this.#connections) if (connection.deadline <= now) connection.expire();
    this.#multiplexer?.tick(now);
    for (let call = this.#waiting.first; call !== null && call.deadline <= now; call = this.#waiting.first) {
      this.#waiting.remove(call);
      this.#fail(call, this.#timeoutError());
    }
    this.#queue.yieldPlaces(this.#connections, now, this.#replace);
    for (const call of this.#queue.expired(now)) call.fail(this.#timeoutError());
    this.admit();
    this.#forgetIfEmpty();
  }

  /** The connection that has been idle for the longest time; undefined: none is idle. */
  get oldestIdle(): Carrier | undefined {
    return this.#idle[0];
  }

  /** Closes all connections. All requests fail with `aborted`. */
  close(): void {
    for (const call of this.#queue.expired(Number.POSITIVE_INFINITY)) call.fail(aborted());
    for (let call = this.#waiting.first; call !== null; call = this.#waiting.first) this.onCallCancelled(call);
    for (const call of [...this.#dials.values()]) if (call !== null) this.onCallCancelled(call);
    for (const dial of this.#dials.keys()) this.#dropDial(dial);
    for (const connection of [...this.#connections]) connection.abort(aborted());
    this.#multiplexer?.close();
  }

  #retry(call: Call): void {
    call.retries++;
    this.#tools.counters.retries++;
    call.holder = this;
    if (this.#tools.makeRoom(this.#held())) this.#dial(call);
    else this.#fail(call, new OriginError('busy', 'too many connections to origins'));
  }

  // Shares.

  /** Whether at least half of the maximum number of connections is in use. */
  /** Requests wait for connections, or half of them are in use. */
  get isPressed(): boolean {
    return this.#waiting.size + this.#queue.size > 0 || this.#isHalfInUse();
  }

  #isHalfInUse(): boolean {
    return (this.#held() - this.#idle.length) * 2 >= this.#tools.limits.connections;
  }

  /** Ends the request of a carrier, in whose place another one starts. */
  readonly #replace = (carrier: Carrier, call: Call): void => {
    if (!this.#takeShares(call)) return;
    carrier.abort(gaveWay());
    this.#connect(call);
  };

  #start(call: Call): void {
    if (this.#takeShares(call)) this.#connect(call);
  }

  /** False: the request cannot be sent, and the call has failed. */
  #takeShares(call: Call): boolean {
    // Built only now: a queued or rejected request needs no head.
    if (this.#multiplexer === null && !call.prepare()) return false;
    this.#queue.take(call);
    return true;
  }

  /** Sends a call that has its shares, or lets it wait for a connection. */
  #connect(call: Call): void {
    const connection = this.#takeIdle(call.request.method);
    if (connection !== undefined) {
      this.#tools.counters.reused++;
      this.#send(connection, call);
      return;
    }
    this.#wait(call);
    this.#waiting.put(call);
    // It may have been idle for too long; when it is closed, another is opened.
    if (this.#held() >= this.#tools.limits.connections) this.#idle[0]?.destroy();
    else this.#openConnections();
  }

  #send(connection: Carrier, call: Call): void {
    connection.carried = call;
    call.sentAt = this.#tools.clock.now;
    connection.send(call);
  }

  /** Returns the shares of the call that the connection carried, if any. */
  #releaseCarried(connection: Carrier): void {
    const call = connection.carried;
    if (call === null) return;
    connection.carried = null;
    this.#releaseShares(call);
  }

  /** Fails a call that has a share but was not sent. */
  #fail(call: Call, error: OriginError): void {
    this.#releaseShares(call);
    call.fail(error);
  }

  #releaseShares(call: Call): void {
    this.#queue.release(call);
    if (this.#tools.totalShares.queued > 0) this.#tools.onOver();
  }

  // Connections.

  /** Whether an idle connection is open. Destroys idle connections that have closed. */
  #hasIdle(): boolean {
    for (let last = this.#idle.at(-1); last !== undefined; last = this.#idle.at(-1)) {
      if (last.isOpen) return true;
      this.#idle.pop();
      last.destroy();
    }
    return false;
  }

  /**
   * A request of a method that is not idempotent must not race with the origin's close of an idle
   * connection. Over HTTP/2, a GOAWAY frame tells which requests the origin has not processed.
   */
  #takeIdle(method: string): Carrier | undefined {
    if (this.#isPersonal || !this.#hasIdle()) return undefined;
    if (this.#multiplexer === null && !IDEMPOTENT.has(method)) {
      const idle = performance.now() - this.#idle.at(-1)!.idleSince;
      if (!this.#safeIdle.allows(idle)) return undefined;
    }
    return this.#idle.pop();
  }

  /**
   * Without any connection, the cause is a failed connection attempt and not a busy pool. The dial
   * may report it a moment later.
   */
  #timeoutError(): OriginError {
    return this.#connections.size === 0
      ? new OriginError('connect-timeout', `no connection to ${this.host} was established in time`)
      : new OriginError('busy', `no connection to ${this.host} was free in time`);
  }

  #wait(call: Call): void {
    call.holder = this;
    const timeout = Math.max(this.limits.tlsTimeout, this.#tools.limits.tlsTimeout);
    call.deadline = this.#tools.clock.after(Math.min(timeout, call.request.deadlineMs ?? timeout));
  }

  #takeWaiting(): Call | undefined {
    return this.#waiting.take() ?? undefined;
  }

  /** Opens one connection for each waiting request, within the limits. */
  #openConnections(): void {
    const { limits } = this.#tools;
    const isPersonal = this.#isPersonal;
    while (this.#waiting.size > (isPersonal ? 0 : this.#dials.size) && this.#held() < limits.connections) {
      if (!this.#tools.makeRoom(this.#held())) break;
      this.#dial(isPersonal ? this.#waiting.take() : null);
    }
    // Without any connection or dial, waiting requests would never be served.
    if (this.#held() > 0) return;
    for (let call = this.#takeWaiting(); call !== undefined; call = this.#takeWaiting())
      this.#fail(call, new OriginError('busy', 'too many connections to origins'));
  }

  #dial(call: Call | null): void {
    const dial = this.#multiplexer?.attempt() ?? new Dial(this, this.#tools, this, this.#prefaceOf(call));
    this.#dials.set(dial, call);
    this.#tools.counters.open++;
    dial.start();
  }

  /** The header of the PROXY protocol on the connection for `call`. */
  #prefaceOf(call: Call | null): ((address: string) => Uint8Array) | null {
    const { proxyProtocol } = this.#origin;
    if (proxyProtocol === undefined) return null;
    const source = call?.request.source ?? null;
    return (text) => proxyHeader(proxyProtocol, source, { address: parseAddress(text)!, port: this.port });
  }

  /** Connections that are open or being opened. */
  #held(): number {
    return this.#connections.size + this.#dials.size;
  }

  /** Aborts surplus dials. The latest are aborted first: they are furthest from completion. */
  #dropDials(): void {
    const shared = [...this.#dials].filter(([, ownCall]) => ownCall === null);
    for (const [dial] of shared.slice(this.#waiting.size)) this.#dropDial(dial);
  }

  #dropDial(dial: Attempt): void {
    this.#dials.delete(dial);
    this.#tools.counters.open--;
    dial.abort();
  }

  #forgetIfEmpty(): void {
    if (this.#held() + this.#waiting.size + this.#queue.size === 0) this.#tools.onEmpty(this);
  }
}

/** Whether SNI and verification use the visitor's host: the origin is an address without a name. */
export const isNamedByVisitor = ({ protocol, host, serverName }: Origin): boolean =>
  protocol === 'https' && serverName === undefined && isIP(host) !== 0;

/** The limits of the client, with the timeouts that the origin overrides. */
function limitsOf(
  { connectTimeoutMs: connect, responseTimeoutMs: response }: Origin,
  limits: OriginLimits,
): OriginLimits {
  if (connect === undefined && response === undefined) return limits;
  return {
    ...limits,
    ...(connect === undefined ? {} : { connectTimeout: connect, tlsTimeout: connect }),
    ...(response === undefined ? {} : { headerTimeout: response }),
  };
}
