import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Passwords } from '../../../../admin-api/people/auth/password.ts';
import { hashToken, matchesHash, mintToken, tokenId } from '../../../../admin-api/people/auth/token.ts';
import { type Daemon, listOf, PASSWORD, startDaemon } from '../../daemon.ts';

const test = suite<{ daemon: Daemon }>('auth');
test.before(async (context) => {
  context.daemon = await startDaemon();
});
test.after(({ daemon }) => daemon.stop());

test('a token contains its id and detects typing errors', () => {
  const token = mintToken(1234);
  assert.is(tokenId(token), 1234);
  for (let i = 0; i < token.length; i++) {
    const typo = token.slice(0, i) + (token[i] === '7' ? '8' : '7') + token.slice(i + 1);
    assert.is(tokenId(typo), undefined, typo);
  }
  assert.is(tokenId(token.slice(0, -1)), undefined);
  assert.ok(matchesHash(token, hashToken(token)));
  assert.not.ok(matchesHash(token, hashToken(`${token}x`)));
  assert.not.ok(matchesHash(token, ''));
});

test('a password is hashed at the cost that OWASP recommends, unless a test wants less', async () => {
  assert.match(
    await new Passwords().hash('secret', { account: '', network: '' }),
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
  );
});

test('exchanges a password for a token, by username or e-mail in any case', async ({ daemon }) => {
  await daemon.account('dora', { email: 'Dora@example.net' });
  for (const login of ['dora', 'DORA', 'dora@EXAMPLE.net']) {
    const json = { login, password: 'dora secret', name: 'laptop' };
    const { status, body, headers } = await daemon.call('POST', '/api/v1/auth/token', { token: null, json });
    assert.is(status, 200);
    assert.equal(Object.keys(body), ['ok', 'token', 'prefix', 'user']);
    assert.ok(String(body.token).startsWith(String(body.prefix)));
    assert.is(body.user.username, 'dora');
    assert.is(body.user.plan, 'free');
    assert.is(body.user.role, 'user');
    assert.match(headers.get('x-waypost-revision') ?? '', /^\d+$/);
  }
});

test('an exchange gives no more scopes than it names, and the expiry', async ({ daemon }) => {
  await daemon.account('emil');
  const exchange = (more: object) =>
    daemon.call('POST', '/api/v1/auth/token', {
      token: null,
      json: { login: 'emil', password: 'emil secret', ...more },
    });
  const { body } = await exchange({ scopes: ['account', 'dns:read'], expires_at: '2099-01-01 00:00:00' });
  const { body: listed } = await daemon.call('GET', '/api/v1/tokens', { token: String(body.token) });
  const made = listOf(listed.tokens).find(({ prefix }) => prefix === body.prefix);
  assert.equal([made?.scopes, made?.expires_at] as unknown, [['account', 'dns:read'], '2099-01-01 00:00:00']);
  for (const [more, code] of [
    [{ scopes: ['root'] }, 'invalid_scope'],
    [{ scopes: [] }, 'invalid_scope'],
    [{ expires_at: '2001-01-01 00:00:00' }, 'invalid_time'],
  ] as const) {
    const { status, body: refusal } = await exchange(more);
    assert.equal([status, refusal.error.code] as unknown, [422, code]);
  }
});

test('rejects wrong credentials alike, whether the account exists or not', async ({ daemon }) => {
  const answers = [];
  for (const [login, password] of [
    ['admin', 'wrong'],
    ['nobody', PASSWORD],
    ['admin', ''],
  ]) {
    const json = { login, password, name: 'x' };
    answers.push(await daemon.call('POST', '/api/v1/auth/token', { token: null, json }));
  }
  for (const { status, body } of answers) {
    assert.is(status, 401);
    assert.equal(body.error, answers[0].body.error);
  }
});

const BAD_BODIES: readonly (readonly [body: unknown, status: number, pointer: string | undefined])[] = [
  [{ password: 'x', name: 'x' }, 422, '/login'],
  [{ login: 7, password: 'x', name: 'x' }, 422, '/login'],
  [{ login: 'a', password: ['x'], name: 'x' }, 422, '/password'],
  [{ login: 'a', password: 'x', name: '' }, 422, '/name'],
  [{ login: '', password: 'x', name: 'x' }, 422, '/login'],
  [[], 400, ''],
  ['text', 400, ''],
  [null, 400, ''],
];

