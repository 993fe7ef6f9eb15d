/**
 * Decides which proxies in front of the edge are trusted to describe their clients. The operator
 * lists them.
 */
import { contains, parseAddress, parsePrefix, unmapped } from './prefix.ts';

/** Cached results, because visitors return. */
const MAX_CACHED = 4096;

/**
 * Returns a function that tests whether an address, in canonical form, is within one of these
 * prefixes.
 */
export function trustOf(prefixes: readonly string[]): (address: string) => boolean {
  if (prefixes.length === 0) return () => false;
  const parsed = prefixes.map((text) => unmapped(parsePrefix(text)));
  const results = new Map<string, boolean>();
  return (text) => {
    const cached = results.get(text);
    if (cached !== undefined) return cached;
    const address = parseAddress(text);
    const isTrusted = address !== undefined && parsed.some((prefix) => contains(prefix, address));
    if (results.size >= MAX_CACHED) results.clear();
    results.set(text, isTrusted);
    return isTrusted;
  };
}
