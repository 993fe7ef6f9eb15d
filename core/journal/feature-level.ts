/**
 * Feature levels: the capabilities that a node needs to apply the entries of other nodes. A cluster
 * writes nothing that one of its nodes does not support, so nodes of two versions can run side by
 * side. The agreed level is in etcd (core/cluster/membership.ts). It rises when every node supports
 * it, and never falls.
 *
 * A version that adds a table increases FEATURE_LEVEL (core/store/level.ts), adds a row to LEVELS,
 * and gives the table its `level`. A version that changes the format of rows, so that earlier
 * versions cannot read them, uses a new table.
 */
import { UnavailableError } from '../base/errors.ts';
import { FEATURE_LEVEL, FIRST_LEVEL, rowLevel } from '../store/level.ts';
import { versionNumber } from '../store/migrate/store-info.ts';
import { TABLES } from '../store/rows.ts';
import { readChanges } from './entry-codec.ts';

export { FEATURE_LEVEL, FIRST_LEVEL };
/** From this level on, every member is bound to the key of its certificate. */
export const KEY_LEVEL = 3;

export const LEVELS: readonly { readonly level: number; readonly since: string; readonly adds: string }[] = [
  { level: 1, since: '0.2.0', adds: 'the tables of 0.2.0' },
  { level: 2, since: '0.3.0', adds: 'origins, rules, protection, error pages and logs of sites' },
  { level: 3, since: '0.3.0', adds: 'members of a cluster that are bound to the keys of their certificates' },
  { level: 4, since: '0.3.0', adds: 'several certificates of a domain, and validation of names below its apex' },
  { level: 5, since: '0.3.0', adds: 'RSA certificates beside ECDSA ones, and rules that authenticate visitors' },
  {
    level: 6,
    since: '0.3.0',
    adds: 'TSIG keys with names of their account, limits of tokens and keys, kept PTR records, steering, disabled records, and DNSSEC keys of another algorithm than the zone',
  },
  { level: 7, since: '0.3.0', adds: 'the id of a history, and deliveries that are paused after a restore' },
  {
    level: 8,
    since: '0.3.0',
    adds: 'large imports whose records are written in many small entries, and deleted domains that can be restored',
  },
];

/** The minimum level of a node that can apply the changes. */
export function levelOf(changes: Buffer): number {
  let level = FIRST_LEVEL;
  for (const { table, key, value } of readChanges(changes))
    level = Math.max(level, rowLevel(TABLES.get(table), key, value));
  return level;
}

/** The feature level of a version, such as "0.2.0": the newest one that it supports. */
export function levelOfVersion(version: string): number {
  return LEVELS.filter(({ since }) => versionNumber(since) <= versionNumber(version)).at(-1)?.level ?? 0;
}

/** A node of the cluster. */
export interface LevelledNode {
  readonly name: string;
  readonly version: string;
  /** The feature level; omitted: its version has none, which counts as the first. */
  readonly level?: number;
}

/** The feature level of a cluster. */
export interface ClusterLevel {
  /** The agreed level; null: it has not been read from etcd yet. */
  readonly agreed: number | null;
  nodes(): Iterable<LevelledNode>;
}

/** The level of a single node. */
export const OWN_LEVEL: ClusterLevel = { agreed: FEATURE_LEVEL, nodes: () => [] };

/**
 * Returns the error for changes that not every node can store; null: all can. While the agreed
 * level is unknown, only changes that every version can store are accepted.
 */
export function levelRefusal(changes: Buffer, { agreed, nodes }: ClusterLevel): UnavailableError | null {
  // This program writes nothing that needs a higher level.
  if (agreed !== null && agreed >= FEATURE_LEVEL) return null;
  const needed = levelOf(changes);
  if (needed <= (agreed ?? FIRST_LEVEL)) return null;
  return new UnavailableError('feature_level', refusalText(needed, agreed, [...nodes()]));
}

function refusalText(needed: number, agreed: number | null, nodes: readonly LevelledNode[]): string {
  if (agreed === null)
    return 'This node has not read the feature level of the cluster from etcd yet. Nothing was written; retry.';
  const older = nodes.filter(({ level = FIRST_LEVEL }) => level < needed);
  if (older.length === 0)
    return `The nodes have not agreed on feature level ${needed} yet, which this change needs. Nothing was written; retry.`;
  const names = older.map(({ name, version }) => `${name} (${version || 'unknown version'})`).sort();
  return `This change needs feature level ${needed}, which these nodes do not have: ${names.join(', ')}. Nothing was written. Update them, or remove a node that does not come back with "waypost cluster remove".`;
}

/**
 * Returns the new agreed level; null: it stays. `levels`: of all nodes that belong to the cluster.
 */
export function risenLevel(agreed: number, levels: Iterable<number>): number | null {
  const least = Math.min(...levels);
  return Number.isFinite(least) && least > agreed ? least : null;
}
