/** The history of domains, as applying derives it from entries. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../../core/journal/draft/draft.ts';
import { readHistory, recordsBefore } from '../../../../core/store/history.ts';
import { type Domain, domains, proxies, type RecordRow, records } from '../../../../core/store/rows.ts';
import { addressRecord, embedded, newDomain, newProxy, type Store, withStore } from '../fixture.ts';

/** For each change, newest first, the TTLs of its records before it; null: created. */
const ttlsBefore = ({ environment }: Store, { id }: Domain): (number | null)[][] =>
  readHistory(environment, id).map((row) => [...recordsBefore(id, row)].map(({ decode }) => decode()?.ttl ?? null));

const put = ({ environment, journal }: Store, ...rows: readonly RecordRow[]) =>
  write(environment, journal, 'test', (draft) => {
    for (const row of rows) draft.put(records, row);
  });

async function createDomain({ environment, journal }: Store): Promise<Domain> {
  const domain = newDomain('example.com');
  await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
  return domain;
}

test('stores what each change replaced, also for changes in one group', async () => {
  await withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const domain = await createDomain(store);
    const row = addressRecord(domain, 'www', 1);
    await Promise.all([60, 61, 62].map((ttl) => put(store, { ...row, ttl })));
    await write(environment, journal, 'test', (draft) => draft.delete(records, { ...row, ttl: 62 }));
    assert.equal(ttlsBefore(store, domain), [[62], [61], [60], [null], []]);
    const [last, , , , first] = readHistory(environment, domain.id);
    assert.equal([last.sequence, last.isCreation, first.isCreation], [journal.head, false, true]);
  });
});

test('stays when the row of the domain is replaced, and goes with the domain', async () => {
  await withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const domain = await createDomain(store);
    const row = addressRecord(domain, 'www', 1);
    await put(store, row);
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, { ...domain, createdAt: 77 });
      draft.delete(records, row);
    });
    assert.equal(ttlsBefore(store, domain), [[row.ttl], [null], []]);
    assert.equal(
      readHistory(environment, domain.id).map(({ isCreation }) => isCreation),
      [false, false, true],
    );
    await write(environment, journal, 'test', (draft) => draft.delete(domains, { ...domain, createdAt: 77 }));
    assert.equal(readHistory(environment, domain.id), []);
    assert.is(environment.history.getCount(), 0);
  });
});

test('leaves out what does not change settings, such as the state of a certificate', async () => {
  await withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const domain = await createDomain(store);
    const proxy = { ...newProxy(domain), sslError: 'one' };
    for (const row of [proxy, { ...proxy, sslError: 'another' }, { ...proxy, originPort: 8443 }])
      await write(environment, journal, 'test', (draft) => draft.put(proxies, row));
    const [last, first, creation] = readHistory(environment, domain.id);
    assert.ok(creation.isCreation);
    assert.is(first.about.proxy?.before, null);
    assert.equal([last.about.proxy?.before?.originPort, last.about.proxy?.after?.originPort], [proxy.originPort, 8443]);
    assert.is(JSON.stringify(last.about).includes('another'), false);
  });
});

test('restarts when another version of the program has applied entries without it', async () => {
  await withStore(embedded, async (store) => {
    const domain = await createDomain(store);
    const row = addressRecord(domain, 'www', 1);
    await put(store, row);
    await store.journal.close();
    store.journal = await embedded(store, 1000);
    assert.is(readHistory(store.environment, domain.id).length, 2, 'it stays after a restart');
    await store.journal.close();
    // As the other version leaves it: the head has moved on without the history.
    const written = Buffer.alloc(6);
    written.writeUIntBE(store.journal.head - 1, 0, 6);
    await store.environment.meta.put(Buffer.from('history'), written);
    store.journal = await embedded(store, 1000);
    assert.equal(readHistory(store.environment, domain.id), []);
    await put(store, { ...row, ttl: 61 });
    await put(store, { ...row, ttl: 62 });
    assert.equal(ttlsBefore(store, domain), [[61], [row.ttl]]);
  });
});

test.run();
