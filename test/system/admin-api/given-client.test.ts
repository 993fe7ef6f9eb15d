/** A client that knows only the given part of the API contract, with more than a page of each. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { GivenClient, type RecordFields, type ZoneRecord } from './given-client.ts';

const COUNT = 300;

const test = suite<{ daemon: Daemon; client: GivenClient }>('admin-api, a client of the given contract');

test.before(async (context) => {
  context.daemon = await startDaemon({ WAYPOST_RATE_LIMIT: '0' });
  context.client = new GivenClient(`http://127.0.0.1:${context.daemon.adminPort}`);
  await context.client.logIn('admin', ADMIN_PASSWORD);
});
test.after(({ daemon }) => daemon.close());

const recordAt = (i: number): RecordFields => {
  const more = { name: `r${i}`, ttl: 300 + (i % 7) };
  if (i % 3 === 0) return { ...more, type: 'TXT', content: `"text ${i}"` };
  return i % 3 === 1
    ? { ...more, type: 'A', content: `192.0.2.${i % 250}` }
    : { ...more, type: 'AAAA', content: `2001:db8::${i.toString(16)}` };
};

const byId = (records: readonly ZoneRecord[]): ZoneRecord[] => records.toSorted((a, b) => a.id - b.id);

test('300 records: created, listed, replaced, deleted, and compared after each step', async ({ client }) => {
  const { id } = await client.createDomain('records.example.net');
  // 1. Create, with what stands there before.
  const expected = new Map((await client.records(id)).map((record) => [record.id, record]));
  for (let i = 0; i < COUNT; i++) {
    const fields = recordAt(i);
    const record = await client.createRecord(id, fields);
    assert.equal(record, { id: record.id, ...fields });
    expected.set(record.id, record);
  }
  const compare = async (): Promise<void> =>
    assert.equal(byId(await client.records(id)), byId([...expected.values()]), 'the list is the model');
  await compare();
  assert.is((await client.account()).records, expected.size);
  // 2. Replace every second one, as the list has it.
  for (const [i, record] of (await client.records(id)).entries()) {
    if (i % 2 === 0 || record.type !== 'A') continue;
    expected.set(record.id, await client.replaceRecord(id, { ...record, content: '198.51.100.7', ttl: 600 }));
  }
  await compare();
  // 3. A synchronization: delete what the list has and the model does not want.
  for (const record of await client.records(id)) {
    if (record.type !== 'TXT') continue;
    await client.deleteRecord(id, record.id);
    expected.delete(record.id);
  }
  await compare();
  for (const record of await client.records(id)) {
    await client.deleteRecord(id, record.id);
    expected.delete(record.id);
  }
  await compare();
  await client.deleteDomain(id);
});

test('300 domains: created, listed, proxied, deleted, and compared after each step', async ({ client }) => {
  // 1. Create.
  const expected = new Map<number, string>();
  for (let i = 0; i < COUNT; i++) {
    const { id, domain } = await client.createDomain(`d${i}.example.net`);
    assert.is(domain, `d${i}.example.net`);
    expected.set(id, domain);
  }
  const compare = async (): Promise<void> =>
    assert.equal(new Map((await client.domains()).map(({ id, domain }) => [id, domain])), expected);
  await compare();
  assert.is((await client.account()).domains, COUNT);
  // 2. The proxy of each has the types of the contract: before it is set up, and after.
  for (const [i, { id }] of (await client.domains()).entries()) {
    const before = await client.proxy(id);
    assert.equal([before.domain_id, before.is_enabled], [id, 0]);
    assert.equal([before.origin_host, before.origin_port, before.origin_protocol], ['', 443, 'https']);
    if (i % 50 !== 0) continue;
    assert.is((await client.setOrigin(id, '1.1.1.1', 80)).origin_protocol, 'http');
    assert.is((await client.toggle(id, true)).is_enabled, 1);
    assert.is((await client.toggle(id, false)).is_enabled, 0);
  }
  // 3. Delete every second one, then the rest, as the list has them.
  for (const [i, { id }] of (await client.domains()).entries()) {
    if (i % 2 === 0) continue;
    await client.deleteDomain(id);
    expected.delete(id);
  }
  await compare();
  for (const { id } of await client.domains()) await client.deleteDomain(id);
  expected.clear();
  await compare();
  assert.is((await client.account()).domains, 0);
});

test.run();
