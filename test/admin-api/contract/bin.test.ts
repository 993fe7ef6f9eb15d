/** The API contract: deleted domains, and their restore. */
import * as assert from 'uvu/assert';
import { type Json, listOf } from '../daemon.ts';
import { type Client, everywhere, refused, succeeded, type Zone } from './world.ts';

const DOMAINS = '/api/v1/domains';
const DELETED = `${DOMAINS}/deleted`;
const DAYS = 30;

const timeOf = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`) / 1000;

const deletedOf = async (client: Client, query = ''): Promise<Json[]> =>
  listOf(succeeded(await client.get(DELETED + query)).body.domains);

const idsOf = (items: readonly Json[]): number[] => items.map(({ id }) => Number(id));

const restore = (client: Client, id: number) => client.post(`${DELETED}/${id}/restore`, {});

/** The records of a zone without the revision of the answer. */
const recordsOf = async (zone: Zone): Promise<string> => JSON.stringify(await zone.list());

await everywhere('contract, deleted domains', (test) => {
  test('DELETE /api/v1/domains/{id} moves the domain to the bin for 30 days', async ({ world }) => {
    const { client, username } = await world.member();
    const zone = await world.zone(client);
    await zone.add('www', 'A', '192.0.2.1');
    const { body } = succeeded(await client.delete(zone.path));
    const [listed, ...others] = await deletedOf(client);
    assert.equal(others, []);
    const { created_at: created, deleted_at: deleted, account_id: _account, ...rest } = listed;
    assert.equal(rest, {
      id: zone.id,
      domain: zone.domain,
      kind: 'primary',
      record_count: 1,
      deleted_by: username,
      restorable_until: body.restorable_until,
    });
    assert.ok(timeOf(String(created)) <= timeOf(String(deleted)));
    assert.is(timeOf(String(body.restorable_until)) - timeOf(String(deleted)), DAYS * 86_400);
    refused(await client.get(zone.path), '404 no_such_domain');
    refused(await client.get(zone.records), '404 no_such_domain');
    refused(await client.delete(zone.path), '404 no_such_domain');
    assert.equal(listOf(succeeded(await client.get(DOMAINS)).body.domains), []);
    // Neither the domain nor its record counts.
    const { account } = succeeded(await client.get('/api/v1/account')).body;
    assert.equal([account.domain_count, account.dns_record_count], [0, 0]);
  });

  test('POST /api/v1/domains/deleted/{id}/restore: the domain with its id, records, settings and history', async ({
    world,
  }) => {
    const { client } = await world.member();
    const zone = await world.zone(client);
    await zone.add('www', 'A', '192.0.2.1');
    await zone.add('@', 'MX', `10 www.${zone.domain}`);
    succeeded(await client.put(`${zone.path}/proxy`, { origin: '1.1.1.1' }));
    succeeded(await client.put(`${zone.path}/proxy/rules`, { rules: [] }));
    succeeded(await client.put(`${zone.path}/dnssec`, { enabled: true }));
    const keys = async () =>
      listOf(succeeded(await client.get(`${zone.path}/dnssec`)).body.keys).map(({ key_tag: tag }) => tag);
    const read = async () => [
      await recordsOf(zone),
      succeeded(await client.get(`${zone.path}/proxy`)).body.proxy.origin_host,
      succeeded(await client.get(`${zone.path}/proxy/rules`)).body.rules,
      await keys(),
    ];
    const [before, etag] = [await read(), await zone.etag()];
    const history = async (): Promise<Json[]> =>
      listOf(succeeded(await client.get(`${zone.path}/history`)).body.changes);
    const count = (await history()).length;
    succeeded(await client.delete(zone.path));
    assert.is((await history()).length, count + 1, 'the history is readable in the bin');
    const answer = succeeded(await restore(client, zone.id));
    assert.is(answer.body.domain.id, zone.id);
    assert.is(answer.body.domain.record_count, 2);
    assert.equal(await read(), before);
    assert.is.not(await zone.etag(), etag);
    assert.equal(
      (await history()).slice(0, 2).map(({ action }) => action),
      ['domain.restore', 'domain.delete'],
    );
    assert.equal(await deletedOf(client), []);
    refused(await restore(client, zone.id), '404 no_such_domain');
  });

  test('the name of a deleted domain is free; a restore then gives 409 zone_exists', async ({ world }) => {
    const [one, two] = [await world.member(), await world.member()];
    const zone = await world.zone(one.client);
    succeeded(await one.client.delete(zone.path));
    const taken = await world.zone(two.client, zone.domain);
    refused(await restore(one.client, zone.id), '409 zone_exists');
    succeeded(await two.client.delete(taken.path));
    const below = await world.zone(two.client, `below.${zone.domain}`);
    refused(await restore(one.client, zone.id), '409 zone_exists');
    succeeded(await two.client.delete(below.path));
    succeeded(await restore(one.client, zone.id));
    refused(await restore(two.client, taken.id), '409 zone_exists');
  });

  test('a restore that is above the domains or the records of the plan gives 409 plan_limit', async ({ world }) => {
    const { client } = await world.member({ plan: 'free' });
    const zone = await world.zone(client);
    succeeded(await client.delete(zone.path));
    const others: Zone[] = [];
    for (let i = 0; i < 10; i++) others.push(await world.zone(client));
    refused(await restore(client, zone.id), '409 plan_limit');
    succeeded(await client.delete(others[0].path));
    succeeded(await restore(client, zone.id));
  });

  test('DELETE ?permanent=true deletes a domain for good, also one in the bin', async ({ world }) => {
    const { client } = await world.member();
    const [now, later] = [await world.zone(client), await world.zone(client)];
    assert.equal(succeeded(await client.delete(`${now.path}?permanent=true`)).body.restorable_until, null);
    succeeded(await client.delete(later.path));
    assert.equal(idsOf(await deletedOf(client)), [later.id]);
    assert.equal(succeeded(await client.delete(`${later.path}?permanent=true`)).body.restorable_until, null);
    assert.equal(await deletedOf(client), []);
    for (const { id } of [now, later]) {
      refused(await restore(client, id), '404 no_such_domain');
      refused(await client.get(`${DOMAINS}/${id}/history`), '404 no_such_domain');
      refused(await client.delete(`${DOMAINS}/${id}?permanent=true`), '404 no_such_domain');
    }
  });

  test('the bin of another account is not there, except for administrators', async ({ world }) => {
    const [one, two] = [await world.member(), await world.member()];
    const zone = await world.zone(one.client);
    succeeded(await one.client.delete(zone.path));
    assert.equal(await deletedOf(two.client), []);
    refused(await restore(two.client, zone.id), '404 no_such_domain');
    refused(await two.client.delete(`${zone.path}?permanent=true`), '404 no_such_domain');
    refused(await two.client.get(`${DELETED}?account=${one.id}`), '403 forbidden');
    assert.equal(idsOf(await deletedOf(world.admin, `?account=${one.id}`)), [zone.id]);
    succeeded(await restore(world.admin, zone.id));
  });

  test('the bin in pages, newest first', async ({ world }) => {
    const { client } = await world.member();
    const zones: Zone[] = [];
    for (let i = 0; i < 5; i++) zones.push(await world.zone(client));
    for (const { path } of zones) succeeded(await client.delete(path));
    const all = idsOf(await deletedOf(client));
    assert.equal([...all].sort(), zones.map(({ id }) => id).sort());
    const found: number[] = [];
    for (let cursor = ''; ; ) {
      const { body } = succeeded(await client.get(`${DELETED}?limit=2${cursor}`));
      found.push(...idsOf(listOf(body.domains)));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    assert.equal(found, all);
  });

  test('an account with domains in its bin alone can be deleted', async ({ world }) => {
    const { client, id } = await world.member();
    const zone = await world.zone(client);
    succeeded(await client.delete(zone.path));
    succeeded(await world.admin.delete(`/api/v1/accounts/${id}`));
    refused(await restore(world.admin, zone.id), '404 no_such_domain');
  });
});
