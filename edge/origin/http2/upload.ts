/**
 * The upload of a request body over HTTP/2. It outlives a stream that the origin refused: sent
 * parts are kept, up to a limit, and sent again over the next stream.
 */
import type { BodyFlow, BodySink, RequestBody } from '../../http/exchange/exchange.ts';

/** Maximum bytes that are kept for a retry. */
const MAX_KEPT_BYTES = 16_384;

/** The stream of an upload. */
export interface UploadTarget {
  /** The bytes are valid during the call only. False: pauses until `resume`. */
  sendPart(part: Uint8Array): boolean;
  sendEnd(): void;
  /** The visitor's body is truncated, or its length differs from the announced one. */
  onBodyLost(why: string): void;
}

export class Upload implements BodySink {
  /** Bytes received from the visitor. */
  received = 0;
  /** The whole body was passed to the stream. */
  isDone = false;
  readonly #body: RequestBody;
  /** Null between two streams, and after the end. */
  #target: UploadTarget | null = null;
  #flow: BodyFlow | undefined;
  #isBegun = false;
  /** The whole body was received from the visitor. */
  #isComplete = false;
  #isReading = false;
  #isStopped = false;
  /** Sent parts, for a retry; null: a retry is impossible or not needed. */
  #kept: Uint8Array[] | null = [];
  #keptBytes = 0;

  constructor(body: RequestBody) {
    this.#body = body;
  }

  /** Whether all sent parts can be sent again. */
  get canRepeat(): boolean {
    return this.#kept !== null;
  }

  /** Sends the body from its start to `target`. */
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

  /** The stream has ended, and another may follow. */
  detach(): void {
    this.#target = null;
  }

  /** Ends the upload: no stream follows. */
  stop(): void {
    this.#target = null;
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#kept = null;
    if (!this.#isComplete) this.#body.discard();
  }

  /** The origin has started its response, so no retry follows. */
  forget(): void {
    this.#kept = null;
  }

  /** The stream has room again. */
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
    // Without a stream, the part stays in `#kept`, and the body is paused.
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
    // Without a stream the part has not been sent, so it must be kept.
    if (this.#keptBytes > MAX_KEPT_BYTES && this.#target !== null) this.#kept = null;
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
