/** For watch.test.ts: milliseconds. The work takes three times as long as the test may wait. */
export const IDLE_MS = 3_000;
export const WORK_MS = 3 * IDLE_MS;
