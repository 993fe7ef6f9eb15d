/** The order of the table of records: by one of its columns, as people read. */
import type { RecordView } from '../api/views.ts';
import { toUnicode } from '../names.ts';

export const ORDER_COLUMNS = ['name', 'type', 'content', 'ttl'] as const;
export type Column = (typeof ORDER_COLUMNS)[number];

export interface Order {
  readonly column: Column;
  readonly isDescending: boolean;
}

/** Alphabetical in any case, with numbers by their value: h2 is before h10. */
const { compare } = new Intl.Collator('en', { numeric: true });

/** `text`: of the query parameter, such as `-ttl`. By name, unless it names a column. */
export function readOrder(text: string): Order {
  const isDescending = text.startsWith('-');
  const column = ORDER_COLUMNS.find((each) => each === text.slice(isDescending ? 1 : 0));
  return column === undefined ? { column: 'name', isDescending: false } : { column, isDescending };
}

/** The query parameter after a click on the heading of a column. Empty: the default order. */
export function nextOrder({ column, isDescending }: Order, clicked: Column): string {
  const text = column === clicked && !isDescending ? `-${clicked}` : clicked;
  return text === 'name' ? '' : text;
}

/** The apex is first. Records that are equal in a column are sorted by name and type. */
export function sortRecords(records: readonly RecordView[], { column, isDescending }: Order): readonly RecordView[] {
  const names = new Map<string, string>();
  for (const { name } of records) if (!names.has(name)) names.set(name, name === '@' ? '' : toUnicode(name));
  const byName = (a: RecordView, b: RecordView): number =>
    a.name === b.name ? 0 : compare(names.get(a.name)!, names.get(b.name)!);
  const byColumn = (a: RecordView, b: RecordView): number => {
    if (column === 'name') return byName(a, b);
    return column === 'ttl' ? a.ttl - b.ttl : compare(a[column], b[column]);
  };
  const sign = isDescending ? -1 : 1;
  return [...records].sort(
    (a, b) => sign * byColumn(a, b) || byName(a, b) || compare(a.type, b.type) || compare(a.content, b.content),
  );
}
