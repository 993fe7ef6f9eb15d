/** The status of a cluster, as a node can determine it without its daemon. */
import type { Config } from '../config/index.ts';
import { EtcdLog } from '../journal/etcd/shared-log.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { type ClusterState, fetchReport, type NodeStatus, readNodes } from './cluster-state.ts';
import { etcdSettings, peerTls } from './files.ts';
import { readMembers } from './members.ts';

export interface ClusterStatus extends ClusterState<NodeStatus> {
  /** Sequence of the first entry that the log still has. */
  readonly floor: number;
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
    const nodes = await readNodes(members.values(), live, (member) => fetchReport(member, tls));
    const { head, floor } = await new EtcdLog(gateway, prefix).read(BEYOND);
    const etcd = await gateway.storage().catch(() => null);
    return { head: head?.sequence ?? 0, floor, nodes, agreedLevel, etcd };
  } finally {
    await gateway.close();
  }
}
