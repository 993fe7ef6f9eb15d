/**
 * Tokens and TSIG keys that are limited to records, networks and a time: each policy, action and
 * way in has the same outcome, and everything that no policy names is refused.
 */
import { randomBytes } from 'node:crypto';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { isSignedResponse, signRequest } from '../../../core/dns/wire/tsig.ts';
import { TransferAccess } from '../../../core/nameserver/transfer/responder.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { openKeyring } from '../../../core/store/tsig-keys/keyring.ts';
import { add, deleteOne, encodeUpdate, type Section, yxrrset } from '../../support/update-message.ts';
import { type Answer, listOf } from '../daemon.ts';
import { concrete, knownIds } from './routes.ts';
import { sampleOf } from './sample.ts';
import { snapshot } from './store.ts';
import { Client, each, everywhere, outcome, refused, succeeded, type World, type Zone } from './world.ts';

const TOKENS = '/api/v1/tokens';
const KEYS = '/api/v1/tsig-keys';
const HERE = ['127.0.0.0/8', '::1/128'];
const ELSEWHERE = ['198.51.100.0/24', '2001:db8::/32'];
const ACTIONS = ['create', 'update', 'delete', 'read'] as const;
type Action = (typeof ACTIONS)[number];

type Policy = { names?: string[]; types?: string[]; actions?: Action[] };
const ACME: Policy = { names: ['_acme-challenge'], types: ['TXT'] };

/** Tokens by their account and limits, so that each is created once. */
const made = new Map<string, Client>();

async function limited(world: World, client: Client, limits: object): Promise<Client> {
  const id = `${client.token} ${JSON.stringify(limits)}`;
  let token = made.get(id);
  if (token === undefined) {
    const { body } = succeeded(await client.post(TOKENS, { name: 'limited', ...limits }));
    token = new Client(world.daemon, String(body.token));
    made.set(id, token);
  }
  return token;
}

interface Target {
  readonly name: string;
  readonly type: 'A' | 'TXT';
  readonly before: string;
  readonly after: string;
}

const target = (name: string, type: Target['type']): Target =>
  type === 'A' ? { name, type, before: '192.0.2.1', after: '192.0.2.2' } : { name, type, before: '"a"', after: '"b"' };

/** Performs an action with a limited token or key; whether it was allowed. */
type Way = (world: World, zone: Zone, policies: Policy[], action: Action, on: Target, id: number) => Promise<boolean>;

const allowed = (answer: Answer): boolean => {
  if (answer.status >= 400) assert.is(answer.status, 403, answer.text);
  return answer.status < 400;
};

const WAYS: Readonly<Record<string, Way>> = {
  async api(world, zone, policies, action, { name, type, before, after }, id) {
    const client = await limited(world, zone.client, { policies });
    const record = `${zone.records}/${id}`;
    if (action === 'create') return allowed(await client.post(zone.records, { name, type, content: after }));
    if (action === 'update') return allowed(await client.put(record, { name, type, content: after }));
    if (action === 'delete') return allowed(await client.delete(record));
    const answer = await client.get(`${zone.records}?type=${type}`);
    return allowed(answer) && answer.text.includes(JSON.stringify(before).slice(1, -1));
  },
  async batch(world, zone, policies, action, { name, type, after }, id) {
    const client = await limited(world, zone.client, { policies });
    const entry = { name, type, content: after };
    const body = {
      create: { post: [entry] },
      update: { put: [{ id, ...entry }] },
      delete: { delete: [id] },
      read: {},
    }[action];
    if (action === 'read') return allowed(await client.get(`${zone.records}?name=${name}&limit=1`)) && true;
    const preview = await client.post(`${zone.records}/batch?dry_run=true`, body);
    const answer = await client.post(`${zone.records}/batch`, body);
    const faults = listOf(preview.body.preview?.faults ?? []);
    assert.is(preview.status === 403 || faults.length > 0, answer.status === 403, preview.text);
    return allowed(answer);
  },
  async powerdns(world, zone, policies, action, { name, type, before, after }) {
    const { token } = await limited(world, zone.client, { policies });
    const path = `/api/v1/servers/localhost/zones/${zone.domain}.`;
    const headers = { 'x-api-key': String(token), accept: 'application/json' };
    const owner = name === '@' ? `${zone.domain}.` : `${name}.${zone.domain}.`;
    if (action === 'read') {
      const answer = await world.daemon.call('GET', path, { headers, token: null });
      return allowed(answer) && answer.text.includes(JSON.stringify(before).slice(1, -1));
    }
    const contents = { create: [before, after], update: [after], delete: [] }[action];
    const json = {
      rrsets: [
        {
          ...{ name: owner, type, ttl: 300, changetype: contents.length === 0 ? 'DELETE' : 'REPLACE' },
          records: contents.map((content) => ({ content })),
        },
      ],
    };
    return allowed(await world.daemon.call('PATCH', path, { headers, token: null, json }));
  },
  async dnsUpdate(world, zone, policies, action, { name, type, before, after }) {
    const owner = name === '@' ? `${zone.domain}.` : `${name}.${zone.domain}.`;
    if (action === 'read') return true;
    const updates = {
      create: [add(owner, 300, type, after)],
      update: [deleteOne(owner, type, before), add(owner, 300, type, after)],
      delete: [deleteOne(owner, type, before)],
    }[action];
    return (await update(world, zone, { policies }, updates)) === 0;
  },
};

