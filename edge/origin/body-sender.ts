/**
 * Sends a request body to the origin. Reads it from the visitor as fast as the origin accepts it.
 * Uses the framing that the head announced.
 */
import type { BodyFlow, BodySink, RequestBody } from '../http/exchange/exchange.ts';
import { BUFFER, giveBuffer, takeBuffer } from '../http/transport/buffers.ts';
import type { OriginTunnel } from './origin.ts';
import { fieldLines } from './request-head.ts';
import type { OriginSocket } from './sockets.ts';

/** Maximum bytes of a request that is kept for a retry. */
const MAX_IMAGE = 16_384;

/** The connection of a sender. */
export interface SenderOwner {
  /** Bytes were written, or the origin accepts bytes again. */
  onSent(): void;
  /** The whole body is written. */
  onBodyEnd(): void;
  /** The visitor's body is truncated, or its length differs from the announced one. */
  onBodyLost(why: string): void;
}

export class BodySender implements BodySink {
  isDone = false;
  /** Back pressure: the socket has bytes that the origin has not accepted. */
  isBlocked = false;
  /** Bytes of the body received from the visitor. */
  received = 0;
  readonly #socket: OriginSocket;
  readonly #output: WriteBuffer;
  readonly #body: RequestBody;
  readonly #owner: SenderOwner;
  readonly #isChunked: boolean;
  /** Remaining bytes of the announced length. */
  #remaining: number;
  #isFlushDue = true;
  /** Reading is paused until the socket has drained. */
  #isPaused = false;
  #isStopped = false;
  #flow: BodyFlow | undefined;
  readonly #onPart = (part: Uint8Array | null): void => this.#take(part);
  readonly #onFailure = (): void => this.#lose('the visitor disconnected');

  /** `keeps`: the request may have to be sent again. */
  constructor(socket: OriginSocket, head: string, body: RequestBody, owner: SenderOwner, keeps: boolean) {
    this.#socket = socket;
    this.#output = new WriteBuffer(socket, keeps ? MAX_IMAGE : 0);
    this.#body = body;
    this.#owner = owner;
    this.#isChunked = body.length === undefined;
    this.#remaining = body.length ?? 0;
    this.#output.addText(head);
  }

  /** The whole request with its head; null: it is not sent to its end, too large, or not kept. */
  get image(): Uint8Array | null {
    return this.isDone ? this.#output.kept : null;
  }

