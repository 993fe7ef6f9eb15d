/** Queries the public DNS about a name before a certificate is ordered for it. */
import { Resolver } from 'node:dns/promises';
import { currentOf, type Resolvers } from '../../../core/net/resolver/resolver.ts';
import type { CaaRecord } from './caa.ts';

export interface PublicDns {
  /**
   * Host names of the nameservers that the name is delegated to, in lower case, without the last
   * dot. Empty: no such zone. Rejects when the query fails.
   */
  nameservers(name: string): Promise<readonly string[]>;
  /**
   * The CAA RRset at exactly this name, or at the target of its CNAME. Rejects when the query
   * fails.
   */
  caa(name: string): Promise<readonly CaaRecord[]>;
  /** The IPv4 and IPv6 addresses of a host. Rejects when both queries fail. */
  addresses(host: string): Promise<readonly string[]>;
}

const TIMEOUT_MS = 3000;
const TRIES = 2;
const NOTHING: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** `resolvers`: in the form of node:dns; empty: the resolvers of the system. */
export function publicDns(resolvers: Resolvers): PublicDns {
  // One resolver per query: c-ares keeps preferring a server that responded once.
  const open = (): Resolver => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    const servers = currentOf(resolvers);
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  };
  return {
    async nameservers(name) {
      const found = await orEmpty(open().resolveNs(name));
      return found.map((host) => host.toLowerCase().replace(/\.$/, ''));
    },
    async caa(name) {
      const found = await orEmpty(open().resolveCaa(name));
      return found.map(readCaa);
    },
    async addresses(host) {
      const resolver = open();
      const found = await Promise.allSettled([orEmpty(resolver.resolve4(host)), orEmpty(resolver.resolve6(host))]);
      const [four, six] = found;
      if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
      return found.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    },
  };
}

async function orEmpty<T>(question: Promise<T[]>): Promise<T[]> {
  try {
    return await question;
  } catch (error) {
    if (NOTHING.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Node returns the flags as `critical`, and the value under the name of its tag. */
function readCaa(record: object): CaaRecord {
  const { critical, type: _, ...tagged } = record as Record<string, unknown>;
  const [[tag, value] = ['', '']] = Object.entries(tagged);
  return { critical: (Number(critical) & 0x80) !== 0, tag: tag.toLowerCase(), value: String(value) };
}
