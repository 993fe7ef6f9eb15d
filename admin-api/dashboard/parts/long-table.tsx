/** A table for a list that is loaded as the user scrolls. */
import type { ComponentChild } from 'preact';
import type { PagedList } from './paged-list.ts';
import { isNarrow } from './screen-size.ts';
import { ROW, VirtualRows } from './virtual-rows.tsx';

/** Height in pixels. Must equal that in the style sheet. */
const NARROW_ROW = 100;

interface LongTableProps<Row> {
  /** Class in the style sheet. */
  readonly name: 'accounts' | 'apps' | 'audit' | 'deleted' | 'uploads';
  readonly headings: readonly string[];
  readonly list: PagedList<Row>;
  readonly narrowRow?: number;
  readonly renderRow: (row: Row) => ComponentChild;
}

/** Renders nothing if there are no rows. */
export function LongTable<Row>({ name, headings, list, narrowRow = NARROW_ROW, renderRow }: LongTableProps<Row>) {
  const rows = list.found.value?.rows ?? [];
  if (rows.length === 0) return null;
  return (
    <table class={`table ${name}`}>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <VirtualRows
        count={rows.length}
        rowHeight={isNarrow.value ? narrowRow : ROW}
        columns={headings.length}
        onEnd={list.loadMore}
        renderRow={(index) => renderRow(rows[index])}
      />
    </table>
  );
}