for (const [json, status, pointer] of BAD_BODIES)
  test(`rejects the body ${JSON.stringify(json)}`, async ({ daemon }) => {
    const answer = await daemon.call('POST', '/api/v1/auth/token', { token: null, json });
    assert.is(answer.status, status);
    assert.is(answer.body.error.pointer, pointer);
    assert.is(answer.body.ok, false);
    assert.is(answer.body.request_id, answer.headers.get('x-request-id'));
  });

const BAD_HEADERS: readonly (readonly [header: string | null, code: string])[] = [
  [null, 'missing_token'],
  ['Bearer', 'malformed_token'],
  ['Bearer x', 'malformed_token'],
  ['Basic YTpi', 'malformed_token'],
  [`Bearer ${'x'.repeat(2000)}`, 'malformed_token'],
  [`Bearer ${mintToken(1234)}`, 'invalid_token'],
];

for (const [header, code] of BAD_HEADERS)
  test(`rejects the header ${header?.slice(0, 20)}`, async ({ daemon }) => {
    const headers: Record<string, string> = header === null ? {} : { authorization: header };
    const answer = await daemon.call('GET', '/api/v1/account', { token: null, headers });
    assert.is(answer.status, 401);
    assert.is(answer.body.error.code, code);
    assert.is(answer.headers.get('www-authenticate'), 'Bearer');
  });

test('a token with the id of another token but a wrong secret is invalid', async ({ daemon }) => {
  const forged = mintToken(tokenId(daemon.adminToken) ?? 0);
  assert.is((await daemon.call('GET', '/api/v1/account', { token: forged })).body.error.code, 'invalid_token');
});

test('lists and revokes tokens, and creates tokens with fewer scopes', async ({ daemon }) => {
  const { token } = await daemon.account('tom');
  const made = await daemon.call('POST', '/api/v1/tokens', { token, json: { name: 'ro', scopes: ['dns:read'] } });
  assert.is(made.status, 200);
  const narrow = String(made.body.token);
  const listed = await daemon.call('GET', '/api/v1/tokens', { token });
  assert.equal(
    listOf(listed.body.tokens).map((entry) => String(entry.name)),
    ['test', 'ro'],
  );
  assert.not.match(listed.text, narrow);
  assert.not.match(listed.text, hashToken(narrow));

  assert.is((await daemon.call('GET', '/api/v1/domains', { token: narrow })).status, 200);
  const json = { domain: 'tom.example.org' };
  assert.is(
    (await daemon.call('POST', '/api/v1/domains', { token: narrow, json })).body.error.code,
    'insufficient_scope',
  );
  assert.is((await daemon.call('GET', '/api/v1/account', { token: narrow })).status, 403);
  const more = { name: 'x', scopes: ['dns'] };
  assert.is((await daemon.call('POST', '/api/v1/tokens', { token: narrow, json: more })).status, 403);

  assert.is((await daemon.call('DELETE', `/api/v1/tokens/${made.body.id}`, { token })).status, 200);
  assert.is((await daemon.call('GET', '/api/v1/domains', { token: narrow })).status, 401);
  assert.is((await daemon.call('DELETE', `/api/v1/tokens/${made.body.id}`, { token })).status, 404);
});

test('a token cannot create one with more or unknown scopes', async ({ daemon }) => {
  const { token } = await daemon.account('tina');
  const create = (json: object, by = token) => daemon.call('POST', '/api/v1/tokens', { token: by, json });
  const made = await create({ name: 'a', scopes: ['account', 'dns:read'] });
  const own = String(made.body.token);
  assert.is((await create({ name: 'b', scopes: ['dns'] }, own)).body.error.pointer, '/scopes');
  assert.is((await create({ name: 'b', scopes: ['root'] })).body.error.code, 'invalid_scope');
  assert.is((await create({ name: 'b', scopes: [] })).status, 422);
  assert.is((await create({ name: 'b', expires_at: '2001-01-01 00:00:00' })).body.error.pointer, '/expires_at');
  assert.is((await create({ name: 'b', expires_at: '2099-02-30 00:00:00' })).status, 422);
  assert.is(
    (await create({ name: 'b', expires_at: '2099-02-28 00:00:00' })).body.expires_at,
    '2099-02-28 00:00:00' as never,
  );
});

test('a token of another account cannot be revoked', async ({ daemon }) => {
  const { token } = await daemon.account('uwe');
  const { status } = await daemon.call('DELETE', `/api/v1/tokens/${tokenId(daemon.adminToken)}`, { token });
  assert.is(status, 404);
});

