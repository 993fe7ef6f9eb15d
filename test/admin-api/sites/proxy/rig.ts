/** An API with a table as resolver, and a domain with some records. */
import type { Resolve } from '../../../../admin-api/sites/proxy/bounded.ts';
import type { CallOptions } from '../../call-options.ts';
import { type Answer, type Daemon, type Json, startDaemon } from '../../daemon.ts';

export interface Rig {
  readonly daemon: Daemon;
  /** Host name to addresses, or to an error code. */
  readonly hosts: Map<string, readonly string[] | string>;
  /** Names that were queried. */
  readonly queries: string[];
  /** Creates a domain with records of the form `www A 203.0.113.7`; returns its id. */
  domain(name: string, records?: readonly string[], token?: string): Promise<string>;
  /** A request below `/api/v1/domains/{id}/proxy`. */
  proxy(method: string, id: string, path?: string, json?: unknown, options?: CallOptions): Promise<Answer>;
}

export async function startRig(
  transport: 'uws' | 'node' | 'auto' = 'auto',
  settings: Record<string, string> = {},
): Promise<Rig> {
  const hosts: Rig['hosts'] = new Map();
  const queries: string[] = [];
  const resolve: Resolve = async (name) => {
    queries.push(name);
    const found = hosts.get(name) ?? 'ENOTFOUND';
    if (typeof found === 'string') throw Object.assign(new Error(`queryA ${found}`), { code: found });
    return found;
  };
  const daemon = await startDaemon(transport, settings, resolve);
  return {
    daemon,
    hosts,
    queries,
    async domain(name, records = [], token) {
      const { body } = await daemon.call('POST', '/api/v1/domains', { json: { domain: name }, token });
      const id = String(body.domain.id);
      if (records.length > 0) {
        const post = records.map((record) => {
          const [, owner, type, content, flag] = /^(\S+) (\S+) (.*?)(?: proxied=(true|false))?$/.exec(record)!;
          return { name: owner, type, content, ...(flag === undefined ? {} : { proxied: flag === 'true' }) };
        });
        const path = `/api/v1/domains/${id}/records/batch`;
        const made = await daemon.call('POST', path, { json: { delete: [], put: [], post }, token });
        if (made.status !== 200) throw new Error(made.text);
      }
      return id;
    },
    proxy: (method, id, path = '', json, options = {}) =>
      daemon.call(method, `/api/v1/domains/${id}/proxy${path}`, { ...options, json }),
  };
}

/** Code and pointer of an error. */
export const faultOf = ({ status, body }: Answer): [number, string, string | undefined] => [
  status,
  String(body.error?.code),
  body.error?.pointer as Json & (string | undefined),
];
