/** Lists the records of a domain in pages, with filters. Whole lists: whole-list.ts. */
import { Type } from '@sinclair/typebox';
import { InvalidError } from '../../../core/base/errors.ts';
import { Steps } from '../../../core/base/steps.ts';
import { equalNames, formatHost, formatRelative, type Name } from '../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { nameOfKey, recordKeyParts, recordsAt, recordsOfZone } from '../../../core/store/keys.ts';
import type { Entry } from '../../../core/store/raw-reader.ts';
import { permits } from '../../../core/store/record-policies.ts';
import { type Domain, RECORD_RDATA, type RecordPolicy, type Token } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import { invalidCursor, type Page, pageQuery, searchBy, sortQuery } from '../../http/lists.ts';
import type { Query } from '../../http/query.ts';
import { containsText, normalizeSearch } from '../domains/search-text.ts';
import { commentFinder, type FindComment } from './comment.ts';
import { parseRecordType } from './content.ts';
import { parseOwner } from './owner.ts';

export interface Filter {
  readonly name: Name | null;
  readonly type: number | null;
  readonly content: string | null;
  /** A part of the name, the content or the comment, in lower case; empty: any. */
  readonly search: string;
  /** Policies of the caller's token; undefined: it has none. */
  readonly policies: readonly RecordPolicy[] | undefined;
}

export const recordsQuery = {
  ...pageQuery,
  name: Type.Optional(Type.String({ description: 'only records with this name, written as in a record' })),
  type: Type.Optional(Type.String({ description: 'only records of this type' })),
  content: Type.Optional(Type.String({ description: 'only records with this content, in any equivalent spelling' })),
  ...searchBy('name, content or comment', normalizeSearch),
  // Other orders would need all records of the zone, which may be millions.
  ...sortQuery(['name']),
};

export type RecordsQuery = Query<typeof recordsQuery>;

/** Throws InvalidError for an invalid name or type. */
export const filterOf = (
  { apex }: Domain,
  { policies }: Pick<Token, 'policies'>,
  { name, type, content, q }: RecordsQuery,
): Filter => ({
  name: name === undefined ? null : parseOwner(name, apex),
  type: type === undefined ? null : parseRecordType(type),
  content: content ?? null,
  search: q,
  policies,
});

interface RecordPage {
  readonly entries: readonly Entry[];
  /** Key of the last record read, if there are more. */
  readonly last: Buffer | null;
  /** Null: not counted. */
  readonly total: number | null;
}

/**
 * Maximum records that are read for one page of a filtered list. Such a page may have fewer items.
 */
const MAX_SCANNED = 50_000;
/** Records read between two checks of the clock: less than a millisecond. */
const BATCH = 100;
/**
 * Maximum bytes of stored records in one page. A record has up to 48,000 bytes, so a page of 1000
 * could block the event loop for seconds.
 */
const MAX_PAGE_BYTES = 1 << 20;

/** The stored records. Yields to the event loop. Throws HttpError 400. */
export async function readRecordPage(
  { reader }: Pick<Services, 'reader'>,
  domain: Domain,
  page: Page,
  filter: Filter,
  descending = false,
): Promise<RecordPage> {
  const prefix = recordsOfZone(domain.id);
  const isFirst = page.after === null;
  if (page.after !== null && !prefix.equals(page.after.subarray(0, prefix.length))) throw invalidCursor();
  const scope = filter.name === null ? prefix : recordsAt(domain.id, filter.name);
  const matches = createMatcher(
    domain,
    filter,
    filter.search === '' ? () => null : commentFinder(reader.environment, domain),
  );
  const all = matches === null && filter.name === null ? reader.zoneState(domain.id).recordCount : null;
  const steps = new Steps();
  const entries: Entry[] = [];
  let after = page.after;
  let bytes = 0;
  const end = (last: Buffer | null): RecordPage => ({
    entries,
    last,
    total: isFirst ? (all ?? (last === null ? entries.length : null)) : null,
  });
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += BATCH) {
    const isHidden = reader.hiddenIn(domain.id);
    const withHidden = isHidden !== null;
    // An unfiltered list reads no more than the page.
    const wanted = matches === null && !withHidden ? Math.min(BATCH, page.limit + 1 - entries.length) : BATCH;
    const batch = descending
      ? reader.recordEntriesBefore(scope, after, wanted, { withHidden })
      : reader.recordEntries(scope, after, wanted, { withHidden });
    for (const entry of batch) {
      if (entries.length === page.limit || bytes >= MAX_PAGE_BYTES) return end(after);
      if (isHidden?.(entry.key) !== true && (matches === null || matches(entry))) {
        entries.push(entry);
        bytes += entry.value.length;
      }
      after = entry.key;
    }
    if (batch.length < wanted) return end(null);
    await steps.next();
  }
  return end(after);
}

