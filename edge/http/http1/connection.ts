/**
 * A connection of HTTP/1.1. Requests are queued in order of arrival and handled one at a time. A
 * malformed request is answered in its turn, then the connection closes. Responses made during a
 * read go out in one write after it. Other output is flushed at the end of the event loop's turn.
 *
 *     transport ─► RequestReader ─► queued ─► active: handler ─► Outgoing ─► transport
 */
import type { Pressure } from '../exchange/body-pace.ts';
import type { ClientMemory, MemoryWaiter } from '../exchange/client-memory.ts';
import { type AbortCause, AbortError, type Client } from '../exchange/exchange.ts';
import type { FieldList } from '../exchange/field-list.ts';
import { type Flushable, flushLater, type TurnShare } from '../transport/flusher.ts';
import type { Transport, TransportReceiver } from '../transport/transport.ts';
import type { Refusal } from './counters.ts';
import { Deadlines } from './deadlines.ts';
import { type Carrier, Http1Exchange } from './exchange.ts';
import type { Http1Context, Http1Limits, SiteTerms } from './limits.ts';
import { Outgoing } from './outgoing.ts';
import type { RequestHead } from './request-head.ts';
import { RequestReader, type RequestSink } from './request-reader.ts';
import { plainAnswer } from './response-head.ts';

/** Maximum number of buffered body parts. Each part takes memory in addition to its bytes. */
const MAX_PARTS = 64;

/** Bytes charged for a connection, including a request and the state of its handler. */
const CONNECTION_MEMORY = 32_768;

export class Http1Connection implements Carrier, TransportReceiver, RequestSink, Flushable, MemoryWaiter {
  readonly memory: ClientMemory;
  readonly outgoing: Outgoing;
  readonly deadlines: Deadlines;
  /**
   * Timeouts and the minimum body rate: of the site if it has its own, else of the server. All
   * other limits come from `context.limits`.
   */
  readonly limits: Http1Limits;
  /** The request that is being handled, or whose body is discarded after the response. */
  active: Http1Exchange | undefined;
  /** This side has ended. Received bytes are discarded. */
  isLingering = false;
  /** Bytes. */
  received = 0;
  /** Requests accepted so far. */
  requests = 0;
  readonly #transport: Transport;
  readonly #share: TurnShare | null;
  /** The slots of the client and its site; null: unlimited. */
  readonly #slots: Pressure | null;
  readonly #reader: RequestReader;
  #queued: Http1Exchange[] = [];
  /** The request whose body is being received. It is the last one accepted. */
  #receiving: Http1Exchange | undefined;
  #acceptsRequests = true;
  /** Requests ignored since `#acceptsRequests` became false. */
  #ignoredRequests = 0;
  /** Sent after the responses to all earlier requests. */
  #refusal: Refusal | undefined;
  /** The refused request is a HEAD, so no content follows (RFC 9110 section 9.3.2). */
  #isHeadRefused = false;
  /** Prevents recursion when a handler responds synchronously. */
  #isAdvancing = false;
  #isReading = false;
  #isFlushDue = false;
  #isPaused = false;
  /** The site has used up its share of this turn. Reading continues in a later one. */
  #isDeferred = false;
  #hasClientEnded = false;
  #isClosed = false;
  /**
   * `received` when this side ended or stopped reading requests. Later bytes are discarded. -1:
   * still reading.
   */
  #discardFrom = -1;

  constructor(
    transport: Transport,
    readonly client: Client,
    readonly context: Http1Context<Http1Connection>,
    site: SiteTerms | null = null,
    slots: Pressure | null = null,
  ) {
    this.#transport = transport;
    this.#reader = new RequestReader(this, context.limits, client.isEncrypted);
    this.limits = site?.http1 ?? context.limits;
    this.#share = site?.share ?? null;
    this.#slots = slots;
    this.memory = context.memory.enter(client.address, site?.site);
    this.memory.hold(CONNECTION_MEMORY);
    this.outgoing = new Outgoing(
      transport,
      this.memory,
      () => this.#flushSoon(),
      () => this.#onWritten(),
    );
    this.deadlines = new Deadlines(this);
  }

  begin(): void {
    this.#transport.start(this);
  }

  /** No request is active or queued. */
  get isIdle(): boolean {
    return this.active === undefined && this.#queued.length === 0;
  }

  get isPressed(): boolean {
    return this.memory.isPressed || this.#slots?.isPressed === true;
  }

  /** A request head has been received in part. */
  get isInHead(): boolean {
    return this.#reader.isInHead;
  }

  // From the transport.

