import { Socket as DatagramSocket } from 'node:dgram';
import { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatTime } from '../../../../admin-api/http/time.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { type AcmeOrder, acmeChallenges, acmeOrders } from '../../../../core/store/rows.ts';
import { TABLE } from '../../../core/net/address/table.ts';
import { listOf } from '../../daemon.ts';
import { testedTransports } from '../../transports.ts';
import { NO_CERTIFICATE } from './no-certificate.ts';
import { faultOf, type Rig, startRig } from './rig.ts';

const DEFAULTS = {
  is_enabled: 0,
  origin_host: '',
  origin_port: 443,
  origin_protocol: 'https',
  hsts_max_age: null,
  hsts_include_subdomains: false,
  hsts_preload: false,
  heuristics: 'static',
  forwarded_header: true,
  lenient_responses: false,
  heuristic_freshness: false,
  ssl_status: 'none',
  ssl_issued_at: null,
  ssl_expires_at: null,
  ssl_error: null,
  certificate: NO_CERTIFICATE,
  certificates: [],
  uncovered: [],
  exposed: [],
  warnings: [],
};

for (const transport of await testedTransports('admin-api/sites/proxy')) {
  const test = suite<Rig>(`admin-api/sites/proxy, ${transport}`);
  test.before(async (context) => void Object.assign(context, await startRig(transport)));
  test.after((context) => context.daemon.stop());

  test('a domain without proxy settings', async ({ domain, proxy }) => {
    const id = await domain('a.test');
    const { status, body } = await proxy('GET', id);
    assert.is(status, 200);
    assert.equal(body, {
      ok: true,
      domain: { id: Number(id), domain: 'a.test' },
      proxy: { domain_id: Number(id), ...DEFAULTS },
    });
    assert.equal(faultOf(await proxy('GET', '0')), [404, 'no_such_domain', undefined]);
  });

  test('PUT: the origin, with defaults for omitted fields', async ({ domain, proxy, hosts }) => {
    const id = await domain('put.test');
    hosts.set('origin.example.net', ['1.1.1.1', '2606:4700::1111']);
    for (const [json, host, port, protocol] of [
      [{ origin: '1.1.1.1' }, '1.1.1.1', 443, 'https'],
      [{ origin_host: 'Origin.Example.NET.', port: 80 }, 'origin.example.net', 80, 'http'],
      [{ origin: '[2606:4700::ABCD]', port: 8080, protocol: 'http' }, '2606:4700::abcd', 8080, 'http'],
      [{ origin: '1.1.1.1', origin_host: '1.1.1.1', port: 443, protocol: 'http' }, '1.1.1.1', 443, 'http'],
      [{ origin_host: '1.1.1.1', origin_port: 65535, origin_protocol: 'https' }, '1.1.1.1', 65535, 'https'],
    ] as const) {
      const { status, body, text, headers } = await proxy('PUT', id, '', json);
      assert.is(status, 200, text);
      assert.match(String(headers.get('x-waypost-revision')), /^\d+$/);
      const settings = { origin_host: host, origin_port: port, origin_protocol: protocol };
      assert.equal(body.proxy, { domain_id: Number(id), ...DEFAULTS, ...settings });
      assert.equal((await proxy('GET', id)).body, body);
    }
    // A response can be sent back.
    const { body } = await proxy('GET', id);
    assert.equal((await proxy('PUT', id, '', body.proxy)).body, body);
  });

  test('PUT: Strict-Transport-Security stays until it is set again', async ({ domain, proxy }) => {
    const id = await domain('hsts.test');
    const put = async (json: object) =>
      (await proxy('PUT', id, '', { origin: '1.1.1.1', ...json })).body.proxy.hsts_max_age;
    assert.is(await put({}), null);
    assert.is(await put({ hsts_max_age: 31_536_000 }), 31_536_000);
    assert.is(await put({ port: 80 }), 31_536_000, 'left out, it stays');
    assert.is((await proxy('GET', id)).body.proxy.hsts_max_age, 31_536_000);
    assert.is(await put({ hsts_max_age: 0 }), 0, 'to take back what browsers remember');
    assert.is(await put({ hsts_max_age: null }), null);
  });

  test('PUT: heuristic freshness stays until it is set again', async ({ domain, proxy }) => {
    const id = await domain('heuristic.test');
    const put = async (json: object) =>
      (await proxy('PUT', id, '', { origin: '1.1.1.1', ...json })).body.proxy.heuristic_freshness;
    assert.is(await put({}), false);
    assert.is(await put({ heuristic_freshness: true }), true);
    assert.is(await put({ port: 80 }), true, 'left out, it stays');
    assert.is((await proxy('GET', id)).body.proxy.heuristic_freshness, true);
    assert.is(await put({ heuristic_freshness: false }), false);
  });

  test('PUT: heuristics, as clients set them that know only the earlier field', async ({ domain, proxy }) => {
    const id = await domain('heuristics.test');
    const put = async (json: object) => {
      const { heuristics, heuristic_freshness } = (await proxy('PUT', id, '', { origin: '1.1.1.1', ...json })).body
        .proxy;
      return `${heuristics} ${heuristic_freshness}`;
    };
    assert.is(await put({}), 'static false');
    assert.is(await put({ heuristics: 'off' }), 'off false');
    assert.is(await put({ port: 80 }), 'off false', 'left out, it stays');
    assert.is(await put({ heuristic_freshness: false }), 'off false', 'it is not all');
    assert.is(await put({ heuristic_freshness: true }), 'all true');
    // A response that is sent back with one change.
    assert.is(await put({ heuristics: 'all', heuristic_freshness: false }), 'static false');
    assert.is(await put({ heuristics: 'static', heuristic_freshness: true }), 'all true');
    assert.is(await put({ heuristics: 'off', heuristic_freshness: true }), 'off false');
  });

  test('PUT: errors have a pointer', async ({ domain, proxy, hosts }) => {
    const id = await domain('bad.test');
    hosts.set('private.example.net', ['1.1.1.1', '10.0.0.1']);
    hosts.set('late.example.net', 'ETIMEOUT');
    hosts.set('refused.example.net', 'ECONNREFUSED');
    for (const [json, status, code, pointer] of [
      [{}, 422, 'validation', '/origin'],
      [{ origin: 7 }, 422, 'validation', '/origin'],
      [{ origin: '' }, 422, 'validation', '/origin'],
      [{ origin: '1.1.1.1', port: 0 }, 422, 'validation', '/port'],
      [{ origin: '1.1.1.1', port: 65536 }, 422, 'validation', '/port'],
      [{ origin: '1.1.1.1', port: '443' }, 422, 'validation', '/port'],
      [{ origin: '1.1.1.1', protocol: 'ftp' }, 422, 'validation', '/protocol'],
      [{ origin: '1.1.1.1', hsts_max_age: -1 }, 422, 'validation', '/hsts_max_age'],
      [{ origin: '1.1.1.1', hsts_max_age: 1.5 }, 422, 'validation', '/hsts_max_age'],
      [{ origin: '1.1.1.1', hsts_max_age: 1e9 }, 422, 'validation', '/hsts_max_age'],
      [{ origin: '1.1.1.1', hsts_max_age: '1' }, 422, 'validation', '/hsts_max_age'],
      [{ origin: '1.1.1.1', heuristics: 'none' }, 422, 'validation', '/heuristics'],
      [{ origin: '1.1.1.1', heuristic_freshness: 1 }, 422, 'validation', '/heuristic_freshness'],
      [{ origin: '1.1.1.1', port: 8443 }, 422, 'protocol_required', '/protocol'],
      [{ origin: '1.1.1.1', origin_host: '9.9.9.9' }, 422, 'contradiction', '/origin_host'],
      [{ origin: '1.1.1.1', port: 80, origin_port: 81 }, 422, 'contradiction', '/origin_port'],
      [{ origin: '192.168.0.1' }, 422, 'private_origin', '/origin'],
      [{ origin_host: '192.168.0.1' }, 422, 'private_origin', '/origin_host'],
      [{ origin: 'http://1.1.1.1' }, 422, 'invalid_origin', '/origin'],
      [{ origin: 'private.example.net' }, 422, 'private_origin', '/origin'],
      [{ origin: 'nowhere.example.net' }, 422, 'origin_unresolvable', '/origin'],
      [{ origin: 'late.example.net' }, 422, 'origin_unresolvable', '/origin'],
      [{ origin: 'refused.example.net' }, 503, 'resolver_unavailable', undefined],
    ] as const) {
      const answer = await proxy('PUT', id, '', json);
      assert.equal(faultOf(answer), [status, code, pointer], JSON.stringify(json));
    }
    assert.equal(faultOf(await proxy('PUT', '0', '', { origin: '1.1.1.1' })), [404, 'no_such_domain', undefined]);
    assert.is((await proxy('GET', id)).body.proxy.origin_host, '' as never, 'nothing was changed');
  });

  test('toggle: on, off, and repeated', async ({ domain, proxy, daemon }) => {
    const id = await domain('toggle.test', ['www A 1.1.1.1']);
    assert.equal(faultOf(await proxy('POST', id, '/toggle', { enable: 1 })), [422, 'validation', '/enable']);
    assert.equal(faultOf(await proxy('POST', id, '/toggle', {})), [422, 'validation', '/enable']);
    const never = await proxy('POST', id, '/toggle', { enable: false });
    assert.equal([never.status, never.body.proxy.is_enabled], [200, 0]);
    await proxy('PUT', id, '', { origin: '1.1.1.1', port: 8080, protocol: 'http' });
    const on = await proxy('POST', id, '/toggle', { enable: true });
    assert.equal([on.body.proxy.is_enabled, on.body.proxy.ssl_status], [1, 'pending']);
    assert.is(on.body.proxy.origin_port, 8080 as never);
    assert.equal((await proxy('GET', id)).body, on.body);
    const { body } = await daemon.call('GET', `/api/v1/domains/${id}`);
    assert.is(body.domain.proxy_enabled, true as never);

    const head = daemon.journal.head;
    const again = await proxy('POST', id, '/toggle', { enable: true });
    assert.equal(again.body, on.body);
    assert.is(daemon.journal.head, head, 'nothing was written');
    const off = await proxy('POST', id, '/toggle', { enable: false });
    assert.equal([off.body.proxy.is_enabled, off.body.proxy.ssl_status], [0, 'pending'], 'the certificate stays');
  });

  test('toggle with an Idempotency-Key: the first response, even without a change', async ({
    domain,
    proxy,
    daemon,
  }) => {
    const id = await domain('again.test', ['@ A 1.1.1.1']);
    const toggle = (enable: boolean, key: string) =>
      proxy('POST', id, '/toggle', { enable }, { headers: { 'idempotency-key': key } });
    const on = await toggle(true, 'on');
    assert.is((await toggle(true, 'again')).status, 200);
    await toggle(false, 'off');
    for (const key of ['on', 'again']) {
      const replayed = await toggle(true, key);
      assert.is(replayed.headers.get('idempotent-replayed'), 'true');
      assert.equal(replayed.body, on.body);
    }
    assert.is((await proxy('GET', id)).body.proxy.is_enabled, 0 as never, 'it was not turned on again');
    const { body } = await daemon.call('GET', '/api/v1/audit?limit=2');
    assert.equal(
      listOf(body.entries ?? body.audit).map(({ action }) => action),
      ['proxy.disable', 'proxy.enable'],
    );
  });

  test('toggle with pools: no warnings of names that a pool serves', async ({ domain, proxy }) => {
    const pool = [{ origin: '1.1.1.1' }];
    const names = ['@ A 10.0.0.1', 'www A 10.0.0.1', 'a.dev A 10.0.0.1', '*.dev A 10.0.0.1', 'shop CNAME gone.p4.test'];
    const outside = /^No origin is set: requests that no pool serves/;
    for (const [name, records, origins, expected] of [
      ['p1.test', names, [{ pool }], []],
      ['p2.test', names, ['@', 'www', '*.dev', 'shop'].map((of) => ({ name: of, pool })), []],
      ['p3.test', ['@ A 1.1.1.1', 'www A 1.1.1.1'], [{ name: '@', pool }], [outside]],
      [
        'p4.test',
        names,
        [
          { name: '@', pool },
          { name: 'www', path: '/api', pool },
          { name: '*.dev', pool },
        ],
        [
          outside,
          /^"shop" leads to no address,.* that no pool/,
          /^"www" has no public address,.* Set an origin or a pool/,
        ],
      ],
      // Only rules send requests to it.
      ['p5.test', names.slice(0, 1), [{ label: 'a', pool }], [outside, /^"@" has no public address/]],
      ['p6.test', ['@ MX 10 mail.p6.test', 'mail A 1.1.1.1'], [{ pool }], [/serves nothing/]],
    ] as const) {
      const id = await domain(name, records);
      const set = await proxy('PUT', id, '/origins', { origins }, { headers: { 'if-match': '*' } });
      assert.is(set.status, 200, set.text);
      const { body, text } = await proxy('POST', id, '/toggle', { enable: true });
      const warnings = listOf(body.proxy.warnings).map(String);
      assert.is(warnings.length, expected.length, text);
      for (const pattern of expected)
        assert.ok(
          warnings.some((warning) => pattern.test(warning)),
          text,
        );
    }
  });

  test('toggle without an origin: stores none, and warns of names without a server', async ({ domain, proxy }) => {
    for (const [name, records, expected] of [
      ['first.test', ['@ A 9.9.9.9', 'www CNAME first.test'], [/^No origin is set/]],
      ['private.test', ['@ A 10.0.0.1', '@ A 1.1.1.1', 'b A 10.0.0.1'], [/^No origin is set/, /^"b" has no public/]],
      ['none.test', ['@ MX 10 mail.none.test', 'mail A 1.1.1.1'], [/serves nothing/]],
      ['alias.test', ['@ ALIAS lb.example.net'], [/^No origin is set/]],
      ['local.test', ['www CNAME db.localhost'], [/^No origin is set/, /^"www" has no public/]],
      ['lost.test', ['www CNAME gone.lost.test'], [/^No origin is set/, /^"www" leads to no address/]],
      ['ring.test', ['a CNAME b.ring.test', 'b CNAME a.ring.test'], [/^No origin/, /^"a", "b" lead to themselves/]],
      [
        'several.test',
        Array.from({ length: 8 }, (_, i) => `n${i} A 10.0.0.1`),
        [/^No origin/, /^"n0", "n1", "n2", "n3", "n4" and 3 more names have no public addresses/],
      ],
    ] as const) {
      const id = await domain(name, records);
      const { status, body, text } = await proxy('POST', id, '/toggle', { enable: true });
      assert.equal([status, body.proxy?.origin_host, body.proxy?.is_enabled], [200, '', 1], text);
      const warnings = listOf(body.proxy.warnings).map(String);
      assert.is(warnings.length, expected.length, text);
      for (const [i, pattern] of expected.entries()) assert.match(warnings[i], pattern);
      assert.equal((await proxy('GET', id)).body, body);
    }
  });

  test('an apex without addresses that mail goes to shows the origin', async ({ domain, proxy }) => {
    const id = await domain('mail.test', ['@ MX 10 mail.test', 'www A 1.1.1.1']);
    await proxy('PUT', id, '', { origin: '1.1.1.1' });
    const { body } = await proxy('POST', id, '/toggle', { enable: true });
    assert.match(String(listOf(body.proxy.warnings)[0]), /^The apex has no address, so it resolves to the origin/);
  });

  test('toggle with an origin whose name does not resolve: on, with a warning', async ({ domain, proxy, hosts }) => {
    const id = await domain('gone.test', ['www A 1.1.1.1']);
    hosts.set('o.example.net', ['1.1.1.1']);
    assert.is((await proxy('PUT', id, '', { origin: 'o.example.net' })).status, 200);
    for (const [answer, pattern] of [
      [['1.1.1.1'], undefined],
      [['10.0.0.1'], /every address must be public/],
      ['ENOTFOUND', /does not exist/],
      ['ECONNREFUSED', /cannot be checked at the moment/],
    ] as const) {
      hosts.set('o.example.net', answer);
      const { status, body } = await proxy('POST', id, '/toggle', { enable: true });
      assert.equal([status, body.proxy.is_enabled], [200, 1]);
      const [warning] = listOf(body.proxy.warnings).map(String);
      if (pattern === undefined) assert.is(warning, undefined);
      else assert.match(warning, pattern);
    }
    assert.equal((await proxy('GET', id)).body.proxy.warnings, [], 'nothing is resolved');
  });

  test('SSRF: checks addresses and spellings like the table, and opens no socket', async ({
    daemon,
    domain,
    proxy,
    queries,
  }) => {
    const id = await domain('ssrf.test');
    const rows = TABLE.filter(({ verdict, text }) => verdict !== 'public' && text.length > 0);
    const picked = rows.filter((_, i) => i % Math.ceil(rows.length / 40) === 0);
    assert.ok(picked.length >= 20);
    let opened = 0;
    const { bind, send } = DatagramSocket.prototype;
    DatagramSocket.prototype.bind = () => {
      opened++;
      throw new Error('a socket was bound');
    };
    DatagramSocket.prototype.send = () => {
      opened++;
      throw new Error('a packet was sent');
    };
    const { connect } = Socket.prototype;
    const { port } = new URL(daemon.url);
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
      // The requests of the test itself are counted too.
      if (!JSON.stringify(args).includes(`:${port}`) && !JSON.stringify(args).includes(`"port":"${port}"`)) opened++;
      return Reflect.apply(connect, this, args);
    };
    queries.length = 0;
    try {
      for (const { text, verdict } of picked) {
        const answer = await proxy('PUT', id, '', { origin: text });
        const [status, code] = faultOf(answer);
        // Longer than a host name can be: the schema rejects it first.
        const expected = text.length > 1024 ? 'validation' : `${verdict}_origin`;
        assert.equal([status, code], [422, expected], text);
      }
    } finally {
      Object.assign(DatagramSocket.prototype, { bind, send });
      Socket.prototype.connect = connect;
    }
    assert.equal([opened, queries], [0, []]);
    assert.is((await proxy('GET', id)).body.proxy.origin_host, '' as never);
  });

  test('two accounts: each its own domains', async ({ daemon, domain, proxy }) => {
    const name = `p${transport}`;
    const first = await daemon.account(`${name}1`);
    const other = await daemon.account(`${name}2`);
    const id = await domain('mine.test', ['@ A 1.1.1.1'], first.token);
    const foreign = { token: other.token };
    for (const [method, path, json] of [
      ['GET', '', undefined],
      ['PUT', '', { origin: '1.1.1.1' }],
      ['POST', '/toggle', { enable: true }],
      ['POST', '/certificate', undefined],
      ['PUT', '/certificate', { certificate: 'x', private_key: 'y' }],
      ['DELETE', '/certificate', undefined],
      ['POST', '/purge', {}],
    ] as const) {
      assert.equal(faultOf(await proxy(method, id, path, json, foreign)), [404, 'no_such_domain', undefined], path);
      assert.is((await proxy(method, id, path, json, { token: null })).status, 401);
    }
    assert.is((await proxy('GET', id, '', undefined, { token: first.token })).body.proxy.is_enabled, 0 as never);
  });

  test('roles and scopes: proxy, proxy:read, not dns, not viewers', async ({ daemon, proxy }) => {
    const name = `s${transport}`;
    const user = await daemon.account(name);
    const created = await daemon.call('POST', '/api/v1/domains', {
      token: user.token,
      json: { domain: `${name}.test` },
    });
    const id = String(created.body.domain.id);
    const token = async (scopes: readonly string[]): Promise<string> => {
      const { body } = await daemon.call('POST', '/api/v1/tokens', {
        token: user.token,
        json: { name: 'scoped', scopes },
      });
      return String(body.token);
    };
    const body = { origin: '1.1.1.1' };
    for (const [scopes, read, writes] of [
      [['proxy'], 200, 200],
      [['proxy:read'], 200, 403],
      [['dns'], 403, 403],
    ] as const) {
      const scoped = await token(scopes);
      assert.is((await proxy('GET', id, '', undefined, { token: scoped })).status, read, scopes.join());
      assert.is((await proxy('PUT', id, '', body, { token: scoped })).status, writes, scopes.join());
      assert.is((await proxy('POST', id, '/purge', {}, { token: scoped })).status, writes, scopes.join());
    }
    await daemon.call('PATCH', `/api/v1/accounts/${user.id}`, { json: { role: 'viewer' } });
    assert.is((await proxy('GET', id, '', undefined, { token: user.token })).status, 200);
    assert.is((await proxy('PUT', id, '', body, { token: user.token })).status, 403);
    assert.is((await proxy('POST', id, '/toggle', { enable: false }, { token: user.token })).status, 403);
  });

  test.run();
}

