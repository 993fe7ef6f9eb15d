/**
 * Connections to one origin, and the requests that wait for one. The connection used last is used
 * first, so that those that are not needed grow old and go.
 *
 *     run ─► the visitor's network has its share of the connections?
 *         ─► waits for its turn (core/base/fair-queue.ts)
 *         ─► an idle connection, or whichever is there first: one that is free again, or a new one
 */

import { isIP } from 'node:net';
import { FairLine, Line } from '../../core/base/fair-line.ts';
import { aborted, type Call, type CallHolder } from './call.ts';
import type { Attempt, Carrier, CreateMultiplexer, Multiplexer, MultiplexerOwner } from './carrier.ts';
import type { OriginClock } from './clock.ts';
import { OriginConnection } from './connection.ts';
import type { OriginCounters } from './counters.ts';
import { Dial, type DialOwner, type DialTools } from './dial.ts';
import type { OriginLimits } from './limits.ts';
import { OriginError } from './origin.ts';
import { isHttp2, type Origin } from './origin-address.ts';
import { OriginPlace } from './place.ts';
import { Shares } from './shares.ts';
import type { OriginSocket, SocketTls } from './sockets.ts';
import { type OriginTls, refusalOf } from './tls.ts';

/** What the pools of a client share. */
export interface PoolTools extends DialTools {
  readonly limits: OriginLimits;
  readonly clock: OriginClock;
  readonly counters: OriginCounters;
  readonly tls: OriginTls;
  /**
   * Whether an origin that has so many connections may open one more, room made by closing another
   * one if need be.
   */
  makeRoom(held: number): boolean;
  /** For origins that are asked over HTTP/2. */
  readonly multiplex: CreateMultiplexer;
  /** Pending requests to all origins, by network. */
  readonly shares: Shares;
  /** The same, by site. */
  readonly siteShares: Shares;
  /** Requests that wait for a share, to all origins. */
  queued: number;
  /** A request is over, for which those of other origins may have waited. */
  onOver(): void;
  /** Nothing is open, nobody waits. */
  onEmpty(pool: OriginPool): void;
}

/** A site may have so many times what is left over: alone seven eighths of the requests. */
export const SITE_WEIGHT = 7;

/** As many as an answer of the resolvers has (address-book.ts); the latest ones stay. */
const MOST_ADDRESSES = 16;

export class OriginPool implements MultiplexerOwner, DialOwner, CallHolder {
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[] | undefined;
  readonly limits: OriginLimits;
  /** Of the origin; another object when it has a new address. */
  identity: OriginPlace;
  readonly #origin: Origin;
  readonly #serverName: string;
  readonly #tools: PoolTools;
  readonly #idle: Carrier[] = [];
  readonly #connections = new Set<Carrier>();
  /** Requests that have a share, and no connection yet. */
  readonly #waiting = new Line<Call>();
  /** Requests that have no share yet. */
  readonly #queue = new FairLine<Call>();
  /** Requests in flight by site; the same, and those that wait for their turn, by network. */
  readonly #siteShares: Shares;
  readonly #shares: Shares;
  readonly #queued: Shares;
  /** Those that are being opened; a call that is sent once more has its own. */
  readonly #dials = new Map<Attempt, Call | null>();
  /** Of an origin that is asked over HTTP/2. */
  readonly #multiplexer: Multiplexer | null;

  /** `serverName`: the visitor's, by which the certificate is checked if the origin has no name. */
  constructor(key: string, origin: Origin, serverName: string, tools: PoolTools) {
    this.key = key;
    this.host = origin.host;
    this.port = origin.port;
    this.addresses = origin.addresses;
    this.limits = limitsOf(origin, tools.limits);
    this.#origin = origin;
    this.identity = new OriginPlace(origin);
    this.#serverName = serverName;
    this.#tools = tools;
    this.#siteShares = new Shares(tools.limits.connections, SITE_WEIGHT);
    this.#shares = new Shares(tools.limits.connections);
    this.#queued = new Shares(tools.limits.waiting);
    this.#multiplexer = isHttp2(origin) ? tools.multiplex(this, tools) : null;
  }

  /** Whether requests of visitors of this host use these connections. */
  serves(serverName: string): boolean {
    return serverName === this.#serverName || !isNamedByVisitor(this.#origin);
  }

