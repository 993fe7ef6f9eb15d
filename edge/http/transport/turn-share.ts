import type { Flushable } from './flusher.ts';

/**
 * What a site may do in one turn of the thread's event loop (edge/policy/fairness/thread-turns.ts).
 * The cost of 1 is that of a small request without its connection: about 3 µs.
 */
export interface TurnShare {
  /** The rest waits for the next turn, which comes soon. */
  readonly isSpent: boolean;
  spend(cost: number): void;
  /**
   * Flushes it in a later turn, before that turn reads anything: otherwise clients would be read
   * from for as long as there are any, and all of their answers kept meanwhile. To be called once
   * until then.
   */
  flushLater(output: Flushable): void;
}

/** Bytes that cost 1 to read or write, as a power of two. */
const COST_BITS = 12;

/** A read or a write costs something however few bytes it has. */
export const costOfBytes = (bytes: number): number => 1 + (bytes >>> COST_BITS);

/** A handshake takes as long as so many small requests, or longer. */
export const HANDSHAKE_COST = 64;

/**
 * Cost of a request that waits for an origin or a disk, on top of its begin: what it sends there
 * and what comes back. That takes as long as about 8; but with fewer requests in a turn each takes
 * more CPU, twice as much more with 8 as with 4 (bench/RESULTS.md).
 */
export const WAITING_COST = 4;
