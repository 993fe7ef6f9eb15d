/** The admin API with a journal in its own etcd. */
import { EtcdGateway } from '../../../core/etcd/gateway.ts';
import { openEtcdJournal } from '../../../core/journal/etcd/etcd-journal.ts';
import { type Daemon, startDaemon } from '../../admin-api/daemon.ts';
import { startEtcd } from '../peers/etcd.ts';

export async function startOnEtcd(transport: 'node' | 'uws', settings: Record<string, string>): Promise<Daemon> {
  const etcd = await startEtcd();
  const gateway = new EtcdGateway({ endpoints: [etcd.endpoint], timeout: 2000 });
  const daemon = await startDaemon(transport, settings, undefined, undefined, async (options) => {
    const journal = openEtcdJournal({ ...options, gateway, prefix: '/contract/', deadline: 5000, interval: 1000 });
    await journal.catchUp();
    return journal;
  });
  return Object.assign(Object.create(daemon) as Daemon, {
    async stop() {
      await daemon.stop();
      await gateway.close();
      await etcd.stop();
    },
  });
}
