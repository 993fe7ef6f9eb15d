/** The journal over etcd: the contract, and what is large. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StateError } from '../../../../core/base/errors.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { openEtcdJournal } from '../../../../core/journal/etcd/etcd-journal.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { domains, records } from '../../../../core/store/rows.ts';
import { journalContract } from '../../../core/journal/contract.ts';
import { DEFAULTS, dump, type JournalFactory, newDomain, newRecord, withStore } from '../../../core/journal/fixture.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { type EtcdMember, startEtcd } from '../../peers/etcd.ts';

let member: EtcdMember;
let gateway: EtcdGateway;
test.before(async () => {
  member = await startEtcd();
  gateway = member.gateway;
});

/** A log to each store, which all that are opened with its folder share. */
const shared =
  (prefix: (folder: string) => string): JournalFactory =>
  async ({ environment, index, folder }, history) => {
    const journal = openEtcdJournal({
      ...{ environment, index, history, gateway, zoneSettings: DEFAULTS },
      ...{ prefix: prefix(folder), deadline: 3000, interval: 1000 },
    });
    await journal.catchUp();
    return journal;
  };

// Bytes by chance, which are as many when they are packed.
test('an entry larger than a request of etcd is in the log whole, and reaches a later node', async () => {
  const factory = shared(() => '/waypost/large/');
  await withStore(factory, async (store) => {
    const domain = newDomain('large.test.');
    await write(store.environment, store.journal, 'test', (draft) => {
      draft.put(domains, domain);
      for (let i = 0; i < 12_000; i++)
        draft.put(records, newRecord(domain, `n${i}`, TYPE.TXT, Uint8Array.of(200, ...randomBytes(200))));
    });
    await write(store.environment, store.journal, 'test', (draft) => {
      draft.put(records, newRecord(domain, 'last', TYPE.TXT, Uint8Array.of(1, 1)));
    });
    await withStore(factory, async (other) => {
      assert.is(other.journal.head, 2);
      assert.equal(dump(other.environment), dump(store.environment));
    });
  });
});

test('a write reports when this node has applied it, before it waits for other nodes', async () => {
  const events: string[] = [];
  const factory: JournalFactory = async ({ environment, index }, history) => {
    const journal = openEtcdJournal({
      ...{ environment, index, history, gateway, zoneSettings: DEFAULTS },
      ...{ prefix: '/waypost/observed/', deadline: 3000, interval: 1000 },
      waitForPeers: async (sequence) => void events.push(`wait for ${sequence}`),
    });
    await journal.catchUp();
    return journal;
  };
  await withStore(factory, async ({ environment, journal }) => {
    const observed = {
      applied: () => void events.push('applied'),
      end: (sequence: number) => void events.push(`end of ${sequence}`),
      fail: (code: string) => void events.push(code),
    };
    const observer = { startCommit: () => observed };
    await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain('seen.test.')), { observer });
  });
  assert.equal(events, ['applied', 'wait for 1', 'end of 1']);
});

/** Nothing comes of a watch, so that its node learns of what others write when it looks. */
const deaf: JournalFactory = async ({ environment, index }, history) => {
  const own = new EtcdGateway({ endpoints: [member.endpoint], timeout: 500 });
  own.watch = (_key, _end, _revision, _onAnswer, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const journal = openEtcdJournal({
    ...{ environment, index, history, gateway: own, zoneSettings: DEFAULTS },
    ...{ prefix: '/waypost/behind/', deadline: 1000, interval: 60_000 },
  });
  await journal.catchUp();
  return journal;
};

test('no write is refused because of later changes of others, known or unknown', async () => {
  await withStore(
    shared(() => '/waypost/behind/'),
    async (store) => {
      await withStore(deaf, async (behind) => {
        const domain = newDomain('behind.test.');
        const mustBeThere = (): Promise<unknown> =>
          write(behind.environment, behind.journal, 'test', (draft) => {
            if (draft.domain(domain.id) === undefined) throw new StateError('no_such_domain', 'It is not there.');
            draft.put(domains, { ...domain, createdAt: 2 });
          });
        const code = (work: Promise<unknown>): Promise<string> =>
          work.then(
            () => 'done',
            (error: StateError) => error.code,
          );
        assert.is(await code(mustBeThere()), 'no_such_domain');
        await write(store.environment, store.journal, 'test', (draft) => draft.put(domains, domain));
        assert.is(behind.journal.head, 0, 'it does not know yet');
        assert.is(await code(mustBeThere()), 'done');
        await write(store.environment, store.journal, 'test', (draft) => draft.delete(domains, domain));
        assert.is(await code(mustBeThere()), 'no_such_domain');
        await member.kill();
        assert.is(await code(mustBeThere()), 'no_quorum');
        await member.again();
      });
    },
  );
});

const stop = async (): Promise<void> => {
  await gateway.close();
  await member.stop();
};

const why = whyNotPrograms('etcd');
if (why === null) {
  test.run();
  journalContract(
    'journal over etcd',
    shared((folder) => `${folder}/`),
    4,
    stop,
  );
} else console.log(`skipped: the journal over etcd, ${why}`);
