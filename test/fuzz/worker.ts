/**
 * Fuzzes one target in a thread of its own, so that an endless run, or one that takes all memory,
 * can be ended.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../support/random.ts';
import { fuzz } from './fuzzer.ts';
import { TARGETS } from './targets/index.ts';
import { HEAD_BYTES, type WorkerData } from './worker-data.ts';

const { target: name, milliseconds, seed, current } = workerData as WorkerData;
const words = new Int32Array(current, 0, 2);
const bytes = new Uint8Array(current, HEAD_BYTES);
const target = TARGETS.find((candidate) => candidate.name === name);
if (target === undefined) throw new Error(`no target ${name}`);
const result = await fuzz(target, {
  milliseconds,
  random: new Random(seed),
  onRun(input) {
    bytes.set(input.subarray(0, bytes.length));
    Atomics.store(words, 1, Math.min(input.length, bytes.length));
    Atomics.add(words, 0, 1);
  },
});
parentPort?.postMessage(result);
