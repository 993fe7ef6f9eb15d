/**
 * Sends the heads and the DATA of a session's streams, as the client's windows allow (RFC 9113
 * sections 5.2 and 6.9). Parts of bodies are queued without a copy until the output has room. Small
 * responses are written to the output at once.
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

/** Minimum bytes of a DATA frame that is not the last. With less room the buffer is sent first. */
const MIN_DATA = 1024;
/** Room for the table size updates at the start of a block: HpackEncoder.begin. */
const BEGIN_BOUND = 32;

/** The part of the session that the sender uses. */
export interface SenderSession extends MemoryWaiter {
  readonly memory: ClientMemory;
  readonly limits: Http2Limits;
  readonly output: Output;
  readonly peer: PeerSettings;
  readonly counters: Http2Counters;
}

/**
 * The last encoded block of recurring fields. While the encoder's table is unchanged, the same
 * fields encode to the same block.
 */
class LastBlock {
  block: Uint8Array = new Uint8Array(0);
  #fields: FieldList | null = null;
  #status = 0;
  /** Revision of the encoder. */
  #revision = 0;
  /** The last fields that were encoded. */
  #lastFields: FieldList | null = null;

  isOf(fields: FieldList, status: number, revision: number): boolean {
    return fields === this.#fields && revision === this.#revision && status === this.#status;
  }

  /** Whether the block is worth a copy: `fields` recur and were also the last ones encoded. */
  note(fields: FieldList): boolean {
    const isSame = this.#lastFields === fields;
    this.#lastFields = fields;
    return isSame && derivedOf(fields) !== undefined;
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
  /** Send window of the connection; never negative. */
  window = DEFAULT_WINDOW;
  /** Bytes of queued bodies, of all streams. */
  queued = 0;
  /** Bytes that handlers have reserved and may fetch, of all streams. */
  reserved = 0;
  readonly #session: SenderSession;
  readonly #output: Output;
  readonly #peer: PeerSettings;
  readonly #counters: Float64Array;
  readonly #scheduler = new Scheduler<Http2Stream>();
  /** Streams whose handlers are to be notified that they may write again. */
  #drained: Http2Stream[] = [];
  /** Streams whose handlers wait for a reservation, in order of their requests. */
  readonly #awaitingReservation = new Set<Http2Stream>();
  /** DATA frames since the last `takeFrames`. */
  #frames = 0;

  constructor(session: SenderSession) {
    this.#session = session;
    this.#output = session.output;
    this.#peer = session.peer;
    this.#counters = session.counters.values;
  }

  /** `fill` may have work as soon as the output has room. */
  get isWaiting(): boolean {
    return this.queued > 0 || this.#awaitingReservation.size > 0;
  }

  /**
   * Implements Exchange.reserve. Grants nothing while a window is exhausted. Grants at most
   * LEAST_FETCH while the session's buffer is full.
   */
  reserve(stream: Http2Stream, bytes: number): number {
    const { memory, limits } = this.#session;
    this.#unreserve(stream);
    const window = Math.min(stream.sendWindow, this.window);
    const isCrowded = this.queued + this.reserved >= limits.sessionBuffer;
    const maximum = isCrowded ? LEAST_FETCH : Math.max(LEAST_FETCH, window - (window % LEAST_FETCH));
    const granted = window > 0 ? memory.takeForFetch(Math.min(bytes, maximum)) : 0;
    if (granted > 0) {
      stream.reserved = granted;
      this.reserved += granted;
      return granted;
    }
    stream.awaitsReservation = true;
    this.#awaitingReservation.add(stream);
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

  /** Lets as many waiting handlers retry as the memory allows, if their streams may send. */
  #wakeAwaiting(): void {
    const { memory } = this.#session;
    let left = Math.ceil(memory.room / LEAST_FETCH);
    for (const stream of this.#awaitingReservation) {
      if (this.window <= 0) return;
      if (stream.sendWindow <= 0) continue;
      if (left-- <= 0) {
        memory.waitFor(this.#session);
        return;
      }
      this.#awaitingReservation.delete(stream);
      stream.awaitsReservation = false;
      stream.drain();
    }
  }

  /** DATA frames sent since the last call. The client may answer each with WINDOW_UPDATEs. */
  takeFrames(): number {
    const frames = this.#frames;
    this.#frames = 0;
    return frames;
  }

  /** Writes an informational or final head, or trailers (`status` 0). */
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

  /** Writes a complete response. The body is queued if it does not fit into one frame now. */
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

  /** Whether this many bytes fit into one frame now. */
  #fits(stream: Http2Stream, length: number): boolean {
    return (
      length <= DEFAULT_FRAME_SIZE &&
      length <= stream.sendWindow &&
      length <= this.window &&
      FRAME_HEADER + length <= this.#output.room
    );
  }

  /**
   * Whether `passLast` may be called for this many bytes: they fit, and no other stream has queued
   * DATA.
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

  /** Ends a stream that has nothing queued. */
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

  /** Queues a part of a body, which must not be empty. */
  queue(stream: Http2Stream, part: Uint8Array, isLent = false): void {
    this.#unreserve(stream);
    stream.enqueue(part, isLent);
    this.queued += part.length;
    if (stream.sendWindow > 0) this.#scheduler.add(stream);
  }

  /**
   * Like `queue`, but the bytes are valid during the call only. Writes as much as possible, unless
   * other streams have queued DATA. The rest is copied.
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
   * Bytes of `left` that fit into the next frame by the windows and the output; 0: too few for a
   * frame.
   */
  #passable(stream: Http2Stream, left: number): number {
    const output = this.#output;
    if (left > 0 && output.room < FRAME_HEADER + MIN_DATA) output.flush();
    const length = Math.min(left, DEFAULT_FRAME_SIZE, stream.sendWindow, this.window, output.room - FRAME_HEADER);
    return length < left && length < MIN_DATA ? 0 : length;
  }

