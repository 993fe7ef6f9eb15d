/**
 * Exchanges messages on the connections of the TCP loop: one read, all answers, one write.
 *
 * Any number of messages is answered, in order. Bytes that the client has not received are kept up
 * to a limit, and meanwhile the connection is not read. A deferred message goes to the main thread,
 * and the messages after it wait.
 */

import { Client, TRANSPORT } from '../net/address/client.ts';
import { BLOCK, proxyBlockLength, readProxyClient } from '../net/address/proxy-block.ts';
import { AGAIN, BROKEN, EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLOUT, TcpCalls } from '../os/tcp-calls.ts';
import { DEFERRED } from '../zone/answer/responder.ts';
import { COLUMN } from './counters.ts';
import type { AnswerSink, ReplyPath } from './deferred-queue.ts';
import type { QueryHandler } from './query-handler.ts';
import { DeadlineQueue, MAX_FRAME, STATE, type TcpPeer } from './tcp-peer.ts';
import { type TcpSlots, UNWATCHED } from './tcp-slots.ts';
import type { TcpLimits } from './worker.ts';

/** Bytes of one read, in addition to the carried-over part of a message. */
const READ_BYTES = 65_536;
/** Bytes of answers after which they are sent and the next connection gets its turn. */
const TURN_BYTES = 256 * 1024;
const OUT = MAX_FRAME + READ_BYTES;
/** Connections that keep bytes and are compared to find the one that is dropped. */
const MAX_COMPARED = 1024;
/** Limit of the bytes that all connections together keep, received or answered. */
const MAX_HELD_BYTES = 128 << 20;

export interface TcpExchangeOptions {
  readonly limits: TcpLimits;
  readonly handler: Pick<QueryHandler, 'answerSingle' | 'counters' | 'deferred'>;
  /** Limit of the bytes that all connections together keep. Default: MAX_HELD_BYTES. */
  readonly maxHeldBytes?: number;
}

export class TcpExchange implements ReplyPath {
  /** Start of the current turn of the loop, in milliseconds. */
  now = 0;
  /**
   * Connections with unanswered messages, which continue after the other connections had their
   * turn.
   */
  postponed: TcpPeer[] = [];
  /**
   * `idle`: connections between two queries. `slow`: connections that have received part of a query
   * or have unsent answers.
   */
  readonly idle: DeadlineQueue;
  readonly slow: DeadlineQueue;
  readonly #options: TcpExchangeOptions;
  readonly #calls: TcpCalls;
  readonly #slots: TcpSlots;
  readonly #client = new Client();
  /**
   * Received bytes, and from OUT on the answers: space for the answers of a turn and one more of
   * the largest size.
   */
  readonly #bytes = new Uint8Array(OUT + TURN_BYTES + MAX_FRAME);
  readonly #base = TcpCalls.address(this.#bytes);
  #heldBytes = 0;
  /** The connection whose message is being answered. */
  #current: TcpPeer | null = null;

  constructor(options: TcpExchangeOptions, calls: TcpCalls, slots: TcpSlots) {
    this.#options = options;
    this.#calls = calls;
    this.#slots = slots;
    this.idle = new DeadlineQueue(options.limits.idleTimeout);
    this.slow = new DeadlineQueue(options.limits.queryTimeout);
    this.#client.transport = TRANSPORT.TCP;
  }

  /** `ready`: the events that epoll reports for the connection. */
  handleEvent(peer: TcpPeer, ready: number): void {
    if (peer.state === STATE.SENDING || (peer.state === STATE.DEFERRED && peer.unsent !== null)) {
      if ((ready & EPOLLERR) !== 0) this.drop(peer, true);
      else this.#flush(peer);
    } else if (peer.state === STATE.DEFERRED) {
      // No event was requested, so the connection is broken.
      if ((ready & (EPOLLERR | EPOLLHUP)) !== 0) this.drop(peer, true);
    } else if (peer.state === STATE.FINISHING) this.#discard(peer);
    else if (peer.state === STATE.READING) this.read(peer);
  }