  onBytes(bytes: Buffer): void {
    this.received += bytes.length;
    if (this.#isClosed) return;
    if (this.#discardFrom >= 0) {
      // Discards received bytes up to a limit. Beyond it, the connection stays open without reading
      // while output is pending. A reset would cost the client the rest of it.
      if (this.received - this.#discardFrom <= this.context.limits.lingerBytes) return;
      if (this.outgoing.isPending) this.#transport.pause();
      else this.destroy();
      return;
    }
    this.#isReading = true;
    this.#reader.push(bytes);
    this.#isReading = false;
    this.#flushAndPace();
    if (this.#isDeferred) this.#flushSoon();
  }

  onEnd(): void {
    // Deferred, since earlier requests may be answered in this turn.
    setImmediate(clientEnded, this);
  }

  onClose(): void {
    this.#isClosed = true;
    this.#end('client');
    this.memory.forget(this);
    this.memory.release(CONNECTION_MEMORY);
    this.context.memory.leave(this.memory);
    this.context.onClose(this);
  }

  // From the reader.

  onHead(head: RequestHead): void {
    const { limits, counters } = this.context;
    if (this.#isClosed) return;
    if (!this.#acceptsRequests) {
      if (++this.#ignoredRequests > limits.pipelined) this.#endPipelining();
      return;
    }
    if (head.refusal !== null) {
      this.#isHeadRefused = head.method === 'HEAD';
      this.refuse(head.refusal);
      return;
    }
    if (this.#queued.length >= limits.pipelined) {
      this.#endPipelining();
      return;
    }
    if (++this.requests >= limits.requests) {
      this.#acceptsRequests = false;
      counters.ended('requests_reached', this.client);
    }
    if (head.isLast) this.#acceptsRequests = false;
    const exchange = new Http1Exchange(head, this);
    if (exchange.queue !== null && head.length !== 0) this.#receiving = exchange;
    this.#queued.push(exchange);
    this.#handleNext();
  }

  mayBegin(): boolean {
    if (!this.#share?.isSpent) return true;
    this.#isDeferred = true;
    return false;
  }

  onBody(bytes: Buffer): boolean {
    const exchange = this.active?.isTunnel ? this.active : this.#receiving;
    const queue = exchange?.queue;
    if (exchange === undefined || queue === undefined || queue === null) return true;
    if (!queue.isDiscarding) queue.lend(bytes);
    else queue.received += bytes.length;
    return !this.#isFull(exchange);
  }

  onBodyEnd(trailers: FieldList): void {
    const exchange = this.#receiving;
    if (exchange === undefined) return;
    this.#receiving = undefined;
    // The bytes of a tunnel follow in the same queue.
    if (exchange.protocol === '') exchange.queue?.finish(trailers);
    if (this.active === exchange && exchange.isEnded) this.#finishActive();
  }

  onRefused(refusal: Refusal): void {
    this.#stopReading();
    if (this.#acceptsRequests || this.#receiving !== undefined) this.refuse(refusal);
  }

  #isFull(exchange: Http1Exchange): boolean {
    const queue = exchange.queue!;
    return queue.buffered >= this.context.limits.bodyBuffered || queue.parts >= MAX_PARTS;
  }

  #stopReading(): void {
    if (this.#discardFrom < 0) this.#discardFrom = this.received;
    this.#reader.stop();
  }

  /** The client has pipelined too many requests. */
  #endPipelining(): void {
    this.context.counters.ended('pipelining', this.client);
    this.destroy('limit');
  }

  /**
   * The client has closed its sending side. It may still want the response (RFC 9112 section 9.6).
   * In practice, a client that does so before the response has disconnected. So a request without a
   * response head is aborted, and the origin is released, such as from a long poll. nginx, Envoy,
   * HAProxy, Pingora and Go do the same. A response that has begun is finished.
   */
  clientEnded(): void {
    // Bytes that were read earlier are handled first.
    if (this.#isDeferred && !this.#isClosed) {
      setImmediate(clientEnded, this);
      return;
    }
    this.#hasClientEnded = true;
    const { active } = this;
    if (this.#isClosed || this.isLingering) return;
    if (this.isIdle) this.close();
    else if (active === undefined) this.#acceptsRequests = false;
    else if (active.isTunnel) this.#endTunnelInput(active);
    else if (!active.hasHead || this.#receiving === active) this.destroy();
    else this.#acceptsRequests = false;
  }

  #endTunnelInput(tunnel: Http1Exchange): void {
    if (this.#hasClientEnded && !this.#reader.isHolding) tunnel.queue?.finish();
  }

  /**
   * Sends a status after the responses to all earlier requests, and closes the connection. It also
   * replaces the response to a request whose body is still being received.
   */
  refuse(refusal: Refusal): void {
    if (this.#refusal !== undefined || this.isLingering) return;
    this.#refusal = refusal;
    this.#acceptsRequests = false;
    this.context.counters.ended(refusal.reason, this.client);
    const { active } = this;
    const receiving = this.#receiving;
    this.#receiving = undefined;
    if (receiving !== undefined && receiving !== active) this.#queued.pop();
    if (receiving !== undefined && receiving === active) this.#refuseActive(receiving, refusal);
    else this.#handleNext();
  }

  /**
   * Ends an active request that has been idle for too long. The client gets 408 if its body was
   * incomplete, else 504. If the response has begun, the connection is closed (RFC 9110 sections
   * 15.5.9 and 15.6.5).
   */
  endIdle(): void {
    const { active } = this;
    if (active === undefined) return;
    const refusal = { status: this.#receiving === active ? 408 : 504, reason: 'idle_stream' } as const;
    this.context.counters.ended(refusal.reason, this.client);
    this.#acceptsRequests = false;
    // Queued requests and their refusal must not be answered in place of the active request.
    this.#refusal = refusal;
    this.#queued = [];
    this.#refuseActive(active, refusal);
  }

  #refuseActive(active: Http1Exchange, refusal: Refusal): void {
    if (active.isEnded) {
      this.destroy();
      return;
    }
    this.context.counters.count('aborted');
    if (active.hasHead) this.destroy(causeOf(refusal));
    else {
      this.active = undefined;
      this.#isHeadRefused = active.isHead;
      active.endedBy(causeOf(refusal));
      this.#handleNext();
    }
  }

  // From exchanges.

  isLastResponse(exchange: Http1Exchange): boolean {
    if (exchange.protocol !== '' || exchange.awaitsContinue) return true;
    if (this.context.isDraining || this.#hasLongRest(exchange)) return true;
    return !this.#acceptsRequests && this.#queued.length === 0 && this.#refusal === undefined;
  }

  /**
   * More of the request body is missing than would be discarded after the response, or an unknown
   * part. The response has to announce the close: the client would send its next request into it.
   */
  #hasLongRest(exchange: Http1Exchange): boolean {
    const { queue } = exchange;
    if (exchange !== this.#receiving || queue === null) return false;
    return queue.length === undefined || queue.length - queue.received > this.context.limits.discardedBytes;
  }

  onBodyTaken(exchange: Http1Exchange): void {
    if (!this.#reader.isBlocked || this.#isReading || this.#isFull(exchange)) return;
    if (exchange === this.#receiving || (exchange.isTunnel && exchange === this.active)) this.#resumeReader();
  }

  onResponseEnd(exchange: Http1Exchange): void {
    if (exchange.isTunnel) this.outgoing.end();
    else this.#finishActive();
  }

  onTunnel(exchange: Http1Exchange): void {
    this.context.counters.count('upgrades');
    if (this.#isReading) this.#reader.resume();
    else this.#resumeReader();
    this.#endTunnelInput(exchange);
  }

  onHandlerError(exchange: Http1Exchange, error: unknown): void {
    if (!(error instanceof AbortError)) {
      this.context.counters.count('failed');
      this.context.onHandlerError?.(error);
    }
    exchange.refuse(500, false);
  }

  /** Resumes a blocked reader. */
  #resumeReader(): void {
    this.#isReading = true;
    this.#reader.resume();
    this.#isReading = false;
    if (this.active?.isTunnel) this.#endTunnelInput(this.active);
    this.#flushAndPace();
    if (this.#isDeferred) this.#flushSoon();
  }

  // Memory.

  reserve(bytes: number): number {
    return this.outgoing.reserve(bytes, this);
  }

  onMemory(): void {
    if (this.#isClosed) return;
    const { active } = this;
    if (active === undefined) this.#handleNext();
    else if (!active.isEnded) active.drained();
  }

  // Output, and pacing of input.

  flushDue(): void {
    if (this.#share?.isSpent && !this.#isClosed) {
      this.#share.flushLater(this);
      return;
    }
    this.#isFlushDue = false;
    if (this.#isDeferred) {
      this.#isDeferred = false;
      this.#resumeReader();
    } else this.#flushAndPace();
  }

  #flushSoon(): void {
    if (this.#isReading || this.#isFlushDue) return;
    this.#isFlushDue = true;
    flushLater(this);
  }

  /**
   * Sends pending output. While requests are queued, reading is paused. So a client that pipelines
   * has at most one read of requests queued.
   */
  #flushAndPace(): void {
    if (this.#isClosed) return;
    this.outgoing.flush();
    const isPaused = !this.isLingering && (this.#queued.length > 0 || this.#reader.isHolding);
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#transport.pause();
    else this.#transport.resume();
  }

  #onWritten(): void {
    if (this.#isClosed) return;
    if (this.outgoing.isLost) {
      this.#failLostBody();
      return;
    }
    const { active } = this;
    if (this.outgoing.takesMore() && active !== undefined && !active.isEnded) active.drained();
    if (active === undefined && this.#queued.length > 0) this.#handleNext();
    // Deferred: a client that reads fast would otherwise keep the event loop from other
    // connections.
    if (this.outgoing.isWaiting || this.#isPaused) this.#flushSoon();
    else this.outgoing.flush();
  }

  /**
   * A body part was detached before it was sent. The response cannot be completed, and the client
   * must not mistake it for a complete one.
   */
  #failLostBody(): void {
    this.context.counters.count('failed');
    this.context.onHandlerError?.(new TypeError('A part of a body was taken back before it was sent.'));
    this.active?.abort();
    this.destroy();
  }

  // Shutdown.

  destroy(cause: AbortCause = 'client'): void {
    this.#end(cause);
    this.#isClosed = true;
    this.#transport.destroy();
  }

  /**
   * Ends this side, then lingers until the client ends too. A reset would discard data that the
   * client has not read (RFC 9112 section 9.6).
   */
  close(): void {
    if (this.isLingering) return;
    this.isLingering = true;
    this.#acceptsRequests = false;
    this.#queued = [];
    this.#receiving = undefined;
    this.#reader.stop();
    this.#discardFrom = this.received;
    this.outgoing.end();
    if (!this.#isReading) this.#flushAndPace();
  }

  /**
   * The server drains. Requests that are not being handled are dropped, since clients can retry
   * them. A connection without any request so far may still send its first.
   */
  drain(): void {
    if (this.requests === 0 && this.#acceptsRequests) return;
    this.#acceptsRequests = false;
    if (this.#receiving !== this.active) this.#receiving = undefined;
    this.#queued = [];
    if (this.active === undefined) this.close();
  }

  #end(cause: AbortCause): void {
    const { active } = this;
    this.active = undefined;
    this.#acceptsRequests = false;
    this.#queued = [];
    this.#receiving = undefined;
    this.#reader.stop();
    this.outgoing.stop();
    if (active === undefined) return;
    if (!active.isEnded) this.context.counters.count('aborted');
    active.endedBy(cause);
  }

  // Request queue.

  /**
   * Starts the next request if none is active, output is not full, and the client's network holds
   * less than its share of memory.
   */
  #handleNext(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.active === undefined && !this.isLingering && !this.outgoing.isFull) {
      if (this.#queued.length > 0 && this.memory.room === 0) {
        this.memory.waitFor(this);
        break;
      }
      const exchange = this.#queued.shift();
      if (exchange === undefined) break;
      this.active = exchange;
      this.#handle(exchange);
    }
    this.#isAdvancing = false;
    if (this.isIdle && this.#refusal !== undefined && !this.isLingering && !this.#isClosed) {
      this.outgoing.write(plainAnswer(this.#refusal.status, true, this.#isHeadRefused));
      this.close();
    }
  }

  #handle(exchange: Http1Exchange): void {
    const { counters, handler } = this.context;
    counters.count('requests');
    try {
      const promise = handler(exchange);
      if (promise !== undefined) promise.then(undefined, (error: unknown) => this.onHandlerError(exchange, error));
    } catch (error) {
      this.onHandlerError(exchange, error);
    }
  }

  /**
   * Finishes the active request once its response is written and its body is received. If the
   * connection ends with it, the rest of the body is not awaited.
   */
  #finishActive(): void {
    const { active } = this;
    if (active === undefined || !active.isEnded) return;
    const isLast = active.isLast || this.isLastResponse(active);
    if (!isLast && this.#receiving === active) return;
    this.active = undefined;
    if (isLast) {
      if (this.#hasLongRest(active)) this.context.counters.ended('unread_body', this.client);
      this.close();
      return;
    }
    this.#handleNext();
    // The queue is shorter now, so reading may resume.
    if (this.#isPaused) this.#flushSoon();
  }
}

const clientEnded = (connection: Http1Connection): void => connection.clientEnded();

const causeOf = ({ status }: Refusal): AbortCause => (status === 408 || status === 504 ? 'limit' : 'protocol');
