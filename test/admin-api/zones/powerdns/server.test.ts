/**
 * Servers, statistics, search, metadata, cryptokeys and TSIG keys of the PowerDNS-compatible API.
 * test/system/peers/powerdns-examples.test.ts holds the examples against a real PowerDNS.
 */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { matcherOf } from '../../../../admin-api/zones/powerdns/search.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { type Answer, type Daemon, type Json, listOf, startDaemon } from '../../daemon.ts';
import { EXAMPLES, ZONE } from './server-examples.ts';

const SERVERS = '/api/v1/servers';
const ZONES = `${SERVERS}/localhost/zones`;

interface Context {
  daemon: Daemon;
  key: string;
}

const test = suite<Context>('powerdns, server');

test.before(async (context) => {
  context.daemon = await startDaemon();
  await context.daemon.call('POST', ZONES, { json: { name: ZONE, kind: 'Native', nameservers: [] } });
  await context.daemon.call('POST', ZONES, { json: { name: 'meta.org.', kind: 'Native', nameservers: [] } });
});
test.after(({ daemon }) => daemon.stop());

const ACCEPT = { accept: 'application/json' };

function send({ daemon }: Context, method: string, path: string, json?: unknown, token?: string): Promise<Answer> {
  const key = { 'x-api-key': token ?? daemon.adminToken };
  return daemon.call(method, SERVERS + path, { token: null, json, headers: { ...ACCEPT, ...key } });
}

for (const { name, method, path, json, status, fields, body } of EXAMPLES)
  test(`example: ${name}`, async (context) => {
    const answer = await send(context, method, path.replace('{key}', context.key), json);
    assert.is(answer.status, status, answer.text);
    if (body !== undefined) assert.equal(JSON.parse(answer.text), body);
    if (fields !== undefined) {
      const value = JSON.parse(answer.text) as Record<string, unknown> | Record<string, unknown>[];
      const keys = Object.keys(Array.isArray(value) ? value[0] : value);
      assert.equal(keys.filter((field) => field !== 'errors').sort(), [...fields]);
    }
    if (method === 'POST' && path.endsWith('/cryptokeys') && status === 201) context.key = String(answer.body.id);
    if (status === 204) assert.is(answer.text, '');
  });

test('unsupported requests are 422 with the reason', async (context) => {
  const kinds = [
    ...['AXFR-SOURCE', 'ALLOW-DNSUPDATE-FROM', 'TSIG-ALLOW-DNSUPDATE', 'FORWARD-DNSUPDATE', 'SOA-EDIT-DNSUPDATE'],
    ...['NOTIFY-DNSUPDATE', 'SLAVE-RENOTIFY', 'GSS-ALLOW-AXFR-PRINCIPAL', 'GSS-ACCEPTOR-PRINCIPAL', 'PUBLISH-CDS'],
    ...['PUBLISH-CDNSKEY', 'IXFR', 'ALLOW-AXFR-FROM', 'SOA-EDIT'],
  ];
  for (const kind of kinds) {
    const path = `/localhost/zones/meta.org./metadata/${kind}`;
    const { status, body } = await send(context, 'PUT', path, { metadata: ['AUTO-NS'] });
    assert.is(status, 422, kind);
    assert.ok(String(body.error).length > 20, kind);
    const isFixed = ['PUBLISH-CDS', 'PUBLISH-CDNSKEY', 'IXFR', 'TSIG-ALLOW-DNSUPDATE'].includes(kind);
    assert.is((await send(context, 'DELETE', path)).status, isFixed ? 422 : 204, kind);
  }
  for (const json of [
    { keytype: 'zsk', active: true },
    { keytype: 'csk', active: true, algorithm: 'rsasha256', bits: 2048 },
    { keytype: 'csk', active: true, published: false },
  ]) {
    const { status, body } = await send(context, 'POST', '/localhost/zones/meta.org./cryptokeys', json);
    assert.is(status, 422);
    assert.match(String(body.error), /not supported/);
  }
  assert.match(
    (await send(context, 'POST', '/localhost/tsigkeys', { name: 'x', algorithm: 'gss-tsig' })).text,
    /not supported; use hmac-sha256/,
  );
});

