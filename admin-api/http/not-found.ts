/** What is not here may only not be here yet. */
import { UnavailableError } from '../../core/base/errors.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { statusOf } from './errors.ts';

/**
 * What `run` gives. When that throws an error of status 404, and another node has written something by now that was not applied here, it is run once more when that is: the client may have
 * seen at another node what it asks for. Where nobody can say what others have written, the 404 stands.
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