/** The response code of an update that is signed with a new key. */
async function update(
  world: World,
  zone: Zone,
  limits: object,
  updates: readonly Section[],
  prerequisites: readonly Section[] = [],
  address = '192.0.2.7',
): Promise<number> {
  const name = `k${randomBytes(4).toString('hex')}.test`;
  const { body } = succeeded(await zone.client.post(KEYS, { name, scopes: ['dns'], ...limits }));
  const key = {
    ...{ name: parseName(`${name}.`), algorithm: 'hmac-sha256' as const },
    secret: Buffer.from(String(body.secret), 'base64'),
  };
  const now = Math.floor(Date.now() / 1000);
  const message = encodeUpdate({ zone: parseName(`${zone.domain}.`), updates, prerequisites });
  const request = signRequest(message, key, now);
  const cancelled = new AbortController().signal;
  for await (const response of world.daemon.api.update({
    ...{ message: request.message, address, port: 1, transport: 'tcp' as const, cancelled },
  })) {
    assert.ok(isSignedResponse(response, key, request.mac, now), 'the response is signed');
    return response[3] & 15;
  }
  throw new Error('no response');
}

/** Policies, and what they allow at each target. */
const POLICIES: readonly {
  readonly policies: Policy[];
  allows(action: Action, name: string, type: string): boolean;
}[] = [
  { policies: [ACME], allows: (_action, name, type) => name === '_acme-challenge' && type === 'TXT' },
  { policies: [{ names: ['*.dyn'], types: ['A'] }], allows: (_action, name, type) => name === 'h.dyn' && type === 'A' },
  { policies: [{ actions: ['read'] }], allows: (action) => action === 'read' },
  {
    policies: [
      { names: ['@'], actions: ['update'] },
      { types: ['TXT'], actions: ['create', 'read'] },
    ],
    allows: (action, name, type) =>
      action === 'update' ? name === '@' : type === 'TXT' && (action === 'create' || action === 'read'),
  },
  { policies: [{ names: ['*'], actions: ['create', 'update', 'delete'] }], allows: (action) => action !== 'read' },
];
const TARGETS = [target('_acme-challenge', 'TXT'), target('h.dyn', 'A'), target('@', 'TXT'), target('www', 'A')];

