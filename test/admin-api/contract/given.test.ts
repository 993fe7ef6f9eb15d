/**
 * The API contract: the fields that it gives have its types in every state of an object, a new one
 * included. A client that declares them as non-null must be able to read every response.
 */
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { type Json, listOf } from '../daemon.ts';
import { newId, SETTINGS, settled, upload, uploaded } from '../miniapp/packages/client.ts';
import type { Order } from '../miniapp/packages/package.ts';
import { TIME } from './held.ts';
import { everywhere, refused, succeeded, type Zone } from './world.ts';

type Check = (value: unknown) => boolean;
interface Shape {
  readonly [field: string]: Check | Shape;
}

const text: Check = (value) => typeof value === 'string';
const filled: Check = (value) => typeof value === 'string' && value !== '';
const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const id: Check = (value) => count(value) && value !== 0;
const bit: Check = (value) => value === 0 || value === 1;
const port: Check = (value) => id(value) && Number(value) <= 65_535;
const time: Check = (value) => typeof value === 'string' && TIME.test(value);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
/** The contract says when these are null. */
const orNull =
  (work: Check): Check =>
  (value) =>
    value === null || work(value);

const USER: Shape = { id, username: filled, role: oneOf('admin', 'user', 'viewer'), plan: filled };
const EXCHANGE: Shape = { ok: oneOf(true), token: filled, prefix: filled, user: USER };
const ACCOUNT: Shape = {
  id,
  username: filled,
  domain_count: count,
  dns_record_count: count,
  limits: { plan: filled, is_unlimited: flag, max_domains_display: filled },
};
const DOMAIN: Shape = { id, domain: filled };
const RECORD: Shape = { id, name: filled, type: filled, content: filled, ttl: id };
const PROXY: Shape = {
  domain_id: id,
  is_enabled: bit,
  origin_host: text,
  origin_port: port,
  origin_protocol: oneOf('http', 'https'),
  ssl_status: oneOf('none', 'pending', 'active', 'renewing', 'error'),
  ssl_issued_at: orNull(time),
  ssl_expires_at: orNull(time),
  ssl_error: orNull(filled),
};
const APP: Shape = { app_id: filled, audit_status: filled };

