/**
 * A connection of HTTP/1.1: its requests wait here in order, one at a time is handled, and what is
 * malformed is answered in its turn and ends the connection. What is answered while a read is
 * worked off leaves in one write behind it, all else at the end of the loop's turn.
 *
 *     transport ─► RequestReader ─► waiting ─► active: handler ─► Outgoing ─► transport
 */
import type { ClientMemory, MemoryWaiter } from '../exchange/client-memory.ts';
import { type AbortCause, AbortError, type Client } from '../exchange/exchange.ts';
import type { FieldList } from '../exchange/field-list.ts';
import { type Flushable, flushLater } from '../transport/flusher.ts';
import type { Transport, TransportReceiver } from '../transport/transport.ts';
import type { TurnShare } from '../transport/turn-share.ts';
import type { Http1Context, SiteTerms } from './context.ts';
import { Deadlines } from './deadlines.ts';
import { type Carrier, Http1Exchange } from './exchange.ts';
import type { Http1Limits } from './limits.ts';
import { Outgoing } from './outgoing.ts';
import type { Refusal } from './refusal.ts';
import type { RequestHead } from './request-head.ts';
import { RequestReader, type RequestSink } from './request-reader.ts';
import { plainAnswer } from './response-head.ts';

/**
 * Parts of a body, of whatever size, that wait before no more are read: each takes memory in
 * addition to its bytes.
 */
const MOST_PARTS = 64;

/** Bytes that a connection takes by itself, with a request and what its handler keeps of it. */
const CONNECTION_MEMORY = 32_768;

export class Http1Connection implements Carrier, TransportReceiver, RequestSink, Flushable, MemoryWaiter {
  readonly memory: ClientMemory;
  readonly outgoing: Outgoing;
  readonly deadlines: Deadlines;
  /** Those in time are the site's, the others the server's. */
  readonly limits: Http1Limits;
  /** The one that is handled, also while its body is dropped after the response. */
  active: Http1Exchange | undefined;
  /** This side has ended; what still comes is dropped. */
  isLingering = false;
  /** Bytes that have come. */
  received = 0;
  /** Requests that were taken. */
  requests = 0;
  readonly #transport: Transport;
  readonly #share: TurnShare | null;
  readonly #reader: RequestReader;
  #waiting: Http1Exchange[] = [];
  /** The one whose body comes: the last that was taken. */
  #receiving: Http1Exchange | undefined;
  /** No request is taken any more. */
  #isDeaf = false;
  /** Requests that came when none was taken any more. */
  #unheard = 0;
  /** What the client gets when the requests before it are answered. */
  #refusal: Refusal | undefined;
  /** It answers a HEAD: no content follows (RFC 9110 section 9.3.2). */
  #isHeadRefused = false;
  /** `#next` runs: handlers that answer at once don't make it call itself. */
  #isAdvancing = false;
  #isReading = false;
  #isFlushDue = false;
  #isPaused = false;
  /** What was read goes on in a later turn. */
  #isDeferred = false;
  #hasClientEnded = false;
  #isClosed = false;
  /** What had come when this side ended, or stopped to listen; -1: it has not. */
  #heedless = -1;

  constructor(
    transport: Transport,
    readonly client: Client,
    readonly context: Http1Context<Http1Connection>,
    site: SiteTerms | null = null,
  ) {
    this.#transport = transport;
    this.#reader = new RequestReader(this, context.limits, client.isEncrypted);
    this.limits = site?.http1 ?? context.limits;
    this.#share = site?.share ?? null;
    this.memory = context.memory.enter(client.address, site?.site);
    this.memory.hold(CONNECTION_MEMORY);
    this.outgoing = new Outgoing(
      transport,
      this.memory,
      () => this.#flushSoon(),
      () => this.#written(),
    );
    this.deadlines = new Deadlines(this);
  }

  begin(): void {
    this.#transport.start(this);
  }

  /** Nothing is asked for that has not been answered. */
  get isIdle(): boolean {
    return this.active === undefined && this.#waiting.length === 0;
  }

  /** A part of a request's head has come. */
  get isInHead(): boolean {
    return this.#reader.isInHead;
  }

  // From the transport.

