/**
 * One client over TCP (RFC 7766). Each message follows two bytes with its length. A connection
 * carries any number of messages, which are answered in order.
 */
import type { Socket } from 'node:net';
import type { Client } from '../net/address/client.ts';
import { DEFERRED } from '../zone/answer/responder.ts';
import type { AnswerSink, ReplyPath } from './deferred-queue.ts';
import type { QueryHandler } from './query-handler.ts';
import type { TcpLimits } from './worker.ts';

/**
 * Unsent bytes after which the connection is no longer read. A connection holds at most this much
 * and one more message.
 */
const MAX_UNSENT = 64 * 1024;
const LENGTH = 2;
/**
 * When there are too many connections, one that has been waiting this many milliseconds may be
 * closed.
 */
export const QUIET_MS = 1000;

interface TcpConnectionParts {
  readonly socket: Socket;
  readonly client: Client;
  readonly handler: QueryHandler;
  /** Room for the message that is being answered. */
  readonly packet: Uint8Array;
}

/**
 * Why a connection was closed. `idle`: the client sent no query. `slow`: a query did not arrive
 * completely in time, or its response was not received in time.
 */
type Timeout = 'idle' | 'slow';

export class TcpConnection implements ReplyPath, AnswerSink {
  readonly #socket: Socket;
  readonly #parts: TcpConnectionParts;
  readonly #limits: TcpLimits;
  /** Received bytes that are not answered yet. They start with the length of a message. */
  #unanswered: Buffer | null = null;
  /**
   * Responses that are written together in the next turn of the event loop. Over TLS each record
   * arrives as separate data, and most clients put each query into its own record.
   */
  #outgoing: Buffer[] = [];
  #outgoingBytes = 0;
  /** Too many bytes are unsent. Nothing is read until they have been sent. */
  #isBlocked = false;
  #hasEnded = false;
  /** Number of the message that the main thread is answering, or 0. Later messages wait. */
  #deferred = 0;
  readonly #onTimeout: (reason: Timeout) => void;
  #timer: NodeJS.Timeout;
  /** The timeout that applies now. */
  #timeout: Timeout = 'idle';
  /**
   * Start of the wait for the client, by `performance.now()`. Infinity while waiting for the main
   * thread.
   */
  #waitingSince = 0;

  constructor(parts: TcpConnectionParts, limits: TcpLimits, onTimeout: (reason: Timeout) => void) {
    const { socket, handler } = parts;
    this.#socket = socket;
    this.#parts = parts;
    this.#limits = limits;
    this.#onTimeout = onTimeout;
    this.#timer = this.#startTimer('idle');
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('end', () => {
      this.#hasEnded = true;
      if (!socket.isPaused()) this.#finish();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(this.#timer);
      if (this.#deferred !== 0) handler.deferred?.cancel(this.#deferred);
    });
  }

  #receive(chunk: Buffer): void {
    const isContinued = this.#unanswered !== null;
    this.#answer(this.#unanswered === null ? chunk : Buffer.concat([this.#unanswered, chunk]), isContinued);
  }

