/** How a cluster stands, as one of its nodes can find out without its daemon. */
import { request } from 'undici';
import type { Config } from '../config/index.ts';
import { EtcdGateway } from '../etcd/gateway.ts';
import type { EtcdStorage } from '../etcd/messages.ts';
import { EtcdLog } from '../journal/etcd/shared-log.ts';
import { etcdSettings, peerTls } from './files.ts';
import { type Member, readMembers } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';

export interface NodeStatus extends Member {
  /** Others wait for it. */
  readonly isLive: boolean;
  /** Of the last entry that it has applied; null: it does not answer. */
  readonly applied: number | null;
}

export interface ClusterStatus {
  /** Of the last entry; 0: there is none. */
  readonly head: number;
  /** The log reaches back to here. */
  readonly floor: number;
  readonly nodes: readonly NodeStatus[];
  /** Null: etcd does not say, or not to this node. */
  readonly etcd: EtcdStorage | null;
}

const PATIENCE = 3000;
/** No entry has this sequence. */
const BEYOND = 2 ** 48 - 1;

/** Rejects with ConfigError, EtcdUnavailable and EtcdRefused. */
export async function clusterStatus(config: Pick<Config, 'etcd' | 'peer' | 'dataDir'>): Promise<ClusterStatus> {
  const tls = peerTls(config);
  const gateway = new EtcdGateway(etcdSettings(config));
  try {
    const { prefix } = config.etcd;
    const { known, live } = await readMembers(gateway, prefix);
    const nodes = await Promise.all(
      [...known.values()].map(async (member) => ({
        ...member,
        isLive: live.has(member.name),
        applied: await appliedBy(member, tls),
      })),
    );
    const { head, floor } = await new EtcdLog(gateway, prefix).read(BEYOND);
    const storage = await gateway.storage().catch(() => null);
    return { head: head?.sequence ?? 0, floor, nodes, etcd: storage };
  } finally {
    await gateway.close();
  }
}

async function appliedBy({ name, address }: Member, tls: PeerTls): Promise<number | null> {
  const agent = peerAgent(name, tls, { connect: PATIENCE });
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const { body } = await request(`https://${address}/v1/applied`, { dispatcher: agent, signal });
    for await (const chunk of body) {
      const { applied } = JSON.parse(String(chunk).split('\n')[0]) as { applied?: unknown };
      return typeof applied === 'number' ? applied : null;
    }
    return null;
  } catch {
    return null;
  } finally {
    await agent.destroy();
  }
}
