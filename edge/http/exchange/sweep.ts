/** Looks at what has a time-out: for many connections one timer. */

/**
 * Calls `look` every so many milliseconds, when what is in the sockets by then has been read: a
 * thread that got no turn for long would otherwise hold its own silence against its clients. It
 * keeps no thread alive.
 */
export function sweepEvery(milliseconds: number, look: () => void): NodeJS.Timeout {
  // Between the timers of the loop's turn and its immediates is its poll.
  return setInterval(setImmediate, milliseconds, look).unref();
}
