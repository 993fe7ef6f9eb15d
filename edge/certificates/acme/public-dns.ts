/** What the public DNS says of a name before a certificate is ordered for it. */
import { Resolver } from 'node:dns/promises';
import type { CaaRecord } from './caa.ts';

export interface PublicDns {
  /**
   * Host names of the nameservers that a name is delegated to, lower case, without the last dot;
   * none: there is no such zone. Rejects when that cannot be known.
   */
  nameservers(name: string): Promise<readonly string[]>;
  /**
   * The CAA RRset at exactly this name, or where a CNAME of it leads. Rejects when that cannot be
   * known.
   */
  caa(name: string): Promise<readonly CaaRecord[]>;
}

const TIMEOUT_MS = 3000;
const TRIES = 2;
const NOTHING: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** `resolvers`: as node:dns takes them; none: those of the system. */
export function publicDns(resolvers: readonly string[]): PublicDns {
  // One for each question, as c-ares keeps to servers that it found once.
  const open = (): Resolver => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (resolvers.length > 0) resolver.setServers(resolvers);
    return resolver;
  };
  return {
    async nameservers(name) {
      const found = await orNothing(open().resolveNs(name));
      return found.map((host) => host.toLowerCase().replace(/\.$/, ''));
    },
    async caa(name) {
      const found = await orNothing(open().resolveCaa(name));
      return found.map(readCaa);
    },
  };
}

async function orNothing<T>(question: Promise<T[]>): Promise<T[]> {
  try {
    return await question;
  } catch (error) {
    if (NOTHING.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Node gives the flags as `critical` and the value under the name of its tag. */
function readCaa(record: object): CaaRecord {
  const { critical, type: _, ...tagged } = record as Record<string, unknown>;
  const [[tag, value] = ['', '']] = Object.entries(tagged);
  return { critical: (Number(critical) & 0x80) !== 0, tag: tag.toLowerCase(), value: String(value) };
}
