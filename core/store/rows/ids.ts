/** Counters of ids, one for each table whose rows have their own ids. */
import type { Id } from '../keys.ts';
import { jsonTable } from './table.ts';

export interface IdCounter {
  /** Number of the table. */
  readonly table: number;
  /** The first id that no node has leased. */
  readonly next: Id;
  /**
   * Random text of the latest lease, which makes every lease a distinct entry. Otherwise two nodes
   * that lease the same block concurrently could both take one entry in the log for their own.
   */
  readonly lease: string;
}

export const idCounters = jsonTable<IdCounter>({
  number: 22,
  name: 'ids',
  quota: { none: 'one for each table' },
  key: ({ table }) => Buffer.of(table),
  lookupsFromKey: true,
});
