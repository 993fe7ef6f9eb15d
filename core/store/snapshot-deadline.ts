/**
 * Milliseconds that a client has for any zone, in addition to a second for each RATE bytes that it
 * took.
 */
const PATIENCE = 60_000;
const RATE = 64 * 1024;

/**
 * Too slow a client is left: the state that it reads cannot be written over while it does, so that
 * the database would grow until the disk is full.
 */
export class SnapshotDeadline {
  readonly #now: () => number;
  readonly #begin: number;
  #bytes = 0;

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begin = now();
  }

  /** Whether the client, which has now taken `bytes` more, should have been further. */
  isPast(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#now() > this.#begin + PATIENCE + (this.#bytes / RATE) * 1000;
  }
}
