/**
 * What a session sends for its streams: heads, and DATA as the windows of the client allow (RFC
 * 9113 sections 5.2 and 6.9). A part of a body stays where the handler made it until there is room
 * for it in the output; small answers go there at once.
 */
import { type ClientMemory, LEAST_FETCH, type MemoryWaiter } from '../exchange/client-memory.ts';
import type { FieldList } from '../exchange/field-list.ts';
import { derivedOf } from '../exchange/recurring-fields.ts';
import { type Http2Counters, TRAFFIC_COLUMN } from './counters.ts';
import { frameHeader, writeBlock } from './frame-writer.ts';
import { blockBound, HpackEncoder } from './hpack/encoder.ts';
import type { Http2Limits } from './limits.ts';
import type { Output } from './output.ts';
import { DEFAULT_FRAME_SIZE, DEFAULT_WINDOW, FLAG, FRAME, FRAME_HEADER, MAX_WINDOW } from './protocol.ts';
import type { ReadyHead } from './response-head.ts';
import { Scheduler } from './scheduler.ts';
import type { PeerSettings } from './settings.ts';
import type { Http2Stream } from './stream.ts';

/** A frame of DATA is not made for less, if there is more to send: the buffer leaves first. */
const WORTH = 1024;
/** Room for the sizes that a block may begin with: HpackEncoder.begin. */
const BEGIN_BOUND = 32;

/** The session, as its sender sees it. */
export interface SenderSession extends MemoryWaiter {
  readonly memory: ClientMemory;
  readonly limits: Http2Limits;
  readonly output: Output;
  readonly peer: PeerSettings;
  readonly counters: Http2Counters;
}

/**
 * The last block of fields that recur: as long as the table of the encoder stays, they make the
 * same one.
 */
class LastBlock {
  block: Uint8Array = new Uint8Array(0);
  #fields: FieldList | null = null;
  #status = 0;
  /** Of the encoder. */
  #revision = 0;
  /** The last fields that were encoded. */
  #noted: FieldList | null = null;

  isOf(fields: FieldList, status: number, revision: number): boolean {
    return fields === this.#fields && revision === this.#revision && status === this.#status;
  }

  /** Whether a block is worth its copy: the first time, only the list is noted. */
  note(fields: FieldList): boolean {
    const isAgain = this.#noted === fields;
    this.#noted = fields;
    return isAgain && derivedOf(fields) !== undefined;
  }

  keep(fields: FieldList, status: number, revision: number, block: Uint8Array): void {
    this.block = block;
    this.#fields = fields;
    this.#status = status;
    this.#revision = revision;
  }
}

export class Sender {
  readonly encoder = new HpackEncoder();
  readonly #lastHead = new LastBlock();
  readonly #lastTrailers = new LastBlock();
  /** What the client takes for all streams together; never negative. */
  window = DEFAULT_WINDOW;
  /** Bytes of bodies that wait, of all streams. */
  queued = 0;
  /** Bytes that handlers fetch for streams. */
  reserved = 0;
  readonly #session: SenderSession;
  readonly #output: Output;
  readonly #peer: PeerSettings;
  readonly #counters: Float64Array;
  readonly #scheduler = new Scheduler<Http2Stream>();
  /** Streams whose handlers may write again. */
  #drained: Http2Stream[] = [];
  /** Streams whose handlers wait until more may be fetched, in the order in which they asked. */
  readonly #seeking = new Set<Http2Stream>();
  /** DATA frames since this was last asked for. */
  #frames = 0;

  constructor(session: SenderSession) {
    this.#session = session;
    this.#output = session.output;
    this.#peer = session.peer;
    this.#counters = session.counters.values;
  }

  /** Something may be done in `fill`, as soon as there is room. */
  get isWaiting(): boolean {
    return this.queued > 0 || this.#seeking.size > 0;
  }

  /**
   * Exchange.reserve. Nothing is fetched while a window is shut; while much waits for the client,
   * no more than the least for a stream.
   */
  reserve(stream: Http2Stream, bytes: number): number {
    const { memory, limits } = this.#session;
    this.#unreserve(stream);
    const window = Math.min(stream.sendWindow, this.window);
    const isCrowded = this.queued + this.reserved >= limits.sessionBuffer;
    const most = isCrowded ? LEAST_FETCH : Math.max(LEAST_FETCH, window - (window % LEAST_FETCH));
    const granted = window > 0 ? memory.takeForFetch(Math.min(bytes, most)) : 0;
    if (granted > 0) {
      stream.reserved = granted;
      this.reserved += granted;
      return granted;
    }
    stream.isSeeking = true;
    this.#seeking.add(stream);
    if (window > 0) memory.waitFor(this.#session);
    return 0;
  }

  #unreserve(stream: Http2Stream): void {
    const { reserved } = stream;
    if (reserved === 0) return;
    stream.reserved = 0;
    this.reserved -= reserved;
    this.#session.memory.release(reserved);
  }

