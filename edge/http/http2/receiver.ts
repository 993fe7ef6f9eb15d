/**
 * Handles the frames of a client by the state of their stream (RFC 9113 sections 5 and 6). An
 * invalid frame ends the stream or the session with the error code that the RFC defines.
 */

import { CLOSED } from './closed-streams.ts';
import { TRAFFIC_COLUMN } from './counters.ts';
import { type Ending, type Failure, SESSION_ENDING, STREAM_ENDING } from './endings.ts';
import { FLOOD, FLOOD_ENDING, type Flood, FloodGate } from './flood-gate.ts';
import { contentEnd, FrameReader, type FrameSink } from './frame-reader.ts';
import { writePing, writeSettingsAck } from './frame-writer.ts';
import { HeaderReceiver } from './header-receiver.ts';
import { DEFAULT_FRAME_SIZE, FLAG, FRAME, MAX_WINDOW } from './protocol.ts';
import { dependsOn } from './scheduler.ts';
import type { SessionHost } from './session-host.ts';
import type { Http2Stream } from './stream.ts';

/**
 * WINDOW_UPDATE frames that a sent DATA frame justifies: for the stream and the connection, twice,
 * since a client may return the window in halves.
 */
const UPDATES_A_FRAME = 4;

export class Receiver implements FrameSink {
  readonly gate: FloodGate;
  /**
   * Second of the clock since which a header block, or a frame other than DATA, is incomplete; -1:
   * none.
   */
  incompleteSince = -1;
  readonly #session: SessionHost;
  readonly #reader = new FrameReader(this, DEFAULT_FRAME_SIZE);
  readonly #headers: HeaderReceiver;
  readonly #data: DataReceiver;
  readonly #counters: Float64Array;
  #frames = 0;
  #incomplete = 0;
  #hasSettings = false;

  constructor(session: SessionHost) {
    this.#session = session;
    this.#counters = session.counters.values;
    this.gate = new FloodGate(session.limits, session.clock.now);
    this.#headers = new HeaderReceiver(session);
    this.#data = new DataReceiver(session, this.gate);
  }

  /** The client's preface (section 3.4) was received, including its SETTINGS. */
  get hasPreface(): boolean {
    return this.#hasSettings;
  }

  /** The stream of an incomplete DATA frame; 0: none. */
  get dataStreamId(): number {
    return this.#reader.dataStreamId;
  }

  /** Received bytes of the incomplete frame. */
  get incompleteBytes(): number {
    return this.#reader.incompleteBytes;
  }

  /** Bytes allocated for an incomplete frame. */
  get held(): number {
    return this.#reader.held;
  }

  push(bytes: Buffer): void {
    this.#reader.push(bytes);
    const { block } = this.#headers;
    const isFrame = this.#reader.isWithin && !this.#reader.isWithinData;
    const incomplete = block.streamId !== 0 ? -block.serial : isFrame ? this.#frames + 1 : 0;
    if (incomplete === this.#incomplete) return;
    this.#incomplete = incomplete;
    this.incompleteSince = incomplete === 0 ? -1 : this.#session.clock.now;
  }

  /** Reading resumes. Restarts the timeout of an incomplete frame, since the pause was ours. */
  resumes(): void {
    if (this.incompleteSince >= 0) this.incompleteSince = this.#session.clock.now;
  }

  stop(): void {
    this.#reader.stop();
  }

  badPreface(): void {
    this.#session.fail(SESSION_ENDING.badPreface);
  }

  oversized(): void {
    this.#session.fail(SESSION_ENDING.frameSize);
  }

  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const failure = this.#frame(type, flags, streamId, bytes, start, end);
    if (failure !== null) this.#session.fail(failure);
  }

  #frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): Failure {
    this.#frames++;
    if (!this.#reader.isCut) this.#counters[TRAFFIC_COLUMN.frames_received]++;
    const { block } = this.#headers;
    if (block.streamId !== 0 && (type !== FRAME.CONTINUATION || streamId !== block.streamId))
      return SESSION_ENDING.protocol; // section 6.2
    if (!this.#hasSettings) {
      if (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0) return SESSION_ENDING.badPreface;
      this.#hasSettings = true;
    }
    switch (type) {
      case FRAME.HEADERS:
        return this.#headers.headers(flags, streamId, bytes, start, end);
      case FRAME.DATA:
        return this.#data.data(flags, streamId, bytes, start, end);
      case FRAME.WINDOW_UPDATE:
        return this.#windowUpdate(streamId, bytes, start, end);
      case FRAME.CONTINUATION:
        return this.#headers.continuation(flags, bytes, start, end);
      case FRAME.RST_STREAM:
        return this.#reset(streamId, start, end);
      case FRAME.SETTINGS:
        return this.#settings(flags, streamId, bytes, start, end);
      case FRAME.PING:
        return this.#ping(flags, streamId, bytes, start, end);
      case FRAME.PRIORITY:
        return this.#priority(streamId, bytes, start, end);
      case FRAME.PRIORITY_UPDATE:
        return this.#priorityUpdate(streamId, bytes, start, end);
      case FRAME.GOAWAY:
        return this.#goaway(streamId, start, end);
      case FRAME.PUSH_PROMISE: // section 8.4: a client cannot push
        return SESSION_ENDING.protocol;
      default: // section 4.1: ignored
        return this.#flood(FLOOD.empty);
    }
  }

