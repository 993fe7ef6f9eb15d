/**
 * Drafts: how a request sees its own changes, what it commits, and what happens when others are
 * faster.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConflictError } from '../../../../core/base/errors.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { Draft, write } from '../../../../core/journal/draft/draft.ts';
import { readChanges } from '../../../../core/journal/entry-codec.ts';
import type { Journal } from '../../../../core/journal/journal.ts';
import { type Account, accounts, domains, type RecordRow, records } from '../../../../core/store/rows.ts';
import { noIds } from '../../../support/ids.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { addressRecord, embedded, newAccount, newDomain, newRecord, type Store, withStore } from '../fixture.ts';

const run = (work: (store: Store) => Promise<void>) => () => withStore(embedded, work);

/** Table and kind of each change of a draft. */
const kinds = (draft: Draft): string[] =>
  [...readChanges(draft.request.changes)].map(({ table, value }) => `${value === null ? 'delete' : 'put'} ${table}`);

test(
  'a draft sees its own writes: rows, lookups, ranges, deletions and limits',
  run(async ({ environment, journal }) => {
    const domain = newDomain('zone.test.');
    const stored = ['a', 'c', 'e', 'g'].map((name) => addressRecord(domain, name));
    await write(environment, journal, 'test', (work) => {
      work.put(domains, domain);
      for (const row of stored) work.put(records, row);
    });
    const draft = new Draft(environment, journal.head, noIds());
    const names = (limit?: number, after: Uint8Array | null = null) =>
      draft.recordsOf(domain.id, after, limit).map(({ name }) => String.fromCharCode(name[1]));
    assert.equal(names(), ['a', 'c', 'e', 'g']);
    const own = addressRecord(domain, 'b');
    draft.put(records, own);
    draft.delete(records, stored[1]);
    draft.delete(records, stored[0]);
    assert.equal(names(), ['b', 'e', 'g']);
    assert.equal(names(1), ['b']);
    assert.equal(names(2), ['b', 'e']);
    assert.equal(names(9), ['b', 'e', 'g']);
    assert.equal(names(1, records.key(own)), ['e']);
    assert.equal(names(1, records.key(stored[2])), ['g']);
    assert.is(draft.record(stored[1].id), undefined);
    assert.is(draft.record(own.id)?.id, own.id);
    assert.is(draft.recordsAt(domain.id, own.name).length, 1);
    draft.put(records, stored[1]);
    assert.equal(names(2), ['b', 'c']);
    const nested = newDomain('sub.zone.test.');
    draft.put(domains, nested);
    assert.is(draft.domainByApex(nested.apex)?.id, nested.id);
    assert.equal(
      draft.domainsBelow(domain.apex).map(({ id }) => id),
      [nested.id],
    );
    draft.delete(domains, nested);
    assert.is(draft.domainByApex(nested.apex), undefined);
    assert.equal(draft.domainsBelow(domain.apex), []);
    assert.is(draft.domainsBelow(parseName('test.'), 1)[0].id, domain.id);
  }),
);

test(
  'the new and the unchanged lookups of a changed row lead to it, the old ones do not',
  run(async ({ environment, journal, reader }) => {
    const account = newAccount();
    await write(environment, journal, 'test', (draft) => draft.put(accounts, account));
    const renamed = { ...account, username: 'renamed' };
    await write(environment, journal, 'test', (draft) => {
      draft.put(accounts, renamed);
      assert.is(draft.accountByLogin(account.username), undefined);
      assert.is(draft.accountByLogin('RENAMED')?.id, account.id);
      assert.is(draft.accountByLogin(account.email)?.id, account.id);
    });
    assert.is(reader.accountByLogin(account.username), undefined);
    assert.is(reader.accountByLogin('renamed')?.id, account.id);
  }),
);

