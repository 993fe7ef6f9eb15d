/**
 * Receives HEADERS and CONTINUATION frames (RFC 9113 sections 6.2, 6.10 and 8). Decodes their
 * blocks, and handles them by the state of the stream: a request, trailers or an error.
 */
import { trailerFields } from '../exchange/fields.ts';
import { CLOSED } from './closed-streams.ts';
import { type Ending, type Failure, SESSION_ENDING, STREAM_ENDING } from './endings.ts';
import { contentEnd } from './frame-reader.ts';
import { HeaderBlock } from './header-block.ts';
import { HpackDecoder } from './hpack/decoder.ts';
import { isCompressionError, OUTCOME, type Outcome } from './hpack/outcome.ts';
import { RepeatedBlock } from './hpack/repeated-block.ts';
import { FLAG } from './protocol.ts';
import { RequestHead, VERDICT, type Verdict } from './request-head.ts';
import { dependsOn } from './scheduler.ts';
import type { SessionHost } from './session-host.ts';
import type { Http2Stream } from './stream.ts';
import type { RefusalStatus } from './streams.ts';

export class HeaderReceiver {
  readonly block: HeaderBlock;
  readonly #session: SessionHost;
  readonly #decoder: HpackDecoder;
  readonly #head = new RequestHead();
  /** Block of the well-formed request that `#head` contains. */
  readonly #repeated = new RepeatedBlock();
  /** The HEADERS frame of the open block depends on its own stream. */
  #dependsOnItself = false;

  constructor(session: SessionHost) {
    this.#session = session;
    this.block = new HeaderBlock(session.limits);
    const { maxHeaderListSize, maxHeaderCount } = session.limits;
    this.#decoder = new HpackDecoder({ maxListSize: maxHeaderListSize, maxListCount: maxHeaderCount });
  }

  acknowledgeTableSize(data: number): void {
    this.#decoder.acknowledgeTableSize(data);
  }

  headers(flags: number, streamId: number, bytes: Buffer, payload: number, end: number): Failure {
    let start = payload;
    let stop = end;
    if ((flags & FLAG.PADDED) !== 0) {
      stop = contentEnd(bytes, start, end);
      if (stop < 0) return SESSION_ENDING.protocol;
      start++;
    }
    this.#dependsOnItself = false;
    if ((flags & FLAG.PRIORITY) !== 0) {
      if (stop - start < 5) return SESSION_ENDING.frameSize;
      this.#dependsOnItself = dependsOn(bytes, start) === streamId;
      start += 5;
    }
    const failure = this.#check(streamId);
    if (failure !== null) return failure;
    const isEnd = (flags & FLAG.END_STREAM) !== 0;
    if ((flags & FLAG.END_HEADERS) !== 0) return this.#handleBlock(streamId, isEnd, bytes, start, stop);
    return this.block.open(streamId, isEnd, bytes, start, stop) ? null : SESSION_ENDING.continuationFlood;
  }

  continuation(flags: number, bytes: Buffer, start: number, end: number): Failure {
    const { block } = this;
    if (block.streamId === 0) return SESSION_ENDING.protocol;
    if (!block.continue(bytes, start, end)) return SESSION_ENDING.continuationFlood;
    if ((flags & FLAG.END_HEADERS) === 0) return null;
    const { streamId, isEnd } = block;
    const complete = block.close();
    return this.#handleBlock(streamId, isEnd, complete, 0, complete.length);
  }

