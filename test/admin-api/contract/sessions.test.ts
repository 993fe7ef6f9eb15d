/** The API contract: dashboard sessions, and attacks on them. */

import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { hashToken, mintToken } from '../../../admin-api/people/auth/token.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { type Session, sessions } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { newId } from '../../support/ids.ts';
import { type Answer, type Daemon, listOf } from '../daemon.ts';
import { Browser, CSRF, OVER_TLS, SESSION, SESSIONS, signedIn } from './browser.ts';
import { TIME } from './held.ts';
import { concrete, type Ids, knownIds } from './routes.ts';
import { later, stored } from './store.ts';
import { Client, each, everywhere, outcome, refused, succeeded, type World } from './world.ts';

const TEXT = 'wps_[0-9]{16}[0-9a-f]{56}';
/** The default settings, in seconds. */
const IDLE = 28_800;
const LIFETIME = 604_800;

const idsOf = async (browser: Browser): Promise<string[]> =>
  each(listOf(succeeded(await browser.get(SESSIONS)).body.sessions), 'id');

/** Changes the stored row, as another node does by the log. */
const change = ({ environment, journal }: Daemon, id: number, changed: Partial<Session> | null): Promise<unknown> =>
  write(environment, journal, 'another node', (draft) => {
    const row = draft.session(id);
    assert.ok(row !== undefined);
    if (changed === null) draft.delete(sessions, row);
    else draft.put(sessions, { ...row, ...changed });
  });

async function hasWritten(daemon: Daemon, count: number): Promise<void> {
  for (let i = 0; i < 400 && daemon.writes() < count; i++) await sleep(5);
  assert.is(daemon.writes(), count);
}

/** Sends every request that may change something. */
async function everyWrite(
  { daemon }: World,
  ids: Ids,
  send: (method: string, path: string) => Promise<Answer>,
): Promise<string[]> {
  const outcomes: string[] = [];
  for (const { method, path, scope } of daemon.api.routes)
    if (scope !== null && method !== 'GET') outcomes.push(outcome(await send(method, concrete(path, ids))));
  assert.ok(outcomes.length > 20);
  return [...new Set(outcomes)];
}

