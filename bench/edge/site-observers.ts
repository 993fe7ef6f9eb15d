/**
 * What the statistics and the request logs of a site cost its handler.
 *
 *     node dist/bench/edge/site-observers.js
 */
import { DEFAULT_FIELDS, type LogPlan } from '../../core/site/logs/document.ts';
import { openCache } from '../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../edge/cache/store/store.ts';
import { GATEWAY_COLUMNS, GatewayCounters } from '../../edge/gateway/counters.ts';
import { LogLines } from '../../edge/gateway/log-lines.ts';
import { Observer } from '../../edge/gateway/observer.ts';
import { SiteCounts } from '../../edge/gateway/site-counts.ts';
import { createSiteProxy } from '../../edge/proxy/proxy.ts';
import type { Site } from '../../edge/sites/site.ts';
import { compareHandlers, type Variant } from './handler-cost.ts';
import { origin, SITE, Silent } from './silent-exchange.ts';

const MB = 1024 * 1024;

const node = await openCache({
  ...{ folder: '', disk: 0, threads: 1 },
  ...{ memory: 64 * MB, memoryObject: MB, largestObject: MB },
});
const store = openCacheStore(node.handle);
/** As if the main thread had processed the message at once. */
const processed = (memory: SharedArrayBuffer): void => void Atomics.add(new Int32Array(memory), 0, 1);

/** `sample`: null: the site has no logs. */
function variantOf(name: string, hasStatistics: boolean, sample: number | null): Variant {
  const counters = new GatewayCounters(new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8));
  const counts = hasStatistics ? new SiteCounts({ send: (_, added) => processed(added), onLost() {} }) : null;
  const lines = new LogLines({
    nodeName: 'a',
    addressOf: ({ client }) => client.address,
    send: (_, memory) => processed(memory),
    onDropped() {},
  });
  const observer = new Observer(counters, null, () => {}, null, counts, null, lines);
  const logs: LogPlan | null = sample === null ? null : { sample, fields: DEFAULT_FIELDS, clientAddress: 'full' };
  const site = { ...SITE, domainId: '1', documents: logs === null ? null : { ...NO_DOCUMENTS, logs } } as Site;
  const shared = { onDone: observer.recordProxied };
  const cached = createSiteProxy({ ...shared, fetch: origin(true), cache: { store, maxBodyBytes: MB } }).serve;
  const uncached = createSiteProxy({ ...shared, fetch: origin(false) }).serve;
  const serve = (proxy: typeof cached) => () => {
    const exchange = new Silent('/one');
    observer.recordStart(exchange);
    observer.recordSite(exchange, site);
    return proxy(exchange, site);
  };
  return { name, hit: serve(cached), fetch: serve(uncached) };
}

const NO_DOCUMENTS = { key: '', errorPages: null, pools: null, protection: null, rules: null };

await compareHandlers('statistics and logs', [
  variantOf('none', false, null),
  variantOf('statistics', true, null),
  variantOf('statistics, 1 % of the requests logged', true, 0.01),
  variantOf('statistics, all requests logged', true, 1),
]);
await store.close();