  /** Writes one frame of bytes that are not queued. They must fit. */
  #pass(stream: Http2Stream, body: Uint8Array, isEnd: boolean): void {
    const output = this.#output;
    const { length } = body;
    output.reserve(FRAME_HEADER + length);
    const at = frameHeader(output.bytes, output.at, length, FRAME.DATA, isEnd ? FLAG.END_STREAM : 0, stream.id);
    output.bytes.set(body, at);
    output.at = at + length;
    this.#countData(stream, length);
  }

  /** Discards everything queued for a stream. */
  drop(stream: Http2Stream): void {
    this.queued -= stream.queued;
    stream.clearQueue();
    // `fill` removes no stream from the scheduler while the connection's window is exhausted.
    this.#scheduler.remove(stream);
    this.#unreserve(stream);
    if (stream.awaitsReservation) this.#awaitingReservation.delete(stream);
  }

  /** WINDOW_UPDATE of the connection. False: the window exceeds its maximum (section 6.9.1). */
  raise(increment: number): boolean {
    this.window += increment;
    return this.window <= MAX_WINDOW;
  }

  /**
   * WINDOW_UPDATE of a stream, or a new SETTINGS_INITIAL_WINDOW_SIZE, which may make a window
   * negative (section 6.9.2). False: the window exceeds its maximum.
   */
  raiseStream(stream: Http2Stream, increment: number): boolean {
    stream.sendWindow += increment;
    if (stream.sendWindow > MAX_WINDOW) return false;
    if (stream.sendWindow > 0 && stream.queued > 0) this.#scheduler.add(stream);
    return true;
  }

  /** Writes queued DATA until the output's buffer is full or the windows are exhausted. */
  fill(): void {
    const output = this.#output;
    while (this.window > 0 && !this.#scheduler.isEmpty && output.room >= FRAME_HEADER + MIN_DATA) {
      const stream = this.#scheduler.take() as Http2Stream;
      if (stream.sendWindow <= 0) continue; // its window shrank
      this.#sendQueued(stream);
      if (stream.queued > 0 && stream.sendWindow > 0) this.#scheduler.again(stream);
    }
    if (this.#drained.length > 0) {
      const drained = this.#drained;
      this.#drained = [];
      for (const stream of drained) stream.drain();
    }
    if (this.#awaitingReservation.size > 0) this.#wakeAwaiting();
  }

  /** Writes one frame of queued DATA. */
  #sendQueued(stream: Http2Stream): void {
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
      stream.onBytesLost();
      return;
    }
    output.at = at + length;
    this.#countData(stream, length);
    if (isEnd) stream.sentEnd();
    else if (stream.isEnding && stream.queued === 0) this.end(stream);
    else if (stream.wantsDrain && stream.isLow) {
      stream.wantsDrain = false;
      this.#drained.push(stream);
    }
  }

  #countData(stream: Http2Stream, data: number): void {
    stream.sendWindow -= data;
    stream.progress += data;
    this.window -= data;
    this.#frames++;
    this.#counters[TRAFFIC_COLUMN.frames_sent]++;
  }
}
