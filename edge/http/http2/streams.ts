/**
 * The streams of a session (RFC 9113 section 5.1). Opens a stream for each request, passes it to
 * the handler, and closes it. Keeps the open streams, how recent streams were closed, and the
 * number of handlers that still run for reset streams.
 */
import type { ClientMemory } from '../exchange/client-memory.ts';
import { type AbortCause, AbortError, type Client, type Handler } from '../exchange/exchange.ts';
import type { FieldList } from '../exchange/field-list.ts';
import { Pending } from '../exchange/pending.ts';
import { ReadyAnswer } from '../exchange/ready-answer.ts';
import { BUFFER } from '../transport/buffers.ts';
import { CLOSED, ClosedStreams } from './closed-streams.ts';
import { type Http2Counters, TRAFFIC_COLUMN } from './counters.ts';
import { type Ending, STREAM_ENDING } from './endings.ts';
import { writeReset, writeWindowUpdate } from './frame-writer.ts';
import type { Http2Limits } from './limits.ts';
import type { Output } from './output.ts';
import { DEFAULT_WINDOW } from './protocol.ts';
import { ReceiveWindow } from './receive-window.ts';
import type { RequestHead } from './request-head.ts';
import { completeFields } from './response-head.ts';
import type { Sender } from './sender.ts';
import type { PeerSettings } from './settings.ts';
import { Http2Stream } from './stream.ts';
import type { StreamHost } from './stream-host.ts';

/** A power of two. */
const LEAST_SLOTS = 16;

/** The part of the session that its streams use. */
export interface StreamSession {
  readonly client: Client;
  readonly scheme: 'http' | 'https';
  readonly limits: Http2Limits;
  readonly memory: ClientMemory;
  readonly counters: Http2Counters;
  readonly clock: { readonly now: number };
  readonly peer: PeerSettings;
  readonly output: Output;
  readonly sender: Sender;
  readonly isOpen: boolean;
  readonly isAwaitingSettings: boolean;
  flushSoon(): void;
  /** The last open stream has been closed. */
  onStreamsClosed(): void;
  /** Counts a reset that the client provoked like a reset of its own (CVE-2025-8671). */
  chargeReset(): void;
}

/** Bytes charged for an open stream, with its request and its handler's state. */
const STREAM_MEMORY = 8192;
const NO_BYTES = new Uint8Array(0);
/** Status for a request that is rejected without a handler. */
export type RefusalStatus = 400 | 421 | 431 | 501;

const REFUSALS: Readonly<Record<RefusalStatus | 500, ReadyAnswer>> = {
  400: new ReadyAnswer(400, [], NO_BYTES),
  421: new ReadyAnswer(421, [], NO_BYTES), // RFC 9110 section 15.5.20
  431: new ReadyAnswer(431, [], NO_BYTES), // RFC 6585 section 5
  500: new ReadyAnswer(500, [], NO_BYTES),
  501: new ReadyAnswer(501, [], NO_BYTES),
};

export class Streams implements StreamHost<Http2Stream> {
  readonly client: Client;
  readonly scheme: 'http' | 'https';
  readonly limits: Http2Limits;
  readonly memory: ClientMemory;
  readonly sender: Sender;
  readonly counters: Http2Counters;
  readonly closed = new ClosedStreams();
  /** Receive window of the connection. */
  readonly receiveWindow: ReceiveWindow;
  /**
   * Streams that were reset while their handlers run. They count as open until the handlers finish
   * (CVE-2023-44487).
   */
  abandoned = 0;
  readonly #session: StreamSession;
  readonly #handler: Handler;
  readonly #onHandlerError: ((error: unknown) => void) | undefined;
  readonly #open = new StreamTable<Http2Stream>();

  constructor(session: StreamSession, handler: Handler, onHandlerError?: (error: unknown) => void) {
    this.#session = session;
    this.#handler = handler;
    this.#onHandlerError = onHandlerError;
    this.client = session.client;
    this.scheme = session.scheme;
    this.limits = session.limits;
    this.memory = session.memory;
    this.sender = session.sender;
    this.counters = session.counters;
    const { sessionWindow } = this.limits;
    // Section 6.9.2: SETTINGS cannot change the connection's window, which starts at the default.
    this.receiveWindow = new ReceiveWindow(sessionWindow, Math.max(sessionWindow, DEFAULT_WINDOW));
  }

  get count(): number {
    return this.#open.size;
  }

  get open(): IterableIterator<Http2Stream> {
    return this.#open.values();
  }

  get(streamId: number): Http2Stream | undefined {
    return this.#open.get(streamId);
  }

  /**
   * Never opened (section 5.1, "idle"). Even identifiers belong to servers, and this server opens
   * no streams.
   */
  isIdle(streamId: number): boolean {
    return (streamId & 1) === 0 || streamId > this.closed.last;
  }

