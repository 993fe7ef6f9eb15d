import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type Daemon, listOf, startDaemon } from '../../daemon.ts';

const test = suite<{ daemon: Daemon; alice: string; bob: string }>('domains');
test.before(async (context) => {
  context.daemon = await startDaemon();
  context.alice = (await context.daemon.account('alice')).token;
  context.bob = (await context.daemon.account('bob')).token;
});
test.after(({ daemon }) => daemon.stop());

const create = (daemon: Daemon, token: string, domain: unknown): Promise<Answer> =>
  daemon.call('POST', '/api/v1/domains', { token, json: { domain } });

const GOOD: readonly (readonly [given: string, stored: string])[] = [
  ['Example.COM', 'example.com'],
  ['dot.example.', 'dot.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER2.example', 'xn--bcher2-3ya.example'],
  ['日本。example', 'xn--wgv71a.example'],
  ['2.0.192.in-addr.arpa', '2.0.192.in-addr.arpa'],
  ['0/25.2.0.192.in-addr.arpa', '0/25.2.0.192.in-addr.arpa'],
  ['0-63/26.2.0.192.in-addr.arpa', '0-63/26.2.0.192.in-addr.arpa'],
  ['A\\.b.example', 'a\\.b.example'],
  ['a\\032b\\!.example', 'a\\032b!.example'],
  ['\\-a.example', '-a.example'],
  ['\\195\\164.example.net', '\\195\\164.example.net'],
  ['_acme.example.net', '_acme.example.net'],
  ['１.example', '1.example'],
];

test('accepts names in every form and returns A-labels', async ({ daemon }) => {
  for (const [given, stored] of GOOD) {
    const { status, body, text } = await create(daemon, daemon.adminToken, given);
    assert.is(status, 200, `${given}: ${text}`);
    assert.is(body.domain.domain, stored as never);
  }
});

const BAD: readonly (readonly [domain: unknown, code: string])[] = [
  ['', 'validation'],
  [7, 'validation'],
  [null, 'validation'],
  ['.', 'invalid_domain'],
  ['a..b', 'invalid_domain'],
  ['-a.example', 'invalid_domain'],
  ['a b.example', 'invalid_domain'],
  ['*.example', 'invalid_domain'],
  ['a!b.example', 'invalid_domain'],
  ['example.net/24', 'invalid_domain'],
  ['me@example.net', 'invalid_domain'],
  ['\\*.example', 'invalid_domain'],
  ['a\\2.example', 'invalid_domain'],
  ['a\\300.example', 'invalid_domain'],
  ['192.0.2.1', 'invalid_domain'],
  ['http://a.example', 'invalid_domain'],
  [`${'a'.repeat(64)}.example`, 'invalid_domain'],
  [`${'abcdefgh.'.repeat(29)}example`, 'invalid_domain'],
  ['a\u0000.example', 'invalid_domain'],
  ['\ud800.example', 'invalid_name'],
  ['com', 'public_suffix'],
  ['co.uk', 'public_suffix'],
  ['github.io', 'public_suffix'],
];

test('rejects invalid domains with a reason', async ({ daemon, alice }) => {
  for (const [domain, code] of BAD) {
    const { status, body, text } = await create(daemon, alice, domain);
    assert.equal([status, String(body.error?.code)], [422, code], `${JSON.stringify(domain)}: ${text}`);
    assert.is(body.error.pointer, '/domain' as never);
  }
});

test('an administrator can create a public suffix', async ({ daemon }) => {
  assert.is((await create(daemon, daemon.adminToken, 'co.uk')).status, 200);
});

test('a domain, its parents and its children belong to one account', async ({ daemon, alice, bob }) => {
  assert.is((await create(daemon, alice, 'mine.example.net')).status, 200);
  for (const [token, domain, status] of [
    [alice, 'mine.example.net', 409],
    [bob, 'mine.example.net', 409],
    [bob, 'sub.mine.example.net', 409],
    [bob, 'a.b.c.mine.example.net', 409],
    [bob, 'example.net', 409],
    [bob, 'notmine.example.net', 200],
    [alice, 'sub.mine.example.net', 200],
  ] as const) {
    const answer = await create(daemon, token, domain);
    assert.is(answer.status, status, `${domain}: ${answer.text}`);
    if (status === 409) assert.is(answer.body.error.code, 'zone_exists' as never);
  }
});