test('metadata: its limits, SOA-EDIT, and writes in the audit log', async (context) => {
  const path = '/localhost/zones/meta.org./metadata';
  await send(context, 'PUT', `${path}/SOA-EDIT`, { metadata: ['EPOCH'] });
  assert.is((await send(context, 'GET', '/localhost/zones/meta.org.')).body.soa_edit, 'EPOCH');
  const before = context.daemon.writes();
  await send(context, 'PUT', `${path}/SOA-EDIT`, { metadata: ['EPOCH'] });
  assert.is(context.daemon.writes(), before, 'no change, no commit');
  const many = Array.from({ length: 101 }, (_, i) => `${i}`);
  assert.is((await send(context, 'PUT', `${path}/X-A`, { metadata: many })).status, 422);
  assert.is((await send(context, 'PUT', `${path}/X-A`, { metadata: ['x'.repeat(2001)] })).status, 422);
  assert.is((await send(context, 'PUT', `${path}/X-a b`, { metadata: ['x'] })).status, 422);
  assert.is((await send(context, 'PUT', `${path}/X-A`, { kind: 'X-B', metadata: [] })).status, 422);
  assert.is((await send(context, 'PUT', `${path}/X-A`, { metadata: [1] })).status, 422);
  const { body } = await context.daemon.call('GET', '/api/v1/audit?domain=meta.org');
  assert.equal(
    listOf(body.entries).map(({ action, detail }) => [action, detail?.kind]),
    [
      ['domain.metadata', 'SOA-EDIT'],
      ['domain.create', undefined],
    ],
  );
});

test('metadata: 100,000 characters in all kinds of a zone, and a shortened detail in the audit log', async (context) => {
  await send(context, 'POST', '/localhost/zones', { name: 'big-labels.test.', kind: 'Native', nameservers: [] });
  const put = (kind: string, count: number) => {
    const metadata = Array.from({ length: count }, (_, i) => `${i}`.padEnd(1900, 'x'));
    return send(context, 'PUT', `/localhost/zones/big-labels.test./metadata/${kind}`, { metadata });
  };
  assert.is((await put('X-A', 60)).status, 422);
  assert.is((await put('X-A', 50)).status, 200);
  const refusal = await put('X-B', 10);
  assert.is(refusal.status, 422);
  assert.match(refusal.text, /at most 100000 characters/);
  assert.is((await put('X-A', 20)).status, 200);
  assert.is((await put('X-B', 10)).status, 200);
  const { body } = await context.daemon.call('GET', '/api/v1/audit?domain=big-labels.test&limit=1');
  const [{ detail }] = listOf(body.entries);
  assert.ok(Number(detail.shortened) > 19_000 && JSON.stringify(detail).length <= 4096);
});

test('ALSO-NOTIFY: addresses with ports, which must be public for users', async (context) => {
  const { token } = await context.daemon.account('notified');
  await send(context, 'POST', '/localhost/zones', { name: 'also.org.', kind: 'Native', nameservers: [] }, token);
  const put = (values: string[]) =>
    send(context, 'PUT', '/localhost/zones/also.org./metadata/ALSO-NOTIFY', { metadata: values }, token);
  assert.is((await put(['1.1.1.1', '[2606:4700::1111]:5300', '8.8.8.8:53'])).status, 200);
  for (const wrong of [
    '127.0.0.1',
    '10.0.0.1:53',
    '[::1]:53',
    '[::ffff:10.0.0.1]:53',
    '1.1.1.1:0',
    '1.1.1.1 key',
    'ns.example',
  ])
    assert.is((await put([wrong])).status, 422, wrong);
  const allow = (value: string) =>
    send(context, 'PUT', '/localhost/zones/also.org./metadata/ALLOW-AXFR-FROM', { metadata: [value] }, token);
  for (const wide of ['0.0.0.0/0', '10.0.0.0/8', '::/0', '::ffff:0:0/96'])
    assert.is((await allow(wide)).status, 422, wide);
  for (const narrow of ['10.1.0.0/16', '2001:db8::/32']) assert.is((await allow(narrow)).status, 200, narrow);
  assert.is((await put(Array.from({ length: 11 }, (_, i) => `1.1.1.${i}`))).status, 422);
});

