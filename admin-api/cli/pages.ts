/** Lists of the API, a page at a time, so that a long one is never in memory whole. */
import { type ApiClient, asObject, asText, type Json } from './client.ts';

const LARGEST_PAGE = 1000;

export type Query = { readonly [name: string]: string | undefined };

/** The rows under `key`, page after page. What `query` leaves undefined is not asked for; its `limit` is that of a page. */
export async function* pages(
  api: ApiClient,
  path: string,
  key: string,
  query: Query = {},
): AsyncGenerator<readonly Json[]> {
  let cursor: string | undefined;
  do {
    const body = await api.json({ method: 'GET', path: path + search({ limit: `${LARGEST_PAGE}`, ...query, cursor }) });
    yield rowsOf(body[key]);
    cursor = asText(body.next_cursor);
  } while (cursor !== undefined);
}

/** As `pages`, row by row. */
export async function* rows(api: ApiClient, path: string, key: string, query?: Query): AsyncGenerator<Json> {
  for await (const page of pages(api, path, key, query)) yield* page;
}

/** The objects of a list. */
export function rowsOf(value: unknown): Json[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map(asObject).filter((row) => row !== undefined);
}

function search(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
  return `?${given}`;
}
