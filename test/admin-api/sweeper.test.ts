/** Expired rows are deleted, and no others. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Services } from '../../admin-api/change/services.ts';
import { Sessions } from '../../admin-api/people/auth/sessions.ts';
import { Sweeper } from '../../admin-api/sweeper.ts';
import { createLogger } from '../../core/base/log/index.ts';
import { loadConfig } from '../../core/config/index.ts';
import { write } from '../../core/journal/draft/draft.ts';
import { type Audit, audits, purges, type Replay, replays, sessions, type Table } from '../../core/store/rows.ts';
import { embedded, type Store, withStore } from '../core/journal/fixture.ts';
import { newId } from '../support/ids.ts';
import { singleNodeTasks } from '../support/tasks.ts';

const test = suite('sweeper');

const DAY = 86_400;
const NOW = 2_000_000_000;

function sweeperOf({ environment, journal, reader }: Store, days: string, auditSize = '64MB'): Sweeper {
  const config = loadConfig({ env: { WAYPOST_AUDIT_DAYS: days, WAYPOST_AUDIT_MAX_SIZE: auditSize } });
  const log = createLogger({ level: 'error', format: 'text' });
  const services = { environment, journal, reader, config, tasks: singleNodeTasks(), log } as Services;
  return new Sweeper(services, new Sessions(services));
}

const replay = (i: number, createdAt: number): Replay => ({
  id: i.toString(16).padStart(32, '0'),
  sealed: '',
  createdAt,
  revision: 0,
});

const audit = (at: number, accountId = newId()): Audit => ({
  id: newId(),
  accountId,
  actor: null,
  action: 'test',
  domain: null,
  target: null,
  detail: {},
  requestId: '',
  remoteAddress: '',
  at,
  revision: 0,
});

const put = <Row>({ environment, journal }: Store, table: Table<Row>, rows: readonly Row[]) =>
  write(environment, journal, 'test', (draft) => {
    for (const row of rows) draft.put(table, row);
  });

const count = ({ environment }: Store, table: Table<never>): number => {
  environment.root.resetReadTxn();
  return environment.rows.get(table.number)!.getCount();
};

test('deletes stored responses after a day, even if there are many', () =>
  withStore(embedded, async (store) => {
    const rows = Array.from({ length: 5000 }, (_, i) => replay(i, NOW - (i % 2 === 0 ? 1 : 2) * DAY + 1));
    await put(store, replays, rows);
    const sweeper = sweeperOf(store, '0');
    // A sweep has a limit, and 5,000 rows are within it.
    await sweeper.sweep(NOW);
    assert.is(count(store, replays as Table<never>), 2500);
    await sweeper.sweep(NOW + DAY);
    assert.is(count(store, replays as Table<never>), 0);
  }));

test('deletes expired purges and audit entries; audit entries can be kept forever', () =>
  withStore(embedded, async (store) => {
    const purge = (createdAt: number) => ({
      id: newId(),
      domainId: newId(),
      urls: [],
      prefixes: [],
      tags: [],
      createdAt,
    });
    await put(store, purges, [purge(NOW - 2 * DAY), purge(NOW)]);
    await put(store, audits, [audit(NOW - 11 * DAY), audit(NOW - 9 * DAY)]);
    await sweeperOf(store, '0').sweep(NOW);
    assert.is(count(store, purges as Table<never>), 1);
    assert.is(count(store, audits as Table<never>), 2);
    await sweeperOf(store, '10').sweep(NOW);
    assert.is(count(store, audits as Table<never>), 1);
    assert.is(store.reader.audits(null, null, 10).length, 1);
  }));

test('deletes sessions that have not been used, and those past their lifetime', () =>
  withStore(embedded, async (store) => {
    const session = (createdAt: number, usedAt: number) => ({
      ...{ id: newId(), accountId: newId(), hash: '', createdAt, usedAt },
      ...{ remoteAddress: '', userAgent: null },
    });
    const valid = session(NOW - 6 * DAY, NOW - 3600);
    await put(store, sessions, [session(NOW - 8 * DAY, NOW - 60), session(NOW - DAY, NOW - DAY / 2), valid]);
    await sweeperOf(store, '0').sweep(NOW);
    assert.is(count(store, sessions as Table<never>), 1);
    assert.equal(store.reader.session(valid.id), valid);
  }));

test('deletes the oldest audit entries of an account above the size of its log; others keep theirs', () =>
  withStore(embedded, async (store) => {
    const [account, other] = [newId(), newId()];
    const rows = Array.from({ length: 2000 }, (_, i) => ({ ...audit(NOW - 2000 + i, account), id: 1_000_000 + i }));
    for (let i = 0; i < rows.length; i += 500) await put(store, audits, rows.slice(i, i + 500));
    await put(store, audits, [audit(NOW - 5 * DAY, other)]);
    const before = store.reader.usage(account).audit;
    assert.ok(before > 2000 * 100);
    await sweeperOf(store, '10', String(before)).sweep(NOW);
    assert.is(store.reader.usage(account).audit, before, 'the limit itself is allowed');
    await sweeperOf(store, '10', String(before / 2)).sweep(NOW);
    const { audit: after } = store.reader.usage(account);
    assert.ok(after <= before / 2 && after > before * 0.4, `${after} of ${before}`);
    const left = store.reader.audits(account, null, 3000);
    assert.is(left[0].at, NOW - 1);
    assert.is(left[left.length - 1].at, NOW - left.length, 'the newest stay, without a gap');
    assert.is(store.reader.audits(other, null, 10).length, 1);
  }));

test('deletes old audit entries of each account, also after an entry of a clock that was ahead', () =>
  withStore(embedded, async (store) => {
    const accounts = Array.from({ length: 40 }, () => newId());
    const ages = [30, 20, 12, 11, -50, 12, 11, 9, 8, 1];
    // More rows than one batch, with kept rows between deleted ones.
    const rows = accounts.flatMap((account) =>
      ages.flatMap((age) => [age, age, age, age, age, age]).map((age) => audit(NOW - age * DAY, account)),
    );
    for (let i = 0; i < rows.length; i += 500) await put(store, audits, rows.slice(i, i + 500));
    await sweeperOf(store, '10').sweep(NOW);
    assert.is(count(store, audits as Table<never>), 40 * 4 * 6);
    assert.ok(store.reader.audits(null, null, 1000).every(({ at }) => at > NOW - 10 * DAY));
    // Except the entries of the clock that was ahead.
    await sweeperOf(store, '10').sweep(NOW + 9 * DAY);
    assert.is(count(store, audits as Table<never>), 40 * 6);
  }));

test.run();
