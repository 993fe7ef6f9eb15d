/**
 * The body of a request on its way to an origin. It outlives a stream that the origin refused: what
 * was sent is kept, up to a limit, and sent once more over the next one.
 */
import type { BodyFlow, BodySink, RequestBody } from '../../http/exchange/exchange.ts';

/** Bytes that are kept for a retry. */
const MOST_KEPT = 16_384;

/** A stream, as the body that it sends sees it. */
export interface UploadTarget {
  /** The bytes are there during the call only. False: no more until `resume`. */
  sendPart(part: Uint8Array): boolean;
  sendEnd(): void;
  /** The visitor's body broke off, or is not as long as announced. */
  onBodyLost(why: string): void;
}

export class Upload implements BodySink {
  /** Bytes that the visitor has brought. */
  received = 0;
  /** All of it has been handed to the stream. */
  isDone = false;
  readonly #body: RequestBody;
  /** Null between two streams, and after the end. */
  #target: UploadTarget | null = null;
  #flow: BodyFlow | undefined;
  #isBegun = false;
  /** The visitor has brought everything. */
  #isComplete = false;
  #isReading = false;
  #isStopped = false;
  /** What was sent, for a retry; null: it was too much. */
  #kept: Uint8Array[] | null = [];
  #keptBytes = 0;

  constructor(body: RequestBody) {
    this.#body = body;
  }

  /** Whether all that was sent can be sent once more. */
  get canRepeat(): boolean {
    return this.#kept !== null;
  }

  /** `target` gets the body from its beginning. */
  attach(target: UploadTarget): void {
    this.#target = target;
    this.isDone = false;
    let takesMore = true;
    for (const part of this.#kept ?? []) takesMore = target.sendPart(part) && takesMore;
    if (this.#target !== target) return;
    if (this.#isComplete) this.#end();
    else if (!this.#isBegun) this.#begin();
    else if (takesMore) this.resume();
  }

  /** The stream is over, and another may follow. */
  detach(): void {
    this.#target = null;
  }

  /** No stream follows. */
  stop(): void {
    this.#target = null;
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#kept = null;
    if (!this.#isComplete) this.#body.discard();
  }

  /** The origin has begun to respond: there will be no retry. */
  forget(): void {
    this.#kept = null;
  }

  /** The stream takes more. */
  resume(): void {
    if (this.#isComplete || this.#isStopped) return;
    if (this.#body.flow === undefined) this.#read();
    else this.#flow?.resume();
  }

  onPart(part: Uint8Array): boolean {
    if (this.#isStopped) return true;
    this.received += part.length;
    const { length } = this.#body;
    if (length !== undefined && this.received > length) {
      this.#lose('the body is longer than its content-length');
      return true;
    }
    this.#keep(part);
    // Between two streams it waits, if it is not kept.
    return this.#target?.sendPart(part) ?? false;
  }

  onOver(error: Error | null): void {
    if (this.#isStopped) return;
    const { length } = this.#body;
    if (error !== null) this.#lose('the visitor disconnected');
    else if (length !== undefined && this.received < length) this.#lose('the body is shorter than its content-length');
    else {
      this.#isComplete = true;
      this.#end();
    }
  }

  #begin(): void {
    this.#isBegun = true;
    if (this.#body.flow === undefined) this.#read();
    else this.#flow = this.#body.flow(this);
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#body.read().then(
      (part) => {
        this.#isReading = false;
        if (part === null) this.onOver(null);
        else if (this.onPart(part) && !this.#isStopped) this.#read();
      },
      (error: Error) => this.onOver(error),
    );
  }

  #keep(part: Uint8Array): void {
    if (this.#kept === null) return;
    this.#keptBytes += part.length;
    // Between two streams nothing is sent yet.
    if (this.#keptBytes > MOST_KEPT && this.#target !== null) this.#kept = null;
    else this.#kept.push(Buffer.from(part));
  }

  #end(): void {
    const target = this.#target;
    if (target === null) return;
    this.isDone = true;
    target.sendEnd();
  }

  #lose(why: string): void {
    this.#isStopped = true;
    this.#target?.onBodyLost(why);
  }
}
