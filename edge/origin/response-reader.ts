/**
 * Parses the responses of a connection: heads, and bodies with the framing of RFC 9112 section 6.3.
 * No I/O. One reader for each connection; `begin` for each request.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { ChunkReader, type ChunkTaker } from './chunks.ts';
import { HeadCollector, type HeadTaker } from './head-collector.ts';
import { OriginError } from './origin.ts';
import { malformed, type ResponseHead, readLenientHead, readResponseHead } from './response-head.ts';

/** The connection of a reader. Called within `take`, in this order. */
export interface ReaderOwner extends ChunkTaker {
  /** A 1xx response except 101. */
  onInform(head: ResponseHead): void;
  /** A final response or 101. `length`: of its body; undefined: unknown until the end. */
  onHead(head: ResponseHead, length: number | undefined): void;
  /** The body is complete. Not called after 101. */
  onEnd(trailers: FieldList): void;
}

const STATE = { head: 0, length: 1, chunks: 2, close: 3, tunnel: 4, done: 5 } as const;

/** Maximum 1xx responses to one request. An endless series carries no information. */
const MAX_INFORMS = 32;

const NONE: FieldList = [];

export class ResponseReader {
  readonly #owner: ReaderOwner;
  readonly #limit: number;
  readonly #collector: HeadCollector;
  #state: number = STATE.done;
  /** Remaining bytes of the body. */
  #remaining = 0;
  #chunks: ChunkReader | null = null;
  #isHead = false;
  #protocol = '';
  #informs = 0;

  /** `limit`: bytes of a head, and of trailers. */
  constructor(owner: ReaderOwner, limit: number) {
    this.#owner = owner;
    this.#limit = limit;
    const onHead: HeadTaker = (bytes, from, to) =>
      this.#head(this.#collector.isLenient ? readLenientHead(bytes, from, to) : readResponseHead(bytes, from, to));
    this.#collector = new HeadCollector(limit, onHead, 'HTTP/1.');
  }

  get isDone(): boolean {
    return this.#state === STATE.done;
  }

  /**
   * Expects the response to a request. `protocol`: of the requested upgrade; empty: none.
   * `isLenient`: as `OriginRequest.isLenient`.
   */
  begin(method: string, protocol: string, isLenient = false): void {
    this.#collector.isLenient = isLenient;
    this.#isHead = method === 'HEAD';
    this.#protocol = protocol.toLowerCase();
    this.#informs = 0;
    this.#state = STATE.head;
  }

  /**
   * Parses bytes 0 to `to`. Returns the offset after the response, or `to`. Throws OriginError
   * `malformed`.
   */
  take(buffer: Buffer, to: number): number {
    let at = 0;
    while (at < to) {
      switch (this.#state) {
        case STATE.head: {
          const end = this.#collector.take(buffer, at, to);
          if (end < 0) return to;
          at = end;
          break;
        }
        case STATE.length:
          at = this.#takeLength(buffer, at, to);
          break;
        case STATE.chunks:
          at = this.#takeChunks(buffer, at, to);
          break;
        case STATE.done:
          return at;
        default:
          this.#owner.onPart(buffer, at, to);
          return to;
      }
    }
    return at;
  }

  /**
   * The origin ended the connection. True: this completes the response. Throws OriginError `reset`
   * when the response is truncated.
   */
  finish(): boolean {
    if (this.#state === STATE.done) return false;
    if (this.#state !== STATE.close && this.#state !== STATE.tunnel)
      throw new OriginError('reset', 'the connection ended within a response');
    this.#end(NONE);
    return true;
  }

  #head(head: ResponseHead): void {
    const { status } = head;
    if (status < 200 && status !== 101) {
      if (head.isChunked || head.length > 0) throw malformed(`a body of a ${status} response`);
      if (++this.#informs > MAX_INFORMS) throw malformed(`more than ${MAX_INFORMS} informational responses`);
      this.#owner.onInform(head);
      return;
    }
    if (status === 101) this.#upgrade(head);
    else this.#frame(head);
  }

  /** RFC 9110 section 7.8: only to the requested protocol. */
  #upgrade(head: ResponseHead): void {
    if (this.#protocol === '') throw malformed('an unrequested 101 response');
    if (head.upgrade !== this.#protocol) throw malformed('a 101 response with a protocol that was not requested');
    if (head.isChunked || head.length > 0) throw malformed('a body of a 101 response');
    this.#state = STATE.tunnel;
    this.#owner.onHead(head, undefined);
  }

  /** RFC 9112 section 6.3. */
  #frame(head: ResponseHead): void {
    const { status, length } = head;
    if (this.#isHead || status === 204 || status === 304 || length === 0) {
      this.#owner.onHead(head, 0);
      this.#end(NONE);
    } else if (head.isChunked) {
      this.#chunks = new ChunkReader(this.#owner, this.#limit);
      this.#state = STATE.chunks;
      this.#owner.onHead(head, undefined);
    } else if (length > 0) {
      this.#remaining = length;
      this.#state = STATE.length;
      this.#owner.onHead(head, length);
    } else {
      this.#state = STATE.close;
      this.#owner.onHead(head, undefined);
    }
  }

  #takeLength(buffer: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + this.#remaining);
    this.#remaining -= end - from;
    this.#owner.onPart(buffer, from, end);
    if (this.#remaining === 0) this.#end(NONE);
    return end;
  }

  #takeChunks(buffer: Buffer, from: number, to: number): number {
    const chunks = this.#chunks!;
    const end = chunks.take(buffer, from, to);
    if (chunks.isDone) this.#end(chunks.trailers);
    return end;
  }

  #end(trailers: FieldList): void {
    this.#state = STATE.done;
    this.#chunks = null;
    this.#owner.onEnd(trailers);
  }
}
