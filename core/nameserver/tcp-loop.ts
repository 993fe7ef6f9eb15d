/**
 * The TCP loop for Linux (RFC 7766): epoll, accepting and closing connections, timeouts. The
 * messages are handled by `tcp-exchange.ts`.
 *
 * The loop never waits for a single client; an idle client is closed when its timeout expires. The
 * loop blocks its thread, as the UDP loop does. The main thread wakes it through an eventfd.
 */
import { Client, TRANSPORT } from '../net/address/client.ts';
import { type ConnectionLimits, FULL } from '../os/connection-limits.ts';
import { BROKEN, EPOLLIN, TcpCalls } from '../os/tcp-calls.ts';
import { COLUMN } from './counters.ts';
import type { PrefixList } from './rate-limit-prefixes.ts';
import { QUIET_MS } from './tcp-connection.ts';
import { TcpExchange, type TcpExchangeOptions } from './tcp-exchange.ts';
import { Newcomers } from './tcp-newcomers.ts';
import { STATE, type TcpPeer } from './tcp-peer.ts';
import { SPECIAL, TcpSlots, UNWATCHED, WAKE } from './tcp-slots.ts';

/** Connections accepted in one turn. */
const MAX_ACCEPTS = 64;
/**
 * Longest wait in epoll_wait, in milliseconds. Urgent work, such as a stop, wakes the thread. The
 * thread's event loop should run about once a second.
 */
const WAIT_MS = 500;
/** Milliseconds without accepting after the process has run out of descriptors. */
const ACCEPT_PAUSE_MS = 200;

interface TcpLoopOptions extends TcpExchangeOptions {
  /** Nonblocking listening sockets, and their families. They outlive the loop. */
  readonly fds: readonly number[];
  readonly families: readonly (4 | 6)[];
  /** An eventfd that the main thread writes after each message, or -1. */
  readonly wake: number;
  /**
   * Open descriptors, each + 1, or 0: the connections by slot, and at the end the descriptor of
   * epoll. The main thread closes them after the thread has died.
   */
  readonly openFds: Int32Array;
  readonly connections: ConnectionLimits;
  /** Clients whose connections begin with a header of the PROXY protocol. Null: there are none. */
  readonly proxies: PrefixList | null;
}

export class TcpLoop {
  readonly #options: TcpLoopOptions;
  readonly #calls = new TcpCalls();
  readonly #client = new Client();
  readonly #slots: TcpSlots;
  readonly #exchange: TcpExchange;
  readonly #newcomers: Newcomers;
  /** Time at which accepting resumes after a lack of descriptors, or 0. */
  #acceptPausedUntil = 0;

  constructor(options: TcpLoopOptions, newcomers = new Newcomers()) {
    const { openFds, connections, handler, fds, wake } = options;
    this.#options = options;
    this.#newcomers = newcomers;
    this.#slots = new TcpSlots(openFds, connections, handler.counters);
    this.#exchange = new TcpExchange(options, this.#calls, this.#slots);
    this.#client.transport = TRANSPORT.TCP;
    openFds[openFds.length - 1] = this.#calls.epoll + 1;
    fds.forEach((fd, i) => {
      this.#calls.watch(fd, (SPECIAL | i) >>> 0, EPOLLIN);
    });
    if (wake >= 0) this.#calls.watch(wake, WAKE, EPOLLIN);
    HELD.push(this);
  }

  /** Serves until `stopping` returns true. Connections stay open for the next call. */
  run(stopping: () => boolean): void {
    while (!stopping()) this.#turn();
  }

