/**
 * A thread of threads.test.ts: puts, looks up, removes; reports responses that it must not find.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { CacheHandle } from '../../../../edge/cache/store/cache-store.ts';
import { openCacheStore } from '../../../../edge/cache/store/store.ts';
import { bytesOf, DOMAIN, filler, response } from './support.ts';

interface Work {
  readonly handle: CacheHandle;
  readonly thread: number;
  readonly rounds: number;
  /**
   * After the last purge that has returned, no response with a smaller mark is left. The tags of a
   * response contain the mark of its request.
   */
  readonly purged: SharedArrayBuffer;
}

const { handle, thread, rounds, purged } = workerData as Work;
const generation = new BigInt64Array(purged);
const store = openCacheStore(handle);
const faults: string[] = [];
let hits = 0;

/** The body depends on the URL and the number. */
const bodyFor = (key: number, n: number): Buffer => filler(((key * 131 + n * 17) % 40_000) + 8, key * 1000 + n);

async function look(key: number): Promise<void> {
  const before = Atomics.load(generation, 0);
  const [first] = await store.lookup(DOMAIN, `https://a.test/${key}`);
  if (first === undefined) return;
  hits++;
  const [, since, n] = first.response.tags;
  if (BigInt(since) < before) faults.push(`purged: ${since} before ${before}`);
  const bytes = await bytesOf(first.response.body);
  if (!bytes?.equals(bodyFor(key, Number(n)))) faults.push(`another body at ${key}`);
}

let x = thread * 7919 + 1;
for (let i = 0; i < rounds; i++) {
  x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  const key = (x >>> 8) % 200;
  if (i % 3 === 0) {
    const mark = store.mark();
    store.put(response(`https://a.test/${key}`, bodyFor(key, i), { tags: ['all', String(mark), String(i)] }), mark);
  } else if (i % 97 === 0) store.remove(DOMAIN, `https://a.test/${key}`);
  await look((x >>> 4) % 200);
  if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
}
const stats = store.stats();
await store.close();
parentPort?.postMessage({ faults, hits, stats });
