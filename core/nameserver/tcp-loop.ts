/**
 * The TCP loop of Linux (RFC 7766): epoll, connections as they come and go, and their time-outs; what is said on them is `tcp-exchange.ts`. Nothing here waits for a client:
 * who says nothing is cut when its time is over. Blocks its thread, as the UDP loop does; main is heard by an eventfd.
 */
import { Client, TRANSPORT } from '../address/client.ts';
import { type ConnectionLimits, FULL } from '../os/connection-limits.ts';
import { BROKEN, EPOLLIN, TcpCalls } from '../os/tcp-calls.ts';
import { COLUMN } from './counters.ts';
import { QUIET_MS } from './tcp-connection.ts';
import { type TcpAnswering, TcpExchange } from './tcp-exchange.ts';
import { Newcomers } from './tcp-newcomers.ts';
import { STATE, type TcpPeer } from './tcp-peer.ts';
import { SPECIAL, TcpPlaces, UNWATCHED, WAKE } from './tcp-places.ts';

/** Connections accepted in a turn. */
const ACCEPTS = 64;
/** Milliseconds in epoll_wait at most. What is to be seen sooner, a stop among it, wakes the thread; its event loop is to turn about once a second. */
const WAIT_MS = 500;
/** Milliseconds for which nothing is accepted when there is no descriptor. */
const REST_MS = 200;

export interface TcpLoopOptions extends TcpAnswering {
  /** Listening sockets that don't block, and their families. They outlive the loop. */
  readonly fds: readonly number[];
  readonly families: readonly (4 | 6)[];
  /** An eventfd that main writes after each message, or -1. */
  readonly wake: number;
  /** Descriptors, each + 1, or 0: those of connections by place, at the end epoll's. So main can close what a thread that died leaves. */
  readonly open: Int32Array;
  readonly connections: ConnectionLimits;
}

export class TcpLoop {
  readonly #options: TcpLoopOptions;
  readonly #calls = new TcpCalls();
  readonly #client = new Client();
  readonly #places: TcpPlaces;
  readonly #exchange: TcpExchange;
  readonly #newcomers: Newcomers;
  /** Listening sockets wait for a descriptor until then. */
  #acceptAt = 0;

  constructor(options: TcpLoopOptions, newcomers = new Newcomers()) {
    const { open, connections, counters, fds, wake } = options;
    this.#options = options;
    this.#newcomers = newcomers;
    this.#places = new TcpPlaces(open, connections, counters);
    this.#exchange = new TcpExchange(options, this.#calls, this.#places);
    this.#client.transport = TRANSPORT.TCP;
    open[open.length - 1] = this.#calls.epoll + 1;
    fds.forEach((fd, i) => {
      this.#calls.watch(fd, (SPECIAL | i) >>> 0, EPOLLIN);
    });
    if (wake >= 0) this.#calls.watch(wake, WAKE, EPOLLIN);
    HELD.push(this);
  }

  /** Serves until `stopping` says so. Connections stay open for the next call. */
  run(stopping: () => boolean): void {
    while (!stopping()) this.#turn();
  }