  /** Closes all connections. */
  close(): void {
    for (const peer of this.#slots.peers) if (peer.state !== STATE.FREE) this.#exchange.drop(peer, false);
  }

  #turn(): void {
    const calls = this.#calls;
    const exchange = this.#exchange;
    const slots = this.#slots;
    const newcomers = this.#newcomers;
    const count = calls.wait(this.#waitMs());
    exchange.now = performance.now();
    for (let i = 0; i < count; i++) {
      const tag = calls.tag(i);
      if (tag === WAKE) {
        calls.clear(this.#options.wake);
        this.#options.handler.deferred?.receive();
      } else if (tag >= SPECIAL) this.#accept(tag - SPECIAL);
      else {
        const peer = slots.byTag(tag);
        if (peer !== null) exchange.handleEvent(peer, calls.ready(i));
      }
    }
    if (exchange.postponed.length > 0) {
      const { postponed } = exchange;
      exchange.postponed = [];
      for (const peer of postponed) if (peer.state === STATE.POSTPONED) exchange.resume(peer);
    }
    while (newcomers.nextDue <= exchange.now) this.#readNewcomer();
    this.#expire();
  }

  /**
   * Reads the oldest connection that is not registered with epoll. Usually the client has closed
   * it.
   */
  #readNewcomer(): void {
    const peer = this.#newcomers.shift();
    if (peer === null || peer.state !== STATE.READING || peer.events !== UNWATCHED) return;
    this.#exchange.read(peer);
    const isOpen = !isFree(peer);
    this.#newcomers.recordOutcome(!isOpen);
    if (isOpen && peer.events === UNWATCHED) this.#exchange.watch(peer, EPOLLIN);
  }

  #waitMs(): number {
    const { idle, slow, now, postponed } = this.#exchange;
    if (postponed.length > 0) return 0;
    let until = Math.min(now + WAIT_MS, this.#newcomers.nextDue);
    if (idle.first !== null && idle.first.deadline < until) until = idle.first.deadline;
    if (slow.first !== null && slow.first.deadline < until) until = slow.first.deadline;
    if (this.#acceptPausedUntil > 0 && this.#acceptPausedUntil < until) until = this.#acceptPausedUntil;
    return Math.max(0, Math.ceil(until - performance.now()));
  }

  #expire(): void {
    const { fds } = this.#options;
    const { counters } = this.#options.handler;
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
    if (this.#acceptPausedUntil === 0 || this.#acceptPausedUntil > now) return;
    this.#acceptPausedUntil = 0;
    fds.forEach((fd, i) => {
      this.#calls.change(fd, (SPECIAL | i) >>> 0, EPOLLIN);
    });
  }

  #accept(listener: number): void {
    const calls = this.#calls;
    const client = this.#client;
    const { fds, families, connections, handler } = this.#options;
    const { peer: name } = calls;
    for (let n = 0; n < MAX_ACCEPTS; n++) {
      const fd = calls.accept(fds[listener]);
      if (fd === BROKEN) {
        if (this.#readAllNewcomers() || this.#makeRoom(0)) continue;
        // No descriptor is free and no connection can be closed. epoll would report the pending
        // connections continuously, so accepting pauses.
        this.#acceptPausedUntil = this.#exchange.now + ACCEPT_PAUSE_MS;
        fds.forEach((listenerFd, i) => {
          calls.change(listenerFd, (SPECIAL | i) >>> 0, 0);
        });
      }
      if (fd < 0) return;
      if (families[listener] === 4) client.setAddress(name, 4, 4);
      else client.setAddress(name, 8, 16);
      client.port = (name[2] << 8) | name[3];
      let bucket = connections.enter(client);
      if (bucket < 0 && this.#readAllNewcomers()) bucket = connections.enter(client);
      if (bucket === FULL && this.#makeRoom(connections.heldBy(client))) bucket = connections.enter(client);
      if (bucket < 0) {
        handler.counters.count(bucket === FULL ? COLUMN.tcpRefused : COLUMN.tcpRefusedClient);
        calls.close(fd);
        continue;
      }
      this.#admit(fd, bucket);
    }
  }

  /**
   * Checks all newcomers before their time, to free the slots of closed connections. Returns false
   * if none was closed.
   */
  #readAllNewcomers(): boolean {
    const newcomers = this.#newcomers;
    const { connections } = this.#options;
    const before = connections.open;
    while (newcomers.nextDue !== Number.POSITIVE_INFINITY) this.#readNewcomer();
    return connections.open < before;
  }

  /**
   * Closes a connection that waits for its client (RFC 7766 6.2.3, RFC 9210 4.2) for a newcomer
   * whose client has `held`: see TcpSlots. So neither silent nor busy clients block others.
   */
  #makeRoom(held: number): boolean {
    const exchange = this.#exchange;
    const peer = this.#slots.findLeastUseful(held, exchange.now - QUIET_MS);
    if (peer === null) return false;
    const isSlow = peer.queue === exchange.slow;
    this.#options.handler.counters.count(isSlow ? COLUMN.tcpSlow : COLUMN.tcpIdle);
    exchange.drop(peer, isSlow);
    return true;
  }

  /** Admits a connection of the current client. Usually its first query has already arrived. */
  #admit(fd: number, bucket: number): void {
    const exchange = this.#exchange;
    const newcomers = this.#newcomers;
    const peer = this.#slots.allocate(fd, bucket, this.#client);
    peer.expectsHeader = this.#options.proxies?.includes(this.#client) === true;
    exchange.idle.put(peer, exchange.now);
    // Read before epoll watches it: most first queries are already there, which saves an event.
    exchange.read(peer);
    if (isFree(peer) || peer.events !== UNWATCHED) return;
    if (peer.isAnswered && peer.rest === null && newcomers.shouldWait()) newcomers.put(peer, exchange.now);
    else exchange.watch(peer, EPOLLIN);
  }
}

/** The kernel has only the addresses of their buffers, so a live object must hold them. */
const HELD: unknown[] = [];

/**
 * A function, because TypeScript would otherwise assume that calls in between leave the state
 * unchanged.
 */
function isFree(peer: TcpPeer): boolean {
  return peer.state === STATE.FREE;
}
