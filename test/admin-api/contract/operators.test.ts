/** The API contract: only administrators act for other accounts. */
import * as assert from 'uvu/assert';
import type { Route } from '../../../admin-api/http/route.ts';
import { type Answer, type Json, listOf } from '../daemon.ts';
import { APPS, newId, settled } from '../miniapp/packages/client.ts';
import { packageForm, packageText, UPLOAD } from '../miniapp/packages/package.ts';
import { concrete, writeDocuments } from './routes.ts';
import { sampleOf } from './sample.ts';
import { prepareZone } from './signed.ts';
import { snapshot } from './store.ts';
import { Client, each, everywhere, type Member, outcome, refused, succeeded, type World } from './world.ts';

const DOMAINS = '/api/v1/domains';
const TOKENS = '/api/v1/tokens';
const KEYS = '/api/v1/tsig-keys';
const LISTS = [DOMAINS, TOKENS, KEYS] as const;
/** Needs a certificate, or an uploaded one. */
const CERTIFICATES = /\/proxy\/certificate$/;

const bodyFor = (path: string, name: string): object =>
  path === DOMAINS ? { domain: `${name}.example.net` } : { name: `${name}.key` };

const newest = async (client: Client, query = ''): Promise<Json> =>
  listOf(succeeded(await client.get(`/api/v1/audit?limit=1${query}`)).body.entries)[0];

const domainsOf = async (client: Client, query = ''): Promise<string[]> =>
  each(listOf(succeeded(await client.get(`${DOMAINS}?limit=1000${query}`)).body.domains), 'domain');

const pathsOfDomains = (world: World): Route[] =>
  world.daemon.api.routes.filter(({ path }) => path.includes('{domain_id}') && !CERTIFICATES.test(path));

/** Clients that must not act for other accounts, with the outcome for `?account=`. */
async function others(world: World): Promise<[who: string, client: Client, outcome: string][]> {
  const user = await world.member();
  const viewer = await world.member({ role: 'viewer' });
  const demoted = await world.member({ role: 'admin' });
  succeeded(await world.admin.patch(`/api/v1/accounts/${demoted.id}`, { role: 'user' }));
  const limited = [['dns'], ['dns:read'], ['dns', 'proxy', 'packages'], ['dns', 'proxy', 'account:read']];
  return [
    ['user', user.client, '403 forbidden'],
    ['viewer', viewer.client, '403 forbidden'],
    ['former administrator', demoted.client, '403 forbidden'],
    ...(await Promise.all(
      limited.map(
        async (scopes) =>
          [`administrator with ${scopes}`, await world.scoped(world.admin, scopes), '403 insufficient_scope'] as [
            string,
            Client,
            string,
          ],
      ),
    )),
  ];
}

