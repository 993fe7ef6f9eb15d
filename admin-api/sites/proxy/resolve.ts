/**
 * Resolves host names with DNS queries (c-ares) to the resolvers of this machine (resolv.conf). Not
 * with `dns.lookup`, which uses the hosts file and mDNS, where a name may mean this machine or its
 * network. It also blocks a thread of libuv's pool, and cannot be cancelled. The resolver follows
 * CNAMEs.
 */
import { Resolver } from 'node:dns/promises';
import { currentOf, type Resolvers } from '../../../core/net/resolver/resolver.ts';
import { type Bounds, DEFAULT_BOUNDS, limitConcurrency, type ResolveFor } from './bounded.ts';

/** Milliseconds for the first attempt of a query; c-ares waits longer for each further one. */
const TRY_MS = 800;
const TRIES = 2;
/**
 * Milliseconds for the queries: below the limit of the whole check, so that the addresses of one
 * family can be used.
 */
const FAMILY_MS = 2_500;

/** The code of node:dns for a name that exists without records of this type. */
const NO_DATA = 'ENODATA';

/**
 * Resolves with the given servers (`address` or `address:port`), or with those of the system. If
 * one family fails, the result is the addresses of the other: servers that time out for AAAA are
 * common, and the edge checks the address again when it connects. If neither family has an address,
 * rejects with the error of the A query, unless that is only NO_DATA.
 */
export function dnsResolve(resolvers: Resolvers = [], bounds: Bounds = DEFAULT_BOUNDS): ResolveFor {
  return limitConcurrency(async (name, signal) => {
    // A resolver for each name, because `cancel` ends all queries of a resolver.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    // Node rejects an empty list.
    const servers = currentOf(resolvers);
    if (servers.length > 0) resolver.setServers(servers);
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

/** The code of an error, such as `ENOTFOUND`; undefined without a code. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
