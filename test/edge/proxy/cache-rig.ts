/**
 * A proxy with a cache in memory or also on disk, an origin that the test answers, and a clock that
 * the test sets.
 */

import type { CachePurge, CacheStore, PurgedResponse } from '../../../edge/cache/store/cache-store.ts';
import { openCache } from '../../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../../edge/cache/store/store.ts';
import { type PrefetchResult, prefetchExchange } from '../../../edge/proxy/prefetch.ts';
import { createSiteProxy, type ProxyOptions } from '../../../edge/proxy/proxy.ts';
import type { ExchangeRecord } from '../../../edge/proxy/record.ts';
import type { ServeSite, Site } from '../../../edge/sites/site.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { FakeExchange, type FakeRequest } from './fake-exchange.ts';
import { FakeOrigin, type PendingRequest } from './fake-origin.ts';

export const BEGIN = Date.UTC(2026, 2, 1, 12, 0, 0);

export const SITE: Site = {
  domainId: 'd1',
  domain: 'example.com',
  origin: { host: '203.0.113.9', port: 8080, protocol: 'http' },
  hasCertificate: true,
  hsts: '',
  documents: null,
};

export interface CacheRig {
  readonly proxy: ServeSite;
  readonly origin: FakeOrigin;
  readonly store: CacheStore;
  readonly records: ExchangeRecord[];
  /** What purges with `prefetch` have removed. */
  readonly purged: PurgedResponse[];
  purge(purge: CachePurge): Promise<void>;
  /** Fetches a response for no visitor. */
  prefetch(response: PurgedResponse, mayFetch?: (key: string) => boolean): Promise<PrefetchResult>;
  /** Milliseconds since 1970. */
  now: number;
  /** Resolves when the exchange has been handled. */
  visit(request?: FakeRequest): Promise<FakeExchange>;
  /** Returns the exchange immediately, with the promise of its handler. */
  begin(request?: FakeRequest): { readonly exchange: FakeExchange; readonly handled: Promise<void> };
  close(): Promise<void>;
}

export interface CacheRigOptions extends Partial<Pick<ProxyOptions, 'compression' | 'trusts' | 'rules' | 'challenge'>> {
  readonly site?: Site;
  readonly onRequest?: (pending: PendingRequest) => void;
  readonly cache?: Partial<NonNullable<ProxyOptions['cache']>>;
  /** The size of a disk; undefined: there is none. */
  readonly disk?: number;
  /** Larger bodies are stored on disk only. */
  readonly memoryObject?: number;
}

export async function cacheRig(options: CacheRigOptions = {}): Promise<CacheRig> {
  const memory = 16 * 1024 * 1024;
  const { disk = 0, memoryObject = 1024 * 1024 } = options;
  const folder = disk === 0 ? '' : temporaryFolder('cache-rig');
  const node = await openCache({
    ...{ folder, disk, memory, memoryObject },
    threads: 1,
    largestObject: 1024 * 1024,
  });
  const purged: PurgedResponse[] = [];
  const store = openCacheStore(node.handle, (_purge, _sequence, responses) => void purged.push(...responses));
  const records: ExchangeRecord[] = [];
  const clock = (): number => rig.now;
  const origin = new FakeOrigin(options.onRequest, clock);
  const { serve: proxy, prefetch } = createSiteProxy({
    fetch: origin.fetch,
    compression: options.compression,
    trusts: options.trusts,
    rules: options.rules,
    challenge: options.challenge,
    cache: { store, maxBodyBytes: 1024 * 1024, clock, ...options.cache },
    onDone: (record) => records.push(record),
  });
  const rig: CacheRig = {
    ...{ proxy, origin, store, records, purged },
    purge: (purge) => node.purge(purge),
    prefetch: (response, mayFetch = () => true) =>
      prefetch!({ exchange: prefetchExchange(response)!, site: options.site ?? SITE, mayFetch }),
    now: BEGIN,
    begin: (request) => {
      const exchange = new FakeExchange({ authority: 'www.example.com', ...request });
      return { exchange, handled: Promise.resolve(proxy(exchange, options.site ?? SITE)) };
    },
    visit: async (request) => {
      const { exchange, handled } = rig.begin(request);
      await handled;
      return exchange;
    },
    close: async () => {
      await store.close();
    },
  };
  return rig;
}
