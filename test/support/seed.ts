/**
 * The seed of all generated tests of this process: WAYPOST_SEED or a random number. Tests print it
 * with a failure.
 */
export const SEED = Number(process.env.WAYPOST_SEED ?? Math.floor(Math.random() * 0x7fffffff));
