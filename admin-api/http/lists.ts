/**
 * Pages, sort orders and searches of lists. `limit` and `cursor` select a page; without both, the
 * response has the whole list. The response has `next_cursor` (list-reply.ts).
 */
import { Type } from '@sinclair/typebox';
import { InvalidError } from '../../core/base/errors.ts';
import { count, orNull } from '../../core/base/schema.ts';
import { formatName, type Name, parseName } from '../../core/dns/wire/name.ts';
import { type Id, idAt, idKey } from '../../core/store/keys.ts';
import { HttpError } from './errors.ts';
import { parameter, type Query } from './query.ts';

/** Entries of a page if the request has `cursor` but no `limit`. */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;
/** Entries of a list without `limit` and `cursor`. */
export const MAX_WHOLE = 10_000;

export interface Page {
  readonly limit: number;
  /** The end of the previous page; null: the first page. */
  readonly after: Buffer | null;
}

/** Query parameters of lists. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description:
        'the maximum number of items of a page, 1 to 1000; 100 with `cursor` alone; without both, the list is whole, up to 10,000 items',
    }),
  ),
  cursor: parameter(
    Type.Optional(Type.String({ description: 'the next_cursor of the previous page' })),
    (text): Buffer | null => {
      if (text === undefined) return null;
      if (!/^[A-Za-z0-9_-]{1,1024}$/.test(text)) throw invalidCursor();
      return Buffer.from(text, 'base64url');
    },
  ),
};

export type PageQuery = Query<typeof pageQuery>;

/** Fields of the response to a list. */
export const pageFields = {
  next_cursor: orNull(Type.String(), 'the cursor of the next page; null: nothing follows'),
  total: orNull(
    count(''),
    'the number of items on all pages; null on later pages, and where counting would read the whole list',
  ),
};

/** Null: the client requests the whole list. */
export const pageOf = ({ limit, cursor }: PageQuery): Page | null =>
  limit === undefined && cursor === null ? null : { limit: limit ?? DEFAULT_LIMIT, after: cursor };

/** The id at which the previous page ends; 0, which is before all ids: the first page. */
export function readIdCursor(after: Buffer | null): Id {
  if (after === null) return 0;
  if (after.length !== 8) throw invalidCursor();
  return idAt(after);
}

/** A key of a sort order, and its direction. */
export interface Sort<K extends string> {
  readonly key: K;
  readonly descending: boolean;
}

/** By default, the first of `keys`, ascending. `aliases`: further names of keys. */
export const sortQuery = <const K extends string, const A extends string = never>(
  keys: readonly K[],
  aliases: Readonly<Record<A, K>> = {} as Record<A, K>,
) => ({
  sort: parameter(
    Type.Optional(
      Type.Unsafe<K | A | `-${K | A}`>({
        type: 'string',
        enum: [...keys, ...Object.keys(aliases)].flatMap((key) => [key, `-${key}`]),
        description: `the order, descending with "-"; the default is "${keys[0]}"`,
      }),
    ),
    (text) => readSort<K>(text, keys, aliases),
  ),
});

function readSort<K extends string>(
  text: string | undefined,
  keys: readonly K[],
  aliases: Readonly<Record<string, K>>,
): Sort<K> {
  if (text === undefined) return { key: keys[0], descending: false };
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  const key = Object.hasOwn(aliases, name) ? aliases[name] : keys.find((each) => each === name);
  if (key !== undefined) return { key, descending };
  throw new HttpError(
    400,
    'invalid_sort',
    `"sort" must be one of ${keys.join(', ')}, with "-" in front for descending order.`,
  );
}

/** Whether one of the texts contains `q`, in any case. */
export type Search = (...texts: readonly string[]) => boolean;

/** Null: `q` is empty or omitted. */
function readSearch(text = ''): Search | null {
  const wanted = text.normalize().toLowerCase();
  return wanted === '' ? null : (...texts) => texts.some((each) => each.toLowerCase().includes(wanted));
}

/** `what`: the names of the searched fields, for the description. */
export const searchQuery = (what: string) => searchBy(what, readSearch);

/** A search that compares texts in another way. */
export const searchBy = <V>(what: string, read: (text: string | undefined) => V) => ({
  q: parameter(
    Type.Optional(Type.String({ description: `only items whose ${what} contains this text, in any case` })),
    read,
  ),
});

export const invalidCursor = (): HttpError =>
  new HttpError(
    400,
    'invalid_cursor',
    '"cursor" must be the next_cursor of an earlier response; start again without it.',
  );

export const cursorOf = (last: Uint8Array | null): string | null =>
  last === null ? null : Buffer.from(last).toString('base64url');

