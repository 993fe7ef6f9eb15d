/**
 * One HTTP/2 connection to an origin (RFC 9113), shared by its lanes. Frames that all lanes make in
 * one turn of the event loop go out in one write.
 *
 * Flow control is per stream only. The window of the connection is returned immediately, so a slow
 * visitor does not block the others.
 */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { CLOSED, ClosedStreams } from '../../http/http2/closed-streams.ts';
import {
  frameHeader,
  writeGoaway,
  writePing,
  writeReset,
  writeSettingsAck,
  writeWindowUpdate,
} from '../../http/http2/frame-writer.ts';
import { HpackEncoder } from '../../http/http2/hpack/encoder.ts';
import {
  DEFAULT_FRAME_SIZE,
  DEFAULT_WINDOW,
  ERROR_CODE,
  type ErrorCode,
  FLAG,
  FRAME,
  FRAME_HEADER,
  MAX_STREAM_ID,
  MAX_WINDOW,
  PREFACE,
  SETTING,
} from '../../http/http2/protocol.ts';
import { PeerSettings } from '../../http/http2/settings.ts';
import { type Flushable, flushLater } from '../../http/transport/flusher.ts';
import type { CarrierOwner } from '../carrier.ts';
import type { OriginClock } from '../clock.ts';
import type { OriginLimits } from '../limits.ts';
import { OriginError, type OriginRequest } from '../origin.ts';
import type { OriginSocket, SocketOwner } from '../sockets.ts';
import { FrameOutput } from './frame-output.ts';
import { errorName, Lane, type LaneSession, STREAM_WINDOW } from './lane.ts';
import { MAX_FRAME_SIZE, Receiver, type ReceivingSession, SESSION_WINDOW } from './receiver.ts';
import { writeRequest, writeTrailers } from './request-block.ts';

/** Maximum concurrent streams until the origin sets its limit (section 6.5.2: at least 100). */
const INITIAL_MAX_STREAMS = 100;
/** Maximum concurrent streams, even if the origin allows more. */
const MOST_STREAMS = 256;
/** Milliseconds of silence, while a stream is open, until a PING is sent. */
const PING_AFTER_MS = 30_000;
/** Milliseconds in which the origin must then send any bytes. */
const PING_TIMEOUT_MS = 15_000;
const PING = Buffer.from('waypost!', 'latin1');

/** The interface of the multiplexer for its sessions. */
export interface SessionOwner {
  /** The session can carry more streams than before. */
  onRoom(): void;
  onSessionClosed(session: Http2Session): void;
}

export class Http2Session implements LaneSession, SocketOwner, ReceivingSession, Flushable {
  /** The origin's address, in text. */
  readonly address: string;
  readonly peer = new PeerSettings();
  readonly closed = new ClosedStreams();
  readonly #socket: OriginSocket;
  readonly #owner: SessionOwner;
  readonly #clock: OriginClock;
  readonly #output: FrameOutput;
  readonly #receiver: Receiver;
  readonly #encoder = new HpackEncoder();
  readonly #lanes = new Set<Lane>();
  /** By stream ID. */
  readonly #streams = new Map<number, Lane>();
  /** Lanes that wait for the window of the connection or for the socket. */
  #waiting: Lane[] = [];
  /** Lanes whose response head arrived in the current read. */
  #answers: Lane[] = [];
  #nextId = 1;
  #sendWindow = DEFAULT_WINDOW;
  #isFlushDue = false;
  /** No new streams: GOAWAY was received, or the stream IDs are used up. */
  #isGoingAway = false;
  #isClosed = false;
  /** In the time of the clock. */
  #receivedAt: number;
  #pingedAt = -1;

  constructor(socket: OriginSocket, owner: SessionOwner, limits: OriginLimits, clock: OriginClock) {
    this.#socket = socket;
    this.address = socket.address;
    this.#owner = owner;
    this.#clock = clock;
    this.#output = new FrameOutput(socket);
    this.#receivedAt = clock.now;
    this.#receiver = new Receiver(this, limits.maxHeaderBytes, clock);
    this.#sendPreface(limits.maxHeaderBytes);
  }

  get isOpen(): boolean {
    return !this.#isClosed && !this.#isGoingAway && this.#socket.isOpen;
  }

  /** Whether the limit of concurrent streams allows another now. */
  get canOpen(): boolean {
    return this.isOpen && this.#streams.size < this.#maxStreams();
  }

  /** Whether another lane can be created. */
  get hasRoom(): boolean {
    return this.isOpen && this.#lanes.size < this.#maxStreams();
  }

  /** The socket has unsent bytes; lanes must wait. */
  get isFull(): boolean {
    return this.#socket.isFull;
  }