test('a viewer can read but not write', async ({ daemon }) => {
  const { token } = await daemon.account('vera', { role: 'viewer' });
  assert.is((await daemon.call('GET', '/api/v1/domains', { token })).status, 200);
  const json = { domain: 'vera.example.org' };
  assert.is((await daemon.call('POST', '/api/v1/domains', { token, json })).status, 403);
});

test('API access can be turned off', async ({ daemon }) => {
  const json = { username: 'walt', password: 'walt secret', api_enabled: false };
  assert.is((await daemon.call('POST', '/api/v1/accounts', { json })).status, 200);
  const login = { login: 'walt', password: 'walt secret', name: 'x' };
  const answer = await daemon.call('POST', '/api/v1/auth/token', { token: null, json: login });
  assert.equal([answer.status, String(answer.body.error.code)], [403, 'api_disabled']);
});

test('only administrators can list and create accounts', async ({ daemon }) => {
  const { token } = await daemon.account('xena');
  const json = { username: 'yuri', password: 'yuri secret' };
  assert.is((await daemon.call('GET', '/api/v1/accounts', { token })).status, 403);
  assert.is((await daemon.call('POST', '/api/v1/accounts', { token, json })).status, 403);
  const all = await daemon.call('GET', '/api/v1/accounts?limit=2');
  assert.is(listOf(all.body.accounts).length, 2);
  assert.not.match(all.text, 'argon2');
  const rest = await daemon.call('GET', `/api/v1/accounts?cursor=${all.body.next_cursor}`);
  assert.ok(listOf(rest.body.accounts).every((account) => account.id > all.body.accounts[1].id));
});

const BAD_ACCOUNTS: readonly (readonly [more: object, status: number, pointer: string])[] = [
  [{ username: 'admin' }, 409, '/username'],
  [{ username: 'ADMIN' }, 409, '/username'],
  [{ username: 'a b' }, 422, '/username'],
  [{ password: 'short' }, 422, '/password'],
  [{ role: 'root' }, 422, '/role'],
  [{ plan: 'gold' }, 422, '/plan'],
  [{ plan: 'constructor' }, 422, '/plan'],
  [{ email: 'nowhere' }, 422, '/email'],
];

for (const [more, status, pointer] of BAD_ACCOUNTS)
  test(`rejects the account ${JSON.stringify(more)}`, async ({ daemon }) => {
    const json = { username: 'zoe', password: 'long enough', ...more };
    const answer = await daemon.call('POST', '/api/v1/accounts', { json });
    assert.equal([answer.status, String(answer.body.error.pointer)], [status, pointer]);
  });

test('counts domains and records of the account', async ({ daemon }) => {
  const { token } = await daemon.account('carl', { plan: 'pro' });
  const { body } = await daemon.call('POST', '/api/v1/domains', { token, json: { domain: 'carl.example.org' } });
  const json = { name: '@', type: 'A', content: '192.0.2.1' };
  await daemon.call('POST', `/api/v1/domains/${body.domain.id}/records`, { token, json });
  const { account } = (await daemon.call('GET', '/api/v1/account', { token })).body;
  assert.equal([Number(account.domain_count), Number(account.dns_record_count)], [1, 1]);
  assert.equal({ ...account.limits } as object, { plan: 'pro', is_unlimited: false, max_domains_display: '100' });
});

test.run();

const limits = suite('rate limits');

limits('logins are limited for each login and address', async () => {
  const daemon = await startDaemon('auto', { WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '3', WAYPOST_RATE_LIMIT: '2' });
  try {
    const attempt = (login: string) =>
      daemon.call('POST', '/api/v1/auth/token', { token: null, json: { login, password: 'wrong', name: 'x' } });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await attempt('somebody')).status);
    assert.equal(statuses, [401, 401, 401, 429]);
    assert.is((await attempt('SomeBody')).status, 429);
    assert.is((await attempt('another')).status, 401);

    const first = await daemon.call('GET', '/api/v1/account');
    assert.is(first.headers.get('ratelimit-policy'), '"default";q=2;w=300');
    assert.match(first.headers.get('ratelimit') ?? '', /^"default";r=1;t=\d+$/);
    await daemon.call('GET', '/api/v1/account');
    const third = await daemon.call('GET', '/api/v1/account');
    assert.is(third.status, 429);
    assert.is(third.body.error.code, 'too_many_requests' as never);
    assert.ok(Number(third.headers.get('retry-after')) >= 1);
    assert.match(third.headers.get('ratelimit') ?? '', /r=0/);
  } finally {
    await daemon.stop();
  }
});

limits.run();
