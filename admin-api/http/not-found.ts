/** Retries a request that failed with 404, because another node may have created the object. */
import { UnavailableError } from '../../core/base/errors.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { statusOf } from './errors.ts';

/**
 * Returns the result of `run`. After a 404, waits for the changes of the other nodes and runs it
 * once more if there were any: the client may have seen the object on another node. The 404 stands
 * if the changes cannot be read.
 */
export async function retryNotFound<T>(
  journal: Pick<Journal, 'head' | 'latest'>,
  run: () => T | Promise<T>,
): Promise<T> {
  const headBefore = journal.head;
  try {
    return await run();
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    try {
      await journal.latest();
    } catch (cause) {
      if (!(cause instanceof UnavailableError)) throw cause;
    }
    if (journal.head === headBefore) throw error;
    return run();
  }
}