const test = suite<Rig>('admin-api/sites/proxy, names of our own zones');
test.before(async (context) => void Object.assign(context, await startRig()));
test.after((context) => context.daemon.stop());

test('resolves names in the domain from its records, and rejects proxied names', async ({
  domain,
  proxy,
  hosts,
  queries,
}) => {
  const id = await domain('self-zone.com', [
    '@ MX 10 mail.self-zone.com',
    'mail A 1.1.1.1',
    'www A 1.1.1.1',
    'origin A 9.9.9.9 proxied=false',
    'grey CNAME www.self-zone.com proxied=false',
    'far CNAME lb.example.net proxied=false',
    'local CNAME db.internal proxied=false',
    'number CNAME 127.1. proxied=false',
    'inner A 10.0.0.1 proxied=false',
    '*.wild A 1.1.1.1',
    '*.calm A 1.1.1.1 proxied=false',
    'sub NS ns.example.net',
    'txt TXT hello',
  ]);
  hosts.set('lb.example.net', ['8.8.8.8']);
  hosts.set('db.internal', ['8.8.8.8']);
  hosts.set('a.sub.self-zone.com', ['8.8.4.4']);
  for (const [origin, code] of [
    ['origin.self-zone.com', null],
    ['mail.self-zone.com', null],
    ['x.calm.self-zone.com', null],
    ['far.self-zone.com', null],
    ['a.sub.self-zone.com', null],
    ['www.self-zone.com', 'origin_loop'],
    ['grey.self-zone.com', 'origin_loop'],
    ['x.wild.self-zone.com', 'origin_loop'],
    ['inner.self-zone.com', 'private_origin'],
    ['local.self-zone.com', 'private_origin'],
    ['number.self-zone.com', 'private_origin'],
    ['missing.self-zone.com', 'origin_unresolvable'],
    ['txt.self-zone.com', 'origin_unresolvable'],
  ] as const) {
    const answer = await proxy('PUT', id, '', { origin });
    if (code === null) assert.is(answer.status, 200, `${origin}: ${answer.text}`);
    else assert.equal(faultOf(answer), [422, code, '/origin'], origin);
    if (code === 'origin_loop')
      assert.match(String(answer.body.error.message), /Set "proxied" to false .* or give the address/);
  }
  assert.equal([...new Set(queries)].sort(), ['a.sub.self-zone.com', 'lb.example.net']);
});

