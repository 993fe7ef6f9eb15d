/** The API contract: accounts, plans, and the counts of an account. */
import * as assert from 'uvu/assert';
import { type Json, listOf } from '../daemon.ts';
import { Client, each, everywhere, type Member, refused, succeeded, type World } from './world.ts';

const ACCOUNTS = '/api/v1/accounts';

async function counts(member: Pick<Member, 'client'>): Promise<unknown[]> {
  const { account } = succeeded(await member.client.get('/api/v1/account')).body;
  return [account.domain_count, account.dns_record_count];
}

const entry = async (world: World, id: number): Promise<Json | undefined> =>
  listOf((await world.admin.get(`${ACCOUNTS}?limit=1000`)).body.accounts).find((row) => Number(row.id) === id);

await everywhere('contract, accounts', (test) => {
  test('GET /api/v1/account: id, username, domain_count, dns_record_count, limits {plan, is_unlimited, max_domains_display}', async ({
    world,
  }) => {
    for (const [plan, limits] of [
      ['free', { plan: 'free', is_unlimited: false, max_domains_display: '10' }],
      ['pro', { plan: 'pro', is_unlimited: false, max_domains_display: '100' }],
      ['unlimited', { plan: 'unlimited', is_unlimited: true, max_domains_display: 'unlimited' }],
    ] as const) {
      const { id, username, client } = await world.member({ plan });
      const { account } = succeeded(await client.get('/api/v1/account')).body;
      const usage = { domain_count: 0, dns_record_count: 0 };
      assert.equal(account, { id, username, email: null, role: 'user', ...usage, limits });
    }
  });

  test('the counts are correct after every kind of write', async ({ world }) => {
    const member = await world.member();
    const { client } = member;
    const zone = await world.zone(client);
    assert.equal(await counts(member), [1, 0]);
    const record = await zone.add('a', 'A', '192.0.2.1');
    await zone.add('a', 'A', '192.0.2.2');
    assert.equal(await counts(member), [1, 2]);
    succeeded(await client.put(`${zone.records}/${record.id}`, { name: 'b', type: 'TXT', content: 'x' }));
    assert.equal(await counts(member), [1, 2]);
    refused(await zone.post('b', 'CNAME', 'x.example.org'), '409 cname_conflict');
    const post = ['c', 'd', 'e'].map((name) => ({ name, type: 'A', content: '192.0.2.1' }));
    const put = [{ id: record.id, name: 'b', type: 'TXT', content: 'y' }];
    const { body } = succeeded(await client.post(`${zone.records}/batch`, { put, post }));
    assert.equal(await counts(member), [1, 5]);
    succeeded(await client.delete(`${zone.records}/${body.created[0].id}`));
    assert.equal(await counts(member), [1, 4]);
    succeeded(await client.upload(zone.zonefile, 'a A 192.0.2.1\na A 192.0.2.1\nb A 192.0.2.1\nb TXT x\n'));
    assert.equal(await counts(member), [1, 3]);
    const other = await world.zone(client);
    await other.add('a', 'A', '192.0.2.1');
    assert.equal(await counts(member), [2, 4]);
    succeeded(await client.delete(zone.path));
    assert.equal(await counts(member), [1, 1]);
    succeeded(await client.delete(other.path));
    assert.equal(await counts(member), [0, 0]);
  });

  test('a domain also counts its records', async ({ world }) => {
    const zone = await world.zone();
    const shown = async () => (await world.user.client.get(zone.path)).body.domain.record_count;
    const { id } = await zone.add('a', 'A', '192.0.2.1');
    assert.is(await shown(), 1);
    succeeded(await world.user.client.upload(zone.zonefile, 'a A 192.0.2.1\nb A 192.0.2.1\n'));
    assert.is(await shown(), 2);
    refused(await world.user.client.delete(`${zone.records}/${id}`), '404 no_such_record');
  });

  test('POST /api/v1/accounts: username, email, password, role, plan, api_enabled', async ({ world }) => {
    const json = {
      username: 'full',
      email: 'full@example.net',
      password: 'full secret',
      role: 'viewer',
      plan: 'pro',
      api_enabled: true,
    };
    const { account } = succeeded(await world.admin.post(ACCOUNTS, json)).body;
    const { password: _, ...shown } = json;
    const { id, created_at, updated_at, ...rest } = account;
    assert.equal(rest, shown);
    assert.equal([/^[1-9]\d*$/.test(JSON.stringify(id)), updated_at], [true, created_at]);
    const least = succeeded(await world.admin.post(ACCOUNTS, { username: 'least', password: 'least secret' })).body
      .account;
    assert.equal([least.email, least.role, least.plan, least.api_enabled], [null, 'user', 'free', true]);
    assert.equal(await entry(world, Number(id)), account);
  });

  test('rejects invalid accounts, each error with its pointer', async ({ world }) => {
    await world.admin.post(ACCOUNTS, { username: 'Taken', email: 'taken@example.net', password: 'taken secret' });
    for (const [more, code, pointer] of [
      [{ username: 'TAKEN' }, '409 username_taken', '/username'],
      [{ username: 'admin' }, '409 username_taken', '/username'],
      [{ email: 'Taken@EXAMPLE.net' }, '409 email_taken', '/email'],
      [{ username: 'a b' }, '422 validation', '/username'],
      [{ username: '' }, '422 validation', '/username'],
      [{ username: 'x'.repeat(64) }, '422 validation', '/username'],
      [{ username: 7 }, '422 validation', '/username'],
      [{ password: 'short' }, '422 validation', '/password'],
      [{ password: 'x'.repeat(1025) }, '422 validation', '/password'],
      [{ password: undefined }, '422 validation', '/password'],
      [{ role: 'root' }, '422 validation', '/role'],
      [{ plan: 'gold' }, '422 invalid_plan', '/plan'],
      [{ plan: 'constructor' }, '422 invalid_plan', '/plan'],
      [{ plan: '__proto__' }, '422 invalid_plan', '/plan'],
      [{ email: 'nowhere' }, '422 validation', '/email'],
      [{ api_enabled: 1 }, '422 validation', '/api_enabled'],
    ] as const)
      refused(await world.admin.post(ACCOUNTS, { username: 'zoe', password: 'long enough', ...more }), code, pointer);
  });

  test('GET /api/v1/accounts/{id} returns what the list has; GET /api/v1/plans', async ({ world }) => {
    const member = await world.member({ plan: 'pro', email: 'single@example.net' });
    const { account } = succeeded(await world.admin.get(`${ACCOUNTS}/${member.id}`)).body;
    assert.equal(account, await entry(world, member.id));
    assert.equal([account.username, account.plan, account.email], [member.username, 'pro', 'single@example.net']);
    for (const id of [Number.MAX_SAFE_INTEGER, 0, 'x'])
      refused(await world.admin.get(`${ACCOUNTS}/${id}`), '404 no_such_account');
    refused(await member.client.get(`${ACCOUNTS}/${member.id}`), '403 forbidden');
    const { plans } = succeeded(await world.admin.get('/api/v1/plans')).body;
    assert.equal(plans, [
      { name: 'free', max_domains: 10 },
      { name: 'pro', max_domains: 100 },
      { name: 'unlimited', max_domains: null },
    ]);
    refused(await member.client.get('/api/v1/plans'), '403 forbidden');
  });

  test('PATCH /api/v1/accounts/{id}: omitted fields keep their values', async ({ world }) => {
    const member = await world.member({ email: 'patch@example.net' });
    const path = `${ACCOUNTS}/${member.id}`;
    const before = await entry(world, member.id);
    for (const [json, field, value] of [
      [{ plan: 'pro' }, 'plan', 'pro'],
      [{ email: null }, 'email', null],
      [{ email: 'new@example.net' }, 'email', 'new@example.net'],
      [{ role: 'viewer' }, 'role', 'viewer'],
      [{ username: 'renamed' }, 'username', 'renamed'],
      [{}, 'plan', 'pro'],
    ] as const)
      assert.is(succeeded(await world.admin.patch(path, json)).body.account[field], value);
    const { updated_at: _, ...after } = (await entry(world, member.id)) ?? {};
    const { updated_at: __, ...old } = before ?? {};
    assert.equal(after, { ...old, plan: 'pro', email: 'new@example.net', role: 'viewer', username: 'renamed' });
    refused(await world.admin.patch(path, { username: 'admin' }), '409 username_taken', '/username');
    refused(await world.admin.patch(path, { plan: 'gold' }), '422 invalid_plan', '/plan');
    refused(await world.admin.patch(`${ACCOUNTS}/9007199254740991`, { plan: 'pro' }), '404 no_such_account');
  });

  test('a new password revokes no tokens, unless `revoke_tokens` is sent with it', async ({ world }) => {
    const boss = await world.member({ role: 'admin' });
    const path = `${ACCOUNTS}/${boss.id}`;
    const login = async (password: string): Promise<Client> => {
      const { body } = succeeded(await world.nobody.post('/api/v1/auth/token', { login: boss.username, password }));
      return new Client(world.daemon, String(body.token));
    };
    const detail = async (): Promise<Json> =>
      listOf(succeeded(await world.admin.get('/api/v1/audit?limit=1')).body.entries)[0].detail;
    const first = await login(boss.password);
    const own = await login(boss.password);
    const { body } = succeeded(await first.post('/api/v1/tokens', { name: 'program' }));
    const program = new Client(world.daemon, String(body.token));
    const key = succeeded(await own.post('/api/v1/tsig-keys', { name: `kept-${boss.id}` })).body;
    const shown = listOf(succeeded(await own.get('/api/v1/tokens')).body.tokens);
    assert.equal(each(shown.slice(-3), 'by_password'), ['true', 'true', 'false']);
    const everyone = [boss.client, first, own, program];

    const setOwn = (password: string, next: string, more: object = {}) =>
      own.put('/api/v1/account/password', { password, new_password: next, ...more });
    succeeded(await setOwn(boss.password, 'another secret'));
    for (const client of everyone) succeeded(await client.get('/api/v1/account'));
    assert.equal(await detail(), { sessions_ended: 0, tokens_revoked: 0 } as never);
    succeeded(await world.admin.patch(path, { password: 'the second secret' }));
    for (const client of everyone) succeeded(await client.get('/api/v1/account'));
    assert.equal([(await detail()).password_changed, (await detail()).tokens_revoked], [true, undefined]);
    succeeded(await world.admin.patch(path, { password: 'a third secret', revoke_tokens: false }));
    for (const client of everyone) succeeded(await client.get('/api/v1/account'));

    // Without a password, nothing is revoked or changed.
    refused(await own.patch(path, { revoke_tokens: true }), '422 validation', '/revoke_tokens');
    refused(await own.patch(path, { plan: 'pro', revoke_tokens: true }), '422 validation', '/revoke_tokens');
    refused(await own.patch(path, { password: 'x', revoke_tokens: true }), '422 validation', '/password');
    for (const client of everyone) succeeded(await client.get('/api/v1/account'));

    succeeded(await setOwn('a third secret', 'a fourth secret', { revoke_tokens: true }));
    assert.equal(await detail(), { sessions_ended: 0, tokens_revoked: 3 } as never);
    for (const client of [boss.client, first, program])
      refused(await client.get('/api/v1/account'), '401 invalid_token');
    // The token of the request and the TSIG key stay valid.
    const keys = listOf(succeeded(await own.get('/api/v1/tsig-keys')).body.tsig_keys);
    assert.equal(each(keys, 'id'), [String(key.id)]);

    // For another account, all tokens are revoked.
    const last = await login('a fourth secret');
    succeeded(await world.admin.patch(path, { password: 'a fifth secret', revoke_tokens: true }));
    for (const client of [own, last]) refused(await client.get('/api/v1/account'), '401 invalid_token');
    assert.is((await detail()).tokens_revoked, 2);
    succeeded(await world.admin.delete(path));
  });

  test('a new password replaces the old one at once', async ({ world }) => {
    const member = await world.member();
    succeeded(await world.admin.patch(`${ACCOUNTS}/${member.id}`, { password: 'another secret' }));
    const login = (password: string) =>
      world.nobody.post('/api/v1/auth/token', { login: member.username, password, name: 'x' });
    refused(await login(member.password), '401 bad_credentials');
    succeeded(await login('another secret'));
  });

  test('api_enabled is effective for the next request', async ({ world }) => {
    const member = await world.member();
    const path = `${ACCOUNTS}/${member.id}`;
    for (let i = 0; i < 3; i++) {
      succeeded(await world.admin.patch(path, { api_enabled: false }));
      refused(await member.client.get('/api/v1/domains'), '403 api_disabled');
      const json = { login: member.username, password: member.password, name: 'x' };
      refused(await world.nobody.post('/api/v1/auth/token', json), '403 api_disabled');
      succeeded(await world.admin.patch(path, { api_enabled: true }));
      succeeded(await member.client.get('/api/v1/domains'));
    }
  });

  test('DELETE /api/v1/accounts/{id}: 409 has_domains; also deletes its tokens', async ({ world }) => {
    const member = await world.member();
    const path = `${ACCOUNTS}/${member.id}`;
    const zone = await world.zone(member.client);
    refused(await world.admin.delete(path), '409 has_domains');
    succeeded(await member.client.delete(zone.path));
    succeeded(await world.admin.delete(path));
    refused(await member.client.get('/api/v1/account'), '401 invalid_token');
    refused(
      await world.nobody.post('/api/v1/auth/token', { login: member.username, password: member.password, name: 'x' }),
      '401 bad_credentials',
    );
    refused(await world.admin.delete(path), '404 no_such_account');
    assert.is(await entry(world, member.id), undefined);
    succeeded(await world.admin.post(ACCOUNTS, { username: member.username, password: 'anew secret' }));
  });

  test('409 last_admin: an active administrator always remains', async ({ world }) => {
    const own = (await world.admin.get('/api/v1/account')).body.account;
    const path = `${ACCOUNTS}/${own.id}`;
    const others = [{ role: 'user' }, { role: 'viewer' }, { api_enabled: false }];
    for (const json of others) refused(await world.admin.patch(path, json), '409 last_admin');
    refused(await world.admin.delete(path), '409 last_admin');
    const off = await world.member({ role: 'admin' });
    succeeded(await world.admin.patch(`${ACCOUNTS}/${off.id}`, { api_enabled: false }));
    refused(await world.admin.delete(path), '409 last_admin');
    // Of two concurrent deletions, one fails.
    const second = await world.member({ role: 'admin' });
    const both = await Promise.all([
      world.admin.patch(`${ACCOUNTS}/${second.id}`, { role: 'user' }),
      second.client.patch(path, { role: 'user' }),
    ]);
    const admins = listOf(
      (
        await new Client(world.daemon, both[0].status === 200 ? world.admin.token : second.client.token).get(
          `${ACCOUNTS}?limit=1000`,
        )
      ).body.accounts,
    ).filter((account) => String(account.role) === 'admin' && Boolean(account.api_enabled));
    assert.is(admins.length, 1);
    succeeded(
      await new Client(world.daemon, both[0].status === 200 ? world.admin.token : second.client.token).patch(path, {
        role: 'admin',
      }),
    );
  });

  test('plans: free has 10 domains; 409 plan_limit, also for concurrent requests', async ({ world }) => {
    const { id, client } = await world.member();
    const create = (i: number) => client.post('/api/v1/domains', { domain: `p${i}.plans.example` });
    const answers = await Promise.all(Array.from({ length: 14 }, (_, i) => create(i)));
    assert.is(answers.filter(({ status }) => status === 200).length, 10);
    for (const answer of answers) if (answer.status !== 200) refused(answer, '409 plan_limit');
    const [domain] = listOf((await client.get('/api/v1/domains')).body.domains);
    succeeded(await client.delete(`/api/v1/domains/${domain.id}`));
    succeeded(await create(20));
    refused(await create(21), '409 plan_limit');
    succeeded(await world.admin.patch(`/api/v1/accounts/${id}`, { plan: 'pro' }));
    succeeded(await create(22));
    // Domains above the limit of a smaller plan stay.
    succeeded(await world.admin.patch(`/api/v1/accounts/${id}`, { plan: 'free' }));
    assert.is(each(listOf((await client.get('/api/v1/domains')).body.domains), 'id').length, 11);
    refused(await create(23), '409 plan_limit');
  });

  test('no response contains a password hash', async ({ world }) => {
    for (const path of [ACCOUNTS, '/api/v1/audit', '/api/v1/account'])
      assert.not.match((await world.admin.get(path)).text, 'argon2');
  });
});
