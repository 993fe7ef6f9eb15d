/**
 * For tests with short times whose both ends are in this process: one has some milliseconds to
 * answer the other, which it cannot when nobody lets the process run. Timers that have become due
 * meanwhile are then served before the sockets.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const TRIES = 10;

/**
 * `work`, done again if it failed while the event loop stood still for `most` milliseconds or more,
 * 10 times at most. What fails on a machine that lets it run fails at once.
 */
export function unstalled<T extends unknown[]>(
  most: number,
  work: (...context: T) => Promise<void>,
): (...context: T) => Promise<void> {
  return async (...context) => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    for (let left = TRIES; ; left--) {
      delay.reset();
      delay.enable();
      try {
        return await work(...context);
      } catch (error) {
        // What served the timer that failed is over before the delay is taken down.
        await new Promise((done) => setTimeout(done, 2));
        if (left === 1 || delay.max / 1e6 < most) throw error;
      } finally {
        delay.disable();
      }
    }
  };
}
