/** Nodes of which others are repeatedly sooner, and an etcd that is full. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnavailableError } from '../../../../core/base/errors.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { EtcdJournal } from '../../../../core/journal/etcd/contract.ts';
import { openEtcdJournal } from '../../../../core/journal/etcd/etcd-journal.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { accounts } from '../../../../core/store/rows.ts';
import { checkAlike, DEFAULTS, newAccount, type Store, withStore } from '../../../core/journal/fixture.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { until } from '../../../support/until.ts';
import { type EtcdMember, startEtcd } from '../../peers/etcd.ts';

interface Node extends Store {
  readonly journal: EtcdJournal;
}

/** Appends and claims, which have conditions, arrive at etcd later than they are sent. */
class SlowGateway extends EtcdGateway {
  delay = async (): Promise<void> => {};

  override async transaction(...args: Parameters<EtcdGateway['transaction']>): ReturnType<EtcdGateway['transaction']> {
    if (args[0].length > 0) await this.delay();
    return super.transaction(...args);
  }
}

/** Milliseconds, in which an etcd on any machine answers. */
const TIMEOUT = PATIENCE_MS;

/**
 * More entries than a test writes on any machine. Nodes delete old entries in batches that depend
 * on how they group entries, so tables of the journal are alike only until then.
 */
const HISTORY = 1_000_000;

/** `deadline`: milliseconds in which a write must get its turn. */
function withNode(
  gateway: EtcdGateway,
  prefix: string,
  work: (node: Node) => Promise<void>,
  deadline = PATIENCE_MS,
): Promise<void> {
  return withStore(
    async ({ environment, index }, history) => {
      const journal = openEtcdJournal({
        ...{ environment, index, history, gateway, zoneSettings: DEFAULTS },
        ...{ prefix, deadline, interval: 1000 },
      });
      await journal.catchUp();
      return journal;
    },
    async (store) => work(store as Node),
    { history: HISTORY },
  );
}

const put = ({ environment, journal }: Node, plan = ''): Promise<unknown> =>
  write(environment, journal, 'test', (draft) => draft.put(accounts, newAccount(plan)));

interface Beside {
  readonly prefix: string;
  /** Resolves when an append of the slow node may arrive. */
  readonly delay: (nodes: { quick: Node; slow: Node }, isOver: () => boolean) => Promise<void>;
  readonly deadline?: number;
}

/** A node that writes without pause, next to one whose appends take longer. */
async function besideBusy(
  member: EtcdMember,
  { prefix, delay, deadline }: Beside,
  work: (slow: Node) => Promise<void>,
): Promise<void> {
  const settings = { endpoints: [member.endpoint], timeout: TIMEOUT };
  const [gateway, slowGateway] = [new EtcdGateway(settings), new SlowGateway(settings)];
  await withNode(gateway, prefix, async (quick) => {
    const besideQuick = async (slow: Node): Promise<void> => {
      let isOver = false;
      const others = (async () => {
        while (!isOver) await put(quick);
      })();
      slowGateway.delay = () => delay({ quick, slow }, () => isOver);
      await work(slow).finally(() => {
        isOver = true;
      });
      await others;
      slowGateway.delay = async () => {};
      await put(quick);
      await until(
        () => slow.journal.head >= quick.journal.head,
        () => `it is at ${slow.journal.head} of ${quick.journal.head}`,
      );
      checkAlike(slow.environment, quick.environment);
    };
    await withNode(slowGateway, prefix, besideQuick, deadline);
  });
  await Promise.all([gateway.close(), slowGateway.close()]);
}

test('a node far from etcd gets its turn although a near one writes without pause', async () => {
  const member = await startEtcd();
  await besideBusy(member, { prefix: '/fair/', delay: () => sleep(40) }, async (slow) => {
    for (let i = 0; i < 3; i++) await put(slow);
  });
  await member.stop();
});

test('a commit that never gets its turn ends at its deadline with a retryable error', async () => {
  const member = await startEtcd();
  // The other node, which waits for no claim for ever, has always appended before: after the head
  // of both, as a node may learn of an entry before the one that appended it.
  const delay: Beside['delay'] = ({ quick, slow }, isOver) => {
    const head = Math.max(quick.journal.head, slow.journal.head);
    return until(() => quick.journal.head > head || isOver());
  };
  await besideBusy(member, { prefix: '/never/', delay, deadline: 2000 }, async (slow) => {
    const error = await put(slow).then(
      () => assert.unreachable(),
      (cause: unknown) => cause,
    );
    assert.instance(error, UnavailableError);
    assert.is((error as UnavailableError).code, 'busy');
  });
  await member.stop();
});

test('a full etcd: acknowledged writes are stored, others are not, with the reason', async () => {
  // So small that its own pages fill most of it.
  const member = await startEtcd(['--quota-backend-bytes', String(1 << 20)]);
  const gateway = new EtcdGateway({ endpoints: [member.endpoint], timeout: TIMEOUT });
  await withNode(gateway, '/full/', async (node) => {
    let written = 0;
    let error: unknown = null;
    while (error === null && written < 500)
      await put(node, randomBytes(10_000).toString('hex')).then(
        () => written++,
        (cause: unknown) => {
          error = cause;
        },
      );
    assert.instance(error, UnavailableError);
    assert.is((error as UnavailableError).code, 'etcd_full');
    assert.match((error as Error).message, /quota/);
    const { size, used, isFull } = await gateway.storage();
    assert.ok(isFull);
    // A write that would not fit any more, of some 30 KB, is refused before.
    assert.ok(size > 900_000 && used <= size, `${used} of ${size}`);
    assert.ok(written > 5);
    await sleep(300);
    assert.is(node.journal.head, written);
    assert.is(node.journal.lost, null);
    await withNode(gateway, '/full/', async (other) => {
      assert.is(other.journal.head, written);
      checkAlike(other.environment, node.environment);
    });
  });
  await gateway.close();
  await member.stop();
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: fairness between nodes, ${why}`);
