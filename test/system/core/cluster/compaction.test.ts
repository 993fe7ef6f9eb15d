/** What etcd keeps of the past, and what that leaves to who is behind. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Compaction } from '../../../../core/cluster/upkeep.ts';
import { EtcdCompacted } from '../../../../core/journal/etcd-client/errors.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { put, range } from '../../../../core/journal/etcd-client/messages.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { startEtcd } from '../../peers/etcd.ts';

test('old revisions are compacted, recent ones can be watched, and current values stay', async () => {
  const etcd = await startEtcd();
  const gateway = new EtcdGateway({ endpoints: [etcd.endpoint], timeout: 2000 });
  const compaction = new Compaction(gateway, '/x/');
  const write = async (): Promise<number> => (await gateway.transaction([], [put('/x/key', Buffer.alloc(1))])).revision;
  /** Whether a watch from there on receives all. */
  const tells = async (revision: number): Promise<boolean> => {
    const end = new AbortController();
    const describe = (): void => end.abort();
    return gateway
      .watch('/x/', '/x0', revision, ({ puts }) => puts.length > 0 && describe(), end.signal)
      .then(
        () => false,
        (error: unknown) => !(error instanceof EtcdCompacted),
      );
  };
  const first = await write();
  await write();
  await compaction.turn();
  assert.ok(await tells(first));
  const since = await write();
  await compaction.turn();
  assert.not(await tells(first));
  assert.ok(await tells(since));
  // Nothing has come: it is compacted already.
  await compaction.turn();
  await compaction.turn();
  const { ranges } = await gateway.transaction([], [range('/x/key')]);
  assert.is(ranges[0]?.items.length, 1);
  await gateway.close();
  await etcd.stop();
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: compaction of etcd, ${why}`);
