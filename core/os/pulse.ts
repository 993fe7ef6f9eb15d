/**
 * A heartbeat of a thread: its event loop writes the time to shared memory about once a second, and
 * the main thread reads it. A missing heartbeat reveals a blocked thread or an endless loop; an
 * idle thread still has one.
 */

const BEAT_MS = 1000;

/** Seconds of the monotonic clock, which all threads share; 31 bits last 68 years. */
const seconds = (): number => process.hrtime()[0];

/** The side of the main thread. It is reused when the thread is restarted. */
export class Pulse {
  /** One 32-bit word. */
  readonly shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #last = new Int32Array(this.shared);

  constructor() {
    this.begin();
  }

  /** Counts the start of a thread as a heartbeat, so that starting has the same deadline. */
  begin(): void {
    Atomics.store(this.#last, 0, seconds());
  }

  /** Milliseconds since the last heartbeat, in whole seconds. */
  get silence(): number {
    return (seconds() - Atomics.load(this.#last, 0)) * 1000;
  }
}

/**
 * The side of the thread. The timer does not keep the thread alive. `interval`: milliseconds
 * between heartbeats.
 */
export function beat(shared: SharedArrayBuffer, interval = BEAT_MS): void {
  const last = new Int32Array(shared);
  setInterval(() => Atomics.store(last, 0, seconds()), interval).unref();
}
