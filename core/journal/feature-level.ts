/**
 * Feature levels: what a node must know to apply the entries of others. A cluster writes nothing
 * that one of its nodes does not know, so nodes of two versions can run side by side. The agreed
 * level is in etcd (core/cluster/membership.ts): it rises when every node has it, and never falls.
 *
 * A version that adds a table increases FEATURE_LEVEL, adds a row to LEVELS, and gives the table
 * its `level`. One that writes rows in a form that earlier versions cannot read uses a new table.
 */
import { UnavailableError } from '../base/errors.ts';
import { TABLES } from '../store/rows.ts';
import { readChanges } from './entry-codec.ts';

/** Of this program. */
export const FEATURE_LEVEL = 2;
/** Of a member that does not say it. */
export const FIRST_LEVEL = 1;

export const LEVELS: readonly { readonly level: number; readonly since: string; readonly adds: string }[] = [
  { level: 1, since: '0.2.0', adds: 'the tables of 0.2.0' },
  { level: 2, since: '0.3.0', adds: 'origins, rules, protection, error pages and logs of sites' },
];

/** The least level of a node that can apply the changes. */
export function levelOf(changes: Buffer): number {
  let level = FIRST_LEVEL;
  for (const { table } of readChanges(changes)) level = Math.max(level, TABLES.get(table)?.level ?? FIRST_LEVEL);
  return level;
}

/** The refusal of changes that not every node knows; null: all do. `agreed`: of the cluster. */
export function levelRefusal(changes: Buffer, agreed: number): UnavailableError | null {
  // Nothing that this program writes needs more.
  if (agreed >= FEATURE_LEVEL) return null;
  const needed = levelOf(changes);
  if (needed <= agreed) return null;
  return new UnavailableError(
    'feature_level',
    `A node of the cluster runs an earlier version, which cannot store this change (feature level ${agreed}, needed ${needed}). Nothing was written. Update all nodes; "waypost cluster status" lists their versions.`,
  );
}

/** The level to agree on; null: it stays. `levels`: of all nodes that belong to the cluster. */
export function risenLevel(agreed: number, levels: Iterable<number>): number | null {
  const least = Math.min(...levels);
  return Number.isFinite(least) && least > agreed ? least : null;
}