test('turning the proxy on detects names that are proxied by now', async ({ daemon, domain, proxy }) => {
  const id = await domain('turned-zone.com', ['origin A 1.1.1.1 proxied=false']);
  assert.is((await proxy('PUT', id, '', { origin: 'origin.turned-zone.com' })).status, 200);
  const { body } = await daemon.call('GET', `/api/v1/domains/${id}/records?name=origin`);
  const [record] = listOf(body.records);
  const path = `/api/v1/domains/${id}/records/${record.id}`;
  await daemon.call('PUT', path, { json: { ...record, proxied: true } });
  const warnings = async (): Promise<string[]> => listOf((await proxy('GET', id)).body.proxy.warnings).map(String);
  assert.is((await proxy('POST', id, '/toggle', { enable: true })).status, 200);
  assert.match((await warnings())[0], /"origin\.turned-zone\.com" goes through the proxy/);
  await daemon.call('PUT', path, { json: { ...record, proxied: false } });
  assert.equal(await warnings(), []);

  // While the proxy is on, the customer may change records; the state shows the effect.
  await daemon.call('PUT', path, { json: { ...record, proxied: true } });
  assert.match((await warnings())[0], /"origin\.turned-zone\.com" goes through the proxy/);
});

test('resolves names in other domains of the account from records, and those of other accounts by queries', async ({
  daemon,
  domain,
  proxy,
  hosts,
  queries,
}) => {
  const id = await domain('front-zone.com');
  const back = await domain('back-zone.com', ['@ A 1.1.1.1']);
  assert.is((await proxy('PUT', id, '', { origin: 'back-zone.com' })).status, 200);
  await proxy('POST', back, '/toggle', { enable: true });
  assert.equal(faultOf(await proxy('PUT', id, '', { origin: 'back-zone.com' })), [422, 'origin_loop', '/origin']);
  const other = await daemon.account('other');
  await domain('victim-zone.com', ['@ A 9.9.9.9'], other.token);
  hosts.set('victim-zone.com', ['10.0.0.1']);
  queries.length = 0;
  assert.equal(faultOf(await proxy('PUT', id, '', { origin: 'victim-zone.com' })), [422, 'private_origin', '/origin']);
  assert.equal(queries, ['victim-zone.com']);
});