await everywhere('contract, sessions', (test) => {
  test('POST /api/v1/session: a cookie, user, csrf_token, seq, expires_at; GET returns the same', async ({ world }) => {
    const member = await world.member();
    const browser = new Browser(world);
    const { body, headers } = await browser.signIn(member);
    assert.equal(Object.keys(body), ['ok', 'user', 'csrf_token', 'seq', 'expires_at']);
    assert.equal(body.user, { id: member.id, username: member.username, role: 'user', plan: 'free' });
    assert.match(String(body.csrf_token), /^[0-9a-f]{64}$/);
    assert.match(String(body.expires_at), TIME);
    assert.is(headers.get('cache-control'), 'no-store');
    const again = succeeded(await browser.get(SESSION));
    assert.equal(again.body, body);
    assert.is(again.headers.get('cache-control'), 'no-store');
    assert.is(again.headers.get('set-cookie'), null);
    refused(await world.nobody.get(SESSION), '401 missing_token');
    refused(await member.client.get(SESSION), '404 no_session');
  });

  test('cookie: HttpOnly, SameSite=Strict, no Domain; __Host- and Secure over TLS', async ({ world }) => {
    const flags = `Path=/; Max-Age=${LIFETIME}; HttpOnly; SameSite=Strict`;
    const plain = (await new Browser(world).signIn(world.user)).headers.get('set-cookie') ?? '';
    assert.match(plain, new RegExp(`^waypost_session=${TEXT}; ${flags}$`));
    const browser = new Browser(world, OVER_TLS);
    const secure = (await browser.signIn(world.user)).headers.get('set-cookie') ?? '';
    assert.match(secure, new RegExp(`^__Host-waypost_session=${TEXT}; ${flags}; Secure$`));
    succeeded(await browser.get('/api/v1/account'));
    const out = succeeded(await browser.send('DELETE', SESSION)).headers.get('set-cookie');
    assert.is(out, '__Host-waypost_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure');
    refused(await browser.get('/api/v1/account'), '401 invalid_session');
  });

  test('the cookie authenticates every endpoint, with the rights of the role', async ({ world }) => {
    const browser = await signedIn(world, world.user);
    const ids = await knownIds(world);
    for (const { method, path, admin, scope } of world.daemon.api.routes) {
      if (method !== 'GET' || scope === null) continue;
      const answer = await browser.get(concrete(path, ids));
      if (admin) refused(answer, '403 forbidden');
      else assert.is(outcome(answer), '200', path);
    }
    const { headers } = await browser.get('/api/v1/domains');
    assert.is(headers.get('cache-control'), 'no-store');
    assert.is(headers.get('cross-origin-resource-policy'), 'same-origin');
    const { body } = succeeded(await browser.send('POST', '/api/v1/domains', { domain: 'cookie.example.net' }));
    const [entry] = listOf((await world.user.client.get('/api/v1/audit?action=domain.create')).body.entries);
    assert.equal(entry.actor, {
      ...{ id: world.user.id, username: 'user' },
      ...{ token_id: null, token_name: 'dashboard session' },
    });
    succeeded(await browser.send('DELETE', `/api/v1/domains/${body.domain.id}`));
    const token = succeeded(await browser.send('POST', '/api/v1/tokens', { name: 'made in the dashboard' })).body;
    assert.equal([token.scopes, token.expires_at], [['dns', 'proxy', 'packages', 'account'], null]);
    const viewer = await signedIn(world, await world.member({ role: 'viewer' }));
    succeeded(await viewer.get('/api/v1/domains'));
    refused(await viewer.send('POST', '/api/v1/domains', { domain: 'viewer.example.net' }), '403 forbidden');
    succeeded(await viewer.send('DELETE', SESSION));
  });

  test('CSRF: a cookie changes nothing without its csrf_token', async ({ world }) => {
    const browser = await signedIn(world, world.user);
    const other = await signedIn(world, world.user);
    assert.is.not(browser.csrfToken, other.csrfToken);
    const ids = await knownIds(world);
    for (const token of ['', 'x', other.csrfToken, browser.csrfToken.toUpperCase(), browser.text, '0'.repeat(64)]) {
      const send = (method: string, path: string) => browser.send(method, path, undefined, { [CSRF]: token });
      assert.equal(await everyWrite(world, ids, send), ['403 csrf'], token);
    }
    const signsOut = (path: string) => path === SESSION || path === SESSIONS;
    const allowed = await everyWrite(world, ids, (method, path) =>
      browser.send(method, signsOut(path) ? `${SESSIONS}/${other.id}` : path),
    );
    assert.not(allowed.includes('403 csrf'));
    // Reads and tokens need none.
    succeeded(await browser.get('/api/v1/account', { [CSRF]: '' }));
    const json = { domain: 'bearer.example.net' };
    const headers = { cookie: browser.cookie };
    succeeded(await world.user.client.send('POST', '/api/v1/domains', { json, headers }));
  });

  test('another site cannot sign a browser in: a form has no JSON content type', async ({ world }) => {
    const body = JSON.stringify({ login: world.user.username, password: world.user.password });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await world.nobody.send('POST', SESSION, { body, headers: { 'content-type': type } });
      refused(answer, '415 unsupported_media_type');
      assert.is(answer.headers.get('set-cookie'), null);
    }
  });

  test('a wrong cookie is 401; neither a token nor a cookie stands for the other', async ({ world }) => {
    const browser = await signedIn(world, world.user);
    const { cookie, text } = browser;
    const use = (value: string) => browser.get('/api/v1/account', { cookie: value });
    succeeded(await use(`first=1; ${cookie}; last="x"`));
    for (let i = 'waypost_session='.length; i < cookie.length; i += 5)
      refused(
        await use(cookie.slice(0, i) + (cookie[i] === '7' ? '8' : '7') + cookie.slice(i + 1)),
        '401 invalid_session',
      );
    for (const value of ['', 'x', text.slice(0, -1), text.toUpperCase(), mintToken(browser.id, 'wps_'), `${text}0`])
      refused(await use(`waypost_session=${value}`), '401 invalid_session');
    refused(await use(`waypost_session=${world.user.client.token}`), '401 invalid_session');
    refused(await use('other=1'), '401 missing_token');
    refused(await new Client(world.daemon, text).get('/api/v1/account'), '401 malformed_token');
    // A token that is sent counts, even if the cookie is valid.
    refused(await browser.get('/api/v1/account', { authorization: 'Bearer x' }), '401 malformed_token');
  });

  test('session fixation: each sign-in has a new secret, and ends the session before', async ({ world }) => {
    const member = await world.member();
    const browser = await signedIn(world, member);
    const planted = browser.cookie;
    await browser.signIn(member);
    assert.is.not(browser.cookie, planted);
    refused(await browser.get('/api/v1/account', { cookie: planted }), '401 invalid_session');
    assert.equal(await idsOf(browser), [String(browser.id)]);
    // A planted text of a session that does not exist is not adopted, nor does it end another's.
    const victim = await world.member();
    for (const text of [mintToken(newId(), 'wps_'), mintToken(browser.id, 'wps_')]) {
      const other = new Browser(world);
      other.cookie = `waypost_session=${text}`;
      await other.signIn(victim);
      assert.is.not(other.text, text);
      refused(await other.get('/api/v1/account', { cookie: `waypost_session=${text}` }), '401 invalid_session');
    }
    succeeded(await browser.get('/api/v1/account'));
    // Over TLS, a neighbouring host cannot set the name with the prefix, so only that counts.
    refused(await browser.get('/api/v1/account', OVER_TLS), '401 missing_token');
  });

  test('a failed sign-in sets no cookie and does not tell whether the account exists', async ({ world }) => {
    const errors = [];
    for (const [login, password] of [
      ['user', 'wrong'],
      ['nobody', 'user secret'],
      ['user', ''],
    ]) {
      const answer = await world.nobody.post(SESSION, { login, password });
      refused(answer, '401 bad_credentials');
      assert.is(answer.headers.get('set-cookie'), null);
      errors.push(answer.body.error);
    }
    for (const error of errors) assert.equal(error, errors[0]);
  });

  test('only the hash of the secret is stored, and neither list nor log has it', async ({ world }) => {
    const browser = await signedIn(world, world.user);
    const secret = browser.text.slice(20, 68);
    assert.ok(stored(world.daemon, hashToken(browser.text)));
    for (const text of [secret, browser.csrfToken]) {
      assert.not.ok(stored(world.daemon, text));
      assert.not.ok(world.daemon.logged.some((line) => line.includes(text)));
      for (const path of [SESSIONS, '/api/v1/audit']) assert.not.ok((await browser.get(path)).text.includes(text));
    }
    assert.not.ok((await browser.get(SESSIONS)).text.includes(hashToken(browser.text)));
    const [entry] = listOf((await browser.get('/api/v1/audit?action=session.create')).body.entries);
    assert.is(entry.target, browser.id);
  });

  test('a session expires without use, and at the latest after its lifetime', async ({ world }) => {
    const unused = await signedIn(world, world.user);
    const used = await signedIn(world, world.user);
    const account = (browser: Browser, seconds: number) => later(seconds, () => browser.get('/api/v1/account'));
    const before = world.daemon.writes();
    succeeded(await account(used, 200));
    assert.is(world.daemon.writes(), before, 'a use is not recorded at once');
    succeeded(await account(used, 400));
    await hasWritten(world.daemon, before + 1);
    succeeded(await account(used, 500));
    refused(await account(unused, IDLE + 1), '401 expired_session');
    succeeded(await account(used, IDLE + 300));
    await hasWritten(world.daemon, before + 2);
    assert.not.ok((await later(IDLE + 300, () => idsOf(used))).includes(String(unused.id)));
    const { createdAt } = storedSession(world.daemon, used.id);
    await change(world.daemon, used.id, { usedAt: createdAt + LIFETIME - 600 });
    const { body } = await later(LIFETIME - 500, () => used.get(SESSION));
    assert.is(Date.parse(`${body.expires_at}Z`.replace(' ', 'T')) / 1000, createdAt + LIFETIME);
    refused(await account(used, LIFETIME + 1), '401 expired_session');
  });

  test('GET /api/v1/sessions: those of the caller; DELETE ends one, or all others', async ({ world }) => {
    const member = await world.member();
    const browsers = [await signedIn(world, member), await signedIn(world, member), await signedIn(world, member)];
    const [first, second, third] = browsers;
    const { body } = succeeded(await first.get(SESSIONS));
    const list = listOf(body.sessions);
    assert.equal(Object.keys(list[0]), [
      ...['id', 'current', 'created_at', 'last_used_at', 'expires_at', 'remote_address', 'user_agent'],
    ]);
    assert.equal(
      each(list, 'id'),
      browsers.map(({ id }) => String(id)),
    );
    assert.equal(each(list, 'current'), ['true', 'false', 'false']);
    assert.equal([list[0].remote_address, list[0].user_agent], ['127.0.0.1', 'node']);
    succeeded(await first.send('DELETE', `${SESSIONS}/${second.id}`));
    refused(await second.get('/api/v1/account'), '401 invalid_session');
    refused(await first.send('DELETE', `${SESSIONS}/${second.id}`), '404 no_such_session');
    assert.is(succeeded(await third.send('DELETE', SESSIONS)).body.ended, 1);
    refused(await first.get('/api/v1/account'), '401 invalid_session');
    succeeded(await third.get('/api/v1/account'));
    // With a token, there is no session that stays.
    assert.is(succeeded(await member.client.delete(SESSIONS)).body.ended, 1);
    refused(await third.get('/api/v1/account'), '401 invalid_session');
  });

  test('the session of another account is unknown, to administrators too', async ({ world }) => {
    const victim = await signedIn(world, world.user);
    const attackers = [
      await signedIn(world, await world.member()),
      await signedIn(world, await world.member({ role: 'admin' })),
      await signedIn(world, await world.member({ role: 'viewer' })),
    ];
    for (const attacker of attackers) {
      refused(await attacker.send('DELETE', `${SESSIONS}/${victim.id}`), '404 no_such_session');
      assert.equal(await idsOf(attacker), [String(attacker.id)]);
      // Their own token does not fit the cookie of another.
      const stolen = { cookie: victim.cookie };
      refused(await attacker.send('DELETE', SESSION, undefined, stolen), '403 csrf');
      assert.is(succeeded(await attacker.send('DELETE', SESSIONS)).body.ended, 0);
    }
    succeeded(await victim.get('/api/v1/account'));
  });

  test('a session that ends on another node is refused by the next request', async ({ world }) => {
    const browser = await signedIn(world, world.user);
    succeeded(await browser.get('/api/v1/account'));
    await change(world.daemon, browser.id, null);
    refused(await browser.get('/api/v1/account'), '401 invalid_session');
  });

  test('a new password ends the sessions of the account, except that of the request', async ({ world }) => {
    const member = await world.member({ role: 'admin' });
    const [own, other] = [await signedIn(world, member), await signedIn(world, member)];
    const stranger = await signedIn(world, world.user);
    const path = `/api/v1/accounts/${member.id}`;
    succeeded(await own.send('PATCH', path, { plan: 'pro' }));
    succeeded(await other.get('/api/v1/account'));
    const passwords = { password: member.password, new_password: 'another secret' };
    succeeded(await own.send('PUT', '/api/v1/account/password', passwords));
    succeeded(await own.get('/api/v1/account'));
    refused(await other.get('/api/v1/account'), '401 invalid_session');
    const [entry] = listOf((await world.admin.get(`/api/v1/audit?account=${member.id}`)).body.entries);
    assert.is(entry.detail.sessions_ended, 1);
    succeeded(await world.admin.patch(path, { password: 'a third secret' }));
    refused(await own.get('/api/v1/account'), '401 invalid_session');
    // Tokens stay valid.
    succeeded(await member.client.get('/api/v1/account'));
    succeeded(await stranger.get('/api/v1/account'));
  });

  test('an account without API access has no sessions; a deleted one neither', async ({ world }) => {
    const member = await world.member();
    const browser = await signedIn(world, member);
    const path = `/api/v1/accounts/${member.id}`;
    succeeded(await world.admin.patch(path, { api_enabled: false }));
    refused(await browser.get('/api/v1/account'), '403 api_disabled');
    const json = { login: member.username, password: member.password };
    refused(await world.nobody.post(SESSION, json), '403 api_disabled');
    succeeded(await world.admin.patch(path, { api_enabled: true }));
    succeeded(await browser.get('/api/v1/account'));
    succeeded(await world.admin.delete(path));
    refused(await browser.get('/api/v1/account'), '401 invalid_session');
    assert.is(new StoreReader(world.daemon.environment).session(browser.id), undefined);
  });

  test('an account has at most 100 sessions: a sign-in ends the least recently used one', async ({ world }) => {
    const member = await world.member();
    const oldest = await signedIn(world, member);
    await change(world.daemon, oldest.id, { usedAt: storedSession(world.daemon, oldest.id).usedAt - 60 });
    const { environment, journal } = world.daemon;
    await write(environment, journal, 'test', (draft) => {
      const row = draft.session(oldest.id)!;
      for (let i = 0; i < 99; i++) draft.put(sessions, { ...row, id: newId(), usedAt: row.usedAt + 30 });
    });
    const latest = await signedIn(world, member);
    refused(await oldest.get('/api/v1/account'), '401 invalid_session');
    assert.is((await idsOf(latest)).length, 100);
  });
});

