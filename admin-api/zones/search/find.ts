/**
 * Searches the records of all domains of an account. There is no index of contents, so a request
 * reads records in the order of domains, for some milliseconds, and the next one goes on there.
 */
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatHost, formatRelative } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { idAt, nameOfKey, recordKeyParts, recordsOfZone } from '../../../core/store/keys.ts';
import type { Entry } from '../../../core/store/raw-reader.ts';
import { type Account, type Domain, RECORD_RDATA } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import { invalidCursor } from '../../http/lists.ts';
import { commentFinder, type FindComment } from '../records/comment.ts';
import { createMatcher } from '../records/list.ts';

/** Milliseconds after which a request stops reading. */
const BUDGET_MS = 8;
/** Domains and records of a request, whatever the time. */
const MAX_DOMAINS = 2000;
const MAX_RECORDS = 5000;
/** Domains that are read from the index at once, and records of a domain. */
const PIECE = 50;
const BATCH = 100;

/** Where a search goes on. */
interface Position {
  /** Key of the last domain that was read whole; null: none. */
  readonly domain: string | null;
  /** Key of the last record of the next domain that was read; null: none. */
  readonly record: Buffer | null;
}

export interface SearchResult {
  readonly records: readonly ReturnType<typeof view>[];
  /** Null: all records were read. */
  readonly next: Buffer | null;
}

/** `search`: a result of normalizeSearch. Throws HttpError 400 for a malformed cursor. */
export function findRecords(
  { reader, environment }: Services,
  { id: accountId }: Account,
  search: string,
  { limit, after }: { readonly limit: number; readonly after: Buffer | null },
): SearchResult {
  const since = performance.now();
  const filter = { name: null, type: null, content: null, search, policies: undefined };
  const found: ReturnType<typeof view>[] = [];
  let position = after === null ? { domain: null, record: null } : readPosition(after);
  let domains = 0;
  let records = 0;
  const isOver = (): boolean =>
    domains >= MAX_DOMAINS || records >= MAX_RECORDS || performance.now() - since > BUDGET_MS;
  for (;;) {
    const piece = reader.apexKeysOf(accountId, position.domain, PIECE);
    for (const { id, key } of piece) {
      const domain = reader.domain(id);
      domains++;
      if (domain !== undefined) {
        const prefix = recordsOfZone(id);
        const findComment = commentFinder(environment, domain);
        const matches = createMatcher(domain, filter, findComment) ?? (() => true);
        // A cursor may be that of another account, or older than a deleted domain.
        let last = position.record?.subarray(0, prefix.length).equals(prefix) === true ? position.record : null;
        for (;;) {
          const batch = reader.recordEntries(prefix, last, BATCH);
          for (const entry of batch) {
            if (matches(entry)) found.push(view(domain, entry, findComment));
            last = entry.key;
            records++;
            if (found.length === limit) return { records: found, next: writePosition({ ...position, record: last }) };
          }
          if (batch.length < BATCH) break;
          if (isOver()) return { records: found, next: writePosition({ ...position, record: last }) };
        }
      }
      position = { domain: key, record: null };
      if (isOver()) return { records: found, next: writePosition(position) };
    }
    if (piece.length < PIECE) return { records: found, next: null };
  }
}

function view(domain: Domain, { key, value }: Entry, findComment: FindComment) {
  const { nameEnd, type } = recordKeyParts(key);
  return {
    id: idAt(key, key.length - 8),
    domain_id: domain.id,
    domain: formatHost(domain.apex),
    name: formatRelative(nameOfKey(key, 8, nameEnd), domain.apex),
    type: typeName(type),
    content: formatRdata(type, value.subarray(RECORD_RDATA)),
    comment: findComment({ key }),
  };
}

/** Length of the domain's key plus 1, or 0 for none; the key; the key of the record. */
function writePosition({ domain, record }: Position): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(domain === null ? 0 : domain.length + 1);
  return Buffer.concat([head, Buffer.from(domain ?? '', 'latin1'), record ?? Buffer.alloc(0)]);
}

function readPosition(cursor: Buffer): Position {
  if (cursor.length < 2) throw invalidCursor();
  const length = cursor.readUInt16BE(0);
  const end = 2 + Math.max(length - 1, 0);
  if (cursor.length < end) throw invalidCursor();
  return {
    domain: length === 0 ? null : cursor.toString('latin1', 2, end),
    record: cursor.length === end ? null : cursor.subarray(end),
  };
}
