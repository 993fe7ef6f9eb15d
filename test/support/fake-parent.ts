/** The parent zone `example` with two nameservers, and a resolver that returns their addresses. */
import type { Answer } from 'dns-packet';
import { FakeServer, type Handler, RA } from './fake-dns.ts';
import { freePort } from './ports.ts';

/** Addresses of the resolver and the two nameservers. */
const RESOLVER = '127.0.0.1';
const HOSTS = ['127.0.0.2', '127.0.0.3'];

export const soa = (name: string): Answer => ({
  ...{ type: 'SOA', name, ttl: 900 },
  data: { mname: 'a', rname: 'b', serial: 1, minimum: 40 },
});

/** Handler of the resolver. */
export const resolve: Handler = (name, type) => {
  const flags = RA;
  if (type === 'SOA' && name === 'example') return { flags, answers: [soa('example')] };
  if (type === 'SOA') return { flags, answers: [], authorities: [soa('example')] };
  if (type === 'NS')
    return {
      flags,
      answers: ['ns1', 'ns2'].map((host): Answer => ({ type: 'NS', name, ttl: 60, data: `${host}.example` })),
    };
  if (type === 'A')
    return { flags, answers: [{ type: 'A', name, ttl: 60, data: HOSTS[name.startsWith('ns1') ? 0 : 1] }] };
  return { flags, answers: [], authorities: [soa('example')] };
};

export interface FakeParent {
  /** The first server is the resolver. */
  readonly servers: readonly FakeServer[];
  /** Port of all servers. */
  readonly port: number;
  readonly resolvers: readonly string[];
}

/** Serves while `use` runs. `handlers`: handlers of the nameservers. */
export async function withParent<T>(
  handlers: readonly Handler[],
  use: (parent: FakeParent) => Promise<T>,
  resolver: Handler = resolve,
): Promise<T> {
  const port = await freePort();
  const servers = [resolver, ...handlers].map((handler) => new FakeServer(handler));
  await Promise.all(servers.map((server, i) => server.listen([RESOLVER, ...HOSTS][i], port)));
  try {
    return await use({ servers, port, resolvers: [`${RESOLVER}:${port}`] });
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}