  run(call: Call): void {
    const { client, site, yields = false } = call.request;
    const isFirst = this.#queue.size === 0 || !this.#queue.hasItemOf(ownerOf(client, site));
    const mayStart = isFirst && this.#mayStart(client, site);
    const waiting = this.#waiting.size + this.#queue.size;
    if (yields && (!mayStart || waiting > 0 || this.#isHalfInUse())) {
      call.fail(aborted());
      return;
    }
    const isFull = !(mayStart && this.#hasIdle()) && waiting >= this.#tools.limits.waiting;
    if (isFull || !(mayStart || this.#queued.hasRoom(client))) {
      call.fail(new OriginError('busy', `${waiting} requests wait for a connection to ${this.host}`));
      return;
    }
    if (mayStart) {
      this.#start(call);
      return;
    }
    this.#queued.take(client);
    this.#tools.queued++;
    this.#queue.put(call, ownerOf(client, site));
    this.#wait(call);
  }

  /** Lets those begin that wait for a share and may have one. */
  admit(): void {
    for (let call = this.#takeQueued(); call !== undefined; call = this.#takeQueued()) this.#start(call);
  }

  tls(): SocketTls | null {
    if (this.#origin.protocol === 'http') return null;
    const { tls } = this.#tools;
    return {
      options: tls.optionsFor(this.#origin, this.#serverName, this.key),
      refusalOf: refusalOf(this.#origin),
      remember: (session) => tls.remember(this.key, session),
    };
  }

  onIdle(connection: Carrier): void {
    this.#isOver(connection);
    const call = this.#takeWaiting();
    if (call === undefined) {
      this.#idle.push(connection);
      this.admit();
      return;
    }
    this.#tools.counters.reused++;
    // What is being opened for the call goes on: that it had to wait says that one more is needed.
    this.#send(connection, call);
    this.admit();
  }

  onClosed(connection: Carrier, again: Call | null): void {
    if (!this.#connections.delete(connection)) return;
    // What is sent once more keeps its share.
    if (again === null) this.#isOver(connection);
    else connection.carried = null;
    this.#tools.counters.open--;
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (again !== null) this.#retry(again);
    this.#open();
    this.admit();
    this.#forgetIfEmpty();
  }

  onDialled(dial: Dial, socket: OriginSocket): void {
    this.onConnected(socket.address, dial.resolved);
    const connection = new OriginConnection(socket, this, this.limits, this.#tools.clock);
    socket.start(connection);
    this.onCarrier(dial, connection);
  }

  onConnected(address: string, resolved: readonly string[]): void {
    this.#tools.counters.connections++;
    this.#tools.book.hasServed(this.host, address);
    this.#learn([address, ...resolved]);
  }

  onCarrier(attempt: Attempt, carrier: Carrier): void {
    const own = this.#dials.get(attempt) ?? null;
    this.#dials.delete(attempt);
    this.#connections.add(carrier);
    const call = own ?? this.#takeWaiting();
    if (call === undefined) carrier.rest();
    else this.#send(carrier, call);
  }

  /** Those before stay: connections to them may be open, and responses may still name them. */
  #learn(addresses: readonly string[]): void {
    const before = this.identity.addresses;
    if (addresses.every((address) => before.includes(address))) return;
    this.identity = new OriginPlace(this.#origin, [...new Set([...addresses, ...before])].slice(0, MOST_ADDRESSES));
  }

  onDialFailed(dial: Dial, error: OriginError): void {
    this.onAttemptFailed(dial, error);
  }

  onAttemptFailed(attempt: Attempt, error: OriginError): void {
    const own = this.#dials.get(attempt) ?? null;
    this.#dials.delete(attempt);
    this.#tools.counters.open--;
    if (error.fault === 'tls') this.#tools.tls.forget(this.key);
    const call = own ?? this.#takeWaiting();
    if (call !== undefined) this.#fail(call, error);
    this.#open();
    this.admit();
    this.#forgetIfEmpty();
  }

  /** A call that waits, or is to be sent once more, is not wanted any longer. */
  onCallCancelled(call: Call): void {
    if (this.#queue.remove(call)) {
      this.#leftQueue(call);
      call.fail(aborted());
    } else {
      this.#waiting.remove(call);
      for (const [dial, own] of this.#dials) if (own === call) this.#dropDial(dial);
      this.#dropDials();
      this.#fail(call, aborted());
      this.admit();
    }
    this.#forgetIfEmpty();
  }

  /** Ends what has waited for too long. `now`: of the clock. */
  tick(now: number): void {
    for (const connection of this.#connections) if (connection.deadline <= now) connection.expire();
    this.#multiplexer?.tick(now);
    for (let call = this.#waiting.first; call !== null && call.deadline <= now; call = this.#waiting.first) {
      this.#waiting.remove(call);
      this.#fail(call, this.#tooLate());
    }
    for (const call of this.#queue.takeWhile(({ deadline }) => deadline <= now)) {
      this.#leftQueue(call);
      call.fail(this.#tooLate());
    }
    this.admit();
    this.#forgetIfEmpty();
  }

  /** The one that has been idle for longest; undefined when none is. */
  get oldestIdle(): Carrier | undefined {
    return this.#idle[0];
  }

  /** Closes all; a waiting request learns that it was aborted. */
  close(): void {
    for (const call of this.#queue.clear()) {
      this.#leftQueue(call);
      call.fail(aborted());
    }
    for (let call = this.#waiting.first; call !== null; call = this.#waiting.first) this.onCallCancelled(call);
    for (const call of [...this.#dials.values()]) if (call !== null) this.onCallCancelled(call);
    for (const dial of this.#dials.keys()) this.#dropDial(dial);
    for (const connection of [...this.#connections]) connection.abort();
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

  /** Of all connections that there may be. */
  #isHalfInUse(): boolean {
    return (this.#held() - this.#idle.length) * 2 >= this.#tools.limits.connections;
  }

  #mayStart(network: string | undefined, site: string | undefined): boolean {
    if (site !== undefined && !(this.#siteShares.hasRoom(site) && this.#tools.siteShares.hasRoom(site))) return false;
    // Of all origins together it is each network's share alone that counts: what one origin may
    // have is for `makeRoom` to say.
    return this.#shares.hasRoom(network) && (network === undefined || this.#tools.shares.hasRoom(network));
  }

  /** Gives a call its share, and a connection, or one as soon as there is one. */
  #start(call: Call): void {
    // Not before: those that wait in a queue, or are refused, need no head.
    if (this.#multiplexer === null && !call.prepare()) return;
    const { client, site } = call.request;
    this.#shares.take(client);
    if (site !== undefined) {
      this.#siteShares.take(site);
      this.#tools.siteShares.take(site);
    }
    if (client !== undefined) this.#tools.shares.take(client);
    const connection = this.#takeIdle();
    if (connection !== undefined) {
      this.#tools.counters.reused++;
      this.#send(connection, call);
      return;
    }
    this.#wait(call);
    this.#waiting.put(call);
    this.#open();
  }

  #send(connection: Carrier, call: Call): void {
    connection.carried = call;
    connection.send(call);
  }

  /** A connection has done what it carried, if it carried anything. */
  #isOver(connection: Carrier): void {
    const call = connection.carried;
    if (call === null) return;
    connection.carried = null;
    this.#giveBack(call);
  }

  /** Fails a call that has a share, and is not sent. */
  #fail(call: Call, error: OriginError): void {
    this.#giveBack(call);
    call.fail(error);
  }

  #giveBack({ request: { client, site } }: Call): void {
    this.#shares.giveBack(client);
    if (site !== undefined) {
      this.#siteShares.giveBack(site);
      this.#tools.siteShares.giveBack(site);
    }
    if (client !== undefined) this.#tools.shares.giveBack(client);
    if (this.#tools.queued > 0) this.#tools.onOver();
  }

  #takeQueued(): Call | undefined {
    if (this.#queue.size === 0) return undefined;
    const call = this.#queue.take((owner) => this.#mayStart(...partsOf(owner)));
    if (call !== undefined) this.#leftQueue(call);
    return call;
  }

  #leftQueue(call: Call): void {
    this.#queued.giveBack(call.request.client);
    this.#tools.queued--;
  }

  // Connections.

  /** Those that have closed meanwhile are dropped. */
  #hasIdle(): boolean {
    for (let last = this.#idle.at(-1); last !== undefined; last = this.#idle.at(-1)) {
      if (last.isOpen) return true;
      this.#idle.pop();
      last.destroy();
    }
    return false;
  }

  #takeIdle(): Carrier | undefined {
    return this.#hasIdle() ? this.#idle.pop() : undefined;
  }

  /**
   * With no connection at all it is not that others have them: none came about, which the dial
   * itself may find out a moment later.
   */
  #tooLate(): OriginError {
    return this.#connections.size === 0
      ? new OriginError('connect-timeout', `no connection to ${this.host} was established in time`)
      : new OriginError('busy', `no connection to ${this.host} was free in time`);
  }

  #wait(call: Call): void {
    call.holder = this;
    const most = Math.max(this.limits.tlsTimeout, this.#tools.limits.tlsTimeout);
    call.deadline = this.#tools.clock.after(Math.min(most, call.request.deadlineMs ?? most));
  }

  #takeWaiting(): Call | undefined {
    return this.#waiting.take() ?? undefined;
  }

  /** As many as are waited for, within the bounds. */
  #open(): void {
    const { limits } = this.#tools;
    while (this.#dials.size < this.#waiting.size && this.#held() < limits.connections) {
      if (!this.#tools.makeRoom(this.#held())) break;
      this.#dial(null);
    }
    // Nobody will be there for those that wait.
    if (this.#held() > 0) return;
    for (let call = this.#takeWaiting(); call !== undefined; call = this.#takeWaiting())
      this.#fail(call, new OriginError('busy', 'too many connections to origins'));
  }

  #dial(call: Call | null): void {
    const dial = this.#multiplexer?.attempt() ?? new Dial(this, this.#tools, this);
    this.#dials.set(dial, call);
    this.#tools.counters.open++;
    dial.start();
  }

  /** Open, and being opened. */
  #held(): number {
    return this.#connections.size + this.#dials.size;
  }

  /** Those that nobody waits for any more, the latest first: it is furthest from its end. */
  #dropDials(): void {
    const shared = [...this.#dials].filter(([, own]) => own === null);
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

/** Networks of a site take turns. */
const ownerOf = (network = '', site = ''): string => `${network} ${site}`;

function partsOf(owner: string): [network: string | undefined, site: string | undefined] {
  const [network, site] = owner.split(' ');
  return [network === '' ? undefined : network, site === '' ? undefined : site];
}

/** An origin with a name is asked for by that name, whatever the visitor's host is. */
export const isNamedByVisitor = ({ protocol, host, serverName }: Origin): boolean =>
  protocol === 'https' && serverName === undefined && isIP(host) !== 0;

/** Those of the client, with the deadlines that the origin sets itself. */
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
