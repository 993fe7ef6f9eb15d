/**
 * What traces cost the handler of a site: CPU of a cache hit and of a request to the origin, with
 * traces off, on but not sampled, and sampled. The variants take turns, and each reports its lowest
 * round, because other work on the machine only adds.
 *
 *     node dist/bench/edge/traces.js
 */
import { openCache } from '../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../edge/cache/store/store.ts';
import { GATEWAY_COLUMNS, GatewayCounters } from '../../edge/gateway/counters.ts';
import { Observer } from '../../edge/gateway/observer.ts';
import { RequestTraces } from '../../edge/origin/traces/request-traces.ts';
import { SpanSender } from '../../edge/origin/traces/span-sender.ts';
import { createSiteProxy } from '../../edge/proxy/proxy.ts';
import { compareHandlers, type Variant } from './handler-cost.ts';
import { origin, SITE, Silent } from './silent-exchange.ts';

const MB = 1024 * 1024;
const node = await openCache({
  ...{ folder: '', disk: 0, threads: 1 },
  ...{ memory: 64 * MB, memoryObject: MB, largestObject: MB },
});
const store = openCacheStore(node.handle);

/** `ratio`: null: traces are off. */
function variantOf(name: string, ratio: number | null): Variant {
  const sender = new SpanSender({
    // As if the main thread had taken the batch at once.
    send: (_, taken) => void Atomics.add(new Int32Array(taken), 0, 1),
    onDropped() {},
  });
  const traces =
    ratio === null
      ? null
      : new RequestTraces({ ratio, hasQuery: false, trusts: null, addressOf: ({ client }) => client.address, sender });
  const counters = new GatewayCounters(new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8));
  const observer = new Observer(counters, null, () => {}, null, null, traces);
  const shared = { onDone: observer.recordProxied, traces };
  const cached = createSiteProxy({ ...shared, fetch: origin(true), cache: { store, maxBodyBytes: MB } }).serve;
  const uncached = createSiteProxy({ ...shared, fetch: origin(false) }).serve;
  const serve = (proxy: typeof cached) => () => {
    const exchange = new Silent('/one');
    observer.recordStart(exchange);
    return proxy(exchange, SITE);
  };
  return { name, hit: serve(cached), fetch: serve(uncached) };
}

await compareHandlers('traces', [
  variantOf('off', null),
  variantOf('on, ratio 0', 0),
  variantOf('on, ratio 0.01', 0.01),
  variantOf('on, ratio 1', 1),
]);
await store.close();
