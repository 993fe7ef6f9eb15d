/**
 * `node dist/bench/edge/cold-misses.js`: CPU of a request for what no cache has, by the handler of
 * a site with a disk cache and an origin that answers at once: with claims for the other threads of
 * the node (edge/cache/store/node-flights.ts), and without; by one thread, and by two at the same
 * moment. Variants take turns. The disk's writes are included.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCache } from '../../edge/cache/store/node-cache.ts';
import { NodeFlights } from '../../edge/cache/store/node-flights.ts';
import { openCacheStore } from '../../edge/cache/store/store.ts';
import { createSiteProxy } from '../../edge/proxy/proxy.ts';
import { table } from '../dns/report.ts';
import { median } from '../dns/rounds.ts';
import { describeMachine } from '../machine.ts';
import { origin, SITE, Silent } from './silent-exchange.ts';

const MB = 1024 * 1024;
const ROUNDS = 20;
/** Requests of a round. */
const REQUESTS = 5000;
/** Requests after which the disk's queue is waited for: it has room for 32 MB. */
const AT_ONCE = 500;
const WAIT_MS = 5000;

const folder = mkdtempSync(join(tmpdir(), 'cold-misses-'));
const answered = origin(true);
let fetches = 0;

/** The threads of a node of their own. */
async function openThreads(name: string, isClaiming: boolean, count: number) {
  const node = await openCache({
    ...{ folder: join(folder, name), disk: 256 * MB, threads: 2 },
    ...{ memory: 64 * MB, memoryObject: MB, largestObject: MB },
  });
  const { flights: memory, seeds } = node.handle;
  if (memory === null) throw new Error('no flights for a node with two threads');
  const threads = Array.from({ length: count }, () => {
    const store = openCacheStore(node.handle);
    const claims = isClaiming ? { nodeFlights: new NodeFlights({ memory, seeds, lease: WAIT_MS }) } : {};
    const handle = createSiteProxy({
      fetch(request) {
        fetches++;
        return answered(request);
      },
      cache: { store, maxBodyBytes: MB, collapseTimeout: WAIT_MS, ...claims },
    }).serve;
    return { store, visit: (path: string) => handle(new Silent(path), SITE) };
  });
  return { name, threads, cpu: [] as number[], fetches: 0 };
}

const variants = [
  await openThreads('one thread, without claims', false, 1),
  await openThreads('one thread, with claims', true, 1),
  await openThreads('two threads at once, without claims', false, 2),
  await openThreads('two threads at once, with claims', true, 2),
];

let next = 0;
// The first round warms up.
for (let round = 0; round <= ROUNDS; round++)
  for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
    const { threads } = variant;
    const fetchesBefore = fetches;
    const start = process.cpuUsage();
    for (let i = 1; i <= REQUESTS; i++) {
      const path = `/${next++}`;
      await Promise.all(threads.map(({ visit }) => visit(path)));
      if (i % AT_ONCE === 0) for (const { store } of threads) await store.flush();
    }
    const { user, system } = process.cpuUsage(start);
    if (round === 0) continue;
    variant.cpu.push((user + system) / REQUESTS);
    variant.fetches += fetches - fetchesBefore;
  }

const rows = variants.map(({ name, cpu, fetches: made }) => [
  name,
  median(cpu).toFixed(1),
  Math.min(...cpu).toFixed(1),
  (made / ROUNDS / REQUESTS).toFixed(2),
]);
process.stdout.write(`
${describeMachine()}
- ${ROUNDS} rounds of ${REQUESTS.toLocaleString('en')} URLs, medians

${table(['a cold miss', 'CPU µs of a URL', 'lowest', 'requests to the origin'], rows, 1)}
`);
for (const { threads } of variants) for (const { store } of threads) await store.close();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