  onBytes(bytes: Buffer): void {
    this.received += bytes.length;
    if (this.#isClosed) return;
    if (this.#heedless >= 0) {
      // What comes is dropped, but not without end; then it waits while the client has something to
      // take, of which a reset would cost it the rest.
      if (this.received - this.#heedless <= this.context.limits.discardedBytes) return;
      if (this.outgoing.isPending) this.#transport.pause();
      else this.destroy();
      return;
    }
    this.#isReading = true;
    this.#reader.push(bytes);
    this.#isReading = false;
    this.#turn();
    if (this.#isDeferred) this.#flushSoon();
  }

  onEnd(): void {
    // Not at once: earlier requests may have been answered by then.
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
    if (this.#isDeaf) {
      if (++this.#unheard > limits.pipelined) this.#endPipelining();
      return;
    }
    if (head.refusal !== null) {
      this.#isHeadRefused = head.method === 'HEAD';
      this.refuse(head.refusal);
      return;
    }
    if (this.#waiting.length >= limits.pipelined) {
      this.#endPipelining();
      return;
    }
    if (++this.requests >= limits.requests) {
      this.#isDeaf = true;
      counters.ended('requests_reached', this.client);
    }
    if (head.isLast) this.#isDeaf = true;
    const exchange = new Http1Exchange(head, this);
    if (exchange.queue !== null && exchange.protocol === '') this.#receiving = exchange;
    this.#waiting.push(exchange);
    this.#next();
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
    else {
      queue.received += bytes.length;
      // As long as there is something to answer, what is dropped is the handler's to say.
      if (exchange.isEnded) this.#discards(queue.received - queue.receivedBefore);
    }
    return !this.#isFull(exchange);
  }

  onBodyEnd(trailers: FieldList): void {
    const exchange = this.#receiving;
    if (exchange === undefined) return;
    this.#receiving = undefined;
    exchange.queue?.finish(trailers);
    if (this.active === exchange && exchange.isEnded) this.#release();
  }

  onRefused(refusal: Refusal): void {
    this.#listensNoMore();
    if (!this.#isDeaf || this.#receiving !== undefined) this.refuse(refusal);
  }

  /** Bytes of a body that nobody wants are dropped for the connection's sake, up to a bound. */
  #discards(data: number): void {
    if (this.isLingering || data <= this.context.limits.discardedBytes) return;
    this.context.counters.ended('unread_body', this.client);
    this.close();
  }

  #isFull(exchange: Http1Exchange): boolean {
    const queue = exchange.queue!;
    return queue.buffered >= this.context.limits.bodyBuffered || queue.parts >= MOST_PARTS;
  }

  #listensNoMore(): void {
    if (this.#heedless < 0) this.#heedless = this.received;
    this.#reader.stop();
  }

  /** More than a client sends that waits for answers. */
  #endPipelining(): void {
    this.context.counters.ended('pipelining', this.client);
    this.destroy('limit');
  }

  /**
   * The client sends no more. It may still want the response (RFC 9112 section 9.6), but who ends
   * its side within a wait has as a rule gone, and says no more than that: nginx, Envoy, HAProxy,
   * Pingora and Go take it so, and an origin's long poll is given up. What has begun goes on.
   */
  clientEnded(): void {
    // What was read before is answered first.
    if (this.#isDeferred && !this.#isClosed) {
      setImmediate(clientEnded, this);
      return;
    }
    this.#hasClientEnded = true;
    const { active } = this;
    if (this.#isClosed || this.isLingering) return;
    if (this.isIdle) this.close();
    else if (active === undefined) this.#isDeaf = true;
    else if (active.isTunnel) this.#tunnelEnds(active);
    else if (!active.hasHead || this.#receiving === active) this.destroy();
    else this.#isDeaf = true;
  }

  #tunnelEnds(tunnel: Http1Exchange): void {
    if (this.#hasClientEnded && !this.#reader.isHolding) tunnel.queue?.finish();
  }

  /**
   * Answers with a status when all before has been answered, and ends the connection. A request
   * whose body is in flight gets it in its place.
   */
  refuse(refusal: Refusal): void {
    if (this.#refusal !== undefined || this.isLingering) return;
    this.#refusal = refusal;
    this.#isDeaf = true;
    this.context.counters.ended(refusal.reason, this.client);
    const { active } = this;
    const broken = this.#receiving;
    this.#receiving = undefined;
    if (broken !== undefined && broken !== active) this.#waiting.pop();
    if (broken !== undefined && broken === active) this.#refuseActive(broken, refusal);
    else this.#next();
  }

  /**
   * Nothing has gone on with the active request for long: the client learns whose fault that is,
   * unless the response has begun (RFC 9110 sections 15.5.9 and 15.6.5).
   */
  endIdle(): void {
    const { active } = this;
    if (active === undefined) return;
    const refusal = { status: this.#receiving === active ? 408 : 504, reason: 'idle_stream' } as const;
    this.context.counters.ended(refusal.reason, this.client);
    this.#isDeaf = true;
    // What waits behind it, or was refused there, would be answered as if it were the first.
    this.#refusal = refusal;
    this.#waiting = [];
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
      this.#next();
    }
  }

  // From exchanges.

  isLastResponse(exchange: Http1Exchange): boolean {
    if (exchange.protocol !== '' || exchange.awaitsContinue) return true;
    if (this.context.isDraining) return true;
    return this.#isDeaf && this.#waiting.length === 0 && this.#refusal === undefined;
  }

  onBodyTaken(exchange: Http1Exchange): void {
    if (!this.#reader.isBlocked || this.#isReading || this.#isFull(exchange)) return;
    if (exchange === this.#receiving || (exchange.isTunnel && exchange === this.active)) this.#readOn();
  }

  onResponseEnd(exchange: Http1Exchange): void {
    if (exchange.isTunnel) this.outgoing.end();
    else this.#release();
  }

  onTunnel(exchange: Http1Exchange): void {
    this.context.counters.count('upgrades');
    if (this.#isReading) this.#reader.resume();
    else this.#readOn();
    this.#tunnelEnds(exchange);
  }

  onHandlerError(exchange: Http1Exchange, error: unknown): void {
    if (!(error instanceof AbortError)) {
      this.context.counters.count('failed');
      this.context.onHandlerError?.(error);
    }
    exchange.refuse(500, false);
  }

  /** What was left is read. */
  #readOn(): void {
    this.#isReading = true;
    this.#reader.resume();
    this.#isReading = false;
    if (this.active?.isTunnel) this.#tunnelEnds(this.active);
    this.#turn();
    if (this.#isDeferred) this.#flushSoon();
  }

  // Memory.

  reserve(bytes: number): number {
    return this.outgoing.reserve(bytes, this);
  }

  onMemory(): void {
    if (this.#isClosed) return;
    const { active } = this;
    if (active === undefined) this.#next();
    else if (!active.isEnded) active.drained();
  }

  // Output, and what is read meanwhile.

  flushDue(): void {
    if (this.#share?.isSpent && !this.#isClosed) {
      this.#share.flushLater(this);
      return;
    }
    this.#isFlushDue = false;
    if (this.#isDeferred) {
      this.#isDeferred = false;
      this.#readOn();
    } else this.#turn();
  }

  #flushSoon(): void {
    if (this.#isReading || this.#isFlushDue) return;
    this.#isFlushDue = true;
    flushLater(this);
  }

  /**
   * Sends what waits. While requests wait no more is read than what is there: what waits here of a
   * client that does not wait for answers is one read.
   */
  #turn(): void {
    if (this.#isClosed) return;
    this.outgoing.flush();
    const isPaused = !this.isLingering && (this.#waiting.length > 0 || this.#reader.isHolding);
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#transport.pause();
    else this.#transport.resume();
  }

  #written(): void {
    if (this.#isClosed) return;
    if (this.outgoing.isLost) {
      this.#bodyLost();
      return;
    }
    const { active } = this;
    if (this.outgoing.takesMore() && active !== undefined && !active.isEnded) active.drained();
    if (active === undefined && this.#waiting.length > 0) this.#next();
    // Not at once: a client that takes all that there is would keep the loop from all others.
    if (this.outgoing.isWaiting || this.#isPaused) this.#flushSoon();
    else this.outgoing.flush();
  }

  /** What the client has got cannot be finished, and must not be taken for whole. */
  #bodyLost(): void {
    this.context.counters.count('failed');
    this.context.onHandlerError?.(new TypeError('A part of a body was taken back before it was sent.'));
    this.active?.abort();
    this.destroy();
  }

  // The end.

  destroy(cause: AbortCause = 'client'): void {
    this.#end(cause);
    this.#isClosed = true;
    this.#transport.destroy();
  }

  /**
   * Ends this side, and waits a little for the other: a reset would take from the client what it
   * has not read (RFC 9112 section 9.6).
   */
  close(): void {
    if (this.isLingering) return;
    this.isLingering = true;
    this.#isDeaf = true;
    this.#waiting = [];
    this.#receiving = undefined;
    this.#reader.stop();
    this.#heedless = this.received;
    this.outgoing.end();
    if (!this.#isReading) this.#turn();
  }

  /**
   * This server stops: requests that nobody has begun to handle are dropped, since they can be sent
   * again. A connection that has had none yet gets the one that it was opened for.
   */
  drain(): void {
    if (this.requests === 0 && !this.#isDeaf) return;
    this.#isDeaf = true;
    if (this.#receiving !== this.active) this.#receiving = undefined;
    this.#waiting = [];
    if (this.active === undefined) this.close();
  }

  #end(cause: AbortCause): void {
    const { active } = this;
    this.active = undefined;
    this.#isDeaf = true;
    this.#waiting = [];
    this.#receiving = undefined;
    this.#reader.stop();
    this.outgoing.stop();
    if (active === undefined) return;
    if (!active.isEnded) this.context.counters.count('aborted');
    active.endedBy(cause);
  }

  // Requests, one after the other.

  /**
   * Begins the next request if the one before is done, the client takes what it gets, and its
   * network holds less than its share.
   */
  #next(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.active === undefined && !this.isLingering && !this.outgoing.isFull) {
      if (this.#waiting.length > 0 && this.memory.room === 0) {
        this.memory.waitFor(this);
        break;
      }
      const exchange = this.#waiting.shift();
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

  /** The active request is over when its response has been given away and its body has come. */
  #release(): void {
    const { active } = this;
    if (active === undefined || !active.isEnded) return;
    const isLast = active.isLast || this.isLastResponse(active);
    if (!isLast && this.#receiving === active) return;
    this.active = undefined;
    if (isLast) {
      this.close();
      return;
    }
    this.#next();
    // Requests that waited have made room, so that more may be read.
    if (this.#isPaused) this.#flushSoon();
  }
}

const clientEnded = (connection: Http1Connection): void => connection.clientEnded();

const causeOf = ({ status }: Refusal): AbortCause => (status === 408 || status === 504 ? 'limit' : 'protocol');
