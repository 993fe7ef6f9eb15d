/** What who wanted to write is told when that can't be. */
import { UnavailableError, WaypostError } from '../../errors.ts';
import { EtcdRefused, EtcdUnavailable } from '../../etcd/errors.ts';

export const noQuorum = (why: string): UnavailableError =>
  new UnavailableError(
    'no_quorum',
    `Nothing can be written just now: ${why}. What is there is served on; try again in a while.`,
  );

/** For what an append came to. */
export function refusalFor(error: unknown): Error {
  if (error instanceof EtcdRefused)
    return new UnavailableError('log_refused', `etcd takes no entries: ${error.message}. Tell the operator.`);
  if (error instanceof EtcdUnavailable)
    return noQuorum(
      error.mayHappen
        ? 'etcd did not answer in time, so the change may have been written or not'
        : 'too few members of etcd can be reached',
    );
  return error instanceof Error ? error : new WaypostError('internal', String(error));
}
