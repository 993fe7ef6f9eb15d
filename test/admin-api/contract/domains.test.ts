/** The API contract: domains. */
import * as assert from 'uvu/assert';
import { APEX, listOf } from '../daemon.ts';
import { each, everywhere, refused, succeeded } from './world.ts';

const DOMAINS = '/api/v1/domains';

await everywhere('contract, domains', (test) => {
  test('GET /api/v1/domains: domains: [{id, domain, …}]; filter ?q=', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    for (const domain of ['one.filter.example', 'two.filter.example', 'xn--bcher-kva.example'])
      await world.zone(client, domain);
    const found = async (query: string) =>
      each(listOf(succeeded(await client.get(DOMAINS + query)).body.domains), 'domain');
    const all = ['one.filter.example', 'two.filter.example', 'xn--bcher-kva.example'];
    assert.equal((await found('')).sort(), all);
    for (const [query, expected] of [
      ['?q=', all],
      ['?q=filter', all.slice(0, 2)],
      ['?q=ONE', all.slice(0, 1)],
      ['?q=one.filter.example', all.slice(0, 1)],
      ['?q=e.f', all.slice(0, 1)],
      ['?q=nothing', []],
      ['?q=*', []],
    ] as const)
      assert.equal((await found(query)).sort(), expected, query);
  });

  test('a domain has the fields of the contract, and those in lists have their states', async ({ world }) => {
    const answer = succeeded(await world.user.client.post(DOMAINS, { domain: 'Shape.Example.ORG.' }));
    const { id, created_at: created, updated_at: updated, ...rest } = answer.body.domain;
    assert.match(JSON.stringify(id), /^[1-9]\d*$/);
    assert.is(created, updated);
    const revision = Number(answer.headers.get('x-waypost-revision'));
    assert.equal(rest, {
      domain: 'shape.example.org',
      kind: 'primary',
      members: null,
      primaries: null,
      secondary: null,
      catalog: null,
      listed_by: null,
      nameservers: APEX.nameservers,
      record_count: 0,
      revision,
      proxy_enabled: false,
      account_id: world.user.id,
    });
    const shown = succeeded(await world.user.client.get(`${DOMAINS}/${id}`));
    assert.equal(shown.body.domain, answer.body.domain);
    assert.is(shown.headers.get('etag'), `"${revision}"`);
    // What changes without a new revision is only in lists.
    const listed = { delegation: 'unknown', dnssec_status: 'off', dnssec_problem: false };
    assert.equal(listOf((await world.user.client.get(`${DOMAINS}?q=shape`)).body.domains), [
      { ...answer.body.domain, ...listed },
    ]);
  });

  test('POST /api/v1/domains/batch: all domains in one revision, up to 1,000', async ({ world }) => {
    const { client, id } = await world.member({ plan: 'unlimited' });
    const named = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ({ domain: `d${from + i}.batch.example` }));
    const answer = succeeded(await client.post(`${DOMAINS}/batch`, { domains: named(0, 1000) }));
    const created = listOf(answer.body.domains);
    assert.equal(
      each(created, 'domain'),
      named(0, 1000).map(({ domain }) => domain),
    );
    const revision = Number(answer.headers.get('x-waypost-revision'));
    assert.equal([...new Set(each(created, 'revision'))], [String(revision)]);
    // The store has the time of the commit.
    const stored = succeeded(await client.get(`${DOMAINS}/${created[7].id}`)).body.domain;
    assert.equal({ ...stored, updated_at: created[7].updated_at }, created[7]);
    assert.is(succeeded(await client.get(`${DOMAINS}?limit=1`)).body.total, 1000);
    const [entry] = listOf(succeeded(await client.get('/api/v1/audit?limit=1')).body.entries);
    assert.equal([entry.action, entry.account_id, entry.revision], ['domain.create_batch', id, revision]);
    refused(await client.post(`${DOMAINS}/batch`, { domains: named(1000, 2001) }), '422 validation', '/domains');
    refused(await client.post(`${DOMAINS}/batch`, { domains: [] }), '422 validation', '/domains');
  });

  test('POST /api/v1/domains/batch: one wrong domain, and none is created', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = { domain: 'held.example' };
    await world.zone(world.admin, zone.domain);
    const post = (...domains: object[]) => client.post(`${DOMAINS}/batch`, { domains });
    const good = { domain: 'good.example' };
    refused(await post(good, { domain: 'b@d' }), '422 invalid_domain', '/domains/1/domain');
    refused(await post(good, { domain: 'GOOD.example.' }), '422 named_twice', '/domains/1/domain');
    refused(await post({ domain: 'sub.held.example' }, good), '409 zone_exists', '/domains/0/domain');
    refused(await post(good, { domain: 'x.example', kind: 'secondary' }), '422 contradiction', '/domains/1/primaries');
    refused(await post(good, { domain: 'x.example', kin: 'primary' }), '422 unknown_field', '/domains/1/kin');
    const several = await post({ domain: '-' }, good, zone, { domain: '--' });
    refused(several, '422 invalid_domain');
    assert.equal(each(listOf(several.body.error.details), 'pointer'), ['/domains/0/domain', '/domains/3/domain']);
    assert.is(succeeded(await client.get(DOMAINS)).body.total, 0);
    succeeded(await post(good, { domain: 'sub.good.example' }));
  });

  test('POST /api/v1/domains/batch: the limit of the plan counts all of its domains', async ({ world }) => {
    const { client } = await world.member({ plan: 'free' });
    const limit = 10;
    const named = Array.from({ length: limit + 1 }, (_, i) => ({ domain: `p${i}.plan.example` }));
    refused(await client.post(`${DOMAINS}/batch`, { domains: named }), '409 plan_limit', `/domains/${limit}`);
    succeeded(await client.post(`${DOMAINS}/batch`, { domains: named.slice(0, limit) }));
    refused(await client.post(`${DOMAINS}/batch`, { domains: named.slice(limit) }), '409 plan_limit');
  });

  test('GET /api/v1/domains/check: whether the plan has room for a number of domains', async ({ world }) => {
    const { client } = await world.member({ plan: 'free' });
    succeeded(await client.post(DOMAINS, { domain: 'room.example' }));
    assert.is(succeeded(await client.get(`${DOMAINS}/check?count=9`)).body.domain, null);
    refused(await client.get(`${DOMAINS}/check?count=10`), '409 plan_limit');
    refused(await client.get(`${DOMAINS}/check?count=0`), '400 invalid_count');
    refused(await client.get(`${DOMAINS}/check?count=1&domain=room.example`), '409 zone_exists', '/domain');
    refused(await client.get(`${DOMAINS}/check`), '422 invalid_domain', '/domain');
  });

  test('POST /api/v1/domains: in any case, in Unicode, with or without a trailing dot', async ({ world }) => {
    for (const [given, stored] of [
      ['Upper.Example.NET', 'upper.example.net'],
      ['dot.example.net.', 'dot.example.net'],
      ['bücher.example.net', 'xn--bcher-kva.example.net'],
      ['BÜCHER2.example.net', 'xn--bcher2-3ya.example.net'],
      ['日本。example.net', 'xn--wgv71a.example.net'],
      ['_acme.example.net', '_acme.example.net'],
      ['１.example.net', '1.example.net'],
    ])
      assert.is(succeeded(await world.user.client.post(DOMAINS, { domain: given })).body.domain.domain, stored);
  });

  test('422 a bad name, or a public suffix', async ({ world }) => {
    for (const [domain, code] of [
      [undefined, 'validation'],
      ['', 'validation'],
      [7, 'validation'],
      [null, 'validation'],
      ['.', 'invalid_domain'],
      ['a..b', 'invalid_domain'],
      ['-a.example', 'invalid_domain'],
      ['a b.example', 'invalid_domain'],
      ['*.example', 'invalid_domain'],
      ['192.0.2.1', 'invalid_domain'],
      ['http://a.example', 'invalid_domain'],
      [`${'a'.repeat(64)}.example`, 'invalid_domain'],
      [`${'abcdefgh.'.repeat(29)}example`, 'invalid_domain'],
      ['a\u0000.example', 'invalid_domain'],
      ['\ud800.example', 'invalid_name'],
      ['com', 'public_suffix'],
      ['co.uk', 'public_suffix'],
      ['github.io', 'public_suffix'],
      ['kawasaki.jp', 'public_suffix'],
      ['in-addr.arpa', 'public_suffix'],
      ['example.net/24', 'invalid_domain'],
      ['db.local', 'special_use_name'],
      ['resolver.arpa', 'special_use_name'],
    ])
      refused(await world.user.client.post(DOMAINS, { domain }), `422 ${code}`, '/domain');
  });

  test('422 service_name for names of the service, which belong to administrators', async ({ world }) => {
    const zone = await world.zone(world.user.client, 'names.example.net');
    const [nameserver] = listOf((await world.user.client.get(zone.path)).body.domain.nameservers).map(String);
    const parent = nameserver.split('.').slice(1).join('.');
    for (const domain of [nameserver, parent, `other.${parent}`, `_signal.${nameserver}`, `a.b.${nameserver}`]) {
      refused(await world.user.client.post(DOMAINS, { domain }), '422 service_name', '/domain');
      refused(
        await world.user.client.post(DOMAINS, { domain, kind: 'secondary', primaries: [{ address: '198.51.101.7' }] }),
        '422 service_name',
        '/domain',
      );
      // The service trusts what is in its own zones, so that other zones cannot give them away.
      const at = `${DOMAINS}?account=${world.user.id}`;
      refused(await world.admin.post(at, { domain }), '422 service_name', '/domain');
    }
    const own = await world.zone(world.admin, parent);
    succeeded(await world.admin.delete(own.path));
  });

  test('422 for a public suffix, except for administrators', async ({ world }) => {
    for (const domain of ['co.uk', 'github.io']) {
      const zone = await world.zone(world.admin, domain);
      succeeded(await world.admin.delete(zone.path));
    }
  });

  test('409 zone_exists, also if another account has it, its parent or its child', async ({ world }) => {
    const other = await world.member({ plan: 'pro' });
    const mine = await world.zone(world.user.client, 'mine.taken.example');
    for (const [client, domain, expected] of [
      [world.user.client, 'MINE.taken.example', '409 zone_exists'],
      [other.client, 'mine.taken.example', '409 zone_exists'],
      [other.client, 'sub.mine.taken.example', '409 zone_exists'],
      [other.client, 'a.b.c.mine.taken.example', '409 zone_exists'],
      [other.client, 'taken.example', '409 zone_exists'],
      [world.admin, 'sub.mine.taken.example', '409 zone_exists'],
      [other.client, 'notmine.taken.example', '200'],
      [world.user.client, 'sub.mine.taken.example', '200'],
    ] as const) {
      const answer = await client.post(DOMAINS, { domain });
      if (expected === '200') succeeded(answer);
      else refused(answer, expected, '/domain');
    }
    succeeded(await world.user.client.delete(mine.path));
    refused(await other.client.post(DOMAINS, { domain: 'mine.taken.example' }), '409 zone_exists');
  });

  test('of concurrent requests for a domain, only one succeeds', async ({ world }) => {
    const other = await world.member();
    const clients = [world.user.client, other.client, world.admin, world.user.client];
    const answers = await Promise.all(clients.map((client) => client.post(DOMAINS, { domain: 'race.example.net' })));
    assert.is(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers) if (answer.status !== 200) refused(answer, '409 zone_exists');
  });

  test('DELETE /api/v1/domains/{domain_id}: also deletes the records; the name is free at once', async ({ world }) => {
    const zone = await world.zone();
    const record = await zone.add('a', 'A', '192.0.2.1');
    succeeded(await world.user.client.delete(zone.path));
    for (const path of [zone.path, zone.records, zone.zonefile])
      refused(await world.user.client.get(path), '404 no_such_domain');
    refused(await world.user.client.delete(zone.path), '404 no_such_domain');
    const again = await world.zone(world.user.client, zone.domain);
    assert.is.not(again.id, zone.id);
    assert.equal(await again.list(), []);
    refused(await world.user.client.delete(`${again.records}/${record.id}`), '404 no_such_record');
  });
});
