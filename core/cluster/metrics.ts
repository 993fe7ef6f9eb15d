/** How this node stands in its cluster. */
import type { Registry } from '../base/metrics/registry.ts';

/** Takes in core/cluster's Standing. */
export interface ClusterSource {
  readonly state: string;
  readonly lagEntries: number;
  readonly lagSeconds: number;
  readonly etcdSeconds: number | null;
  readonly storage: {
    readonly size: number;
    readonly used: number;
    readonly quota: number | null;
    readonly isFull: boolean;
  } | null;
  readonly pending: readonly string[];
}

export function clusterMetrics(registry: Registry, states: readonly string[], standing: () => ClusterSource): void {
  const gauge = (name: string, help: string, of: (now: ClusterSource) => number | null): void =>
    registry.read('gauge', `waypost_cluster_${name}`, help, [], (emit) => {
      const value = of(standing());
      if (value !== null) emit(value);
    });
  gauge('lag_entries', 'Changes that the others are known to have and this node has not applied.', (now) => {
    return now.lagEntries;
  });
  gauge('lag_seconds', 'For so long others may have known more than this node serves.', (now) => now.lagSeconds);
  gauge('etcd_contact_age_seconds', 'Since etcd has answered; none: it has not since the start.', (now) => {
    return now.etcdSeconds;
  });
  gauge('etcd_size_bytes', "Of the file of etcd's database, as the member says that this node asks.", (now) => {
    return now.storage?.size ?? null;
  });
  gauge('etcd_used_bytes', 'What of that is in use; the rest comes back by "etcdctl defrag".', (now) => {
    return now.storage?.used ?? null;
  });
  gauge('etcd_quota_bytes', 'What the file may grow to; none: etcd does not say (before 3.6).', (now) => {
    return now.storage?.quota ?? null;
  });
  gauge('etcd_full', '1: a member of etcd has reached its quota, and nothing can be written.', (now) => {
    return now.storage === null ? null : Number(now.storage.isFull);
  });
  gauge('pending_peers', 'Nodes that have not applied all that this one has.', (now) => now.pending.length);
  registry.read('gauge', 'waypost_cluster_state', 'What this node does: one is 1.', ['state'], (emit) => {
    const { state } = standing();
    for (const one of states) emit(one === state ? 1 : 0, one);
  });
}