  /** Lets handlers ask again whose streams may send, as many as there is memory for. */
  #wakeSeeking(): void {
    const { memory } = this.#session;
    let left = Math.ceil(memory.room / LEAST_FETCH);
    for (const stream of this.#seeking) {
      if (this.window <= 0) return;
      if (stream.sendWindow <= 0) continue;
      if (left-- <= 0) {
        memory.waitFor(this.#session);
        return;
      }
      this.#seeking.delete(stream);
      stream.isSeeking = false;
      stream.drain();
    }
  }

  /** DATA frames sent since the last call: each explains a WINDOW_UPDATE or two of the client's. */
  takeFrames(): number {
    const frames = this.#frames;
    this.#frames = 0;
    return frames;
  }

  /** A head, informational, final or of trailers (`status` 0). */
  head(streamId: number, status: number, fields: FieldList, isEnd: boolean): void {
    const last = status === 0 ? this.#lastTrailers : this.#lastHead;
    if (last.isOf(fields, status, this.encoder.revision)) {
      this.#readyHead(streamId, last.block, isEnd);
      return;
    }
    const bound = blockBound(fields) + BEGIN_BOUND;
    const output = this.#output;
    if (bound > DEFAULT_FRAME_SIZE) {
      const block = Buffer.allocUnsafe(bound);
      const length = this.#encode(block, 0, status, fields);
      writeBlock(output, streamId, block.subarray(0, length), isEnd, this.#peer.maxFrameSize);
    } else {
      output.reserve(FRAME_HEADER + bound);
      const start = output.at + FRAME_HEADER;
      const { revision } = this.encoder;
      const end = this.#encode(output.bytes, start, status, fields);
      if (last.note(fields) && this.encoder.revision === revision)
        last.keep(fields, status, revision, Buffer.from(output.bytes.subarray(start, end)));
      const flags = isEnd ? FLAG.END_HEADERS | FLAG.END_STREAM : FLAG.END_HEADERS;
      frameHeader(output.bytes, output.at, end - start, FRAME.HEADERS, flags, streamId);
      output.at = end;
    }
    this.#counters[TRAFFIC_COLUMN.frames_sent]++;
  }

  #encode(target: Buffer, start: number, status: number, fields: FieldList): number {
    const at = this.encoder.begin(target, start);
    return this.encoder.fields(target, status === 0 ? at : this.encoder.status(target, at, status), fields);
  }

  /** A whole response; what of the body does not go at once is queued. */
  ready(stream: Http2Stream, head: ReadyHead, body: Uint8Array): void {
    const isEnd = head.isBodiless || stream.isHead;
    this.#readyHead(stream.id, head.block, isEnd);
    if (isEnd) {
      stream.sentEnd();
      return;
    }
    if (this.#fits(stream, body.length)) this.passLast(stream, body);
    else this.queue(stream, body);
  }

  /** Whether so many bytes go in one frame now. */
  #fits(stream: Http2Stream, length: number): boolean {
    return (
      length <= DEFAULT_FRAME_SIZE &&
      length <= stream.sendWindow &&
      length <= this.window &&
      FRAME_HEADER + length <= this.#output.room
    );
  }

  /**
   * Whether `passLast` may be called for this many bytes: there is room, and no other stream waits
   * for its turn.
   */
  mayPass(stream: Http2Stream, length: number): boolean {
    return this.#scheduler.isEmpty && this.#fits(stream, length);
  }

  /** Writes the last frame of a stream that has nothing queued. The bytes are copied. */
  passLast(stream: Http2Stream, body: Uint8Array): void {
    this.#unreserve(stream);
    this.#pass(stream, body, true);
    stream.sentEnd();
  }

  #readyHead(streamId: number, block: Uint8Array, isEnd: boolean): void {
    const output = this.#output;
    this.#counters[TRAFFIC_COLUMN.frames_sent]++;
    if (block.length + BEGIN_BOUND > DEFAULT_FRAME_SIZE) {
      const whole = Buffer.allocUnsafe(block.length + BEGIN_BOUND);
      const at = this.encoder.begin(whole, 0);
      whole.set(block, at);
      writeBlock(output, streamId, whole.subarray(0, at + block.length), isEnd, this.#peer.maxFrameSize);
      return;
    }
    output.reserve(FRAME_HEADER + BEGIN_BOUND + block.length);
    const start = output.at + FRAME_HEADER;
    const at = this.encoder.begin(output.bytes, start);
    output.bytes.set(block, at);
    const end = at + block.length;
    const flags = isEnd ? FLAG.END_HEADERS | FLAG.END_STREAM : FLAG.END_HEADERS;
    frameHeader(output.bytes, output.at, end - start, FRAME.HEADERS, flags, streamId);
    output.at = end;
  }

  /** The end of a stream that has nothing queued. */
  end(stream: Http2Stream): void {
    const { trailers } = stream;
    if (trailers !== null) this.head(stream.id, 0, trailers, true);
    else {
      const output = this.#output;
      output.reserve(FRAME_HEADER);
      output.at = frameHeader(output.bytes, output.at, 0, FRAME.DATA, FLAG.END_STREAM, stream.id);
      this.#counters[TRAFFIC_COLUMN.frames_sent]++;
    }
    stream.sentEnd();
  }

