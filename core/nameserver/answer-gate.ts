/**
 * What every response passes on its way out: the limit of its rate, the counters, the query log. What is not configured costs one branch. Hot: allocates nothing.
 */
import type { Client } from '../address/client.ts';
import type { Query } from '../answer/query.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';
import type { QueryLogWriter } from './query-log.ts';
import { type RateLimiter, VERDICT } from './rate-limit.ts';
import { classOf, RESPONSE_CLASS, truncate } from './rate-limit-class.ts';

export class AnswerGate {
  readonly #counters: ThreadCounters;
  readonly #limiter: RateLimiter | null;
  readonly #log: QueryLogWriter | null;

  /** `limiter`: of a UDP thread; null: nothing is limited. `log`: null: nothing is logged. */
  constructor(counters: ThreadCounters, limiter: RateLimiter | null, log: QueryLogWriter | null) {
    this.#counters = counters;
    this.#limiter = limiter;
    this.#log = log;
  }

  /** Before a UDP packet or a batch of them: what `performance.now()` says. */
  begin(milliseconds: number): void {
    this.#limiter?.begin(milliseconds);
  }

  /**
   * The response at bytes[start, start + length) to `query`. Returns its length when it is to be sent, which may be less than it was, or 0.
   * `family`: 0 for IPv4, 1 for IPv6.
   */
  pass(bytes: Uint8Array, start: number, length: number, query: Query, client: Client, family: number): number {
    const counters = this.#counters;
    let left = length;
    if (this.#limiter !== null) {
      const verdict = this.#limiter.judge(bytes, start, query, client);
      if (verdict === VERDICT.DROP) {
        counters.count(COLUMN.rateLimited);
        left = 0;
      } else if (verdict === VERDICT.SLIP) {
        counters.count(COLUMN.rateSlipped);
        // An error has nothing that could be cut, and says by itself that TCP would not help: it leaves as it is.
        if (classOf(bytes, start, query) !== RESPONSE_CLASS.ERROR) left = truncate(bytes, start, length, query);
      }
    }
    this.note(bytes, start, left, query, client, family);
    return left;
  }

  /** Counts and logs a response that no limit of rates holds; `length` 0: it is not sent. */
  note(bytes: Uint8Array, start: number, length: number, query: Query, client: Client, family: number): void {
    if (length > 0) this.#counters.answered(bytes, start, query, family);
    if (this.#log !== null) this.#log.offer(bytes, start, length, query, client);
  }
}
