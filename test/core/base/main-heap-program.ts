/**
 * Started with a large heap. Prints how often the young generation of a thread with a limit of 6 MB
 * is collected while it allocates ALLOCATED_MB. With the argument `as-main` the thread gets what
 * V8 makes of the main thread's flags.
 */
import { Worker } from 'node:worker_threads';
import { setThreadHeapFlags } from '../../../core/base/main-heap.ts';
import { ALLOCATED_MB } from './main-heap-work.ts';

/** Keeps the last of its arrays of 8 KB, so that no compiler leaves out the others. */
const WORK = `
  const { GCProfiler } = require('node:v8');
  const profiler = new GCProfiler();
  profiler.start();
  const last = [];
  for (let i = 0; i < ${ALLOCATED_MB} * 128; i++) last[i % 16] = new Array(1024).fill(i);
  const collections = profiler.stop().statistics.filter(({ gcType }) => gcType === 'Scavenge').length;
  require('node:worker_threads').parentPort.postMessage(collections);
`;

if (process.argv[2] !== 'as-main') setThreadHeapFlags();
const worker = new Worker(WORK, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 6 } });
worker.on('message', (collections: number) => process.stdout.write(`${collections}\n`));