/** Null: every record matches. */
export function createMatcher(
  domain: Domain,
  filter: Filter,
  findComment: FindComment,
): ((entry: Entry) => boolean) | null {
  const { type, content, search, policies } = filter;
  if (type === null && content === null && search === '' && policies === undefined) return null;
  const isReadable = policies === undefined ? null : createPolicyMatcher(domain, policies);
  const hasContent = content === null ? null : createContentMatcher(domain, content);
  const hasText = search === '' ? null : createSearch(domain, search, findComment);
  return (entry) =>
    (type === null || recordKeyParts(entry.key).type === type) &&
    isReadable?.(entry) !== false &&
    hasContent?.(entry) !== false &&
    hasText?.(entry) !== false;
}

/** Whether the policies allow reading a record. */
function createPolicyMatcher({ apex }: Domain, policies: readonly RecordPolicy[]): (entry: Entry) => boolean {
  return ({ key }) => {
    const { nameEnd, type } = recordKeyParts(key);
    return permits(policies, apex, nameOfKey(key, 8, nameEnd), type, 'read');
  };
}

/** Whether relative name, content or comment contain the text, in A-labels or in Unicode. */
function createSearch({ apex }: Domain, search: string, findComment: FindComment): (entry: Entry) => boolean {
  const suffix = `.${formatHost(apex)}`;
  const label = search.endsWith(suffix) ? search.slice(0, -suffix.length) : search;
  return ({ key, value }) => {
    const { nameEnd, type } = recordKeyParts(key);
    return (
      containsText(formatRelative(nameOfKey(key, 8, nameEnd), apex), label) ||
      containsText(formatRdata(type, value.subarray(RECORD_RDATA)), search) ||
      containsText(findComment({ key }) ?? '', search)
    );
  };
}

function createContentMatcher({ apex }: Domain, content: string): (entry: Entry) => boolean {
  // Parses the filter as the content of each type, so that any equivalent spelling matches.
  const parsed = new Map<number, Uint8Array | null>();
  const plain = content.toLowerCase();
  return ({ key, value }) => {
    const { type } = recordKeyParts(key);
    let rdata = parsed.get(type);
    if (rdata === undefined) {
      rdata = tryParseContent(type, content, apex);
      parsed.set(type, rdata);
    }
    const stored = value.subarray(RECORD_RDATA);
    if (rdata !== null && equalNames(rdata, stored)) return true;
    // MX and SRV records also match by their target alone.
    return (type === TYPE.MX || type === TYPE.SRV) && targetOf(formatRdata(type, stored)) === plain.replace(/\.$/, '');
  };
}

const targetOf = (content: string): string => content.slice(content.lastIndexOf(' ') + 1).replace(/\.$/, '');

function tryParseContent(type: number, content: string, apex: Name): Uint8Array | null {
  try {
    return parseRdata(type, content, apex);
  } catch (error) {
    if (error instanceof InvalidError) return null;
    throw error;
  }
}
