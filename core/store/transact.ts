/** LMDB transactions, with the error handling that the lmdb package leaves to its callers. */
import { setImmediate } from 'node:timers/promises';
import type { RootDatabase } from 'lmdb';
import { diskFull, isDiskFull } from '../base/disk-full.ts';

/**
 * Runs `work` in a transaction, and resolves when it is on disk. Rejects with the error of `work`,
 * with UnavailableError `disk_full`, or with the error of LMDB; then nothing has changed.
 *
 * This is a child transaction, because only its abort rolls back all writes when `work` throws
 * midway. lmdb chains the callbacks of transactions, and the chain retains everything it references
 * until the next full collection. `work` references whole requests, so the reference is cleared.
 */
export async function transact<T>(root: RootDatabase<Buffer, Uint8Array>, work: () => T): Promise<T> {
  let pendingWork: (() => T) | undefined = work;
  try {
    const done = root.childTransaction(() => pendingWork?.()) as Promise<T>;
    // lmdb creates a promise for the batch that starts at the end of this turn, and does not handle
    // its rejection. An unhandled rejection would end the process when the disk is full.
    setImmediate().then(() => root.committed.then(undefined, () => {}));
    return await done;
  } catch (error) {
    const reason = await reasonOf(error);
    throw isDiskFull(reason) ? diskFull(withPath(reason as Error, root)) : reason;
  } finally {
    pendingWork = undefined;
  }
}

/** Adds the path to the message, since errors of LMDB do not name the file. */
function withPath(reason: Error, root: RootDatabase<Buffer, Uint8Array>): Error {
  const { path } = root as unknown as { readonly path: string };
  return new Error(`${path}: ${reason.message}`, { cause: reason });
}

/**
 * Returns the reason of a failed commit. It arrives in the same turn through another promise, whose
 * unhandled rejection would end the process.
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
