/** Many clients at all nodes at once, each creating one record after another. */
import type { ServerProcess } from '../dns/process.ts';
import { AdminApi, type DomainRef } from '../writes/api.ts';
import { measureCreations } from '../writes/writers.ts';
import type { Cluster } from './waypost.ts';

export interface ManyResult {
  readonly perSecond: number;
  readonly milliseconds: readonly number[];
  /** Answers other than 200, by status and code. */
  readonly refused: ReadonlyMap<string, number>;
  /**
   * CPU microseconds a write, user and kernel: of all nodes together, of all members of etcd, of
   * the generator.
   */
  readonly cpu: { readonly nodes: number; readonly etcd: number; readonly generator: number };
}

/** Each client has a domain of its own. `label` begins the names, so that two runs don't meet. */
export async function measureMany(
  { nodes, etcd, token }: Cluster,
  domains: readonly DomainRef[],
  seconds: number,
  label: string,
): Promise<ManyResult> {
  const share = domains.length / nodes.length;
  const apis = nodes.map(({ daemon }) => new AdminApi(daemon.url, token, share));
  const spent = (of: readonly ServerProcess[]): number =>
    of.reduce((sum, serverProcess) => sum + serverProcess.cpuSeconds(), 0);
  const own = (): number => Object.values(process.cpuUsage()).reduce((sum, value) => sum + value, 0) / 1e6;
  const now = () => [spent(nodes.map((node) => node.process)), spent(etcd.processes), own()];
  const before = now();
  const each = await Promise.all(
    apis.map((api, i) =>
      measureCreations(api, domains.slice(i * share, (i + 1) * share), share, seconds, `${label}-${i}`),
    ),
  );
  const after = now();
  for (const api of apis) await api.close();
  const milliseconds = each.flatMap((creation) => creation.milliseconds);
  const refused = new Map<string, number>();
  for (const creation of each)
    for (const [what, count] of creation.refused) refused.set(what, (refused.get(what) ?? 0) + count);
  const [ofNodes, ofEtcd, generator] = after.map((figure, i) => ((figure - before[i]) * 1e6) / milliseconds.length);
  return {
    perSecond: each.reduce((sum, creation) => sum + creation.perSecond, 0),
    milliseconds,
    refused,
    cpu: { nodes: ofNodes, etcd: ofEtcd, generator },
  };
}

export async function createDomains({ nodes, token }: Cluster, count: number): Promise<DomainRef[]> {
  const api = new AdminApi(nodes[0].daemon.url, token, 8);
  const domains = await Promise.all(Array.from({ length: count }, (_, i) => api.createDomain(`many${i}.example`)));
  await api.close();
  return domains;
}