  /**
   * New streams are refused. Waiting output counts too, since small requests may cause large
   * response heads.
   */
  get isFull(): boolean {
    const { limits } = this;
    return (
      this.memory.room === 0 ||
      this.#open.size + this.abandoned >= limits.maxConcurrentStreams ||
      this.#session.output.waiting > limits.sessionBuffer + BUFFER
    );
  }

  flushSoon(): void {
    this.#session.flushSoon();
  }

  /** `refusal`: the status for a request that is rejected; 0: the handler responds. */
  openStream(streamId: number, head: RequestHead, hasBody: boolean, refusal: 0 | RefusalStatus): void {
    this.counters.values[TRAFFIC_COLUMN.streams]++;
    const session = this.#session;
    const stream = new Http2Stream(this, streamId, head, hasBody, session.peer.initialWindow, session.clock.now);
    if (hasBody) {
      const { streamWindow } = this.limits;
      const window = session.isAwaitingSettings ? Math.max(streamWindow, DEFAULT_WINDOW) : streamWindow;
      stream.receiveWindow = new ReceiveWindow(streamWindow, window);
    }
    this.#open.add(stream);
    this.memory.hold(STREAM_MEMORY);
    if (refusal === 0) {
      this.#handle(stream);
      return;
    }
    this.counters.values[refusal === 431 ? TRAFFIC_COLUMN.header_lists_too_large : TRAFFIC_COLUMN.bad_requests]++;
    stream.answer(REFUSALS[refusal]);
    // A rejected head costs the server as much as an accepted one, and the client a few bytes.
    session.chargeReset();
  }

