/** The handler of sites as it is configured: origins behind a cache, compressed on the way to visitors. */
import type { Config } from '../../core/config/index.ts';
import type { DescriptorLoop } from '../../core/os/descriptor-loop.ts';
import type { CacheHandle, CacheStats } from '../cache/store/cache-store.ts';
import { openCacheStore } from '../cache/store/store.ts';
import { BodyCompressor } from '../compress/body.ts';
import { WholeCompressor } from '../compress/whole.ts';
import { createProxy, type Proxy as ServeSite } from '../proxy/proxy.ts';
import type { OnDone } from '../proxy/record.ts';
import { openOrigins } from './origins.ts';

export interface Responses {
  readonly serve: ServeSite;
  stats(): CacheStats;
  close(): Promise<void>;
}

/** Where they are given. */
export interface Surroundings {
  /** Addresses of this service that no origin may have. */
  readonly own: readonly string[];
  /** Whether an address is that of a proxy in front. */
  readonly trusts: (address: string) => boolean;
  /** Of the thread; null: sockets to origins are node's. */
  readonly loop: DescriptorLoop | null;
}

/** Throws the system's error for a file that cannot be read. */
export function openResponses(
  edge: Config['edge'],
  cache: CacheHandle,
  { own, trusts, loop }: Surroundings,
  onDone: OnDone,
): Responses {
  const origins = openOrigins(edge, own, loop);
  const store = openCacheStore(cache);
  const least = edge.compressMinBytes;
  const whole = edge.compress ? new WholeCompressor(edge.compressCachedMaxBytes) : undefined;
  const serve = createProxy({
    fetch: origins.fetch,
    name: edge.name,
    trusts,
    compression: edge.compress ? { bodies: new BodyCompressor(edge.compressConcurrency), least } : undefined,
    cache: {
      store,
      maxBodyBytes: cache.largestObject,
      minCompressBytes: edge.compress ? least : undefined,
      whole,
      mayForceRevalidation: edge.cacheMayInsist,
      collapseTimeout: edge.cacheWait,
    },
    onDone,
  });
  return {
    serve,
    stats: () => store.stats(),
    async close() {
      await origins.close();
      await whole?.close();
      await store.close();
    },
  };
}
