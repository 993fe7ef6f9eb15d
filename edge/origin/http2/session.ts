/**
 * One connection of HTTP/2 to an origin (RFC 9113), whose lanes share it. The frames of all lanes
 * that one turn of the loop brings leave in one write.
 *
 * Only the windows of the streams bound what an origin may send: that of the connection is given
 * back at once, so that a visitor who does not read holds up nobody else.
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

/** Streams at a time until the origin sets its own limit (section 6.5.2: at least 100). */
const FIRST_STREAMS = 100;
/** Streams at a time, however many more the origin allows. */
const MOST_STREAMS = 256;
/** Milliseconds without a byte, while a response is waited for, after which the origin is asked. */
const PING_AFTER = 30_000;
/** Milliseconds in which it must send something then. */
const PING_TIMEOUT = 15_000;
const PING = Buffer.from('waypost!', 'latin1');

/** The multiplexer, as its sessions see it. */
export interface SessionOwner {
  /** It may carry more streams than before. */
  onRoom(): void;
  onSessionClosed(session: Http2Session): void;
}

export class Http2Session implements LaneSession, SocketOwner, ReceivingSession, Flushable {
  /** Of the origin, in text. */
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
  /** By stream. */
  readonly #streams = new Map<number, Lane>();
  /** Lanes that wait for the window of the connection, or for its socket. */
  #waiting: Lane[] = [];
  /** Lanes whose heads came with the current read. */
  #answers: Lane[] = [];
  #nextId = 1;
  #sendWindow = DEFAULT_WINDOW;
  #isFlushDue = false;
  /** The origin takes no new streams. */
  #isLeaving = false;
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
    this.#greet(limits.maxHeaderBytes);
  }

  /** New streams may be opened. */
  get isOpen(): boolean {
    return !this.#isClosed && !this.#isLeaving && this.#socket.isOpen;
  }

  /** The origin takes one more stream now. */
  get canOpen(): boolean {
    return this.isOpen && this.#streams.size < this.#mostStreams();
  }

  /** For one more lane. */
  get hasRoom(): boolean {
    return this.isOpen && this.#lanes.size < this.#mostStreams();
  }

  /** Nothing is to be added to what the socket has not sent. */
  get isFull(): boolean {
    return this.#socket.isFull;
  }

  #mostStreams(): number {
    return this.#receiver.hasSettings ? Math.min(MOST_STREAMS, this.peer.maxConcurrentStreams) : FIRST_STREAMS;
  }

  createLane(owner: CarrierOwner, limits: OriginLimits): Lane {
    const lane = new Lane(this, owner, limits, this.#clock);
    this.#lanes.add(lane);
    return lane;
  }

  /** Section 3.4: the preface, and SETTINGS; the window of the connection. */
  #greet(maxHeaderBytes: number): void {
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

  /** Opens a stream. Throws TypeError for what can be no request; no stream is open then. */
  open(lane: Lane, request: OriginRequest, isEnd: boolean): void {
    const streamId = this.#nextId;
    writeRequest(this.#output, this.#encoder, request, streamId, isEnd, DEFAULT_FRAME_SIZE);
    this.#nextId += 2;
    this.closed.open(streamId);
    this.#receiver.opened();
    // Section 5.1.1: what follows needs another connection.
    if (this.#nextId > MAX_STREAM_ID) this.#isLeaving = true;
    if (this.#streams.size === 0) this.#receivedAt = this.#clock.now;
    lane.streamId = streamId;
    lane.sendWindow = this.peer.initialWindow;
    this.#streams.set(streamId, lane);
    this.#flushSoon();
  }

  /** DATA, as much of `part` as the windows take. Returns how much. */
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

  /** END_STREAM. Throws TypeError for trailers that can be none. */
  end(lane: Lane, trailers: FieldList): void {
    const output = this.#output;
    if (trailers.length > 0) writeTrailers(output, this.#encoder, trailers, lane.streamId, DEFAULT_FRAME_SIZE);
    else if (lane.lastDataSerial === output.serial && output.at > 0)
      output.bytes[lane.lastDataAt + 4] |= FLAG.END_STREAM; // it has not left yet
    else {
      output.reserve(FRAME_HEADER);
      output.at = frameHeader(output.bytes, output.at, 0, FRAME.DATA, FLAG.END_STREAM, lane.streamId);
    }
    this.#flushSoon();
  }

  /** The lane continues when the window of the connection and the socket allow it. */
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

  /** The stream of the lane is over. `code`: of RST_STREAM; null: none is sent. */
  release(lane: Lane, code: ErrorCode | null): void {
    const { streamId } = lane;
    if (!this.#streams.delete(streamId)) return;
    lane.streamId = 0;
    // `byServer` means: by this side.
    this.closed.close(streamId, code === null ? CLOSED.ended : CLOSED.byServer);
    if (code === null || this.#isClosed) return;
    writeReset(this.#output, streamId, code);
    this.#flushSoon();
  }

  /** The lane is used no more. */
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

  /** An origin that is gone does not say so: it is asked. `now`: of the clock. */
  tick(now: number): void {
    if (this.#streams.size === 0) return;
    if (this.#pingedAt >= 0) {
      if (now - this.#pingedAt < PING_TIMEOUT) return;
      this.fail(new OriginError('reset', 'the origin does not answer PING'), ERROR_CODE.NO_ERROR);
    } else if (now - this.#receivedAt >= PING_AFTER) {
      this.#pingedAt = now;
      writePing(this.#output, 0, PING, 0);
      this.#flushSoon();
    }
  }

  /** At once; lanes have been aborted. */
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
    // Section 6.9.2. No window may pass its bound on the way.
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

  /** Section 6.8: what the origin does not look at may be sent again. */
  goAway(last: number, code: number): void {
    this.#isLeaving = true;
    for (const [streamId, lane] of [...this.#streams]) if (streamId > last) lane.refuse();
    for (const lane of [...this.#lanes]) if (lane.isIdle) lane.destroy();
    // After an error no response may be waited for.
    if (code === ERROR_CODE.NO_ERROR) this.closeIfUnused();
    else this.fail(new OriginError('reset', `the origin ended the connection: ${errorName(code)}`, code), null);
  }

  /** Those that waited continue, in the order in which they came. */
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

  /** The connection is over. `code`: of GOAWAY; null: nobody reads it. */
  fail(error: OriginError, code: ErrorCode | null): void {
    if (this.#isClosed) return;
    if (code !== null) writeGoaway(this.#output, 0, code, '');
    this.#close();
    // What was whole by then is answered.
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
