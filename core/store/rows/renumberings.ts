/**
 * Zones whose serials increase without a change of their records, because a served setting of the
 * configuration changed.
 */
import type { Id } from '../keys.ts';
import { jsonTable } from './table.ts';

/** A single row. Each write of it increases the serials of these zones. */
export interface Renumbering {
  readonly domainIds: readonly Id[];
}

const KEY = Buffer.alloc(8);

export const renumberings = jsonTable<Renumbering>({
  number: 17,
  name: 'renumberings',
  quota: { none: 'written by the service when settings change' },
  key: () => KEY,
});