  /** Reads the available bytes and answers them. */
  read(peer: TcpPeer): void {
    const bytes = this.#bytes;
    const calls = this.#calls;
    const carried = peer.rest === null ? 0 : this.#restoreRest(peer);
    const n = calls.receive(peer.fd, this.#base + carried, READ_BYTES);
    if (n > 0) {
      this.#answer(peer, carried + n, carried);
      return;
    }
    if (n === AGAIN) {
      this.#keepRest(peer, bytes, 0, carried);
      return;
    }
    this.drop(peer, n === BROKEN);
  }

  /** Continues with the unanswered messages of a connection. */
  resume(peer: TcpPeer): void {
    const n = peer.rest === null ? 0 : this.#restoreRest(peer);
    peer.state = STATE.READING;
    this.#answer(peer, n, 0);
  }

  /**
   * Answers the complete messages in bytes[0, n) and keeps the rest. The first `carried` bytes were
   * received earlier. Stops after TURN_BYTES of answers, because short queries can have long
   * responses.
   */
  #answer(peer: TcpPeer, n: number, carried: number): void {
    const bytes = this.#bytes;
    const client = this.#client;
    const { handler } = this.#options;
    let at = peer.expectsHeader ? this.#readHeader(peer, n) : 0;
    if (at < 0) return;
    for (let i = 0; i < peer.addressLength; i++) client.address[i] = peer.address[i];
    client.length = peer.addressLength;
    client.port = peer.port;
    this.#current = peer;
    let out = OUT;
    while (n - at >= 2 && !peer.expectsHeader && out < OUT + TURN_BYTES) {
      const length = (bytes[at] << 8) | bytes[at + 1];
      if (n - at - 2 < length) break;
      bytes.copyWithin(out + 2, at + 2, at + 2 + length);
      at += 2 + length;
      const size = handler.answerSingle(bytes, out + 2, length, client, this);
      if (size === DEFERRED) break;
      if (size === 0) {
        // A message that would be ignored over UDP is not DNS. Responses to earlier messages are
        // still sent.
        peer.hasEnded = true;
        at = n;
        break;
      }
      bytes[out] = size >>> 8;
      bytes[out + 1] = size;
      out += 2 + size;
    }
    // A query must arrive completely within queryTimeout of its first byte. Only a new query
    // restarts the timer.
    if (at === n) this.idle.put(peer, this.now);
    else if (carried === 0 || at > 0) this.slow.put(peer, this.now);
    if (at < n && !this.#keepRest(peer, bytes, at, n)) return;
    if (out === OUT) this.#proceed(peer);
    else this.#send(peer, out);
  }

  /**
   * Reads the header of the PROXY protocol in bytes[0, n). Returns its length; 0: it is not
   * complete; below 0: the connection was dropped.
   */
  #readHeader(peer: TcpPeer, n: number): number {
    const length = proxyBlockLength(this.#bytes, 0, n);
    if (length === BLOCK.INCOMPLETE) return 0;
    if (length === BLOCK.MALFORMED) this.#options.handler.counters.count(COLUMN.badProxyHeader);
    else {
      const client = this.#client;
      client.length = 0;
      readProxyClient(this.#bytes, 0, client);
      peer.expectsHeader = false;
      if (client.length === 0 || this.#slots.reassign(peer, client)) return length;
    }
    this.drop(peer, true);
    return -1;
  }

  /** The current message waits for the main thread, which is answering it as request `id`. */
  replyTo(id: number): AnswerSink {
    const peer = this.#current!;
    peer.deferred = id;
    peer.hasMore = false;
    return new PeerSink(this, peer);
  }

  /** Sends bytes[OUT, out). */
  #send(peer: TcpPeer, out: number): void {
    const bytes = this.#bytes;
    const sent = this.#calls.send(peer.fd, this.#base + OUT, out - OUT);
    if (sent === BROKEN) this.drop(peer, true);
    else if (sent === out - OUT) this.#proceed(peer);
    else this.#keepUnsent(peer, bytes.slice(OUT + Math.max(0, sent), out));
  }

  /** Keeps the bytes that the socket did not accept. */
  #keepUnsent(peer: TcpPeer, unsent: Uint8Array): void {
    peer.unsent = unsent;
    this.#heldBytes += memoryOf(unsent);
    if (!this.#makeRoom(peer)) return;
    if (peer.state !== STATE.DEFERRED) peer.state = STATE.SENDING;
    this.slow.put(peer, this.now);
    this.watch(peer, EPOLLOUT);
  }

  /** Sends more of the kept bytes. */
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
    this.#heldBytes -= memoryOf(unsent);
    peer.unsent = null;
    this.#proceed(peer);
  }

  /** Chooses the next state after all answers have been sent. */
  #proceed(peer: TcpPeer): void {
    if (peer.deferred !== 0) {
      peer.state = STATE.DEFERRED;
      // The main thread has its own limits.
      peer.queue?.remove(peer);
      if (peer.hasMore) {
        peer.hasMore = false;
        this.#options.handler.deferred?.next(peer.deferred);
      }
      this.watch(peer, 0);
      return;
    }
    if (peer.hasEnded) {
      this.#finish(peer);
      return;
    }
    if (peer.rest !== null && !peer.expectsHeader && isWhole(peer.rest)) {
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
    const n = this.#calls.receive(peer.fd, this.#base, READ_BYTES);
    if (n === 0 || n === BROKEN) this.drop(peer, n === BROKEN);
  }

  /** Sends one message of a deferred answer. */
  writeDeferred(peer: TcpPeer, message: Uint8Array): void {
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
    // Earlier answers go first. The slow timeout limits this wait, and with it the wait of the main
    // thread.
    if (peer.unsent === null) this.#send(peer, OUT + 2 + length);
    else {
      const earlier = peer.unsent;
      this.#heldBytes -= memoryOf(earlier);
      this.#keepUnsent(peer, Buffer.concat([earlier, bytes.subarray(OUT, OUT + 2 + length)]));
    }
  }

  /** Ends a deferred answer. */
  endDeferred(peer: TcpPeer, failed: boolean): void {
    peer.deferred = 0;
    peer.hasMore = false;
    if (failed) this.drop(peer, true);
    else if (peer.unsent === null) this.resume(peer);
    else peer.state = STATE.SENDING;
  }

  /**
   * Sets the events that epoll waits for. It must be the last use of `peer`, because `peer` is
   * dropped if the system cannot watch it.
   */
  watch(peer: TcpPeer, events: number): void {
    if (peer.events === events) return;
    const calls = this.#calls;
    const { fd, tag } = peer;
    const isWatched = peer.events === UNWATCHED ? calls.watch(fd, tag, events) : calls.change(fd, tag, events);
    peer.events = events;
    if (!isWatched) this.drop(peer, true);
  }

  /** Moves the carried-over bytes to the start of `bytes`. Returns their length. */
  #restoreRest(peer: TcpPeer): number {
    const rest = peer.rest!;
    this.#bytes.set(rest);
    this.#heldBytes -= rest.length;
    peer.rest = null;
    return rest.length;
  }

