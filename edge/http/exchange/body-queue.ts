/**
 * The body of a request between the connection, which brings parts as they come, and the handler,
 * which takes them as it can.
 */
import { type AbortCause, AbortError, type BodyFlow, type BodySink, type RequestBody } from './exchange.ts';
import type { FieldList } from './field-list.ts';
import { Parts } from './parts.ts';

const NONE: FieldList = [];
const END = Promise.resolve(null);

/** The events that the connection receives. */
export interface BodySource {
  /** The handler asks for the first time. */
  onFirstRead(): void;
  /** This many bytes have left the queue, taken or dropped: as many more may come. */
  onTaken(data: number): void;
}

export class BodyQueue implements RequestBody, BodyFlow {
  readonly length: number | undefined;
  /** Bytes that wait here. */
  buffered = 0;
  /** Bytes that have come, in all. */
  received = 0;
  /** The end has come: whole, or before its time. */
  isComplete = false;
  isDiscarding = false;
  /** Of what has come, that which came before it was dropped. */
  receivedBefore = 0;
  trailers: FieldList = NONE;
  readonly #source: BodySource;
  readonly #parts = new Parts();
  #isRead = false;
  #failure: AbortError | undefined;
  #resolve: ((part: Uint8Array | null) => void) | undefined;
  #reject: ((error: AbortError) => void) | undefined;
  /** To whom parts go as they come. */
  #sink: BodySink | undefined;
  /** The sink takes no more for now. */
  #isHeld = false;

  constructor(source: BodySource, length: number | undefined) {
    this.#source = source;
    this.length = length;
  }

  /** Parts that wait here. */
  get parts(): number {
    return this.#parts.count;
  }

  /** The handler waits for a part that has not come. */
  get isWaiting(): boolean {
    return this.#resolve !== undefined || (this.#sink !== undefined && !this.#isHeld);
  }

  read(): Promise<Uint8Array | null> {
    this.#asked();
    const part = this.#parts.shift();
    if (part !== undefined) {
      this.buffered -= part.length;
      this.#source.onTaken(part.length);
      return Promise.resolve(part);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.isComplete || this.isDiscarding) return END;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  flow(sink: BodySink): BodyFlow {
    this.#asked();
    this.#sink = sink;
    this.resume();
    return this;
  }

  resume(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#isHeld = false;
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift()) {
      this.buffered -= part.length;
      this.#give(sink, part);
      if (this.#isHeld || this.#sink !== sink) return;
    }
    if (this.#failure !== undefined || this.isComplete || this.isDiscarding) this.#over(this.#failure ?? null);
  }

  #give(sink: BodySink, part: Uint8Array): void {
    if (!sink.onPart(part)) this.#isHeld = true;
    this.#source.onTaken(part.length);
  }

  #asked(): void {
    if (this.#resolve !== undefined || this.#sink !== undefined)
      throw new Error('A part of the body is being read already.');
    if (this.#isRead) return;
    this.#isRead = true;
    this.#source.onFirstRead();
  }

  /**
   * What waits here and what comes is dropped; a read that waits, and every later one, says the
   * end.
   */
  discard(): void {
    if (this.isDiscarding) return;
    this.isDiscarding = true;
    this.receivedBefore = this.received;
    const buffered = this.#drop();
    this.#over(null);
    if (buffered > 0) this.#source.onTaken(buffered);
  }

  /** From the connection: the next part, not empty; the bytes are the reader's from here on. */
  push(part: Uint8Array): void {
    this.#accept(part, false);
  }

  /**
   * The same, but the bytes are there during the call only: they are copied, unless they are given
   * on or dropped within it.
   */
  lend(part: Uint8Array): void {
    this.#accept(part, true);
  }

  #accept(bytes: Uint8Array, isLent: boolean): void {
    this.received += bytes.length;
    if (this.isDiscarding || this.isComplete) {
      this.#source.onTaken(bytes.length);
      return;
    }
    // Behind what waits here: the connection may bring more within the call that tells it of what
    // was taken.
    if (this.#sink !== undefined && !this.#isHeld && this.#parts.count === 0) {
      this.#give(this.#sink, bytes);
      return;
    }
    // What waits has memory of its own, since the one that Buffer.from shares out would be held by
    // its least part.
    const part = !isLent ? bytes : this.#resolve !== undefined ? Buffer.from(bytes) : ownCopy(bytes);
    if (this.#resolve !== undefined) {
      this.#settle(part);
      this.#source.onTaken(part.length);
    } else {
      this.buffered += part.length;
      this.#parts.push(part);
    }
  }

  /** From the connection: that was all. */
  finish(trailers: FieldList = NONE): void {
    if (this.isComplete) return;
    this.isComplete = true;
    this.trailers = trailers;
    if (this.#parts.count === 0) this.#over(null);
  }

  /**
   * From the connection: the exchange has ended. What waits here is dropped, and a handler that has
   * not taken the whole learns it from every read: a part cannot be distinguished from the whole.
   * Who has it all, or wants no more, hears of an end.
   */
  fail(cause: AbortCause): void {
    const hasAll = this.isComplete && this.#parts.count === 0;
    this.isComplete = true;
    if (hasAll || this.isDiscarding || this.#failure !== undefined) return;
    this.#drop();
    this.#failure = new AbortError(cause);
    this.#over(this.#failure);
  }

  /** Tells who waits. */
  #over(failure: AbortError | null): void {
    const [sink, resolve, reject] = [this.#sink, this.#resolve, this.#reject];
    this.#sink = undefined;
    this.#resolve = undefined;
    this.#reject = undefined;
    sink?.onOver(failure);
    if (failure === null) resolve?.(null);
    else reject?.(failure);
  }

  /** Returns how many bytes waited here. */
  #drop(): number {
    const { buffered } = this;
    this.#parts.clear();
    this.buffered = 0;
    return buffered;
  }

  #settle(part: Uint8Array | null): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    this.#reject = undefined;
    resolve?.(part);
  }
}

function ownCopy(part: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(part.length);
  copy.set(part);
  return copy;
}

/** Of a request without one; the same for all. */
export const NO_BODY: RequestBody = Object.freeze({
  length: 0,
  trailers: NONE,
  read: () => END,
  discard: () => {},
});