await everywhere('contract, policies', (test) => {
  for (const [way, perform] of Object.entries(WAYS))
    test(`${way}: each policy allows its names, types and actions, and nothing else`, async ({ world }) => {
      const { client } = await world.member({ plan: 'unlimited' });
      // The policies are evaluated in one place, so the other ways try some of them.
      for (const { policies, allows } of way === 'api' ? POLICIES : [POLICIES[0], POLICIES[3]])
        for (const on of TARGETS)
          for (const action of ACTIONS) {
            if (action === 'read' && (way === 'batch' || way === 'dnsUpdate')) continue;
            const zone = await world.zone(client);
            const { id } = await zone.add(on.name, on.type, on.before, { ttl: 300 });
            const before = await zone.text();
            const what = `${way}: ${JSON.stringify(policies)} ${action} ${on.name} ${on.type}`;
            const isAllowed = allows(action, on.name, on.type);
            assert.is(await perform(world, zone, policies, action, on, Number(id)), isAllowed, what);
            if (action !== 'read') assert.is((await zone.text()) !== before, isAllowed, what);
            succeeded(await client.delete(zone.path));
          }
    });

  test('every other endpoint refuses a token with policies, also one that allows all records', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client, 'hidden.example.org');
    const record = await zone.add('secret', 'A', '192.0.2.1');
    const ids = { ...(await knownIds(world)), domain_id: zone.id, record_id: String(record.id) };
    const token = await limited(world, client, { policies: [{}] });
    const open = new Set([
      ...['GET /api/v1/domains', 'GET /api/v1/domains/{domain_id}', 'GET /api/v1/changes/{seq}'],
      ...['GET', 'POST'].map((method) => `${method} /api/v1/domains/{domain_id}/records`),
      ...['PUT', 'DELETE'].map((method) => `${method} /api/v1/domains/{domain_id}/records/{record_id}`),
      'POST /api/v1/domains/{domain_id}/records/batch',
    ]);
    const before = snapshot(world.daemon.environment);
    let tried = 0;
    for (const route of world.daemon.api.routes) {
      const endpoint = `${route.method} ${route.path}`;
      if (route.scope === null || open.has(endpoint)) continue;
      const answer = await token.send(route.method, concrete(route.path, ids), sampleOf(route));
      assert.match(outcome(answer), /^403 (token_policy|insufficient_scope|forbidden)$/, `${endpoint}: ${answer.text}`);
      assert.not.match(answer.text, /secret/, endpoint);
      tried++;
    }
    assert.ok(tried > 80, `${tried} endpoints`);
    assert.equal(snapshot(world.daemon.environment), before);
  });

  test('the PowerDNS API refuses a token with policies everywhere but at records', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client);
    const { token } = await limited(world, client, { policies: [{}] });
    const at = `/api/v1/servers/localhost/zones/${zone.domain}.`;
    const call = async (method: string, path: string, json?: object) =>
      (await world.daemon.call(method, path, { token: null, headers: { 'x-api-key': String(token) }, json })).status;
    for (const path of ['/api/v1/servers', '/api/v1/servers/localhost/zones', at])
      assert.is(await call('GET', path), 200);
    for (const path of [
      ...[`${at}/export`, `${at}/metadata`, `${at}/cryptokeys`, '/api/v1/servers/localhost/tsigkeys'],
      ...['/api/v1/servers/localhost/search-data?q=*', '/api/v1/servers/localhost/config'],
    ])
      assert.is(await call('GET', path), 403, path);
    const rrsets = [{ name: `${zone.domain}.`, type: 'SOA', ttl: 300, changetype: 'REPLACE', records: [] }];
    for (const [method, path, json] of [
      ['PUT', at, { soa_edit: 'EPOCH' }],
      ['DELETE', at],
      ['POST', '/api/v1/servers/localhost/zones', { name: 'new.example.', kind: 'Native', rrsets }],
      ['PUT', `${at}/metadata/ALLOW-AXFR-FROM`, { metadata: ['0.0.0.0/0'] }],
      ['POST', `${at}/cryptokeys`, { keytype: 'csk', active: true }],
    ] as const)
      assert.is(await call(method, path, json), 403, `${method} ${path}`);
    // The SOA and the NS of the apex belong to the domain, not to its records.
    const ns = { name: `${zone.domain}.`, type: 'NS', ttl: 3600, changetype: 'REPLACE' };
    assert.is(await call('PATCH', at, { rrsets: [{ ...ns, records: [{ content: 'ns1.example.net.' }] }] }), 403);
  });

  test('lists have the readable records only: whole, in pages, searched, and cached', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client);
    for (const name of ['_acme-challenge', 'www', 'x._acme-challenge']) await zone.add(name, 'TXT', '"text"');
    await zone.add('_acme-challenge', 'CAA', '0 issue "ca.example"');
    const token = await limited(world, client, { policies: [ACME] });
    const names = async (by: Client, query = '') =>
      each(listOf(succeeded(await by.get(zone.records + query)).body.records), 'name').sort();
    const whole = ['_acme-challenge', '_acme-challenge', 'www', 'x._acme-challenge'];
    for (const query of ['', '?limit=10', '?q=text', '?type=TXT', '?name=www']) {
      const all = await names(client, query);
      assert.equal(await names(token, query), all.filter((name) => name === '_acme-challenge').slice(0, 1), query);
      assert.equal(await names(client, query), all);
    }
    assert.equal(await names(client), whole);
    const writes = await limited(world, client, { policies: [{ ...ACME, actions: ['create'] }] });
    refused(await writes.get(zone.records), '403 token_policy');
  });

  test('a record is not proxied, moved or retimed past the policies', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client);
    const { id } = await zone.add('host', 'A', '192.0.2.1', { ttl: 300 });
    await zone.add('host', 'AAAA', '2001:db8::1', { proxied: false });
    const token = await limited(world, client, { policies: [{ names: ['host'], types: ['A'] }] });
    const put = (json: object) =>
      token.put(`${zone.records}/${id}`, { name: 'host', type: 'A', content: '192.0.2.9', ...json });
    refused(await put({ proxied: true }), '403 token_policy');
    refused(await put({ name: 'other' }), '403 token_policy');
    refused(await put({ type: 'TXT', content: '"x"' }), '403 token_policy');
    succeeded(await put({ ttl: 600 }));
    const adds = await limited(world, client, { policies: [{ names: ['host'], actions: ['create'] }] });
    // The TTL of a new record would change that of its RRset.
    refused(
      await adds.post(zone.records, { name: 'host', type: 'A', content: '192.0.2.3', ttl: 60 }),
      '403 token_policy',
    );
    succeeded(await adds.post(zone.records, { name: 'host', type: 'A', content: '192.0.2.3', ttl: 600 }));
    refused(
      await adds.post(zone.records, { name: 'host', type: 'A', content: '192.0.2.4', comment: 'x', proxied: true }),
      '403 token_policy',
    );
  });

  test('an error tells nothing about records that no policy names', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client);
    const { id } = await zone.add('hidden', 'CNAME', 'www.example.net.');
    const token = await limited(world, client, { policies: [ACME] });
    for (const answer of [
      await token.delete(`${zone.records}/${id}`),
      await token.put(`${zone.records}/${id}`, { name: '_acme-challenge', type: 'TXT', content: '"x"' }),
      await token.post(`${zone.records}/batch?dry_run=true`, { delete: [id] }),
      await token.post(zone.records, { name: 'hidden', type: 'A', content: '192.0.2.1' }),
    ]) {
      assert.not.match(answer.text, /hidden|CNAME|example\.net/);
      assert.match(answer.text, /token_policy/);
    }
    refused(await token.post(zone.records, { name: 'www', type: 'TXT', content: '"x"' }), '403 token_policy');
  });

  test('names are relative, absolute, or end with the domain name; *.NAME is below NAME', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client, 'shop.test');
    const may = async (pattern: string, name: string) => {
      const token = await limited(world, client, { policies: [{ names: [pattern] }] });
      const answer = await token.post(zone.records, { name, type: 'TXT', content: JSON.stringify(`${Math.random()}`) });
      return outcome(answer);
    };
    for (const [pattern, name, expected] of [
      ['WWW', 'www', '200'],
      ['www.shop.test', 'www', '200'],
      ['www.shop.test.', 'www', '200'],
      ['www.other.test.', 'www', '403 token_policy'],
      ['@', 'shop.test', '200'],
      ['*.dyn', 'a.b.dyn', '200'],
      ['*.dyn', '*.dyn', '200'],
      ['*.dyn', 'dyn', '403 token_policy'],
      ['*.shop.test', 'www', '200'],
      ['*.shop.test', '@', '403 token_policy'],
      // A relative name, not the whole of a top-level domain.
      ['*.test', 'www', '403 token_policy'],
      ['*.test', 'a.test', '200'],
      ['b\u00fccher', 'xn--bcher-kva', '200'],
      ['\\*', '*', '200'],
      ['\\*', 'www', '403 token_policy'],
    ] as const)
      assert.is(await may(pattern, name), expected, `${pattern} ${name}`);
  });

  test('a token with policies has the scope dns only; limits are shown; faults have pointers', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const make = (json: object) => client.post(TOKENS, { name: 'x', ...json });
    const { body } = succeeded(await make({ policies: [{ names: ['WWW'], types: ['txt'] }], networks: HERE }));
    assert.equal(
      [body.scopes, body.policies, body.networks],
      [['dns'], [{ names: ['www'], types: ['TXT'], actions: null }], HERE],
    );
    for (const scope of ['proxy', 'account', 'account:read', 'packages'])
      refused(await make({ policies: [ACME], scopes: ['dns', scope] }), '422 invalid_scope', '/scopes');
    refused(await make({ networks: HERE, scopes: ['account'] }), '422 invalid_scope', '/scopes');
    assert.equal(succeeded(await make({ networks: HERE })).body.scopes, ['dns', 'proxy', 'packages', 'account:read']);
    refused(await make({ policies: [{ names: ['a..b'] }] }), '422 invalid_name', '/policies/0/names/0');
    refused(await make({ policies: [ACME, { types: ['NOPE'] }] }), '422 invalid_type', '/policies/1/types/0');
    refused(await make({ networks: ['192.0.2.1/24'] }), '422 invalid_prefix', '/networks/0');
    for (const json of [{ policies: [] }, { networks: [] }, { policies: [{ actions: ['write'] }] }])
      assert.match(outcome(await make(json)), /^422 validation$/);
    const [first] = listOf(succeeded(await client.get(`${TOKENS}?sort=-id&limit=1`)).body.tokens);
    assert.equal(first.policies, null);
  });

  test('networks limit tokens of both APIs', async ({ world }) => {
    const { client } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client);
    succeeded(await (await limited(world, client, { networks: HERE })).get(zone.path));
    const token = await limited(world, client, { networks: ELSEWHERE });
    refused(await token.get(zone.path), '403 token_network');
    refused(await token.post(zone.records, { name: 'x', type: 'A', content: '192.0.2.1' }), '403 token_network');
    refused(await token.get('/api/v1/events'), '403 token_network');
    const headers = { 'x-api-key': String(token.token) };
    assert.is((await world.daemon.call('GET', '/api/v1/servers', { token: null, headers })).status, 403);
  });

  test('TSIG keys: networks, expiry, prerequisites, and transfers', async ({ world }) => {
    const { client, id } = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(client);
    await zone.add('www', 'A', '192.0.2.1');
    const change = [add(`_acme-challenge.${zone.domain}.`, 300, 'TXT', '"x"')];
    const REFUSED = 5;
    assert.is(await update(world, zone, { networks: ['192.0.2.0/24'] }, change), 0);
    assert.is(await update(world, zone, { networks: ELSEWHERE }, change), REFUSED);
    const secret = [yxrrset(`www.${zone.domain}.`, 'A')];
    assert.is(await update(world, zone, { policies: [ACME] }, [], secret), REFUSED);
    assert.is(
      await update(world, zone, { policies: [ACME] }, [], [yxrrset(`_acme-challenge.${zone.domain}.`, 'TXT')]),
      0,
    );
    const reader = new StoreReader(world.daemon.environment);
    const find = openKeyring(reader, openSecrets(world.daemon.keyFile));
    const access = new TransferAccess([]);
    const may = async (limits: object, address = '192.0.2.7') => {
      const name = `t${randomBytes(4).toString('hex')}.test`;
      const { body } = succeeded(await client.post(KEYS, { name, ...limits }));
      const apex = parseName(`${zone.domain}.`);
      const [key] = find(parseName(`${name}.`), 'hmac-sha256', apex);
      succeeded(await client.delete(`${KEYS}/${body.id}`));
      return access.allows(reader.domainByApex(apex)!, address, key);
    };
    assert.is(await may({}), true);
    assert.is(await may({ policies: [ACME] }), false);
    assert.is(await may({ policies: [{ actions: ['create'] }] }), false);
    assert.is(await may({ policies: [ACME, { actions: ['read'] }] }), true);
    assert.is(await may({ networks: ['192.0.2.0/24'] }), true);
    assert.is(await may({ networks: ['192.0.2.0/24'] }, '198.51.100.1'), false);
    refused(await client.post(KEYS, { name: 'past.test', expires_at: '2001-01-01 00:00:00' }), '422 invalid_time');
    const short = await limited(world, client, { scopes: ['account', 'dns'], expires_at: '2099-01-01 00:00:00' });
    assert.is(succeeded(await short.post(KEYS, { name: 'short.test' })).body.expires_at, '2099-01-01 00:00:00');
    refused(await short.post(KEYS, { name: 'long.test', expires_at: null }), '422 invalid_time', '/expires_at');
    const row = reader.tsigKeysOf(id).find(({ name }) => name === 'short.test')!;
    assert.is(row.expiresAt, Date.UTC(2099, 0, 1) / 1000);
  });
});
