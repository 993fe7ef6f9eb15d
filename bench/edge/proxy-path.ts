/**
 * What the handler of a site costs by itself: exchanges without a connection, an origin that
 * answers at once. µs a request by the clock, which on one busy thread is that of CPU, and bytes of
 * heap that each leaves behind.
 *
 *     node --expose-gc dist/bench/edge/proxy-path.js
 */
import { openCache } from '../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../edge/cache/store/store.ts';
import { createSiteProxy } from '../../edge/proxy/proxy.ts';
import { origin, SITE, Silent } from './silent-exchange.ts';

const MB = 1024 * 1024;

type Handle = (path: string) => void | Promise<void>;

async function measured(name: string, count: number, path: (i: number) => string, handle: Handle): Promise<void> {
  const round = async (): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const handled = handle(path(i));
      if (handled !== undefined) await handled;
    }
  };
  await round();
  await round();
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const begin = process.hrtime.bigint();
    await round();
    best = Math.min(best, Number(process.hrtime.bigint() - begin) / 1000 / count);
  }
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 1000; i++) await handle(path(i));
  const data = globalThis.gc === undefined ? Number.NaN : (process.memoryUsage().heapUsed - before) / 1000;
  console.log(`${name.padEnd(44)} ${best.toFixed(2).padStart(7)} µs ${data.toFixed(0).padStart(8)} bytes`);
}

const node = await openCache({
  ...{ folder: '', disk: 0, threads: 1 },
  ...{ memory: 64 * MB, memoryObject: MB, largestObject: MB },
});
const store = openCacheStore(node.handle);
const cached = createSiteProxy({ fetch: origin(true), cache: { store, maxBodyBytes: MB } }).serve;
const forbidden = createSiteProxy({ fetch: origin(false), cache: { store, maxBodyBytes: MB } }).serve;
const uncached = createSiteProxy({ fetch: origin(false) }).serve;
const samePath = (): string => '/one';
const of =
  (count: number) =>
  (i: number): string =>
    `/${i % count}`;

const run = (handle: typeof cached) => (path: string) => handle(new Silent(path), SITE);
await measured('hit of one object', 200_000, samePath, run(cached));
await measured('hits of 1,000 objects', 200_000, of(1000), run(cached));
await measured('hits of 20,000 objects', 100_000, of(20_000), run(cached));
await measured('proxied, no cache', 50_000, samePath, run(uncached));
await measured('proxied, not to be kept', 50_000, samePath, run(forbidden));
await store.close();
