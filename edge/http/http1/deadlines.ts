/**
 * Timeouts of a connection. The server checks all connections at intervals, so a request needs no
 * timer and no clock read of its own.
 */

import { performance } from 'node:perf_hooks';
import { BodyPace, type Pressure } from '../exchange/body-pace.ts';
import type { AbortCause, Client } from '../exchange/exchange.ts';
import type { Http1Counters, Http1Reason, Refusal } from './counters.ts';
import type { Http1Exchange } from './exchange.ts';
import type { Http1Limits } from './limits.ts';
import { type Outgoing, PIECE } from './outgoing.ts';

interface TimedConnection extends Pressure {
  readonly limits: Http1Limits;
  readonly context: { readonly counters: Http1Counters; readonly isDraining: boolean };
  readonly client: Client;
  readonly outgoing: Outgoing;
  /** Bytes. */
  readonly received: number;
  /** Requests so far. */
  readonly requests: number;
  readonly active: Http1Exchange | undefined;
  readonly isLingering: boolean;
  readonly isInHead: boolean;
  refuse(refusal: Refusal): void;
  endIdle(): void;
  close(): void;
  destroy(cause?: AbortCause): void;
}

export class Deadlines {
  readonly #connection: TimedConnection;
  /** Start of the current state, the state, and the number of requests at its start. */
  #since = performance.now();
  #state: 'waits' | 'head' | 'works' | 'lingers' = 'head';
  #requests = 0;
  /** Bytes received and sent at the last check. */
  #bytes = -1;
  /** Of the body of `#paceOf`; null until a body is awaited at a check. */
  #pace: BodyPace | null = null;
  #paceOf: Http1Exchange | undefined;
  /**
   * Start of the window for detecting a stalled write. Then the number of completed writes, the
   * bytes sent and the bytes not acknowledged at that time.
   */
  #writeFrom = 0;
  #pieces = -1;
  #sent = 0;
  #unacknowledged = 0;

  #lingersFrom = 0;

  constructor(connection: TimedConnection) {
    this.#connection = connection;
  }

  /** `now`: milliseconds of performance.now(). */
  check(now: number): void {
    const connection = this.#connection;
    const { limits } = connection;
    if (this.#isStalled(now, limits.writeTimeout)) {
      this.#end('slow_reader');
      return;
    }
    if (connection.isLingering) {
      if (this.#state !== 'lingers') this.#lingersFrom = now;
      this.#enterState('lingers', now);
      if (this.#hasLingered(now)) connection.destroy();
    } else if (connection.active === undefined) this.#checkIdle(now);
    else {
      this.#enterState('works', now);
      if (connection.active.isTunnel) {
        if (this.#isSilent(now, limits.tunnelIdleTimeout)) this.#end('idle_tunnel');
      } else if (this.#isSilent(now, idleTimeoutOf(connection.active, limits))) connection.endIdle();
      else this.#checkBody(connection.active, now);
    }
  }

  /** The client sends nothing more, or has sent for too long. Shorter while the server drains. */
  #hasLingered(now: number): boolean {
    const { limits, outgoing, context } = this.#connection;
    const { lingerTimeout, lingerDuration } = limits;
    if (outgoing.isPending) this.#lingersFrom = now;
    const duration = context.isDraining ? lingerTimeout : lingerDuration;
    return this.#isSilent(now, lingerTimeout) || now - this.#lingersFrom > duration;
  }

  /** Time in a state counts from the check that first sees it. */
  #enterState(state: 'waits' | 'head' | 'works' | 'lingers', now: number): void {
    const { requests } = this.#connection;
    if (state === this.#state && requests === this.#requests) return;
    this.#state = state;
    this.#requests = requests;
    this.#since = now;
  }

  /** The timeout of the first head starts with the connection. */
  #checkIdle(now: number): void {
    const connection = this.#connection;
    const {
      limits,
      context: { counters },
    } = connection;
    const { isInHead } = connection;
    this.#enterState(isInHead || connection.requests === 0 ? 'head' : 'waits', now);
    if (connection.outgoing.isPending) this.#since = now;
    if (now - this.#since <= (this.#state === 'head' ? limits.headerTimeout : limits.idleTimeout)) return;
    if (isInHead) {
      connection.refuse({ status: 408, reason: 'slow_head' });
      return;
    }
    counters.ended('idle', connection.client);
    connection.close();
  }

  /**
   * The rate counts only while the handler waits for data, or only the end of the body is awaited.
   * Otherwise the client is not the slow side. A client whose request is rejected during the upload
   * may stop sending.
   */
  #checkBody(exchange: Http1Exchange, now: number): void {
    const {
      limits,
      context: { counters },
    } = this.#connection;
    const { queue } = exchange;
    if (queue === null || queue.isComplete) return;
    const isSame = exchange === this.#paceOf;
    this.#paceOf = exchange;
    this.#pace ??= new BodyPace(now, queue.received);
    if (!isSame || (!queue.isWaiting && !exchange.isEnded)) {
      this.#pace.restart(now, queue.received);
      return;
    }
    if (!this.#pace.isTooSlow(now, queue.received, limits, this.#connection)) return;
    if (exchange.isEnded) {
      counters.ended('slow_body', this.#connection.client);
      this.#connection.close();
    } else this.#connection.refuse({ status: 408, reason: 'slow_body' });
  }

  /**
   * Whether no byte was sent or received for longer than `timeout`. Pending output does not count:
   * writes have their own timeout.
   */
  #isSilent(now: number, timeout: number): boolean {
    const { received, outgoing } = this.#connection;
    const bytes = received + outgoing.sent;
    if (bytes !== this.#bytes || outgoing.isPending) {
      this.#bytes = bytes;
      this.#since = now;
    }
    return now - this.#since > timeout;
  }

  /**
   * Whether a write is in flight for longer than `timeout`, and the client took less than a piece
   * meanwhile. Large system buffers report progress in steps, so acknowledged bytes count too.
   */
  #isStalled(now: number, timeout: number): boolean {
    const { outgoing } = this.#connection;
    const hasProgress = !outgoing.isPending || outgoing.pieces !== this.#pieces;
    if (!hasProgress && now - this.#writeFrom <= timeout) return false;
    const { sent, unacknowledged } = outgoing;
    const takenBytes = sent - this.#sent + this.#unacknowledged - unacknowledged;
    this.#writeFrom = now;
    this.#pieces = outgoing.pieces;
    this.#sent = sent;
    this.#unacknowledged = unacknowledged;
    return !hasProgress && takenBytes < PIECE;
  }

  #end(reason: Http1Reason): void {
    this.#connection.context.counters.ended(reason, this.#connection.client);
    this.#connection.destroy('limit');
  }
}

const idleTimeoutOf = ({ isConversation }: Http1Exchange, limits: Http1Limits): number =>
  isConversation ? limits.tunnelIdleTimeout : limits.streamIdleTimeout;
