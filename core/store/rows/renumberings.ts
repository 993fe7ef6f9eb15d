/**
 * Zones whose serials rise though nobody has written to them, since what they serve of the
 * configuration has changed.
 */
import type { Id } from '../keys.ts';
import { jsonTable } from './table.ts';

/** One row: each time that it is written the serials of these rise. */
export interface Renumbering {
  readonly domainIds: readonly Id[];
}

const KEY = Buffer.alloc(8);

export const renumberings = jsonTable<Renumbering>({
  number: 17,
  name: 'renumberings',
  key: () => KEY,
});
