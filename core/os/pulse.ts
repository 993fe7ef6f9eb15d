/**
 * Whether a thread lives: each time that its event loop turns, once a second at most, it writes the
 * time in shared memory, where main reads it. So a thread that blocks, or goes round for ever, is
 * told from one that has nothing to do.
 */

const BEAT_MS = 1000;

/** Seconds of the machine's monotonic clock, which all threads share; 68 years of them. */
const seconds = (): number => process.hrtime()[0];

/** Main's side. Outlives the threads that beat in it, one after the other. */
export class Pulse {
  /** One 32-bit word. */
  readonly shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #last = new Int32Array(this.shared);

  constructor() {
    this.begin();
  }

  /** A thread is being started: it has as long for that as for anything else. */
  begin(): void {
    Atomics.store(this.#last, 0, seconds());
  }

  /** Milliseconds since the last beat, to the second. */
  get silence(): number {
    return (seconds() - Atomics.load(this.#last, 0)) * 1000;
  }
}

/** The thread's side. Does not keep it alive. `interval`: milliseconds between two beats. */
export function beat(shared: SharedArrayBuffer, interval = BEAT_MS): void {
  const last = new Int32Array(shared);
  setInterval(() => Atomics.store(last, 0, seconds()), interval).unref();
}
