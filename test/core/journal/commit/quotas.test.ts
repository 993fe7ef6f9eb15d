/** Quotas of accounts: every commit is compared, whatever it writes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StateError } from '../../../../core/base/errors.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import { ChangeWriter } from '../../../../core/journal/entry-codec.ts';
import type { AccountQuota } from '../../../../core/journal/journal.ts';
import { rowOwner } from '../../../../core/store/row-owner.ts';
import { domains, NO_LABELS, records, TABLES, tokens, zoneLabels } from '../../../../core/store/rows.ts';
import { addressRecord, DEFAULTS, type JournalFactory, newDomain, type Store, withStore } from '../fixture.ts';

const NONE = { plan: 'free', zoneRecords: 0, records: 0, zoneSize: 0, size: 0 };

/** Account 1 has the quota; others have none. */
const limited =
  (quota: Partial<AccountQuota>): JournalFactory =>
  ({ environment, index }, history) =>
    openEmbeddedJournal({
      environment,
      index,
      zoneSettings: DEFAULTS,
      history,
      quotaOf: (accountId) => (accountId === 1 ? { ...NONE, ...quota } : null),
    });

const domainOf = (name: string, accountId = 1) => ({ ...newDomain(name), accountId });

/** The code and message of the error; empty: there is none. */
async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return '';
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

const put = ({ environment, journal }: Store, ...rows: readonly Parameters<typeof records.key>[0][]) =>
  write(environment, journal, 'test', (draft) => {
    for (const row of rows) draft.put(records, row);
  });

const token = (id: number, accountId: number) => ({
  id,
  accountId,
  name: 'x'.repeat(100),
  hash: '0'.repeat(64),
  scopes: ['dns'],
  createdAt: 1,
  expiresAt: null,
});

test('every table counts for an owner, or says what bounds it', () => {
  for (const { number, name, quota } of TABLES.values())
    if (typeof quota === 'string') assert.is(rowOwner(number), quota, `the table ${name}`);
    else assert.ok(rowOwner(number) === 'none' && quota.none.length > 0, `the table ${name}`);
});

test('records of a zone: the limit itself is allowed, the error names limit, value and next step', () =>
  withStore(limited({ zoneRecords: 3 }), async (store) => {
    const { environment, journal, reader } = store;
    const domain = domainOf('one.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
    await put(store, addressRecord(domain, 'a'), addressRecord(domain, 'b'), addressRecord(domain, 'c'));
    const before = journal.head;
    assert.is(
      await failure(put(store, addressRecord(domain, 'd'))),
      'plan_limit: The plan "free" allows 3 records in a zone (quotas.free_zone_records); with this change there would be 4. Delete records, or ask an administrator for a larger plan.',
    );
    assert.is(journal.head, before, 'nothing was written');
    const [first] = reader.recordsOf(domain.id, null);
    await write(environment, journal, 'test', (draft) => draft.delete(records, first));
    await put(store, addressRecord(domain, 'd'));
    assert.is(reader.zoneState(domain.id).recordCount, 3);
    // A replaced record is no further one.
    const [replaced] = reader.recordsOf(domain.id, null);
    await put(store, { ...replaced, ttl: replaced.ttl + 1 });
  }));

test('records of an account: those of all its zones; another account is free', () =>
  withStore(limited({ records: 2 }), async (store) => {
    const { environment, journal } = store;
    const [first, second, other] = [domainOf('one.test.'), domainOf('two.test.'), domainOf('other.test.', 2)];
    await write(environment, journal, 'test', (draft) => {
      for (const domain of [first, second, other]) draft.put(domains, domain);
    });
    await put(store, addressRecord(first, 'a'));
    await put(store, addressRecord(second, 'a'));
    assert.match(await failure(put(store, addressRecord(second, 'b'))), 'quotas.free_records');
    await put(store, addressRecord(other, 'a'), addressRecord(other, 'b'), addressRecord(other, 'c'));
    // A domain takes its records along.
    const moved = write(environment, journal, 'test', (draft) => draft.put(domains, { ...other, accountId: 1 }));
    assert.match(await failure(moved), 'with this change there would be 5');
    // A commit that removes more than it adds is accepted above the limit.
    await write(environment, journal, 'test', (draft) => draft.put(domains, { ...first, accountId: 2 }));
  }));

test('bytes: rows of every kind of a zone and an account', () =>
  withStore(limited({ zoneSize: 2000, size: 3000 }), async (store) => {
    const { environment, journal, reader } = store;
    const domain = domainOf('one.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
    const label = (length: number) =>
      write(environment, journal, 'test', (draft) =>
        draft.put(zoneLabels, { domainId: domain.id, ...NO_LABELS, account: 'x'.repeat(length) }),
      );
    await label(1000);
    const bytes = reader.zoneState(domain.id).bytes;
    assert.ok(bytes > 1000 && bytes < 2000);
    assert.match(await failure(label(3000)), 'quotas.free_zone_size');
    await label(1100);
    assert.is(reader.zoneState(domain.id).bytes, bytes + 100);
    const give = (id: number) => write(environment, journal, 'test', (draft) => draft.put(tokens, token(id, 1)));
    let given = 0;
    let refused = '';
    while (refused === '' && given < 100) refused = await failure(give(++given));
    assert.match(refused, 'quotas.free_size');
    assert.ok(reader.usage(1).bytes <= 3000 && given > 3);
    // Less than before is accepted although nothing else fits.
    await label(900);
    await write(environment, journal, 'test', (draft) => draft.put(tokens, token(1000, 2)));
  }));

test('commits at the same time do not exceed a limit, and none is refused that fits', () =>
  withStore(limited({ records: 20 }), async (store) => {
    const { environment, journal, reader } = store;
    const domain = domainOf('one.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) => failure(put(store, addressRecord(domain, `n${i}`)))),
    );
    assert.is(results.filter((result) => result === '').length, 20);
    assert.is(reader.usage(1).records, 20);
  }));

test('a bulk import counts before it is applied', () =>
  withStore(limited({ zoneRecords: 1000 }), async (store) => {
    const { environment, journal, reader } = store;
    const domain = domainOf('one.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
    const load = (count: number) =>
      write(environment, journal, 'test', (draft) => {
        const changes = new ChangeWriter();
        for (const row of reader.recordsOf(domain.id, null)) changes.delete(records.number, records.key(row));
        for (let i = 0; i < count; i++) {
          const row = addressRecord(domain, `n${i}`);
          changes.put(records.number, records.key(row), records.encode(row));
        }
        draft.append(changes.content);
      });
    await load(1000);
    const { bytes } = reader.usage(1);
    assert.match(await failure(load(1001)), 'there would be 1001');
    await load(1000);
    assert.equal(reader.usage(1), { domains: 1, records: 1000, bytes, audit: 0 });
    await load(10);
    assert.ok(reader.usage(1).bytes < bytes / 10);
  }));

test.run();
