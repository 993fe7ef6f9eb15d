/**
 * The API contract: lists. Every list is taken from the route list, so that a new one is covered.
 */
import * as assert from 'uvu/assert';
import { type Json, listOf, PASSWORD } from '../daemon.ts';
import { newId, SETTINGS, uploaded } from '../miniapp/packages/client.ts';
import { storedPasskey } from './factors.ts';
import { concrete } from './routes.ts';
import { testedWebhook } from './webhook.ts';
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
  /** The ids of one with a delivery. */
  readonly webhook: Awaited<ReturnType<typeof testedWebhook>>;
  /** By path. */
  readonly lists: ReadonlyMap<string, List>;
}

const made = async (answer: Promise<{ readonly status: number; readonly text: string }>): Promise<void> => {
  const { status, text } = await answer;
  assert.is(status, 200, text);
};

async function published(client: Client, app: string): Promise<void> {
  const { id } = await uploaded(client, app, 1);
  succeeded(await client.post(`/api/dev/uploads/${id}/publish`, {}));
}

/** Requested by an administrator, who sees all lists. */
async function listsOf(world: World): Promise<Case> {
  const client = world.admin;
  const zone = await world.zone(client);
  const own = Number((await client.get('/api/v1/account')).body.account.id);
  const app = newId();
  await uploaded(client, app, 1);
  const webhook = await testedWebhook(client);
  const post = (path: string, json: object) => made(client.post(path, json));
  return {
    client,
    zone,
    app,
    webhook,
    lists: new Map<string, List>([
      [
        '/api/v1/domains/{domain_id}/records',
        { field: 'records', add: (i) => post(zone.records, { name: `r${i}`, type: 'A', content: '192.0.2.1' }) },
      ],
      [
        '/api/v1/domains/{domain_id}/ptrs',
        {
          field: 'ptrs',
          id: 'name',
          add: (i) => post(zone.records, { name: `p${i}`, type: 'A', content: '192.0.2.1' }),
        },
      ],
      [
        '/api/v1/domains/{domain_id}/history',
        {
          field: 'changes',
          id: 'seq',
          add: (i) => post(zone.records, { name: `h${i}`, type: 'A', content: '192.0.2.1' }),
        },
      ],
      [
        '/api/v1/certificates',
        {
          field: 'certificates',
          id: 'domain_id',
          async add(i) {
            const { body } = succeeded(await client.post('/api/v1/domains', { domain: `c${i}.${zone.domain}` }));
            await post(`/api/v1/domains/${body.domain.id}/proxy/toggle`, { enable: true });
          },
        },
      ],
      // After the certificates, whose domains it has.
      [
        '/api/v1/domains',
        { field: 'domains', add: (i) => post('/api/v1/domains', { domain: `l${i}.${zone.domain}` }) },
      ],
      ['/api/v1/tokens', { field: 'tokens', add: (i) => post('/api/v1/tokens', { name: `t${i}` }) }],
      [
        '/api/v1/sessions',
        { field: 'sessions', add: () => post('/api/v1/session', { login: 'admin', password: PASSWORD }) },
      ],
      ['/api/v1/account/passkeys', { field: 'passkeys', add: () => storedPasskey(world, own) }],
      [
        '/api/v1/webhooks',
        { field: 'webhooks', add: (i) => post('/api/v1/webhooks', { url: `https://1.1.1.1/${i}` }) },
      ],
      [
        '/api/v1/webhooks/{webhook_id}/deliveries',
        { field: 'deliveries', add: () => post(`/api/v1/webhooks/${webhook.webhook_id}/test`, {}) },
      ],
      [
        '/api/v1/domains/deleted',
        {
          field: 'domains',
          async add(i) {
            const { path } = await world.zone(client, `deleted${i}.list.example`);
            return client.delete(path);
          },
        },
      ],
      ['/api/v1/tsig-keys', { field: 'tsig_keys', add: (i) => post('/api/v1/tsig-keys', { name: `k${i}` }) }],
      [
        '/api/v1/accounts',
        { field: 'accounts', add: (i) => post('/api/v1/accounts', { username: `list${i}`, password: 'long enough' }) },
      ],
      ['/api/dev/apps', { field: 'apps', id: 'app_id', add: () => uploaded(client, newId(), 1) }],
      ['/api/dev/apps/{app_id}', { field: 'uploads', add: (i) => uploaded(client, app, i + 1) }],
      ['/api/dev/admin/queue', { field: 'uploads', add: () => uploaded(client, newId(), 1, 'review') }],
      ['/api/store/apps', { field: 'apps', id: 'app_id', add: () => published(client, newId()) }],
      ['/api/v1/audit', { field: 'entries', add: (i) => post('/api/v1/tokens', { name: `audited${i}` }) }],
    ]),
  };
}