test(
  'a replaced row is a delete and a put; a row that is added and deleted is no change',
  run(async ({ environment, journal, reader }) => {
    const domain = newDomain('zone.test.');
    const row = addressRecord(domain, 'www');
    await write(environment, journal, 'test', (work) => {
      work.put(domains, domain);
      work.put(records, row);
    });
    assert.is(reader.zoneState(domain.id).recordCount, 1);
    const draft = new Draft(environment, journal.head, noIds());
    draft.put(records, { ...row, ttl: 5 });
    draft.put(records, { ...row, ttl: 6 });
    const passing = addressRecord(domain, 'passing');
    draft.put(records, passing);
    draft.delete(records, passing);
    assert.equal(kinds(draft), ['delete 4', 'put 4']);
    await journal.commit({ ...draft.request, by: 'test' });
    assert.is(reader.record(row.id)?.ttl, 6);
    assert.is(reader.zoneState(domain.id).recordCount, 1);
    // The name changes, so the key changes, but not the id.
    await write(environment, journal, 'test', (again) => {
      again.delete(records, { ...row, ttl: 6 });
      again.put(records, { ...row, name: parseName('moved.zone.test.') });
    });
    assert.equal(reader.record(row.id)?.name.length, parseName('moved.zone.test.').length);
    assert.is(reader.zoneState(domain.id).recordCount, 1);
    await write(environment, journal, 'test', (again) => again.delete(records, reader.record(row.id)!));
    assert.is(reader.zoneState(domain.id).recordCount, 0);
    assert.is(reader.record(row.id), undefined);
  }),
);

test(
  'a put over an existing domain recompiles all of its answers',
  run(async ({ environment, journal }) => {
    const domain = newDomain('zone.test.');
    const alias = newRecord(domain, 'alias', TYPE.CNAME, domain.apex);
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(records, alias);
    });
    const kept = {
      serial: 7,
      mname: 'ns.other.',
      rname: 'h.other.',
      refresh: 1,
      retry: 1,
      expire: 1,
      minimum: 1,
      ttl: 1,
    };
    const ns = newRecord(domain, '@', TYPE.NS, parseName('own-server.other.'));
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, { ...domain, kept });
      draft.put(records, ns);
    });
    // The alias answers NS with the records of the apex.
    const answers = () =>
      [...environment.answers.getRange({})]
        .map(({ value }) => value.toString('latin1'))
        .find((text) => text.includes('alias'));
    assert.ok(answers()?.includes('own-server') && !answers()?.includes('ns1'));
    // Only the domain's row changes: the service's own NS replace the record.
    await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
    assert.ok(!answers()?.includes('own-server') && answers()?.includes('ns1'));
  }),
);

test(
  'write retries after a conflict, returns the result of the last run, and gives up at the limit',
  run(async ({ environment, journal, reader }) => {
    const account = newAccount('0');
    await write(environment, journal, 'test', (draft) => draft.put(accounts, account));
    let runs = 0;
    const raise = (draft: Draft): number => {
      const now = draft.account(account.id)!;
      draft.put(accounts, { ...now, plan: `${Number(now.plan) + 1}` });
      return Number(now.plan) + 1;
    };
    const { result } = await write(environment, journal, 'test', async (draft) => {
      const plan = raise(draft);
      // Another request is faster, three times.
      if (++runs <= 3) await write(environment, journal, 'other', raise);
      return plan;
    });
    assert.is(runs, 4);
    assert.is(result, 4);
    assert.is(reader.account(account.id)?.plan, '4');
    runs = 0;
    let error: unknown;
    await write(environment, journal, 'test', async (draft) => {
      raise(draft);
      runs++;
      await write(environment, journal, 'other', raise);
    }).catch((cause: unknown) => {
      error = cause;
    });
    assert.instance(error, ConflictError);
    assert.is((error as ConflictError).code, 'write_conflict');
    assert.ok(runs > 1 && runs < 100);
    assert.is(reader.account(account.id)?.plan, `${4 + runs}`, 'only the other request has written');
  }),
);

test(
  'all of many concurrent writers of one row commit, and those that have conflicted take turns',
  run(async ({ environment, journal, reader }) => {
    const account = newAccount('0');
    await write(environment, journal, 'test', (draft) => draft.put(accounts, account));
    let runs = 0;
    const raise = () =>
      write(environment, journal, 'test', (draft) => {
        runs++;
        const stored = draft.account(account.id)!;
        draft.put(accounts, { ...stored, plan: `${Number(stored.plan) + 1}` });
      });
    // Each client writes again at once, so first attempts compete with the retries.
    const clients = Array.from({ length: 50 }, async () => {
      for (let i = 0; i < 10; i++) await raise();
    });
    await Promise.all(clients);
    assert.is(reader.account(account.id)?.plan, '500');
    assert.ok(runs < 500 * 5, `${runs} runs`);
  }),
);

