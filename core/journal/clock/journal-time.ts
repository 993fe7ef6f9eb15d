/** What the journal of a store that has no clock file says about the clock. */

import type { Environment } from '../../store/environment.ts';
import { decodeEntry } from '../entry-codec.ts';
import type { Witnessed } from './guard.ts';

/** Entries that are read at most: some tens of milliseconds. */
const READ_ENTRIES = 20_000;

/**
 * The time of the last entry; and of the first of the entries at the end that are after `now`, as a
 * clock that was ahead has made them. Null: there are none.
 */
export function lastEntries({ journal }: Pick<Environment, 'journal'>, now: number): Witnessed | null {
  let last: number | null = null;
  let from = 0;
  for (const { value } of journal.getRange({ reverse: true, limit: READ_ENTRIES })) {
    const { time } = decodeEntry(value as Buffer);
    if (last === null) {
      last = time;
      from = time;
    }
    if (time <= now) break;
    from = Math.min(from, time);
  }
  return last === null ? null : { from, to: last };
}
