/**
 * The server side of an HTTP/2 connection (RFC 9113), from the preface to the last frame. The
 * receiver reads and validates frames, the sender writes them. The session holds their shared
 * state, and drains, ends and closes the connection.
 *
 *     transport ─► Receiver ─► streams ─► handler ─► Sender ─► Output ─► transport
 */
import { Socket } from 'node:net';
import type { Pressure } from '../exchange/body-pace.ts';
import { type ClientMemory, type MemoryBudget, THREAD_MEMORY } from '../exchange/client-memory.ts';
import type { AbortCause, Client, Handler } from '../exchange/exchange.ts';
import { BUFFER } from '../transport/buffers.ts';
import { type Flushable, flushLater, type TurnShare } from '../transport/flusher.ts';
import { SocketTransport, type Transport, type TransportReceiver } from '../transport/transport.ts';
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
  /** Called once, when the connection is closed. */
  readonly onClose?: () => void;
  /** Receives the errors of handlers and of listeners of exchanges. */
  readonly onHandlerError?: (error: unknown) => void;
  readonly clock?: Clock;
  /** The memory budget of the thread, of which the client's network gets a share. */
  readonly memory?: MemoryBudget;
  /** The site that the client visits, which also gets a share of the memory. */
  readonly site?: string;
  /** The slots of the client and its site; omitted or null: unlimited. */
  readonly slots?: Pressure | null;
  /** The site's share of the thread's turns; omitted or null: the session never waits for one. */
  readonly share?: TurnShare | null;
}

/** Bytes charged for a session, including its connection and its HPACK tables. */
const SESSION_MEMORY = 32_768;
/**
 * Bytes of waiting output above which reading pauses. So a client that does not read its responses
 * cannot request more.
 */
const HIGH_WATER = 2 * BUFFER;
/**
 * Payload of the PING after the first GOAWAY. Its acknowledgement shows that the client has seen
 * the GOAWAY, and that its frames in flight have arrived.
 */
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
   * `closing`: the last frame is in the output or is sent, and the session waits for the client to
   * close.
   */
  #state: 'open' | 'closing' | 'closed' = 'open';
  #isReading = false;
  #isFlushDue = false;
  #isPaused = false;
  #hasEndedTransport = false;
  /** SETTINGS frames of ours that the client has not acknowledged. */
  #unacknowledged = 1;
  /**
   * `announced`: GOAWAY was sent with the maximum stream identifier; `final`: with that of the last
   * stream that is served (section 6.8).
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
    this.output = new Output(this.#transport, this.memory, (data) => this.#onWritten(data));
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

  /** No stream is open, and no handler of a reset stream is running. */
  get isIdle(): boolean {
    return this.streams.count === 0 && this.streams.abandoned === 0;
  }

  /** Reading is paused, since the client does not read the waiting output. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isPressed(): boolean {
    return this.memory.isPressed || this.#options.slots?.isPressed === true;
  }

  get isAwaitingSettings(): boolean {
    return this.#unacknowledged > 0;
  }

  // Ending the session.

  /**
   * Starts the graceful shutdown (section 6.8). Streams opened before the final GOAWAY are served,
   * then the session closes. Repeated calls do nothing.
   */
  drain(): void {
    if (this.#state !== 'open' || this.#drain !== 'no') return;
    this.#drain = 'announced';
    writeGoaway(this.output, MAX_STREAM_ID, ERROR_CODE.NO_ERROR, '');
    writePing(this.output, 0, DRAIN_PING, 0);
    this.#watch.markDrain();
    this.flushSoon();
  }

  /** Ends the session at once. Its exchanges are aborted with the cause `drain`. */
  destroy(code: ErrorCode): void {
    this.fail({ ...SESSION_ENDING.destroyed, code });
  }

  /** Ends the session with a GOAWAY. */
  fail(ending: Ending): void {
    if (this.#state !== 'open') return;
    this.counters.ended(ending, this.client);
    this.#close(ending.cause);
    writeGoaway(this.output, Math.min(this.streams.closed.last, this.#lastServed), ending.code, ending.name);
    this.#turn();
  }

  /** Ends the session without a GOAWAY, since the client does not read. */
  cut(ending: Ending): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'open') this.counters.ended(ending, this.client);
    this.#close(ending.cause);
    this.#transport.destroy();
  }

  /** Stops reading and closes all streams. Waiting output is still written. */
  #close(cause: AbortCause): void {
    if (this.#state === 'open') this.#state = 'closing';
    this.receiver.stop();
    this.#watch.markClose();
    this.streams.closeAll(cause);
    if (this.#isPaused) this.#transport.resume(); // to notice that the client closes
  }

  /** Sends the second GOAWAY, after the client has seen the first or its time has run out. */
  finishDrain(): void {
    if (this.#drain !== 'announced' || this.#state !== 'open') return;
    this.#drain = 'final';
    this.#lastServed = this.streams.closed.last;
    writeGoaway(this.output, this.#lastServed, ERROR_CODE.NO_ERROR, '');
    this.flushSoon();
  }

  /** Whether a stream is beyond the last one that a GOAWAY announced as served. */
  ignoresStream(streamId: number): boolean {
    return streamId > this.#lastServed;
  }

  // Called by the transport.

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

  #onWritten(data: number): void {
    this.counters.values[TRAFFIC_COLUMN.bytes_sent] += data;
    this.#watch.markWrite();
    // Not at once: a fast reader would otherwise occupy the event loop.
    if (this.output.waiting > 0 || this.sender.isWaiting || this.#isPaused || this.#isEnding()) this.flushSoon();
  }

  // Called by the clock, the flusher and the memory budget.

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

  /** Sends as much as the windows and the connection allow, then updates the state. */
  #turn(): void {
    if (this.#state === 'closed' || this.#isReading) return;
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

  /** The connection may have to be closed after a write. */
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

  // Called by streams and the receiver.

  onStreamsClosed(): void {
    this.#watch.markEmpty();
    if (this.#isPeerLeaving) this.drain();
    if (this.#drain === 'final') this.flushSoon();
  }

  chargeReset(): void {
    if (!this.receiver.gate.admit(FLOOD.reset, this.clock.now)) this.fail(SESSION_ENDING.resetFlood);
  }

  /** False: no SETTINGS frame of ours is unacknowledged. */
  settingsAcknowledged(): boolean {
    return --this.#unacknowledged >= 0;
  }

  pingAcknowledged(): void {
    this.finishDrain();
  }

  /**
   * The client sent GOAWAY (section 6.8). The session drains when no stream is open, and still
   * serves requests in flight: nghttp2 clients such as node's send GOAWAY before requests that they
   * have already made.
   */
  onGoaway(): void {
    this.#isPeerLeaving = true;
    if (this.streams.count === 0) this.onStreamsClosed();
  }
}
