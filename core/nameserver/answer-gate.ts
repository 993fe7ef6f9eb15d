/**
 * Every response passes through this gate: rate limit, counters, statistics, query log,
 * dnstap. A part that is not configured costs one branch. Hot: allocates nothing.
 */

import type { Client } from '../net/address/client.ts';
import type { SampleWriter } from '../observe/statistics/sample-ring.ts';
import type { Query } from '../zone/answer/query.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';
import type { TapWriter } from './dnstap/ring.ts';
import type { QueryLogWriter } from './query-log.ts';
import { type RateLimiter, VERDICT } from './rate-limit.ts';
import { classOf, RESPONSE_CLASS, truncate } from './rate-limit-class.ts';

export class AnswerGate {
  readonly #counters: ThreadCounters;
  readonly #limiter: RateLimiter | null;
  readonly #log: QueryLogWriter | null;
  readonly #sampler: SampleWriter | null;
  readonly #tap: TapWriter | null;

  /**
   * `limiter` is for UDP threads only; null: no rate limit. `log`: null: no query log. `sampler`:
   * null: no statistics. `tap`: null: no dnstap.
   */
  constructor(
    counters: ThreadCounters,
    limiter: RateLimiter | null,
    log: QueryLogWriter | null,
    sampler: SampleWriter | null = null,
    tap: TapWriter | null = null,
  ) {
    this.#counters = counters;
    this.#limiter = limiter;
    this.#log = log;
    this.#sampler = sampler;
    this.#tap = tap;
  }

  /** Sets the time of a UDP packet or a batch. `milliseconds`: from `performance.now()`. */
  startBatch(milliseconds: number): void {
    this.#limiter?.startBatch(milliseconds);
  }

  /** Receives a query at bytes[start], before its response takes its place. */
  receive(bytes: Uint8Array, start: number, length: number, client: Client): void {
    if (this.#tap !== null) this.#tap.query(bytes, start, length, client);
  }

  /**
   * Passes the response to `query` at bytes[start, start + length). Returns the number of bytes to
   * send: fewer if the response was truncated, 0 if it was dropped. `family`: 0 for IPv4, 1 for
   * IPv6.
   */
  pass(bytes: Uint8Array, start: number, length: number, query: Query, client: Client, family: number): number {
    const counters = this.#counters;
    let sentLength = length;
    if (this.#limiter !== null) {
      const verdict = this.#limiter.judge(bytes, start, query, client);
      if (verdict === VERDICT.DROP) {
        counters.count(COLUMN.rateLimited);
        sentLength = 0;
      } else if (verdict === VERDICT.SLIP) {
        counters.count(COLUMN.rateSlipped);
        // An error response has no records to truncate, and TCP would not help the client. It is
        // sent unchanged.
        if (classOf(bytes, start, query) !== RESPONSE_CLASS.ERROR) sentLength = truncate(bytes, start, length, query);
      }
    }
    this.record(bytes, start, sentLength, query, client, family);
    return sentLength;
  }

  /** Counts and logs a response without applying the rate limit. `length` 0: it is not sent. */
  record(bytes: Uint8Array, start: number, length: number, query: Query, client: Client, family: number): void {
    if (length > 0) {
      this.#counters.countResponse(bytes, start, query, family);
      if (this.#sampler !== null) this.#sampler.offer(bytes, start, query);
    }
    if (this.#log !== null) this.#log.offer(bytes, start, length, query, client);
    if (this.#tap !== null) this.#tap.response(bytes, start, length, client);
  }
}
