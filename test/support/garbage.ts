/** Forces garbage collection, for tests of released memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Number of objects that are still referenced. A WeakRef created or read in this turn of the event
 * loop keeps its object alive until the next turn.
 */
export async function stillHeld(refs: readonly WeakRef<object>[]): Promise<number> {
  await new Promise((done) => setImmediate(done));
  collectGarbage();
  return refs.filter((blob) => blob.deref() !== undefined).length;
}

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** Process memory also grows for other reasons, but not in each of so many rounds. */
const ROUNDS = 8;

/** Throws if each of several rounds leaves at least `bytes` in memory. */
export function assertLeavesLess(bytes: number, round: () => void): void {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS && least >= bytes; i++) {
    collectGarbage();
    const before = process.memoryUsage.rss();
    round();
    collectGarbage();
    least = Math.min(least, process.memoryUsage.rss() - before);
  }
  if (least >= bytes) throw new Error(`each round leaves ${least} bytes and more`);
}
