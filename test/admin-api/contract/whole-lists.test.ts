/** The API contract: lists of more entries than a page, which are streamed. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { type Domain, domains, PRIMARY } from '../../../core/store/rows.ts';
import { type Json, listOf } from '../daemon.ts';
import { type Client, each, everywhere, onOne, succeeded, type World, walk, type Zone } from './world.ts';

const MAX_WHOLE = 10_000;

/** A zone with `count` A records next to its own. */
async function large(world: World, count: number, more = ''): Promise<Zone> {
  const zone = await world.zone();
  const lines = Array.from({ length: count }, (_, i) => `n${i} A 192.0.2.${i % 250}`);
  succeeded(await zone.client.upload(zone.zonefile, `$TTL 300\n${lines.join('\n')}\n${more}`));
  return zone;
}

const largest = new WeakMap<World, Promise<Zone>>();

/** The zone of the tests that need one above the limit: with 10,051 records and its own. */
function aboveLimit(world: World): Promise<Zone> {
  const zone = largest.get(world) ?? large(world, MAX_WHOLE + 50, 'n5 TXT x\n');
  largest.set(world, zone);
  return zone;
}

/** Begins to read a response, of which nothing is taken yet. */
async function begin({ client, records }: Zone): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${client.token}` };
  const [response] = await once(get(client.daemon.url + records, { headers }), 'response');
  return response as IncomingMessage;
}

async function rest(response: IncomingMessage): Promise<Json> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

/** Creates `count` domains in one change. */
async function manyDomains({ daemon }: World, accountId: number, count: number, parent = 'many'): Promise<void> {
  await write(daemon.environment, daemon.journal, 'test', async (draft) => {
    for (let i = 0; i < count; i++) {
      const apex = parseName(`d${i}.${parent}.example.`);
      const domain: Domain = {
        id: draft.newId(domains),
        accountId,
        apex,
        createdAt: 1_700_000_000,
        kept: null,
        ...PRIMARY,
      };
      draft.put(domains, domain);
    }
  });
}

const idsOf = async (client: Client, path: string, field: string): Promise<string[]> =>
  each(listOf(succeeded(await client.get(path)).body[field]), 'id');

await everywhere('contract, whole lists', (test, variant) => {
  test('records: a list of thousands is whole, in each order, with ETag, HEAD and 304', async ({ world }) => {
    const zone = await large(world, 3000);
    const { client, records } = zone;
    const { body, headers } = succeeded(await client.get(records));
    const tag = await zone.etag();
    assert.equal([headers.get('etag'), headers.get('link')], [tag, null]);
    const ids = each(listOf(body.records), 'id');
    assert.equal([body.next_cursor, Number(body.total)], [null, ids.length]);
    assert.ok(ids.length >= 3000);
    assert.equal(each(await walk(client, `${records}?limit=1000`, 'records'), 'id'), ids);
    assert.equal(await idsOf(client, `${records}?sort=-name`, 'records'), ids.toReversed());
    const pages = listOf(succeeded(await client.get(`${records}?limit=1000`)).body.records);
    assert.equal(listOf(body.records).slice(0, 1000), pages, 'the same fields');
    const head = await client.send('HEAD', records);
    assert.equal([head.status, head.text, head.headers.get('etag')], [200, '', tag]);
    for (const method of ['GET', 'HEAD']) {
      const unchanged = await client.send(method, records, { headers: { 'if-none-match': `"0", ${tag}` } });
      assert.equal([unchanged.status, unchanged.text, unchanged.headers.get('etag')], [304, '', tag], method);
      // A 304 without the length of the list has none (RFC 9110 8.6).
      assert.is(unchanged.headers.get('content-length'), null, method);
    }
    await zone.add('new', 'A', '192.0.2.1');
    const changed = succeeded(await client.get(records, { 'if-none-match': tag }));
    assert.is(listOf(changed.body.records).length, ids.length + 1);
    // An export has no length either.
    const zonefile = await client.get(zone.zonefile, { 'if-none-match': await zone.etag() });
    assert.equal([zonefile.status, zonefile.text], [304, '']);
  });

  test('records: above 10,000, the first 10,000, and then next_cursor and Link', async ({ world }) => {
    const { client, records } = await aboveLimit(world);
    const { body, headers } = succeeded(await client.get(records));
    assert.is(listOf(body.records).length, MAX_WHOLE);
    assert.ok(Number(body.total) > MAX_WHOLE + 50);
    assert.match(headers.get('link') ?? '', new RegExp(`cursor=${body.next_cursor}>; rel="next"$`));
    const all = each(await walk(client, records, 'records'), 'id');
    assert.is(all.length, Number(body.total));
    assert.equal(all, each(await walk(client, `${records}?limit=1000`, 'records'), 'id'));
    const filtered = succeeded(await client.get(`${records}?type=A`)).body;
    assert.is(listOf(filtered.records).length, MAX_WHOLE);
    assert.is(filtered.total, null);
    const after = succeeded(await client.get(`${records}?type=A&cursor=${filtered.next_cursor}`)).body;
    assert.equal([listOf(after.records).length, after.next_cursor], [50, null]);
    const single = succeeded(await client.get(`${records}?type=TXT`)).body;
    assert.equal([listOf(single.records).length, single.next_cursor, Number(single.total)], [1, null, 1]);
  });

  test('a client that leaves in the middle leaves nothing open', async ({ world }) => {
    const zone = await aboveLimit(world);
    for (let i = 0; i < 150; i++) {
      const response = await begin(zone);
      response.once('error', () => {});
      response.destroy();
    }
    assert.is((await zone.list()).length, MAX_WHOLE);
  });

  test('records: a list shows one state, whatever is written while it is read', async ({ world }) => {
    const zone = await aboveLimit(world);
    largest.delete(world);
    const tag = await zone.etag();
    const whole = await zone.list();
    const response = await begin(zone);
    succeeded(await zone.client.upload(zone.zonefile, '$TTL 300\nlater A 192.0.2.1\n'));
    assert.is(response.headers.etag, tag);
    assert.equal((await rest(response)).records, whole as unknown as Json);
    assert.ok((await zone.list()).some(({ name }) => String(name) === 'later'));
  });

  test('records: the state of an ALIAS in a long list changes its ETag', async ({ world }) => {
    const zone = await large(world, 1500, '@ ALIAS target.example.org.\n');
    const { headers, body } = succeeded(await zone.client.get(zone.records));
    const tag = headers.get('etag') ?? '';
    assert.match(tag, /^"\d+-[0-9a-f]{16}"$/);
    assert.is(listOf(body.records).filter(({ alias }) => alias !== undefined).length, 1);
    assert.is((await zone.client.get(zone.records, { 'if-none-match': tag })).status, 304);
    const revision = await zone.etag();
    assert.is((await zone.client.get(`${zone.records}?type=A`)).headers.get('etag'), revision, 'without it');
    assert.is(succeeded(await zone.client.get(zone.records, { 'if-none-match': '"1"' })).headers.get('etag'), tag);
    assert.is.not(tag, revision);
  });

  onOne(test, variant)(
    'domains: above 10,000, the first 10,000, and then next_cursor and Link, in each order',
    async ({ world }) => {
      const { client, id } = await world.member({ plan: 'unlimited' });
      const path = '/api/v1/domains';
      await manyDomains(world, id, MAX_WHOLE + 20);
      for (const query of ['', '?sort=-created_at', '?q=many']) {
        const { body, headers } = succeeded(await client.get(path + query));
        assert.is(listOf(body.domains).length, MAX_WHOLE, query);
        assert.is(Number(body.total), MAX_WHOLE + 20, query);
        assert.ok((headers.get('link') ?? '').includes(`cursor=${body.next_cursor}`), query);
        const later = `${path}?cursor=${body.next_cursor}${query.replace('?', '&')}`;
        const all = each([...listOf(body.domains), ...(await walk(client, later, 'domains'))], 'domain');
        assert.equal([all.length, new Set(all).size], [MAX_WHOLE + 20, MAX_WHOLE + 20], query);
      }
    },
  );

  test('domains: one that is deleted while the list is read is left out; the others are all there', async ({
    world,
  }) => {
    const { client, id } = await world.member({ plan: 'unlimited' });
    await manyDomains(world, id, 400, 'few');
    const zones = listOf(succeeded(await client.get('/api/v1/domains')).body.domains);
    const headers = { authorization: `Bearer ${client.token}` };
    const [response] = await once(get(`${client.daemon.url}/api/v1/domains`, { headers }), 'response');
    succeeded(await client.delete(`/api/v1/domains/${zones[399].id}`));
    await setImmediate();
    const names = each(listOf((await rest(response as IncomingMessage)).domains), 'domain');
    const missing = each(zones, 'domain').filter((domain) => !names.includes(domain));
    assert.ok(missing.length === 0 || missing.join() === String(zones[399].domain), missing.join());
    assert.is(zones.length, 400);
    assert.is(new Set(names).size, names.length);
  });
});
