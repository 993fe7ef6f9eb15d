/**
 * How long a connection may stay as it is: looked at now and then by the server, so that no request
 * has a timer, nor a look at the clock, of its own.
 */

import { performance } from 'node:perf_hooks';
import type { AbortCause, Client } from '../exchange/exchange.ts';
import type { Http1Counters, Http1Reason } from './counters.ts';
import type { Http1Exchange } from './exchange.ts';
import type { Http1Limits } from './limits.ts';
import { type Outgoing, PIECE } from './outgoing.ts';
import type { Refusal } from './refusal.ts';

/** The connection, as its deadlines see it. */
interface TimedConnection {
  readonly limits: Http1Limits;
  readonly context: { readonly counters: Http1Counters };
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
  /** Since when it is as it is, and what that is: a state, and how many requests had begun then. */
  #since = performance.now();
  #state: 'waits' | 'head' | 'works' | 'lingers' = 'head';
  #requests = 0;
  /** All bytes of the connection, both ways, when last looked at. */
  #bytes = -1;
  /**
   * Begin of the window over which a body's rate is taken, what had come by then, and of which
   * exchange.
   */
  #windowFrom = 0;
  #windowBytes = 0;
  #windowOf: Http1Exchange | undefined;
  /**
   * Since when the same write is pending; how many were done, what had left and what of it was
   * not acknowledged by then.
   */
  #writeFrom = 0;
  #pieces = -1;
  #sent = 0;
  #unacknowledged = 0;

  constructor(connection: TimedConnection) {
    this.#connection = connection;
  }

  /** `now`: of `performance`, milliseconds. */
  check(now: number): void {
    const connection = this.#connection;
    const { limits } = connection;
    if (this.#isStalled(now, limits.writeTimeout)) {
      this.#end('slow_reader');
      return;
    }
    if (connection.isLingering) {
      this.#enters('lingers', now);
      if (now - this.#since > limits.lingerTimeout && !connection.outgoing.isPending) connection.destroy();
    } else if (connection.active === undefined) this.#checkIdle(now);
    else {
      this.#enters('works', now);
      if (connection.active.isTunnel) {
        if (this.#isSilent(now, limits.tunnelIdleTimeout)) this.#end('idle_tunnel');
      } else if (this.#isSilent(now, limits.streamIdleTimeout)) connection.endIdle();
      else this.#checkBody(connection.active, now);
    }
  }

  /** Time counts from when it is first seen so. */
  #enters(state: 'waits' | 'head' | 'works' | 'lingers', now: number): void {
    const { requests } = this.#connection;
    if (state === this.#state && requests === this.#requests) return;
    this.#state = state;
    this.#requests = requests;
    this.#since = now;
  }

  /** The first head is waited for from the beginning. */
  #checkIdle(now: number): void {
    const connection = this.#connection;
    const {
      limits,
      context: { counters },
    } = connection;
    const { isInHead } = connection;
    this.#enters(isInHead || connection.requests === 0 ? 'head' : 'waits', now);
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
   * Only while the handler waits for it, or only its end is waited for: else it is not the client
   * who is slow, and one that has been refused by a response in flight may stop sending.
   */
  #checkBody(exchange: Http1Exchange, now: number): void {
    const {
      limits,
      context: { counters },
    } = this.#connection;
    const { queue } = exchange;
    if (queue === null || queue.isComplete) return;
    const isSame = exchange === this.#windowOf;
    this.#windowOf = exchange;
    if (!isSame || (!queue.isWaiting && !exchange.isEnded)) {
      this.#windowFrom = now;
      this.#windowBytes = queue.received;
      return;
    }
    const elapsed = now - this.#windowFrom;
    if (elapsed < limits.bodyTimeout) return;
    const isSlow = queue.received - this.#windowBytes < (limits.bodyRate * elapsed) / 1_000;
    this.#windowFrom = now;
    this.#windowBytes = queue.received;
    if (!isSlow) return;
    if (exchange.isEnded) {
      counters.ended('slow_body', this.#connection.client);
      this.#connection.close();
    } else this.#connection.refuse({ status: 408, reason: 'slow_body' });
  }

  /**
   * Nothing has gone either way for longer than `most`, and nothing waits for the client to take
   * it: that has a limit of its own.
   */
  #isSilent(now: number, most: number): boolean {
    const { received, outgoing } = this.#connection;
    const bytes = received + outgoing.sent;
    if (bytes !== this.#bytes || outgoing.isPending) {
      this.#bytes = bytes;
      this.#since = now;
    }
    return now - this.#since > most;
  }

  /**
   * A piece is in flight for longer than `most`, and not as much as a piece was taken meanwhile:
   * where the system's buffers are large, they free their room in lumps.
   */
  #isStalled(now: number, most: number): boolean {
    const { outgoing } = this.#connection;
    const isNews = !outgoing.isPending || outgoing.pieces !== this.#pieces;
    if (!isNews && now - this.#writeFrom <= most) return false;
    const { sent, unacknowledged } = outgoing;
    const taken = sent - this.#sent + this.#unacknowledged - unacknowledged;
    this.#writeFrom = now;
    this.#pieces = outgoing.pieces;
    this.#sent = sent;
    this.#unacknowledged = unacknowledged;
    return !isNews && taken < PIECE;
  }

  #end(reason: Http1Reason): void {
    this.#connection.context.counters.ended(reason, this.#connection.client);
    this.#connection.destroy('limit');
  }
}
