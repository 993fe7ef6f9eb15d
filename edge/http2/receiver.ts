/**
 * Frames of a client: what each means in the state that its stream is in, and what is wrong with it (RFC 9113 sections 5 and 6). Errors end the
 * stream or the session with the code that the section names.
 */

import { CLOSED } from './closed-streams.ts';
import { TRAFFIC_COLUMN } from './counters.ts';
import { type Ending, SESSION_ENDING, STREAM_ENDING } from './endings.ts';
import { FLOOD, FLOOD_ENDING, type Flood, FloodGate } from './flood-gate.ts';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import { writePing, writeSettingsAck } from './frame-writer.ts';
import { HeaderReceiver } from './header-receiver.ts';
import { DEFAULT_FRAME_SIZE, FLAG, FRAME } from './protocol.ts';
import type { Http2Session } from './session.ts';
import type { Http2Stream } from './stream.ts';

/** A part of a body that is less than this share of what was read at once is copied out of it, lest it hold all of that. */
const HELD_SHARE = 4;

/** WINDOW_UPDATE that a DATA frame of ours explains: of the stream and of the connection, and as many for a client that does so by halves. */
const UPDATES_A_FRAME = 4;

export class Receiver implements FrameSink {
  readonly gate: FloodGate;
  /** Second of the clock since which a frame or a header block is under way; -1: none is. */
  withinSince = -1;
  readonly #session: Http2Session;
  readonly #reader = new FrameReader(this, DEFAULT_FRAME_SIZE);
  readonly #headers: HeaderReceiver;
  readonly #counters: Float64Array;
  #frames = 0;
  #within = 0;
  #hasSettings = false;

  constructor(session: Http2Session) {
    this.#session = session;
    this.#counters = session.counters.values;
    this.gate = new FloodGate(session.limits, session.clock.now);
    this.#headers = new HeaderReceiver(session);
  }

  /** The client's preface (section 3.4) has come, its SETTINGS included. */
  get hasPreface(): boolean {
    return this.#hasSettings;
  }

  /** Octets that are held of frames under way. */
  get held(): number {
    return this.#reader.held;
  }

