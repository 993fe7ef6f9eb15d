/**
 * The columns of counts, as numbers: the group in the low three bits, above them a code such as a
 * DNS type or an HTTP status.
 */

export const GROUP = { type: 0, rcode: 1, status: 2, cache: 3, bytes: 4 } as const;

/** Codes of the group `cache`, by their position. */
export const CACHE_RESULTS = ['none', 'bypass', 'miss', 'hit', 'revalidated', 'stale'] as const;
type CacheResult = (typeof CACHE_RESULTS)[number];

/** Codes of the group `bytes`: all bytes of response bodies, and those from the cache. */
const BYTES = { sent: 0, cached: 1 } as const;

/** Higher types share one column, so that a domain has few columns. */
const MAX_TYPE = 257;
/** The code of all higher types. */
export const OTHER_TYPE = 258;
/** Codes above 23 (BADCOOKIE) are not assigned. */
const MAX_RCODE = 23;
export const OTHER_RCODE = 24;

const GROUPS = 8;

const columnOf = (group: number, code: number): number => code * GROUPS + group;
export const groupOf = (column: number): number => column % GROUPS;
export const codeOf = (column: number): number => Math.floor(column / GROUPS);

export const typeColumn = (type: number): number => columnOf(GROUP.type, type > MAX_TYPE ? OTHER_TYPE : type);
export const rcodeColumn = (rcode: number): number => columnOf(GROUP.rcode, rcode > MAX_RCODE ? OTHER_RCODE : rcode);
export const statusColumn = (status: number): number => columnOf(GROUP.status, status);
export const cacheColumn = (result: CacheResult): number => columnOf(GROUP.cache, CACHE_RESULTS.indexOf(result));
export const SENT_BYTES = columnOf(GROUP.bytes, BYTES.sent);
export const CACHED_BYTES = columnOf(GROUP.bytes, BYTES.cached);
