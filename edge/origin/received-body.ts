/**
 * The body of a response between the connection, which brings parts as they come, and its reader.
 * What arrived before a fault is read before the fault.
 */

import type { BodyFlow, BodySink } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { Parts } from '../http/exchange/parts.ts';
import type { OriginBody, OriginError } from './origin.ts';

const NONE: FieldList = [];
const END = Promise.resolve(null);

/** Bytes that wait for their reader before no more are taken from the origin. */
const MOST_WAITING = 131_072;

/** The connection, as long as the body is not whole. */
export interface ReceivedBodySource {
  /** There is room again, after `isFull`. */
  onRoom(): void;
  /** Nobody wants the rest. */
  onCancelled(): void;
}

export class ReceivedBody implements OriginBody, BodyFlow {
  readonly length: number | undefined;
  trailers: FieldList = NONE;
  /** Null once no more comes. */
  #source: ReceivedBodySource | null;
  readonly #parts = new Parts();
  /** The only part, still in the buffer of the read. Null: it was taken or copied. */
  #borrowed: Uint8Array | null = null;
  #waiting = 0;
  #isFull = false;
  #failure: OriginError | null = null;
  /** To whom parts go as they come. */
  #sink: BodySink | null = null;
  #resolve: ((part: Uint8Array | null) => void) | null = null;
  #reject: ((error: OriginError) => void) | null = null;

  constructor(source: ReceivedBodySource, length: number | undefined) {
    this.#source = source;
    this.length = length;
  }

  /** The reader does not keep up: no more is to be brought until `onRoom`. */
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
    this.#waiting = 0;
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
      this.#waiting = 0;
      const takesMore = sink.onPart(borrowed);
      if (this.#sink !== sink) return;
      if (!takesMore) {
        this.#isFull = true;
        return;
      }
    }
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift()) {
      this.#waiting -= part.length;
      const takesMore = sink.onPart(part);
      if (this.#sink !== sink) return;
      if (takesMore) continue;
      // What follows comes when the rest of these has been taken.
      this.#isFull = true;
      return;
    }
    this.#isFull = false;
    if (this.#source === null) this.#over(this.#failure);
    else if (wasFull) this.#source.onRoom();
  }

  cancel(): void {
    const source = this.#source;
    this.#source = null;
    this.#parts.clear();
    this.#borrowed = null;
    this.#waiting = 0;
    this.#failure = null;
    this.#over(null);
    source?.onCancelled();
  }

  #shift(): Uint8Array | undefined {
    this.own();
    const part = this.#parts.shift();
    if (part === undefined) return undefined;
    this.#waiting -= part.length;
    // With half of it gone, so that reading does not stop and go at every part.
    if (this.#isFull && this.#waiting <= MOST_WAITING / 2) {
      this.#isFull = false;
      this.#source?.onRoom();
    }
    return part;
  }

  /**
   * From the connection: not empty; the bytes are valid during the call only. `isBorrowable`: they
   * are valid until `own` is called.
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
    this.#waiting += bytes.length;
    if (this.#waiting >= MOST_WAITING) this.#isFull = true;
  }

  /** From the connection: the buffer of the read is about to be reused. */
  own(): void {
    const borrowed = this.#borrowed;
    if (borrowed === null) return;
    this.#borrowed = null;
    this.#parts.push(copyOf(borrowed));
  }

  /** From the connection: that was all. */
  finish(trailers: FieldList): void {
    this.#source = null;
    this.trailers = trailers;
    if (this.#isEmpty()) this.#over(null);
  }

  /** From the connection: no more comes, though more should. */
  fail(error: OriginError): void {
    if (this.#source === null) return;
    this.#source = null;
    this.#failure = error;
    if (this.#isEmpty()) this.#over(error);
  }

  /** No getter: V8 calls its runtime for each read of a private one. */
  #isEmpty(): boolean {
    return this.#parts.count === 0 && this.#borrowed === null;
  }

  /** Tells who waits. */
  #over(error: OriginError | null): void {
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
