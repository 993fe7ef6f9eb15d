/**
 * Responses of a connection, from bytes as they come: heads, and bodies by the framing that RFC
 * 9112 section 6.3 chooses. No I/O. One reader for each connection; `begin` for each request.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { ChunkReader, type ChunkTaker } from './chunks.ts';
import { HeadCollector, type HeadTaker } from './head-collector.ts';
import { OriginError } from './origin.ts';
import { malformed, type ResponseHead, readResponseHead } from './response-head.ts';

/** What the reader tells its connection. During a call of `take`, in this order. */
export interface ReaderOwner extends ChunkTaker {
  /** 1xx but 101. */
  onInform(head: ResponseHead): void;
  /** A final response or 101. `length`: of its body; undefined when only its end tells. */
  onHead(head: ResponseHead, length: number | undefined): void;
  /** The body is whole. Not after 101. */
  onEnd(trailers: FieldList): void;
}

const STATE = { head: 0, length: 1, chunks: 2, close: 3, tunnel: 4, done: 5 } as const;

/** 1xx responses to one request: a server that sends them without an end says nothing by them. */
const MAX_INFORMS = 32;

const NONE: FieldList = [];

export class ResponseReader {
  readonly #owner: ReaderOwner;
  readonly #limit: number;
  readonly #collector: HeadCollector;
  #state: number = STATE.done;
  /** Bytes of the body that are still to come. */
  #left = 0;
  #chunks: ChunkReader | null = null;
  #isHead = false;
  #protocol = '';
  #informs = 0;

  /** `limit`: bytes of a head, and of trailers. */
  constructor(owner: ReaderOwner, limit: number) {
    this.#owner = owner;
    this.#limit = limit;
    const onHead: HeadTaker = (bytes, from, to) => this.#head(readResponseHead(bytes, from, to));
    this.#collector = new HeadCollector(limit, onHead, 'HTTP/1.');
  }

  get isDone(): boolean {
    return this.#state === STATE.done;
  }

  /**
   * The response to a request with this method that asked for this upgrade, or none, is what comes
   * next.
   */
  begin(method: string, protocol: string): void {
    this.#isHead = method === 'HEAD';
    this.#protocol = protocol;
    this.#informs = 0;
    this.#state = STATE.head;
  }

  /**
   * Bytes 0 to `to`. Returns behind which it stopped: the end of the response, or `to`. Throws
   * OriginError `malformed`.
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
   * The connection ended. True: that ended the response. Throws OriginError `reset` when it broke
   * off.
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
      this.#left = length;
      this.#state = STATE.length;
      this.#owner.onHead(head, length);
    } else {
      this.#state = STATE.close;
      this.#owner.onHead(head, undefined);
    }
  }

  #takeLength(buffer: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + this.#left);
    this.#left -= end - from;
    this.#owner.onPart(buffer, from, end);
    if (this.#left === 0) this.#end(NONE);
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
