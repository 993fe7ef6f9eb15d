/**
 * Flushes the output of all connections of a thread in one turn of the event loop. Responses that
 * become ready one after the other then go out in one write. Responses made while their connection
 * is being read do not need it. A microtask instead of setImmediate costs the same (4.8 and 4.9 µs
 * per request with asynchronous handlers). It would only combine the output of one event.
 */

/** Reading or writing 2^COST_BITS bytes costs 1. */
const COST_BITS = 12;

/** A handshake takes at least as long as this many small requests. */
export const HANDSHAKE_COST = 64;

/**
 * Additional cost of a request that waits for an origin or a disk: sending to it and receiving from
 * it. That takes as long as about 8 small requests. But fewer requests in a turn cost more CPU
 * each, twice as much more with 8 as with 4 (bench/results/flood.json).
 */
export const WAITING_COST = 4;

export interface Flushable {
  /** Must not throw. */
  flushDue(): void;
}

let due: Flushable[] = [];

/** Flushes `flushable` after the events of this turn. To be called at most once before that. */
export function flushLater(flushable: Flushable): void {
  if (due.length === 0) setImmediate(flushAll);
  due.push(flushable);
}

function flushAll(): void {
  const now = due;
  due = [];
  for (const flushable of now) flushable.flushDue();
}

/**
 * A site's budget for one turn of the thread's event loop (edge/policy/fairness/thread-turns.ts). A
 * cost of 1 is that of a small request without its connection: about 3 µs.
 */
export interface TurnShare {
  /** The budget of this turn is used up. The next turn follows soon. */
  readonly isSpent: boolean;
  spend(cost: number): void;
  /**
   * Flushes `output` in a later turn, before that turn reads. Otherwise reading would continue as
   * long as clients send, and all of their responses would stay in memory. To be called at most
   * once before that.
   */
  flushLater(output: Flushable): void;
}

/** Each read or write has a base cost of 1. */
export const costOfBytes = (bytes: number): number => 1 + (bytes >>> COST_BITS);
