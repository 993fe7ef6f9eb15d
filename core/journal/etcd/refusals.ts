/** What who wanted to write is told when that can't be, and the operator when a node and the log do not belong together. */
import { UnavailableError, WaypostError } from '../../base/errors.ts';
import { EtcdFull, EtcdRefused, EtcdUnavailable } from '../../etcd/errors.ts';

export const noQuorum = (why: string): UnavailableError =>
  new UnavailableError(
    'no_quorum',
    `Nothing can be written just now: ${why}. What is there is served on; try again in a while.`,
  );

export const busy = (): UnavailableError =>
  new UnavailableError('busy', 'Other nodes were sooner again and again; nothing was written. Try again in a while.');

export const wentBack = (own: number, last: number): string =>
  `this node is at entry ${own}, and the log in etcd ends at ${last}: etcd has lost entries, as by an older backup. Restore a newer one; or stop all nodes, empty etcd.prefix (etcdctl del --prefix) and run "waypost cluster init" on the node that is furthest`;

export const otherHistory = (sequence: number): string =>
  `entry ${sequence} of the log in etcd is not what follows what this node has: etcd was restored from an older backup and written to since, or it is that of another cluster. To give up what only this node has, move waypost.mdb in its data folder away and start it again`;

/** For what an append came to. */
export function refusalFor(error: unknown): Error {
  if (error instanceof EtcdFull)
    return new UnavailableError(
      'etcd_full',
      'Nothing can be written: the database of etcd has reached its quota. Tell the operator; "waypost cluster status" says what to do.',
    );
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
