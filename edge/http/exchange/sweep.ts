/** Periodic timeout checks: one timer for many connections. */

/**
 * Calls `look` at an interval, after pending input of the sockets has been read. A thread that was
 * blocked would otherwise time out its clients for its own delay. Does not keep the thread alive.
 */
export function sweepEvery(milliseconds: number, look: () => void): NodeJS.Timeout {
  // The event loop polls between its timers and its immediates.
  return setInterval(setImmediate, milliseconds, look).unref();
}