  #maxStreams(): number {
    return this.#receiver.hasSettings ? Math.min(MOST_STREAMS, this.peer.maxConcurrentStreams) : INITIAL_MAX_STREAMS;
  }

  createLane(owner: CarrierOwner, limits: OriginLimits): Lane {
    const lane = new Lane(this, owner, limits, this.#clock);
    this.#lanes.add(lane);
    return lane;
  }

  /** Sends the preface and SETTINGS (section 3.4), and enlarges the window of the connection. */
  #sendPreface(maxHeaderBytes: number): void {
    const settings = [
      [SETTING.ENABLE_PUSH, 0],
      [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
      [SETTING.MAX_FRAME_SIZE, MAX_FRAME_SIZE],
      [SETTING.MAX_HEADER_LIST_SIZE, maxHeaderBytes],
    ];
    const output = this.#output;
    output.reserve(PREFACE.length + FRAME_HEADER + 6 * settings.length);
    output.bytes.set(PREFACE, output.at);
    let at = frameHeader(output.bytes, output.at + PREFACE.length, 6 * settings.length, FRAME.SETTINGS, 0, 0);
    for (const [id, value] of settings) {
      at = output.bytes.writeUInt16BE(id, at);
      at = output.bytes.writeUInt32BE(value, at);
    }
    output.at = at;
    writeWindowUpdate(output, 0, SESSION_WINDOW - DEFAULT_WINDOW);
    this.#flushSoon();
  }

  // From lanes.

  open(lane: Lane, request: OriginRequest, isEnd: boolean): void {
    const streamId = this.#nextId;
    writeRequest(this.#output, this.#encoder, request, streamId, isEnd, DEFAULT_FRAME_SIZE);
    this.#nextId += 2;
    this.closed.open(streamId);
    this.#receiver.opened();
    // Section 5.1.1: without free stream IDs, later requests need another connection.
    if (this.#nextId > MAX_STREAM_ID) this.#isGoingAway = true;
    if (this.#streams.size === 0) this.#receivedAt = this.#clock.now;
    lane.streamId = streamId;
    lane.sendWindow = this.peer.initialWindow;
    this.#streams.set(streamId, lane);
    this.#flushSoon();
  }

  data(lane: Lane, part: Uint8Array): number {
    const output = this.#output;
    let sent = 0;
    while (sent < part.length) {
      const length = Math.min(part.length - sent, DEFAULT_FRAME_SIZE, lane.sendWindow, this.#sendWindow);
      if (length <= 0) break;
      output.reserve(FRAME_HEADER + length);
      lane.lastDataAt = output.at;
      lane.lastDataSerial = output.serial;
      const at = frameHeader(output.bytes, output.at, length, FRAME.DATA, 0, lane.streamId);
      output.bytes.set(sent === 0 && length === part.length ? part : part.subarray(sent, sent + length), at);
      output.at = at + length;
      lane.sendWindow -= length;
      this.#sendWindow -= length;
      sent += length;
      this.#receiver.sentData();
    }
    this.#flushSoon();
    return sent;
  }

  end(lane: Lane, trailers: FieldList): void {
    const output = this.#output;
    if (trailers.length > 0) writeTrailers(output, this.#encoder, trailers, lane.streamId, DEFAULT_FRAME_SIZE);
    else if (lane.lastDataSerial === output.serial && output.at > 0)
      output.bytes[lane.lastDataAt + 4] |= FLAG.END_STREAM; // the frame is still in the buffer
    else {
      output.reserve(FRAME_HEADER);
      output.at = frameHeader(output.bytes, output.at, 0, FRAME.DATA, FLAG.END_STREAM, lane.streamId);
    }
    this.#flushSoon();
  }

  wait(lane: Lane): void {
    if (lane.isWaiting) return;
    lane.isWaiting = true;
    this.#waiting.push(lane);
  }

  updateWindow(streamId: number, increment: number): void {
    if (this.#isClosed) return;
    writeWindowUpdate(this.#output, streamId, increment);
    this.#flushSoon();
  }

  answerLater(lane: Lane): void {
    this.#answers.push(lane);
  }

  release(lane: Lane, code: ErrorCode | null): void {
    const { streamId } = lane;
    if (!this.#streams.delete(streamId)) return;
    lane.streamId = 0;
    // `byServer` means: reset by this side.
    this.closed.close(streamId, code === null ? CLOSED.ended : CLOSED.byServer);
    if (code === null || this.#isClosed) return;
    writeReset(this.#output, streamId, code);
    this.#flushSoon();
  }

  leave(lane: Lane): void {
    this.#lanes.delete(lane);
    if (this.isOpen) this.#owner.onRoom();
  }

  closeIfUnused(): void {
    if (this.#lanes.size > 0 || this.#isClosed) return;
    writeGoaway(this.#output, 0, ERROR_CODE.NO_ERROR, '');
    this.#close();
  }

  // From the multiplexer.

  /** Sends PING to detect an origin that has silently gone. `now`: of the clock. */
  tick(now: number): void {
    if (this.#streams.size === 0) return;
    if (this.#pingedAt >= 0) {
      if (now - this.#pingedAt < PING_TIMEOUT_MS) return;
      this.fail(new OriginError('reset', 'the origin does not answer PING'), ERROR_CODE.NO_ERROR);
    } else if (now - this.#receivedAt >= PING_AFTER_MS) {
      this.#pingedAt = now;
      writePing(this.#output, 0, PING, 0);
      this.#flushSoon();
    }
  }

  /** Closes immediately. The lanes were aborted before. */
  destroy(): void {
    this.closeIfUnused();
    if (!this.#isClosed) this.#close();
  }

  flushDue(): void {
    this.#isFlushDue = false;
    if (!this.#isClosed) this.#output.flush();
  }

  // From the socket.

  take(buffer: Buffer, length: number): boolean {
    this.#receivedAt = this.#clock.now;
    this.#pingedAt = -1;
    this.#receiver.push(buffer.subarray(0, length));
    this.#answer();
    return true;
  }

  #answer(): void {
    const answers = this.#answers;
    if (answers.length === 0) return;
    this.#answers = [];
    for (const lane of answers) lane.answer();
  }

  onDrain(): void {
    this.#output.left();
    this.#pump();
  }

  onSocketEnd(): void {
    this.fail(new OriginError('reset', 'the origin closed the connection'), null);
  }

  onWriteError(error: Error): void {
    this.fail(new OriginError('reset', error.message), null);
  }

  onSocketClosed(error: Error | null): void {
    this.fail(new OriginError('reset', error?.message ?? 'the origin closed the connection'), null);
  }

  // From the receiver.

  laneOf(streamId: number): Lane | undefined {
    return this.#streams.get(streamId);
  }

  isIdle(streamId: number): boolean {
    return (streamId & 1) === 0 || streamId >= this.#nextId;
  }

  acknowledgePing(payload: Uint8Array, start: number): void {
    writePing(this.#output, FLAG.ACK, payload, start);
    this.#flushSoon();
  }

  applySettings(before: number): boolean {
    const { peer } = this;
    this.#encoder.allowTableSize(peer.leastHeaderTableSize);
    this.#encoder.allowTableSize(peer.headerTableSize);
    // Section 6.9.2. No window may exceed its maximum, not even between two settings of the frame.
    const greatest = peer.greatestInitialWindow - before;
    for (const lane of [...this.#streams.values()])
      if (lane.sendWindow + greatest > MAX_WINDOW || !lane.raise(peer.initialWindow - before)) return false;
    writeSettingsAck(this.#output);
    this.#flushSoon();
    if (this.hasRoom) this.#owner.onRoom();
    return true;
  }

  raise(increment: number): boolean {
    this.#sendWindow += increment;
    if (this.#sendWindow > MAX_WINDOW) return false;
    this.#pump();
    return true;
  }

  /** Section 6.8: requests that the origin will not process may be retried. */
  goAway(last: number, code: number): void {
    this.#isGoingAway = true;
    for (const [streamId, lane] of [...this.#streams]) if (streamId > last) lane.refuse();
    for (const lane of [...this.#lanes]) if (lane.isIdle) lane.destroy();
    // After an error, responses to open streams are not expected.
    if (code === ERROR_CODE.NO_ERROR) this.closeIfUnused();
    else this.fail(new OriginError('reset', `the origin ended the connection: ${errorName(code)}`, code), null);
  }

  /** Waiting lanes continue, in order of arrival. */
  #pump(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < waiting.length; i++) {
      if (this.isFull || this.#sendWindow <= 0) {
        this.#waiting.push(...waiting.slice(i));
        return;
      }
      waiting[i].pump();
    }
  }

  #flushSoon(): void {
    if (this.#isFlushDue || this.#isClosed) return;
    this.#isFlushDue = true;
    flushLater(this);
  }

  /**
   * Ends the connection. `code`: of GOAWAY; null: none is sent, because the peer would not read it.
   */
  fail(error: OriginError, code: ErrorCode | null): void {
    if (this.#isClosed) return;
    if (code !== null) writeGoaway(this.#output, 0, code, '');
    this.#close();
    // Complete responses are still delivered.
    this.#answer();
    for (const lane of [...this.#streams.values()]) lane.reset(error, null);
    for (const lane of [...this.#lanes]) lane.destroy();
  }

  #close(): void {
    this.#output.flush();
    this.#isClosed = true;
    this.#receiver.stop();
    if (this.#socket.isFull) this.#socket.destroySoon();
    else this.#socket.destroy();
    this.#owner.onSessionClosed(this);
  }
}
