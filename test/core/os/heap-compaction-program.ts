/**
 * Leaves holes in the old generation, has it compacted, and prints the megabytes of its pages that
 * nothing uses: before, and after.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { compaction, unusedBytes } from '../../../core/os/heap-compaction.ts';

/** Milliseconds. */
const PATIENCE = 20_000;
const megabytes = (): number => unusedBytes() / 2 ** 20;

const compact = compaction();
if (compact === null) throw new Error('V8 has no symbol for it');
let kept: object[] = [];
for (let i = 0; i < 300_000; i++) kept.push({ i, and: [i] });
kept = kept.filter((_, i) => i % 10 === 0);
// The first collection finds the holes, the next ones close them.
let most = 0;
const deadline = Date.now() + PATIENCE;
while (Date.now() < deadline && (most < 4 || megabytes() > most / 2)) {
  compact();
  await sleep(100);
  most = Math.max(most, megabytes());
}
process.stdout.write(JSON.stringify({ most, now: megabytes(), kept: kept.length }));
