/**
 * The TCP loop of Linux (RFC 7766): epoll, and one read, all the answers and one write for whatever a client has sent. Messages of a connection are answered
 * in order, any number of them. Nothing here waits for a client: what it does not take is kept, up to a bound, it is not read from meanwhile, and it is cut
 * when its time is over. Blocks its thread, as the UDP loop does; main is heard by an eventfd.
 */
import { Client, TRANSPORT } from '../answer/client.ts';
import { DEFERRED } from '../answer/responder.ts';
import { type ConnectionLimits, FULL } from './connection-limits.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';
import type { DeferredQueue } from './deferred-queue.ts';
import { AGAIN, BROKEN, EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLOUT, TcpCalls } from './tcp-calls.ts';
import { QUIET_MS } from './tcp-connection.ts';
import { DeadlineQueue, MAX_FRAME, STATE, TcpPeer } from './tcp-peer.ts';
import type { TcpLimits } from './worker-data.ts';

/** Bytes read at a time, beside the part of a message that was there before. */
const READ = 65_536;
/** Bytes of answers after which they are sent, and the next connection has its turn. */
const TURN = 256 * 1024;
const OUT = MAX_FRAME + READ;
/** What all connections together may have waiting, received or answered; who needs more is cut. */
const MAX_HELD = 128 << 20;
/** Connections accepted in a turn. */
const ACCEPTS = 64;
const WAIT_MS = 200;
const PLACES = 1 << 20;
/** Tags of listening sockets and the eventfd have the highest bit; those of connections a place and, in these bits, a number. */
const SPECIAL = 0x8000_0000;
const WAKE = 0xffff_ffff;
/** In place of events: epoll does not know the connection yet. */
const UNWATCHED = -1;
const GENERATION_SHIFT = 20;
const GENERATIONS = 1 << 11;

export interface TcpLoopOptions {
  /** Listening sockets that don't block, and their families. They outlive the loop. */
  readonly fds: readonly number[];
  readonly families: readonly (4 | 6)[];
  /** An eventfd that main writes after each message, or -1. */
  readonly wake: number;
  /** Descriptors, each + 1, or 0: those of connections by place, at the end epoll's. So main can close what a thread that died leaves. */
  readonly open: Int32Array;
  readonly limits: TcpLimits;
  readonly connections: ConnectionLimits;
  readonly counters: ThreadCounters;
  readonly deferred: DeferredQueue | null;
  /** Answers the message at bytes[start, start + length) in place: the response's length, 0 for none, or DEFERRED. Does not throw. */
  readonly respond: (bytes: Uint8Array, start: number, length: number, client: Client, family: number) => number;
  /** Answers the message just deferred by a code alone, since there are too many. */
  readonly refuse: (bytes: Uint8Array, start: number, client: Client, family: number) => number;
}

export class TcpLoop {
  private readonly options: TcpLoopOptions;
  private readonly calls = new TcpCalls();
  private readonly client = new Client();
  /** What was received, and from OUT on the answers: room for a turn's, and for one more of the largest. */
  private readonly bytes = new Uint8Array(OUT + TURN + MAX_FRAME);
  private readonly base = TcpCalls.address(this.bytes);
  private readonly peers: TcpPeer[] = [];
  private readonly free: number[] = [];
  private postponed: TcpPeer[] = [];
  private readonly idle: DeadlineQueue;
  private readonly slow: DeadlineQueue;
  private held = 0;
  private now = 0;
  /** Listening sockets wait for a descriptor until then. */
  private acceptAt = 0;

  constructor(options: TcpLoopOptions) {
    this.options = options;
    this.idle = new DeadlineQueue(options.limits.idleTimeout);
    this.slow = new DeadlineQueue(options.limits.queryTimeout);
    this.client.transport = TRANSPORT.TCP;
    options.open[options.open.length - 1] = this.calls.epoll + 1;
    options.fds.forEach((fd, i) => {
      this.calls.watch(fd, (SPECIAL | i) >>> 0, EPOLLIN);
    });
    if (options.wake >= 0) this.calls.watch(options.wake, WAKE, EPOLLIN);
    HELD.push(this);
  }

