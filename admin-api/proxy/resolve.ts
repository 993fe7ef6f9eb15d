/**
 * The addresses of a host name, from the resolvers of this machine (resolv.conf). Only by DNS queries (c-ares), never by `dns.lookup`: that one reads the hosts file
 * and mDNS, where a name may mean this machine or its network, blocks a thread of libuv's pool, and cannot be cut short. CNAMEs are followed by the resolver.
 */
import { Resolver } from 'node:dns/promises';
import { type Bounds, bounded, DEFAULT_BOUNDS, type Resolve } from './bounded.ts';

/** Milliseconds for the first try of a query; c-ares waits longer at each further one. */
const TRY_MS = 800;
const TRIES = 2;
/** Milliseconds until what has not been answered is given up: below the bound of the whole check, so that addresses of one family still count. */
const FAMILY_MS = 2_500;

/** Codes of node:dns that say: the name exists, but not with this type. */
const NO_DATA = 'ENODATA';

/**
 * Resolutions through the given servers (`address` or `address:port`), or the system's. Rejects only if neither family gave an address: with the error of the A query,
 * unless that says no more than "no such type". When one family fails and the other has addresses, these are the answer: servers that time out on AAAA are
 * common, and whoever connects judges the address once more.
 */
export function dnsResolve(servers?: readonly string[], bounds: Bounds = DEFAULT_BOUNDS): Resolve {
  return bounded(async (name, signal) => {
    // One each: `cancel` ends all queries of a resolver.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    const timer = setTimeout(cancel, FAMILY_MS);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
      if (addresses.length > 0) return addresses;
      const errors = families.flatMap((family) => (family.status === 'rejected' ? [family.reason as unknown] : []));
      const telling = errors.find((error) => codeOf(error) !== NO_DATA);
      if (telling !== undefined) throw telling;
      return [];
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }, bounds);
}

/** `ENOTFOUND` and such; undefined for errors without a code. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
