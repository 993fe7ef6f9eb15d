/**
 * etcd (Debian's package) for tests, on loopback: one member, which may be killed and started again
 * with its data.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import { type Child, startChild } from '../../support/child.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

export interface EtcdMember {
  readonly endpoint: string;
  /** To it. */
  readonly gateway: EtcdGateway;
  kill(): Promise<void>;
  /** After `kill`. Resolves when it answers. */
  again(): Promise<void>;
  /** With its data. */
  stop(): Promise<void>;
}

export const ETCD = '/usr/bin/etcd';

interface MemberOptions {
  readonly name: string;
  /** Of its data. */
  readonly folder: string;
  /** Where clients come, and where other members do: URLs. */
  readonly endpoint: string;
  readonly peerUrl: string;
  /** `name=peerUrl` of all members, by commas. */
  readonly cluster: string;
}

export function etcdArguments({ name, folder, endpoint, peerUrl, cluster }: MemberOptions): string[] {
  return [
    ...['--name', name, '--data-dir', folder, '--logger', 'zap', '--log-level', 'error'],
    ...['--listen-client-urls', endpoint, '--advertise-client-urls', endpoint],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', cluster],
  ];
}

/** Resolves when it answers, which it does with the majority. Rejects with what it has printed. */
export async function untilHealthy(endpoint: string, child: Child): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20)) {
    if (await isHealthy(endpoint)) return;
    if (child.exited() || Date.now() > deadline) throw new Error(`etcd does not answer:\n${child.output()}`);
  }
}

/** `more`: further arguments. */
export async function startEtcd(more: readonly string[] = []): Promise<EtcdMember> {
  const folder = temporaryFolder('etcd');
  const [client, peer] = [await freePort(), await freePort()];
  const endpoint = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  const own = etcdArguments({ name: 'one', folder, endpoint, peerUrl, cluster: `one=${peerUrl}` });
  // A single member does not wait before it elects itself.
  const args = [...own, '--heartbeat-interval', '10', '--election-timeout', '100', ...more];
  let child: Child;
  const start = async (): Promise<void> => {
    child = startChild(ETCD, args);
    await untilHealthy(endpoint, child);
  };
  await start();
  const gateway = new EtcdGateway({ endpoints: [endpoint], timeout: 2000 });
  return {
    endpoint,
    gateway,
    kill: async () => void (await child.stop('SIGKILL')),
    again: start,
    async stop() {
      await gateway.close();
      await child.stop('SIGKILL');
      removeFolder(folder);
    },
  };
}

async function isHealthy(endpoint: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${endpoint}/health`);
    const text = await body.text();
    return statusCode === 200 && text.includes('true');
  } catch {
    return false;
  }
}
