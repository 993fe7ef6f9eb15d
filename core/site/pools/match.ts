/**
 * Which entry serves a request: the longest match wins, the name before the path. Names are
 * relative to the domain, in lower case.
 */
import { EVERY_NAME } from './document.ts';

interface Matched {
  readonly name?: string | null;
  readonly path?: string | null;
  readonly label?: string | null;
}

/**
 * The entries for a name, in the order in which their paths are tried: an exact name, the longest
 * wildcard, every name; then the longest path.
 */
export function entriesFor<E extends Matched>(entries: readonly E[], name: string): E[] {
  return entries
    .filter((entry) => !servesRulesOnly(entry) && matchesName(nameOf(entry), name))
    .sort((a, b) => rankOf(nameOf(b)) - rankOf(nameOf(a)) || pathOf(b).length - pathOf(a).length);
}

/** An entry that only rules send requests to. */
export const servesRulesOnly = ({ name, path, label }: Matched): boolean =>
  label != null && name == null && path == null;

export const nameOf = ({ name }: Matched): string => (name ?? EVERY_NAME).toLowerCase();
export const pathOf = ({ path }: Matched): string => path ?? '/';

function matchesName(pattern: string, name: string): boolean {
  if (pattern === EVERY_NAME || pattern === name) return true;
  return pattern.startsWith('*.') && name.endsWith(pattern.slice(1));
}

/** An exact name before each wildcard, and a longer wildcard before a shorter one. */
function rankOf(pattern: string): number {
  if (pattern === EVERY_NAME) return 0;
  return pattern.startsWith('*.') ? pattern.length : Number.MAX_SAFE_INTEGER;
}

/**
 * Whether a path with its query begins with the segments of a prefix: `/api` matches `/api`,
 * `/api/x` and `/api?x`, but not `/apix`. The path is compared as the visitor sent it.
 */
export function matchesPath(prefix: string, path: string): boolean {
  if (prefix === '/') return true;
  if (!path.startsWith(prefix)) return false;
  if (path.length === prefix.length || prefix.endsWith('/')) return true;
  const next = path.charCodeAt(prefix.length);
  return next === SLASH || next === QUESTION_MARK;
}

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
