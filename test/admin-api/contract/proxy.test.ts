/**
 * The API contract: the proxy. What it does to answers is in proxy/dns-effect.test.ts, every
 * spelling of an origin in proxy/origin.test.ts.
 */
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { type Json, listOf } from '../daemon.ts';
import { NO_CERTIFICATE } from '../sites/proxy/no-certificate.ts';
import { each, everywhere, refused, succeeded, type World, type Zone } from './world.ts';

const FIELDS = [
  'domain_id',
  'is_enabled',
  'origin_host',
  'origin_port',
  'origin_protocol',
  'hsts_max_age',
  'hsts_include_subdomains',
  'hsts_preload',
  'heuristics',
  'forwarded_header',
  'lenient_responses',
  'heuristic_freshness',
  'ssl_status',
  'ssl_issued_at',
  'ssl_expires_at',
  'ssl_error',
  'certificate',
  'certificates',
  'uncovered',
  'exposed',
  'warnings',
];

const at = ({ path }: Zone): string => `${path}/proxy`;
const origin = ({ body }: { body: Json }): unknown[] => [
  body.proxy.origin_host,
  body.proxy.origin_port,
  body.proxy.origin_protocol,
];
const state = async (zone: Zone): Promise<Json> => succeeded(await zone.client.get(at(zone))).body.proxy;
const warnings = ({ body }: { body: Json }): string[] => listOf(body.proxy.warnings).map(String);
const toggle = (zone: Zone, enable: unknown) => zone.client.post(`${at(zone)}/toggle`, { enable });

const root = { name: 'Test Root', key: ecKey() };
const rootPem = certificate({ ...root, ca: true });

/** A chain and its key, as a customer sends them. */
function own(name: string, more: Partial<Parameters<typeof certificate>[0]> = {}) {
  const key = ecKey();
  const pem = certificate({ name, key, issuer: root, dnsNames: [name, `*.${name}`], ...more }) + rootPem;
  return { certificate: pem, private_key: pemOfKey(key) };
}

/** A domain with its proxy on. */
async function proxied(world: World): Promise<Zone> {
  const zone = await world.zone();
  await zone.add('@', 'A', '1.1.1.1');
  succeeded(await toggle(zone, true));
  return zone;
}

