/**
 * One connection of HTTP/2, server side (RFC 9113): from the preface to the last frame. The receiver reads frames and judges them, the sender writes;
 * here lies what both share, and the life of streams and of the session itself.
 *
 *     transport ─► Receiver ─► streams ─► handler ─► Sender ─► Output ─► transport
 */
import { Socket } from 'node:net';
import type { AbortCause, Client, FieldList, Handler } from '../exchange/exchange.ts';
import { ReadyAnswer } from '../exchange/ready-answer.ts';
import { type Clock, THREAD_CLOCK, type Ticking } from './clock.ts';
import { CLOSED } from './closed-streams.ts';
import { type Http2Counters, TRAFFIC_COLUMN } from './counters.ts';
import { type Ending, SESSION_ENDING, STREAM_ENDING } from './endings.ts';
import { FLOOD } from './flood-gate.ts';
import { type Flushable, flushLater } from './flusher.ts';
import { writeGoaway, writePing, writeReset, writeWindowUpdate } from './frame-writer.ts';
import type { Http2Limits } from './limits.ts';
import { OUTPUT_BUFFER, Output } from './output.ts';
import { DEFAULT_WINDOW, ERROR_CODE, type ErrorCode, MAX_STREAM_ID } from './protocol.ts';
import { ReceiveWindow } from './receive-window.ts';
import { Receiver } from './receiver.ts';
import type { RequestHead } from './request-head.ts';
import { Sender } from './sender.ts';
import { SessionWatch } from './session-watch.ts';
import { PeerSettings, settingsFrame } from './settings.ts';
import { Http2Stream, type StreamHost } from './stream.ts';
import { StreamTable } from './stream-table.ts';
import { SocketTransport, type Transport, type TransportReceiver } from './transport.ts';

export interface Http2SessionOptions {
  readonly handler: Handler;
  readonly client: Client;
  readonly scheme: 'http' | 'https';
  readonly limits: Http2Limits;
  readonly counters: Http2Counters;
  /** Nothing goes over the connection any more. Once. */
  readonly onClose?: () => void;
  /** What a handler, or a listener of an exchange, threw or rejected with. */
  readonly onHandlerError?: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Octets of output that wait, from which on no more is read: a client that doesn't take its answers gets no more of them. */
const HIGH_WATER = 2 * OUTPUT_BUFFER;
/** Payload of the PING behind a first GOAWAY: its answer says that what was under way has come. */
const DRAIN_PING = Buffer.from('waypost!', 'latin1');

const NO_BYTES = new Uint8Array(0);
const REFUSALS: Readonly<Record<400 | 431 | 500, ReadyAnswer>> = {
  400: new ReadyAnswer(400, [], NO_BYTES),
  431: new ReadyAnswer(431, [], NO_BYTES), // RFC 6585 section 5
  500: new ReadyAnswer(500, [], NO_BYTES),
};

export class Http2Session implements StreamHost, TransportReceiver, Ticking, Flushable {
  readonly client: Client;
  readonly scheme: 'http' | 'https';
  readonly limits: Http2Limits;
  readonly counters: Http2Counters;
  readonly clock: Clock;
  readonly streams = new StreamTable();
  readonly peer = new PeerSettings();
  readonly receiveWindow: ReceiveWindow;
  readonly output: Output;
  readonly sender: Sender;
  readonly receiver: Receiver;
  readonly #options: Http2SessionOptions;
  readonly #transport: Transport;
  readonly #watch: SessionWatch;
  /** `closing`: the last frame lies in the output, or has left; only the client's end is waited for. */
  #state: 'open' | 'closing' | 'closed' = 'open';
  #isReading = false;
  #isFlushDue = false;
  #isPaused = false;
  #hasEndedTransport = false;
  #unacknowledged = 1;
  /** `announced`: GOAWAY has been sent with the highest identifier; `final`: with the last that is served (section 6.8). */
  #drain: 'no' | 'announced' | 'final' = 'no';
  #lastServed = MAX_STREAM_ID;
  /** Streams whose response is complete and whose request is not. */
  #early: Http2Stream[] = [];

