/** Lists in pages: `limit` and `cursor` of a request, `next_cursor` and `Link` of a response. */
import { type Id, idAt, idKey } from '../../core/store/keys.ts';
import { HttpError } from './errors.ts';

export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;

export interface Page {
  readonly limit: number;
  /** The end of the previous page; null: the first page. */
  readonly after: Buffer | null;
}

/** Throws HttpError 400. */
export function readPage(query: URLSearchParams): Page {
  const limit = query.get('limit');
  const cursor = query.get('cursor');
  if (limit !== null && !(/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MAX_LIMIT))
    throw new HttpError(400, 'invalid_limit', `"limit" must be a whole number from 1 to ${MAX_LIMIT}.`);
  if (cursor !== null && !/^[A-Za-z0-9_-]{1,1024}$/.test(cursor)) throw invalidCursor();
  return {
    limit: limit === null ? DEFAULT_LIMIT : Number(limit),
    after: cursor === null ? null : Buffer.from(cursor, 'base64url'),
  };
}

/** The id at which the previous page ends; 0, which is before all ids: the first page. */
export function readIdCursor(after: Buffer | null): Id {
  if (after === null) return 0;
  if (after.length !== 8) throw invalidCursor();
  return idAt(after);
}

export const invalidCursor = (): HttpError =>
  new HttpError(
    400,
    'invalid_cursor',
    '"cursor" must be the next_cursor of an earlier response; start again without it.',
  );

/**
 * Sets the Link header (RFC 8288) too. `last`: the key at which this page ends; null: there is no
 * next page.
 */
export function nextCursor(
  last: Uint8Array | null,
  at: { readonly path: string; readonly query: URLSearchParams; readonly headers: Record<string, string> },
): string | null {
  if (last === null) return null;
  const cursor = Buffer.from(last).toString('base64url');
  const query = new URLSearchParams(at.query);
  query.set('cursor', cursor);
  at.headers.Link = `<${at.path}?${query}>; rel="next"`;
  return cursor;
}

/** One page of rows that are sorted by id. Throws HttpError 400. */
export function pageOfIds<Row extends { readonly id: Id }>(
  all: readonly Row[],
  context: Parameters<typeof nextCursor>[1],
): { readonly rows: readonly Row[]; readonly next_cursor: string | null } {
  const { limit, after } = readPage(context.query);
  const start = readIdCursor(after);
  const rest = all.filter(({ id }) => id > start);
  const rows = rest.slice(0, limit);
  const last = rest.length > limit ? idKey(rows[rows.length - 1].id) : null;
  return { rows, next_cursor: nextCursor(last, context) };
}
