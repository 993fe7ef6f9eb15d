/** Lists the records of a domain in pages, with filters. */
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

/** Throws InvalidError for an invalid name or type. */
export function readFilter(domain: Domain, query: URLSearchParams): Filter {
  const name = query.get('name');
  const type = query.get('type');
  return {
    name: name === null ? null : parseOwner(name, domain.apex),
    type: type === null ? null : parseRecordType(type),
    content: query.get('content'),
  };
}

/**
 * Maximum records that are read for one page of a filtered list. Such a page may have fewer items.
 */
const MAX_SCANNED = 20_000;
const BATCH = 1000;
/**
 * Maximum bytes of stored records in one page. A record has up to 48,000 bytes, so a page of 1000
 * could block the event loop for seconds.
 */
const MAX_PAGE_BYTES = 1 << 20;
/** Number of records that one read of an unfiltered page returns. */
const READ_SIZE = 100;

/**
 * The stored records. `last`: key of the last record read, if there are more. Throws HttpError 400.
 */
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
      const wanted = Math.min(READ_SIZE, page.limit + 1 - entries.length);
      const piece = reader.recordEntries(prefix, after, wanted);
      for (const entry of piece) {
        if (entries.length === page.limit || bytes >= MAX_PAGE_BYTES) return { entries, last: after };
        entries.push(entry);
        bytes += entry.value.length;
        after = entry.key;
      }
      if (piece.length < wanted) return { entries, last: null };
    }
  }
  const scope = filter.name === null ? prefix : recordsAt(domain.id, filter.name);
  const matches = createMatcher(domain, filter);
  const entries: Entry[] = [];
  let bytes = 0;
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += BATCH) {
    const batch = reader.recordEntries(scope, after, BATCH);
    for (const entry of batch) {
      if (entries.length === page.limit || bytes >= MAX_PAGE_BYTES) return { entries, last: after };
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

function createMatcher(domain: Domain, { type, content }: Filter): (entry: Entry) => boolean {
  if (content === null) return ({ key }) => type === null || recordKeyParts(key).type === type;
  // Parses the filter as the content of each type, so that any equivalent spelling matches.
  const parsed = new Map<number, Uint8Array | null>();
  const plain = content.toLowerCase();
  return ({ key, value }) => {
    const recordType = recordKeyParts(key).type;
    if (type !== null && recordType !== type) return false;
    let rdata = parsed.get(recordType);
    if (rdata === undefined) {
      rdata = tryParseContent(recordType, content, domain.apex);
      parsed.set(recordType, rdata);
    }
    const stored = value.subarray(RECORD_RDATA);
    if (rdata !== null && equalNames(rdata, stored)) return true;
    // MX and SRV records also match by their target alone.
    return (
      (recordType === TYPE.MX || recordType === TYPE.SRV) &&
      targetOf(formatRdata(recordType, stored)) === plain.replace(/\.$/, '')
    );
  };
}

const targetOf = (content: string): string => content.slice(content.lastIndexOf(' ') + 1).replace(/\.$/, '');

function tryParseContent(type: number, content: string, apex: Name): Uint8Array | null {
  try {
    return parseContent(type, content, undefined, apex);
  } catch (error) {
    if (error instanceof InvalidError) return null;
    throw error;
  }
}