  /** Serves until `stopping` says so. Connections stay open for the next call. */
  run(stopping: () => boolean): void {
    while (!stopping()) this.turn();
  }

  /** Closes all connections. */
  close(): void {
    for (const peer of this.peers) if (peer.state !== STATE.FREE) this.drop(peer, false);
  }

  private turn(): void {
    const { calls } = this;
    const count = calls.wait(this.waitMs());
    this.now = performance.now();
    for (let i = 0; i < count; i++) {
      const tag = calls.tag(i);
      if (tag === WAKE) {
        calls.clear(this.options.wake);
        this.options.deferred?.receive();
      } else if (tag >= SPECIAL) this.accept(tag - SPECIAL);
      else {
        const peer = this.peers[tag & (PLACES - 1)];
        // Its connection may have been closed by what came before in this turn, and the place have a new one.
        if (peer.tag === tag && peer.state !== STATE.FREE) this.event(peer, calls.ready(i));
      }
    }
    if (this.postponed.length > 0) {
      const { postponed } = this;
      this.postponed = [];
      for (const peer of postponed) if (peer.state === STATE.POSTPONED) this.resume(peer);
    }
    this.expire();
  }

  private waitMs(): number {
    if (this.postponed.length > 0) return 0;
    let until = this.now + WAIT_MS;
    if (this.idle.first !== null && this.idle.first.deadline < until) until = this.idle.first.deadline;
    if (this.slow.first !== null && this.slow.first.deadline < until) until = this.slow.first.deadline;
    return Math.max(0, Math.ceil(until - performance.now()));
  }

  private expire(): void {
    const { counters } = this.options;
    for (let peer = this.idle.first; peer !== null && peer.deadline <= this.now; peer = this.idle.first) {
      counters.count(COLUMN.tcpIdle);
      this.drop(peer, false);
    }
    for (let peer = this.slow.first; peer !== null && peer.deadline <= this.now; peer = this.slow.first) {
      counters.count(COLUMN.tcpSlow);
      this.drop(peer, peer.unsent !== null);
    }
    if (this.acceptAt !== 0 && this.acceptAt <= this.now) {
      this.acceptAt = 0;
      this.options.fds.forEach((fd, i) => {
        this.calls.change(fd, (SPECIAL | i) >>> 0, EPOLLIN);
      });
    }
  }

  private accept(listener: number): void {
    const { calls, client } = this;
    const { fds, families, connections, counters } = this.options;
    const { peer: name } = calls;
    for (let n = 0; n < ACCEPTS; n++) {
      const fd = calls.accept(fds[listener]);
      if (fd === BROKEN) {
        // No descriptor: what waits would be reported again and again.
        this.acceptAt = this.now + WAIT_MS;
        fds.forEach((one, i) => {
          calls.change(one, (SPECIAL | i) >>> 0, 0);
        });
      }
      if (fd < 0) return;
      if (families[listener] === 4) client.setAddress(name, 4, 4);
      else client.setAddress(name, 8, 16);
      client.port = (name[2] << 8) | name[3];
      let bucket = connections.enter(client);
      if (bucket === FULL && this.makeRoom()) bucket = connections.enter(client);
      if (bucket < 0) {
        counters.count(bucket === FULL ? COLUMN.tcpRefused : COLUMN.tcpRefusedClient);
        calls.close(fd);
        continue;
      }
      this.admit(fd, bucket, families[listener] === 6 ? 1 : 0);
    }
  }