  #flood(flood: Flood): Failure {
    return this.gate.admit(flood, this.#session.clock.now) ? null : FLOOD_ENDING[flood];
  }

  /** Sections 6.9 and 6.9.1. */
  #windowUpdate(streamId: number, bytes: Buffer, start: number, end: number): Failure {
    const { sender, streams } = this.#session;
    if (end - start !== 4) return SESSION_ENDING.frameSize;
    if (!this.gate.admit(FLOOD.windowUpdate, this.#session.clock.now)) {
      const frames = sender.takeFrames();
      if (frames === 0) return SESSION_ENDING.windowUpdateFlood;
      this.gate.credit(FLOOD.windowUpdate, UPDATES_A_FRAME * frames);
    }
    const increment = bytes.readUInt32BE(start) & 0x7fffffff;
    if (streamId === 0) {
      if (increment === 0) return SESSION_ENDING.protocol;
      return sender.raise(increment) ? null : SESSION_ENDING.flowControl;
    }
    const stream = streams.get(streamId);
    // Section 5.1: WINDOW_UPDATE may arrive for a while after the end of a stream.
    if (stream === undefined) return streams.isIdle(streamId) ? SESSION_ENDING.protocol : null;
    if (increment === 0) streams.resetStream(stream, STREAM_ENDING.protocol);
    else if (!sender.raiseStream(stream, increment)) streams.resetStream(stream, STREAM_ENDING.flowControl);
    return null;
  }

  #reset(streamId: number, start: number, end: number): Failure {
    const { streams } = this.#session;
    if (streamId === 0) return SESSION_ENDING.protocol;
    if (end - start !== 4) return SESSION_ENDING.frameSize;
    const stream = streams.get(streamId);
    if (stream !== undefined) streams.peerResets(stream);
    else if (streams.isIdle(streamId)) return SESSION_ENDING.protocol;
    return this.#flood(FLOOD.reset);
  }

  #settings(flags: number, streamId: number, bytes: Buffer, start: number, end: number): Failure {
    const session = this.#session;
    const flood = this.#flood(FLOOD.settings);
    if (streamId !== 0) return SESSION_ENDING.protocol;
    if ((flags & FLAG.ACK) !== 0) {
      if (end > start) return SESSION_ENDING.frameSize;
      return flood ?? this.#settingsAck();
    }
    const { encoder } = session.sender;
    const before = session.peer.initialWindow;
    const failure = session.peer.take(bytes, start, end);
    if (failure !== null) return failure;
    encoder.allowTableSize(session.peer.leastHeaderTableSize);
    encoder.allowTableSize(session.peer.headerTableSize);
    if (!this.#changeWindows(before)) return SESSION_ENDING.flowControl;
    writeSettingsAck(session.output);
    return flood;
  }

  /**
   * Applies a new initial window to the open streams (section 6.9.2). False: a window exceeds its
   * maximum, which is a connection error. `before`: the previous initial window.
   */
  #changeWindows(before: number): boolean {
    const { sender, peer, streams } = this.#session;
    const change = peer.initialWindow - before;
    const greatest = peer.greatestInitialWindow - before;
    if (change === 0 && greatest === 0) return true;
    for (const stream of streams.open)
      if (stream.sendWindow + greatest > MAX_WINDOW || !sender.raiseStream(stream, change)) return false;
    return true;
  }

  /** The client applies our SETTINGS from here on (section 6.5.3). */
  #settingsAck(): Failure {
    if (!this.#session.settingsAcknowledged()) return SESSION_ENDING.protocol;
    this.#headers.acknowledgeTableSize(this.#session.limits.headerTableSize);
    return null;
  }

  #ping(flags: number, streamId: number, bytes: Buffer, start: number, end: number): Failure {
    if (streamId !== 0) return SESSION_ENDING.protocol;
    if (end - start !== 8) return SESSION_ENDING.frameSize;
    if ((flags & FLAG.ACK) !== 0) this.#session.pingAcknowledged();
    else writePing(this.#session.output, FLAG.ACK, bytes, start);
    return this.#flood(FLOOD.ping);
  }

  #goaway(streamId: number, start: number, end: number): Failure {
    if (streamId !== 0) return SESSION_ENDING.protocol;
    if (end - start < 8) return SESSION_ENDING.frameSize;
    this.#session.onGoaway();
    return this.#flood(FLOOD.empty);
  }

  /** Deprecated (section 5.3.2), but still validated: section 6.3, and RFC 7540 section 5.3.1. */
  #priority(streamId: number, bytes: Buffer, start: number, end: number): Failure {
    const { streams } = this.#session;
    if (streamId === 0) return SESSION_ENDING.protocol;
    const isShort = end - start !== 5;
    if (isShort || dependsOn(bytes, start) === streamId) {
      // A stream that was never opened cannot be reset.
      if (streams.isIdle(streamId)) return isShort ? SESSION_ENDING.frameSize : SESSION_ENDING.protocol;
      streams.reset(streamId, isShort ? STREAM_ENDING.frameSize : STREAM_ENDING.protocol);
    }
    return this.#flood(FLOOD.priority);
  }

  /** RFC 9218 section 7.1. */
  #priorityUpdate(streamId: number, bytes: Buffer, start: number, end: number): Failure {
    if (streamId !== 0) return SESSION_ENDING.protocol;
    if (end - start < 4) return SESSION_ENDING.frameSize;
    const target = bytes.readUInt32BE(start) & 0x7fffffff;
    if (target === 0) return SESSION_ENDING.protocol;
    this.#session.streams.get(target)?.prioritize(bytes.toString('latin1', start + 4, end));
    return this.#flood(FLOOD.priority);
  }
}