  /**
   * Answers the complete messages in `bytes` and keeps the rest. Stops when MAX_UNSENT is exceeded,
   * because short queries can have long responses. `isContinued`: the first message had started to
   * arrive earlier.
   */
  #answer(bytes: Buffer, isContinued: boolean): void {
    const socket = this.#socket;
    const outgoing = this.#outgoing;
    const { handler, client, packet } = this.#parts;
    const before = outgoing.length;
    let unsent = socket.writableLength + this.#outgoingBytes;
    let at = 0;
    while (unsent <= MAX_UNSENT && bytes.length - at >= LENGTH) {
      const length = bytes.readUInt16BE(at);
      if (bytes.length - at < LENGTH + length) break;
      packet.set(bytes.subarray(at + LENGTH, at + LENGTH + length));
      at += LENGTH + length;
      const size = handler.answerSingle(packet, 0, length, client, this);
      if (size === DEFERRED) break;
      // A message that would be ignored over UDP is not DNS. Responses to earlier messages are
      // still sent.
      if (size === 0) {
        this.#flush();
        socket.pause();
        this.#unanswered = null;
        this.#hasEnded = true;
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
    this.#unanswered = at === bytes.length ? null : Buffer.from(bytes.subarray(at));
    // A query must arrive completely within queryTimeout of its first byte. Only a new query
    // restarts the timer.
    if (this.#unanswered === null) this.#restartTimer('idle');
    else if (!isContinued || at > 0) this.#restartTimer('slow');
    if (this.#deferred !== 0) {
      socket.pause();
      // The main thread has its own limits. The timer starts again when its response is written.
      clearTimeout(this.#timer);
      this.#waitingSince = Number.POSITIVE_INFINITY;
    } else if (unsent > MAX_UNSENT) {
      socket.pause();
      this.#restartTimer('slow');
      this.#isBlocked = true;
      this.#flush();
      return;
    }
    if (before === 0 && outgoing.length > 0) setImmediate(() => this.#flush());
  }

  /** Writes the outgoing responses. */
  #flush(): void {
    const socket = this.#socket;
    const outgoing = this.#outgoing;
    if (outgoing.length === 0 || socket.destroyed) return;
    this.#outgoing = [];
    this.#outgoingBytes = 0;
    // A callback, because 'drain' is not emitted for data that was sent immediately.
    socket.write(outgoing.length === 1 ? outgoing[0] : Buffer.concat(outgoing), () => {
      if (!this.#isBlocked || socket.writableLength + this.#outgoingBytes > 0) return;
      this.#isBlocked = false;
      // Other connections get their turn before the next messages of this one.
      setImmediate(() => this.#continue());
    });
  }

  /** Closes the sending side after the outgoing responses. */
  #finish(): void {
    this.#flush();
    this.#socket.end();
  }

  /** Continues after the unsent bytes have been sent. */
  #continue(): void {
    const socket = this.#socket;
    const rest = this.#unanswered;
    if (socket.destroyed) return;
    socket.resume();
    this.#unanswered = null;
    if (rest === null) this.#restartTimer('idle');
    else this.#answer(rest, false);
    if (this.#hasEnded && !socket.isPaused()) this.#finish();
  }

  /** The message waits for the main thread, which is answering it as request `id`. */
  replyTo(id: number): AnswerSink {
    this.#deferred = id;
    return this;
  }

  /** Sends one message of the main thread's answer. */
  write(message: Uint8Array): void {
    const socket = this.#socket;
    const deferred = this.#deferred;
    if (socket.destroyed || deferred === 0) return;
    const frame = Buffer.allocUnsafe(LENGTH + message.length);
    frame.writeUInt16BE(message.length);
    frame.set(message, LENGTH);
    this.#flush();
    this.#restartTimer('slow');
    socket.write(frame, () => {
      clearTimeout(this.#timer);
      this.#waitingSince = Number.POSITIVE_INFINITY;
      this.#parts.handler.deferred?.next(deferred);
    });
  }

  /** Ends the main thread's answer. */
  end(failed: boolean): void {
    this.#deferred = 0;
    if (failed) this.#socket.destroy();
    else setImmediate(() => this.#continue());
  }

  /** Start of the wait for the client, by `performance.now()`. Infinity: it waits for us. */
  get waitingSince(): number {
    return this.#waitingSince;
  }

  /** Closes the connection in favour of another client, as if its time were over. */
  makeRoom(): void {
    this.#onTimeout(this.#timeout);
    this.#socket.destroy();
  }

  #restartTimer(timeout: Timeout): void {
    clearTimeout(this.#timer);
    this.#timer = this.#startTimer(timeout);
  }

  #startTimer(timeout: Timeout): NodeJS.Timeout {
    const { idleTimeout, queryTimeout } = this.#limits;
    this.#timeout = timeout;
    this.#waitingSince = performance.now();
    return setTimeout(
      () => {
        this.#onTimeout(timeout);
        this.#socket.destroy();
      },
      timeout === 'idle' ? idleTimeout : queryTimeout,
    );
  }
}