test('exempts only the configured addresses', async () => {
  const rig = await startRig('auto', { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8' });
  try {
    const id = await rig.domain('rig.test', ['@ A 127.0.0.1']);
    const { status, text } = await rig.proxy('POST', id, '/toggle', { enable: true });
    assert.is(status, 200, text);
    assert.equal(faultOf(await rig.proxy('PUT', id, '', { origin: '10.0.0.1' })), [422, 'private_origin', '/origin']);
  } finally {
    await rig.daemon.stop();
  }
});

test('certificate: the order, its attempts and its failure as they are stored', async ({ daemon, domain, proxy }) => {
  const id = await domain('ordered.test', ['@ A 1.1.1.1']);
  await proxy('POST', id, '/toggle', { enable: true });
  const now = Math.floor(Date.now() / 1000);
  const order: AcmeOrder = {
    domainId: Number(id),
    ...{ claim: { node: 'n1', until: now + 100 }, triedAt: now - 5, failures: 2, retryAt: now - 9 },
    ...{ blockedUntil: null, renewAt: null, directory: null, issued: 0, issuedSince: 0 },
  };
  const put = (changes: Partial<AcmeOrder>) =>
    write(daemon.environment, daemon.journal, 'test', (draft) => {
      draft.put(acmeOrders, { ...order, ...changes });
      const challenge = { domainId: order.domainId, type: 'dns-01', token: 't', content: 'c' } as const;
      draft.put(acmeChallenges, challenge);
    });
  const view = async () => (await proxy('GET', id)).body.proxy.certificate;
  await put({});
  const running = await view();
  assert.equal([running.source, running.is_ordering, running.challenges], ['none', true, ['dns-01']]);
  assert.equal([running.failures, running.next_attempt_at], [2, null]);
  assert.match(String(running.requested_at), /^\d{4}-/);
  assert.is(running.attempted_at, formatTime(now - 5));

  await put({ claim: null, failures: 3, retryAt: now + 60, blockedUntil: now + 90 });
  const failed = await view();
  assert.equal([failed.is_ordering, failed.challenges, failed.failures], [false, [], 3]);
  assert.is(failed.next_attempt_at, formatTime(now + 90));

  await put({ claim: { node: 'n1', until: now - 1 }, failures: 0, retryAt: null });
  const stopped = await view();
  assert.equal([stopped.is_ordering, stopped.next_attempt_at], [false, null], 'the claim has ended');

  await proxy('POST', id, '/toggle', { enable: false });
  await put({ claim: null, failures: 3, retryAt: now + 60 });
  assert.is((await view()).next_attempt_at, null, 'nothing is ordered while the proxy is off');
});

test('audit: the change, its author, and the previous settings', async ({ daemon, domain, proxy }) => {
  const id = await domain('audit.test', ['@ A 1.1.1.1']);
  await proxy('PUT', id, '', { origin: '1.1.1.1' });
  await proxy('PUT', id, '', { origin: '9.9.9.9', port: 80 });
  await proxy('POST', id, '/toggle', { enable: true });
  const { body } = await daemon.call('GET', '/api/v1/audit?limit=3');
  const entries = listOf(body.entries ?? body.audit);
  assert.equal(
    entries.map(({ action, domain: name, target }) => [action, name, target]),
    [
      ['proxy.enable', 'audit.test', Number(id)],
      ['proxy.update', 'audit.test', Number(id)],
      ['proxy.update', 'audit.test', Number(id)],
    ],
  );
  assert.equal(entries[1].detail, {
    origin_host: '9.9.9.9',
    origin_port: 80,
    origin_protocol: 'http',
    before: { origin_host: '1.1.1.1', origin_port: 443, origin_protocol: 'https' },
  });
});

test.run();
