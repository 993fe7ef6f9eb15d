/**
 * Lists the domains of an account: searched, sorted and counted. A part contains only ids, so that
 * a whole list has all ids before it starts.
 */
import { Steps } from '../../../core/base/steps.ts';
import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { formatHost, type Name } from '../../../core/dns/wire/name.ts';
import { domainsInOrder, ORDER, type Ordered, POSITION } from '../../../core/store/domain-orders.ts';
import { type Id, idAt, nameKey, writeId } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { Account, Domain, Token } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import type { Services } from '../../change/services.ts';
import { invalidCursor, type ListPart, nameCursor, type Page, readNameCursor, type Sort } from '../../http/lists.ts';
import { alphabeticalKey, nameOfApexKey } from './search.ts';
import { searchTextOf } from './search-text.ts';
import { type DomainState, isInState } from './state-filter.ts';

/**
 * The first one is the default: names in canonical order. `alphabetical`: names as people read,
 * from the first letter, in Unicode.
 */
export const DOMAIN_SORTS = ['domain', 'alphabetical', 'created_at', 'updated_at', 'record_count'] as const;
export const SORT_ALIASES = { name: 'domain', records: 'record_count' } as const;
type SortKey = (typeof DOMAIN_SORTS)[number];

interface DomainQuery {
  readonly page: Page;
  readonly sort: Sort<SortKey>;
  /** A part of the names, a result of normalizeSearch. */
  readonly search: string;
}

/** Domains that are read for one part of a filtered list. Such a part may have fewer rows. */
const SCANNED = 2000;
/** Domains between two looks at what was found. */
const SCANNED_PIECE = 250;

/** `token`: of the caller, which may be restricted to domains. Throws HttpError 400. */
export async function listDomains(
  services: Services,
  account: Account,
  token: Pick<Token, 'domains'>,
  { state, ...query }: DomainQuery & { readonly state?: DomainState | undefined },
): Promise<ListPart<Id>> {
  if (state === undefined) return listMatches(services, account, token, query);
  const { limit } = query.page;
  const isFound = (id: Id): boolean => {
    const domain = services.reader.domain(id);
    return domain !== undefined && isInState(services, domain, state);
  };
  const read = (from: Page['after'], wanted: number) =>
    listMatches(services, account, token, { ...query, page: { after: from, limit: wanted } });
  const steps = new Steps();
  const rows: Id[] = [];
  let { after } = query.page;
  for (let scanned = 0; scanned < SCANNED; scanned += SCANNED_PIECE) {
    const piece = await read(after, SCANNED_PIECE);
    for (const [i, id] of piece.rows.entries()) {
      await steps.next();
      if (!isFound(id)) continue;
      rows.push(id);
      // The cursor is that of the last row.
      if (rows.length === limit) return { rows, last: (await read(after, i + 1)).last };
    }
    if (piece.last === null) return { rows, last: null };
    after = Buffer.from(piece.last);
  }
  return { rows, last: after };
}

async function listMatches(
  services: Services,
  account: Account,
  { domains: only }: Pick<Token, 'domains'>,
  { page, sort, search: wanted }: DomainQuery,
): Promise<ListPart<Id>> {
  const isByName = sort.key === 'domain' || sort.key === 'alphabetical';
  if (only !== undefined) {
    const rows = rowsOf(services.reader, account, only).filter(({ apex }) =>
      searchTextOf(formatHost(apex)).includes(wanted),
    );
    return isByName ? sortByName(rows, page, sort) : listByValue(services, rows.map(idOf), page, sort);
  }
  if (isByName) return listByName(services, account, wanted, page, sort);
  if (wanted === '') return listInOrder(services, account, null, page, sort);
  const { ids } = await services.search.find(account.id, { wanted, after: null, limit: Number.POSITIVE_INFINITY });
  return ids.length <= FEW
    ? listByValue(services, ids, page, sort)
    : listInOrder(services, account, new Set(ids), page, sort);
}

/** Up to this number of matches, reading their values takes less than walking along an order. */
const FEW = 1000;

const idOf = ({ id }: { readonly id: Id }): Id => id;

/** Index entries read between two yields: less than a millisecond. */
const INDEX_PIECE = 1000;

/** The ids may belong to other accounts or to deleted domains. */
const rowsOf = (reader: Reader, account: Account, ids: readonly Id[]): Domain[] =>
  ids.flatMap((id) => {
    const domain = reader.domain(id);
    return domain?.accountId === account.id ? [domain] : [];
  });

async function listByName(
  { reader, search }: Services,
  account: Account,
  wanted: string,
  { limit, after: cursor }: Page,
  { key, descending }: Sort<SortKey>,
): Promise<ListPart<Id>> {
  const after = cursor === null ? null : readNameCursor(cursor);
  const isAlphabetical = key === 'alphabetical';
  if (wanted === '' && !descending && !isAlphabetical) {
    const found = await readIndex(reader, account, after, limit + 1);
    const part = found.slice(0, limit);
    const last = found.length > limit ? nameCursor(nameOfApexKey(part[part.length - 1].key)) : null;
    return { rows: part.map(idOf), last, total: reader.usage(account.id).domains };
  }
  const counts = after === null;
  const { ids, last, total } = await search.find(account.id, {
    wanted,
    after,
    limit,
    descending,
    isAlphabetical,
    counts,
  });
  return { rows: ids, last: last === null ? null : nameCursor(last), total };
}

