/** Reads lists of the API in pages, so that a long list is never completely in memory. */
import type { ParamsOf, PathsOf, ResponseOf, RouteAt } from '../../http/client.ts';
import type { NoParameters } from '../../http/query.ts';
import type { ApiRoute } from '../../routes/routes.ts';
import type { ApiClient } from './client.ts';

const MAX_PAGE = 1000;

type Path = PathsOf<ApiRoute, 'GET'>;
type Listed<P extends Path> = ResponseOf<RouteAt<ApiRoute, 'GET', P>>;
/** The fields of a response that are lists. */
type Key<P extends Path> = {
  [K in keyof Listed<P>]: Listed<P>[K] extends readonly unknown[] ? K : never;
}[keyof Listed<P>];
type Row<P extends Path, K extends Key<P>> = Listed<P>[K] extends readonly (infer R)[] ? R : never;
type Params<P extends Path> = ParamsOf<RouteAt<ApiRoute, 'GET', P>>;
type Arguments<P extends Path> = NoParameters extends Params<P> ? [params?: Params<P>] : [params: Params<P>];

/** Yields the rows in the field `key`. `limit` is per page. */
export async function* pages<const P extends Path, K extends Key<P>>(
  api: ApiClient,
  path: P,
  key: K,
  ...[params]: Arguments<P>
): AsyncGenerator<readonly Row<P, K>[]> {
  const get = api.GET as unknown as (path: P, call: object) => Promise<Listed<P> & { readonly next_cursor?: string }>;
  let cursor: string | undefined;
  do {
    const query = { limit: MAX_PAGE, ...(params?.query as object | undefined), cursor };
    const body = await get(path, { params: { ...params, query } });
    yield body[key] as readonly Row<P, K>[];
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Like `pages`, row by row. */
export async function* rows<const P extends Path, K extends Key<P>>(
  api: ApiClient,
  path: P,
  key: K,
  ...params: Arguments<P>
): AsyncGenerator<Row<P, K>> {
  for await (const page of pages(api, path, key, ...params)) yield* page;
}