await everywhere('contract, proxy', (test) => {
  test('GET …/proxy: domain {id, domain}, proxy; before any setting', async ({ world }) => {
    const zone = await world.zone();
    const { body } = succeeded(await zone.client.get(at(zone)));
    assert.equal(Object.keys(body), ['ok', 'domain', 'proxy']);
    assert.equal(body.domain, { id: zone.id, domain: zone.domain });
    assert.equal(Object.keys(body.proxy), FIELDS);
    assert.equal(Object.values(body.proxy), [
      zone.id,
      0,
      ...['', 443, 'https'],
      null,
      ...[false, false, 'static', true, false, false],
      'none',
      null,
      null,
      null,
      NO_CERTIFICATE,
      ...[[], [], [], []],
    ]);
  });

  test('PUT: origin (or origin_host), port (default 443), protocol (omitted: https for 443, http for 80, else 422)', async ({
    world,
  }) => {
    const zone = await world.zone();
    const put = (json: object) => zone.client.put(at(zone), json);
    for (const [json, expected] of [
      [{ origin: '1.1.1.1' }, ['1.1.1.1', 443, 'https']],
      [{ origin_host: '8.8.8.8' }, ['8.8.8.8', 443, 'https']],
      [{ origin: '1.1.1.1', port: 80 }, ['1.1.1.1', 80, 'http']],
      [{ origin: '1.1.1.1', port: 443, protocol: 'http' }, ['1.1.1.1', 443, 'http']],
      [{ origin: '1.1.1.1', port: 8443, protocol: 'https' }, ['1.1.1.1', 8443, 'https']],
      [{ origin: '[2606:4700::AB]' }, ['2606:4700::ab', 443, 'https']],
    ] as const) {
      const answer = succeeded(await put(json));
      assert.equal(origin(answer), expected);
      assert.equal(await state(zone), answer.body.proxy);
    }
    // A response can be sent back, and one without an origin can be completed.
    succeeded(await put(await state(zone)));
    const fresh = await world.zone();
    const completed = { ...(await state(fresh)), origin: '1.1.1.1' };
    assert.equal(origin(succeeded(await fresh.client.put(at(fresh), completed))), ['1.1.1.1', 443, 'https']);
    refused(await put({ origin_host: '' }), '422 validation', '/origin');
    for (const port of [8080, 1, 65_535])
      refused(await put({ origin: '1.1.1.1', port }), '422 protocol_required', '/protocol');
    for (const port of [0, 65_536, -1, 1.5, '443'])
      refused(await put({ origin: '1.1.1.1', port }), '422 validation', '/port');
    for (const protocol of ['ftp', 'HTTPS', '', 1])
      refused(await put({ origin: '1.1.1.1', protocol }), '422 validation', '/protocol');
    refused(await put({}), '422 validation', '/origin');
    refused(await put({ origin: 7 }), '422 validation', '/origin');
    refused(await put({ origin: '1.1.1.1', origin_host: '8.8.8.8' }), '422 contradiction', '/origin_host');
  });

  test('public IPv4, IPv6 or hostname; private, loopback, reserved: 422 (given)', async ({ world }) => {
    const zone = await world.zone();
    await zone.add('origin', 'A', '1.1.1.1', { proxied: false });
    await zone.add('inside', 'A', '10.0.0.1', { proxied: false });
    const put = (host: string) => zone.client.put(at(zone), { origin: host });
    assert.equal(origin(succeeded(await put(`Origin.${zone.domain}.`))), [`origin.${zone.domain}`, 443, 'https']);
    const before = await state(zone);
    for (const host of [
      '10.0.0.1',
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '2130706433',
      '169.254.169.254',
      '168.63.129.16',
      '192.80.8.124',
      '161.26.0.7',
      '100.100.100.200',
      'fd00:ec2::254',
      '192.0.2.1',
      '0.0.0.0',
      '255.255.255.255',
      '224.0.0.1',
      '::1',
      '::ffff:10.0.0.1',
      'fe80::1',
      'fd00::1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      `inside.${zone.domain}`,
    ])
      assert.match(`${(await put(host)).status}`, '422', host);
    refused(await put('10.0.0.1'), '422 private_origin', '/origin');
    refused(await put(`inside.${zone.domain}`), '422 private_origin', '/origin');
    for (const host of ['http://1.1.1.1', 'a b', 'x..y', '1.1.1.1/', '\ud800', '\u0000'])
      assert.is((await put(host)).status, 422, host);
    refused(await put('nowhere.example.org'), '422 origin_unresolvable', '/origin');
    assert.equal(await state(zone), before);
  });

  test('POST …/proxy/test-origin: tests public addresses only, 20 times a minute, and changes nothing', async ({
    world,
  }) => {
    const zone = await world.zone();
    await zone.add('inside', 'A', '10.0.0.1', { proxied: false });
    const before = await state(zone);
    const post = (host: string) => zone.client.post(`${at(zone)}/test-origin`, { origin: host });
    for (const host of ['10.0.0.1', '127.0.0.1', '0x7f.1', '169.254.169.254', '::1', `inside.${zone.domain}`])
      refused(await post(host), '422 private_origin', '/origin');
    refused(await post('http://1.1.1.1'), '422 invalid_origin', '/origin');
    const steps = async (host: string) => {
      const { test: tried } = succeeded(await post(host)).body;
      assert.is(tried.ok, false);
      return (tried.steps as unknown as { step: string; ok: boolean; detail: string }[]).map(
        ({ step, ok, detail }) => `${step} ${ok}: ${detail}`,
      );
    };
    assert.match((await steps('nowhere.example.org'))[0], /^dns false: /);
    // The connections of this world are refused.
    assert.equal(await steps('1.1.1.1'), ['dns true: 1.1.1.1 is at 1.1.1.1.', 'tcp false: It refused the connection.']);
    assert.equal(await state(zone), before);
    const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await post('1.1.1.1')).status));
    assert.ok(statuses.includes(429));
  });

  test('POST …/proxy/toggle (given): body enable (boolean); answers the proxy state', async ({ world }) => {
    const zone = await world.zone();
    succeeded(await zone.client.put(at(zone), { origin: '1.1.1.1' }));
    for (const enable of [true, true, false, false, true]) {
      const { body } = succeeded(await toggle(zone, enable));
      assert.equal([Object.keys(body.proxy), body.proxy.is_enabled], [FIELDS, enable ? 1 : 0]);
      assert.equal(await state(zone), body.proxy);
      assert.is((await zone.client.get(zone.path)).body.domain.proxy_enabled, enable);
    }
    for (const enable of [undefined, null, 1, 0, 'true', []])
      refused(await toggle(zone, enable), '422 validation', '/enable');
  });

  test('a request without effect makes no audit entry', async ({ world }) => {
    const zone = await proxied(world);
    const head = world.daemon.writes();
    succeeded(await toggle(zone, true));
    assert.is(world.daemon.writes(), head);
    assert.equal(each(await world.audit(`&domain=${zone.domain}&action=proxy`), 'action'), ['proxy.enable']);
  });

  test('enabling depends on the domain alone; what is doubtful is in proxy.warnings', async ({ world }) => {
    const nowhere = await world.zone();
    assert.match(warnings(succeeded(await toggle(nowhere, true)))[0], /the proxy serves nothing/);
    const zone = await world.zone();
    await zone.add('www', 'A', '1.1.1.1');
    await zone.add('inside', 'A', '10.0.0.1');
    await zone.add('round', 'CNAME', `round.${zone.domain}`);
    const on = succeeded(await toggle(zone, true));
    assert.equal(origin(on), ['', 443, 'https'], 'no origin is stored');
    assert.equal(
      warnings(on).map((text) => /^(No origin is set|"[a-z]+" [a-z ]+)/.exec(text)?.[0]),
      ['No origin is set', '"inside" has no public address', '"round" leads to itself'],
    );
    assert.equal(await state(zone), on.body.proxy);
    assert.equal(warnings(succeeded(await toggle(zone, false))), []);
    succeeded(await zone.client.put(at(zone), { origin: '9.9.9.9' }));
    assert.equal(warnings(succeeded(await toggle(zone, true))), []);
  });

  test('enabling with an origin that cannot be used by now is a warning', async ({ world }) => {
    const zone = await world.zone();
    const record = await zone.add('origin', 'A', '1.1.1.1', { proxied: false });
    const put = (more: object) => zone.client.put(`${zone.records}/${record.id}`, { ...record, ...more });
    succeeded(await zone.client.put(at(zone), { origin: `origin.${zone.domain}` }));
    for (const [more, expected] of [
      [{ content: '10.0.0.1' }, /every address must be public/],
      [{ proxied: true }, /goes through the proxy/],
      [{}, undefined],
    ] as const) {
      succeeded(await toggle(zone, false));
      succeeded(await put(more));
      const [warning] = warnings(succeeded(await toggle(zone, true)));
      if (expected === undefined) assert.is(warning, undefined);
      else assert.match(warning, expected);
    }
  });

  test('exposed: names whose records still reveal the address of the origin', async ({ world }) => {
    const zone = await proxied(world);
    await zone.add('www', 'A', '1.1.1.1');
    await zone.add('direct', 'A', '1.1.1.1', { proxied: false });
    await zone.add('mail', 'A', '1.1.1.1');
    await zone.add('@', 'MX', `10 mail.${zone.domain}`);
    await zone.add('other', 'A', '9.9.9.9', { proxied: false });
    const names = new Set(each(listOf((await state(zone)).exposed), 'name'));
    assert.equal([...names].filter((name) => ['direct', 'mail', 'www', 'other'].includes(name)).sort(), [
      'direct',
      'mail',
    ]);
  });

  test('POST …/proxy/certificate: orders a new certificate now', async ({ world }) => {
    const off = await world.zone();
    refused(await off.client.post(`${at(off)}/certificate`, {}), '409 proxy_disabled');
    const zone = await proxied(world);
    const answer = succeeded(await zone.client.post(`${at(zone)}/certificate`, {}));
    assert.is(answer.body.proxy.ssl_status, 'pending');
    await audited(world, answer.headers.get('x-request-id'), 'certificate.order');
    succeeded(await zone.client.put(`${at(zone)}/certificate`, own(zone.domain)));
    refused(await zone.client.post(`${at(zone)}/certificate`, {}), '409 certificate_custom');
  });

  test('PUT …/proxy/certificate: certificate (PEM, chain), private_key (PEM); DELETE returns to automatic', async ({
    world,
  }) => {
    const zone = await proxied(world);
    const path = `${at(zone)}/certificate`;
    refused(await zone.client.delete(path), '404 no_such_certificate');
    const pair = own(zone.domain);
    const answer = succeeded(await zone.client.put(path, pair));
    const { ssl_status: status, ssl_issued_at: issued, ssl_expires_at: expires, ssl_error: error } = answer.body.proxy;
    assert.equal([status, error], ['active', null]);
    assert.ok(String(issued) < String(expires));
    const stored = answer.body.proxy.certificate;
    assert.equal([stored.source, stored.issuer, stored.issued_at], ['uploaded', 'Test Root', issued]);
    assert.equal(stored.names, [zone.domain, `*.${zone.domain}`]);
    const entry = await audited(world, answer.headers.get('x-request-id'), 'certificate.set');
    const [, secret] = pair.private_key.split('\n');
    for (const text of [answer.text, JSON.stringify(entry), ...world.daemon.logged])
      assert.not.ok(text.includes(secret));
    assert.equal((await state(zone)).ssl_status, 'active');
    const gone = succeeded(await zone.client.delete(path));
    assert.equal([gone.body.proxy.ssl_status, gone.body.proxy.ssl_expires_at], ['pending', null]);
    assert.equal([gone.body.proxy.certificate.source, gone.body.proxy.certificate.names], ['none', []]);
    await audited(world, gone.headers.get('x-request-id'), 'certificate.delete');
    refused(await zone.client.delete(path), '404 no_such_certificate');
  });

  test('checks match, names and dates (422)', async ({ world }) => {
    const zone = await proxied(world);
    const good = own(zone.domain);
    const before = await state(zone);
    for (const [json, code, pointer] of [
      [{ ...good, private_key: own(zone.domain).private_key }, 'key_mismatch', '/private_key'],
      [own('other.example.org'), 'certificate_names', '/certificate'],
      [own(zone.domain, { from: -20, to: -10 }), 'certificate_expired', '/certificate'],
      [own(zone.domain, { from: 10, to: 20 }), 'certificate_not_yet_valid', '/certificate'],
      [{ ...good, certificate: 'x' }, 'invalid_certificate', '/certificate'],
      [{ ...good, private_key: 'x' }, 'invalid_private_key', '/private_key'],
      [{ ...good, certificate: undefined }, 'validation', '/certificate'],
      [{ ...good, private_key: undefined }, 'validation', '/private_key'],
    ] as const)
      refused(await zone.client.put(`${at(zone)}/certificate`, json), `422 ${code}`, pointer);
    assert.equal(await state(zone), before);
  });

  test('PATCH …/proxy: HSTS and heuristic freshness, without an origin; omitted fields keep their values', async ({
    world,
  }) => {
    const zone = await world.zone();
    const patch = (json: unknown) => zone.client.send('PATCH', at(zone), { json });
    const hsts = ({ hsts_max_age, hsts_include_subdomains, hsts_preload, heuristic_freshness }: Json) => [
      ...[hsts_max_age, hsts_include_subdomains, hsts_preload, heuristic_freshness],
    ];
    const all = { hsts_max_age: 31_536_000, hsts_include_subdomains: true, hsts_preload: true };
    const set = succeeded(await patch(all)).body.proxy;
    assert.equal(hsts(set), [31_536_000, true, true, false]);
    assert.equal(origin({ body: { proxy: set } as unknown as Json }), ['', 443, 'https']);
    assert.equal(hsts(succeeded(await patch({ heuristic_freshness: true })).body.proxy), [
      31_536_000,
      true,
      true,
      true,
    ]);
    refused(await patch({ hsts_max_age: 300 }), '422 hsts_preload', '/hsts_preload');
    refused(await patch({ hsts_include_subdomains: false }), '422 hsts_preload', '/hsts_preload');
    refused(await patch({ origin: '1.1.1.1' }), '422 unknown_field', '/origin');
    refused(await patch({ hsts_preload: 1 }), '422 validation', '/hsts_preload');
    const off = succeeded(await patch({ hsts_max_age: null, hsts_preload: false })).body.proxy;
    assert.equal(hsts(off), [null, true, false, true]);
    const put = { origin: '1.1.1.1', hsts_preload: true };
    refused(await zone.client.put(at(zone), put), '422 hsts_preload', '/hsts_preload');
    assert.is((await state(zone)).origin_host, '');
  });

  test('POST …/proxy/purge: empties the edge cache of the domain, or only urls, prefixes and tags of the body', async ({
    world,
  }) => {
    const zone = await world.zone();
    const purge = (json: unknown) => zone.client.post(`${at(zone)}/purge`, json);
    const all = succeeded(await purge({})).body.purge;
    assert.equal([all.domain_id, all.everything, all.urls, all.prefixes, all.tags], [zone.id, true, [], [], []]);
    const bodiless = succeeded(await zone.client.send('POST', `${at(zone)}/purge`)).body.purge;
    assert.is(bodiless.everything, true);
    const urls = [`https://www.${zone.domain}/a.css`];
    const prefixes = [`www.${zone.domain}/news/`];
    const part = succeeded(await purge({ urls, prefixes, tags: ['one'] })).body.purge;
    assert.equal([part.everything, part.urls, part.prefixes, part.tags], [false, urls, prefixes, ['one']]);
    assert.equal([all.prefetch, part.prefetch], [false, false]);
    assert.is(succeeded(await purge({ urls, prefetch: true })).body.purge.prefetch, true);
    for (const [json, code, pointer] of [
      [{ urls: ['https://other.example.org/'] }, 'invalid_url', '/urls/0'],
      [{ urls: [`https://${zone.domain}/`, 'x'] }, 'invalid_url', '/urls/1'],
      [{ prefixes: ['other.example.org/'] }, 'invalid_prefix', '/prefixes/0'],
      [{ tags: ['a,b'] }, 'invalid_tag', '/tags/0'],
      [{ tags: [] }, 'validation', '/tags'],
      [{ urls: 'x' }, 'validation', '/urls'],
      [{ prefetch: 'yes' }, 'validation', '/prefetch'],
    ] as const)
      refused(await purge(json), `422 ${code}`, pointer);
  });

  test('scope: records need dns, and the proxy needs proxy', async ({ world }) => {
    const zone = await world.zone();
    const [dns, proxy, reads] = await Promise.all(
      [['dns'], ['proxy'], ['proxy:read']].map((scopes) => world.scoped(world.user.client, scopes)),
    );
    refused(await dns.get(at(zone)), '403 insufficient_scope');
    refused(await proxy.get(zone.records), '403 insufficient_scope');
    succeeded(await reads.get(at(zone)));
    refused(await reads.post(`${at(zone)}/purge`, {}), '403 insufficient_scope');
    succeeded(await proxy.post(`${at(zone)}/purge`, {}));
  });
});

/** The only entry of the request. */
async function audited(world: World, requestId: string | null, action: string): Promise<Json> {
  const found = (await world.audit()).filter((entry) => String(entry.request_id) === requestId);
  assert.equal(each(found, 'action'), [action]);
  return found[0];
}