test(
  'an error in the work changes nothing, and a draft without changes is not committed',
  run(async ({ environment, journal }) => {
    let message = '';
    await write(environment, journal, 'test', (draft) => {
      draft.put(accounts, newAccount());
      throw new Error('no');
    }).catch((error: Error) => {
      message = error.message;
    });
    assert.is(message, 'no');
    assert.equal(await write(environment, journal, 'test', () => 5), { result: 5, sequence: 0 });
    assert.is(journal.head, 0);
  }),
);

const ACCOUNTS = 40;
const FUNDS = 100;
const OPERATIONS = 10_000;
const AT_ONCE = 25;

/**
 * Transfers money, opens and closes accounts; the balance is the plan. No balance becomes negative,
 * and the sum never changes.
 */
async function operate(environment: Store['environment'], journal: Journal, ids: number[], random: Random) {
  const [from, to] = [random.pick(ids), random.pick(ids)];
  const amount = random.below(30);
  const kind = random.below(12);
  await write(environment, journal, 'bank', async (draft) => {
    // Other operations run between the reads and the writes.
    if (random.below(4) === 0) await new Promise((resolve) => setImmediate(resolve));
    if (kind === 0) {
      // Closes an account: its balance goes to the first account that a range returns.
      const heir = draft.accounts(null, 2).find(({ id }) => id !== from);
      const gone = draft.account(from);
      if (gone === undefined || heir === undefined) return;
      draft.delete(accounts, gone);
      draft.put(accounts, { ...heir, plan: `${Number(heir.plan) + Number(gone.plan)}` });
    } else if (kind === 1) {
      // Opens an account again with balance 0, unless all are open.
      if (draft.account(from) === undefined && draft.accounts(null, ACCOUNTS).length < ACCOUNTS)
        draft.put(accounts, { ...newAccount('0'), id: from, username: String(from), email: `${from}@x.test` });
    } else {
      const source = draft.account(from);
      const sink = draft.accountByLogin(String(to));
      if (source === undefined || sink === undefined || from === to || Number(source.plan) < amount) return;
      draft.put(accounts, { ...source, plan: `${Number(source.plan) - amount}` });
      draft.put(accounts, { ...sink, plan: `${Number(sink.plan) + amount}` });
    }
  });
}

test(`${OPERATIONS} concurrent operations of a bank keep its sum, seed ${SEED}`, () =>
  withStore(embedded, async ({ environment, journal, reader }) => {
    const random = new Random(SEED);
    const all: Account[] = Array.from({ length: ACCOUNTS }, () => newAccount(`${FUNDS}`));
    const ids = all.map(({ id }) => id);
    await write(environment, journal, 'bank', (draft) => {
      for (const account of all)
        draft.put(accounts, { ...account, username: String(account.id), email: `${account.id}@x.test` });
    });
    let conflicts = 0;
    for (let done = 0; done < OPERATIONS; done += AT_ONCE) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: AT_ONCE }, () => operate(environment, journal, ids, random)),
      );
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        assert.instance(outcome.reason, ConflictError, `seed ${SEED}: ${outcome.reason}`);
        conflicts++;
      }
      if (done % 1000 !== 0) continue;
      const balances = reader.accounts(null, ACCOUNTS).map(({ plan }) => Number(plan));
      assert.is(
        balances.reduce((sum, balance) => sum + balance, 0),
        ACCOUNTS * FUNDS,
        `seed ${SEED}, after ${done}`,
      );
      assert.ok(balances.every((balance) => balance >= 0));
    }
    assert.ok(journal.head > OPERATIONS / 10, `only ${journal.head} commits; ${conflicts} gave up`);
    for (const { id, username } of reader.accounts(null, ACCOUNTS)) assert.is(reader.accountByLogin(username)?.id, id);
  }));

/** Decoded rdata is a Buffer; the rdata of rows in the tests is not. */
const stored = (row: RecordRow | undefined): string[] | undefined =>
  row && [records.key(row).toString('hex'), records.encode(row).toString('hex')];