function storedSession({ environment }: Daemon, id: number): Session {
  const row = new StoreReader(environment).session(id);
  assert.ok(row !== undefined);
  return row;
}

await everywhere(
  'contract, sessions, sign-in limit',
  (test) => {
    test('sign-ins and token exchanges share one limit per login and address', async ({ world }) => {
      const json = { login: 'somebody', password: 'wrong' };
      for (const [path, left] of [
        [SESSION, 2],
        ['/api/v1/auth/token', 1],
        [SESSION, 0],
      ] as const) {
        const answer = await world.nobody.post(path, json);
        refused(answer, '401 bad_credentials');
        assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"login";r=${left};`));
      }
      refused(await world.nobody.post(SESSION, json), '429 too_many_requests');
      refused(await world.nobody.post('/api/v1/auth/token', json), '429 too_many_requests');
      refused(await world.nobody.post(SESSION, { ...json, login: 'another' }), '401 bad_credentials');
    });

    test('each session has its own limit of requests', async ({ world }) => {
      const [first, second] = [await signedIn(world, world.user), await signedIn(world, world.user)];
      for (let i = 0; i < 4; i++) succeeded(await first.get('/api/v1/account'));
      refused(await first.get('/api/v1/account'), '429 too_many_requests');
      succeeded(await second.get('/api/v1/account'));
    });
  },
  { WAYPOST_RATE_LIMIT: '4', WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '3' },
);
