/** Creates the handler of sites from the configuration: origins, cache, compression. */
import type { Config } from '../../core/config/index.ts';
import type { DescriptorLoop } from '../../core/os/descriptor-loop.ts';
import type { CacheHandle, CacheStats } from '../cache/store/cache-store.ts';
import { openCacheStore } from '../cache/store/store.ts';
import { BodyCompressor } from '../compress/body.ts';
import { WholeCompressor } from '../compress/whole.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import { createProxy, type Proxy as ServeSite } from '../proxy/proxy.ts';
import type { OnDone } from '../proxy/record.ts';
import type { RuleTools } from '../rules/run-rules.ts';
import type { Site } from '../sites/site.ts';
import type { RequestTraces } from '../traces/request-traces.ts';
import { openOrigins } from './origins.ts';

export interface Responses {
  readonly serve: ServeSite;
  stats(): CacheStats;
  close(): Promise<void>;
}

/** Parts of the thread that the handler needs. */
export interface ResponsesContext {
  /** Addresses of this service, which no origin may have. */
  readonly ownAddresses: readonly string[];
  /** Whether an address belongs to a trusted proxy in front of the edge. */
  readonly trusts: (address: string) => boolean;
  /** The loop of the thread. Null: sockets to origins are Node's. */
  readonly loop: DescriptorLoop | null;
  /** Null: traces are off. */
  readonly traces: RequestTraces | null;
  readonly rules: RuleTools;
  /** For rules that challenge visitors (edge/challenge/challenge.ts). */
  readonly challenge: (exchange: Exchange, site: Site) => boolean;
}

/** Throws the system's error if a file cannot be read. */
export function openResponses(
  edge: Config['edge'],
  cache: CacheHandle,
  { ownAddresses, trusts, loop, rules, challenge, traces }: ResponsesContext,
  onDone: OnDone,
): Responses {
  const origins = openOrigins(edge, ownAddresses, loop);
  const store = openCacheStore(cache);
  const minBytes = edge.compressMinBytes;
  const whole = edge.compress ? new WholeCompressor(edge.compressCachedMaxBytes) : undefined;
  const serve = createProxy({
    fetch: origins.fetch,
    send: origins.send,
    name: edge.name,
    trusts,
    compression: edge.compress ? { bodies: new BodyCompressor(edge.compressConcurrency), minBytes } : undefined,
    cache: {
      store,
      maxBodyBytes: cache.largestObject,
      minCompressBytes: edge.compress ? minBytes : undefined,
      whole,
      mayForceRevalidation: edge.cacheMayInsist,
      collapseTimeout: edge.cacheWait,
    },
    rules,
    challenge,
    onDone,
    traces,
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
