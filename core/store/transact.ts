/** Transactions of LMDB, with what its package leaves to its callers. */
import { setImmediate } from 'node:timers/promises';
import type { RootDatabase } from 'lmdb';
import { diskFull, isDiskFull } from '../base/disk-full.ts';

/**
 * Runs `work` in a transaction of its own, and resolves when it is on disk. Rejects with the error
 * of `work`, with UnavailableError `disk_full`, or with that of LMDB; then nothing has changed.
 *
 * It is a child transaction, since only its abort rolls back all writes when an error is thrown
 * midway. lmdb chains its callbacks from one transaction to the next, and such a chain retains
 * everything it references until the next full collection. `work` references whole requests, so
 * the reference is cleared.
 */
export async function transact<T>(root: RootDatabase<Buffer, Uint8Array>, work: () => T): Promise<T> {
  let held: (() => T) | undefined = work;
  try {
    const done = root.childTransaction(() => held?.()) as Promise<T>;
    // lmdb creates a promise for the batch that starts at the end of this turn, and does not handle
    // its rejection. An unhandled rejection would end the process when the disk is full.
    setImmediate().then(() => root.committed.then(undefined, () => {}));
    return await done;
  } catch (error) {
    const reason = await reasonOf(error);
    throw isDiskFull(reason) ? diskFull(naming(reason as Error, root)) : reason;
  } finally {
    held = undefined;
  }
}

/** LMDB does not say which of its files is meant. */
function naming(reason: Error, root: RootDatabase<Buffer, Uint8Array>): Error {
  const { path } = root as unknown as { readonly path: string };
  return new Error(`${path}: ${reason.message}`, { cause: reason });
}

/**
 * The reason of a failed commit arrives in the same turn through a promise of its own; if nothing
 * handled that promise, its rejection would end the process.
 */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  if (commitError === undefined) return error;
  try {
    await Promise.race([commitError, setImmediate()]);
    return error;
  } catch (reason) {
    return reason;
  }
}
