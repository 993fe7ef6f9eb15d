/** The rows of the table: new records, then the stored records that match the filter. */
import type { RecordView } from '../api/views.ts';
import type { Addition, Change, Edits, Fields, RowFault } from './edits.ts';
import { type Filter, matchesFilter } from './filter.ts';

export type Row =
  | { readonly kind: 'added'; readonly key: string; readonly fields: Fields; readonly addition: Addition }
  | {
      readonly kind: 'stored';
      readonly key: string;
      /** The edited fields, or the stored fields of a record that is deleted. */
      readonly fields: Fields;
      readonly record: RecordView;
      readonly change: Change | undefined;
    };

type RowState = 'added' | 'changed' | 'deleted' | 'conflict' | null;

export const addedKey = (key: number): string => `added ${key}`;
const storedKey = (id: number): string => `stored ${id}`;

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
    // An edited row stays in place even if it no longer matches the filter.
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

const keyOf = ({ row: { kind, id } }: RowFault): string => (kind === 'added' ? addedKey(id) : storedKey(id));

/** Groups faults by the key of their row. */
export function faultsByRow(faults: readonly RowFault[]): ReadonlyMap<string, readonly RowFault[]> {
  const byRow = new Map<string, RowFault[]>();
  for (const fault of faults) {
    const list = byRow.get(keyOf(fault));
    if (list === undefined) byRow.set(keyOf(fault), [fault]);
    else list.push(fault);
  }
  return byRow;
}

/** Types whose targets must not be proxied. */
const DIRECT_TARGETS: ReadonlySet<string> = new Set(['MX', 'SRV', 'NS']);

/** Names of the domain that MX, SRV and NS records point to. */
export function directTargets(records: readonly RecordView[], domain: string): ReadonlySet<string> {
  const targets = new Set<string>();
  for (const { type, content } of records) {
    if (!DIRECT_TARGETS.has(type)) continue;
    const target = content.slice(content.lastIndexOf(' ') + 1).replace(/\.$/, '');
    if (target === domain) targets.add('@');
    else if (target.endsWith(`.${domain}`)) targets.add(target.slice(0, -domain.length - 1));
  }
  return targets;
}

/** Whether the service proxies a name whose records do not set `proxied`. */
export const isProxiedByDefault = (name: string, targets: ReadonlySet<string>): boolean =>
  !targets.has(name === '' ? '@' : name) && !name.split('.').some((label) => label.startsWith('_'));

/** Types that follow from a signed zone, so only the service changes them. */
const DNSSEC_TYPES: ReadonlySet<string> = new Set([
  ...['SIG', 'NXT', 'RRSIG', 'NSEC', 'DNSKEY'],
  ...['NSEC3', 'NSEC3PARAM', 'CDS', 'CDNSKEY', 'ZONEMD'],
]);

/** Why a stored record cannot be changed. */
export type FixedBy = 'zoneFile' | 'dnssec' | 'steering';

/** The key of a record set in `steered`. */
export const setKey = ({ name, type }: Pick<Fields, 'name' | 'type'>): string => `${name} ${type}`;

/** `steered`: the steered record sets. Null: the record can be changed. */
export function fixedBy(row: Row, steered: ReadonlySet<string>): FixedBy | null {
  if (row.kind === 'added') return null;
  const { name, type } = row.record;
  if (name === '@' && type === 'NS') return 'zoneFile';
  if (DNSSEC_TYPES.has(type)) return 'dnssec';
  return steered.has(setKey(row.record)) ? 'steering' : null;
}
