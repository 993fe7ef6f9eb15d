/** etcd (Debian's package) for tests, on loopback: one member, which may be killed and started again with its data. */

import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { type Child, startChild } from '../support/child.ts';
import { freePort } from '../support/ports.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';

const READY_MS = 30_000;

export interface EtcdMember {
  readonly endpoint: string;
  kill(): Promise<void>;
  /** After `kill`. Resolves when it answers. */
  again(): Promise<void>;
  /** With its data. */
  stop(): Promise<void>;
}

/** `more`: further arguments. */
export async function startEtcd(more: readonly string[] = []): Promise<EtcdMember> {
  const folder = temporaryFolder('etcd');
  const [client, peer] = [await freePort(), await freePort()];
  const endpoint = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  const args = [
    ...['--name', 'one', '--data-dir', folder, '--logger', 'zap', '--log-level', 'error'],
    ...['--listen-client-urls', endpoint, '--advertise-client-urls', endpoint],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `one=${peerUrl}`],
    ...more,
  ];
  let child: Child;
  const start = async (): Promise<void> => {
    child = startChild('/usr/bin/etcd', args);
    for (const deadline = Date.now() + READY_MS; ; await sleep(20)) {
      if (await isHealthy(endpoint)) return;
      if (child.exited() || Date.now() > deadline) throw new Error(`etcd does not answer:\n${child.output()}`);
    }
  };
  await start();
  return {
    endpoint,
    kill: async () => void (await child.stop('SIGKILL')),
    again: start,
    async stop() {
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
