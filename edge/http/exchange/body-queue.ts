/**
 * Queues a request body between the connection, which pushes parts as they arrive, and the handler,
 * which reads them at its own pace.
 */
import { type AbortCause, AbortError, type BodyFlow, type BodySink, type RequestBody } from './exchange.ts';
import type { FieldList } from './field-list.ts';
import { Parts } from './parts.ts';

const NONE: FieldList = [];
const END = Promise.resolve(null);

/** Events for the connection. */
export interface BodySource {
  /** The handler reads for the first time. */
  onFirstRead(): void;
  /** This many bytes were read or discarded. The client may send as many more. */
  onTaken(data: number): void;
}

export class BodyQueue implements RequestBody, BodyFlow {
  readonly length: number | undefined;
  /** Bytes. */
  buffered = 0;
  /** Total bytes received. */
  received = 0;
  /** The end was received, or the body was aborted. */
  isComplete = false;
  isDiscarding = false;
  /** Bytes received before `discard`. */
  receivedBefore = 0;
  trailers: FieldList = NONE;
  readonly #source: BodySource;
  readonly #parts = new Parts();
  #isRead = false;
  #failure: AbortError | undefined;
  #resolve: ((part: Uint8Array | null) => void) | undefined;
  #reject: ((error: AbortError) => void) | undefined;
  /** Receives parts as they arrive. */
  #sink: BodySink | undefined;
  /** The sink has asked for a pause. */
  #isSinkPaused = false;

  constructor(source: BodySource, length: number | undefined) {
    this.#source = source;
    this.length = length;
  }

  /** Number of buffered parts. */
  get parts(): number {
    return this.#parts.count;
  }

  /** The handler waits for the next part. */
  get isWaiting(): boolean {
    return this.#resolve !== undefined || (this.#sink !== undefined && !this.#isSinkPaused);
  }

  read(): Promise<Uint8Array | null> {
    this.#beginRead();
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
    this.#beginRead();
    this.#sink = sink;
    this.resume();
    return this;
  }

  resume(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#isSinkPaused = false;
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift()) {
      this.buffered -= part.length;
      this.#deliver(sink, part);
      if (this.#isSinkPaused || this.#sink !== sink) return;
    }
    if (this.#failure !== undefined || this.isComplete || this.isDiscarding) this.#notifyEnd(this.#failure ?? null);
  }

  #deliver(sink: BodySink, part: Uint8Array): void {
    if (!sink.onPart(part)) this.#isSinkPaused = true;
    this.#source.onTaken(part.length);
  }

  #beginRead(): void {
    if (this.#resolve !== undefined || this.#sink !== undefined)
      throw new Error('A part of the body is being read already.');
    if (this.#isRead) return;
    this.#isRead = true;
    this.#source.onFirstRead();
  }

  /** Discards buffered and future parts. A pending read and all later reads return the end. */
  discard(): void {
    if (this.isDiscarding) return;
    this.isDiscarding = true;
    this.receivedBefore = this.received;
    const buffered = this.#dropBuffered();
    this.#notifyEnd(null);
    if (buffered > 0) this.#source.onTaken(buffered);
  }

  /** From the connection: the next part, not empty. The reader owns its bytes. */
  push(part: Uint8Array): void {
    this.#accept(part, false);
  }

  /**
   * The same, but the bytes are valid during the call only. They are copied, unless the sink takes
   * them or they are discarded.
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
    // Buffered parts go first: the connection may push more from within `onTaken`.
    if (this.#sink !== undefined && !this.#isSinkPaused && this.#parts.count === 0) {
      this.#deliver(this.#sink, bytes);
      return;
    }
    // A buffered part has its own memory. Buffer.from uses a shared pool, and a small part would
    // keep all of that allocated.
    const part = !isLent ? bytes : this.#resolve !== undefined ? Buffer.from(bytes) : ownCopy(bytes);
    if (this.#resolve !== undefined) {
      this.#settle(part);
      this.#source.onTaken(part.length);
    } else {
      this.buffered += part.length;
      this.#parts.push(part);
    }
  }

  /** From the connection: the body is complete. */
  finish(trailers: FieldList = NONE): void {
    if (this.isComplete) return;
    this.isComplete = true;
    this.trailers = trailers;
    if (this.#parts.count === 0) this.#notifyEnd(null);
  }

  /**
   * From the connection: the exchange was aborted. Buffered parts are dropped. A handler that has
   * not read the whole body gets an AbortError from every read, so it cannot mistake a part for the
   * whole. A handler that has read it all, or has discarded the rest, gets the end.
   */
  fail(cause: AbortCause): void {
    const hasAll = this.isComplete && this.#parts.count === 0;
    this.isComplete = true;
    if (hasAll || this.isDiscarding || this.#failure !== undefined) return;
    this.#dropBuffered();
    this.#failure = new AbortError(cause);
    this.#notifyEnd(this.#failure);
  }

  /** Notifies the sink or the pending read of the end. */
  #notifyEnd(failure: AbortError | null): void {
    const [sink, resolve, reject] = [this.#sink, this.#resolve, this.#reject];
    this.#sink = undefined;
    this.#resolve = undefined;
    this.#reject = undefined;
    sink?.onOver(failure);
    if (failure === null) resolve?.(null);
    else reject?.(failure);
  }

  /** Returns the number of bytes dropped. */
  #dropBuffered(): number {
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

/** The body of every request without one. */
export const NO_BODY: RequestBody = Object.freeze({
  length: 0,
  trailers: NONE,
  read: () => END,
  discard: () => {},
});
