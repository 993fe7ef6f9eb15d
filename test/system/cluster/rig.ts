/** Several daemons on one etcd, on this machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_PASSWORD, type Daemon, type Launch, startDaemon } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { type EtcdMember, startEtcd } from '../peers/etcd.ts';
import { credentialsIn, inviteNode } from './credentials.ts';

export interface ClusterRig {
  readonly etcd: EtcdMember;
  readonly nodes: readonly Daemon[];
  /** One more; it has logged in. */
  add(): Promise<Daemon>;
  close(): Promise<void>;
}

type Settings = Record<string, string>;

/**
 * Nodes a, b, c …; each has logged in. `settings`: those of all, or by name; `etcdArgs`: further
 * arguments of etcd.
 */
export async function startCluster(
  count: number,
  settings: Settings | ((name: string) => Settings) = {},
  etcdArgs: readonly string[] = [],
  launch: Launch = {},
): Promise<ClusterRig> {
  const folder = temporaryFolder('cluster');
  const credentials = credentialsIn(folder);
  const etcd = await startEtcd(etcdArgs);
  const nodes: Daemon[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.close()));
    await etcd.stop();
    removeFolder(folder);
  };
  const add = async (): Promise<Daemon> => {
    const name = 'abcdefgh'[nodes.length];
    const own = credentials(name);
    await inviteNode(etcd.gateway, own);
    const node = await startDaemon(
      {
        WAYPOST_ETCD_ENDPOINTS: etcd.endpoint,
        WAYPOST_PEER_LISTEN: `127.0.0.1:${await freePort()}`,
        ...own,
        ...(typeof settings === 'function' ? settings(name) : settings),
      },
      launch,
    );
    nodes.push(node);
    await node.api.logIn('admin', ADMIN_PASSWORD);
    for (const daemon of nodes) await untilKnown(daemon, nodes.length);
    return node;
  };
  try {
    while (nodes.length < count) await add();
  } catch (error) {
    await close();
    throw error;
  }
  return { etcd, nodes, add, close };
}

/** Resolves when the node has heard from so many, itself among them. */
async function untilKnown({ api }: Daemon, count: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    const { body } = await api.call('GET', '/api/v1/changes/1');
    if ((body.applied as string[]).length === count) return;
    if (Date.now() > deadline) throw new Error(`of ${count} nodes it knows ${JSON.stringify(body)}`);
  }
}
