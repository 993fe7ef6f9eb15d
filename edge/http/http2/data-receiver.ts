/**
 * Receives DATA frames (RFC 9113 section 6.1) and counts their bytes against both windows and the
 * request's content-length.
 */
import { CLOSED } from './closed-streams.ts';
import { type Ending, type Failure, SESSION_ENDING, STREAM_ENDING } from './endings.ts';
import { FLOOD, FLOOD_ENDING, type FloodGate } from './flood-gate.ts';
import { contentEnd } from './padding.ts';
import { FLAG } from './protocol.ts';
import type { SessionHost } from './session-host.ts';
import type { Http2Stream } from './stream.ts';

export class DataReceiver {
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
