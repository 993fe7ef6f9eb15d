/**
 * Selects the entry for a request: the longest match, first by name, then by path. Names are
 * relative to the domain, in lower case.
 */
import { EVERY_NAME } from './limits.ts';

interface Matched {
  readonly name?: string | null;
  readonly path?: string | null;
  readonly label?: string | null;
}

/**
 * The entries for a name in order of precedence: exact names, then the longest wildcard, then every
 * name; within each, the longest path first.
 */
export function entriesFor<E extends Matched>(entries: readonly E[], name: string): E[] {
  return entries
    .filter((entry) => !servesRulesOnly(entry) && matchesName(nameOf(entry), name))
    .sort((a, b) => rankOf(nameOf(b)) - rankOf(nameOf(a)) || pathOf(b).length - pathOf(a).length);
}

/** Whether only rules send requests to an entry. */
export const servesRulesOnly = ({ name, path, label }: Matched): boolean =>
  label != null && name == null && path == null;

export const nameOf = ({ name }: Matched): string => (name ?? EVERY_NAME).toLowerCase();
export const pathOf = ({ path }: Matched): string => path ?? '/';

function matchesName(pattern: string, name: string): boolean {
  if (pattern === EVERY_NAME || pattern === name) return true;
  return pattern.startsWith('*.') && name.endsWith(pattern.slice(1));
}

/** The rank of a name: exact names before wildcards, longer wildcards before shorter. */
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
