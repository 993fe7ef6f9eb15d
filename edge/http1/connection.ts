/**
 * A connection of HTTP/1.1: its requests wait here in order, one at a time is handled, and what is malformed is answered in its turn and
 * ends the connection. node:http parses and keeps its own books, of which `ServerResponse` is a part that nothing is written through.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type AbortCause, AbortError, type Client } from '../exchange/exchange.ts';
import { isFull, takeBody } from './body-intake.ts';
import { Deadlines } from './deadlines.ts';
import { type Carrier, Http1Exchange } from './exchange.ts';
import type { Incoming } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import { type ParserError, parserRefusal } from './parser-refusal.ts';
import { ReadAhead } from './read-ahead.ts';
import { type Refusal, requestHead } from './request-head.ts';
import { plainAnswer } from './response-head.ts';
import type { Http1Context } from './server.ts';

/** A request with what node keeps of it. `response` is undefined for one that asks for a tunnel: then `rest` came behind its head. */
interface Pending {
  readonly exchange: Http1Exchange;
  readonly message: Incoming;
  readonly response: ServerResponse | undefined;
  readonly rest: Uint8Array | undefined;
}

export class Http1Connection implements Carrier {
  readonly outgoing: Outgoing;
  readonly deadlines: Deadlines;
  /** The one that is handled, also while its body is dropped after the response. */
  active: Pending | undefined;
  /** This side has ended; what still comes is dropped. */
  isLingering = false;
  readonly #ahead = new ReadAhead(this);
  #waiting: Pending[] = [];
  /** No request is taken any more. */
  #isDeaf = false;
  #requests = 0;
  /** Requests that came when none was taken any more. */
  #unheard = 0;
  /** What the client gets when the requests before it are answered. */
  #refusal: Refusal | undefined;
  /** `#next` runs: handlers that answer at once don't make it call itself. */
  #isAdvancing = false;

