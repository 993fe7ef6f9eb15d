/**
 * Cuts what a client sends into frames, wherever the parts of it are cut (RFC 9113 section 4.1). A
 * frame that is whole in a part is given out where it is; one that doesn't is put together
 * first, in memory that grows as its bytes come: a header that announces much costs nothing. DATA
 * is not: it is given out as it comes, as the same bytes in more frames, since memory for a frame
 * of each read of an upload keeps the garbage collector busy (37 collections in 80 uploads of 10
 * MB, against 5).
 */
import { FLAG, FRAME, FRAME_HEADER, PREFACE } from './protocol.ts';

export interface FrameSink {
  /**
   * The payload is bytes[start, end), there during the call only. Of DATA that is cut, END_STREAM
   * comes with the last. Must not throw.
   */
  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void;
  /** The preface is none (section 3.4). Nothing is read after it. */
  badPreface(): void;
  /** A payload longer than what we allow (section 4.2). Nothing is read after it. */
  oversized(type: number): void;
}

export class FrameReader {
  readonly #sink: FrameSink;
  readonly #maxFrameSize: number;
  #prefaceAt = 0;
  /** Of a frame that is not whole; empty when there is none. */
  #partial: Buffer = NOTHING;
  #partialLength = 0;
  /**
   * Of a frame of DATA that is given out as it comes: bytes that have not, its flags and its
   * stream.
   */
  #rest = 0;
  #restFlags = 0;
  #restStreamId = 0;
  #isStopped = false;

  /** `maxFrameSize`: bytes of payload. `hasPreface`: what a client sends before its frames. */
  constructor(sink: FrameSink, maxFrameSize: number, hasPreface = true) {
    this.#sink = sink;
    this.#maxFrameSize = maxFrameSize;
    if (!hasPreface) this.#prefaceAt = PREFACE.length;
  }

  /** Of the frame that was given out last more is to come. */
  get isCut(): boolean {
    return this.#rest > 0;
  }

  /**
   * True while a preface or a frame has begun and is not whole, but for DATA that is given out as
   * it comes.
   */
  get isWithin(): boolean {
    return this.#partialLength > 0 || (this.#prefaceAt > 0 && this.#prefaceAt < PREFACE.length);
  }

  /** What has begun is DATA: an upload may be slow. */
  get isWithinData(): boolean {
    return this.#partialLength > 3 && this.#partial[3] === FRAME.DATA;
  }