  constructor(socket: Socket | Transport, options: Http2SessionOptions) {
    this.#options = options;
    this.client = options.client;
    this.scheme = options.scheme;
    this.limits = options.limits;
    this.counters = options.counters;
    this.clock = options.clock ?? THREAD_CLOCK;
    this.clock.add(this);
    this.#transport = socket instanceof Socket ? new SocketTransport(socket) : socket;
    this.output = new Output(this.#transport, (octets) => this.#written(octets));
    this.sender = new Sender(this.output, this.peer, this.counters);
    const { sessionWindow } = this.limits;
    this.receiveWindow = new ReceiveWindow(sessionWindow, Math.max(sessionWindow, DEFAULT_WINDOW));
    this.receiver = new Receiver(this);
    this.#watch = new SessionWatch(this);
    this.counters.values[TRAFFIC_COLUMN.sessions]++;
    this.#begin();
    this.#transport.start(this);
  }

  /** Section 3.4: SETTINGS first. */
  #begin(): void {
    const settings = settingsFrame(this.limits);
    this.output.reserve(settings.length);
    this.output.bytes.set(settings, this.output.at);
    this.output.at += settings.length;
    const more = this.limits.sessionWindow - DEFAULT_WINDOW;
    if (more > 0) writeWindowUpdate(this.output, 0, more);
    this.flushSoon();
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Open streams, and work for such that were reset. */
  get isIdle(): boolean {
    return this.streams.count === 0 && this.streams.abandoned === 0;
  }

  get isAwaitingSettings(): boolean {
    return this.#unacknowledged > 0;
  }

  // The session's end.

  /** Takes no new streams, finishes those that it has, then closes (section 6.8). Once; again it does nothing. */
  drain(): void {
    if (this.#state !== 'open' || this.#drain !== 'no') return;
    this.#drain = 'announced';
    writeGoaway(this.output, MAX_STREAM_ID, ERROR_CODE.NO_ERROR, '');
    writePing(this.output, 0, DRAIN_PING, 0);
    this.#watch.drains();
    this.flushSoon();
  }

  /** Ends it now, with this code; its exchanges hear `drain`. */
  destroy(code: ErrorCode): void {
    this.fail({ ...SESSION_ENDING.destroyed, code });
  }

  /** Ends it for a reason of which the client is told. */
  fail(ending: Ending): void {
    if (this.#state !== 'open') return;
    this.counters.ended(ending, this.client);
    this.#close(ending.cause);
    writeGoaway(this.output, Math.min(this.streams.closed.last, this.#lastServed), ending.code, ending.name);
    this.#turn();
  }

  /** A client that takes nothing is not told. */
  cut(ending: Ending): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'open') this.counters.ended(ending, this.client);
    this.#close(ending.cause);
    this.#transport.destroy();
  }

  /** Nothing is read any more, and only what waits is written. */
  #close(cause: AbortCause): void {
    if (this.#state === 'open') this.#state = 'closing';
    this.receiver.stop();
    this.#watch.closes();
    for (const stream of [...this.streams.open]) this.#closeStream(stream, CLOSED.byServer, cause, false);
    if (this.#isPaused) this.#transport.resume(); // to see the client's end
  }

  /** The second GOAWAY: when the first has been seen, or the client had its time. */
  finishDrain(): void {
    if (this.#drain !== 'announced' || this.#state !== 'open') return;
    this.#drain = 'final';
    this.#lastServed = this.streams.closed.last;
    writeGoaway(this.output, this.#lastServed, ERROR_CODE.NO_ERROR, '');
    this.flushSoon();
  }

  /** True for streams that a GOAWAY has said not to be served. */
  ignores(streamId: number): boolean {
    return streamId > this.#lastServed;
  }

  // From the transport.

  onBytes(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    this.counters.values[TRAFFIC_COLUMN.bytes_received] += bytes.length;
    this.#isReading = true;
    this.receiver.push(bytes);
    this.#isReading = false;
    this.#turn();
  }

  onEnd(): void {
    if (this.#state !== 'open') return;
    this.counters.ended(SESSION_ENDING.closed, this.client);
    this.#close('client');
    this.#turn();
  }

  onClose(): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'open') this.counters.ended(SESSION_ENDING.broken, this.client);
    this.#close('client');
    this.#state = 'closed';
    this.output.stop();
    this.clock.remove(this);
    this.#options.onClose?.();
  }

  #written(octets: number): void {
    this.counters.values[TRAFFIC_COLUMN.bytes_sent] += octets;
    this.#watch.wrote();
    this.#turn();
  }

  // From the clock and the flusher.

  tick(now: number): void {
    this.#watch.tick(now);
  }

  flushDue(): void {
    this.#isFlushDue = false;
    this.#turn();
  }

  flushSoon(): void {
    if (this.#isReading || this.#isFlushDue) return;
    this.#isFlushDue = true;
    flushLater(this);
  }

  /** Sends what there is to send, as far as the windows and the connection allow. */
  #turn(): void {
    if (this.#state === 'closed' || this.#isReading) return;
    if (this.#early.length > 0) this.#resetEarly();
    const { output } = this;
    if (output.underWay === 0) {
      this.sender.fill();
      output.flush();
    }
    if (output.underWay === 0) {
      if (this.#state === 'open' && this.#isDone()) this.#finish();
      if (this.#state === 'closing') this.#endTransport();
    }
    const isHigh = output.waiting > HIGH_WATER;
    if (isHigh === this.#isPaused || this.#state !== 'open') return;
    this.#isPaused = isHigh;
    if (isHigh) this.#transport.pause();
    else this.#transport.resume();
  }

  #isDone(): boolean {
    return this.#drain === 'final' && this.streams.count === 0;
  }

  #finish(): void {
    this.counters.ended(SESSION_ENDING.drained, this.client);
    this.#close('drain');
  }

  #endTransport(): void {
    if (this.#hasEndedTransport) return;
    this.#hasEndedTransport = true;
    this.#transport.end();
  }

  // From the receiver.

  /** False: none of ours was waiting for it. */
  settingsAcknowledged(): boolean {
    return --this.#unacknowledged >= 0;
  }

  pingAcknowledged(): void {
    this.finishDrain();
  }

  /** The client opens no more streams, and wants the session to end (section 6.8). */
  peerGoesAway(): void {
    if (this.#drain === 'final') return;
    this.#drain = 'announced';
    this.finishDrain();
  }

  /** `refusal`: the status of an answer that needs no handler; 0: the handler's. */
  openStream(streamId: number, head: RequestHead, hasBody: boolean, refusal: 0 | 400 | 431): void {
    this.counters.values[TRAFFIC_COLUMN.streams]++;
    const stream = new Http2Stream(this, streamId, head, hasBody, this.peer.initialWindow, this.clock.now);
    if (hasBody) {
      const { streamWindow } = this.limits;
      const known = this.isAwaitingSettings ? Math.max(streamWindow, DEFAULT_WINDOW) : streamWindow;
      stream.receiveWindow = new ReceiveWindow(streamWindow, known);
    }
    this.streams.add(stream);
    if (refusal === 0) return this.#handle(stream);
    this.counters.values[refusal === 431 ? TRAFFIC_COLUMN.header_lists_too_large : TRAFFIC_COLUMN.bad_requests]++;
    stream.answer(REFUSALS[refusal]);
  }

  #handle(stream: Http2Stream): void {
    try {
      const pending = this.#options.handler(stream);
      if (pending === undefined) return;
      stream.isHandlerPending = true;
      pending.then(
        () => this.#settled(stream),
        (error: unknown) => {
          this.#settled(stream);
          this.handlerFailed(stream, error);
        },
      );
    } catch (error) {
      this.handlerFailed(stream, error);
    }
  }

  #settled(stream: Http2Stream): void {
    stream.isHandlerPending = false;
    if (stream.isAbandoned) this.streams.abandoned--;
  }

  handlerFailed(stream: Http2Stream, error: unknown): void {
    this.#options.onHandlerError?.(error);
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
    if (stream.isLocalEnded) this.#closeStream(stream, CLOSED.ended, null, false);
  }

  peerResets(stream: Http2Stream): void {
    this.counters.ended(STREAM_ENDING.cancelled, this.client);
    this.#closeStream(stream, CLOSED.byClient, 'client', false);
  }

  /** Resets a stream that is not open: it was not let in, or is closed already. */
  refuse(streamId: number, ending: Ending): void {
    this.counters.ended(ending, this.client);
    writeReset(this.output, streamId, ending.code);
    this.streams.closed.close(streamId, CLOSED.byServer);
    this.receiver.passes(FLOOD.reset);
  }

  // From streams.

  resetStream(stream: Http2Stream, ending: Ending): void {
    if (stream.isClosed) return;
    this.counters.ended(ending, this.client);
    writeReset(this.output, stream.id, ending.code);
    const isOwn = ending === STREAM_ENDING.aborted || ending === STREAM_ENDING.failed;
    this.#closeStream(stream, CLOSED.byServer, ending.cause, isOwn);
    this.flushSoon();
    // What the client provokes costs it as much as its own (CVE-2025-8671).
    if (ending.cause !== 'client') this.receiver.passes(FLOOD.reset);
  }

  streamSent(stream: Http2Stream): void {
    if (stream.isRemoteEnded) this.#closeStream(stream, CLOSED.ended, null, false);
    else if (!stream.isTunnel) {
      stream.queue?.discard();
      this.#early.push(stream);
    }
  }

  bodyTaken(stream: Http2Stream, octets: number): void {
    if (this.#state !== 'open') return;
    this.giveBack(octets);
    if (stream.isRemoteEnded || stream.isClosed || stream.receiveWindow === null) return;
    const increment = stream.receiveWindow.give(octets);
    if (increment === 0) return;
    writeWindowUpdate(this.output, stream.id, increment);
    this.flushSoon();
  }

  /** Octets of DATA leave the session's window. */
  giveBack(octets: number): void {
    const increment = this.receiveWindow.give(octets);
    if (increment === 0) return;
    writeWindowUpdate(this.output, 0, increment);
    this.flushSoon();
  }

  /** Section 8.1: a response that is complete before its request. What of that came with the same read has been taken. */
  #resetEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const stream of early) if (!stream.isRemoteEnded) this.resetStream(stream, STREAM_ENDING.early);
  }

  #closeStream(
    stream: Http2Stream,
    way: typeof CLOSED.ended | typeof CLOSED.byClient | typeof CLOSED.byServer,
    cause: AbortCause | null,
    isOwn: boolean,
  ): void {
    if (stream.isClosed) return;
    stream.isClosed = true;
    this.streams.remove(stream);
    this.streams.closed.close(stream.id, way);
    if (stream.queued > 0) this.sender.drop(stream);
    if (cause === null) stream.queue?.discard();
    else {
      if (stream.isHandlerPending) {
        stream.isAbandoned = true;
        this.streams.abandoned++;
      }
      const held = stream.queue?.buffered ?? 0;
      stream.endedBy(cause, isOwn);
      if (held > 0 && this.#state === 'open') this.giveBack(held);
    }
    if (this.streams.count === 0) this.#watch.empties();
    if (this.#drain === 'final' && this.streams.count === 0) this.flushSoon();
  }
}
