/**
 * Drops most of the old generation of a worker thread, has it collected, and prints megabytes
 * of it: before, and after.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { isMainThread, Worker } from 'node:worker_threads';
import { collection } from '../../../core/os/thread-upkeep.ts';

/** Milliseconds. */
const PATIENCE = 20_000;
const megabytes = (): number =>
  (getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0) / 2 ** 20;

async function collectInThread(): Promise<void> {
  const collect = collection();
  if (collect === null) throw new Error('V8 has no symbol for it');
  let kept: object[] = [];
  for (let i = 0; i < 300_000; i++) kept.push({ i, and: [i] });
  kept = kept.filter((_, i) => i % 10 === 0);
  const before = megabytes();
  collect();
  const deadline = Date.now() + PATIENCE;
  while (Date.now() < deadline && megabytes() > before / 2) await sleep(20);
  process.stdout.write(JSON.stringify({ before, after: megabytes(), kept: kept.length }));
}

if (isMainThread) new Worker(new URL(import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: 2 } });
else await collectInThread();
