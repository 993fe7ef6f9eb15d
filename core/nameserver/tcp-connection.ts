/** One client over TCP (RFC 7766): messages with two bytes of length before them, any number on one connection, answered in order. */
import type { Socket } from 'node:net';
import { DEFERRED } from '../answer/responder.ts';
import type { Taker } from './deferred-queue.ts';
import type { TcpLimits } from './worker-data.ts';

/** Bytes that may wait for a client that does not read, before it is not read from any more. One message may come on top; all connections together hold no more than so much each. */
const MAX_UNSENT = 64 * 1024;
const LENGTH = 2;
/** A connection that has been waited for so long, in milliseconds, makes room for another when there are too many. */
export const QUIET_MS = 1000;

/** What answers a connection's messages. All work in `packet`, which has room for the largest; none throws. */
export interface Answering {
  readonly packet: Uint8Array;
  /** Answers the query at packet[0, length) in place; returns the response's length, 0 for none, or DEFERRED. */
  respond(length: number): number;
  /** Hands that message to main; returns the request's number, or 0. */
  defer(length: number, taker: Taker): number;
  /** Answers it by a code alone, in place. */
  refuse(): number;
  next(id: number): void;
  cancel(id: number): void;
}

/** Why a connection was cut: it had nothing to say (idle), or a query did not come, or its answer was not taken, in time (slow). */
export type Timeout = 'idle' | 'slow';

export class TcpConnection {
  readonly #socket: Socket;
  readonly #limits: TcpLimits;
  readonly #answering: Answering;
  /** What is not answered yet, the length of a message first. */
  #rest: Buffer | null = null;
  /**
   * Responses that leave together when the event loop comes round: over TLS every record is data of its own, and most clients put each query into one.
   */
  #outgoing: Buffer[] = [];
  #outgoingBytes = 0;
  /** Too much is unsent: nothing is read until it has gone. */
  #blocked = false;
  #ended = false;
  /** Number of the message that is with main, or 0: what comes behind it waits. */
  #deferred = 0;
  readonly #onTimeout: (reason: Timeout) => void;
  #timer: NodeJS.Timeout;
  /** What is waited for. */
  #awaited: Timeout = 'idle';
  /** Since when, as `performance.now()` counts; Infinity: for main, not for the client. */
  #since = 0;

  constructor(socket: Socket, limits: TcpLimits, answering: Answering, onTimeout: (reason: Timeout) => void) {
    this.#socket = socket;
    this.#limits = limits;
    this.#answering = answering;
    this.#onTimeout = onTimeout;
    this.#timer = this.#expect('idle');
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('end', () => {
      this.#ended = true;
      if (!socket.isPaused()) this.#finish();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(this.#timer);
      if (this.#deferred !== 0) answering.cancel(this.#deferred);
    });
  }

  #receive(chunk: Buffer): void {
    const begun = this.#rest !== null;
    this.#answer(this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]), begun);
  }