type Indexed = ReturnType<StoreReader['apexKeysOf']>[number];

/** Yields to the event loop. */
async function readIndex(reader: StoreReader, { id }: Account, after: Name | null, limit: number): Promise<Indexed[]> {
  const steps = new Steps();
  const found: Indexed[] = [];
  let key = after === null ? null : latin1(nameKey(after));
  for (;;) {
    const wanted = Math.min(INDEX_PIECE, limit - found.length);
    const piece: Indexed[] = reader.apexKeysOf(id, key, wanted);
    found.push(...piece);
    if (piece.length < wanted || found.length === limit) return found;
    key = piece[piece.length - 1].key;
    await steps.next();
  }
}

/** Sorts the domains of a restricted token, which are few. */
function sortByName(
  all: readonly Domain[],
  { limit, after }: Page,
  { key: by, descending }: Sort<SortKey>,
): ListPart<Id> {
  const keyOf = (apex: Name): string => (by === 'domain' ? latin1(nameKey(apex)) : alphabeticalKey(apex));
  const from = after === null ? null : keyOf(readNameCursor(after));
  const sign = descending ? -1 : 1;
  const compare = (a: string, b: string): number => sign * (a < b ? -1 : a === b ? 0 : 1);
  const rest = all
    .map((row) => ({ row, key: keyOf(row.apex) }))
    .filter(({ key }) => from === null || compare(key, from) > 0)
    .sort((a, b) => compare(a.key, b.key));
  const rows = rest.slice(0, limit).map(({ row }) => row);
  const last = rest.length > limit ? nameCursor(rows[rows.length - 1].apex) : null;
  return { rows: rows.map(idOf), last, total: all.length };
}

interface Position {
  readonly value: number;
  readonly id: Id;
}

const ORDERS = { created_at: ORDER.created, updated_at: ORDER.updated, record_count: ORDER.records } as const;

/** `only`: the domains to list; null: all of the account. Yields to the event loop. */
async function listInOrder(
  { environment, reader }: Services,
  { id: accountId }: Account,
  only: ReadonlySet<Id> | null,
  { limit, after: cursor }: Page,
  { key, descending }: Sort<SortKey>,
): Promise<ListPart<Id>> {
  if (cursor !== null && cursor.length !== POSITION) throw invalidCursor();
  const order = ORDERS[key as keyof typeof ORDERS];
  const steps = new Steps();
  const found: Ordered[] = [];
  let after = cursor;
  for (let isEnd = false; !isEnd && found.length <= limit; await steps.next()) {
    const wanted = only === null ? limit + 1 : INDEX_PIECE;
    const piece = domainsInOrder(environment, accountId, order, { after, descending, limit: wanted });
    for (const each of piece) if (only === null || only.has(each.id)) found.push(each);
    isEnd = piece.length < wanted;
    after = piece.at(-1)?.position ?? after;
  }
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows[limit - 1].position : null;
  return { rows: rows.map(idOf), last, total: only?.size ?? reader.usage(accountId).domains };
}

/** Reads the values of a few domains and sorts them. Yields to the event loop. */
async function listByValue(
  { reader }: Services,
  ids: readonly Id[],
  { limit, after: cursor }: Page,
  { key, descending }: Sort<SortKey>,
): Promise<ListPart<Id>> {
  const after = cursor === null ? null : readPositionCursor(cursor);
  const sign = descending ? -1 : 1;
  const compare = (a: Position, b: Position): number => sign * (a.value - b.value || a.id - b.id);
  const readValue = (id: Id): number => {
    if (key === 'created_at') return reader.domain(id)?.createdAt ?? 0;
    const state = reader.zoneState(id);
    if (key === 'record_count') return state.recordCount;
    return state.updatedAt || (reader.domain(id)?.createdAt ?? 0);
  };
  const steps = new Steps();
  // The first positions after the cursor, sorted: one more than a page.
  const first: Position[] = [];
  for (const [i, id] of ids.entries()) {
    if (i % STEP === 0) await steps.next();
    const position = { value: readValue(id), id };
    if (after !== null && compare(position, after) <= 0) continue;
    if (first.length > limit && compare(position, first[limit]) > 0) continue;
    first.splice(insertionPoint(first, position, compare), 0, position);
    if (first.length > limit + 1) first.pop();
  }
  const chosen = first.slice(0, limit);
  const last = first.length > limit ? positionCursor(chosen[limit - 1]) : null;
  return { rows: chosen.map(idOf), last, total: ids.length };
}

/** Domains whose values are read between two checks of the clock. */
const STEP = 64;

function insertionPoint(
  sorted: readonly Position[],
  position: Position,
  compare: (a: Position, b: Position) => number,
): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(sorted[middle], position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function positionCursor({ value, id }: Position): Buffer {
  const cursor = Buffer.alloc(POSITION);
  cursor.writeUIntBE(value, 0, 6);
  writeId(id, cursor, 6);
  return cursor;
}

function readPositionCursor(cursor: Buffer): Position {
  if (cursor.length !== POSITION) throw invalidCursor();
  return { value: cursor.readUIntBE(0, 6), id: idAt(cursor, 6) };
}