test('a key: the DS and CDS of our own API, the default algorithm, and one key only', async (context) => {
  const { daemon } = context;
  const path = '/localhost/zones/meta.org./cryptokeys';
  const { body } = await send(context, 'POST', path, { keytype: 'ksk', active: true });
  assert.equal([body.algorithm, body.keytype, body.active], ['ECDSAP256SHA256', 'csk', true]);
  const { body: domains } = await daemon.call('GET', '/api/v1/domains?q=meta.org');
  const { body: dnssec } = await daemon.call('GET', `/api/v1/domains/${listOf(domains.domains)[0].id}/dnssec`);
  assert.is(String(listOf(dnssec.ds)[0].record).split(' DS ')[1].toLowerCase(), String(listOf(body.ds)[0]));
  assert.is((await send(context, 'GET', '/localhost/zones/meta.org.')).body.dnssec, true);
  const again = await send(context, 'POST', path, { keytype: 'csk', active: true });
  assert.equal([again.status, /rollover/.test(again.text)], [422, true]);
  const read = await send(context, 'GET', '/localhost/zones/meta.org./metadata');
  assert.equal(
    listOf(JSON.parse(read.text) as Json).map(({ kind }) => kind),
    [
      ...['NSEC3PARAM', 'PUBLISH-CDNSKEY', 'PUBLISH-CDS', 'SOA-EDIT', 'SOA-EDIT-API', 'TSIG-ALLOW-AXFR'],
      'TSIG-ALLOW-DNSUPDATE',
    ],
  );
});

test('TSIG keys: secrets are shown once, and rights are those of the token', async (context) => {
  const { daemon } = context;
  const created = await send(context, 'POST', '/localhost/tsigkeys', { name: 'once.key.', algorithm: 'hmac-sha512' });
  assert.is(Buffer.from(String(created.body.key), 'base64').length, 64);
  assert.is((await send(context, 'GET', '/localhost/tsigkeys/once.key.')).body.key, '');
  assert.is((await send(context, 'PUT', '/localhost/tsigkeys/once.key', { name: 'twice.key' })).body.key, '');
  const { body } = await daemon.call('GET', '/api/v1/tsig-keys?q=twice');
  assert.equal(
    listOf(body.tsig_keys).map(({ name, algorithm }) => [name, algorithm]),
    [['twice.key', 'hmac-sha512']],
  );
  const short = { name: 'short.key', algorithm: 'hmac-sha256', key: Buffer.alloc(8).toString('base64') };
  assert.is((await send(context, 'POST', '/localhost/tsigkeys', short)).status, 422);
  const other = await daemon.account('tsig');
  for (const method of ['GET', 'PUT', 'DELETE'])
    assert.is(
      (await send(context, method, '/localhost/tsigkeys/twice.key.', method === 'PUT' ? {} : undefined, other.token))
        .status,
      404,
    );
  const taken = { name: 'twice.key', algorithm: 'hmac-sha1' };
  for (const status of [201, 409])
    assert.is((await send(context, 'POST', '/localhost/tsigkeys', taken, other.token)).status, status);
  // HMAC-MD5 is for requests to masters alone, also if a key is changed.
  const weak = { name: 'weak.key', algorithm: 'hmac-md5' };
  assert.is((await send(context, 'POST', '/localhost/tsigkeys', weak)).status, 201);
  assert.is((await send(context, 'PUT', '/localhost/tsigkeys/twice.key.', { algorithm: 'hmac-md5' })).status, 422);
});

