/** Limits of a rules document. */

export const MAX_RULES = 200;
/** Members of one list. */
export const MAX_LIST = 500;
/** Addresses and networks of one rule. */
export const MAX_NETWORKS = 2000;
/** Characters of one pattern, name or value. */
export const MAX_TEXT = 1000;
export const MAX_USERS = 20;
/** Headers that one rule copies from a decision or from claims. */
export const MAX_IDENTITY_HEADERS = 20;
/** Characters of the body of a fixed response. */
export const MAX_FIXED_BODY = 16_384;
/** Budget of steps to compile all patterns of a document: about 50 ms. */
export const BUILD_STEPS = 3_000_000;
/** Maximum bytes of all automata of a document. */
export const MAX_AUTOMATON_BYTES = 2 * 1024 * 1024;
/** Longest path in characters that a regular expression captures from. */
export const MAX_CAPTURED = 1024;