  /**
   * Closes the connection that has waited longest for the rest of a query, or else for any, if that is a while (RFC 7766 6.2.3): so those who hold
   * connections and say nothing don't keep others out.
   */
  private makeRoom(): boolean {
    const since = this.now - QUIET_MS;
    const { counters } = this.options;
    if (this.slow.first !== null && this.slow.startOf(this.slow.first) <= since) {
      counters.count(COLUMN.tcpSlow);
      this.drop(this.slow.first, true);
      return true;
    }
    if (this.idle.first === null || this.idle.startOf(this.idle.first) > since) return false;
    counters.count(COLUMN.tcpIdle);
    this.drop(this.idle.first, false);
    return true;
  }

  /** Takes a connection of `client`. Mostly its first query is there already. */
  private admit(fd: number, bucket: number, family: number): void {
    const { client } = this;
    const { counters, connections, open } = this.options;
    const place = this.free.pop() ?? this.peers.length;
    if (place === this.peers.length) this.peers.push(new TcpPeer(place));
    const peer = this.peers[place];
    open[place] = fd + 1;
    peer.fd = fd;
    peer.tag = (((peer.tag >>> GENERATION_SHIFT) + 1) % GENERATIONS) * PLACES + place;
    peer.family = family;
    peer.bucket = bucket;
    for (let i = 0; i < client.length; i++) peer.address[i] = client.address[i];
    peer.addressLength = client.length;
    peer.port = client.port;
    peer.state = STATE.READING;
    peer.events = UNWATCHED;
    counters.count(COLUMN.tcpAccepted);
    counters.set(COLUMN.tcpOpen, connections.open);
    this.idle.put(peer, this.now);
    // Watched from when it has been read: epoll need not look at a query that is answered already.
    this.read(peer);
    if (peer.state !== STATE.FREE && peer.events === UNWATCHED) this.watch(peer, EPOLLIN);
  }

  private event(peer: TcpPeer, ready: number): void {
    if (peer.state === STATE.SENDING || (peer.state === STATE.DEFERRED && peer.unsent !== null)) {
      if ((ready & EPOLLERR) !== 0) this.drop(peer, true);
      else this.flush(peer);
    } else if (peer.state === STATE.DEFERRED) {
      // Nothing else is waited for: the connection is broken.
      if ((ready & (EPOLLERR | EPOLLHUP)) !== 0) this.drop(peer, true);
    } else if (peer.state === STATE.FINISHING) this.discard(peer);
    else if (peer.state === STATE.READING) this.read(peer);
  }

  private read(peer: TcpPeer): void {
    const { bytes, calls } = this;
    const begun = peer.rest === null ? 0 : this.takeRest(peer);
    const n = calls.receive(peer.fd, this.base + begun, READ);
    if (n > 0) {
      this.answer(peer, begun + n, begun);
      return;
    }
    if (n === AGAIN) {
      this.keepRest(peer, bytes, 0, begun);
      return;
    }
    this.drop(peer, n === BROKEN);
  }

  /** Goes on with what a connection has left over. */
  private resume(peer: TcpPeer): void {
    const n = peer.rest === null ? 0 : this.takeRest(peer);
    peer.state = STATE.READING;
    this.answer(peer, n, 0);
  }

