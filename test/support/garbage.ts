/** Collects what nobody holds, now: for tests that say what is let go of. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How many of these are still held by somebody. A WeakRef that was made or read in this turn of the loop keeps its object until the next. */
export async function stillHeld(refs: readonly WeakRef<object>[]): Promise<number> {
  await new Promise((done) => setImmediate(done));
  collectGarbage();
  return refs.filter((one) => one.deref() !== undefined).length;
}

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
