/**
 * The API contract: lists. Every list is taken from the route list, so that a new one is covered.
 */
import * as assert from 'uvu/assert';
import { type Json, listOf, PASSWORD } from '../daemon.ts';
import { newId, SETTINGS, uploaded } from '../packages/client.ts';
import { concrete } from './routes.ts';
import { type Client, each, everywhere, refused, succeeded, type World, walk, type Zone } from './world.ts';

interface List {
  readonly field: string;
  /** The field that identifies an element, if it is not `id`. */
  readonly id?: string;
  add(i: number): Promise<unknown>;
}

interface Case {
  readonly client: Client;
  readonly zone: Zone;
  /** Has packages. */
  readonly app: string;
  /** By path. */
  readonly lists: ReadonlyMap<string, List>;
}

const made = async (answer: Promise<{ readonly status: number; readonly text: string }>): Promise<void> => {
  const { status, text } = await answer;
  assert.is(status, 200, text);
};

/** Requested by an administrator, who sees all lists. */
async function listsOf(world: World): Promise<Case> {
  const client = world.admin;
  const zone = await world.zone(client);
  const app = newId();
  await uploaded(client, app, 1);
  const post = (path: string, json: object) => made(client.post(path, json));
  return {
    client,
    zone,
    app,
    lists: new Map<string, List>([
      [
        '/api/v1/domains',
        { field: 'domains', add: (i) => post('/api/v1/domains', { domain: `l${i}.${zone.domain}` }) },
      ],
      [
        '/api/v1/domains/{domain_id}/records',
        { field: 'records', add: (i) => post(zone.records, { name: `r${i}`, type: 'A', content: '192.0.2.1' }) },
      ],
      ['/api/v1/tokens', { field: 'tokens', add: (i) => post('/api/v1/tokens', { name: `t${i}` }) }],
      [
        '/api/v1/sessions',
        { field: 'sessions', add: () => post('/api/v1/session', { login: 'admin', password: PASSWORD }) },
      ],
      ['/api/v1/tsig-keys', { field: 'tsig_keys', add: (i) => post('/api/v1/tsig-keys', { name: `k${i}` }) }],
      [
        '/api/v1/accounts',
        { field: 'accounts', add: (i) => post('/api/v1/accounts', { username: `list${i}`, password: 'long enough' }) },
      ],
      ['/api/dev/apps', { field: 'apps', id: 'app_id', add: () => uploaded(client, newId(), 1) }],
      ['/api/dev/apps/{app_id}', { field: 'uploads', add: (i) => uploaded(client, app, i + 1) }],
      ['/api/dev/admin/queue', { field: 'uploads', add: () => uploaded(client, newId(), 1, 'review') }],
      ['/api/v1/audit', { field: 'entries', add: (i) => post('/api/v1/tokens', { name: `audited${i}` }) }],
    ]),
  };
}

/** Elements that exist during the whole test. */
const ELEMENTS = 13;

