/** The admin API with a journal in etcd. */

import { openEtcdJournal } from '../../../core/journal/etcd/etcd-journal.ts';
import { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import { type Daemon, startDaemon } from '../../admin-api/daemon.ts';
import { type EtcdMember, startEtcd } from '../peers/etcd.ts';

/** One for all daemons of the process, each of which has keys of its own in it. */
let started: Promise<EtcdMember> | null = null;
let daemons = 0;

/** When all daemons have stopped. */
export async function stopEtcd(): Promise<void> {
  const etcd = await started;
  started = null;
  await etcd?.stop();
}

export async function startOnEtcd(transport: 'node' | 'uws', settings: Record<string, string>): Promise<Daemon> {
  started ??= startEtcd();
  const etcd = await started;
  const prefix = `/contract-${++daemons}/`;
  const gateway = new EtcdGateway({ endpoints: [etcd.endpoint], timeout: 2000 });
  const daemon = await startDaemon(transport, settings, undefined, undefined, async (options) => {
    const journal = openEtcdJournal({ ...options, gateway, prefix, deadline: 5000, interval: 1000 });
    await journal.catchUp();
    return journal;
  });
  return Object.assign(Object.create(daemon) as Daemon, {
    async stop() {
      await daemon.stop();
      await gateway.close();
    },
  });
}
