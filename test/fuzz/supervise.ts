/**
 * Runs the fuzzer of a target in a thread, and ends it when an input takes too long or too much
 * memory.
 */
import { Worker } from 'node:worker_threads';
import { saveInput } from './corpus.ts';
import type { FuzzResult } from './fuzzer.ts';
import { HEAD_BYTES, type WorkerData } from './worker-data.ts';

/** Milliseconds after which a run counts as endless, on a busy machine as well. */
const ENDLESS = 30_000;
const LOOK = 1000;
const MEMORY_MB = 512;
const LONGEST_INPUT = 1 << 20;

export function fuzzTarget(target: string, milliseconds: number, seed: number): Promise<FuzzResult> {
  const current = new SharedArrayBuffer(HEAD_BYTES + LONGEST_INPUT);
  const data: WorkerData = { target, milliseconds, seed, current };
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const words = new Int32Array(current, 0, 2);
  const saveCurrent = (error: string): FuzzResult => {
    const input = new Uint8Array(current, HEAD_BYTES, Atomics.load(words, 1)).slice();
    return { runs: Atomics.load(words, 0), added: 0, fault: { input: saveInput(target, input, 'fault-'), error } };
  };
  return new Promise((resolve) => {
    let last = 0;
    let since = performance.now();
    const timer = setInterval(() => {
      const run = Atomics.load(words, 0);
      if (run !== last) since = performance.now();
      last = run;
      if (run === 0 || performance.now() - since < ENDLESS) return;
      end(saveCurrent(`a run has not ended after ${ENDLESS / 1000} seconds`));
    }, LOOK);
    const end = (result: FuzzResult): void => {
      clearInterval(timer);
      resolve(result);
      void worker.terminate();
    };
    worker.once('message', end);
    worker.once('error', (error) => end(saveCurrent(String(error.stack))));
  });
}