  push(bytes: Buffer): void {
    this.#reader.push(bytes);
    const { block } = this.#headers;
    const within = block.streamId !== 0 ? -block.serial : this.#reader.isWithin ? this.#frames + 1 : 0;
    if (within === this.#within) return;
    this.#within = within;
    this.withinSince = within === 0 ? -1 : this.#session.clock.now;
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
    this.#frames++;
    this.#counters[TRAFFIC_COLUMN.frames_received]++;
    const { block } = this.#headers;
    if (block.streamId !== 0 && (type !== FRAME.CONTINUATION || streamId !== block.streamId))
      return this.#session.fail(SESSION_ENDING.protocol); // section 6.2
    if (!this.#hasSettings) {
      if (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0) return this.#session.fail(SESSION_ENDING.badPreface);
      this.#hasSettings = true;
    }
    switch (type) {
      case FRAME.HEADERS:
        return this.#headers.headers(flags, streamId, bytes, start, end);
      case FRAME.DATA:
        return this.#data(flags, streamId, bytes, start, end);
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
        if (streamId !== 0) return this.#session.fail(SESSION_ENDING.protocol);
        if (end - start < 8) return this.#session.fail(SESSION_ENDING.frameSize);
        return this.#session.peerGoesAway();
      case FRAME.PUSH_PROMISE: // section 8.4: a client can't push
        return this.#session.fail(SESSION_ENDING.protocol);
      default: // section 4.1: ignored
        this.passes(FLOOD.empty);
    }
  }

  /** False: a flood, which has ended the session. */
  passes(flood: Flood): boolean {
    if (this.gate.pass(flood, this.#session.clock.now)) return true;
    this.#session.fail(FLOOD_ENDING[flood]);
    return false;
  }

  /** Section 5.1: neither open nor ever opened. */
  isIdle(streamId: number): boolean {
    return (streamId & 1) === 0 || streamId > this.#session.streams.closed.last;
  }

  /** An error of a stream that may be closed by now. */
  failStream(streamId: number, ending: Ending): void {
    const stream = this.#session.streams.get(streamId);
    if (stream !== undefined) this.#session.resetStream(stream, ending);
    else this.#session.refuse(streamId, ending);
  }

  #data(flags: number, streamId: number, bytes: Buffer, payload: number, end: number): void {
    const session = this.#session;
    if (streamId === 0) return session.fail(SESSION_ENDING.protocol);
    let start = payload;
    let stop = end;
    if ((flags & FLAG.PADDED) !== 0) {
      if (start === end || bytes[start] >= end - start) return session.fail(SESSION_ENDING.protocol);
      stop = end - bytes[start];
      start++;
    }
    const octets = end - payload;
    const stream = session.streams.get(streamId);
    if (stream === undefined && this.isIdle(streamId)) return session.fail(SESSION_ENDING.protocol);
    if (!session.receiveWindow.receive(octets)) return session.fail(SESSION_ENDING.flowControl);
    if (stream === undefined) {
      session.giveBack(octets);
      return this.#lateData(streamId);
    }
    if (stream.isRemoteEnded || stream.queue === null || stream.receiveWindow === null) {
      session.giveBack(octets);
      return session.resetStream(stream, STREAM_ENDING.closed);
    }
    const isEnd = (flags & FLAG.END_STREAM) !== 0;
    const received = stream.queue.received + stop - start;
    const isWrong = stream.expected >= 0 && (received > stream.expected || (isEnd && received < stream.expected));
    if (!stream.receiveWindow.receive(octets) || isWrong) {
      session.giveBack(octets);
      return session.resetStream(stream, isWrong ? STREAM_ENDING.contentLength : STREAM_ENDING.flowControl);
    }
    if (octets > stop - start) session.bodyTaken(stream, octets - (stop - start)); // padding is nobody's to take
    if (stop > start) this.#body(stream, bytes, start, stop);
    else if (!isEnd && !this.passes(FLOOD.empty)) return;
    if (isEnd) session.streamReceived(stream, null);
  }

  #body(stream: Http2Stream, bytes: Buffer, start: number, end: number): void {
    const part = bytes.subarray(start, end);
    stream.progress += part.length;
    // What is dropped at once holds nothing.
    const isHeld = stream.queue?.isDiscarding === false;
    stream.queue?.push(isHeld && part.length * HELD_SHARE < bytes.buffer.byteLength ? Buffer.from(part) : part);
  }

  /** Section 5.1, "closed". */
  #lateData(streamId: number): void {
    switch (this.#session.streams.closed.way(streamId)) {
      case CLOSED.byServer:
        return; // it may not have seen our reset yet
      case CLOSED.byClient:
      case CLOSED.forgotten:
        return this.failStream(streamId, STREAM_ENDING.closed);
      default:
        this.#session.fail(SESSION_ENDING.streamClosed);
    }
  }

