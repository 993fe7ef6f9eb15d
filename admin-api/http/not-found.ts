/** Retries a 404 that another node's change may have made outdated. */
import { UnavailableError } from '../../core/base/errors.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { statusOf } from './errors.ts';

/**
 * The result of `run`. After a 404, waits for the changes of other nodes and runs it once more if there
 * were any: the client may have seen the object on another node. Without access to them, the 404 stands.
 */
export async function judged<T>(journal: Pick<Journal, 'head' | 'latest'>, run: () => T | Promise<T>): Promise<T> {
  const at = journal.head;
  try {
    return await run();
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    try {
      await journal.latest();
    } catch (cause) {
      if (!(cause instanceof UnavailableError)) throw cause;
    }
    if (journal.head === at) throw error;
    return run();
  }
}
