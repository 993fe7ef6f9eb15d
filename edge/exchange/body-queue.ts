/** The body of a request between the connection, which brings parts as they come, and the handler, which takes them as it can. */
import { type AbortCause, AbortError, type FieldList, type RequestBody } from './exchange.ts';
import { Parts } from './parts.ts';

const NONE: FieldList = [];
const END = Promise.resolve(null);

/** What the connection is told. */
export interface BodySource {
  /** The handler asks for the first time. */
  onFirstRead(): void;
  /** This many octets have left the queue, taken or dropped: as many more may come. */
  onTaken(octets: number): void;
}

export class BodyQueue implements RequestBody {
  readonly length: number | undefined;
  /** Octets that lie here. */
  buffered = 0;
  /** Octets that have come, in all. */
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

  constructor(source: BodySource, length: number | undefined) {
    this.#source = source;
    this.length = length;
  }

  /** Parts that lie here. */
  get parts(): number {
    return this.#parts.count;
  }

  /** The handler waits for a part that has not come. */
  get isWaiting(): boolean {
    return this.#resolve !== undefined;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#resolve !== undefined) throw new Error('A part of the body is being read already.');
    if (!this.#isRead) {
      this.#isRead = true;
      this.#source.onFirstRead();
    }
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

  /** What lies here and what comes is dropped; a read that waits, and every later one, says the end. */
  discard(): void {
    if (this.isDiscarding) return;
    this.isDiscarding = true;
    this.receivedBefore = this.received;
    const buffered = this.#drop();
    this.#settle(null);
    if (buffered > 0) this.#source.onTaken(buffered);
  }

  /** From the connection: the next part, not empty; the bytes are the reader's from here on. */
  push(part: Uint8Array): void {
    this.received += part.length;
    if (this.isDiscarding || this.isComplete) this.#source.onTaken(part.length);
    else if (this.#resolve !== undefined) {
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
    this.#settle(null);
  }

  /**
   * From the connection: the exchange has ended. What lies here is dropped, and a handler that has not taken the whole is told so by every read: a part can't
   * be told from the whole. Who has it all, or wants no more, hears of an end.
   */
  fail(cause: AbortCause): void {
    const hasAll = this.isComplete && this.#parts.count === 0;
    this.isComplete = true;
    if (hasAll || this.isDiscarding || this.#failure !== undefined) return;
    this.#drop();
    this.#failure = new AbortError(cause);
    const reject = this.#reject;
    this.#resolve = undefined;
    this.#reject = undefined;
    reject?.(this.#failure);
  }

  /** Returns how many octets lay here. */
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

/** Of a request without one; the same for all. */
export const NO_BODY: RequestBody = Object.freeze({
  length: 0,
  trailers: NONE,
  read: () => END,
  discard: () => {},
});