  /**
   * Answers the whole messages in `bytes` until as much as may wait to be sent is there, since short queries can ask for long responses. Keeps what
   * is left. `begun`: its first message had begun to arrive before.
   */
  #answer(bytes: Buffer, begun: boolean): void {
    const socket = this.#socket;
    const answering = this.#answering;
    const outgoing = this.#outgoing;
    const { packet } = answering;
    const before = outgoing.length;
    let unsent = socket.writableLength + this.#outgoingBytes;
    let at = 0;
    while (unsent <= MAX_UNSENT && bytes.length - at >= LENGTH) {
      const length = bytes.readUInt16BE(at);
      if (bytes.length - at < LENGTH + length) break;
      packet.set(bytes.subarray(at + LENGTH, at + LENGTH + length));
      at += LENGTH + length;
      let size = answering.respond(length);
      if (size === DEFERRED) {
        this.#deferred = answering.defer(length, this);
        if (this.#deferred !== 0) break;
        size = answering.refuse();
      }
      // What deserves silence over UDP is no DNS client over TCP. What was asked before it is answered.
      if (size === 0) {
        this.#flush();
        socket.pause();
        this.#rest = null;
        this.#ended = true;
        socket.destroySoon();
        return;
      }
      const response = Buffer.allocUnsafe(LENGTH + size);
      response.writeUInt16BE(size);
      response.set(packet.subarray(0, size), LENGTH);
      outgoing.push(response);
      this.#outgoingBytes += LENGTH + size;
      unsent += LENGTH + size;
    }
    this.#rest = at === bytes.length ? null : Buffer.from(bytes.subarray(at));
    // A query must arrive whole in the time that its first byte started; only a new one starts it anew.
    if (this.#rest === null) this.#restart('idle');
    else if (!begun || at > 0) this.#restart('slow');
    if (this.#deferred !== 0) {
      socket.pause();
      // Main has its own bounds; what it waits for is timed when it is sent.
      clearTimeout(this.#timer);
      this.#since = Number.POSITIVE_INFINITY;
    } else if (unsent > MAX_UNSENT) {
      socket.pause();
      this.#restart('slow');
      this.#blocked = true;
      this.#flush();
      return;
    }
    if (before === 0 && outgoing.length > 0) setImmediate(() => this.#flush());
  }

  /** Writes what is outgoing. */
  #flush(): void {
    const socket = this.#socket;
    const outgoing = this.#outgoing;
    if (outgoing.length === 0 || socket.destroyed) return;
    this.#outgoing = [];
    this.#outgoingBytes = 0;
    // Not 'drain', which does not come for what could be sent at once.
    socket.write(outgoing.length === 1 ? outgoing[0] : Buffer.concat(outgoing), () => {
      if (!this.#blocked || socket.writableLength + this.#outgoingBytes > 0) return;
      this.#blocked = false;
      // Other connections take their turn before the next messages of this one.
      setImmediate(() => this.#sent());
    });
  }

  /** Closes our side behind what is outgoing. */
  #finish(): void {
    this.#flush();
    this.#socket.end();
  }

  /** What was waiting to be sent has gone. */
  #sent(): void {
    const socket = this.#socket;
    const rest = this.#rest;
    if (socket.destroyed) return;
    socket.resume();
    this.#rest = null;
    if (rest === null) this.#restart('idle');
    else this.#answer(rest, false);
    if (this.#ended && !socket.isPaused()) this.#finish();
  }

  /** A message of main's answer. */
  take(message: Uint8Array): void {
    const socket = this.#socket;
    const answering = this.#answering;
    const deferred = this.#deferred;
    if (socket.destroyed || deferred === 0) return;
    const frame = Buffer.allocUnsafe(LENGTH + message.length);
    frame.writeUInt16BE(message.length);
    frame.set(message, LENGTH);
    this.#flush();
    this.#restart('slow');
    socket.write(frame, () => {
      clearTimeout(this.#timer);
      this.#since = Number.POSITIVE_INFINITY;
      answering.next(deferred);
    });
  }

  /** The end of main's answer. */
  end(failed: boolean): void {
    this.#deferred = 0;
    if (failed) this.#socket.destroy();
    else setImmediate(() => this.#sent());
  }

  /** Closes the connection when nothing has come from the client, or nothing was taken by it, for a while. False when there was something. */
  makeRoom(): boolean {
    if (performance.now() - this.#since < QUIET_MS) return false;
    this.#onTimeout(this.#awaited);
    this.#socket.destroy();
    return true;
  }

  #restart(otherwise: Timeout): void {
    clearTimeout(this.#timer);
    this.#timer = this.#expect(otherwise);
  }

  #expect(otherwise: Timeout): NodeJS.Timeout {
    const { idleTimeout, queryTimeout } = this.#limits;
    this.#awaited = otherwise;
    this.#since = performance.now();
    return setTimeout(
      () => {
        this.#onTimeout(otherwise);
        this.#socket.destroy();
      },
      otherwise === 'idle' ? idleTimeout : queryTimeout,
    );
  }
}
