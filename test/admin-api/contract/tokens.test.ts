/** The API contract: tokens, scopes and roles. */

import * as assert from 'uvu/assert';
import { nowSeconds } from '../../../admin-api/http/time.ts';
import { hashToken } from '../../../admin-api/people/auth/token.ts';
import { TokenUses } from '../../../admin-api/people/auth/token-uses.ts';
import { createLogger } from '../../../core/base/log/index.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { tokens, tokenUses } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { newId } from '../../support/ids.ts';
import { singleNodeTasks } from '../../support/tasks.ts';
import { listOf } from '../daemon.ts';
import { concrete, knownIds } from './routes.ts';
import { later, stored } from './store.ts';
import { Client, each, everywhere, outcome, refused, succeeded } from './world.ts';

const TOKEN = /^wp_[0-9]{16}[0-9a-f]{48}[0-9a-f]{8}$/;
const EXCHANGE = '/api/v1/auth/token';
const TOKENS = '/api/v1/tokens';

await everywhere('contract, tokens', (test) => {
  test('POST /api/v1/auth/token: login (username or e-mail), password, name; ok, token, prefix, user {id, username, role, plan}', async ({
    world,
  }) => {
    const dora = await world.member({ email: 'Dora@example.net' });
    for (const login of [dora.username, dora.username.toUpperCase(), 'dora@EXAMPLE.net']) {
      const answer = succeeded(await world.nobody.post(EXCHANGE, { login, password: dora.password, name: 'laptop' }));
      const { body } = answer;
      assert.equal(Object.keys(body), ['ok', 'token', 'prefix', 'user']);
      assert.equal(body.user, { id: dora.id, username: dora.username, role: 'user', plan: 'free' });
      assert.match(String(body.token), TOKEN);
      assert.ok(String(body.token).startsWith(String(body.prefix)));
      assert.is(answer.headers.get('cache-control'), 'no-store');
      succeeded(await new Client(world.daemon, String(body.token)).get('/api/v1/account'));
    }
    const names = each(listOf((await dora.client.get(TOKENS)).body.tokens), 'name');
    assert.equal(names, ['test', 'laptop', 'laptop', 'laptop']);
  });

  test('all fields are strings; login and password are required', async ({ world }) => {
    const good = { login: 'user', password: 'user secret', name: 'x' };
    for (const field of ['login', 'password', 'name'])
      for (const value of [null, 7, true, ['x'], { x: 1 }])
        refused(await world.nobody.post(EXCHANGE, { ...good, [field]: value }), '422 validation', `/${field}`);
    for (const field of ['login', 'password'])
      refused(await world.nobody.post(EXCHANGE, { ...good, [field]: undefined }), '422 validation', `/${field}`);
    refused(await world.nobody.post(EXCHANGE, { ...good, name: 'two\nlines' }), '422 validation', '/name');
    refused(await world.nobody.post(EXCHANGE, { ...good, name: '' }), '422 validation', '/name');
    refused(await world.nobody.post(EXCHANGE, { ...good, password: 'x'.repeat(5000) }), '422 validation', '/password');
  });

  test('without a name, the label has the date and the address of the client', async ({ world }) => {
    const eve = await world.member();
    succeeded(await world.nobody.post(EXCHANGE, { login: eve.username, password: eve.password }));
    const [, token] = listOf((await eve.client.get(TOKENS)).body.tokens);
    assert.match(String(token.name), /^login \d{4}-\d\d-\d\d \d\d:\d\d:\d\d from 127\.0\.0\.1$/);
    const [entry] = listOf((await eve.client.get('/api/v1/audit?action=token.create')).body.entries);
    assert.is(entry.detail.name, token.name);
  });

  test('an unknown user and a wrong password get the same response', async ({ world }) => {
    const tries = [
      ['user', 'wrong'],
      ['nobody', 'user secret'],
      ['user', ''],
      ['\u0000', 'x'],
    ];
    const errors = [];
    for (const [login, password] of tries) {
      const answer = await world.nobody.post(EXCHANGE, { login, password, name: 'x' });
      refused(answer, '401 bad_credentials');
      errors.push(answer.body.error);
    }
    for (const error of errors) assert.equal(error, errors[0]);
  });

  test('the exchange returns all scopes of the role', async ({ world }) => {
    for (const [role, scopes] of [
      ['admin', ['dns', 'proxy', 'packages', 'account']],
      ['user', ['dns', 'proxy', 'packages', 'account']],
      ['viewer', ['dns:read', 'proxy:read', 'packages:read', 'account:read']],
    ]) {
      const { client } = await world.member({ role });
      assert.equal((await client.get(TOKENS)).body.tokens[0].scopes, scopes);
    }
  });

  test('a token has a prefix, id, secret and checksum: a typing error differs from a revoked token', async ({
    world,
  }) => {
    const { client } = world.user;
    const { body } = await client.post(TOKENS, { name: 'checked' });
    const token = String(body.token);
    assert.match(token, TOKEN);
    assert.is(Number(token.slice(3, 19)), body.id);
    const use = (text: string) => new Client(world.daemon, text).get('/api/v1/account');
    succeeded(await use(token));
    for (let i = 0; i < token.length; i += 3)
      refused(
        await use(token.slice(0, i) + (token[i] === '7' ? '8' : '7') + token.slice(i + 1)),
        '401 malformed_token',
      );
    refused(await use(token.slice(0, -1)), '401 malformed_token');
    refused(await use(token.toUpperCase()), '401 malformed_token');
    succeeded(await client.delete(`${TOKENS}/${body.id}`));
    refused(await use(token), '401 invalid_token');
  });

  test('stored as SHA-256, and never shown again', async ({ world }) => {
    const { body } = await world.user.client.post(TOKENS, { name: 'secret' });
    const token = String(body.token);
    const list = await world.user.client.get(TOKENS);
    const audit = await world.admin.get('/api/v1/audit');
    for (const secret of [token, token.slice(19, 67), hashToken(token)])
      for (const { text } of [list, audit]) assert.not.ok(text.includes(secret));
    assert.ok(stored(world.daemon, hashToken(token)));
    assert.not.ok(stored(world.daemon, token.slice(19, 67)));
    assert.not.ok(world.daemon.logged.some((line) => line.includes(token.slice(19, 67))));
  });

  test('GET /api/v1/tokens: the list; POST with name, scopes, expires_at', async ({ world }) => {
    const { client } = await world.member();
    const json = { name: 'robot', scopes: ['dns', 'account:read', 'dns'], expires_at: '2099-02-28 00:00:00' };
    const { body } = succeeded(await client.post(TOKENS, json));
    assert.equal(Object.keys(body), [
      'ok',
      'token',
      'id',
      'name',
      'prefix',
      'scopes',
      'domains',
      'policies',
      'networks',
      'by_password',
      'created_at',
      'expires_at',
      'last_used_at',
    ]);
    const shown = listOf((await client.get(TOKENS)).body.tokens)[1];
    assert.equal(Object.keys(shown), Object.keys(body).slice(2));
    assert.equal(
      [shown.name, shown.scopes, shown.expires_at],
      ['robot', ['dns', 'account:read'], '2099-02-28 00:00:00'],
    );
    for (const [more, code, pointer] of [
      [{ name: undefined }, 'validation', '/name'],
      [{ name: 'x'.repeat(201) }, 'validation', '/name'],
      [{ scopes: ['root'] }, 'invalid_scope', '/scopes'],
      [{ scopes: ['dns:write'] }, 'invalid_scope', '/scopes'],
      [{ scopes: [] }, 'invalid_scope', '/scopes'],
      [{ domains: [] }, 'validation', '/domains'],
      [{ domains: ['1'] }, 'validation', '/domains/0'],
      [{ domains: [Number.MAX_SAFE_INTEGER] }, 'no_such_domain', '/domains'],
      [{ scopes: 'dns' }, 'validation', '/scopes'],
      [{ scopes: [7] }, 'validation', '/scopes/0'],
      [{ expires_at: '2001-01-01 00:00:00' }, 'invalid_time', '/expires_at'],
      [{ expires_at: '2099-02-30 00:00:00' }, 'invalid_time', '/expires_at'],
      [{ expires_at: '2099-02-28T00:00:00Z' }, 'validation', '/expires_at'],
      [{ expires_at: 4_000_000_000 }, 'validation', '/expires_at'],
    ] as const)
      refused(await client.post(TOKENS, { name: 'x', ...more }), `422 ${code}`, pointer);
    succeeded(await client.post(TOKENS, { name: 'x', expires_at: null }));
  });

  test('a token cannot create one with more scopes', async ({ world }) => {
    const narrow = await world.scoped(world.user.client, ['account', 'dns:read']);
    for (const scope of ['dns', 'proxy', 'proxy:read', 'packages'])
      refused(await narrow.post(TOKENS, { name: 'x', scopes: [scope] }), '422 invalid_scope', '/scopes');
    assert.equal(succeeded(await narrow.post(TOKENS, { name: 'x' })).body.scopes, ['account', 'dns:read']);
    succeeded(await narrow.post(TOKENS, { name: 'x', scopes: ['account:read'] }));
  });

  test('a token cannot create one that expires later', async ({ world }) => {
    const ends = '2098-01-01 00:00:00';
    const { body } = succeeded(await world.user.client.post(TOKENS, { name: 'ends', expires_at: ends }));
    const short = new Client(world.daemon, String(body.token));
    assert.is(succeeded(await short.post(TOKENS, { name: 'x' })).body.expires_at, ends);
    assert.is(succeeded(await short.post(TOKENS, { name: 'x', expires_at: ends })).body.expires_at, ends);
    const earlier = '2097-12-31 23:59:59';
    assert.is(succeeded(await short.post(TOKENS, { name: 'x', expires_at: earlier })).body.expires_at, earlier);
    for (const expires_at of [null, '2098-01-01 00:00:01'])
      refused(await short.post(TOKENS, { name: 'x', expires_at }), '422 invalid_time', '/expires_at');
  });

  test('an expired token is 401 from that second on', async ({ world }) => {
    const expires = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    const { body } = await world.user.client.post(TOKENS, { name: 'short', expires_at: expires });
    const client = new Client(world.daemon, String(body.token));
    succeeded(await client.get('/api/v1/account'));
    succeeded(await later(3590, () => client.get('/api/v1/account')));
    refused(await later(3601, () => client.get('/api/v1/account')), '401 expired_token');
  });

  test('DELETE /api/v1/tokens/{id}: effective for the next request, also for its own token', async ({ world }) => {
    const { client } = await world.member();
    const other = await world.scoped(client, ['dns']);
    const id = Number(String(other.token).slice(3, 19));
    const [, after] = await Promise.all([other.get('/api/v1/domains'), client.delete(`${TOKENS}/${id}`)]);
    succeeded(after);
    refused(await other.get('/api/v1/domains'), '401 invalid_token');
    refused(await client.delete(`${TOKENS}/${id}`), '404 no_such_token');
    succeeded(await client.delete(`${TOKENS}/${Number(String(client.token).slice(3, 19))}`));
    refused(await client.get(TOKENS), '401 invalid_token');
  });

  test('an account has at most 1,000 active tokens', async ({ world }) => {
    const { id: accountId, client } = await world.member();
    const { environment, journal } = world.daemon;
    const row = { accountId, name: 'x', hash: '', scopes: [], createdAt: 0, expiresAt: null };
    await write(environment, journal, 'test', (draft) => {
      for (let i = 0; i < 998; i++) draft.put(tokens, { ...row, id: newId() });
    });
    succeeded(await client.post(TOKENS, { name: 'the last' }));
    assert.is(listOf((await client.get(`${TOKENS}?limit=1000`)).body.tokens).length, 1000);
    refused(await client.post(TOKENS, { name: 'over' }), '409 token_limit');
  });

  test('scopes: each and its :read, against every endpoint', async ({ world }) => {
    const clients = new Map<string, Client>();
    for (const area of ['dns', 'proxy', 'packages', 'account'])
      for (const scope of [area, `${area}:read`]) clients.set(scope, await world.scoped(world.admin, [scope]));
    for (const { method, path, scope, changes } of world.daemon.api.routes) {
      if (scope === null) continue;
      const isRead = method === 'GET' || changes === false;
      for (const [held, client] of clients) {
        // Without a body and with unknown ids, an allowed request fails at these or returns a list.
        const allowed = held === scope || (isRead && held === `${scope}:read`);
        const got = outcome(await client.send(method, concrete(path)));
        if (allowed) assert.not.match(got, /^40[13]/, `${held}: ${method} ${path}`);
        else assert.is(got, '403 insufficient_scope', `${held}: ${method} ${path}`);
      }
    }
  });

  test('a token with only the scope packages cannot access anything else', async ({ world }) => {
    const developer = await world.scoped(world.user.client, ['packages']);
    const ids = await knownIds(world);
    for (const { method, path, scope } of world.daemon.api.routes)
      if (scope !== null && scope !== 'packages')
        assert.match(
          outcome(await developer.send(method, concrete(path, ids))),
          /^403 (insufficient_scope|forbidden)$/,
        );
  });

  test('last_used_at: at once on this node, recorded after 5 minutes, deleted with the token', async ({ world }) => {
    const { client } = await world.member();
    const { body } = await client.post(TOKENS, { name: 'used' });
    const use = new Client(world.daemon, String(body.token));
    const shown = async (by: Client) =>
      listOf((await by.get(TOKENS)).body.tokens).map(({ last_used_at }) => last_used_at);
    assert.is((await shown(client))[1], null);
    succeeded(await use.get('/api/v1/account'));
    assert.match(String((await shown(client))[1]), /^\d{4}-/);
    const reader = new StoreReader(world.daemon.environment);
    const row = await write(world.daemon.environment, world.daemon.journal, 'test', (draft) => {
      const token = draft.token(Number(body.id))!;
      draft.put(tokenUses, { tokenId: token.id, usedAt: 1_000_000_000 });
      return token;
    });
    await world.daemon.restart();
    assert.is((await shown(new Client(world.daemon, use.token)))[1], (await shown(client))[1]);
    succeeded(await client.delete(`${TOKENS}/${row.result.id}`));
    assert.is(reader.tokenUse(row.result.id), undefined);
  });

  test('uses are recorded rarely, in one commit, and not for tokens that are gone', async ({ world }) => {
    const { environment, journal } = world.daemon;
    const reader = new StoreReader(environment);
    const uses = new TokenUses({
      environment,
      journal,
      reader,
      tasks: singleNodeTasks(),
      log: createLogger({ level: 'error', format: 'text', write() {} }),
    });
    const { client } = await world.member();
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) ids.push(Number((await client.post(TOKENS, { name })).body.id));
    for (const id of ids) uses.note(id);
    const before = world.daemon.writes();
    await uses.record(nowSeconds() + 200);
    assert.is(world.daemon.writes(), before);
    succeeded(await client.delete(`${TOKENS}/${ids[2]}`));
    await uses.record(nowSeconds() + 301);
    await uses.record(nowSeconds() + 602);
    assert.is(world.daemon.writes(), before + 2);
    assert.equal(
      ids.map((id) => reader.tokenUse(id)?.usedAt === uses.lastUse(id)),
      [true, true, false],
    );
  });

  test('roles: a viewer can only read, whatever the scopes', async ({ world }) => {
    const viewer = await world.member({ role: 'user' });
    const zone = await world.zone(viewer.client);
    succeeded(await world.admin.patch(`/api/v1/accounts/${viewer.id}`, { role: 'viewer' }));
    const ids = {
      domain_id: zone.id,
      token_id: Number(String(viewer.client.token).slice(3, 19)),
      account_id: viewer.id,
    };
    const head = world.daemon.writes();
    for (const { method, path, scope, admin, changes } of world.daemon.api.routes) {
      if (scope === null) continue;
      const got = outcome(await viewer.client.send(method, concrete(path, ids)));
      if (admin || (method !== 'GET' && changes !== false)) assert.is(got, '403 forbidden', `${method} ${path}`);
      else assert.not.match(got, /^40[13]/, `${method} ${path}`);
    }
    assert.is(world.daemon.writes(), head);
  });

  test('endpoints for administrators reject other roles', async ({ world }) => {
    const ids = await knownIds(world);
    for (const { method, path, admin } of world.daemon.api.routes)
      if (admin) refused(await world.user.client.send(method, concrete(path, ids)), '403 forbidden');
  });
});
