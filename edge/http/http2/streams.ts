/**
 * The streams of a session (RFC 9113 section 5.1): opened for a request, given to the handler, and
 * closed; those that are open, how the last ones were closed, and what still works for those that
 * were reset.
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
import { StreamTable } from './stream-table.ts';

/** What streams ask of their session. */
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
  empties(): void;
  /**
   * The client made us reset a stream, which costs it as much as its own resets do (CVE-2025-8671).
   */
  provoked(): void;
}

/** Bytes that an open stream takes by itself, with its request and what its handler keeps of it. */
const STREAM_MEMORY = 8192;
const NO_BYTES = new Uint8Array(0);
/** Of a request that no handler gets. */
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
  /** What the client may send on all streams together. */
  readonly receiveWindow: ReceiveWindow;
  /**
   * Streams that were reset while their handlers were at work: their work counts until it is done
   * (CVE-2023-44487).
   */
  abandoned = 0;
  readonly #session: StreamSession;
  readonly #handler: Handler;
  readonly #onHandlerError: ((error: unknown) => void) | undefined;
  readonly #open = new StreamTable<Http2Stream>();
  /** Those whose response is complete and whose request is not. */
  #early: Http2Stream[] = [];

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
    // Section 6.9.2: what a client begins with is not for us to change.
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
   * Never opened: section 5.1, "idle". Those with even numbers are a server's, which opens none.
   */
  isIdle(streamId: number): boolean {
    return (streamId & 1) === 0 || streamId > this.closed.last;
  }

  /**
   * Accepts no more. Heads of responses that are not taken are bounded as their bodies are: small
   * requests may ask for large ones.
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

  /** `refusal`: the status of an answer that needs no handler; 0: the handler's. */
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
    // A head that is refused costs as much as one that is served, and few bytes with compression.
    session.provoked();
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
    if (stream.isClosed) return;
    if (stream.hasHead) this.resetStream(stream, STREAM_ENDING.failed);
    else {
      this.counters.ended(STREAM_ENDING.failed, this.client);
      stream.answer(REFUSALS[500]);
    }
  }

  /** END_STREAM of the client, perhaps with trailers. */
  streamReceived(stream: Http2Stream, trailers: FieldList | null): void {
    stream.isRemoteEnded = true;
    stream.queue?.finish(trailers ?? undefined);
    if (stream.isLocalEnded) this.#close(stream, CLOSED.ended, null, false);
  }

  peerResets(stream: Http2Stream): void {
    this.counters.ended(STREAM_ENDING.cancelled, this.client);
    this.#close(stream, CLOSED.byClient, 'client', false);
  }

  /** Resets a stream that is not open: it was not let in, or is closed already. */
  refuse(streamId: number, ending: Ending): void {
    this.counters.ended(ending, this.client);
    writeReset(this.#session.output, streamId, ending.code);
    this.closed.close(streamId, CLOSED.byServer);
    this.#session.provoked();
  }

  // From a stream.

  /** An error of a stream that may be closed by now. */
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
    if (ending.cause !== 'client') this.#session.provoked();
  }

  /**
   * Nothing goes on: the client learns it, by a status if it has none yet (RFC 9110 sections 15.5.9
   * and 15.6.5), and so is the handler.
   */
  endIdle(stream: Http2Stream): void {
    if (stream.hasHead) {
      this.resetStream(stream, stream.isTunnel ? STREAM_ENDING.idleTunnel : STREAM_ENDING.idle);
      return;
    }
    this.counters.ended(STREAM_ENDING.idle, this.client);
    const status = stream.isRemoteEnded ? 504 : 408;
    this.sender.head(stream.id, status, completeFields(['content-length', '0']), true);
    if (!stream.isRemoteEnded) writeReset(this.#session.output, stream.id, STREAM_ENDING.early.code);
    this.#close(stream, CLOSED.byServer, STREAM_ENDING.idle.cause, false);
    this.#session.flushSoon();
  }

  streamSent(stream: Http2Stream): void {
    if (stream.isRemoteEnded) this.#close(stream, CLOSED.ended, null, false);
    else if (!stream.isTunnel) {
      stream.queue?.discard();
      this.#early.push(stream);
      this.#session.flushSoon(); // it may have been the last that there was to send
    }
  }

  bodyTaken(stream: Http2Stream, bytes: number): void {
    if (!this.#session.isOpen) return;
    this.giveBack(bytes);
    if (stream.isRemoteEnded || stream.isClosed || stream.receiveWindow === null) return;
    const increment = stream.receiveWindow.give(bytes);
    if (increment === 0) return;
    writeWindowUpdate(this.#session.output, stream.id, increment);
    this.#session.flushSoon();
  }

  /** Bytes of DATA leave the session's window. */
  giveBack(bytes: number): void {
    const increment = this.receiveWindow.give(bytes);
    if (increment === 0) return;
    writeWindowUpdate(this.#session.output, 0, increment);
    this.#session.flushSoon();
  }

  /**
   * Section 8.1: a response that is complete before its request. What of that came with the same
   * read has been taken.
   */
  resetEarly(): void {
    if (this.#early.length === 0) return;
    const early = this.#early;
    this.#early = [];
    for (const stream of early) if (!stream.isRemoteEnded) this.resetStream(stream, STREAM_ENDING.early);
  }

  /** The session ends: no frame tells of it but the GOAWAY. */
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
      const held = stream.queue?.buffered ?? 0;
      stream.endedBy(cause, isOwn);
      if (held > 0 && this.#session.isOpen) this.giveBack(held);
    }
    if (this.count === 0) this.#session.empties();
  }
}