test('a domain of another account cannot be read, changed or deleted', async ({ daemon, alice, bob }) => {
  const { body } = await create(daemon, alice, 'private.example.net');
  const path = `/api/v1/domains/${body.domain.id}`;
  const json = { name: 'www', type: 'A', content: '192.0.2.1' };
  const record = (await daemon.call('POST', `${path}/records`, { token: alice, json })).body.record;
  const zonefile = { body: 'www A 192.0.2.9\n', headers: { 'content-type': 'text/dns' } };
  const attempts: readonly (readonly [method: string, path: string, options: object])[] = [
    ['GET', path, {}],
    ['DELETE', path, {}],
    ['GET', `${path}/records`, {}],
    ['POST', `${path}/records`, { json }],
    ['PUT', `${path}/records/${record.id}`, { json }],
    ['DELETE', `${path}/records/${record.id}`, {}],
    ['GET', `${path}/zonefile`, {}],
    ['PUT', `${path}/zonefile`, zonefile],
  ];
  // A token of an administrator that acts for its own account only.
  const scoped = { name: 'x', scopes: ['dns', 'proxy'] };
  const limited = (await daemon.call('POST', '/api/v1/tokens', { token: daemon.adminToken, json: scoped })).body.token;
  for (const token of [bob, String(limited)])
    for (const [method, at, options] of attempts) {
      const answer = await daemon.call(method, at, { ...options, token });
      assert.equal([answer.status, String(answer.body.error?.code)], [404, 'no_such_domain'], `${method} ${at}`);
    }
  // Also not through an own domain.
  const own = (await create(daemon, bob, 'bobs.example.net')).body.domain;
  for (const method of ['PUT', 'DELETE']) {
    const at = `/api/v1/domains/${own.id}/records/${record.id}`;
    assert.is((await daemon.call(method, at, { token: bob, json })).status, 404);
  }
  assert.is(listOf((await daemon.call('GET', `${path}/records`, { token: alice })).body.records).length, 1);
});

test('the plan limits the number of domains, also for concurrent requests', async ({ daemon }) => {
  const { token } = await daemon.account('carol');
  const answers = await Promise.all(Array.from({ length: 15 }, (_, i) => create(daemon, token, `c${i}.example.org`)));
  assert.is(answers.filter((answer) => answer.status === 200).length, 10);
  const refused = answers.filter((answer) => answer.status === 409);
  assert.ok(refused.every((answer) => String(answer.body.error.code) === 'plan_limit'));
  assert.is(refused.length, 5);
});

test('of concurrent requests for a domain, only one succeeds', async ({ daemon, alice, bob }) => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => create(daemon, i % 2 ? alice : bob, 'race.example.org')),
  );
  assert.is(answers.filter((answer) => answer.status === 200).length, 1);
});

test('lists in pages, sorted and filtered', async ({ daemon }) => {
  const { token } = await daemon.account('dave', { plan: 'pro' });
  const names = Array.from({ length: 25 }, (_, i) => `p${String(i).padStart(2, '0')}.example.org`);
  for (const name of [...names].reverse()) await create(daemon, token, name);
  const seen: string[] = [];
  let path = '/api/v1/domains?limit=10';
  for (;;) {
    const { body, headers } = await daemon.call('GET', path, { token });
    seen.push(...listOf(body.domains).map((domain) => String(domain.domain)));
    if (body.next_cursor === null) break;
    const link = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    assert.ok(link?.includes(String(body.next_cursor)));
    path = String(link);
  }
  assert.equal(seen, names);
  const { body } = await daemon.call('GET', '/api/v1/domains?q=P1', { token });
  assert.equal(
    listOf(body.domains).map((domain) => String(domain.domain)),
    names.slice(10, 20),
  );
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'cursor=%00', 'cursor=!!', 'cursor=Li4u'])
    assert.is((await daemon.call('GET', `/api/v1/domains?${query}`, { token })).status, 400, query);
});

test('describes a domain, and deletes it with all its records', async ({ daemon, alice }) => {
  const { body, headers } = await create(daemon, alice, 'whole.example.net');
  const { domain } = body;
  assert.match(headers.get('x-waypost-revision') ?? '', /^\d+$/);
  assert.equal(Object.keys(domain), [
    'id',
    'domain',
    'kind',
    'members',
    'primaries',
    'secondary',
    'catalog',
    'listed_by',
    'nameservers',
    'record_count',
    'revision',
    'proxy_enabled',
    'account_id',
    'created_at',
    'updated_at',
  ]);
  assert.match(String(domain.created_at), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  const path = `/api/v1/domains/${domain.id}`;
  const json = { name: 'www', type: 'A', content: '192.0.2.1' };
  const { record } = (await daemon.call('POST', `${path}/records`, { token: alice, json })).body;
  const stale = { token: alice, headers: { 'if-match': `"${domain.revision}"` } };
  assert.is((await daemon.call('DELETE', path, stale)).status, 412);
  const etag = (await daemon.call('GET', path, { token: alice })).headers.get('etag') ?? '';
  assert.is((await daemon.call('DELETE', path, { token: alice, headers: { 'if-match': etag } })).status, 200);
  assert.is((await daemon.call('GET', path, { token: alice })).status, 404);
  assert.is((await create(daemon, alice, 'whole.example.net')).body.domain.record_count, 0 as never);
  assert.is((await daemon.call('DELETE', `${path}/records/${record.id}`, { token: alice })).status, 404);
});

test.run();
