/**
 * Which node of a cluster does a background task that only one node should do. The nodes decide
 * from the live members alone, so no decision is written, and a failed node is replaced as soon as
 * its lease in etcd has expired. Two nodes may briefly both decide for themselves; a commit of one
 * of them then conflicts.
 */
import { createHash } from 'node:crypto';
import type { Ownership } from '../base/tasks.ts';
import type { Cluster } from './cluster.ts';

interface OwnershipOptions {
  readonly nodeName: string;
  readonly cluster: Pick<Cluster, 'isFirst' | 'isFirstOfRegion' | 'members'>;
}

export function clusterOwnership({ nodeName, cluster }: OwnershipOptions): Ownership {
  return {
    isFirst: () => cluster.isFirst,
    isFirstOfRegion: () => cluster.isFirstOfRegion,
    rank: (item) => rankOf(item, nodeName, cluster.members?.live ?? []),
  };
}

/** Rendezvous hashing: when a node fails, only its items move. All versions use the same hash. */
function rankOf(item: string, nodeName: string, live: Iterable<string>): number {
  const weight = (name: string): string => createHash('md5').update(`${item} ${name}`).digest('hex');
  const own = weight(nodeName);
  let rank = 0;
  for (const name of live) if (name !== nodeName && weight(name) > own) rank++;
  return rank;
}
