/**
 * The API contract: rules for all endpoints, except those with their own suite: lists, idempotency,
 * conditions, limits.
 */
import * as assert from 'uvu/assert';
import { mintToken } from '../../../admin-api/people/auth/token.ts';
import { ConflictError } from '../../../core/base/errors.ts';
import { type Answer, listOf, PASSWORD } from '../daemon.ts';
import { concrete, knownIds } from './routes.ts';
import { each, everywhere, refused, succeeded, type World } from './world.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

await everywhere('contract, common', (test) => {
  test('success is 200 with "ok": true at the top level next to the data, also for creation', async ({ world }) => {
    const { text } = succeeded(await world.user.client.post('/api/v1/domains', { domain: 'first.example.net' }));
    assert.match(text, /^\{"ok":true,"domain":\{"id":\d+,"domain":"first\.example\.net"/);
  });

  test('every endpoint except the token exchange and the sign-in needs Authorization: Bearer <API_KEY>', async ({
    world,
  }) => {
    const open: string[] = [];
    for (const route of world.daemon.api.routes) {
      if (route.scope === null) open.push(`${route.method} ${route.path}`);
      else refused(await world.nobody.send(route.method, concrete(route.path)), '401 missing_token');
    }
    // Public endpoints. /metrics requires a token, depending on its setting.
    const publicRoutes = [
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
      'GET /api/v1/openapi.json',
      'GET /api/dev/rules',
      'GET /api/dev/policy',
      'GET /api/store/apps',
      'GET /api/store/apps/{app_id}',
      'GET /api/store/apps/{app_id}/icon',
      'GET /api/store/apps/{app_id}/package',
      'GET /api/store/keys',
      'GET /api/dev/sdk',
      'GET /api/dev/sdk/{version}/host-sdk.js',
      'GET /api/dev/sdk/{version}/background.d.ts',
      'GET /api/dev/sdk/{version}/host-sdk.d.ts',
      'POST /api/v1/auth/token',
      'POST /api/v1/session',
      'GET /api/v1/session/passkey',
      'POST /api/v1/session/passkey',
    ];
    assert.equal(
      open.filter((route) => !publicRoutes.includes(route)),
      [],
    );
  });

  test('checks the token before body, type and ids', async ({ world }) => {
    const zone = await world.zone();
    for (const path of [zone.records, '/api/v1/domains/x/records'])
      refused(
        await world.nobody.send('POST', path, { body: '{', headers: { 'content-type': 'text/html' } }),
        '401 missing_token',
      );
  });

  test('several errors of one body are in error.details[], each with the pointer of its field', async ({ world }) => {
    const zone = await world.zone();
    const answer = await world.user.client.post(zone.records, { name: 1, ttl: 'x', proxied: 'yes' });
    refused(answer, '422 validation');
    const pointers = Object.values(answer.body.error.details).map((detail) => String(detail.pointer));
    assert.equal(pointers.sort(), ['/content', '/name', '/proxied', '/ttl', '/type']);
    assert.ok(pointers.includes(String(answer.body.error.pointer)));
    for (const detail of Object.values(answer.body.error.details)) assert.match(String(detail.message), / must be /);
  });

  test('X-Request-Id on every response, different each time', async ({ world }) => {
    const ids = new Set<string | null>();
    for (const path of ['/healthz', '/nowhere', '/api/v1/domains', '/api/v1/domains', '/api/v1/account'])
      ids.add((await world.user.client.get(path)).headers.get('x-request-id'));
    assert.is(ids.size, 5);
  });

  test('X-Waypost-Revision on every write increases', async ({ world }) => {
    const zone = await world.zone();
    let last = 0;
    for (let i = 0; i < 5; i++) {
      const revision = Number((await zone.post(`r${i}`, 'A', '192.0.2.1')).headers.get('x-waypost-revision'));
      assert.ok(revision > last);
      last = revision;
    }
    assert.is((await world.user.client.get(zone.path)).body.domain.revision, last);
  });

  test('400: malformed JSON', async ({ world }) => {
    const { records } = await world.zone();
    const bodies = [
      '',
      '{',
      '{"name":',
      "{'name':'a'}",
      '{name:"a"}',
      '{"a":1,}',
      '[1',
      'undefined',
      'NaN',
      '\ufeff{}',
      '{}{}',
      '// x\n{}',
      '{"a":01}',
      '{"a":"\t"}',
      '{"a":.5}',
    ];
    for (const body of [...bodies, Buffer.from([0xff, 0xfe]), Buffer.from('{"name":"\xff"}', 'latin1')])
      refused(await world.user.client.send('POST', records, { body, headers: JSON_TYPE }), '400 malformed_json');
  });

  test('400: an invalid request', async ({ world }) => {
    for (const [path, code] of [
      ['/api/v1/domains/%ff', 'bad_escape'],
      ['/api/v1/domains/%', 'bad_escape'],
      ['/api/v1/domains?limit=0', 'invalid_limit'],
      ['/api/v1/domains?cursor=%21', 'invalid_cursor'],
    ])
      refused(await world.user.client.get(path), `400 ${code}`);
  });

  test('401: missing, expired or invalid token; bad credentials', async ({ world }) => {
    const { daemon, nobody, user } = world;
    const get = (authorization: string) => nobody.get('/api/v1/account', { authorization });
    refused(await nobody.get('/api/v1/account'), '401 missing_token');
    for (const header of [
      'Bearer',
      'Bearer x',
      'Basic YTpi',
      `Bearer ${'x'.repeat(4000)}`,
      `Token ${user.client.token}`,
    ])
      refused(await get(header), '401 malformed_token');
    refused(await get(`Bearer ${mintToken(1234)}`), '401 invalid_token');
    const login = { login: 'admin', password: 'wrong', name: 'x' };
    refused(await nobody.post('/api/v1/auth/token', login), '401 bad_credentials');
    refused(
      await nobody.post('/api/v1/auth/token', { ...login, login: 'nobody', password: PASSWORD }),
      '401 bad_credentials',
    );
    assert.is(
      (await daemon.call('GET', '/api/v1/account', { headers: { authorization: `bEARER  ${user.client.token}` } }))
        .status,
      200,
    );
  });

  test('403: API access is off for the account, or its role is not sufficient', async ({ world }) => {
    const off = await world.member();
    succeeded(await world.admin.patch(`/api/v1/accounts/${off.id}`, { api_enabled: false }));
    refused(await off.client.get('/api/v1/domains'), '403 api_disabled');
    refused(await world.user.client.get('/api/v1/accounts'), '403 forbidden');
    const viewer = await world.member({ role: 'viewer' });
    refused(await viewer.client.post('/api/v1/domains', { domain: 'viewer.example.net' }), '403 forbidden');
  });

  test('404: no such domain, record or endpoint', async ({ world }) => {
    const { client } = world.user;
    const zone = await world.zone();
    refused(await client.get('/api/v1/domains/9007199254740991'), '404 no_such_domain');
    refused(await client.get("/api/v1/domains/1'OR"), '404 no_such_domain');
    refused(await client.delete(`${zone.records}/9007199254740991`), '404 no_such_record');
    for (const path of [
      '/api/',
      '/api/v2',
      '/api/v2/domains',
      '/nowhere',
      '/api/v1/domains/',
      '//api/v1/domains',
      '/API/V1/DOMAINS',
    ])
      refused(await client.get(path), '404 no_such_endpoint');
  });

  test('409: an existing zone; a conflicting record, such as a CNAME at the apex', async ({ world }) => {
    const zone = await world.zone();
    refused(await world.user.client.post('/api/v1/domains', { domain: zone.domain }), '409 zone_exists', '/domain');
    refused(await zone.post('@', 'CNAME', 'x.example.org'), '409 cname_at_apex', '/type');
  });

  test('400: JSON that is not an object', async ({ world }) => {
    const zone = await world.zone();
    for (const json of [[], [{}], 'text', 7, null, true]) {
      refused(await world.user.client.post(zone.records, json), '400 malformed_json', '');
      refused(await world.nobody.post('/api/v1/auth/token', json), '400 malformed_json', '');
    }
  });

  test('422: invalid hostname; bad TTL; bad content', async ({ world }) => {
    const zone = await world.zone();
    refused(await zone.post('a', 'MX', '10 -.example.org'), '422 invalid_host', '/content');
    refused(await zone.post('a', 'A', '192.0.2.1', { ttl: 29 }), '422 invalid_ttl', '/ttl');
    refused(await zone.post('a', 'A', 'text'), '422 invalid_content', '/content');
  });

  test('405 with Allow, on every path', async ({ world }) => {
    const { routes } = world.daemon.api;
    for (const path of new Set(routes.map((route) => route.path))) {
      const methods: string[] = routes.filter((route) => route.path === path).map((route) => route.method);
      const other = ['DELETE', 'PATCH', 'POST', 'PUT', 'GET'].find((method) => !methods.includes(method)) ?? 'TRACE';
      const answer = await world.nobody.send(other, concrete(path));
      refused(answer, '405 method_not_allowed');
      const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
      assert.is(answer.headers.get('allow'), allow);
      const options = await world.nobody.send('OPTIONS', concrete(path));
      assert.equal([options.status, options.headers.get('allow')], [200, allow]);
    }
  });

  test('413: a body that is too long', async ({ world }) => {
    const { records } = await world.zone();
    const body = `{"name":"${'x'.repeat(2 << 20)}"}`;
    refused(await world.user.client.send('POST', records, { body, headers: JSON_TYPE }), '413 body_too_large');
  });

  test('accepts a chunked body, and sends a long response completely', async ({ world }) => {
    const { records } = await world.zone();
    for (const length of [1, 800]) {
      const post = Array.from({ length }, (_, i) => ({ name: `r${length}-${i}`, type: 'A', content: '192.0.2.1' }));
      const response = await fetch(`${world.daemon.url}${records}/batch`, {
        method: 'POST',
        headers: { ...JSON_TYPE, authorization: `Bearer ${world.user.client.token}` },
        body: new Blob([JSON.stringify({ post })]).stream(),
        duplex: 'half',
      });
      const { ok, created } = (await response.json()) as { ok: boolean; created: unknown[] };
      assert.equal([ok, created.length], [true, length]);
    }
  });

  test('415: an unsupported content type', async ({ world }) => {
    const ids = await knownIds(world);
    for (const route of world.daemon.api.routes) {
      if (route.body === undefined && route.bodyTypes === undefined) continue;
      for (const type of ['text/html', 'application/x-www-form-urlencoded', 'application/jsonp'])
        refused(
          await world.admin.send(route.method, concrete(route.path, ids), {
            body: '{}',
            headers: { 'content-type': type },
          }),
          '415 unsupported_media_type',
        );
    }
    const json = {
      body: '{"domain":"typed.example.net"}',
      headers: { 'content-type': 'Application/JSON ; charset=utf-8' },
    };
    succeeded(await world.user.client.send('POST', '/api/v1/domains', json));
  });

  test('503 with Retry-After: nothing was written', async ({ world }) => {
    const zone = await world.zone();
    const { journal } = world.daemon;
    const before = journal.head;
    const commit = () => Promise.reject(new ConflictError());
    Object.defineProperty(journal, 'commit', { value: commit, configurable: true, writable: true });
    try {
      refused(await zone.post('a', 'A', '192.0.2.1'), '503 write_conflict');
    } finally {
      Reflect.deleteProperty(journal, 'commit');
    }
    assert.is(journal.head, before);
    assert.equal(await zone.list(), []);
    await zone.add('a', 'A', '192.0.2.1');
  });

  test('HEAD is GET without the body, on every path', async ({ world }) => {
    const ids = await knownIds(world);
    const own = ['x-request-id', 'date', 'content-length', 'transfer-encoding', 'connection', 'keep-alive'];
    const headers = (answer: Answer) => [...answer.headers].filter(([name]) => !own.includes(name));
    for (const { method, path, admin } of world.daemon.api.routes) {
      // Only a browser has a session, and passkeys need a host name.
      if (method !== 'GET' || /^\/api\/v1\/session(\/passkey)?$/.test(path)) continue;
      const client = admin ? world.admin : world.user.client;
      const target = concrete(path, ids);
      const [get, head] = [await client.get(target), await client.send('HEAD', target)];
      assert.equal([head.status, headers(head), head.text], [200, headers(get), ''], path);
    }
  });

  test('a response can be sent back: read-only fields are ignored', async ({ world }) => {
    const { admin } = world;
    const zone = await world.zone(admin);
    const record = await zone.add('a', 'MX', '10 mail.example.org');
    succeeded(await admin.put(`${zone.records}/${record.id}`, record));
    const alias = await zone.add('b', 'ALIAS', 'x.example.org');
    const [listed] = await zone.list(`?name=b`);
    assert.ok('alias' in listed);
    succeeded(await admin.put(`${zone.records}/${alias.id}`, listed));
    succeeded(await admin.post(`${zone.records}/batch`, { put: await zone.list() }));
    const { proxy } = succeeded(await admin.put(`${zone.path}/proxy`, { origin: '1.1.1.1' })).body;
    succeeded(await admin.put(`${zone.path}/proxy`, proxy));
    const [account] = listOf(succeeded(await admin.get('/api/v1/accounts')).body.accounts);
    succeeded(await admin.patch(`/api/v1/accounts/${account.id}`, account));
    await pollution(world, zone.records);
  });
});

async function pollution(world: World, records: string): Promise<void> {
  const body =
    '{"name":"p","type":"TXT","type":"A","content":"192.0.2.1","__proto__":{"ttl":60},"constructor":{"prototype":{"ttl":60}}}';
  const answer = await world.admin.send('POST', records, { body, headers: JSON_TYPE });
  refused(answer, '422 unknown_field');
  assert.equal(each(listOf(answer.body.error.details), 'pointer'), ['/__proto__', '/constructor']);
  assert.is('ttl' in {}, false);
}
