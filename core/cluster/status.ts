/** The status of a cluster, as a node can determine it without its daemon. */
import type { Config } from '../config/index.ts';
import { EtcdLog } from '../journal/etcd/shared-log.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import type { EtcdStorage } from '../journal/etcd-client/messages.ts';
import { FIRST_LEVEL } from '../journal/feature-level.ts';
import { etcdSettings, peerTls } from './files.ts';
import { type Member, readMembers } from './members.ts';
import { fetchReport, type NodeReport } from './node-report.ts';

/** Null fields: the node does not respond. */
type MaybeReport = { readonly [K in keyof NodeReport]: NodeReport[K] | null };

export interface NodeStatus extends Member, MaybeReport {
  readonly level: number;
  /** Whether writes wait for the node. */
  readonly isLive: boolean;
}

const NO_REPORT: MaybeReport = { applied: null, state: null, lagSeconds: null, startedAt: null };

export interface ClusterStatus {
  /** Sequence of the last entry; 0: none. */
  readonly head: number;
  /** Sequence of the first entry that the log still has. */
  readonly floor: number;
  readonly nodes: readonly NodeStatus[];
  /** The feature level that the nodes have agreed on. */
  readonly agreedLevel: number;
  /** Null: etcd does not report it, or refuses this node. */
  readonly etcd: EtcdStorage | null;
}

/** No entry has this sequence. */
const BEYOND = 2 ** 48 - 1;

/** Rejects with ConfigError, EtcdUnavailable and EtcdRefused. */
export async function clusterStatus(config: Pick<Config, 'etcd' | 'peer' | 'dataDir'>): Promise<ClusterStatus> {
  const tls = peerTls(config);
  const gateway = new EtcdGateway(etcdSettings(config));
  try {
    const { prefix } = config.etcd;
    const { nodes: members, live, agreedLevel } = await readMembers(gateway, prefix);
    const nodes = await Promise.all(
      [...members.values()].map(async (member) => ({
        ...member,
        level: member.level ?? FIRST_LEVEL,
        isLive: live.has(member.name),
        ...((await fetchReport(member, tls)) ?? NO_REPORT),
      })),
    );
    const { head, floor } = await new EtcdLog(gateway, prefix).read(BEYOND);
    const storage = await gateway.storage().catch(() => null);
    return { head: head?.sequence ?? 0, floor, nodes, agreedLevel, etcd: storage };
  } finally {
    await gateway.close();
  }
}