await everywhere(
  'contract, lists',
  (test) => {
    test('every list accepts ?limit= and ?cursor=, and returns next_cursor', async ({ world }) => {
      const { lists } = await listsOf(world);
      const paged = world.daemon.api.routes.filter(
        (route) => route.query !== undefined && 'cursor' in route.query.properties,
      );
      assert.equal(paged.map((route) => route.path).sort(), [...lists.keys()].sort());
      const answering = world.daemon.api.routes.filter(
        (route) => route.response !== undefined && 'next_cursor' in route.response.properties,
      );
      assert.equal(answering.map((route) => route.path).sort(), [...lists.keys()].sort());
    });

    test('?limit= is at most 1000, and ?cursor= must be a next_cursor', async ({ world }) => {
      const { client, lists, zone, app } = await listsOf(world);
      for (const template of lists.keys()) {
        const path = concrete(template, { domain_id: zone.id, app_id: app });
        for (const limit of ['0', '1001', '9999', '-1', '1.5', '1e2', '0x10', '', 'x', '%00', '１'])
          refused(await client.get(`${path}?limit=${limit}`), '400 invalid_limit');
        for (const cursor of ['', '%21', '!', `${'A'.repeat(2000)}`])
          refused(await client.get(`${path}?cursor=${cursor}`), '400 invalid_cursor');
        for (const limit of ['1', '1000', '01']) succeeded(await client.get(`${path}?limit=${limit}`));
      }
    });

    test('?limit= is 100 by default', async ({ world }) => {
      const zone = await world.zone();
      const post = Array.from({ length: 101 }, (_, i) => ({ name: `r${i}`, type: 'A', content: '192.0.2.1' }));
      succeeded(await world.user.client.post(`${zone.records}/batch`, { post }));
      const { body } = await world.user.client.get(zone.records);
      assert.is(listOf(body.records).length, 100);
      assert.is((await walk(world.user.client, zone.records, 'records')).length, 101);
      const whole = await world.user.client.get(`${zone.records}?limit=1000`);
      assert.equal(
        [listOf(whole.body.records).length, whole.body.next_cursor, whole.headers.get('link')],
        [101, null, null],
      );
    });

    test('pages by cursor or Link have every element exactly once during writes', async ({ world }) => {
      const { client, zone, app, lists } = await listsOf(world);
      let made = 0;
      const next = () => {
        made += 7;
        return made;
      };
      for (const [template, { field, id = 'id', add }] of lists) {
        const path = concrete(template, { domain_id: zone.id, app_id: app });
        // Numbers whose order differs from the order of their text, in case all have the same
        // second.
        for (let i = 0; i < ELEMENTS; i++) await add(next());
        const before = each(await walk(client, `${path}?limit=1000`, field), id);
        assert.is(new Set(before).size, before.length);
        const seen = await walk(client, `${path}?limit=5`, field, () => add(next()));
        const ids = each(seen, id);
        assert.is(new Set(ids).size, ids.length, `${path}: an element twice`);
        for (const id of before) assert.ok(ids.includes(id), `${path}: an element not at all`);
      }
    });

    test('a cursor works after its last element was deleted', async ({ world }) => {
      const zone = await world.zone();
      for (const name of ['a', 'b', 'c', 'd']) await zone.add(name, 'A', '192.0.2.1');
      const first = (await world.user.client.get(`${zone.records}?limit=2`)).body;
      for (const record of listOf(first.records))
        succeeded(await world.user.client.delete(`${zone.records}/${record.id}`));
      const rest = listOf(
        (await world.user.client.get(`${zone.records}?limit=2&cursor=${first.next_cursor}`)).body.records,
      );
      assert.equal(each(rest, 'name'), ['c', 'd']);
    });

    test('the Link header keeps the filters of the query', async ({ world }) => {
      const zone = await world.zone();
      for (let i = 0; i < 6; i++) await zone.add(`r${i}`, i % 2 === 0 ? 'A' : 'TXT', '192.0.2.1');
      const found: Json[] = await walk(world.user.client, `${zone.records}?type=A&limit=1`, 'records');
      assert.equal(each(found, 'name'), ['r0', 'r2', 'r4']);
      const domains = await walk(
        world.user.client,
        `/api/v1/domains?q=${zone.domain.slice(0, 4).toUpperCase()}&limit=1`,
        'domains',
      );
      assert.ok(each(domains, 'domain').includes(zone.domain));
    });

    test('the cursor of one domain is invalid for another', async ({ world }) => {
      const [first, second] = [await world.zone(), await world.zone()];
      for (const name of ['a', 'b']) await first.add(name, 'A', '192.0.2.1');
      const { body } = await world.user.client.get(`${first.records}?limit=1`);
      refused(await world.user.client.get(`${second.records}?cursor=${body.next_cursor}`), '400 invalid_cursor');
    });

    test('a page of large records has fewer items and a cursor', async ({ world }) => {
      const zone = await world.zone();
      const post = Array.from({ length: 60 }, (_, i) => ({ name: `n${i}`, type: 'TXT', content: 'x'.repeat(40_000) }));
      succeeded(await world.user.client.post(`${zone.records}/batch`, { post }));
      for (const query of ['limit=1000', 'limit=1000&type=TXT']) {
        const seen = new Set<string>();
        let pages = 0;
        for (let cursor: string | null = ''; cursor !== null; pages++) {
          const path: string = `${zone.records}?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`;
          const { body, text } = succeeded(await world.user.client.get(path));
          assert.ok(text.length < 4 << 20, `${text.length} bytes`);
          for (const name of each(listOf(body.records), 'name')) seen.add(String(name));
          cursor = typeof body.next_cursor === 'string' ? body.next_cursor : null;
        }
        assert.is(seen.size, post.length);
        assert.is(pages, 3);
      }
    });
  },
  SETTINGS,
);