  /**
   * Answers the messages in bytes[0, n), of which `begun` were there before, until a turn's answers are there, since short queries can ask for long responses; keeps
   * what is left.
   */
  private answer(peer: TcpPeer, n: number, begun: number): void {
    const { bytes, client } = this;
    const { respond, refuse, deferred, counters } = this.options;
    for (let i = 0; i < peer.addressLength; i++) client.address[i] = peer.address[i];
    client.length = peer.addressLength;
    client.port = peer.port;
    let at = 0;
    let out = OUT;
    while (n - at >= 2 && out < OUT + TURN) {
      const length = (bytes[at] << 8) | bytes[at + 1];
      if (n - at - 2 < length) break;
      bytes.copyWithin(out + 2, at + 2, at + 2 + length);
      at += 2 + length;
      let size = respond(bytes, out + 2, length, client, peer.family);
      if (size === DEFERRED) {
        const id =
          deferred === null ? 0 : deferred.ask(bytes, out + 2, length, client, true, new PeerTaker(this, peer));
        counters.count(id === 0 ? COLUMN.deferredRefused : COLUMN.deferred);
        if (id !== 0) {
          peer.deferred = id;
          peer.hasMore = false;
          break;
        }
        size = refuse(bytes, out + 2, client, peer.family);
      }
      if (size === 0) {
        // What deserves silence over UDP is no DNS client over TCP. What was asked before it is answered.
        peer.ended = true;
        at = n;
        break;
      }
      bytes[out] = size >>> 8;
      bytes[out + 1] = size;
      out += 2 + size;
    }
    // A query must arrive whole in the time that its first byte started; only a new one starts it anew.
    if (at === n) this.idle.put(peer, this.now);
    else if (begun === 0 || at > 0) this.slow.put(peer, this.now);
    if (at < n && !this.keepRest(peer, bytes, at, n)) return;
    if (out === OUT) this.proceed(peer);
    else this.send(peer, out);
  }

  /** Sends bytes[OUT, out). */
  private send(peer: TcpPeer, out: number): void {
    const { bytes } = this;
    const sent = this.calls.send(peer.fd, this.base + OUT, out - OUT);
    if (sent === BROKEN) this.drop(peer, true);
    else if (sent === out - OUT) this.proceed(peer);
    else this.keepUnsent(peer, bytes.slice(OUT + Math.max(0, sent), out));
  }

  /** Keeps what the client did not take. */
  private keepUnsent(peer: TcpPeer, unsent: Uint8Array): void {
    peer.unsent = unsent;
    this.held += memoryOf(unsent);
    if (this.held > MAX_HELD) {
      this.options.counters.count(COLUMN.tcpSlow);
      this.drop(peer, true);
      return;
    }
    if (peer.state !== STATE.DEFERRED) peer.state = STATE.SENDING;
    this.slow.put(peer, this.now);
    this.watch(peer, EPOLLOUT);
  }

  /** Sends more of what was kept. */
  private flush(peer: TcpPeer): void {
    const unsent = peer.unsent!;
    const sent = this.calls.sendArray(peer.fd, unsent);
    if (sent === BROKEN) {
      this.drop(peer, true);
      return;
    }
    if (sent < unsent.length) {
      if (sent > 0) peer.unsent = unsent.subarray(sent);
      return;
    }
    this.held -= memoryOf(unsent);
    peer.unsent = null;
    this.proceed(peer);
  }

  /** All that was answered has been sent. What now? */
  private proceed(peer: TcpPeer): void {
    if (peer.deferred !== 0) {
      peer.state = STATE.DEFERRED;
      // Main has its own bounds.
      peer.queue?.remove(peer);
      if (peer.hasMore) {
        peer.hasMore = false;
        this.options.deferred?.next(peer.deferred);
      }
      this.watch(peer, 0);
      return;
    }
    if (peer.ended) {
      this.finish(peer);
      return;
    }
    if (peer.rest !== null && isWhole(peer.rest)) {
      peer.state = STATE.POSTPONED;
      this.postponed.push(peer);
      return;
    }
    if (peer.state !== STATE.READING) {
      peer.state = STATE.READING;
      if (peer.rest === null) this.idle.put(peer, this.now);
      else this.slow.put(peer, this.now);
    }
    this.watch(peer, EPOLLIN);
  }

  private finish(peer: TcpPeer): void {
    peer.state = STATE.FINISHING;
    this.calls.finish(peer.fd);
    this.slow.put(peer, this.now);
    this.watch(peer, EPOLLIN);
  }

  private discard(peer: TcpPeer): void {
    const n = this.calls.receive(peer.fd, this.base, READ);
    if (n === 0 || n === BROKEN) this.drop(peer, n === BROKEN);
  }