/**
 * Receives DATA frames (RFC 9113 section 6.1) and counts their bytes against both windows and the
 * request's content-length.
 */
class DataReceiver {
  readonly #session: SessionHost;
  readonly #gate: FloodGate;

  constructor(session: SessionHost, gate: FloodGate) {
    this.#session = session;
    this.#gate = gate;
  }

  data(flags: number, streamId: number, bytes: Buffer, payload: number, end: number): Failure {
    const session = this.#session;
    if (streamId === 0) return SESSION_ENDING.protocol;
    let start = payload;
    let stop = end;
    if ((flags & FLAG.PADDED) !== 0) {
      stop = contentEnd(bytes, start, end);
      if (stop < 0) return SESSION_ENDING.protocol;
      start++;
    }
    const data = end - payload;
    const stream = session.streams.get(streamId);
    if (stream === undefined && session.streams.isIdle(streamId)) return SESSION_ENDING.protocol;
    if (!session.streams.receiveWindow.receive(data)) return SESSION_ENDING.flowControl;
    if (stream === undefined) {
      session.streams.returnToWindow(data);
      return this.#late(streamId, data);
    }
    if (stream.isRemoteEnded || stream.queue === null || stream.receiveWindow === null) {
      session.streams.returnToWindow(data);
      return this.#reset(stream, STREAM_ENDING.closed);
    }
    const isEnd = (flags & FLAG.END_STREAM) !== 0;
    const received = stream.queue.received + stop - start;
    const isWrong = stream.expected >= 0 && (received > stream.expected || (isEnd && received < stream.expected));
    if (!stream.receiveWindow.receive(data) || isWrong) {
      session.streams.returnToWindow(data);
      return this.#reset(stream, isWrong ? STREAM_ENDING.contentLength : STREAM_ENDING.flowControl);
    }
    // No reader consumes the padding.
    if (data > stop - start) session.streams.bodyConsumed(stream, data - (stop - start));
    if (stop > start) this.#body(stream, bytes, start, stop);
    else if (!isEnd) return this.#empty();
    if (isEnd) session.streams.streamReceived(stream, null);
    return null;
  }

  #body(stream: Http2Stream, bytes: Buffer, start: number, end: number): void {
    const part = bytes.subarray(start, end);
    stream.progress += part.length;
    stream.queue?.lend(part);
  }

  #empty(): Failure {
    return this.#gate.admit(FLOOD.empty, this.#session.clock.now) ? null : FLOOD_ENDING[FLOOD.empty];
  }

  /** Section 5.1, "closed". */
  #late(streamId: number, data: number): Failure {
    const { streams } = this.#session;
    switch (streams.closed.way(streamId)) {
      case CLOSED.byServer:
        // The client may not have seen our RST_STREAM yet.
        return data === 0 ? this.#empty() : null;
      case CLOSED.byClient:
      case CLOSED.forgotten:
        streams.refuse(streamId, STREAM_ENDING.closed);
        return null;
      default:
        return SESSION_ENDING.streamClosed;
    }
  }

  #reset(stream: Http2Stream, ending: Ending): null {
    this.#session.streams.resetStream(stream, ending);
    return null;
  }
}
