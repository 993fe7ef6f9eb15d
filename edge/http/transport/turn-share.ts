/**
 * What a site may do in one turn of the thread's event loop (edge/fairness/thread-turns.ts). The
 * cost of 1 is that of a small request without its connection: about 3 µs.
 */
export interface TurnShare {
  /** The rest waits for the next turn, which comes soon. */
  readonly isSpent: boolean;
  spend(cost: number): void;
}

/** Bytes that cost 1 to read or write, as a power of two. */
const COST_BITS = 12;

/** A read or a write costs something however few bytes it has. */
export const costOfBytes = (bytes: number): number => 1 + (bytes >>> COST_BITS);

/** A handshake takes as long as so many small requests, or longer. */
export const HANDSHAKE_COST = 64;
