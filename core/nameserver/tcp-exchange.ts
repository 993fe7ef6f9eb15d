/**
 * What is said on a connection of the TCP loop: one read, all the answers and one write for whatever a client has sent. Messages are answered in order, any number of them; what
 * a client does not take is kept, up to a bound, and it is not read from meanwhile. What is deferred goes to main, and what is behind it waits.
 */
import { Client, TRANSPORT } from '../address/client.ts';
import { DEFERRED } from '../answer/responder.ts';
import { AGAIN, BROKEN, EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLOUT, TcpCalls } from '../os/tcp-calls.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';
import type { DeferredQueue } from './deferred-queue.ts';
import { DeadlineQueue, MAX_FRAME, STATE, type TcpPeer } from './tcp-peer.ts';
import { type TcpPlaces, UNWATCHED } from './tcp-places.ts';
import type { TcpLimits } from './worker-data.ts';

/** Bytes read at a time, beside the part of a message that was there before. */
const READ = 65_536;
/** Bytes of answers after which they are sent, and the next connection has its turn. */
const TURN = 256 * 1024;
const OUT = MAX_FRAME + READ;
/** Bytes that all connections together may have waiting, received or answered. */
const MAX_HELD = 128 << 20;

export interface TcpAnswering {
  readonly limits: TcpLimits;
  readonly counters: ThreadCounters;
  readonly deferred: DeferredQueue | null;
  /** Bytes that all connections together may have waiting; left out, MAX_HELD. */
  readonly maxHeld?: number;
  /** Answers the message at bytes[start, start + length) in place: the response's length, 0 for none, or DEFERRED. Does not throw. */
  readonly respond: (bytes: Uint8Array, start: number, length: number, client: Client, family: number) => number;
  /** Answers the message just deferred by a code alone, since there are too many. */
  readonly refuse: (bytes: Uint8Array, start: number, client: Client, family: number) => number;
}

export class TcpExchange {
  /** Milliseconds: when the turn of the loop began. */
  now = 0;
  /** Connections with messages left over, which are answered when others have had their turn. */
  postponed: TcpPeer[] = [];
  /** Connections that nothing is waited for, and those whose query, or the taking of whose answers, has begun. */
  readonly idle: DeadlineQueue;
  readonly slow: DeadlineQueue;
  readonly #answering: TcpAnswering;
  readonly #calls: TcpCalls;
  readonly #places: TcpPlaces;
  readonly #client = new Client();
  /** What was received, and from OUT on the answers: room for a turn's, and for one more of the largest. */
  readonly #bytes = new Uint8Array(OUT + TURN + MAX_FRAME);
  readonly #base = TcpCalls.address(this.#bytes);
  #held = 0;

  constructor(answering: TcpAnswering, calls: TcpCalls, places: TcpPlaces) {
    this.#answering = answering;
    this.#calls = calls;
    this.#places = places;
    this.idle = new DeadlineQueue(answering.limits.idleTimeout);
    this.slow = new DeadlineQueue(answering.limits.queryTimeout);
    this.#client.transport = TRANSPORT.TCP;
  }

  /** `ready`: what epoll says of the connection. */
  event(peer: TcpPeer, ready: number): void {
    if (peer.state === STATE.SENDING || (peer.state === STATE.DEFERRED && peer.unsent !== null)) {
      if ((ready & EPOLLERR) !== 0) this.drop(peer, true);
      else this.#flush(peer);
    } else if (peer.state === STATE.DEFERRED) {
      // Nothing else is waited for: the connection is broken.
      if ((ready & (EPOLLERR | EPOLLHUP)) !== 0) this.drop(peer, true);
    } else if (peer.state === STATE.FINISHING) this.#discard(peer);
    else if (peer.state === STATE.READING) this.read(peer);
  }

  /** Reads what has come, and answers it. */
  read(peer: TcpPeer): void {
    const bytes = this.#bytes;
    const calls = this.#calls;
    const begun = peer.rest === null ? 0 : this.#takeRest(peer);
    const n = calls.receive(peer.fd, this.#base + begun, READ);
    if (n > 0) {
      this.#answer(peer, begun + n, begun);
      return;
    }
    if (n === AGAIN) {
      this.#keepRest(peer, bytes, 0, begun);
      return;
    }
    this.drop(peer, n === BROKEN);
  }

  /** Goes on with what a connection has left over. */
  resume(peer: TcpPeer): void {
    const n = peer.rest === null ? 0 : this.#takeRest(peer);
    peer.state = STATE.READING;
    this.#answer(peer, n, 0);
  }

  /**
   * Answers the messages in bytes[0, n), of which `begun` were there before, until a turn's answers are there, since short queries can ask for long responses; keeps
   * what is left.
   */
  #answer(peer: TcpPeer, n: number, begun: number): void {
    const bytes = this.#bytes;
    const client = this.#client;
    const { respond, refuse, deferred, counters } = this.#answering;
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
    if (at < n && !this.#keepRest(peer, bytes, at, n)) return;
    if (out === OUT) this.#proceed(peer);
    else this.#send(peer, out);
  }

  /** Sends bytes[OUT, out). */
  #send(peer: TcpPeer, out: number): void {
    const bytes = this.#bytes;
    const sent = this.#calls.send(peer.fd, this.#base + OUT, out - OUT);
    if (sent === BROKEN) this.drop(peer, true);
    else if (sent === out - OUT) this.#proceed(peer);
    else this.#keepUnsent(peer, bytes.slice(OUT + Math.max(0, sent), out));
  }

  /** Keeps what the client did not take. */
  #keepUnsent(peer: TcpPeer, unsent: Uint8Array): void {
    peer.unsent = unsent;
    this.#held += memoryOf(unsent);
    if (!this.#makeRoom(peer)) return;
    if (peer.state !== STATE.DEFERRED) peer.state = STATE.SENDING;
    this.slow.put(peer, this.now);
    this.watch(peer, EPOLLOUT);
  }