  /** Whether a header block is allowed in the stream's state (sections 5.1 and 5.1.1). */
  #check(streamId: number): Failure {
    const { streams } = this.#session;
    if ((streamId & 1) === 0) return SESSION_ENDING.protocol; // 0, or a server's stream
    if (streamId > streams.closed.last || streams.get(streamId) !== undefined) return null;
    switch (streams.closed.way(streamId)) {
      case CLOSED.ended:
        return SESSION_ENDING.streamClosed;
      case CLOSED.never:
        return SESSION_ENDING.protocol;
      default:
        return null;
    }
  }

  #handleBlock(streamId: number, isEnd: boolean, bytes: Buffer, start: number, end: number): Failure {
    const session = this.#session;
    const head = this.#head;
    const decoder = this.#decoder;
    const isNew = streamId > session.streams.closed.last;
    if (isNew && this.#repeated.isRepeated(decoder, bytes, start, end))
      return this.#request(streamId, isEnd, OUTCOME.decoded, VERDICT.wellFormed);
    const { revision } = decoder;
    this.#repeated.forget();
    head.reset(!isNew);
    const outcome = decoder.decode(bytes, start, end, head);
    if (isCompressionError(outcome)) return SESSION_ENDING.compression;
    if (isNew) {
      const verdict = outcome === OUTCOME.decoded ? head.finish(session.client.isEncrypted) : VERDICT.malformed;
      if (verdict === VERDICT.wellFormed) this.#repeated.keep(decoder, revision, bytes, start, end);
      return this.#request(streamId, isEnd, outcome, verdict);
    }
    const stream = session.streams.get(streamId);
    if (stream !== undefined) return this.#trailers(stream, isEnd, outcome);
    if (session.streams.closed.way(streamId) === CLOSED.byServer) {
      session.chargeReset(); // normal until the client sees our RST_STREAM, but limited
      return null;
    }
    return this.#refuse(streamId, STREAM_ENDING.closed);
  }

  /** `verdict` applies only if `outcome` is `decoded`. */
  #request(streamId: number, isEnd: boolean, outcome: Outcome, verdict: Verdict): Failure {
    const session = this.#session;
    const head = this.#head;
    session.streams.closed.open(streamId);
    if (session.ignoresStream(streamId)) {
      // Section 6.8: this stream and its later frames are ignored.
      session.streams.closed.close(streamId, CLOSED.byServer);
      return null;
    }
    if (this.#dependsOnItself) return this.#refuse(streamId, STREAM_ENDING.protocol);
    if (session.streams.isFull) return this.#refuse(streamId, STREAM_ENDING.refused);
    if (outcome === OUTCOME.tooLarge) return this.#open(streamId, !isEnd, 431);
    switch (verdict) {
      case VERDICT.malformed:
        return this.#refuse(streamId, STREAM_ENDING.malformed);
      case VERDICT.withoutAuthority:
      case VERDICT.ambiguous:
        return this.#open(streamId, !isEnd, 400);
      case VERDICT.unknownMethod:
        return this.#open(streamId, !isEnd, 501);
      case VERDICT.otherScheme:
        return this.#open(streamId, !isEnd, 421);
      case VERDICT.wellFormed:
        if (isEnd && head.contentLength > 0 && head.method !== 'CONNECT')
          return this.#refuse(streamId, STREAM_ENDING.contentLength);
        return this.#open(streamId, !isEnd, 0);
    }
  }

  /** Trailers end the request (section 8.1). */
  #trailers(stream: Http2Stream, isEnd: boolean, outcome: Outcome): Failure {
    const session = this.#session;
    if (stream.isRemoteEnded) return this.#reset(stream, STREAM_ENDING.closed);
    if (this.#dependsOnItself) return this.#reset(stream, STREAM_ENDING.protocol);
    // Section 8.5: a connected tunnel carries only DATA.
    if (!isEnd || stream.isTunnel || this.#head.isMalformed) return this.#reset(stream, STREAM_ENDING.malformed);
    if (outcome === OUTCOME.tooLarge) return this.#reset(stream, STREAM_ENDING.trailersTooLarge);
    if (stream.expected >= 0 && stream.queue !== null && stream.queue.received < stream.expected)
      return this.#reset(stream, STREAM_ENDING.contentLength);
    session.streams.streamReceived(stream, trailerFields(this.#head.headers));
    return null;
  }

  #open(streamId: number, hasBody: boolean, refusal: 0 | RefusalStatus): null {
    this.#session.streams.openStream(streamId, this.#head, hasBody, refusal);
    return null;
  }

  #refuse(streamId: number, ending: Ending): null {
    this.#session.streams.refuse(streamId, ending);
    return null;
  }

  #reset(stream: Http2Stream, ending: Ending): null {
    this.#session.streams.resetStream(stream, ending);
    return null;
  }
}
