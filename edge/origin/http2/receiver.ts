/**
 * Handles the frames of an origin, and checks them against the state of their stream (RFC 9113
 * sections 5 and 6). It is as strict as the HTTP/1.1 parser: a violation of the protocol ends the
 * connection, and an invalid response fails only its request.
 */
import { CLOSED, type ClosedStreams } from '../../http/http2/closed-streams.ts';
import { FLOOD, type Flood, FloodGate } from '../../http/http2/flood-gate.ts';
import { contentEnd, FrameReader, type FrameSink } from '../../http/http2/frame-reader.ts';
import { HeaderBlock } from '../../http/http2/header-block.ts';
import { HpackDecoder } from '../../http/http2/hpack/decoder.ts';
import { isCompressionError, OUTCOME } from '../../http/http2/hpack/outcome.ts';
import { RepeatedBlock } from '../../http/http2/hpack/repeated-block.ts';
import { DEFAULT_LIMITS } from '../../http/http2/limits.ts';
import { ERROR_CODE, type ErrorCode, FLAG, FRAME } from '../../http/http2/protocol.ts';
import { ReceiveWindow } from '../../http/http2/receive-window.ts';
import type { PeerSettings } from '../../http/http2/settings.ts';
import type { OriginClock } from '../clock.ts';
import type { OriginError } from '../origin.ts';
import { malformed } from '../response-head.ts';
import type { Lane } from './lane.ts';
import { ResponseHead } from './response-head.ts';

/** Maximum payload of a received frame in bytes. Fewer, larger frames cost less. */
export const MAX_FRAME_SIZE = 65_536;
/** Receive window of the connection in bytes. */
export const SESSION_WINDOW = 16_777_216;
/** Maximum fields of a response. */
const MAX_FIELDS = 1000;
/** WINDOW_UPDATE frames that are allowed for each sent DATA frame. */
const UPDATES_A_FRAME = 4;

/** The interface of the session for its receiver. */
export interface ReceivingSession {
  readonly peer: PeerSettings;
  readonly closed: ClosedStreams;
  laneOf(streamId: number): Lane | undefined;
  /** Whether the stream is idle (section 5.1.1): not opened yet, or with an ID of the origin. */
  isIdle(streamId: number): boolean;
  updateWindow(streamId: number, increment: number): void;
  acknowledgePing(payload: Uint8Array, start: number): void;
  /** False: a window exceeds its maximum. `before`: the previous initial window. */
  applySettings(before: number): boolean;
  /** WINDOW_UPDATE of the connection. False: the window exceeds its maximum. */
  raise(increment: number): boolean;
  /** GOAWAY: the origin will not process streams above `last`. */
  goAway(last: number, code: number): void;
  fail(error: OriginError, code: ErrorCode): void;
}

/** Why the connection ends. */
interface Fault {
  readonly text: string;
  readonly code: ErrorCode;
}

const fault = (text: string, code: ErrorCode = ERROR_CODE.PROTOCOL_ERROR): Fault => ({ text, code });
const sizeFault = (type: string): Fault => fault(`a frame of a wrong size: ${type}`, ERROR_CODE.FRAME_SIZE_ERROR);
const PAST_BOUND = fault('a window past its bound', ERROR_CODE.FLOW_CONTROL_ERROR);
const LONG_BLOCK = fault('a header block longer than allowed', ERROR_CODE.ENHANCE_YOUR_CALM);
const BAD_PADDING = fault('padding longer than its frame');

export class Receiver implements FrameSink {
  /** The first SETTINGS were received. */
  hasSettings = false;
  readonly #session: ReceivingSession;
  readonly #clock: OriginClock;
  readonly #reader = new FrameReader(this, MAX_FRAME_SIZE, false);
  readonly #block = new HeaderBlock(DEFAULT_LIMITS);
  readonly #head = new ResponseHead();
  readonly #trailers = new ResponseHead();
  /** The last block that was decoded into `#head` and `#trailers`. */
  readonly #repeatedHead = new RepeatedBlock();
  readonly #repeatedTrailers = new RepeatedBlock();
  readonly #decoder: HpackDecoder;
  readonly #gate: FloodGate;
  readonly #window = new ReceiveWindow(SESSION_WINDOW);
  /** Bounds of the current frame's content, without its padding. */
  #start = 0;
  #stop = 0;

  constructor(session: ReceivingSession, maxHeaderBytes: number, clock: OriginClock) {
    this.#session = session;
    this.#clock = clock;
    this.#gate = new FloodGate(DEFAULT_LIMITS, clock.now / 1000);
    this.#decoder = new HpackDecoder({ maxListSize: maxHeaderBytes, maxListCount: MAX_FIELDS });
  }

  push(bytes: Buffer): void {
    this.#reader.push(bytes);
  }

  stop(): void {
    this.#reader.stop();
  }

