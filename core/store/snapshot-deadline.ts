/** Milliseconds that every client has for a zone, in addition to one second for each RATE bytes. */
const BASE_TIME = 60_000;
const RATE = 64 * 1024;

/**
 * The deadline of a client that reads a snapshot of a zone. LMDB cannot reuse pages of a snapshot
 * in use, so a slow client would let the database grow until the disk is full.
 */
export class SnapshotDeadline {
  readonly #now: () => number;
  readonly #startTime: number;
  #bytes = 0;

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#startTime = now();
  }

  /** Whether the client, which has received `bytes` more, has missed its deadline. */
  isPast(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#now() > this.#startTime + BASE_TIME + (this.#bytes / RATE) * 1000;
  }
}
