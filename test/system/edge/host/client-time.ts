/**
 * The time of the host's thread, which passes only while the test runs too: on a busy machine the
 * server would otherwise end clients for a silence that is the scheduler's.
 */

/** Milliseconds between two signs of life of the test. */
export const BEAT_MS = 25;
/** At most so many milliseconds pass between two of them. */
const LONGEST_BEAT_MS = 2 * BEAT_MS;

/** Milliseconds so far: written by the host's main thread, read by the thread of its server. */
export type ClientTime = Int32Array<SharedArrayBuffer>;

export const clientTime = (): ClientTime => new Int32Array(new SharedArrayBuffer(4));

/** Returns what is to be called for each sign of life. */
export function passOnBeats(time: ClientTime): () => void {
  let last = performance.now();
  let passed = 0;
  return () => {
    const now = performance.now();
    passed += Math.min(now - last, LONGEST_BEAT_MS);
    last = now;
    Atomics.store(time, 0, passed);
  };
}

/** From now on `performance.now()` of this thread tells that time. */
export function useClientTime(time: ClientTime): void {
  const begin = performance.now();
  performance.now = () => begin + Atomics.load(time, 0);
}
