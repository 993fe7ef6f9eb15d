/** The API contract: operations, with the audit log and the state of changes. */
import * as assert from 'uvu/assert';
import type { Route } from '../../../admin-api/http/route.ts';
import { type Answer, type Json, listOf } from '../daemon.ts';
import { newId, SETTINGS, uploaded } from '../miniapp/packages/client.ts';
import { ACTIONS } from './actions.ts';
import { concrete, type Ids, parametersOf, writeDocuments } from './routes.ts';
import { sampleOf } from './sample.ts';
import { prepareZone } from './signed.ts';
import { pauseDeliveries } from './store.ts';
import { testedWebhook } from './webhook.ts';
import { type Client, each, everywhere, outcome, refused, succeeded, type World } from './world.ts';

/** Need more than the route list describes; proxy.test.ts tests them. */
const CERTIFICATES = /\/proxy\/certificate$/;

/** Need a cookie, a code or a passkey; suites of their own test them. */
const SESSION_PATHS = /^\/api\/v1\/(sessions?|account)(\/|$)/;

/** Writes that need another state of a package or its app. */
const APPROVE = '/api/dev/admin/uploads/{upload_id}/approve';
const REINSTATE = '/api/dev/admin/apps/{app_id}/reinstate';
/** Needs a restored copy. */
const RESUME = '/api/v1/deliveries/resume';
/** Its audit continues after the response, and commits its result. */
const AUDITED = 'POST /api/dev/apps/upload';

/** Objects made so far, whose names differ. */
let made = 0;

/** The objects of a write, created for each. */
async function targets(world: World, client: Client, route: Route): Promise<Ids> {
  const has = (...names: readonly string[]): boolean => parametersOf(route.path).some((name) => names.includes(name));
  const ids: Record<string, string | number> = {};
  if (has('token_id'))
    ids.token_id = String(succeeded(await client.post('/api/v1/tokens', { name: 'a target' })).body.id);
  if (route.path === RESUME) await pauseDeliveries(world.daemon);
  if (has('webhook_id')) Object.assign(ids, await testedWebhook(client));
  if (has('store_key_id')) {
    const [storeKey] = listOf(succeeded(await client.get('/api/store/keys')).body.keys);
    ids.store_key_id = String(storeKey.key_id);
  }
  if (has('key_id'))
    ids.key_id = String(succeeded(await client.post('/api/v1/tsig-keys', { name: `target${++made}` })).body.id);
  if (has('account_id')) {
    const json = { username: `target${++made}`, password: 'target secret' };
    ids.account_id = String(succeeded(await client.post('/api/v1/accounts', json)).body.account.id);
  }
  if (has('app_id', 'upload_id')) {
    const upload = await uploaded(client, newId(), 1, route.path === APPROVE ? 'review' : 'approve');
    Object.assign(ids, { app_id: String(upload.app_id), upload_id: String(upload.id) });
    if (route.path === REINSTATE)
      succeeded(await client.post(`/api/dev/admin/apps/${upload.app_id}/suspend`, { reason: 'a target' }));
  }
  if (has('domain_id')) {
    const zone = await world.zone(client);
    const record = await zone.add('www', 'A', '192.0.2.1');
    // Only a proxy that is on accepts an order.
    succeeded(await client.put(`${zone.path}/proxy`, { origin: '1.1.1.1' }));
    const foreignKey = await prepareZone(world, zone, `${route.method} ${route.path}`);
    if (has('revision', 'type')) Object.assign(ids, await writeDocuments(client, zone.path));
    if (foreignKey !== null) ids.foreign_key_id = String(foreignKey);
    Object.assign(ids, { domain_id: zone.id, seq: zone.created, record_id: String(record.id) });
  }
  return ids;
}

const write = ({ method, path, changes }: Route): boolean =>
  method !== 'GET' && changes !== false && !CERTIFICATES.test(path) && !SESSION_PATHS.test(path);

/** Entries of the audit log that may be those of the last request. */
const NEWEST = 20;

async function entries(world: World, requestId: string | null): Promise<Json[]> {
  return (await world.audit('', NEWEST)).filter((entry) => String(entry.request_id) === requestId);
}

/** Secret texts of a response. */
const secretsOf = ({ body }: Answer): string[] =>
  [body.token, body.secret].filter((secret) => secret !== undefined).map(String);

