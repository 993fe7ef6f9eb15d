/**
 * One connection of HTTP/2, server side (RFC 9113): from the preface to the last frame. The
 * receiver reads frames and judges them, the sender writes; here is what both share, and the life
 * of streams and of the session itself.
 *
 *     transport ─► Receiver ─► streams ─► handler ─► Sender ─► Output ─► transport
 */
import { Socket } from 'node:net';
import { type ClientMemory, type MemoryBudget, THREAD_MEMORY } from '../exchange/client-memory.ts';
import type { AbortCause, Client, Handler } from '../exchange/exchange.ts';
import { BUFFER } from '../transport/buffers.ts';
import { type Flushable, flushLater } from '../transport/flusher.ts';
import { SocketTransport, type Transport, type TransportReceiver } from '../transport/transport.ts';
import type { TurnShare } from '../transport/turn-share.ts';
import { type Clock, THREAD_CLOCK, type Ticking } from './clock.ts';
import { type Http2Counters, TRAFFIC_COLUMN } from './counters.ts';
import { type Ending, SESSION_ENDING } from './endings.ts';
import { FLOOD } from './flood-gate.ts';
import { writeGoaway, writePing, writeWindowUpdate } from './frame-writer.ts';
import type { Http2Limits } from './limits.ts';
import { Output } from './output.ts';
import { DEFAULT_WINDOW, ERROR_CODE, type ErrorCode, MAX_STREAM_ID } from './protocol.ts';
import { Receiver } from './receiver.ts';
import { Sender, type SenderSession } from './sender.ts';
import { SessionWatch } from './session-watch.ts';
import { PeerSettings, settingsFrame } from './settings.ts';
import { type StreamSession, Streams } from './streams.ts';

interface Http2SessionOptions {
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
  /** The thread's, of which the client's network gets a share. */
  readonly memory?: MemoryBudget;
  /** The site that the client visits, which gets a share, too. */
  readonly site?: string;
  /** Of the turns of the thread; omitted: it need not wait. */
  readonly share?: TurnShare | null;
}

/** Bytes that a session takes by itself, its connection and its tables of HPACK included. */
const SESSION_MEMORY = 32_768;
/**
 * Bytes of output that wait, from which on no more is read: a client that doesn't take its answers
 * gets no more of them.
 */
const HIGH_WATER = 2 * BUFFER;
/** Payload of the PING behind a first GOAWAY: its answer says that what was in flight has come. */
const DRAIN_PING = Buffer.from('waypost!', 'latin1');

export class Http2Session implements StreamSession, SenderSession, TransportReceiver, Ticking, Flushable {
  readonly client: Client;
  readonly scheme: 'http' | 'https';
  readonly limits: Http2Limits;
  readonly memory: ClientMemory;
  readonly counters: Http2Counters;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly peer = new PeerSettings();
  readonly output: Output;
  readonly sender: Sender;
  readonly receiver: Receiver;
  readonly #options: Http2SessionOptions;
  readonly #budget: MemoryBudget;
  readonly #transport: Transport;
  readonly #watch: SessionWatch;
  readonly #share: TurnShare | null;
  /**
   * `closing`: the last frame is in the output, or has left; only the client's end is waited for.
   */
  #state: 'open' | 'closing' | 'closed' = 'open';
  #isReading = false;
  #isFlushDue = false;
  #isPaused = false;
  #hasEndedTransport = false;
  #unacknowledged = 1;
  /**
   * `announced`: GOAWAY has been sent with the highest identifier; `final`: with the last that is
   * served (section 6.8).
   */
  #drain: 'no' | 'announced' | 'final' = 'no';
  #lastServed = MAX_STREAM_ID;
  #isPeerLeaving = false;

  constructor(socket: Socket | Transport, options: Http2SessionOptions) {
    this.#options = options;
    this.client = options.client;
    this.scheme = options.scheme;
    this.limits = options.limits;
    this.counters = options.counters;
    this.clock = options.clock ?? THREAD_CLOCK;
    this.clock.add(this);
    this.#budget = options.memory ?? THREAD_MEMORY;
    this.memory = this.#budget.enter(this.client.address, options.site);
    this.memory.hold(SESSION_MEMORY);
    this.#share = options.share ?? null;
    this.#transport = socket instanceof Socket ? new SocketTransport(socket) : socket;
    this.output = new Output(this.#transport, this.memory, (data) => this.#written(data));
    this.sender = new Sender(this);
    this.streams = new Streams(this, options.handler, options.onHandlerError);
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

  /** Nothing is read, since the client does not take what waits. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isAwaitingSettings(): boolean {
    return this.#unacknowledged > 0;
  }

  // The session's end.

  /**
   * Takes no new streams, finishes those that it has, then closes (section 6.8). Once; again it
   * does nothing.
   */
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

  /** Ends it for a reason that the client learns. */
  fail(ending: Ending): void {
    if (this.#state !== 'open') return;
    this.counters.ended(ending, this.client);
    this.#close(ending.cause);
    writeGoaway(this.output, Math.min(this.streams.closed.last, this.#lastServed), ending.code, ending.name);
    this.#turn();
  }

  /** A client that takes nothing is not informed. */
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
    this.streams.closeAll(cause);
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
    this.memory.forget(this);
    this.memory.release(SESSION_MEMORY);
    this.#budget.leave(this.memory);
    this.#options.onClose?.();
  }

  #written(data: number): void {
    this.counters.values[TRAFFIC_COLUMN.bytes_sent] += data;
    this.#watch.wrote();
    // Not at once: a client that takes all that there is would keep the loop from all others.
    if (this.output.waiting > 0 || this.sender.isWaiting || this.#isPaused || this.#isEnding()) this.flushSoon();
  }

  // From the clock, the flusher and the account of memory.

  onMemory(): void {
    this.flushSoon();
  }

  tick(now: number): void {
    this.#watch.tick(now);
  }

  flushDue(): void {
    if (this.#share?.isSpent && this.#state !== 'closed') {
      this.#share.flushLater(this);
      return;
    }
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
    this.streams.resetEarly();
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
    else {
      this.receiver.resumes();
      this.#transport.resume();
    }
  }

  #isDone(): boolean {
    return this.#drain === 'final' && this.streams.count === 0;
  }

  /** The end of the connection depends on what is written. */
  #isEnding(): boolean {
    return this.#state === 'closing' || this.#drain === 'final';
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

  // From streams and the receiver.

  empties(): void {
    this.#watch.empties();
    if (this.#isPeerLeaving) this.drain();
    if (this.#drain === 'final') this.flushSoon();
  }

  provoked(): void {
    if (!this.receiver.gate.admit(FLOOD.reset, this.clock.now)) this.fail(SESSION_ENDING.resetFlood);
  }

  /** False: none of ours was waiting for it. */
  settingsAcknowledged(): boolean {
    return --this.#unacknowledged >= 0;
  }

  pingAcknowledged(): void {
    this.finishDrain();
  }

  /**
   * The client wants the session to end (section 6.8): it does once nothing is pending, nor on
   * its way. Clients on nghttp2, as node's, say so before requests that they have just made.
   */
  peerGoesAway(): void {
    this.#isPeerLeaving = true;
    if (this.streams.count === 0) this.empties();
  }
}
