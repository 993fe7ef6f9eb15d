/** The calls of the steering of one record set, for the page of a document. */
import type { SteeringBody, SteeringDocument } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { DocumentCalls } from '../edge/site-document.ts';

const STEERING = '/api/v1/domains/{domain_id}/steering/{name}/{type}';
const VERSIONS = `${STEERING}/versions` as const;

/** A record set of a domain. */
export interface RecordSet {
  readonly name: string;
  readonly type: string;
}

/** The document of a set that is not steered. It has the revision 0. */
const newDocument = ({ name, type }: RecordSet): SteeringDocument => ({
  name,
  type,
  ttl: 60,
  pools: [{ name: 'all', answers: [{ content: '', weight: 1 }], health: null }],
  rules: [],
  fallback: ['all'],
  revision: 0,
  updated_at: '',
  health: [],
});

export function steeringCalls(set: RecordSet): DocumentCalls<SteeringDocument, SteeringBody> {
  const pathOf = (path: { readonly domain_id: number }) => ({ ...set, domain_id: path.domain_id });
  return {
    async read({ path }) {
      const result = await settle(api.GET(STEERING, { params: { path: pathOf(path) } }));
      if (result.ok || result.failure.code !== 'no_such_steering') return result;
      return { ok: true, data: newDocument(set), response: new Response() };
    },
    write: ({ path, header }, body) => settle(api.PUT(STEERING, { params: { path: pathOf(path), header }, body })),
    versions: {
      list: ({ path }) => settle(api.GET(VERSIONS, { params: { path: pathOf(path) } })),
      async read({ path }) {
        const params = { path: { ...pathOf(path), revision: path.revision } };
        const result = await settle(api.GET(`${VERSIONS}/{revision}`, { params }));
        return result.ok ? { ...result, data: { ...result.data, health: [] } } : result;
      },
      restore: ({ path, header }) =>
        settle(
          api.POST(`${VERSIONS}/{revision}/restore`, {
            params: { path: { ...pathOf(path), revision: path.revision }, header },
          }),
        ),
    },
  };
}