  constructor(
    readonly socket: Socket,
    readonly client: Client,
    readonly context: Http1Context,
  ) {
    this.outgoing = new Outgoing(socket);
    this.deadlines = new Deadlines(this);
    socket.on('error', () => {});
    socket.on('close', () => this.#onClose());
    socket.on('drain', () => this.#onSocketDrain());
  }

  /** Nothing is asked for that has not been answered. */
  get isIdle(): boolean {
    return this.active === undefined && !this.hasWaiting;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  onRequest(message: Incoming, response: ServerResponse | undefined, rest?: Uint8Array): void {
    const { limits, counters } = this.context;
    if (this.socket.destroyed) return;
    if (this.#isDeaf) {
      // node keeps each of them until the connection ends, a hundred times what it weighs.
      if (++this.#unheard > limits.pipelined) this.#endPipelining();
      return;
    }
    const head = requestHead(message, this.client.isEncrypted, limits);
    if ('status' in head) {
      this.refuse(head);
      return;
    }
    if (this.#waiting.length >= limits.pipelined) {
      this.#endPipelining();
      return;
    }
    if (++this.#requests >= limits.requests) {
      this.#isDeaf = true;
      counters.ended('requests_reached', this.client);
    }
    if (response === undefined || response.shouldKeepAlive === false || message.isLast || head.isLast)
      this.#isDeaf = true;
    const exchange = new Http1Exchange(head, response === undefined ? 'websocket' : '', this);
    const pending = { exchange, message, response, rest };
    const hasBody = response !== undefined && exchange.queue !== null;
    if (!this.isIdle) this.#ahead.hold(hasBody ? message : undefined);
    if (hasBody) takeBody(this, exchange, message, () => this.#bodyEnded(exchange));
    this.#waiting.push(pending);
    this.#next();
  }

  /** More than a client sends that waits for answers. */
  #endPipelining(): void {
    this.context.counters.ended('pipelining', this.client);
    this.destroy('limit');
  }

  /**
   * The client sends no more. It may still want the response (RFC 9112 section 9.6), but who ends its side within a wait has as a rule gone, and says no more than that: nginx,
   * Envoy, HAProxy, Pingora and Go take it so, and an origin's long poll is given up. What has begun goes on, and what is answered at once has been before this is seen.
   */
  onClientEnd(): void {
    const { exchange } = this.active ?? {};
    if (exchange !== undefined && !exchange.isTunnel && !exchange.hasHead && !this.isLingering) this.destroy();
  }

  /** The parser can't go on, or the socket broke. */
  onParserError(error: ParserError): void {
    const { code = '' } = error;
    if (!code.startsWith('HPE_')) {
      this.destroy();
      return;
    }
    if (this.isLingering) {
      this.deadlines.checkLinger();
      return;
    }
    if (this.#refusal !== undefined) return;
    // The client has ended within a request, or sent more behind one that it called the last.
    if (code === 'HPE_INVALID_EOF_STATE') {
      this.destroy();
      return;
    }
    if (code === 'HPE_CLOSED_CONNECTION') {
      this.#isDeaf = true;
      return;
    }
    this.refuse(parserRefusal(error));
  }

  /** Answers with a status when all before has been answered, and ends the connection. A request whose body is under way gets it in its place. */
  refuse(refusal: Refusal): void {
    if (this.#refusal !== undefined || this.isLingering) return;
    this.#refusal = refusal;
    this.#isDeaf = true;
    this.context.counters.ended(refusal.reason, this.client);
    const last = this.#waiting.at(-1) ?? this.active;
    const isInBody = last !== undefined && last.response !== undefined && !last.message.complete;
    if (isInBody && last !== this.active) this.#waiting.pop();
    if (isInBody && last === this.active) this.#refuseActive(last, refusal);
    else this.#next();
  }

  /** Nothing has gone on with the active request for long: whose fault that is, the client is told, unless the response has begun (RFC 9110 sections 15.5.9 and 15.6.5). */
  endIdle(): void {
    const { active } = this;
    if (active === undefined) return;
    const refusal = {
      status: active.response === undefined || active.message.complete ? 504 : 408,
      reason: 'idle_stream',
    } as const;
    this.context.counters.ended(refusal.reason, this.client);
    this.#isDeaf = true;
    this.#refusal ??= refusal;
    // What waits behind it would be answered as if it were the first.
    this.#waiting = [];
    this.#refuseActive(active, refusal);
  }

  #refuseActive(active: Pending, refusal: Refusal): void {
    const { exchange } = active;
    if (exchange.isEnded) {
      this.destroy();
      return;
    }
    this.context.counters.count('aborted');
    if (exchange.hasHead) this.destroy(causeOf(refusal));
    else {
      this.active = undefined;
      exchange.endedBy(causeOf(refusal));
      this.#next();
    }
  }

  isLastResponse(exchange: Http1Exchange): boolean {
    if (exchange.protocol !== '' || exchange.awaitsContinue) return true;
    if (this.context.isDraining) return true;
    return this.#isDeaf && this.#waiting.length === 0 && this.#refusal === undefined;
  }

  onBodyTaken(exchange: Http1Exchange): void {
    const { active } = this;
    if (exchange.isTunnel) {
      if (exchange.queue!.buffered < this.context.limits.bodyBuffered && this.socket.isPaused()) this.socket.resume();
    } else if (active?.exchange === exchange && active.message.isPaused() && !isFull(exchange, this.context.limits)) {
      active.message.resume();
    }
  }

  onResponseEnd(exchange: Http1Exchange): void {
    if (exchange.isTunnel) {
      this.outgoing.uncork();
      this.#endTunnel();
    } else this.#release();
  }

  onTunnel(exchange: Http1Exchange): void {
    const { socket } = this;
    const queue = exchange.queue!;
    this.context.counters.count('upgrades');
    const rest = this.active?.rest;
    if (rest !== undefined && rest.length > 0) queue.push(rest);
    socket.on('data', (part: Buffer) => {
      queue.push(part);
      if (isFull(exchange, this.context.limits)) socket.pause();
    });
    socket.on('end', () => queue.finish());
    socket.resume();
  }

  destroy(cause: AbortCause = 'client'): void {
    this.#end(cause);
    this.socket.destroy();
  }

  /** Ends this side, and waits a little for the other: a reset would take from the client what it has not read (RFC 9112 section 9.6). */
  close(): void {
    if (this.isLingering) return;
    this.isLingering = true;
    this.#isDeaf = true;
    this.#waiting = [];
    this.outgoing.uncork();
    this.socket.end();
    // Now nobody else takes what comes, if it was left to wait.
    this.socket.resume();
    this.deadlines.linger();
  }

  /** This server stops: requests that nobody has begun to handle are dropped, since they can be sent anew. A connection that has had none yet gets the one that it was opened for. */
  drain(): void {
    if (this.#requests === 0 && !this.#isDeaf) return;
    this.#isDeaf = true;
    this.#waiting = [];
    if (this.active === undefined) this.close();
  }

  #bodyEnded(exchange: Http1Exchange): void {
    if (this.active?.exchange === exchange && exchange.isEnded) this.#release();
  }

  /** Begins the next request if the one before is done, its response given away, and the client takes what it gets. */
  #next(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.active === undefined && !this.isLingering && !this.outgoing.isFull) {
      const pending = this.#waiting.shift();
      if (pending === undefined) break;
      this.active = pending;
      if (pending.message.isPaused()) pending.message.resume();
      // What follows a request for a tunnel waits until that is accepted.
      if (!this.hasWaiting && pending.response !== undefined) this.#ahead.release();
      this.deadlines.begin(pending.exchange);
      this.#handle(pending.exchange);
    }
    this.#isAdvancing = false;
    if (this.isIdle && this.#refusal !== undefined && !this.isLingering) {
      this.outgoing.write(plainAnswer(this.#refusal.status, true));
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

  onHandlerError(exchange: Http1Exchange, error: unknown): void {
    if (!(error instanceof AbortError)) {
      this.context.counters.count('failed');
      this.context.onHandlerError?.(error);
    }
    exchange.refuse(500, false);
  }

  /** The active request is over when its response has been given away and its body has come. */
  #release(): void {
    const { active } = this;
    if (active === undefined || !active.exchange.isEnded) return;
    const { exchange, response } = active;
    const isLast = exchange.isLast || exchange.protocol !== '' || this.context.isDraining;
    if (!isLast && exchange.queue !== null && !exchange.queue.isComplete) return;
    // node must not end the socket before the pieces that wait are written.
    if (!this.outgoing.isEmpty) return;
    this.active = undefined;
    this.deadlines.finish();
    if (isLast) {
      this.close();
      return;
    }
    response?.emit('finish');
    this.#next();
  }

  #endTunnel(): void {
    if (this.outgoing.isEmpty) this.socket.end();
  }

  #onSocketDrain(): void {
    const isDone = this.outgoing.drained();
    if (this.outgoing.isLost) {
      this.#bodyLost();
      return;
    }
    const { active } = this;
    if (active === undefined) {
      if (isDone) this.#next();
    } else if (!active.exchange.isEnded) {
      if (isDone) active.exchange.drained();
    } else if (active.exchange.isTunnel) this.#endTunnel();
    else this.#release();
  }

  /** What the client has got can't be finished, and must not be taken for whole. */
  #bodyLost(): void {
    this.context.counters.count('failed');
    this.context.onHandlerError?.(new TypeError('A part of a body was taken back before it was sent.'));
    this.active?.exchange.abort();
    this.destroy();
  }

  #onClose(): void {
    this.#end('client');
    this.context.onClose(this);
  }

  #end(cause: AbortCause): void {
    const { active } = this;
    this.active = undefined;
    this.#isDeaf = true;
    this.#waiting = [];
    if (active === undefined) return;
    if (!active.exchange.isEnded) this.context.counters.count('aborted');
    active.exchange.endedBy(cause);
  }
}

const causeOf = ({ status }: Refusal): AbortCause => (status === 408 || status === 504 ? 'limit' : 'protocol');
