/** Metrics of the state of this node in its cluster. */
import type { Registry } from '../base/metrics/registry.ts';
import { FEATURE_LEVEL } from '../journal/feature-level.ts';
import { STATES } from './cluster-state.ts';
import type { Standing } from './lag.ts';

export function clusterMetrics(registry: Registry, standing: () => Standing): void {
  const gauge = (name: string, help: string, of: (now: Standing) => number | null): void =>
    registry.read('gauge', `waypost_cluster_${name}`, help, [], (emit) => {
      const value = of(standing());
      if (value !== null) emit(value);
    });
  gauge('lag_entries', 'Changes of other nodes that this node has not applied yet.', (now) => {
    return now.lagEntries;
  });
  gauge(
    'lag_seconds',
    'Maximum time for which this node may have missed changes of other nodes.',
    (now) => now.lagSeconds,
  );
  gauge(
    'etcd_contact_age_seconds',
    'Time since the last response of etcd, or since the start of this node.',
    (now) => now.etcdSeconds ?? process.uptime(),
  );
  gauge('etcd_size_bytes', "Size of etcd's database file, reported by the member that this node uses.", (now) => {
    return now.etcd?.size ?? null;
  });
  gauge('etcd_used_bytes', 'Used part of the database file; "etcdctl defrag" frees the rest.', (now) => {
    return now.etcd?.used ?? null;
  });
  gauge(
    'etcd_quota_bytes',
    'Maximum size of the database file; absent before etcd 3.6, which does not report it.',
    (now) => {
      return now.etcd?.quota ?? null;
    },
  );
  gauge('etcd_full', '1 if a member of etcd has reached its quota, so that all writes fail.', (now) => {
    return now.etcd === null ? null : Number(now.etcd.isFull);
  });
  gauge(
    'feature_level',
    'Feature level that all nodes have agreed on; absent before etcd has been read.',
    (now) => now.agreedLevel,
  );
  gauge('own_feature_level', 'Feature level of the version of this node.', () => FEATURE_LEVEL);
  gauge('damaged_values', 'Values in etcd that are damaged now; they are read again.', (now) => now.damagedValues);
  gauge('pending_peers', 'Nodes that have not applied all changes of this node.', (now) => now.pending.length);
  registry.read(
    'gauge',
    'waypost_cluster_state',
    'State of this node: 1 for the current state, 0 for all others.',
    ['state'],
    (emit) => {
      const { state } = standing();
      for (const name of STATES) emit(name === state ? 1 : 0, name);
    },
  );
}