  /**
   * Keeps bytes[from, to) as the rest. Returns false if the connection was dropped for lack of
   * memory.
   */
  #keepRest(peer: TcpPeer, bytes: Uint8Array, from: number, to: number): boolean {
    if (from === to) return true;
    this.#heldBytes += to - from;
    peer.rest = bytes.slice(from, to);
    return this.#makeRoom(peer);
  }

  /**
   * While too many bytes are kept, drops connections that wait for their clients: those that have
   * waited longest of the clients with most connections, and finally `peer`. Otherwise, clients
   * that fill the memory and wait would block all others. Returns false if `peer` was dropped.
   */
  #makeRoom(peer: TcpPeer): boolean {
    const { handler, maxHeldBytes = MAX_HELD_BYTES } = this.#options;
    while (this.#heldBytes > maxHeldBytes) {
      const dropped = this.#largestKeeper(peer) ?? peer;
      handler.counters.count(COLUMN.tcpSlow);
      this.drop(dropped, true);
      if (dropped === peer) return false;
    }
    return true;
  }

  /** Other than `peer`; null: no other keeps bytes. */
  #largestKeeper(peer: TcpPeer): TcpPeer | null {
    let largest: TcpPeer | null = null;
    let most = 0;
    let compared = 0;
    for (let other = this.slow.first; other !== null && compared < MAX_COMPARED; other = other.next) {
      if (other === peer || (other.rest === null && other.unsent === null)) continue;
      compared++;
      const held = this.#slots.connections.held(other.bucket);
      if (held <= most) continue;
      largest = other;
      most = held;
    }
    return largest;
  }

  /** Closes a connection. `reset`: unsent bytes are dropped immediately. */
  drop(peer: TcpPeer, reset: boolean): void {
    if (peer.deferred !== 0) this.#options.handler.deferred?.cancel(peer.deferred);
    this.#heldBytes -= (peer.rest?.length ?? 0) + (peer.unsent === null ? 0 : memoryOf(peer.unsent));
    this.#slots.release(peer);
    if (reset) this.#calls.reset(peer.fd);
    else this.#calls.close(peer.fd);
  }
}

/**
 * Receives a deferred answer for a connection. The tag tells whether the slot still has that
 * connection.
 */
class PeerSink implements AnswerSink {
  readonly #exchange: TcpExchange;
  readonly #peer: TcpPeer;
  readonly #tag: number;

  constructor(exchange: TcpExchange, peer: TcpPeer) {
    this.#exchange = exchange;
    this.#peer = peer;
    this.#tag = peer.tag;
  }

  write(message: Uint8Array): void {
    if (this.#peer.tag === this.#tag) this.#exchange.writeDeferred(this.#peer, message);
  }

  end(failed: boolean): void {
    if (this.#peer.tag === this.#tag) this.#exchange.endDeferred(this.#peer, failed);
  }
}

/**
 * The memory behind a part of an array. The whole buffer counts, because a client that leaves one
 * byte unread keeps all of it in memory.
 */
function memoryOf({ buffer }: Uint8Array): number {
  return buffer.byteLength;
}

function isWhole(frames: Uint8Array): boolean {
  return frames.length >= 2 && frames.length - 2 >= ((frames[0] << 8) | frames[1]);
}
