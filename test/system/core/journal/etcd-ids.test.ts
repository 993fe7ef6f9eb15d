/** Ids that nodes lease through etcd. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { EtcdJournal } from '../../../../core/journal/etcd/contract.ts';
import { openEtcdJournal } from '../../../../core/journal/etcd/etcd-journal.ts';
import type { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import type { Id } from '../../../../core/store/keys.ts';
import { accounts } from '../../../../core/store/rows.ts';
import { DEFAULTS, newAccount, type Store, withStore } from '../../../core/journal/fixture.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { startEtcd } from '../../peers/etcd.ts';

const INTERVAL = 100;
const DEADLINE = 5000;

type Node = Store & { readonly journal: EtcdJournal };

function withNode(gateway: EtcdGateway, work: (node: Node) => Promise<void>): Promise<void> {
  return withStore(
    async ({ environment, index }, history) => {
      const journal = openEtcdJournal({
        ...{ environment, index, history, gateway, zoneSettings: DEFAULTS },
        ...{ prefix: '/ids/', deadline: DEADLINE, interval: INTERVAL },
        events: { onTrouble: () => {}, onLost: () => {} },
      });
      await journal.catchUp();
      return journal;
    },
    (store) => work(store as Node),
  );
}

const add = async ({ environment, journal }: Node, count: number): Promise<Id[]> => {
  const ids: Id[] = [];
  for (let i = 0; i < count; i++) {
    const { result } = await write(environment, journal, 'test', (draft) => {
      const id = draft.newId(accounts);
      draft.put(accounts, { ...newAccount(), id });
      return id;
    });
    ids.push(result);
  }
  return ids;
};

test('nodes lease different blocks; one that stops returns the rest, unless etcd is down', async () => {
  const etcd = await startEtcd();
  try {
    await withNode(etcd.gateway, async (first) => {
      assert.equal(await add(first, 3), [1, 2, 3]);
      await withNode(etcd.gateway, async (other) => {
        assert.equal(await add(other, 2), [17, 18]);
      });
      await withNode(etcd.gateway, async (other) => {
        assert.equal(await add(other, 2), [19, 20], 'the rest of its block was given back');
      });
      assert.equal(await add(first, 1), [4]);
      await etcd.stop();
      await sleep(INTERVAL * 5);
      const start = performance.now();
      await first.journal.close();
      assert.ok(performance.now() - start < DEADLINE / 2, 'the stop does not wait for etcd');
    });
  } finally {
    await etcd.stop();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: ids over etcd, ${why}`);
