/**
 * For tests with short timeouts and both peers in this process. If the process is not scheduled for
 * a while, timers expire before sockets are served.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const TRIES = 10;

/**
 * Retries `work`, up to 10 times in all, if it failed while the event loop was blocked for `most`
 * milliseconds or more. Fails at once otherwise.
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
        // Lets the current turn of the event loop end, so that the delay is recorded.
        await new Promise((done) => setTimeout(done, 2));
        if (left === 1 || delay.max / 1e6 < most) throw error;
      } finally {
        delay.disable();
      }
    }
  };
}