  /** A part that is available, or arrives in the same read, goes out with the head in one write. */
  start(): void {
    queueMicrotask(() => this.#flush());
    if (this.#body.flow === undefined) this.#pull();
    else this.#flow = this.#body.flow(this);
  }

  /** The socket has drained. */
  resume(): void {
    this.#output.left();
    if (!this.isBlocked) return;
    this.isBlocked = false;
    this.#owner.onSent();
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#body.flow === undefined) this.#pull();
    else this.#flow?.resume();
  }

  /** Stops sending, and discards the rest of the visitor's body. */
  stop(): void {
    if (this.#isStopped || this.isDone) return;
    this.#isStopped = true;
    this.isBlocked = false;
    this.#body.discard();
  }

  #pull(): void {
    this.#body.read().then(this.#onPart, this.#onFailure);
  }

  #take(part: Uint8Array | null): void {
    if (part === null) this.#end();
    else if (this.onPart(part) && !this.#isStopped && !this.isDone) this.#pull();
  }

  onPart(part: Uint8Array): boolean {
    if (this.#isStopped) return true;
    if (!this.#isChunked && part.length > this.#remaining) {
      this.#lose('the body is longer than its content-length');
      return true;
    }
    this.received += part.length;
    this.#put(part);
    if (!this.#isChunked && this.#remaining === 0) {
      this.#finish();
      return true;
    }
    this.isBlocked = this.#socket.isFull;
    this.#isPaused = this.isBlocked;
    if (!this.#isFlushDue) {
      this.#isFlushDue = true;
      queueMicrotask(() => this.#flush());
    }
    this.#owner.onSent();
    return !this.#isPaused;
  }

  onOver(error: Error | null): void {
    if (error === null) this.#end();
    else this.#onFailure();
  }

  #put(part: Uint8Array): void {
    // An empty chunk would end the body.
    if (part.length === 0) return;
    const output = this.#output;
    if (this.#isChunked) output.addText(`${part.length.toString(16)}\r\n`);
    output.addBytes(part);
    if (this.#isChunked) output.addText('\r\n');
    this.#remaining -= part.length;
  }

  #flush(): void {
    this.#isFlushDue = false;
    if (this.#isStopped || this.isDone) return;
    this.#output.flush();
    if (!this.#socket.isFull || this.isBlocked) return;
    this.isBlocked = true;
    this.#owner.onSent();
  }

  #end(): void {
    if (this.#isStopped || this.isDone) return;
    if (!this.#isChunked) {
      if (this.#remaining > 0) this.#lose('the body is shorter than its content-length');
      else this.#finish();
      return;
    }
    let trailers: string;
    try {
      trailers = fieldLines(this.#body.trailers);
    } catch {
      this.#lose('trailers that can be none');
      return;
    }
    this.#output.addText(`0\r\n${trailers}\r\n`);
    this.#finish();
  }

  #finish(): void {
    this.#output.flush();
    this.isDone = true;
    this.#owner.onBodyEnd();
  }

  #lose(why: string): void {
    if (this.#isStopped || this.isDone) return;
    this.#isStopped = true;
    this.#owner.onBodyLost(why);
  }
}

/**
 * Gathers the bytes for an origin into one write, in pooled buffers. A body arrives in parts of one
 * frame each, many in one turn of the event loop. A write for each costs a system call, and a
 * buffer for each costs garbage collection.
 */
export class WriteBuffer {
  readonly #socket: OriginSocket;
  /** The buffer of the next write; null: empty. */
  #memory: Buffer | null = null;
  #used = 0;
  /** Written buffers that the socket may still be sending. */
  #written: Buffer[] = [];
  /** Copies of all written bytes; null: they are not kept. */
  #kept: Buffer[] | null;
  /** Bytes that may still be kept. */
  #keepable: number;

  /** `keepable`: maximum bytes of which a copy is kept. */
  constructor(socket: OriginSocket, keepable = 0) {
    this.#socket = socket;
    this.#keepable = keepable;
    this.#kept = keepable > 0 ? [] : null;
  }

  /** All written bytes; null: they are not kept. */
  get kept(): Uint8Array | null {
    return this.#kept === null ? null : Buffer.concat(this.#kept);
  }

  /** Adds Latin-1 text. */
  addText(text: string): void {
    if (text.length <= BUFFER - this.#used) this.#used += this.#room().write(text, this.#used, 'latin1');
    else this.addBytes(Buffer.from(text, 'latin1'));
  }

  /** Copies the bytes, which are valid during the call only. */
  addBytes(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const room = this.#room();
      const length = Math.min(bytes.length - from, BUFFER - this.#used);
      room.set(from === 0 && length === bytes.length ? bytes : bytes.subarray(from, from + length), this.#used);
      this.#used += length;
      from += length;
      if (this.#used === BUFFER) this.flush();
    }
  }

  /** Writes the gathered bytes. */
  flush(): void {
    const memory = this.#memory;
    if (memory === null) return;
    const bytes = memory.subarray(0, this.#used);
    this.#keepable -= this.#used;
    if (this.#keepable < 0) this.#kept = null;
    else this.#kept?.push(Buffer.from(bytes));
    this.#memory = null;
    this.#used = 0;
    if (this.#socket.write(bytes)) giveBuffer(memory);
    else this.#written.push(memory);
  }

  /** All written bytes were sent: the buffers return to their pool. */
  left(): void {
    for (const memory of this.#written) giveBuffer(memory);
    this.#written = [];
  }

  #room(): Buffer {
    this.#memory ??= takeBuffer();
    return this.#memory;
  }
}

/**
 * The sending side of an upgraded connection (RFC 9110 section 7.8). The response body is the
 * receiving side.
 */
export class SocketTunnel implements OriginTunnel {
  readonly #socket: OriginSocket;
  readonly #destroy: () => void;
  #listener: (() => void) | null = null;

  /** `destroy`: closes the connection, including the receiving side. */
  constructor(socket: OriginSocket, destroy: () => void) {
    this.#socket = socket;
    this.#destroy = destroy;
  }

  write(chunk: Uint8Array): boolean {
    return this.#socket.isWritable ? this.#socket.write(chunk) : true;
  }

  end(): void {
    if (this.#socket.isWritable) this.#socket.end();
  }

  onDrain(listener: () => void): void {
    this.#listener = listener;
  }

  destroy(): void {
    this.#destroy();
  }

  drained(): void {
    this.#listener?.();
  }
}