test(
  'insert reads nothing, and the draft may change or delete the row; changes of related rows conflict',
  run(async ({ environment, journal, reader }) => {
    const domain = newDomain('zone.test.');
    await write(environment, journal, 'test', (work) => work.put(domains, domain));
    const [kept, changed, moved, gone] = ['kept', 'changed', 'moved', 'gone'].map((name) =>
      addressRecord(domain, name),
    );
    const draft = new Draft(environment, journal.head, noIds());
    for (const row of [kept, changed, moved, gone]) draft.insert(records, row);
    assert.equal(draft.request.reads.ranges, []);
    assert.equal(stored(draft.record(kept.id)), stored(kept));
    draft.put(records, { ...changed, ttl: 7 });
    const elsewhere = { ...moved, name: parseName('elsewhere.zone.test.') };
    draft.delete(records, moved);
    draft.put(records, elsewhere);
    draft.delete(records, gone);
    assert.equal(kinds(draft), Array(3).fill(`put ${records.number}`));
    assert.equal(stored(draft.record(moved.id)), stored(elsewhere));
    await journal.commit({ ...draft.request, by: 'test' });
    assert.equal(stored(reader.record(moved.id)), stored(elsewhere));
    assert.is(reader.record(changed.id)?.ttl, 7);
    assert.is(reader.record(gone.id), undefined);
    assert.is(reader.zoneState(domain.id).recordCount, 3);
    assert.is(reader.usage(domain.accountId).records, 3);
    // Two drafts that read a name and insert there; one that looks up an id while its record moves.
    const [first, second] = [3, 4].map((last) => {
      const rival = new Draft(environment, journal.head, noIds());
      rival.recordsAt(domain.id, parseName('rival.zone.test.'));
      rival.insert(records, addressRecord(domain, 'rival', last));
      return journal.commit({ ...rival.request, by: 'test' }).catch((error) => error);
    });
    await first;
    assert.instance(await second, ConflictError);
    const late = new Draft(environment, journal.head, noIds());
    late.put(records, { ...late.record(moved.id)!, ttl: 9 });
    await write(environment, journal, 'test', (other) => {
      other.delete(records, other.record(moved.id)!);
      other.put(records, moved);
    });
    assert.instance(await journal.commit({ ...late.request, by: 'test' }).catch((error) => error), ConflictError);
    assert.equal(stored(reader.record(moved.id)), stored(moved));
    assert.is(reader.zoneState(domain.id).recordCount, 4);
  }),
);

test(
  'a read of a type at a name sees own changes, and conflicts only with changes of that type',
  run(async ({ environment, journal }) => {
    const domain = newDomain('zone.test.');
    const cut = parseName('cut.zone.test.');
    const address = addressRecord(domain, 'cut');
    const delegation = { ...addressRecord(domain, 'cut', 2), type: TYPE.NS, rdata: parseName('ns.example.') };
    await write(environment, journal, 'test', (work) => work.put(domains, domain));
    const draft = new Draft(environment, journal.head, noIds());
    assert.is(draft.hasType(domain.id, cut, TYPE.NS), false);
    draft.put(records, addressRecord(domain, 'below.cut'));
    for (const [row, conflicts] of [
      [address, false],
      [delegation, true],
    ] as const) {
      await write(environment, journal, 'test', (other) => {
        other.put(records, row);
        assert.is(other.hasType(domain.id, cut, row.type), true);
        assert.is(other.hasType(domain.id, parseName('t.cut.zone.test.'), row.type), false);
      });
      const outcome = await journal.commit({ ...draft.request, by: 'test' }).catch((error) => error);
      assert.is(outcome instanceof ConflictError, conflicts);
    }
  }),
);

test(
  'an urgent write goes ahead of commits that wait, and is retried after many conflicts',
  run(async ({ environment, journal }) => {
    const order: string[] = [];
    const create = (name: string, isUrgent: boolean): Promise<unknown> =>
      write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(name)), { isUrgent }).then(
        ({ sequence }) => (order[sequence] = name),
      );
    await Promise.all([
      create('a.test.', false),
      create('b.test.', false),
      create('first.test.', true),
      create('c.test.', false),
      create('second.test.', true),
    ]);
    assert.equal(
      order.filter((name) => name !== undefined),
      ['first.test.', 'second.test.', 'a.test.', 'b.test.', 'c.test.'],
    );
    let conflicts = 0;
    const contested: Journal = Object.create(journal, {
      head: { get: () => journal.head },
      commit: {
        value: (request: Parameters<Journal['commit']>[0]) =>
          conflicts++ < 50 ? Promise.reject(new ConflictError()) : journal.commit(request),
      },
    });
    const added = (draft: Draft) => draft.put(domains, newDomain('contested.test.'));
    assert.instance(await write(environment, contested, 'test', added).catch((error) => error), ConflictError);
    assert.is(conflicts, 40);
    await write(environment, contested, 'test', added, { isUrgent: true });
    assert.is(conflicts, 51);
  }),
);

test.run();
