/**
 * Milliseconds after which a test counts as hung. Much longer than needed on a slow, busy machine:
 * no test may depend on the speed of the machine.
 */
export const PATIENCE_MS = 180_000 * Number(process.env.WAYPOST_TEST_SLOWDOWN ?? 1);