/** Lists that are counted only where they end on the first page. */
const UNCOUNTED: ReadonlySet<string> = new Set([
  '/api/v1/certificates',
  '/api/v1/domains/deleted',
  '/api/v1/webhooks/{webhook_id}/deliveries',
  '/api/dev/apps',
  '/api/dev/apps/{app_id}',
  '/api/dev/admin/queue',
  '/api/v1/audit',
]);

/** Lists that have a limit below a page, or whose elements take long to make. */
const FEW: ReadonlySet<string> = new Set([
  '/api/v1/sessions',
  '/api/v1/account/passkeys',
  '/api/v1/webhooks',
  '/api/v1/tsig-keys',
  '/api/dev/apps',
  '/api/dev/apps/{app_id}',
  '/api/dev/admin/queue',
  '/api/store/apps',
]);

/** Elements that exist during the whole test. */
const ELEMENTS = 13;
/** Pages of a list that grew in other tests, about. */
const PAGES = 6;

/** Elements of a page, of which a list has at least a few. */
const pageOf = (count: number, least: number): number => Math.max(least, Math.ceil(count / PAGES));

/** Adds elements with the numbers from `first`. */
async function addMany({ add }: List, count: number, first: number, step = 1): Promise<void> {
  for (let i = 0; i < count; i++) await add(first + step * i);
}