  /** Closes all connections. */
  close(): void {
    for (const peer of this.#places.peers) if (peer.state !== STATE.FREE) this.#exchange.drop(peer, false);
  }

  #turn(): void {
    const calls = this.#calls;
    const exchange = this.#exchange;
    const places = this.#places;
    const newcomers = this.#newcomers;
    const count = calls.wait(this.#waitMs());
    exchange.now = performance.now();
    for (let i = 0; i < count; i++) {
      const tag = calls.tag(i);
      if (tag === WAKE) {
        calls.clear(this.#options.wake);
        this.#options.deferred?.receive();
      } else if (tag >= SPECIAL) this.#accept(tag - SPECIAL);
      else {
        const peer = places.byTag(tag);
        if (peer !== null) exchange.event(peer, calls.ready(i));
      }
    }
    if (exchange.postponed.length > 0) {
      const { postponed } = exchange;
      exchange.postponed = [];
      for (const peer of postponed) if (peer.state === STATE.POSTPONED) exchange.resume(peer);
    }
    while (newcomers.due <= exchange.now) this.#lookAgain();
    this.#expire();
  }

  /** The connection that came first of those that epoll does not know: mostly it is closed by now. */
  #lookAgain(): void {
    const peer = this.#newcomers.shift();
    if (peer === null || peer.state !== STATE.READING || peer.events !== UNWATCHED) return;
    this.#exchange.read(peer);
    const isOpen = !isFree(peer);
    this.#newcomers.learn(!isOpen);
    if (isOpen && peer.events === UNWATCHED) this.#exchange.watch(peer, EPOLLIN);
  }

  #waitMs(): number {
    const { idle, slow, now, postponed } = this.#exchange;
    if (postponed.length > 0) return 0;
    let until = Math.min(now + WAIT_MS, this.#newcomers.due);
    if (idle.first !== null && idle.first.deadline < until) until = idle.first.deadline;
    if (slow.first !== null && slow.first.deadline < until) until = slow.first.deadline;
    if (this.#acceptAt > 0 && this.#acceptAt < until) until = this.#acceptAt;
    return Math.max(0, Math.ceil(until - performance.now()));
  }

  #expire(): void {
    const { counters, fds } = this.#options;
    const exchange = this.#exchange;
    const { idle, slow, now } = exchange;
    for (let peer = idle.first; peer !== null && peer.deadline <= now; peer = idle.first) {
      counters.count(COLUMN.tcpIdle);
      exchange.drop(peer, false);
    }
    for (let peer = slow.first; peer !== null && peer.deadline <= now; peer = slow.first) {
      counters.count(COLUMN.tcpSlow);
      exchange.drop(peer, peer.unsent !== null);
    }
    if (this.#acceptAt === 0 || this.#acceptAt > now) return;
    this.#acceptAt = 0;
    fds.forEach((fd, i) => {
      this.#calls.change(fd, (SPECIAL | i) >>> 0, EPOLLIN);
    });
  }

  #accept(listener: number): void {
    const calls = this.#calls;
    const client = this.#client;
    const { fds, families, connections, counters } = this.#options;
    const { peer: name } = calls;
    for (let n = 0; n < ACCEPTS; n++) {
      const fd = calls.accept(fds[listener]);
      if (fd === BROKEN) {
        if (this.#sweep() || this.#makeRoom()) continue;
        // No descriptor, and nobody who could give one up: what waits would be reported again and again.
        this.#acceptAt = this.#exchange.now + REST_MS;
        fds.forEach((one, i) => {
          calls.change(one, (SPECIAL | i) >>> 0, 0);
        });
      }
      if (fd < 0) return;
      if (families[listener] === 4) client.setAddress(name, 4, 4);
      else client.setAddress(name, 8, 16);
      client.port = (name[2] << 8) | name[3];
      let bucket = connections.enter(client);
      if (bucket < 0 && this.#sweep()) bucket = connections.enter(client);
      if (bucket === FULL && this.#makeRoom()) bucket = connections.enter(client);
      if (bucket < 0) {
        counters.count(bucket === FULL ? COLUMN.tcpRefused : COLUMN.tcpRefusedClient);
        calls.close(fd);
        continue;
      }
      this.#admit(fd, bucket, families[listener] === 6 ? 1 : 0);
    }
  }

  /** Looks at all that epoll does not know, before their time: those that have closed count no longer. False when none has. */
  #sweep(): boolean {
    const newcomers = this.#newcomers;
    const { connections } = this.#options;
    const before = connections.open;
    while (newcomers.due !== Number.POSITIVE_INFINITY) this.#lookAgain();
    return connections.open < before;
  }

  /**
   * Closes the connection that has waited longest for the rest of a query, or else for any, if that is a while (RFC 7766 6.2.3): so those who hold
   * connections and say nothing don't keep others out.
   */
  #makeRoom(): boolean {
    const exchange = this.#exchange;
    const { idle, slow } = exchange;
    const { counters } = this.#options;
    const since = exchange.now - QUIET_MS;
    if (slow.first !== null && slow.startOf(slow.first) <= since) {
      counters.count(COLUMN.tcpSlow);
      exchange.drop(slow.first, true);
      return true;
    }
    if (idle.first === null || idle.startOf(idle.first) > since) return false;
    counters.count(COLUMN.tcpIdle);
    exchange.drop(idle.first, false);
    return true;
  }

  /** Takes a connection of `client`. Mostly its first query is there already. */
  #admit(fd: number, bucket: number, family: number): void {
    const exchange = this.#exchange;
    const newcomers = this.#newcomers;
    const peer = this.#places.take(fd, bucket, family, this.#client);
    exchange.idle.put(peer, exchange.now);
    // Watched from when it has been read: epoll need not look at a query that is answered already.
    exchange.read(peer);
    if (isFree(peer) || peer.events !== UNWATCHED) return;
    if (peer.isAnswered && peer.rest === null && newcomers.takes()) newcomers.put(peer, exchange.now);
    else exchange.watch(peer, EPOLLIN);
  }
}

/** The kernel knows their buffers by address only. */
const HELD: unknown[] = [];

/** A function, since what was done with it in between may have closed it. */
function isFree(peer: TcpPeer): boolean {
  return peer.state === STATE.FREE;
}