  /** A part of a body, not empty. */
  queue(stream: Http2Stream, part: Uint8Array, isLent = false): void {
    this.#unreserve(stream);
    stream.enqueue(part, isLent);
    this.queued += part.length;
    if (stream.sendWindow > 0) this.#scheduler.add(stream);
  }

  /**
   * The same, but the bytes are there during the call only: what can leave does, unless others
   * wait; the rest is copied.
   */
  lend(stream: Http2Stream, part: Uint8Array): void {
    let from = 0;
    if (stream.queued === 0 && this.#scheduler.isEmpty)
      for (
        let length = this.#passable(stream, part.length);
        length > 0;
        length = this.#passable(stream, part.length - from)
      ) {
        this.#pass(stream, part.subarray(from, from + length), false);
        from += length;
      }
    if (from < part.length) this.queue(stream, from === 0 ? part : part.subarray(from), true);
  }

  /**
   * Bytes of the next frame, of `left`, for which there is room in the windows and the output; 0:
   * none is worth it.
   */
  #passable(stream: Http2Stream, left: number): number {
    const output = this.#output;
    if (left > 0 && output.room < FRAME_HEADER + WORTH) output.flush();
    const length = Math.min(left, DEFAULT_FRAME_SIZE, stream.sendWindow, this.window, output.room - FRAME_HEADER);
    return length < left && length < WORTH ? 0 : length;
  }

  /** One frame of bytes that are elsewhere, for which there is room. */
  #pass(stream: Http2Stream, body: Uint8Array, isEnd: boolean): void {
    const output = this.#output;
    const { length } = body;
    output.reserve(FRAME_HEADER + length);
    const at = frameHeader(output.bytes, output.at, length, FRAME.DATA, isEnd ? FLAG.END_STREAM : 0, stream.id);
    output.bytes.set(body, at);
    output.at = at + length;
    this.#spend(stream, length);
  }

  /** Nothing of the stream is sent any more. */
  drop(stream: Http2Stream): void {
    this.queued -= stream.queued;
    stream.clearQueue();
    // While the window of the session is shut nobody is taken out of there.
    this.#scheduler.remove(stream);
    this.#unreserve(stream);
    if (stream.isSeeking) this.#seeking.delete(stream);
  }

  /** WINDOW_UPDATE of the connection. False: past what a window holds (section 6.9.1). */
  raise(increment: number): boolean {
    this.window += increment;
    return this.window <= MAX_WINDOW;
  }

  /**
   * WINDOW_UPDATE of a stream, or a new SETTINGS_INITIAL_WINDOW_SIZE, which may make a window
   * negative (section 6.9.2). False: past what it holds.
   */
  raiseStream(stream: Http2Stream, increment: number): boolean {
    stream.sendWindow += increment;
    if (stream.sendWindow > MAX_WINDOW) return false;
    if (stream.sendWindow > 0 && stream.queued > 0) this.#scheduler.add(stream);
    return true;
  }

  /** Puts DATA into the output until its buffer is full, or the windows are. */
  fill(): void {
    const output = this.#output;
    while (this.window > 0 && !this.#scheduler.isEmpty && output.room >= FRAME_HEADER + WORTH) {
      const stream = this.#scheduler.take() as Http2Stream;
      if (stream.sendWindow <= 0) continue; // its window shrank
      this.#data(stream);
      if (stream.queued > 0 && stream.sendWindow > 0) this.#scheduler.again(stream);
    }
    if (this.#drained.length > 0) {
      const drained = this.#drained;
      this.#drained = [];
      for (const stream of drained) stream.drain();
    }
    if (this.#seeking.size > 0) this.#wakeSeeking();
  }

  /** One frame. */
  #data(stream: Http2Stream): void {
    const output = this.#output;
    const length = Math.min(
      stream.queued,
      DEFAULT_FRAME_SIZE,
      stream.sendWindow,
      this.window,
      output.room - FRAME_HEADER,
    );
    output.reserve(FRAME_HEADER + length);
    const isEnd = stream.isEnding && length === stream.queued && stream.trailers === null;
    const at = frameHeader(output.bytes, output.at, length, FRAME.DATA, isEnd ? FLAG.END_STREAM : 0, stream.id);
    this.queued -= length;
    if (!stream.dequeue(output.bytes, at, length)) {
      stream.lost();
      return;
    }
    output.at = at + length;
    this.#spend(stream, length);
    if (isEnd) stream.sentEnd();
    else if (stream.isEnding && stream.queued === 0) this.end(stream);
    else if (stream.wantsDrain && stream.isLow) {
      stream.wantsDrain = false;
      this.#drained.push(stream);
    }
  }

  #spend(stream: Http2Stream, data: number): void {
    stream.sendWindow -= data;
    stream.progress += data;
    this.window -= data;
    this.#frames++;
    this.#counters[TRAFFIC_COLUMN.frames_sent]++;
  }
}
