/** Three members of etcd, each next to a node. Clients talk to them without TLS. */
import { join } from 'node:path';
import type { Place } from '../../test/support/network.ts';
import { ServerProcess } from '../dns/process.ts';
import { firstLine } from '../dns/servers.ts';

const MEMBERS = 3;
const READY_MS = 30_000;

export interface Etcd {
  readonly endpoints: readonly string[];
  readonly processes: readonly ServerProcess[];
}

export const etcdVersion = (): string | null => firstLine('etcd', ['--version']);

/** With empty data in `folder`. Throws an Error with the end of a log when one does not come up. */
export async function startEtcd(places: readonly Place[], folder: string): Promise<Etcd> {
  const members = places.slice(0, MEMBERS).map((host, i) => ({ place: host, name: `etcd-${i + 1}` }));
  const peers = members.map(({ place: host, name }) => `${name}=http://${host.address}:2380`).join(',');
  const processes = members.map(({ place: host, name }) => {
    const [client, peer] = [`http://${host.address}:2379`, `http://${host.address}:2380`];
    const args = [
      ...['--name', name, '--data-dir', join(folder, name), '--logger', 'zap', '--log-level', 'warn'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', peers],
      ...['--auto-compaction-mode', 'revision', '--auto-compaction-retention', '10000'],
    ];
    return host.inside(() => new ServerProcess('etcd', args, join(folder, `${name}.log`)));
  });
  const endpoints = members.map(({ place: host }) => `http://${host.address}:2379`);
  const end = performance.now() + READY_MS;
  for (const endpoint of endpoints)
    while (!(await isHealthy(endpoint))) {
      for (const process of processes) process.assertAlive();
      if (performance.now() > end) throw new Error(`${endpoint} does not answer after ${READY_MS / 1000} s.`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  return { endpoints, processes };
}

async function isHealthy(endpoint: string): Promise<boolean> {
  try {
    return (await (await fetch(`${endpoint}/health`)).text()).includes('true');
  } catch {
    return false;
  }
}