  /** A message of a deferred answer. */
  take(peer: TcpPeer, message: Uint8Array): void {
    const { length } = message;
    if (length > MAX_FRAME - 2) {
      this.drop(peer, true);
      return;
    }
    const { bytes } = this;
    bytes[OUT] = length >>> 8;
    bytes[OUT + 1] = length;
    bytes.set(message, OUT + 2);
    peer.hasMore = true;
    // What was answered before it goes first; main waits for it no longer than the client is waited for.
    if (peer.unsent === null) this.send(peer, OUT + 2 + length);
    else {
      const before = peer.unsent;
      this.held -= memoryOf(before);
      this.keepUnsent(peer, Buffer.concat([before, bytes.subarray(OUT, OUT + 2 + length)]));
    }
  }

  /** The end of a deferred answer. */
  endDeferred(peer: TcpPeer, failed: boolean): void {
    peer.deferred = 0;
    peer.hasMore = false;
    if (failed) this.drop(peer, true);
    else if (peer.unsent === null) this.resume(peer);
    else peer.state = STATE.SENDING;
  }

  /** The last thing to do with `peer`, which is dropped when the system has no room to watch it. */
  private watch(peer: TcpPeer, events: number): void {
    if (peer.events === events) return;
    const { calls } = this;
    const { fd, tag } = peer;
    const isWatched = peer.events === UNWATCHED ? calls.watch(fd, tag, events) : calls.change(fd, tag, events);
    peer.events = events;
    if (!isWatched) this.drop(peer, true);
  }

  /** Puts what was left over back to the beginning of `bytes`; returns its length. */
  private takeRest(peer: TcpPeer): number {
    const rest = peer.rest!;
    this.bytes.set(rest);
    this.held -= rest.length;
    peer.rest = null;
    return rest.length;
  }

  /** False when there is no room, and the connection has been cut. */
  private keepRest(peer: TcpPeer, bytes: Uint8Array, from: number, to: number): boolean {
    if (from === to) return true;
    this.held += to - from;
    peer.rest = bytes.slice(from, to);
    if (this.held <= MAX_HELD) return true;
    this.options.counters.count(COLUMN.tcpSlow);
    this.drop(peer, true);
    return false;
  }

  private drop(peer: TcpPeer, reset: boolean): void {
    const { counters, connections, deferred, open } = this.options;
    if (peer.deferred !== 0) deferred?.cancel(peer.deferred);
    this.held -= (peer.rest?.length ?? 0) + (peer.unsent === null ? 0 : memoryOf(peer.unsent));
    peer.rest = null;
    peer.unsent = null;
    peer.deferred = 0;
    peer.ended = false;
    peer.state = STATE.FREE;
    peer.queue?.remove(peer);
    open[peer.place] = 0;
    if (reset) this.calls.reset(peer.fd);
    else this.calls.close(peer.fd);
    connections.leave(peer.bucket);
    counters.set(COLUMN.tcpOpen, connections.open);
    this.free.push(peer.place);
  }
}

/** The kernel knows their buffers by address only. */
const HELD: unknown[] = [];

/** Who waits for a deferred answer: the connection that asked, as long as it is that one. */
class PeerTaker {
  private readonly loop: TcpLoop;
  private readonly peer: TcpPeer;
  private readonly tag: number;

  constructor(loop: TcpLoop, peer: TcpPeer) {
    this.loop = loop;
    this.peer = peer;
    this.tag = peer.tag;
  }

  take(message: Uint8Array): void {
    if (this.peer.tag === this.tag) this.loop.take(this.peer, message);
  }

  end(failed: boolean): void {
    if (this.peer.tag === this.tag) this.loop.endDeferred(this.peer, failed);
  }
}

/** What a part of an array holds: all of it, else a client that takes all but one byte would hold what nobody counts. */
function memoryOf({ buffer }: Uint8Array): number {
  return buffer.byteLength;
}

function isWhole(frames: Uint8Array): boolean {
  return frames.length >= 2 && frames.length - 2 >= ((frames[0] << 8) | frames[1]);
}