  /** A stream was opened. One late RST_STREAM for it is allowed. */
  opened(): void {
    this.#gate.credit(FLOOD.reset, 1);
  }

  /** A DATA frame was sent, for which the origin may send WINDOW_UPDATE. */
  sentData(): void {
    this.#gate.credit(FLOOD.windowUpdate, UPDATES_A_FRAME);
  }

  badPreface(): void {}

  oversized(): void {
    const text = this.hasSettings ? 'a frame longer than allowed' : 'the origin does not speak HTTP/2';
    this.#session.fail(malformed(text), ERROR_CODE.FRAME_SIZE_ERROR);
  }

  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const found = this.#frame(type, flags, streamId, bytes, start, end);
    if (found !== null) this.#session.fail(malformed(found.text), found.code);
  }

  #frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): Fault | null {
    // Section 6.10: no other frame between the parts of a header block.
    const block = this.#block.streamId;
    if (block !== 0 && (type !== FRAME.CONTINUATION || streamId !== block))
      return fault('a frame within a header block');
    if (!this.hasSettings) {
      // Section 3.4.
      if (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0) return fault('a first frame that is not SETTINGS');
      this.hasSettings = true;
    }
    switch (type) {
      case FRAME.DATA:
        return this.#data(flags, streamId, bytes, start, end);
      case FRAME.HEADERS:
        return this.#headers(flags, streamId, bytes, start, end);
      case FRAME.CONTINUATION:
        return this.#continuation(flags, bytes, start, end);
      case FRAME.RST_STREAM:
        return this.#reset(streamId, bytes, start, end);
      case FRAME.SETTINGS:
        return this.#settings(flags, streamId, bytes, start, end);
      case FRAME.PING:
        return this.#ping(flags, streamId, bytes, start, end);
      case FRAME.GOAWAY:
        return this.#goaway(streamId, bytes, start, end);
      case FRAME.WINDOW_UPDATE:
        return this.#windowUpdate(streamId, bytes, start, end);
      case FRAME.PUSH_PROMISE: // section 8.4: push was disabled
        return fault('a push');
      case FRAME.PRIORITY:
        return this.#flood(FLOOD.priority);
      default: // section 4.1: ignored
        return this.#flood(FLOOD.empty);
    }
  }

  #flood(flood: Flood): Fault | null {
    if (this.#gate.admit(flood, this.#clock.now / 1000)) return null;
    return fault('too many frames without content', ERROR_CODE.ENHANCE_YOUR_CALM);
  }

  /** Finds the content of a frame. False: the padding is longer than the payload. */
  #unpad(flags: number, bytes: Buffer, start: number, end: number): boolean {
    this.#start = start;
    this.#stop = end;
    if ((flags & FLAG.PADDED) === 0) return true;
    this.#start++;
    this.#stop = contentEnd(bytes, start, end);
    return this.#stop >= 0;
  }

  #data(flags: number, streamId: number, bytes: Buffer, payload: number, end: number): Fault | null {
    if (!this.#unpad(flags, bytes, payload, end)) return BAD_PADDING;
    const start = this.#start;
    const stop = this.#stop;
    const session = this.#session;
    if (session.isIdle(streamId)) return fault('DATA on a stream that is not open');
    const weight = end - payload;
    if (!this.#window.receive(weight))
      return fault('more than the window of the connection', ERROR_CODE.FLOW_CONTROL_ERROR);
    const increment = this.#window.give(weight);
    if (increment > 0) session.updateWindow(0, increment);
    const isEnd = (flags & FLAG.END_STREAM) !== 0;
    const lane = session.laneOf(streamId);
    if (lane === undefined) return this.#frameAfterEnd(streamId);
    lane.onData(bytes, start, stop, weight, isEnd);
    return stop === start && !isEnd ? this.#flood(FLOOD.empty) : null;
  }

  /**
   * Section 5.1, "closed": frames are tolerated only after our RST_STREAM, which the origin may not
   * have received yet.
   */
  #frameAfterEnd(streamId: number): Fault | null {
    if (this.#session.closed.way(streamId) === CLOSED.byServer) return null;
    return fault('a frame after the end of its stream', ERROR_CODE.STREAM_CLOSED);
  }

  #headers(flags: number, streamId: number, bytes: Buffer, payload: number, end: number): Fault | null {
    if (!this.#unpad(flags, bytes, payload, end)) return BAD_PADDING;
    let start = this.#start;
    const stop = this.#stop;
    if ((flags & FLAG.PRIORITY) !== 0) {
      start += 5;
      if (start > stop) return sizeFault('HEADERS');
    }
    if (this.#session.isIdle(streamId)) return fault('HEADERS on a stream that is not open');
    const isEnd = (flags & FLAG.END_STREAM) !== 0;
    if ((flags & FLAG.END_HEADERS) !== 0) return this.#completeBlock(streamId, isEnd, bytes, start, stop);
    return this.#block.open(streamId, isEnd, bytes, start, stop) ? null : LONG_BLOCK;
  }

  #continuation(flags: number, bytes: Buffer, start: number, end: number): Fault | null {
    const block = this.#block;
    if (block.streamId === 0) return fault('CONTINUATION without HEADERS');
    if (!block.continue(bytes, start, end)) return LONG_BLOCK;
    if ((flags & FLAG.END_HEADERS) === 0) return null;
    const { streamId, isEnd } = block;
    const whole = block.close();
    return this.#completeBlock(streamId, isEnd, whole, 0, whole.length);
  }

  /**
   * Handles a complete header block. It is decoded even for a closed stream, because it changes the
   * dynamic table (section 4.3).
   */
  #completeBlock(streamId: number, isEnd: boolean, bytes: Buffer, start: number, end: number): Fault | null {
    const lane = this.#session.laneOf(streamId);
    const decoder = this.#decoder;
    const isTrailers = lane?.hasHead === true;
    const head = isTrailers ? this.#trailers : this.#head;
    const repeated = isTrailers ? this.#repeatedTrailers : this.#repeatedHead;
    if (lane !== undefined && repeated.isRepeated(decoder, bytes, start, end)) head.repeat();
    else {
      const { revision } = decoder;
      repeated.forget();
      head.reset(isTrailers);
      const outcome = decoder.decode(bytes, start, end, head);
      if (isCompressionError(outcome))
        return fault('a header block that cannot be decoded', ERROR_CODE.COMPRESSION_ERROR);
      if (lane === undefined) return this.#frameAfterEnd(streamId);
      head.finish();
      if (outcome === OUTCOME.tooLarge) head.fault = 'a head longer than allowed';
      if (head.fault === '') repeated.keep(decoder, revision, bytes, start, end);
    }
    lane.onBlock(head, isEnd);
    return null;
  }

  #reset(streamId: number, bytes: Buffer, start: number, end: number): Fault | null {
    if (end - start !== 4) return sizeFault('RST_STREAM');
    if (this.#session.isIdle(streamId)) return fault('RST_STREAM on a stream that is not open');
    const lane = this.#session.laneOf(streamId);
    if (lane === undefined) return this.#flood(FLOOD.reset);
    lane.onReset(bytes.readUInt32BE(start));
    return null;
  }

  #settings(flags: number, streamId: number, bytes: Buffer, start: number, end: number): Fault | null {
    if (streamId !== 0) return fault('SETTINGS on a stream');
    if ((flags & FLAG.ACK) !== 0) return end > start ? sizeFault('SETTINGS') : null;
    const { peer } = this.#session;
    const before = peer.initialWindow;
    const failure = peer.take(bytes, start, end);
    if (failure !== null) return fault('SETTINGS with a bad value', failure.code);
    if (peer.enablesPush) return fault('SETTINGS_ENABLE_PUSH of a server');
    return this.#session.applySettings(before) ? this.#flood(FLOOD.settings) : PAST_BOUND;
  }

  #ping(flags: number, streamId: number, bytes: Buffer, start: number, end: number): Fault | null {
    if (streamId !== 0) return fault('PING on a stream');
    if (end - start !== 8) return sizeFault('PING');
    if ((flags & FLAG.ACK) === 0) this.#session.acknowledgePing(bytes, start);
    return this.#flood(FLOOD.ping);
  }

  #goaway(streamId: number, bytes: Buffer, start: number, end: number): Fault | null {
    if (streamId !== 0) return fault('GOAWAY on a stream');
    if (end - start < 8) return sizeFault('GOAWAY');
    this.#session.goAway(bytes.readUInt32BE(start) & 0x7fffffff, bytes.readUInt32BE(start + 4));
    return this.#flood(FLOOD.empty);
  }

  /** Sections 6.9 and 6.9.1. */
  #windowUpdate(streamId: number, bytes: Buffer, start: number, end: number): Fault | null {
    if (end - start !== 4) return sizeFault('WINDOW_UPDATE');
    const flood = this.#flood(FLOOD.windowUpdate);
    if (flood !== null) return flood;
    const increment = bytes.readUInt32BE(start) & 0x7fffffff;
    if (streamId === 0) {
      if (increment === 0) return fault('a WINDOW_UPDATE of 0');
      return this.#session.raise(increment) ? null : PAST_BOUND;
    }
    if (this.#session.isIdle(streamId)) return fault('WINDOW_UPDATE on a stream that is not open');
    const lane = this.#session.laneOf(streamId);
    // Section 5.1: allowed for a while after the end of a stream.
    if (lane === undefined) return null;
    if (increment === 0) lane.reset(malformed('a WINDOW_UPDATE of 0'), ERROR_CODE.PROTOCOL_ERROR);
    else if (!lane.raise(increment)) lane.reset(malformed(PAST_BOUND.text), ERROR_CODE.FLOW_CONTROL_ERROR);
    return null;
  }
}
