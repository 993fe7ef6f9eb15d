import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withOldSpace } from '../../../core/os/old-space.ts';

/** As an edge thread under load: much that stays, and some that survives a few collections. */
const WORK = `
  const { PerformanceObserver, constants } = require('node:perf_hooks');
  const { parentPort } = require('node:worker_threads');
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  }).observe({ entryTypes: ['gc'] });
  const stays = Array.from({ length: 250_000 }, (_, i) => ({ i, and: [i] }));
  const survives = new Array(4000);
  let at = 0;
  const work = (turns) => {
    for (let i = 0; i < 20_000; i++) survives[at++ % survives.length] = { i, and: [i, i, i, i], text: 'x' + i };
    if (turns > 0) setImmediate(work, turns - 1);
    // Entries come in a later turn.
    else setTimeout(() => parentPort.postMessage({ collections, kept: stays.length }), 50);
  };
  work(600);
`;

const create = (): Worker => new Worker(WORK, { eval: true });

async function collections(worker: Worker): Promise<number> {
  const [{ collections }] = await once(worker, 'message');
  await worker.terminate();
  return collections;
}

test('the old generation of such a thread is not collected; that of a thread after it is, as V8 decides', async () => {
  const withMore = [withOldSpace(128, create), withOldSpace(128, create)];
  assert.equal(await Promise.all(withMore.map(collections)), [0, 0]);
  assert.ok((await collections(create())) > 0);
});

test('a worker that cannot be made leaves nothing behind', async () => {
  const fail = (): Worker => {
    throw new RangeError('no thread');
  };
  assert.throws(() => withOldSpace(128, fail), 'no thread');
  assert.ok((await collections(create())) > 0);
});

test.run();
