/** Reads lists of the API in pages, so that a long list is never completely in memory. */
import { type ApiClient, asObject, asText, type Json } from './client.ts';

const MAX_PAGE = 1000;

export type Query = { readonly [name: string]: string | undefined };

/**
 * Yields the rows in the field `key`. Undefined parameters of `query` are omitted; `limit` is per
 * page.
 */
export async function* pages(
  api: ApiClient,
  path: string,
  key: string,
  query: Query = {},
): AsyncGenerator<readonly Json[]> {
  let cursor: string | undefined;
  do {
    const body = await api.json({
      method: 'GET',
      path: path + formatQuery({ limit: `${MAX_PAGE}`, ...query, cursor }),
    });
    yield rowsOf(body[key]);
    cursor = asText(body.next_cursor);
  } while (cursor !== undefined);
}

/** Like `pages`, row by row. */
export async function* rows(api: ApiClient, path: string, key: string, query?: Query): AsyncGenerator<Json> {
  for await (const page of pages(api, path, key, query)) yield* page;
}

/** The objects in a list; empty if `value` is not a list. */
export function rowsOf(value: unknown): Json[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map(asObject).filter((row) => row !== undefined);
}

function formatQuery(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return `?${parameters}`;
}
