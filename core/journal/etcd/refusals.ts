/** Errors of failed writes, and reasons why a node and the log in etcd do not match. */
import { UnavailableError, WaypostError } from '../../base/errors.ts';
import { EtcdDamaged, EtcdFull, EtcdRefused, EtcdUnavailable } from '../etcd-client/errors.ts';

export const noQuorum = (reason: string): UnavailableError =>
  new UnavailableError('no_quorum', `Writes are unavailable: ${reason}. Existing data is still served; retry later.`);

export const busy = (): UnavailableError =>
  new UnavailableError('busy', 'Lost the race to other nodes too many times; nothing was written. Retry later.');

export const wentBack = (own: number, last: number): string =>
  `this node is at entry ${own}, but the log in etcd ends at ${last}: etcd has lost entries, for example because an older backup was restored. Restore a newer backup; or stop all nodes, delete all keys below etcd.prefix (etcdctl del --prefix) and run "waypost cluster init" on the node with the highest entry`;

export const otherHistory = (sequence: number): string =>
  `entry ${sequence} of the log in etcd does not follow the last entry of this node: etcd was restored from an older backup and has new writes, or belongs to another cluster. To discard the data of this node, move waypost.mdb out of its data folder and restart it`;

/** Converts the error of an append. */
export function refusalFor(error: unknown): Error {
  if (error instanceof EtcdFull)
    return new UnavailableError(
      'etcd_full',
      'Writes are unavailable: the database of etcd has reached its quota. Contact the operator; "waypost cluster status" shows what to do.',
    );
  if (error instanceof EtcdRefused)
    return new UnavailableError('log_refused', `etcd rejects writes: ${error.message}. Contact the operator.`);
  if (error instanceof EtcdUnavailable)
    return noQuorum(
      error.mayHappen
        ? 'etcd did not respond in time, so it is unknown whether the change was written'
        : 'etcd has no quorum',
    );
  if (error instanceof EtcdDamaged) return noQuorum(error.message);
  return error instanceof Error ? error : new WaypostError('internal', String(error));
}
