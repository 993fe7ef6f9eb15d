/** The rows of the table: new records first, then the stored ones that the filter shows. */
import type { RecordView } from '../api/views.ts';
import type { Addition, Change, Edits, Fields } from './edits.ts';
import { type Filter, matchesFilter } from './filter.ts';

export type Row =
  | { readonly kind: 'added'; readonly key: string; readonly fields: Fields; readonly addition: Addition }
  | {
      readonly kind: 'stored';
      readonly key: string;
      /** As edited; as stored if the record is to be deleted. */
      readonly fields: Fields;
      readonly record: RecordView;
      readonly change: Change | undefined;
    };

export type RowState = 'added' | 'changed' | 'deleted' | 'conflict' | null;

export const addedKey = (key: number): string => `added ${key}`;
export const storedKey = (id: number): string => `stored ${id}`;

export function rowsOf(records: readonly RecordView[], edits: Edits, filter: Filter): Row[] {
  const rows: Row[] = edits.additions.map((addition) => ({
    kind: 'added',
    key: addedKey(addition.key),
    fields: addition.fields,
    addition,
  }));
  for (const record of records) {
    const change = edits.changes.get(record.id);
    const fields = change?.after ?? record;
    // An edited row stays where it is, even if the filter no longer finds it.
    if (change === undefined && !matchesFilter(record, filter)) continue;
    rows.push({ kind: 'stored', key: storedKey(record.id), fields, record, change });
  }
  return rows;
}

export function stateOf(row: Row): RowState {
  if (row.kind === 'added') return row.addition.hasConflict ? 'conflict' : 'added';
  if (row.change === undefined) return null;
  if (row.change.hasConflict) return 'conflict';
  return row.change.after === null ? 'deleted' : 'changed';
}
