/**
 * A heartbeat of a thread: its event loop writes the time to shared memory about once a second, and
 * the main thread reads it. A missing heartbeat reveals a blocked thread or an endless loop; an
 * idle thread still has one. With each heartbeat, the thread looks whether it should collect
 * garbage.
 */

const BEAT_MS = 1000;

/** Seconds of the monotonic clock, which all threads share; 31 bits last 68 years. */
const seconds = (): number => process.hrtime()[0];

/** Indices of the 32-bit words in shared memory: the last heartbeat, requested collections. */
const LAST = 0;
const COLLECTIONS = 1;

/** The side of the main thread. It is reused when the thread is restarted. */
export class Pulse {
  readonly shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  readonly #words = new Int32Array(this.shared);

  constructor() {
    this.begin();
  }

  /** Counts the start of a thread as a heartbeat, so that starting has the same deadline. */
  begin(): void {
    Atomics.store(this.#words, LAST, seconds());
  }

  /** Milliseconds since the last heartbeat, in whole seconds. */
  get silence(): number {
    return (seconds() - Atomics.load(this.#words, LAST)) * 1000;
  }

  /** The thread collects its garbage at its next heartbeat. */
  requestCollection(): void {
    Atomics.add(this.#words, COLLECTIONS, 1);
  }
}

/**
 * The side of the thread. The timer does not keep the thread alive. `interval`: milliseconds
 * between heartbeats.
 */
export function beat(shared: SharedArrayBuffer, collect: () => void = () => {}, interval = BEAT_MS): void {
  const words = new Int32Array(shared);
  let collections = Atomics.load(words, COLLECTIONS);
  setInterval(() => {
    Atomics.store(words, LAST, seconds());
    const requested = Atomics.load(words, COLLECTIONS);
    if (requested === collections) return;
    collections = requested;
    collect();
  }, interval).unref();
}
