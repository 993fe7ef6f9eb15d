/** A domain's records in pages, filtered. */
import { InvalidError } from '../../core/errors.ts';
import { recordsOfZone } from '../../core/store/keys.ts';
import { type Domain, type RecordRow, records } from '../../core/store/rows.ts';
import { equalNames, type Name } from '../../core/wire/name.ts';
import { formatRdata } from '../../core/wire/rdata/index.ts';
import { TYPE } from '../../core/wire/types.ts';
import { invalidCursor, type Page } from '../http/lists.ts';
import type { Services } from '../services.ts';
import { parseContent, parseRecordType } from './content.ts';
import { parseOwner } from './owner.ts';

export interface Filter {
  readonly name: Name | null;
  readonly type: number | null;
  readonly content: string | null;
}

/** Throws InvalidError for a name or type that can't be. */
export function readFilter(domain: Domain, query: URLSearchParams): Filter {
  const name = query.get('name');
  const type = query.get('type');
  return {
    name: name === null ? null : parseOwner(name, domain.apex),
    type: type === null ? null : parseRecordType(type),
    content: query.get('content'),
  };
}

/** Rows that are looked at for one page of a filtered list. The page is short then, and its cursor leads on. */
const SCANNED = 20_000;

/** `last`: key of the last row looked at, when there are more. */
export function listRecords({ reader }: Services, domain: Domain, page: Page, filter: Filter) {
  const prefix = recordsOfZone(domain.id);
  let after = page.after;
  if (after !== null && !prefix.equals(after.subarray(0, prefix.length))) throw invalidCursor();
  const matches = matcher(domain, filter);
  const rows: RecordRow[] = [];
  const batchSize = filter.name === null && filter.type === null && filter.content === null ? page.limit + 1 : 1000;
  for (let scanned = 0; scanned < SCANNED; scanned += batchSize) {
    const batch =
      filter.name === null
        ? reader.recordsOf(domain.id, after, batchSize)
        : atName(reader.recordsAt(domain.id, filter.name), after);
    let last: RecordRow | undefined;
    for (const row of batch) {
      if (rows.length === page.limit) return { rows, last: last === undefined ? after : records.key(last) };
      if (matches(row)) rows.push(row);
      last = row;
    }
    if (last !== undefined) after = records.key(last);
    if (filter.name !== null || batch.length < batchSize) return { rows, last: null };
  }
  return { rows, last: after };
}

function atName(rows: readonly RecordRow[], after: Buffer | null): readonly RecordRow[] {
  return after === null ? rows : rows.filter((row) => Buffer.compare(records.key(row), after) > 0);
}

function matcher(domain: Domain, { type, content }: Filter): (row: RecordRow) => boolean {
  if (content === null) return (row) => type === null || row.type === type;
  // The content is read as that of each type which comes along, so that any way to write it finds the record.
  const wanted = new Map<number, Uint8Array | null>();
  const plain = content.toLowerCase();
  return (row) => {
    if (type !== null && row.type !== type) return false;
    let rdata = wanted.get(row.type);
    if (rdata === undefined) {
      rdata = tryContent(row.type, content, domain.apex);
      wanted.set(row.type, rdata);
    }
    if (rdata !== null && equalNames(rdata, row.rdata)) return true;
    // MX and SRV are found by their host alone too.
    return (
      (row.type === TYPE.MX || row.type === TYPE.SRV) &&
      hostOf(formatRdata(row.type, row.rdata)) === plain.replace(/\.$/, '')
    );
  };
}

const hostOf = (content: string): string => content.slice(content.lastIndexOf(' ') + 1).replace(/\.$/, '');

function tryContent(type: number, content: string, apex: Name): Uint8Array | null {
  try {
    return parseContent(type, content, undefined, apex);
  } catch (error) {
    if (error instanceof InvalidError) return null;
    throw error;
  }
}