await everywhere(
  'contract, operations',
  (test) => {
    test('GET /api/v1/audit: for every write endpoint exactly one entry, in the same commit: action, actor, target, revision', async ({
      world,
    }) => {
      const own = (await world.admin.get('/api/v1/account')).body.account;
      for (const route of world.daemon.api.routes.filter(write)) {
        const endpoint = `${route.method} ${route.path}`;
        const ids = await targets(world, world.admin, route);
        const { json, ...sample } = sampleOf(route);
        const login = { login: 'admin', password: 'correct horse', name: 'x' };
        const given = route.path === '/api/v1/auth/token' ? login : json;
        const before = world.daemon.writes();
        const answer = succeeded(
          await world.admin.send(route.method, concrete(route.path, ids), { ...sample, json: given }),
        );
        if (endpoint !== AUDITED) assert.is(world.daemon.writes(), before + 1, `${endpoint}: one commit`);
        const found = await entries(world, answer.headers.get('x-request-id'));
        assert.is(found.length, 1, endpoint);
        const [entry] = found;
        assert.is(entry.action, ACTIONS[endpoint], endpoint);
        assert.is(String(entry.revision), answer.headers.get('x-waypost-revision'), endpoint);
        assert.equal([entry.actor.id, entry.actor.username, entry.account_id], [own.id, 'admin', own.id], endpoint);
        assert.is(entry.remote_address, '127.0.0.1');
        assert.match(JSON.stringify(entry.actor.token_id), /^[1-9]\d*$/);
        if (route.path.includes('{domain_id}')) assert.match(String(entry.domain), /^z\d+\.example\.net$/, endpoint);
        const named =
          Object.values(ids).map(String).includes(String(entry.target)) ||
          JSON.stringify(answer.body).includes(String(entry.target));
        assert.ok(named || route.path.endsWith('/batch'), `${endpoint}: ${entry.target}`);
        const text = JSON.stringify(entry);
        for (const secret of [
          ...secretsOf(answer),
          'correct horse',
          'user secret',
          'argon2',
          String(world.admin.token),
        ])
          assert.not.ok(text.includes(secret), `${endpoint}: ${text}`);
        // A created object must be new the next time.
        if (endpoint === 'POST /api/v1/accounts')
          succeeded(await world.admin.delete(`/api/v1/accounts/${answer.body.account.id}`));
        if (endpoint === 'POST /api/v1/domains' || endpoint === 'POST /api/v1/domains/zonefile')
          succeeded(await world.admin.delete(`/api/v1/domains/${answer.body.domain.id}`));
      }
    });

    test('no audit entry for rejected requests', async ({ world }) => {
      const zone = await world.zone();
      const { client } = world.user;
      const before = (await world.audit()).length;
      const head = world.daemon.writes();
      for (const answer of [
        await zone.post('@', 'CNAME', 'x.example.org'),
        await client.post('/api/v1/domains', { domain: zone.domain }),
        await client.post(zone.records, {}),
        await client.upload(zone.zonefile, 'x'),
        await client.delete(zone.path, { 'if-match': '"1"' }),
        await client.get('/api/v1/accounts'),
        await client.delete(`${zone.records}/9007199254740991`),
        await world.nobody.post('/api/v1/auth/token', { login: 'user', password: 'wrong', name: 'x' }),
      ])
        assert.is.not(outcome(answer), '200');
      assert.equal([(await world.audit()).length, world.daemon.writes()], [before, head]);
    });

    test('the actor of a change: the token and its label, also after its deletion', async ({ world }) => {
      const client = await world.scoped(world.user.client, ['dns']);
      const zone = await world.zone(client);
      const record = await zone.add('a', 'A', '192.0.2.1', { ttl: 60, proxied: false });
      const answer = succeeded(
        await client.put(`${zone.records}/${record.id}`, { name: 'b', type: 'TXT', content: 'x' }),
      );
      const [entry] = await entries(world, answer.headers.get('x-request-id'));
      assert.equal(entry.actor, {
        id: world.user.id,
        username: 'user',
        token_id: Number(String(client.token).slice(3, 19)),
        token_name: 'dns',
      });
      assert.equal([entry.domain, entry.target], [zone.domain, record.id]);
      assert.equal(entry.detail, {
        name: 'b',
        type: 'TXT',
        content: '"x"',
        ttl: 60,
        before: { name: 'a', type: 'A', content: '192.0.2.1', ttl: 60, proxied: false },
      });
      assert.ok(Math.abs(Date.parse(`${entry.at}Z`.replace(' ', 'T')) - Date.now()) < 3_600_000);
    });

    test('newest first; filters domain, action, account_id', async ({ world }) => {
      const member = await world.member();
      const zone = await world.zone(member.client);
      await zone.add('a', 'A', '192.0.2.1');
      succeeded(await member.client.delete(zone.path));
      const actions = async (client: Client, query: string) =>
        each(listOf(succeeded(await client.get(`/api/v1/audit?${query}`)).body.entries), 'action');
      assert.equal(await actions(member.client, ''), [
        'domain.delete',
        'record.create',
        'domain.create',
        'token.create',
      ]);
      assert.equal(await actions(member.client, `domain=${zone.domain.toUpperCase()}.`), [
        'domain.delete',
        'record.create',
        'domain.create',
      ]);
      assert.equal(await actions(member.client, 'action=domain'), ['domain.delete', 'domain.create']);
      assert.equal(await actions(member.client, 'action=domain.create'), ['domain.create']);
      assert.equal(await actions(member.client, 'action=dom'), []);
      assert.equal(await actions(member.client, `domain=${zone.domain}&action=record`), ['record.create']);
      assert.equal(await actions(world.admin, `account_id=${member.id}&action=record`), ['record.create']);
      assert.equal(await actions(world.admin, 'account_id=x'), []);
    });

    test('changes of an account by administrators are in their own audit log', async ({ world }) => {
      const member = await world.member();
      succeeded(await world.admin.patch(`/api/v1/accounts/${member.id}`, { plan: 'pro' }));
      const [entry] = listOf((await world.admin.get(`/api/v1/audit?action=account&limit=1`)).body.entries);
      assert.equal([entry.action, entry.target, entry.detail.plan], ['account.update', member.id, 'pro']);
    });

    test('GET /api/v1/changes/{seq}: {seq, applied: [node], pending: [node]}', async ({ world }) => {
      const zone = await world.zone();
      const seq = (await zone.post('a', 'A', '192.0.2.1')).headers.get('x-waypost-revision');
      const { node } = (await world.nobody.get('/healthz')).body;
      assert.equal((await world.user.client.get(`/api/v1/changes/${seq}`)).body, {
        ok: true,
        seq: Number(seq),
        applied: [node],
        pending: [],
      });
      succeeded(await world.user.client.get('/api/v1/changes/1'));
      for (const other of [Number(seq) + 1, 0, -1, 'x', '1.5', '1e2', '9'.repeat(40)])
        refused(await world.user.client.get(`/api/v1/changes/${other}`), '404 no_such_change');
    });

    test('GET /healthz (liveness), /readyz (applied, listening)', async ({ world }) => {
      for (const path of ['/healthz', '/readyz']) {
        const { body } = succeeded(await world.nobody.get(path));
        assert.equal([body.ok, typeof body.node], [true, 'string']);
      }
    });

    test('GET /metrics (Prometheus)', async ({ world }) => {
      const { headers, text } = succeeded(await world.nobody.get('/metrics'));
      assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      assert.match(text, /^# HELP waypost_/m);
      for (const header of ['forwarded', 'x-forwarded-for', 'via'])
        refused(await world.nobody.get('/metrics', { [header]: '192.0.2.1' }), '401 missing_token');
      refused(await world.user.client.get('/metrics', { via: 'x' }), '403 forbidden');
      succeeded(await world.admin.get('/metrics', { via: 'x' }));
    });

    test('GET /api/v1/openapi.json: OpenAPI 3.1, with every endpoint', async ({ world }) => {
      const { body } = succeeded(await world.nobody.get('/api/v1/openapi.json'));
      assert.match(String(body.openapi), /^3\.1\.\d$/);
      for (const { method, path } of world.daemon.api.routes)
        assert.ok(body.paths[path][method.toLowerCase()] !== undefined, path);
    });
  },
  SETTINGS,
);