  /** Sends more of what was kept. */
  #flush(peer: TcpPeer): void {
    const unsent = peer.unsent!;
    const sent = this.#calls.sendArray(peer.fd, unsent);
    if (sent === BROKEN) {
      this.drop(peer, true);
      return;
    }
    if (sent < unsent.length) {
      if (sent > 0) peer.unsent = unsent.subarray(sent);
      return;
    }
    this.#held -= memoryOf(unsent);
    peer.unsent = null;
    this.#proceed(peer);
  }

  /** All that was answered has been sent. What now? */
  #proceed(peer: TcpPeer): void {
    if (peer.deferred !== 0) {
      peer.state = STATE.DEFERRED;
      // Main has its own bounds.
      peer.queue?.remove(peer);
      if (peer.hasMore) {
        peer.hasMore = false;
        this.#answering.deferred?.next(peer.deferred);
      }
      this.watch(peer, 0);
      return;
    }
    if (peer.ended) {
      this.#finish(peer);
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
    if (peer.events !== UNWATCHED) this.watch(peer, EPOLLIN);
    else peer.isAnswered = true;
  }

  #finish(peer: TcpPeer): void {
    peer.state = STATE.FINISHING;
    this.#calls.finish(peer.fd);
    this.slow.put(peer, this.now);
    this.watch(peer, EPOLLIN);
  }

  #discard(peer: TcpPeer): void {
    const n = this.#calls.receive(peer.fd, this.#base, READ);
    if (n === 0 || n === BROKEN) this.drop(peer, n === BROKEN);
  }

  /** A message of a deferred answer. */
  take(peer: TcpPeer, message: Uint8Array): void {
    const { length } = message;
    if (length > MAX_FRAME - 2) {
      this.drop(peer, true);
      return;
    }
    const bytes = this.#bytes;
    bytes[OUT] = length >>> 8;
    bytes[OUT + 1] = length;
    bytes.set(message, OUT + 2);
    peer.hasMore = true;
    // What was answered before it goes first; main waits for it no longer than the client is waited for.
    if (peer.unsent === null) this.#send(peer, OUT + 2 + length);
    else {
      const before = peer.unsent;
      this.#held -= memoryOf(before);
      this.#keepUnsent(peer, Buffer.concat([before, bytes.subarray(OUT, OUT + 2 + length)]));
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
  watch(peer: TcpPeer, events: number): void {
    if (peer.events === events) return;
    const calls = this.#calls;
    const { fd, tag } = peer;
    const isWatched = peer.events === UNWATCHED ? calls.watch(fd, tag, events) : calls.change(fd, tag, events);
    peer.events = events;
    if (!isWatched) this.drop(peer, true);
  }

  /** Puts what was left over back to the beginning of `bytes`; returns its length. */
  #takeRest(peer: TcpPeer): number {
    const rest = peer.rest!;
    this.#bytes.set(rest);
    this.#held -= rest.length;
    peer.rest = null;
    return rest.length;
  }

  /** False when there is no room, and the connection has been cut. */
  #keepRest(peer: TcpPeer, bytes: Uint8Array, from: number, to: number): boolean {
    if (from === to) return true;
    this.#held += to - from;
    peer.rest = bytes.slice(from, to);
    return this.#makeRoom(peer);
  }

  /**
   * When more is held than may be, those are cut that have been waited for longest, and `peer` if that is not enough: whoever fills the memory and waits would otherwise keep all
   * others from it. False when `peer` has been cut.
   */
  #makeRoom(peer: TcpPeer): boolean {
    const { counters, maxHeld = MAX_HELD } = this.#answering;
    for (let one = this.slow.first; one !== null && this.#held > maxHeld; ) {
      const { after } = one;
      if (one !== peer && (one.rest !== null || one.unsent !== null)) {
        counters.count(COLUMN.tcpSlow);
        this.drop(one, true);
      }
      one = after;
    }
    if (this.#held <= maxHeld) return true;
    counters.count(COLUMN.tcpSlow);
    this.drop(peer, true);
    return false;
  }

  /** Closes a connection; `reset`: what is still unsent is dropped at once. */
  drop(peer: TcpPeer, reset: boolean): void {
    if (peer.deferred !== 0) this.#answering.deferred?.cancel(peer.deferred);
    this.#held -= (peer.rest?.length ?? 0) + (peer.unsent === null ? 0 : memoryOf(peer.unsent));
    this.#places.giveBack(peer);
    if (reset) this.#calls.reset(peer.fd);
    else this.#calls.close(peer.fd);
  }
}

/** Who waits for a deferred answer: the connection that asked, as long as it is that one. */
class PeerTaker {
  readonly #exchange: TcpExchange;
  readonly #peer: TcpPeer;
  readonly #tag: number;

  constructor(exchange: TcpExchange, peer: TcpPeer) {
    this.#exchange = exchange;
    this.#peer = peer;
    this.#tag = peer.tag;
  }

  take(message: Uint8Array): void {
    if (this.#peer.tag === this.#tag) this.#exchange.take(this.#peer, message);
  }

  end(failed: boolean): void {
    if (this.#peer.tag === this.#tag) this.#exchange.endDeferred(this.#peer, failed);
  }
}

/** What a part of an array holds: all of it, else a client that takes all but one byte would hold what nobody counts. */
function memoryOf({ buffer }: Uint8Array): number {
  return buffer.byteLength;
}

function isWhole(frames: Uint8Array): boolean {
  return frames.length >= 2 && frames.length - 2 >= ((frames[0] << 8) | frames[1]);
}