test('a user has neither configuration nor statistics, and finds only own zones', async (context) => {
  const { token } = await context.daemon.account('user');
  for (const path of ['/localhost/config', '/localhost/config/api', '/localhost/statistics'])
    assert.is((await send(context, 'GET', path, undefined, token)).status, 403);
  assert.is((await send(context, 'GET', '/localhost/search-data?q=*', undefined, token)).text, '[]');
  for (const path of ['metadata', 'metadata/X-A', 'cryptokeys', 'cryptokeys/1'])
    assert.is((await send(context, 'GET', `/localhost/zones/meta.org./${path}`, undefined, token)).status, 404);
});

test('a restricted token searches its domains only, and has no TSIG keys', async (context) => {
  const { daemon } = context;
  const { body: domains } = await daemon.call('GET', '/api/v1/domains?q=meta.org');
  const ids = listOf(domains.domains).map(({ id }) => id);
  const { body } = await daemon.call('POST', '/api/v1/tokens', { json: { name: 'r', domains: ids } });
  const token = String(body.token);
  const found = await send(context, 'GET', '/localhost/search-data?q=*&object_type=zone', undefined, token);
  assert.equal(JSON.parse(found.text), [{ name: 'meta.org.', object_type: 'zone', zone_id: 'meta.org.' }]);
  assert.is((await send(context, 'GET', '/localhost/tsigkeys', undefined, token)).status, 403);
});

test('the versions of the API, by which lego finds its paths', async ({ daemon }) => {
  const { text } = await daemon.call('GET', '/api');
  assert.equal(JSON.parse(text), [{ url: '/api/v1', version: 1 }]);
  assert.is((await daemon.call('GET', '/api/v1')).status, 200);
});

test('statistics count what the metrics count; rings are empty', async (context) => {
  const items = JSON.parse((await send(context, 'GET', '/localhost/statistics')).text) as Json[];
  assert.ok(items.every(({ value }) => typeof value === 'string' || Array.isArray(value)));
  assert.ok(items.some(({ type }) => String(type) === 'RingStatisticItem'));
  const without = JSON.parse((await send(context, 'GET', '/localhost/statistics?includerings=false')).text) as Json[];
  assert.not.ok(without.some(({ type }) => String(type) === 'RingStatisticItem'));
});

test('no body, and no parameter, is an internal error', async (context) => {
  const keys = [
    ...['name', 'kind', 'type', 'metadata', 'keytype', 'active', 'algorithm', 'bits', 'published', 'privatekey'],
    ...['key', 'rrsets', 'records', 'comments', 'ttl', 'changetype', 'nameservers', 'masters', 'account'],
  ];
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('csk', 'A', 'REPLACE', 'hmac-sha256', 'meta.org.', 'X-A', true, 13, []),
  );
  const body = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...keys), value));
  const parameter = fc.constantFrom('meta.org.', 'nowhere.org.', 'X-A', 'SOA-EDIT', '1', '%00', '=FF', 'a..b', '0');
  const routes = context.daemon.api.compatible;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), parameter, body, async ({ method, path }, text, json) => {
      const at = path.replaceAll(/\{\w+\}/g, text);
      const hasBody = method !== 'GET' && method !== 'DELETE';
      const { status, text: answer } = await context.daemon.call(method, at, {
        json: hasBody ? (json ?? {}) : undefined,
      });
      assert.ok(status < 500, `${method} ${at} ${JSON.stringify(json)}: ${status} ${answer}`);
    }),
    { numRuns: depth({ quick: 100, moderate: 300, full: 20_000 }) },
  );
});

test('wildcards match as in a regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
  const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(patterns, letters, (pattern, text) => {
      const body = text.length > 1 && text.endsWith('.') ? text.slice(0, -1) : text;
      const expression = pattern.replaceAll('*', '[^]*').replaceAll('?', '[^]');
      assert.is(matcherOf(pattern)(text), new RegExp(`^${expression}$`).test(body));
    }),
    { numRuns: depth({ quick: 200, moderate: 1000, full: 20_000 }) },
  );
  assert.is(matcherOf(`${'*a'.repeat(100)}*b`)('a'.repeat(60_000)), false);
});

test.run();
