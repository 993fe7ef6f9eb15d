/** A thread of node-flights.test.ts: claims URLs, and reports those that another one had, too. */
import { parentPort, workerData } from 'node:worker_threads';
import { NodeFlights } from '../../../../edge/cache/store/node-flights.ts';

interface Work {
  readonly flights: SharedArrayBuffer;
  /** Number of threads that have a URL now, by URL. */
  readonly shared: SharedArrayBuffer;
  readonly seeds: readonly [number, number];
  /** Claims all, and never releases them. */
  readonly dies: boolean;
}

const URLS = 8;
const { flights: memory, shared, seeds, dies } = workerData as Work;
const holders = new Int32Array(shared);
const threadFlights = new NodeFlights({ memory, seeds, lease: 600_000 });
// Nothing else keeps the thread alive while it waits.
setInterval(() => {}, 1000);
let faults = 0;
let owned = 0;
let waited = 0;
if (dies) {
  for (let url = 0; url < URLS; url++) {
    const claim = threadFlights.claim('d', String(url));
    claim?.watch(() => {});
  }
  parentPort?.postMessage('claimed');
} else {
  for (let i = 0; i < 300; i++) {
    const url = i % URLS;
    const claim = threadFlights.claim('d', String(url));
    if (claim?.isOwn) {
      owned++;
      if (Atomics.add(holders, url, 1) !== 0) faults++;
      claim.watch(() => {});
      await new Promise((resolve) => setImmediate(resolve));
      Atomics.sub(holders, url, 1);
      claim.release('failed');
    } else {
      waited++;
      if ((await claim?.wait(600_000)) === 'timeout') faults++;
    }
  }
  parentPort?.postMessage({ faults, owned, waited });
  process.exit();
}