function check(value: Json, shape: Shape, at: string): void {
  for (const [field, rule] of Object.entries(shape)) {
    const found: unknown = value[field];
    if (typeof rule === 'function') assert.ok(rule(found), `${at}.${field} is ${JSON.stringify(found)}`);
    else check(found as Json, rule, `${at}.${field}`);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
const CONTENTS: readonly (readonly [type: string, name: string, content: string])[] = [
  ['A', 'a', '192.0.2.1'],
  ['AAAA', 'a', '2001:db8::1'],
  ['CNAME', 'c', 'target.example.org'],
  ['ALIAS', '@', 'target.example.org'],
  ['MX', '@', '10 mail.example.org'],
  ['TXT', '@', '""'],
  ['NS', 'sub', 'ns.example.org'],
  ['SRV', '_sip._tcp', '10 5 5060 sip.example.org'],
  ['CAA', '@', '0 issue ";"'],
];

await everywhere(
  'contract, given types',
  (test) => {
    test('the token exchange and the account, for each role and plan', async ({ world }) => {
      for (const [role, plan] of [
        ['user', 'free'],
        ['user', 'unlimited'],
        ['viewer', 'pro'],
        ['admin', 'unlimited'],
      ]) {
        const { client, username, password } = await world.member({ role, plan });
        const login = { login: username, password, name: 'label' };
        check(succeeded(await world.nobody.post('/api/v1/auth/token', login)).body, EXCHANGE, 'exchange');
        check(succeeded(await client.get('/api/v1/account')).body.account, ACCOUNT, `account, ${role} ${plan}`);
      }
    });

    test('domains: new ones, with records, secondary zones and catalogs', async ({ world }) => {
      const { client } = await world.member({ plan: 'unlimited' });
      assert.equal(succeeded(await client.get('/api/v1/domains')).body.domains, []);
      const bodies = [
        { domain: 'given.example.net' },
        { domain: 'given-secondary.example.net', kind: 'secondary', primaries: [{ address: '1.1.1.1' }] },
        { domain: 'given-catalog.example.net', kind: 'catalog' },
      ];
      for (const body of bodies) {
        const { domain } = succeeded(await client.post('/api/v1/domains', body)).body;
        check(domain, DOMAIN, JSON.stringify(body));
        check(succeeded(await client.get(`/api/v1/domains/${domain.id}`)).body.domain, DOMAIN, body.domain);
        check(succeeded(await client.get(`/api/v1/domains/${domain.id}/proxy`)).body.proxy, PROXY, body.domain);
        for (const record of listOf(succeeded(await client.get(`/api/v1/domains/${domain.id}/records`)).body.records))
          check(record, RECORD, body.domain);
      }
      const domains = listOf(succeeded(await client.get('/api/v1/domains')).body.domains);
      assert.is(domains.length, bodies.length);
      for (const domain of domains) check(domain, DOMAIN, 'listed');
      check(succeeded(await client.get('/api/v1/account')).body.account, ACCOUNT, 'account with domains');
    });

    test('records of each given type: created, replaced and listed', async ({ world }) => {
      const zone = await world.zone();
      for (const [type, name, content] of CONTENTS) {
        const record = await zone.add(name, type, content);
        check(record, RECORD, `created ${type}`);
        const put = await zone.client.put(`${zone.records}/${record.id}`, { name, type, content });
        check(succeeded(put).body.record, RECORD, `replaced ${type}`);
      }
      const records = await zone.list();
      assert.is(records.filter(({ type }) => String(type) !== 'NS').length, CONTENTS.length - 1);
      for (const record of records) check(record, RECORD, `listed ${record.type}`);
    });

    test('the proxy: before set-up, on without an origin, with one, with a certificate, and off', async ({ world }) => {
      const zone: Zone = await world.zone();
      const at = `${zone.path}/proxy`;
      const key = ecKey();
      const own = { certificate: certificate({ name: zone.domain, key, dnsNames: [zone.domain] }) };
      const steps: readonly (readonly [string, () => ReturnType<typeof zone.client.get>])[] = [
        ['before set-up', () => zone.client.get(at)],
        ['settings without an origin', () => zone.client.patch(at, { hsts_max_age: 300 })],
        ['on without an origin', () => zone.client.post(`${at}/toggle`, { enable: true })],
        ['a new order', () => zone.client.post(`${at}/certificate`, {})],
        ['off without an origin', () => zone.client.post(`${at}/toggle`, { enable: false })],
        ['with an origin', () => zone.client.put(at, { origin: '1.1.1.1', port: 8080, protocol: 'http' })],
        ['on with an origin', () => zone.client.post(`${at}/toggle`, { enable: true })],
        ['an uploaded certificate', () => zone.client.put(`${at}/certificate`, { ...own, private_key: pemOfKey(key) })],
        ['an automatic one again', () => zone.client.delete(`${at}/certificate`)],
        ['off', () => zone.client.post(`${at}/toggle`, { enable: false })],
      ];
      for (const [state, step] of steps) {
        check(succeeded(await step()).body.proxy, PROXY, state);
        check(succeeded(await zone.client.get(at)).body.proxy, PROXY, `${state}, read again`);
      }
    });

    test('apps with each status of their audit', async ({ world }) => {
      const { client } = await world.member({ plan: 'unlimited' });
      assert.equal(succeeded(await client.get('/api/dev/apps')).body.apps, []);
      for (const order of ['approve', 'reject', 'review'] as const satisfies readonly Order[])
        await settled(client, await uploaded(client, newId(), 1, order));
      succeeded(await upload(client, newId(), 1, 'slow'));
      const apps = listOf(succeeded(await client.get('/api/dev/apps')).body.apps);
      assert.is(apps.length, 4);
      for (const app of apps) check(app, APP, 'app');
    });

    test('errors have a code, a message and the id of the request', async ({ world }) => {
      const error: Shape = { ok: oneOf(false), error: { code: filled, message: filled }, request_id: filled };
      const zone = await world.zone();
      for (const [answer, expected] of [
        [await zone.client.send('POST', '/api/v1/domains', { body: '{', headers: JSON_TYPE }), '400 malformed_json'],
        [await world.nobody.get('/api/v1/domains'), '401 missing_token'],
        [await zone.client.get('/api/v1/domains/999999999'), '404 no_such_domain'],
        [await zone.client.post('/api/v1/domains', { domain: zone.domain }), '409 zone_exists'],
        [await zone.client.put(`${zone.path}/proxy`, { origin: '10.0.0.1' }), '422 private_origin'],
      ] as const) {
        refused(answer, expected);
        check(answer.body, error, expected);
      }
    });
  },
  SETTINGS,
);