  /** The stream whose DATA is incomplete; 0: none is. */
  get dataStreamId(): number {
    if (this.#partialLength < FRAME_HEADER || !this.isWithinData) return 0;
    return this.#partial.readUInt32BE(5) & 0x7fffffff;
  }

  /** Bytes of the incomplete frame that have come. */
  get withinBytes(): number {
    return this.#partialLength;
  }

  /** Bytes that are held of an incomplete frame. */
  get held(): number {
    return this.#partial.length;
  }

  /** Gives nothing out any more, not even the rest of the part that is being read. */
  stop(): void {
    this.#isStopped = true;
    this.#rest = 0;
    this.#release();
  }

  /** The received bytes; looked at during the call only. */
  push(bytes: Buffer): void {
    if (this.#isStopped) return;
    let at = 0;
    if (this.#prefaceAt < PREFACE.length) {
      at = this.#preface(bytes);
      if (this.#isStopped) return;
    }
    if (this.#rest > 0) at = this.#giveRest(bytes, at);
    else if (this.#partialLength > 0) at = this.#complete(bytes, at);
    while (bytes.length - at >= FRAME_HEADER) {
      if (this.#isStopped) return;
      const length = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
      if (length > this.#maxFrameSize) {
        this.#tooLong(bytes[at + 3]);
        return;
      }
      const end = at + FRAME_HEADER + length;
      if (end <= bytes.length) {
        this.#give(bytes, at, end);
        at = end;
      } else if (comesAsItIs(bytes, at)) {
        this.#beginRest(bytes, at, length);
        at = this.#giveRest(bytes, at + FRAME_HEADER);
      } else break;
    }
    if (at < bytes.length && !this.#isStopped) this.#keep(bytes, at, bytes.length);
  }

  /** Returns where the frames begin. */
  #preface(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#prefaceAt < PREFACE.length) {
      if (bytes[at] !== PREFACE[this.#prefaceAt]) {
        this.stop();
        this.#sink.badPreface();
        return at;
      }
      at++;
      this.#prefaceAt++;
    }
    return at;
  }

  #give(bytes: Buffer, at: number, end: number): void {
    this.#sink.frame(bytes[at + 3], bytes[at + 4], streamIdAt(bytes, at), bytes, at + FRAME_HEADER, end);
  }

  /** The header of DATA stands at head[at …]. */
  #beginRest(head: Buffer, at: number, length: number): void {
    this.#rest = length;
    this.#restFlags = head[at + 4];
    this.#restStreamId = streamIdAt(head, at);
  }

  /** Returns how far. */
  #giveRest(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#rest);
    if (end === start) return end;
    this.#rest -= end - start;
    const flags = this.#rest > 0 ? this.#restFlags & ~FLAG.END_STREAM : this.#restFlags;
    this.#sink.frame(FRAME.DATA, flags, this.#restStreamId, bytes, start, end);
    return end;
  }

  #tooLong(type: number): void {
    this.stop();
    this.#sink.oversized(type);
  }

  /** Adds to the incomplete frame what belongs to it; returns how far. */
  #complete(bytes: Buffer, start: number): number {
    let at = start;
    if (this.#partialLength < FRAME_HEADER) {
      const end = Math.min(bytes.length, at + FRAME_HEADER - this.#partialLength);
      this.#keep(bytes, at, end);
      at = end;
      if (this.#partialLength < FRAME_HEADER) return at;
    }
    const partial = this.#partial;
    const length = (partial[0] << 16) | (partial[1] << 8) | partial[2];
    if (length > this.#maxFrameSize) {
      this.#tooLong(partial[3]);
      return bytes.length;
    }
    if (length > 0 && comesAsItIs(partial, 0)) {
      this.#beginRest(partial, 0, length);
      this.#release();
      return this.#giveRest(bytes, at);
    }
    const whole = FRAME_HEADER + length;
    const end = Math.min(bytes.length, at + whole - this.#partialLength);
    this.#keep(bytes, at, end, whole);
    if (this.#partialLength < whole) return end;
    const frame = this.#partial;
    this.#release();
    this.#give(frame, 0, whole);
    return end;
  }

  #release(): void {
    this.#partial = NOTHING;
    this.#partialLength = 0;
  }

  /** `most`: what the incomplete frame will need, as far as it is known. */
  #keep(bytes: Buffer, start: number, end: number, most = Number.POSITIVE_INFINITY): void {
    const length = this.#partialLength + end - start;
    if (length > this.#partial.length) {
      const grown = Buffer.allocUnsafe(Math.min(most, Math.max(length, 2 * this.#partial.length, MIN_PARTIAL)));
      this.#partial.copy(grown, 0, 0, this.#partialLength);
      this.#partial = grown;
    }
    bytes.copy(this.#partial, this.#partialLength, start, end);
    this.#partialLength = length;
  }
}

/** DATA; padding is distinguished from content by the whole (section 6.1). */
const comesAsItIs = (bytes: Buffer, at: number): boolean =>
  bytes[at + 3] === FRAME.DATA && (bytes[at + 4] & FLAG.PADDED) === 0;

const streamIdAt = (bytes: Buffer, at: number): number =>
  ((bytes[at + 5] & 0x7f) << 24) | (bytes[at + 6] << 16) | (bytes[at + 7] << 8) | bytes[at + 8];

const MIN_PARTIAL = 64;
const NOTHING = Buffer.alloc(0);
