/**
 * Decides which proxies in front of the edge are trusted to describe their clients. The operator
 * lists them.
 */
import { RecentMap } from '../../base/recent-map.ts';
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
  const results = new RecentMap<boolean>(MAX_CACHED);
  const test = (text: string): boolean => {
    const address = parseAddress(text);
    return address !== undefined && parsed.some((prefix) => contains(prefix, address));
  };
  return (text) => results.of(text, () => test(text));
}