  #windowUpdate(streamId: number, bytes: Buffer, start: number, end: number): void {
    const session = this.#session;
    if (end - start !== 4) return session.fail(SESSION_ENDING.frameSize);
    if (!this.gate.pass(FLOOD.windowUpdate, session.clock.now)) {
      const frames = session.sender.takeFrames();
      if (frames === 0) return session.fail(SESSION_ENDING.windowUpdateFlood);
      this.gate.credit(FLOOD.windowUpdate, UPDATES_A_FRAME * frames);
    }
    const increment = bytes.readUInt32BE(start) & 0x7fffffff;
    if (streamId === 0) {
      if (increment === 0) return session.fail(SESSION_ENDING.protocol);
      if (!session.sender.raise(increment)) session.fail(SESSION_ENDING.flowControl);
      return;
    }
    const stream = session.streams.get(streamId);
    if (stream === undefined) {
      if (this.isIdle(streamId)) session.fail(SESSION_ENDING.protocol);
      return; // section 5.1: may come for a while after the end
    }
    if (increment === 0) session.resetStream(stream, STREAM_ENDING.protocol);
    else if (!session.sender.raiseStream(stream, increment)) session.resetStream(stream, STREAM_ENDING.flowControl);
  }

  #reset(streamId: number, start: number, end: number): void {
    const session = this.#session;
    if (streamId === 0) return session.fail(SESSION_ENDING.protocol);
    if (end - start !== 4) return session.fail(SESSION_ENDING.frameSize);
    const stream = session.streams.get(streamId);
    if (stream === undefined && this.isIdle(streamId)) return session.fail(SESSION_ENDING.protocol);
    if (stream !== undefined) session.peerResets(stream);
    this.passes(FLOOD.reset);
  }

  #settings(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const session = this.#session;
    if (streamId !== 0) return session.fail(SESSION_ENDING.protocol);
    if ((flags & FLAG.ACK) !== 0) {
      if (end > start) return session.fail(SESSION_ENDING.frameSize);
      return this.#settingsAck();
    }
    if (!this.passes(FLOOD.settings)) return;
    const before = session.peer.initialWindow;
    const failure = session.peer.take(bytes, start, end);
    if (failure !== null) return session.fail(failure);
    session.sender.encoder.allowTableSize(session.peer.leastHeaderTableSize);
    session.sender.encoder.allowTableSize(session.peer.headerTableSize);
    const change = session.peer.initialWindow - before;
    if (change !== 0) {
      for (const stream of session.streams.open) {
        // Section 6.9.2: an error of the connection.
        if (!session.sender.raiseStream(stream, change)) return session.fail(SESSION_ENDING.flowControl);
      }
    }
    writeSettingsAck(session.output);
  }

  #settingsAck(): void {
    if (!this.passes(FLOOD.settings)) return;
    if (!this.#session.settingsAcknowledged()) return this.#session.fail(SESSION_ENDING.protocol);
    this.#headers.acknowledgeTableSize(this.#session.limits.headerTableSize);
  }

  #ping(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const session = this.#session;
    if (streamId !== 0) return session.fail(SESSION_ENDING.protocol);
    if (end - start !== 8) return session.fail(SESSION_ENDING.frameSize);
    if (!this.passes(FLOOD.ping)) return;
    if ((flags & FLAG.ACK) !== 0) session.pingAcknowledged();
    else writePing(session.output, FLAG.ACK, bytes, start);
  }

  /** Deprecated (section 5.3.2), but held to its form. */
  #priority(streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId === 0) return this.#session.fail(SESSION_ENDING.protocol);
    if (!this.passes(FLOOD.priority)) return;
    const ending = end - start !== 5 ? 'frameSize' : dependsOn(bytes, start) === streamId ? 'protocol' : null;
    if (ending === null) return;
    // What was never opened can't be reset.
    if (this.isIdle(streamId)) this.#session.fail(SESSION_ENDING[ending]);
    else this.failStream(streamId, STREAM_ENDING[ending]);
  }

  /** RFC 9218 section 7.1. */
  #priorityUpdate(streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId !== 0) return this.#session.fail(SESSION_ENDING.protocol);
    if (end - start < 4) return this.#session.fail(SESSION_ENDING.frameSize);
    if (!this.passes(FLOOD.priority)) return;
    const target = bytes.readUInt32BE(start) & 0x7fffffff;
    if (target === 0) return this.#session.fail(SESSION_ENDING.protocol);
    this.#session.streams.get(target)?.prioritize(bytes.toString('latin1', start + 4, end));
  }
}

/** The stream that a priority says to depend on (RFC 7540 section 5.3.1). */
export const dependsOn = (bytes: Buffer, start: number): number => bytes.readUInt32BE(start) & 0x7fffffff;
