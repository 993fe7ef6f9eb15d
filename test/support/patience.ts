/**
 * Milliseconds after which what a test waits for counts as hung. Far more than it takes on a slow
 * and busy machine: no test may depend on how fast the machine is.
 */
export const PATIENCE_MS = 180_000 * Number(process.env.WAYPOST_TEST_SLOWDOWN ?? 1);
