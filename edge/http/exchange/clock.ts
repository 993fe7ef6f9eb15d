/** The date of responses, and the interval of timeout checks, of a thread. */
/**
 * Formatted once a second per thread. There is no timer: reading the clock costs less than a wake-
 * up in every idle second. The `date` of responses (RFC 9110 section 6.6.1), formatted once a
 * second per thread. There is no timer: reading the clock costs less than a wake-up in every idle
 * second.
 */
let second = -1;
let text = '';
let bytes: Uint8Array = new Uint8Array(0);

function refresh(): void {
  const now = Math.floor(Date.now() / 1000);
  if (now === second) return;
  second = now;
  text = new Date(now * 1000).toUTCString();
  bytes = Buffer.from(text, 'latin1');
}

/**
 * IMF-fixdate (RFC 9110 section 5.6.7), always 29 characters. Returns the same string object within
 * a second.
 */
export function currentDate(): string {
  refresh();
  return text;
}

/**
 * The same in ASCII, 29 bytes. Each second has a new array, so callers may keep it. They must not
 * write to it.
 */
export function currentDateBytes(): Uint8Array {
  refresh();
  return bytes;
}

/**
 * Periodic timeout checks: one timer for many connections. Calls `look` at an interval, after
 * pending input of the sockets has been read. A thread that was blocked would otherwise time out
 * its clients for its own delay. Does not keep the thread alive.
 */
export function sweepEvery(milliseconds: number, look: () => void): NodeJS.Timeout {
  // The event loop polls between its timers and its immediates.
  return setInterval(setImmediate, milliseconds, look).unref();
}
