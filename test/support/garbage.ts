/** Collects what nobody holds, now: for tests of what is released. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How many of these are still held by somebody. A WeakRef that was made or read in this turn of the
 * loop keeps its object until the next.
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

/** Memory of the process also grows for other reasons, but not in each of so many rounds. */
const ROUNDS = 8;

/** Throws when each of several rounds leaves so many bytes in memory, and more. */
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
