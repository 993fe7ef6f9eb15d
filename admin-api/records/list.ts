/** A domain's records in pages, filtered. */
import { InvalidError } from '../../core/base/errors.ts';
import { recordKeyParts, recordsAt, recordsOfZone } from '../../core/store/keys.ts';
import type { Entry } from '../../core/store/reader.ts';
import { type Domain, RECORD_RDATA } from '../../core/store/rows.ts';
import { equalNames, type Name } from '../../core/wire/name.ts';
import { formatRdata } from '../../core/wire/rdata/index.ts';
import { TYPE } from '../../core/wire/types.ts';
import type { Services } from '../change/services.ts';
import { invalidCursor, type Page } from '../http/lists.ts';
import { parseContent, parseRecordType } from './content.ts';
import { parseOwner } from './owner.ts';

export interface Filter {
  readonly name: Name | null;
  readonly type: number | null;
  readonly content: string | null;
}

/** Throws InvalidError for a name or type that cannot be. */
export function readFilter(domain: Domain, query: URLSearchParams): Filter {
  const name = query.get('name');
  const type = query.get('type');
  return {
    name: name === null ? null : parseOwner(name, domain.apex),
    type: type === null ? null : parseRecordType(type),
    content: query.get('content'),
  };
}

/** Records that are looked at for one page of a filtered list. The page is short then, and its cursor leads on. */
const SCANNED = 20_000;
const BATCH = 1000;
/** Bytes of stored records in one page. A record has up to 48,000, so that a thousand would hold up everything for seconds. */
const PAGE_BYTES = 1 << 20;
/** Records of a page without a filter that are read at once. */
const PIECE = 100;

/** Records as they are stored. `last`: key of the last one looked at, when there are more. Throws HttpError 400. */
export function listRecords(
  { reader }: Pick<Services, 'reader'>,
  domain: Domain,
  page: Page,
  filter: Filter,
): { entries: Entry[]; last: Buffer | null } {
  const prefix = recordsOfZone(domain.id);
  let after = page.after;
  if (after !== null && !prefix.equals(after.subarray(0, prefix.length))) throw invalidCursor();
  if (filter.name === null && filter.type === null && filter.content === null) {
    const entries: Entry[] = [];
    for (let bytes = 0; ; ) {
      const wanted = Math.min(PIECE, page.limit + 1 - entries.length);
      const piece = reader.recordEntries(prefix, after, wanted);
      for (const entry of piece) {
        if (entries.length === page.limit || bytes >= PAGE_BYTES) return { entries, last: after };
        entries.push(entry);
        bytes += entry.value.length;
        after = entry.key;
      }
      if (piece.length < wanted) return { entries, last: null };
    }
  }
  const within = filter.name === null ? prefix : recordsAt(domain.id, filter.name);
  const matches = matcher(domain, filter);
  const entries: Entry[] = [];
  let bytes = 0;
  for (let scanned = 0; scanned < SCANNED; scanned += BATCH) {
    const batch = reader.recordEntries(within, after, BATCH);
    for (const entry of batch) {
      if (entries.length === page.limit || bytes >= PAGE_BYTES) return { entries, last: after };
      if (matches(entry)) {
        entries.push(entry);
        bytes += entry.value.length;
      }
      after = entry.key;
    }
    if (batch.length < BATCH) return { entries, last: null };
  }
  return { entries, last: after };
}

function matcher(domain: Domain, { type, content }: Filter): (entry: Entry) => boolean {
  if (content === null) return ({ key }) => type === null || recordKeyParts(key).type === type;
  // The content is read as that of each type which comes along, so that any way to write it finds the record.
  const wanted = new Map<number, Uint8Array | null>();
  const plain = content.toLowerCase();
  return ({ key, value }) => {
    const own = recordKeyParts(key).type;
    if (type !== null && own !== type) return false;
    let rdata = wanted.get(own);
    if (rdata === undefined) {
      rdata = tryContent(own, content, domain.apex);
      wanted.set(own, rdata);
    }
    const stored = value.subarray(RECORD_RDATA);
    if (rdata !== null && equalNames(rdata, stored)) return true;
    // MX and SRV are found by their host alone too.
    return (own === TYPE.MX || own === TYPE.SRV) && targetOf(formatRdata(own, stored)) === plain.replace(/\.$/, '');
  };
}

const targetOf = (content: string): string => content.slice(content.lastIndexOf(' ') + 1).replace(/\.$/, '');

function tryContent(type: number, content: string, apex: Name): Uint8Array | null {
  try {
    return parseContent(type, content, undefined, apex);
  } catch (error) {
    if (error instanceof InvalidError) return null;
    throw error;
  }
}