/**
 * Sets the Link header (RFC 8288) too. `last`: the key at which this page ends; null: there is no
 * next page.
 */
export function nextCursor(
  last: Uint8Array | null,
  at: { readonly path: string; readonly parameters: URLSearchParams; readonly headers: Record<string, string> },
): string | null {
  const cursor = cursorOf(last);
  if (cursor === null) return null;
  const parameters = new URLSearchParams(at.parameters);
  parameters.set('cursor', cursor);
  at.headers.Link = `<${at.path}?${parameters}>; rel="next"`;
  return cursor;
}

/** A part of a list, in its order. */
export interface ListPart<Row, More extends object = object> {
  /** At most `limit` rows. A part may have fewer rows although more follow. */
  readonly rows: readonly Row[];
  /** The key at which the part ends; null: nothing follows. */
  readonly last: Uint8Array | null;
  /** The number of all rows, in the first part only; omitted or null: not counted. */
  readonly total?: number | null;
  /** Further fields of the response. Only those of the first part are used. */
  readonly more?: More;
}

export interface ListReader<Row, More extends object = object> {
  /** Throws HttpError 400 for a malformed cursor. */
  read(page: Page): ListPart<Row, More> | Promise<ListPart<Row, More>>;
  /** Maximum rows of a part of a whole list; omitted: MAX_PART in list-reply.ts. */
  readonly maxPart?: number;
}

/** A list whose rows are all in memory, sorted by id. */
export function listOfIds<Row extends { readonly id: Id }>(all: readonly Row[]): ListReader<Row> {
  return {
    maxPart: MAX_WHOLE,
    read({ limit, after }) {
      const start = readIdCursor(after);
      const rest = all.filter(({ id }) => id > start);
      const rows = rest.slice(0, limit);
      return { rows, last: rest.length > limit ? idKey(rows[rows.length - 1].id) : null, total: all.length };
    },
  };
}

/** Sorting compares the first characters of a text, in lower case. */
const SORTED_CHARACTERS = 100;

interface ListQuery<K extends string> {
  readonly sort: Sort<K>;
  readonly q: Search | null;
}

interface SmallList<Row, K extends string> {
  /** The values by which the rows can be sorted. */
  readonly sorts: Readonly<Record<K, (row: Row) => string | number>>;
  /** The texts that `q` searches. */
  texts(row: Row): readonly string[];
}

/** A list whose rows are all in memory: searched, sorted and counted. */
export function listOfRows<Row extends { readonly id: Id }, const K extends string>(
  all: readonly Row[],
  { sort: { key, descending }, q: matches }: ListQuery<K>,
  { sorts, texts }: SmallList<Row, K>,
): ListReader<Row> {
  const found = matches === null ? all : all.filter((row) => matches(...texts(row)));
  const sign = descending ? -1 : 1;
  const compare = (a: Position, b: Position): number =>
    sign * (a.value < b.value ? -1 : a.value > b.value ? 1 : a.id - b.id);
  return {
    maxPart: MAX_WHOLE,
    read({ limit, after }) {
      const from = after === null ? null : readPosition(after);
      const rest = found
        .map((row) => ({ row, value: sortable(sorts[key](row)), id: row.id }))
        .filter((position) => from === null || compare(position, from) > 0)
        .sort(compare);
      const page = rest.slice(0, limit);
      const last = rest.length > limit ? positionKey(page[page.length - 1]) : null;
      return { rows: page.map(({ row }) => row), last, total: found.length };
    },
  };
}

interface Position {
  readonly value: string;
  readonly id: Id;
}

/**
 * Text that sorts like the value. It is well-formed Unicode, because it becomes part of a cursor.
 */
const sortable = (value: string | number): string =>
  typeof value === 'number'
    ? String(value).padStart(16, '0')
    : Buffer.from(value.toLowerCase().slice(0, SORTED_CHARACTERS)).toString();

const positionKey = ({ value, id }: Position): Buffer => Buffer.concat([idKey(id), Buffer.from(value)]);

function readPosition(cursor: Buffer): Position {
  if (cursor.length < 8) throw invalidCursor();
  return { id: idAt(cursor), value: cursor.toString('utf8', 8) };
}

/** The position behind a domain in a list by name. */
export const nameCursor = (apex: Name): Buffer => Buffer.from(formatName(apex));

/** Throws HttpError 400. */
export function readNameCursor(cursor: Buffer): Name {
  try {
    return parseName(cursor.toString('latin1'));
  } catch (error) {
    if (error instanceof InvalidError) throw invalidCursor();
    throw error;
  }
}
