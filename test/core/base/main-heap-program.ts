/**
 * Started with a large heap. Prints the megabytes to which the heap of a thread with a limit of 6
 * grows.
 */
import { Worker } from 'node:worker_threads';
import { setThreadHeapFlags } from '../../../core/base/main-heap.ts';

/**
 * Keeps much of its data alive when the young generation is full, so that the heap grows to its
 * limit.
 */
const WORK = `
  const { getHeapSpaceStatistics } = require('node:v8');
  let most = 0;
  for (let round = 0; round < 60; round++) {
    const kept = [];
    for (let i = 0; i < 60000; i++) kept.push({ i, and: [i] });
    most = Math.max(most, getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
  }
  require('node:worker_threads').parentPort.postMessage(most);
`;

setThreadHeapFlags();
const worker = new Worker(WORK, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 6 } });
worker.on('message', (bytes: number) => process.stdout.write(`${bytes / 2 ** 20}\n`));
