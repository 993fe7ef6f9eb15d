/** Counters of ids, one for each table whose rows have ids of their own. */
import type { Id } from '../keys.ts';
import { jsonTable } from './table.ts';

export interface IdCounter {
  /** Number of the table. */
  readonly table: number;
  /** The first id that no node has leased. */
  readonly next: Id;
  /**
   * Random text of the latest lease. It makes every lease a different entry: two nodes that lease
   * the same block at once must not take the one entry in the log for the entry of both.
   */
  readonly lease: string;
}

export const idCounters = jsonTable<IdCounter>({
  number: 22,
  name: 'ids',
  key: ({ table }) => Buffer.of(table),
  lookupsFromKey: true,
});