await everywhere(
  'contract, lists',
  (test) => {
    test('every list accepts ?limit= and ?cursor=, and returns next_cursor', async ({ world }) => {
      const { lists } = await listsOf(world);
      const paged = world.daemon.api.routes.filter((route) => route.query !== undefined && 'cursor' in route.query);
      assert.equal(paged.map((route) => route.path).sort(), [...lists.keys()].sort());
      const answering = world.daemon.api.routes.filter(
        (route) => route.response !== undefined && 'next_cursor' in route.response.properties,
      );
      assert.equal(answering.map((route) => route.path).sort(), [...lists.keys()].sort());
    });

    test('?limit= is at most 1000, and ?cursor= must be a next_cursor', async ({ world }) => {
      const { client, lists, zone, app, webhook } = await listsOf(world);
      for (const template of lists.keys()) {
        const path = concrete(template, { domain_id: zone.id, app_id: app, ...webhook });
        for (const limit of ['0', '1001', '9999', '-1', '1.5', '1e2', '0x10', '', 'x', '%00', '１'])
          refused(await client.get(`${path}?limit=${limit}`), '400 invalid_limit');
        for (const cursor of ['', '%21', '!', `${'A'.repeat(2000)}`])
          refused(await client.get(`${path}?cursor=${cursor}`), '400 invalid_cursor');
        for (const limit of ['1', '1000', '01']) succeeded(await client.get(`${path}?limit=${limit}`));
      }
    });

    test('without limit and cursor every list is whole; a cursor alone gives pages of 100', async ({ world }) => {
      const { client, zone, app, webhook, lists } = await listsOf(world);
      let count = 0;
      for (const [template, list] of lists) {
        const { field, id = 'id' } = list;
        const path = concrete(template, { domain_id: zone.id, app_id: app, ...webhook });
        const read = async (query = '') => listOf(succeeded(await client.get(path + query)).body[field]);
        const wanted = FEW.has(template) ? 3 : 102;
        const missing = Math.max(0, wanted - (await read()).length);
        await addMany(list, missing, 10_001 + count);
        count += missing;
        const { body, headers } = succeeded(await client.get(path));
        const ids = each(listOf(body[field]), id);
        assert.ok(ids.length >= wanted, `${path}: ${ids.length}`);
        assert.equal([body.next_cursor, headers.get('link'), Number(body.total)], [null, null, ids.length], path);
        const pages = each(await walk(client, `${path}?limit=${pageOf(ids.length, 2)}`, field), id);
        // The requests of this test use tokens and sessions, and add nothing.
        assert.equal(pages, ids, path);
        const { next_cursor: cursor } = succeeded(await client.get(`${path}?limit=1`)).body;
        assert.is((await read(`?cursor=${cursor}`)).length, Math.min(100, ids.length - 1), path);
      }
    });

    test('pages by cursor or Link have every element exactly once during writes', async ({ world }) => {
      const { client, zone, app, webhook, lists } = await listsOf(world);
      let created = 0;
      const next = () => {
        created += 7;
        return created;
      };
      for (const [template, { field, id = 'id', add }] of lists) {
        const path = concrete(template, { domain_id: zone.id, app_id: app, ...webhook });
        // Numbers whose order differs from the order of their text, in case all have the same
        // second.
        for (let i = 0; i < ELEMENTS; i++) await add(next());
        const before = each(await walk(client, `${path}?limit=1000`, field), id);
        assert.is(new Set(before).size, before.length);
        const seen = await walk(client, `${path}?limit=${pageOf(before.length, 5)}`, field, () => add(next()));
        const ids = each(seen, id);
        assert.is(new Set(ids).size, ids.length, `${path}: an element twice`);
        for (const number of before) assert.ok(ids.includes(number), `${path}: an element not at all`);
      }
    });

    test('?sort= orders every list that has it, in both directions, with each element exactly once', async ({
      world,
    }) => {
      const { client, zone, app, webhook, lists } = await listsOf(world);
      for (const { path: template, query } of world.daemon.api.routes) {
        const list = lists.get(template);
        const sorts = query?.sort?.enum as string[] | undefined;
        if (list === undefined || sorts === undefined) continue;
        const path = concrete(template, { domain_id: zone.id, app_id: app, ...webhook });
        await addMany(list, 4, 1000, 7);
        const limit = pageOf(listOf(succeeded(await client.get(path)).body[list.field]).length, 3);
        for (const sort of sorts.filter((candidate) => !candidate.startsWith('-'))) {
          const [up, down] = [sort, `-${sort}`].map((order) =>
            walk(client, `${path}?limit=${limit}&sort=${order}`, list.field),
          );
          const ids = each(await up, list.id ?? 'id');
          assert.is(new Set(ids).size, ids.length, `${path} ${sort}`);
          // The use of the token of this test changes.
          if (sort !== 'last_used_at')
            assert.equal(each(await down, list.id ?? 'id'), ids.reverse(), `${path} ${sort}`);
          else assert.is((await down).length, ids.length);
          assert.equal(
            new Set(each(await walk(client, path, list.field), list.id ?? 'id')),
            new Set(ids),
            `${path} ${sort}`,
          );
        }
        for (const sort of ['', '-', 'none', `--${sorts[0]}`, `${sorts[0]}-`])
          refused(await client.get(`${path}?sort=${sort}`), '400 invalid_sort');
      }
    });

    test('?sort= puts values in their order', async ({ world }) => {
      const { client } = await world.member({ plan: 'unlimited' });
      const zones = new Map<string, Zone>();
      for (const name of ['b', 'c', 'a']) zones.set(name, await world.zone(client, `${name}.sorted.example.net`));
      for (const [name, records] of [
        ['a', 2],
        ['b', 1],
      ] as const)
        for (let i = 0; i < records; i++) await zones.get(name)!.add(`r${i}`, 'A', '192.0.2.1');
      const order = async (sort: string) =>
        each(await walk(client, `/api/v1/domains?limit=2&sort=${sort}`, 'domains'), 'domain').map((name) => name[0]);
      assert.equal(await order('domain'), ['a', 'b', 'c']);
      assert.equal(await order('-domain'), ['c', 'b', 'a']);
      assert.equal(await order('-alphabetical'), ['c', 'b', 'a']);
      assert.equal(await order('record_count'), ['c', 'b', 'a']);
      assert.equal(await order('-record_count'), ['a', 'b', 'c']);
      assert.equal(await order('created_at'), ['b', 'c', 'a']);
      for (const name of ['Zoo', 'bar', 'Äpfel']) await client.post('/api/v1/tokens', { name });
      const names = each(await walk(client, '/api/v1/tokens?limit=1&sort=-name', 'tokens'), 'name');
      assert.equal(names, ['Äpfel', 'Zoo', 'test', 'bar']);
      const accounts = each(await walk(world.admin, '/api/v1/accounts?limit=2&sort=username', 'accounts'), 'username');
      assert.equal(accounts, [...accounts].sort());
    });

    test('total counts all items on the first page, and is null on later ones', async ({ world }) => {
      const { client, zone, app, webhook, lists } = await listsOf(world);
      for (const { path: template, response } of world.daemon.api.routes) {
        const list = lists.get(template);
        if (list === undefined || response?.properties.total === undefined) continue;
        const path = concrete(template, { domain_id: zone.id, app_id: app, ...webhook });
        await addMany(list, 3, 2000, 7);
        const all = await walk(client, path, list.field);
        const first = succeeded(await client.get(`${path}?limit=2`)).body;
        if (UNCOUNTED.has(template)) assert.is(first.total, null, path);
        else assert.is(first.total, all.length, path);
        const whole = succeeded(await client.get(`${path}?limit=1000`)).body;
        if (whole.next_cursor === null) assert.is(whole.total, listOf(whole[list.field]).length, path);
        const second = succeeded(await client.get(`${path}?limit=2&cursor=${first.next_cursor}`)).body;
        assert.is(second.total, null, path);
      }
    });

    test('?q= finds parts of names and values, in any case', async ({ world }) => {
      const { client, id, username } = await world.member({ plan: 'unlimited', email: 'Searched.Person@example.net' });
      const zone = await world.zone(client, 'b\u00fccher-search.example.net');
      await zone.add('www', 'A', '192.0.2.17');
      await zone.add('b\u00fccherei', 'TXT', '"Find ME = here"');
      await zone.add('deep.sub', 'CNAME', 'm\u00fcnchen.example.org');
      await zone.add('@', 'MX', '10 mail.example.org');
      succeeded(await client.post('/api/v1/tokens', { name: 'Backup Robot' }));
      succeeded(await client.post('/api/v1/tsig-keys', { name: 'transfer.search.example' }));
      const found = async (by: Client, path: string, field: string, name: string, q: string) => {
        const query = `q=${encodeURIComponent(q)}`;
        const { body } = succeeded(await by.get(`${path}?${query}`));
        const pages = await walk(by, `${path}?limit=1&${query}`, field);
        assert.equal(each(pages, name), each(listOf(body[field]), name));
        assert.is(body.total, pages.length);
        return each(pages, name);
      };
      for (const q of ['\u00fccher-S', 'xn--', 'BCHER', 'search.example'])
        assert.is((await found(client, '/api/v1/domains', 'domains', 'domain', q)).length, 1, q);
      assert.equal(await found(client, '/api/v1/domains', 'domains', 'domain', 'nothing'), []);
      for (const [q, names] of [
        ['ww', ['www']],
        ['2.17', ['www']],
        ['find me', ['xn--bcherei-n2a']],
        ['\u00fccherei', ['xn--bcherei-n2a']],
        ['XN--BCHEREI', ['xn--bcherei-n2a']],
        ['M\u00dcNCHEN', ['deep.sub']],
        ['example.org', ['@', 'deep.sub']],
        ['p.su', ['deep.sub']],
        ['deep.sub.xn--bcher-search-0wb', []],
        ['search', []],
        ['\n', []],
      ] as const)
        assert.equal((await found(client, zone.records, 'records', 'name', q)).sort(), [...names].sort(), q);
      assert.equal(
        await found(client, zone.records, 'records', 'name', `www.${(await client.get(zone.path)).body.domain.domain}`),
        ['www'],
      );
      const both = await walk(client, `${zone.records}?q=example.org&type=MX`, 'records');
      assert.equal(each(both, 'name'), ['@']);
      assert.equal(await found(client, '/api/v1/tokens', 'tokens', 'name', 'p rOB'), ['Backup Robot']);
      assert.equal(await found(client, '/api/v1/tsig-keys', 'tsig_keys', 'name', 'R.SEARCH'), [
        'transfer.search.example',
      ]);
      for (const sort of ['id', '-id', 'username', '-username'])
        for (const q of [username.toUpperCase(), 'searched.p']) {
          const { body } = succeeded(await world.admin.get(`/api/v1/accounts?sort=${sort}&q=${q}`));
          assert.equal(each(listOf(body.accounts), 'id'), [String(id)], `${sort} ${q}`);
          assert.is(body.total, 1);
        }
      const entries = listOf(succeeded(await client.get('/api/v1/audit?q=backup%20robot')).body.entries);
      assert.equal(each(entries, 'action'), ['token.create']);
      assert.equal(listOf((await client.get('/api/v1/audit?q=null')).body.entries), []);
    });

    test('pages of a filtered audit log are those entries of the whole log', async ({ world }) => {
      const { client } = await world.member();
      const names = [`a${newId()}.example`, `b${newId()}.example`];
      for (const domain of names) succeeded(await client.post('/api/v1/domains', { domain }));
      for (let i = 0; i < 5; i++) succeeded(await client.post('/api/v1/tokens', { name: `${names[0]} "${i}"` }));
      const all = await walk(client, '/api/v1/audit?limit=100', 'entries');
      for (const [query, isMeant] of [
        [`domain=${names[0].toUpperCase()}.`, ({ domain }: Json) => String(domain) === names[0]],
        ['action=token', ({ action }: Json) => String(action).startsWith('token.')],
        ['action=tok', () => false],
        ['action=domain.create', ({ action }: Json) => String(action) === 'domain.create'],
        [`domain=${names[1]}&action=domain`, ({ domain }: Json) => String(domain) === names[1]],
      ] as const) {
        const found = await walk(client, `/api/v1/audit?limit=2&${query}`, 'entries');
        assert.equal(found, all.filter(isMeant), query);
      }
    });

    test('a search in a large zone goes on by its cursor', async ({ world }) => {
      const zone = await world.zone();
      const lines = Array.from({ length: 60_000 }, (_, i) => `n${i} A 192.0.2.${i % 250}`);
      succeeded(await world.user.client.upload(zone.zonefile, `$TTL 300\n${lines.join('\n')}\nz TXT needle\n`));
      const page = `${zone.records}?limit=100`;
      const first = succeeded(await world.user.client.get(`${page}&q=needle`)).body;
      assert.equal([first.records, first.next_cursor === null, first.total], [[], false, null]);
      const found = await walk(world.user.client, `${page}&q=needle`, 'records');
      assert.equal(each(found, 'name'), ['z']);
      assert.is((await walk(world.user.client, `${page}&q=n5999`, 'records')).length, 11);
      for (const [query, count] of [
        ['q=needle', 1],
        ['q=n5999', 11],
        ['type=TXT', 1],
        ['content=192.0.2.7', 240],
        ['name=n59999', 1],
      ] as const) {
        const { body } = succeeded(await world.user.client.get(`${zone.records}?${query}`));
        assert.equal([listOf(body.records).length, body.next_cursor, Number(body.total)], [count, null, count], query);
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
