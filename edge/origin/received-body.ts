/**
 * A response body, between the connection that pushes parts and the reader. Bytes that arrived
 * before a fault are read before the fault.
 */

import type { BodyFlow, BodySink } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { Parts } from '../http/exchange/parts.ts';
import type { OriginBody, OriginError } from './origin.ts';

const NONE: FieldList = [];
const END = Promise.resolve(null);

/** Buffered bytes at which the body pauses the connection. */
const MOST_WAITING = 131_072;

/** The connection, until the body is complete. */
export interface ReceivedBodySource {
  /** The buffer has room again, after `isFull`. */
  onRoom(): void;
  /** The reader cancelled the body. */
  onCancelled(): void;
}

export class ReceivedBody implements OriginBody, BodyFlow {
  readonly length: number | undefined;
  trailers: FieldList = NONE;
  /** Null after the end, a failure or a cancellation. */
  #source: ReceivedBodySource | null;
  readonly #parts = new Parts();
  /** The only part, still in the read buffer. Null: it was taken or copied. */
  #borrowed: Uint8Array | null = null;
  #buffered = 0;
  #isFull = false;
  #failure: OriginError | null = null;
  /** Receives parts as they arrive. */
  #sink: BodySink | null = null;
  #resolve: ((part: Uint8Array | null) => void) | null = null;
  #reject: ((error: OriginError) => void) | null = null;

  constructor(source: ReceivedBodySource, length: number | undefined) {
    this.#source = source;
    this.length = length;
  }

  /** Back pressure: the connection must pause until `onRoom`. */
  get isFull(): boolean {
    return this.#isFull;
  }

  readNow(): Uint8Array | null | undefined {
    const part = this.#shift();
    if (part !== undefined) return part;
    if (this.#failure !== null) throw this.#failure;
    return this.#source === null ? null : undefined;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#resolve !== null) throw new Error('A part of the body is being read already.');
    const part = this.#shift();
    if (part !== undefined) return Promise.resolve(part);
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#source === null) return END;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  takeWhole(): Uint8Array | undefined {
    const part = this.#borrowed;
    if (part === null || this.#source !== null || this.#failure !== null) return undefined;
    this.#borrowed = null;
    this.#buffered = 0;
    return part;
  }

  flow(sink: BodySink): BodyFlow {
    if (this.#resolve !== null || this.#sink !== null) throw new Error('A part of the body is being read already.');
    this.#sink = sink;
    this.resume();
    return this;
  }

  resume(): void {
    const sink = this.#sink;
    if (sink === null) return;
    const wasFull = this.#isFull;
    const borrowed = this.#borrowed;
    if (borrowed !== null) {
      this.#borrowed = null;
      this.#buffered = 0;
      const takesMore = sink.onPart(borrowed);
      if (this.#sink !== sink) return;
      if (!takesMore) {
        this.#isFull = true;
        return;
      }
    }
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift()) {
      this.#buffered -= part.length;
      const takesMore = sink.onPart(part);
      if (this.#sink !== sink) return;
      if (takesMore) continue;
      // The connection resumes after the sink has taken the remaining parts.
      this.#isFull = true;
      return;
    }
    this.#isFull = false;
    if (this.#source === null) this.#notifyEnd(this.#failure);
    else if (wasFull) this.#source.onRoom();
  }

  cancel(): void {
    const source = this.#source;
    this.#source = null;
    this.#parts.clear();
    this.#borrowed = null;
    this.#buffered = 0;
    this.#failure = null;
    this.#notifyEnd(null);
    source?.onCancelled();
  }

  #shift(): Uint8Array | undefined {
    this.own();
    const part = this.#parts.shift();
    if (part === undefined) return undefined;
    this.#buffered -= part.length;
    // Resumes when half of the buffer is free, so that reading does not pause after every part.
    if (this.#isFull && this.#buffered <= MOST_WAITING / 2) {
      this.#isFull = false;
      this.#source?.onRoom();
    }
    return part;
  }

  /**
   * From the connection. `bytes`: not empty, valid during the call only. `isBorrowable`: valid
   * until `own` is called.
   */
  push(bytes: Uint8Array, isBorrowable = false): void {
    if (this.#sink !== null && !this.#isFull) {
      if (!this.#sink.onPart(bytes)) this.#isFull = true;
      return;
    }
    if (this.#resolve !== null) {
      this.#settle(copyOf(bytes));
      return;
    }
    this.own();
    if (isBorrowable && this.#parts.count === 0) this.#borrowed = bytes;
    else this.#parts.push(copyOf(bytes));
    this.#buffered += bytes.length;
    if (this.#buffered >= MOST_WAITING) this.#isFull = true;
  }

  /** From the connection: the buffer of the read is about to be reused. */
  own(): void {
    const borrowed = this.#borrowed;
    if (borrowed === null) return;
    this.#borrowed = null;
    this.#parts.push(copyOf(borrowed));
  }

  /** From the connection: the body is complete. */
  finish(trailers: FieldList): void {
    this.#source = null;
    this.trailers = trailers;
    if (this.#isEmpty()) this.#notifyEnd(null);
  }

  /** From the connection: the body is truncated. */
  fail(error: OriginError): void {
    if (this.#source === null) return;
    this.#source = null;
    this.#failure = error;
    if (this.#isEmpty()) this.#notifyEnd(error);
  }

  /** Not a getter: V8 calls into its runtime for each access of a private getter. */
  #isEmpty(): boolean {
    return this.#parts.count === 0 && this.#borrowed === null;
  }

  /** Notifies the sink or the pending read. */
  #notifyEnd(error: OriginError | null): void {
    const sink = this.#sink;
    const reject = this.#reject;
    this.#sink = null;
    sink?.onOver(error);
    if (error === null) this.#settle(null);
    else {
      this.#resolve = null;
      this.#reject = null;
      reject?.(error);
    }
  }

  #settle(part: Uint8Array | null): void {
    const resolve = this.#resolve;
    this.#resolve = null;
    this.#reject = null;
    resolve?.(part);
  }
}

function copyOf(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafe(bytes.length);
  copy.set(bytes);
  return copy;
}
