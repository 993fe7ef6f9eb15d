/**
 * The seed of all generated tests of this process: WAYPOST_SEED, or one by chance. A test prints it
 * with what it found.
 */
export const SEED = Number(process.env.WAYPOST_SEED ?? Math.floor(Math.random() * 0x7fffffff));
