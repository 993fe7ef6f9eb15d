/** The calls of a document by its name in paths, typed from its routes. */
import type { Outcome, RequestOf, ResponseOf } from '../../http/client.ts';
import type { ApiRoute } from '../../routes/routes.ts';
import { api, settle } from '../api.ts';
import type { DocumentCalls, VersionCalls } from './site-document.ts';

type PathOf<Name extends string> = `/api/v1/domains/{domain_id}/proxy/${Name}`;

/** The names of documents: the paths that a PUT replaces and whose response has a revision. */
type NameOf<R extends ApiRoute> = R extends { readonly method: 'PUT'; readonly path: PathOf<infer Name> }
  ? ResponseOf<R> extends { readonly revision: number }
    ? Name
    : never
  : never;
type VersionedNameOf<R extends ApiRoute> = R extends { readonly path: PathOf<`${infer Name}/versions`> } ? Name : never;

type ContentOf<Name extends string> = ResponseOf<
  Extract<ApiRoute, { readonly method: 'GET'; readonly path: PathOf<Name> }>
>;
type BodyOf<Name extends string> = RequestOf<
  Extract<ApiRoute, { readonly method: 'PUT'; readonly path: PathOf<Name> }>
>;

/** The client for paths that are known by their type only. */
const client = api as unknown as Record<
  'GET' | 'POST' | 'PUT',
  (path: string, call: object) => Promise<Outcome<never>>
>;

const pathOf = (name: string): string => `/api/v1/domains/{domain_id}/proxy/${name}`;

export function documentCalls<Name extends NameOf<ApiRoute>>(name: Name): DocumentCalls<ContentOf<Name>, BodyOf<Name>> {
  const path = pathOf(name);
  return {
    read: (params) => settle(client.GET(path, { params })),
    write: (params, body) => settle(client.PUT(path, { params, body })),
  };
}

export function versionedCalls<Name extends VersionedNameOf<ApiRoute> & NameOf<ApiRoute>>(
  name: Name,
): DocumentCalls<ContentOf<Name>, BodyOf<Name>> {
  const path = `${pathOf(name)}/versions`;
  const versions: VersionCalls<ContentOf<Name>> = {
    list: (params) => settle(client.GET(path, { params })),
    read: (params) => settle(client.GET(`${path}/{revision}`, { params })),
    restore: (params) => settle(client.POST(`${path}/{revision}/restore`, { params })),
  };
  return { ...documentCalls(name), versions };
}