await everywhere('contract, operators', (test) => {
  test('an administrator lists, searches and creates the domains of an account with ?account=', async ({ world }) => {
    const member = await world.member({ plan: 'unlimited' });
    const query = `&account=${member.id}`;
    await world.zone(member.client, `own-${member.username}.example.net`);
    const domain = `for-${member.username}.example.net`;
    const created = succeeded(await world.admin.post(`${DOMAINS}?account=${member.id}`, { domain })).body;
    assert.is(created.domain.domain, domain);
    const both = [domain, `own-${member.username}.example.net`];
    assert.equal(await domainsOf(member.client), both);
    assert.equal(await domainsOf(world.admin, query), both);
    assert.equal(await domainsOf(world.admin, `${query}&q=own-`), [both[1]]);
    for (const name of both) {
      assert.not((await domainsOf(world.admin)).includes(name), 'only with ?account=');
      assert.not((await domainsOf(world.admin, `&q=${name}`)).includes(name));
    }
    refused(await world.admin.post(`${DOMAINS}?account=${member.id}`, { domain }), '409 zone_exists', '/domain');
    refused(await world.admin.post(DOMAINS, { domain }), '409 zone_exists', '/domain');
  });

  test('the plan of the owner limits the domains', async ({ world }) => {
    const member = await world.member({ plan: 'free' });
    const path = `${DOMAINS}?account=${member.id}`;
    for (let i = 0; i < 10; i++)
      succeeded(await world.admin.post(path, { domain: `p${i}-${member.username}.example.net` }));
    const over = await world.admin.post(path, { domain: `p10-${member.username}.example.net` });
    refused(over, '409 plan_limit');
    assert.match(String(over.body.error.message), /The plan "free" allows 10/);
    const { account } = succeeded(await member.client.get('/api/v1/account')).body;
    assert.is(account.domain_count, 10);
  });

  test('every path of a domain answers an administrator, and the audit log names both', async ({ world }) => {
    const member = await world.member({ plan: 'unlimited' });
    const admin = succeeded(await world.admin.get('/api/v1/account')).body.account;
    let writes = 0;
    for (const route of pathsOfDomains(world)) {
      const zone = await world.zone(member.client);
      const record = await zone.add('www', 'A', '192.0.2.1');
      // Only a proxy with an origin can be turned on.
      succeeded(await member.client.put(`${zone.path}/proxy`, { origin: '1.1.1.1' }));
      const what = `${route.method} ${route.path}`;
      const foreignKey = await prepareZone(world, zone, what);
      const ids = {
        domain_id: zone.id,
        ...(/\{(revision|type)\}/.test(route.path) && (await writeDocuments(member.client, zone.path))),
        seq: zone.created,
        record_id: String(record.id),
        foreign_key_id: String(foreignKey),
      };
      const answer = await world.admin.send(route.method, concrete(route.path, ids), sampleOf(route));
      assert.is(outcome(answer), '200', `${what}: ${answer.text}`);
      if (route.method === 'GET' || route.changes === false) continue;
      writes++;
      for (const entry of [await newest(member.client), await newest(world.admin, `&account=${member.id}`)]) {
        assert.is(entry.request_id, answer.headers.get('x-request-id'), what);
        assert.equal([entry.actor.id, entry.actor.username, entry.account_id], [admin.id, 'admin', member.id], what);
        assert.equal([entry.by_admin, entry.domain], [true, zone.domain], what);
      }
    }
    assert.ok(writes >= 8, `${writes} writes`);
    const zone = await world.zone(member.client);
    const entry = await newest(member.client);
    assert.equal([entry.by_admin, entry.domain], [false, zone.domain]);
  });

  test('other users do not reach the domain of another account, which stays unknown', async ({ world }) => {
    const owner = await world.member();
    const zone = await world.zone(owner.client);
    const record = await zone.add('www', 'A', '192.0.2.1');
    const clients = await others(world);
    const before = snapshot(world.daemon.environment);
    for (const [who, client] of clients)
      for (const route of pathsOfDomains(world)) {
        const what = `${who}: ${route.method} ${route.path}`;
        const send = (id: number | string) =>
          client.send(
            route.method,
            concrete(route.path, { domain_id: id, record_id: String(record.id) }),
            sampleOf(route),
          );
        const answer = await send(zone.id);
        assert.ok(['404 no_such_domain', '403 forbidden', '403 insufficient_scope'].includes(outcome(answer)), what);
        assert.is(outcome(answer), outcome(await send(Number.MAX_SAFE_INTEGER)), what);
        assert.not(answer.text.includes(owner.username), what);
      }
    assert.equal(snapshot(world.daemon.environment), before);
  });

  test('other users do not list or create for another account', async ({ world }) => {
    const owner = await world.member();
    await world.zone(owner.client);
    const clients = await others(world);
    const before = snapshot(world.daemon.environment);
    // An unknown account gets the same response.
    for (const [who, client, expected] of clients)
      for (const path of LISTS)
        for (const id of [owner.id, Number.MAX_SAFE_INTEGER, 'x', ''])
          for (const answer of [
            await client.get(`${path}?account=${id}`),
            await client.post(`${path}?account=${id}`, bodyFor(path, 'stolen')),
          ]) {
            assert.is(outcome(answer), expected, `${who} ${path}: ${answer.text}`);
            assert.not(answer.text.includes(owner.username));
          }
    refused(await owner.client.get(`/api/v1/audit?account=${world.user.id}`), '403 forbidden');
    assert.equal(snapshot(world.daemon.environment), before);
    // The own account may be named.
    for (const path of LISTS) succeeded(await owner.client.get(`${path}?account=${owner.id}`));
    succeeded(await owner.client.get(`/api/v1/audit?account=${owner.id}`));
  });

  test('the scopes of the token hold for an administrator too', async ({ world }) => {
    const owner = await world.member();
    const zone = await world.zone(owner.client);
    const reader = await world.scoped(world.admin, ['dns:read', 'account']);
    succeeded(await reader.get(zone.records));
    refused(await reader.delete(zone.path), '403 insufficient_scope');
    refused(await reader.post(`${DOMAINS}?account=${owner.id}`, { domain: 'x.example.net' }), '403 insufficient_scope');
    const accounts = await world.scoped(world.admin, ['account']);
    refused(await accounts.get(zone.path), '403 insufficient_scope');
    refused(await accounts.get(`${DOMAINS}?account=${owner.id}`), '403 insufficient_scope');
  });

  test('an unknown account is 404 for an administrator, and one that was deleted too', async ({ world }) => {
    const gone = await world.member();
    succeeded(await world.admin.delete(`/api/v1/accounts/${gone.id}`));
    for (const id of [gone.id, Number.MAX_SAFE_INTEGER, 'x', ''])
      for (const path of LISTS) {
        refused(await world.admin.get(`${path}?account=${id}`), '404 no_such_account');
        refused(await world.admin.post(`${path}?account=${id}`, bodyFor(path, 'nowhere')), '404 no_such_account');
      }
    assert.equal(succeeded(await world.admin.get('/api/v1/audit?account=9007199254740991')).body.entries, []);
  });

  test('tokens for an account have its rights at most', async ({ world }) => {
    const create = async (person: Member, more: object = {}) =>
      world.admin.post(`${TOKENS}?account=${person.id}`, { name: 'made', ...more });
    const member = await world.member();
    const { body } = succeeded(await create(member));
    assert.equal(body.scopes, ['dns', 'proxy', 'packages', 'account']);
    const client = new Client(world.daemon, String(body.token));
    assert.is(succeeded(await client.get('/api/v1/account')).body.account.id, member.id);
    refused(await client.get('/api/v1/accounts'), '403 forbidden');
    const entry = await newest(member.client);
    assert.equal([entry.action, entry.account_id, entry.by_admin], ['token.create', member.id, true]);
    const ids = each(listOf(succeeded(await world.admin.get(`${TOKENS}?account=${member.id}`)).body.tokens), 'id');
    assert.ok(ids.includes(String(body.id)));
    refused(await world.user.client.delete(`${TOKENS}/${body.id}`), '404 no_such_token');
    succeeded(await world.admin.delete(`${TOKENS}/${body.id}`));
    refused(await client.get('/api/v1/account'), '401 invalid_token');
    assert.equal((await newest(member.client)).action, 'token.revoke');

    const viewer = await world.member({ role: 'viewer' });
    const reads = ['dns:read', 'proxy:read', 'packages:read', 'account:read'];
    assert.equal(succeeded(await create(viewer)).body.scopes, reads);
    refused(await create(viewer, { scopes: ['dns'] }), '422 invalid_scope', '/scopes');

    const narrow = await world.scoped(world.admin, ['account', 'dns:read']);
    const path = `${TOKENS}?account=${member.id}`;
    assert.equal(succeeded(await narrow.post(path, { name: 'x' })).body.scopes, ['account', 'dns:read']);
    refused(await narrow.post(path, { name: 'x', scopes: ['dns'] }), '422 invalid_scope', '/scopes');
  });

  test('TSIG keys for an account are valid for its own domains only', async ({ world }) => {
    const member = await world.member();
    const zone = await world.zone(member.client);
    const foreign = await world.zone();
    const create = (name: string, domain_ids: readonly number[], query = `?account=${member.id}`) =>
      world.admin.post(`${KEYS}${query}`, { name, domain_ids });
    const { body } = succeeded(await create(`a.${zone.domain}`, [zone.id]));
    const entry = await newest(member.client);
    assert.equal([entry.action, entry.account_id, entry.by_admin], ['tsig.create', member.id, true]);
    assert.equal(each(listOf((await member.client.get(KEYS)).body.tsig_keys), 'id'), [String(body.id)]);
    refused(await create(`b.${zone.domain}`, [zone.id, foreign.id]), '404 no_such_domain');
    refused(await create(`b.${zone.domain}`, [zone.id], ''), '404 no_such_domain');
    refused(await world.user.client.delete(`${KEYS}/${body.id}`), '404 no_such_tsig_key');
    succeeded(await world.admin.delete(`${KEYS}/${body.id}`));
    assert.equal(listOf((await member.client.get(KEYS)).body.tsig_keys), []);
  });

  test('an administrator reads the usage of an account, and its domains name their owner', async ({ world }) => {
    const member = await world.member();
    const zone = await world.zone(member.client);
    const own = succeeded(await member.client.get('/api/v1/account')).body.account;
    assert.equal(succeeded(await world.admin.get(`/api/v1/account?account=${member.id}`)).body.account, own);
    assert.is(succeeded(await world.admin.get(zone.path)).body.domain.account_id, member.id);
    for (const [who, client, expected] of await others(world))
      assert.is(outcome(await client.get(`/api/v1/account?account=${member.id}`)), expected, who);
    refused(await world.admin.get('/api/v1/account?account=x'), '404 no_such_account');
  });

  test('an administrator uploads, publishes and withdraws packages for an account', async ({ world }) => {
    const member = await world.member();
    const id = newId();
    const send = (client: Client, code: number, query = `?account=${member.id}`): Promise<Answer> =>
      client.send('POST', `${UPLOAD}${query}`, packageForm(packageText(id, code)));
    const { upload } = succeeded(await send(world.admin, 1)).body;
    assert.is(upload.account_id, member.id);
    assert.is(listOf(upload.history)[0].by, 'admin');
    const entry = await newest(member.client);
    assert.equal([entry.action, entry.account_id, entry.by_admin], ['package.upload', member.id, true]);
    const apps = (client: Client, query = ''): Promise<Answer> => client.get(`${APPS}?limit=1000${query}`);
    for (const answer of [await apps(member.client), await apps(world.admin, `&account=${member.id}`)])
      assert.equal(each(listOf(succeeded(answer).body.apps), 'app_id'), [id]);
    assert.not(each(listOf(succeeded(await apps(world.admin)).body.apps), 'app_id').includes(id));
    succeeded(await world.admin.get(`${APPS}/${id}`));
    await settled(world.admin, upload);
    // Without the account in the query, the app belongs to another account.
    refused(await send(world.admin, 2, ''), '403 app_taken');
    succeeded(await world.admin.send('POST', `${upload.url}/publish`));
    assert.equal((await newest(member.client)).by_admin, true);
    for (const [who, client] of await others(world)) {
      assert.match(outcome(await client.get(String(upload.url))), /^(404 no_such_upload|403 .*)$/, who);
      assert.match(outcome(await client.get(`${APPS}/${id}`)), /^(404 no_such_app|403 .*)$/, who);
      assert.match(outcome(await client.send('DELETE', String(upload.url))), /^(404 no_such_upload|403 .*)$/, who);
      assert.match(outcome(await send(client, 2)), /^403 (forbidden|insufficient_scope)$/, who);
      assert.match(outcome(await apps(client, `&account=${member.id}`)), /^403 /, who);
    }
    succeeded(await world.admin.delete(String(upload.url)));
    refused(await send(world.admin, 2, '?account=x'), '404 no_such_account');
  });

  test('an Idempotency-Key belongs to one account', async ({ world }) => {
    const first = await world.member();
    const second = await world.member();
    const headers = { 'idempotency-key': `for-${first.id}` };
    const json = { domain: `once-${first.username}.example.net` };
    const created = succeeded(await world.admin.post(`${DOMAINS}?account=${first.id}`, json, headers));
    const again = succeeded(await world.admin.post(`${DOMAINS}?account=${first.id}`, json, headers));
    assert.equal(again.body.domain.id, created.body.domain.id);
    const other = await world.admin.post(`${DOMAINS}?account=${second.id}`, json, headers);
    refused(other, '422 idempotency_key_reused');
    refused(await world.admin.post(DOMAINS, json, headers), '422 idempotency_key_reused');
  });
});