  #handle(stream: Http2Stream): void {
    try {
      const pending = this.#handler(stream);
      if (pending === undefined) return;
      stream.isHandlerPending = true;
      if (pending instanceof Pending) pending.observe(stream);
      else
        pending.then(
          () => stream.onDone(),
          (error: unknown) => stream.onFailed(error),
        );
    } catch (error) {
      this.handlerFailed(stream, error);
    }
  }

  handlerEnded(stream: Http2Stream): void {
    if (stream.isAbandoned) this.abandoned--;
  }

  handlerFailed(stream: Http2Stream, error: unknown): void {
    if (!(error instanceof AbortError)) this.#onHandlerError?.(error);
    if (stream.isClosed || stream.isLocalEnded) return;
    if (stream.hasHead) this.resetStream(stream, STREAM_ENDING.failed);
    else {
      this.counters.ended(STREAM_ENDING.failed, this.client);
      stream.answer(REFUSALS[500]);
    }
  }

  /** The client sent END_STREAM, possibly with trailers. */
  streamReceived(stream: Http2Stream, trailers: FieldList | null): void {
    stream.isRemoteEnded = true;
    stream.queue?.finish(trailers ?? undefined);
    if (stream.isLocalEnded) this.#close(stream, CLOSED.ended, null, false);
    if (stream.lingersSince < 0) return;
    // curl 7.88 has not noticed the end of its response, and waits for any frame. Clients ignore
    // this one (RFC 9113 section 5.1, closed).
    writeWindowUpdate(this.#session.output, stream.id, 1);
    this.#session.flushSoon();
  }

  peerResets(stream: Http2Stream): void {
    this.counters.ended(STREAM_ENDING.cancelled, this.client);
    this.#close(stream, CLOSED.byClient, 'client', false);
  }

  /** Resets a stream that is not open: it is refused, or already closed. */
  refuse(streamId: number, ending: Ending): void {
    this.counters.ended(ending, this.client);
    writeReset(this.#session.output, streamId, ending.code);
    this.closed.close(streamId, CLOSED.byServer);
    this.#session.chargeReset();
  }

  // Called by a stream.

  /** Resets a stream that may already be closed. */
  reset(streamId: number, ending: Ending): void {
    const stream = this.get(streamId);
    if (stream === undefined) this.refuse(streamId, ending);
    else this.resetStream(stream, ending);
  }

  resetStream(stream: Http2Stream, ending: Ending): void {
    if (stream.isClosed) return;
    this.counters.ended(ending, this.client);
    writeReset(this.#session.output, stream.id, ending.code);
    const isOwn = ending === STREAM_ENDING.aborted || ending === STREAM_ENDING.failed;
    this.#close(stream, CLOSED.byServer, ending.cause, isOwn);
    this.#session.flushSoon();
    if (ending.cause !== 'client') this.#session.chargeReset();
  }

  /**
   * Ends a stream without progress: with 408 or 504 if no head was sent (RFC 9110 sections 15.5.9
   * and 15.6.5), otherwise with RST_STREAM. The handler is aborted.
   */
  endIdle(stream: Http2Stream): void {
    if (stream.hasHead) {
      this.resetStream(stream, stream.isTunnel ? STREAM_ENDING.idleTunnel : STREAM_ENDING.idle);
      return;
    }
    if (!stream.isRemoteEnded) {
      this.endSlow(stream, STREAM_ENDING.idle);
      return;
    }
    this.counters.ended(STREAM_ENDING.idle, this.client);
    this.sender.head(stream.id, 504, completeFields(['content-length', '0']), true);
    this.#close(stream, CLOSED.byServer, STREAM_ENDING.idle.cause, false);
    this.#session.flushSoon();
  }

  /** Answers 408 to an incomplete request. The client can read it before the stream is reset. */
  endSlow(stream: Http2Stream, ending: Ending): void {
    this.counters.ended(ending, this.client);
    this.#session.chargeReset();
    if (!stream.isClosed) stream.refuse(408);
  }

  streamSent(stream: Http2Stream): void {
    if (stream.isRemoteEnded) this.#close(stream, CLOSED.ended, null, false);
    else if (!stream.isTunnel) {
      stream.queue?.discard();
      stream.lingersSince = this.#session.clock.now;
    }
  }

  bodyConsumed(stream: Http2Stream, bytes: number): void {
    if (!this.#session.isOpen) return;
    this.returnToWindow(bytes);
    if (stream.isRemoteEnded || stream.isClosed || stream.receiveWindow === null) return;
    const increment = stream.receiveWindow.give(bytes);
    if (increment === 0 || stream.discarded > this.limits.lingerBytes) return;
    writeWindowUpdate(this.#session.output, stream.id, increment);
    this.#session.flushSoon();
  }

  /** Returns bytes of DATA to the connection's receive window. */
  returnToWindow(bytes: number): void {
    this.#updateWindow(this.receiveWindow.give(bytes));
  }

  #updateWindow(increment: number): void {
    if (increment === 0) return;
    writeWindowUpdate(this.#session.output, 0, increment);
    this.#session.flushSoon();
  }

  /** Closes all streams when the session ends, without RST_STREAM frames. */
  closeAll(cause: AbortCause): void {
    for (const stream of this.#open.values()) this.#close(stream, CLOSED.byServer, cause, false);
  }

  #close(
    stream: Http2Stream,
    way: typeof CLOSED.ended | typeof CLOSED.byClient | typeof CLOSED.byServer,
    cause: AbortCause | null,
    isOwn: boolean,
  ): void {
    if (stream.isClosed) return;
    stream.isClosed = true;
    this.#open.delete(stream.id);
    this.closed.close(stream.id, way);
    this.sender.drop(stream);
    this.memory.release(STREAM_MEMORY);
    if (cause === null) stream.queue?.discard();
    else {
      if (stream.isHandlerPending) {
        stream.isAbandoned = true;
        this.abandoned++;
      }
      const bufferedBytes = stream.queue?.buffered ?? 0;
      stream.endedBy(cause, isOwn);
      if (bufferedBytes > 0 && this.#session.isOpen) this.returnToWindow(bufferedBytes);
    }
    if (this.count === 0) this.#session.onStreamsClosed();
  }
}

interface Identified {
  /** Odd, and higher than the ids of all streams opened before. */
  readonly id: number;
}

/**
 * The streams of a session by id: a hash table with open addressing. A Map replaces its table when
 * it grows or is rehashed, and the old table refers to the new one. Once the old table is in V8's
 * old generation, young collections keep all later streams alive, even closed ones.
 */
export class StreamTable<T extends Identified> {
  size = 0;
  #slots: (T | null)[] = new Array<T | null>(LEAST_SLOTS).fill(null);

  get(id: number): T | undefined {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = (id >> 1) & mask; ; at = (at + 1) & mask) {
      const stream = slots[at];
      if (stream === null) return undefined;
      if (stream.id === id) return stream;
    }
  }

  /** The id must not be in the table. */
  add(stream: T): void {
    if (this.size * 2 >= this.#slots.length) this.#grow();
    this.size++;
    this.#put(stream);
  }

  /** False: it is not in the table. */
  delete(id: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (id >> 1) & mask;
    for (let stream = slots[at]; stream === null || stream.id !== id; stream = slots[at]) {
      if (stream === null) return false;
      at = (at + 1) & mask;
    }
    this.size--;
    // Entries after the gap that a lookup could no longer reach move into it.
    for (let next = (at + 1) & mask; ; next = (next + 1) & mask) {
      const stream = slots[next];
      if (stream === null) break;
      const home = (stream.id >> 1) & mask;
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      slots[at] = stream;
      at = next;
    }
    slots[at] = null;
    return true;
  }

  /** In unspecified order. Streams that are deleted or added during the iteration are skipped. */
  *values(): IterableIterator<T> {
    for (const stream of this.#all()) if (this.get(stream.id) === stream) yield stream;
  }

  #all(): T[] {
    return this.#slots.filter((stream) => stream !== null);
  }

  #put(stream: T): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (stream.id >> 1) & mask;
    while (slots[at] !== null) at = (at + 1) & mask;
    slots[at] = stream;
  }

  #grow(): void {
    const streams = this.#all();
    const oldSlots = this.#slots;
    this.#slots = new Array<T | null>(oldSlots.length * 2).fill(null);
    oldSlots.fill(null);
    for (const stream of streams) this.#put(stream);
  }
}
