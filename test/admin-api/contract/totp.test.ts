/** The API contract: one-time codes and recovery codes, and attacks on them. */
import * as assert from 'uvu/assert';
import { write } from '../../../core/journal/draft/draft.ts';
import { type Totp, totps } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { App, STEP } from '../../support/authenticator-app.ts';
import { listOf } from '../daemon.ts';
import { Browser, SESSION, signedIn } from './browser.ts';
import { atStartOfStep, TOTP_PATH, withTotp } from './factors.ts';
import { later, stored } from './store.ts';
import { each, everywhere, type Member, outcome, refused, succeeded, type World } from './world.ts';

const EXCHANGE = '/api/v1/auth/token';
/** Wrong codes until the first lock. */
const FAILURES = 5;

const signIn = (world: World, { username, password }: Member, code?: string, path = SESSION) =>
  world.nobody.post(path, { login: username, password, code });

const rowOf = ({ daemon }: World, { id }: Member): Totp => {
  const row = new StoreReader(daemon.environment).totp(id);
  assert.ok(row !== undefined);
  return row;
};

/** Changes the row, as another node does by the log. */
const change = ({ daemon }: World, row: Totp): Promise<unknown> =>
  write(daemon.environment, daemon.journal, 'another node', (draft) => draft.put(totps, row));

async function lock(world: World, member: Member, app: App): Promise<void> {
  for (let i = 0; i < FAILURES; i++) refused(await signIn(world, member, app.wrong()), '401 bad_code');
}

await everywhere('contract, one-time codes', (test) => {
  atStartOfStep(test);

  test('POST makes a secret, confirm turns it on and returns recovery codes once', async ({ world }) => {
    const member = await world.member();
    const { client, password } = member;
    const off = { enabled: false, confirmed_at: null, recovery_codes_left: 0 };
    assert.equal((await client.get(TOTP_PATH)).body.totp, off);
    const { body, headers } = succeeded(await client.post(TOTP_PATH, { password }));
    assert.is(headers.get('cache-control'), 'no-store');
    assert.match(String(body.secret), /^[A-Z2-7]{32}$/);
    const uri = new URL(String(body.uri));
    assert.equal(
      [uri.protocol, uri.host, uri.pathname, uri.searchParams.get('secret'), uri.searchParams.get('issuer')],
      ['otpauth:', 'totp', `/Waypost:${member.username}`, String(body.secret), 'Waypost'],
    );
    assert.equal((await client.get(TOTP_PATH)).body.totp, off);
    succeeded(await signIn(world, member));
    const app = new App(String(body.secret));
    const confirm = (code: string) => client.post(`${TOTP_PATH}/confirm`, { password, code });
    refused(await confirm(app.wrong()), '403 bad_code', '/code');
    const confirmed = succeeded(await confirm(app.code()));
    const codes = listOf(confirmed.body.recovery_codes).map(String);
    assert.is(new Set(codes).size, 10);
    for (const code of codes) assert.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const { totp } = (await client.get(TOTP_PATH)).body;
    assert.equal([totp.enabled, totp.recovery_codes_left], [true, 10] as never);
    for (const secret of [String(body.secret), ...codes, codes[0].replaceAll('-', '')]) {
      assert.not.ok(stored(world.daemon, secret), 'stored in the clear');
      assert.not.ok((await client.get('/api/v1/audit')).text.includes(secret));
    }
    refused(await client.post(TOTP_PATH, { password }), '409 totp_enabled');
    refused(await confirm(app.code()), '409 totp_enabled');
    assert.equal(each(listOf((await client.get('/api/v1/audit?action=totp')).body.entries), 'action'), [
      'totp.enable',
      'totp.begin',
    ]);
  });

  test('a secret must be confirmed within an hour', async ({ world }) => {
    const { client, password } = await world.member();
    refused(await client.post(`${TOTP_PATH}/confirm`, { password, code: '123456' }), '409 totp_not_begun');
    const { body } = succeeded(await client.post(TOTP_PATH, { password }));
    const app = new App(String(body.secret));
    await later(3601, async () =>
      refused(await client.post(`${TOTP_PATH}/confirm`, { password, code: app.code() }), '409 totp_not_begun'),
    );
  });

  test('sign-in and token exchange need a code: 401 code_required', async ({ world }) => {
    const member = await world.member();
    const { app } = await withTotp(member);
    for (const path of [SESSION, EXCHANGE]) {
      for (const code of [undefined, '', '  ']) {
        const answer = await signIn(world, member, code, path);
        refused(answer, '401 code_required', '/code');
        assert.is(answer.headers.get('set-cookie'), null);
      }
      // Without the password, nothing shows that there is a second factor.
      const wrong = { login: member.username, password: 'wrong', code: app.code() };
      refused(await world.nobody.post(path, wrong), '401 bad_credentials');
    }
    const code = app.code();
    succeeded(await signIn(world, member, `${code.slice(0, 3)} ${code.slice(3)}`));
    const next = app.code(STEP);
    const { body } = succeeded(await signIn(world, member, next, EXCHANGE));
    const [exchanged, session] = listOf((await member.client.get('/api/v1/audit?limit=2')).body.entries);
    assert.equal([exchanged.detail.by, session.detail.by], ['code', 'code'] as never);
    succeeded(await world.nobody.get('/api/v1/account', { authorization: `Bearer ${body.token}` }));
    // Tokens and sessions of before stay valid.
    succeeded(await member.client.get('/api/v1/account'));
  });

  test('a code works once, and so do earlier ones, on every node and for every purpose', async ({ world }) => {
    const member = await world.member();
    const { app } = await withTotp(member);
    // The code that turned it on.
    refused(await signIn(world, member, app.code(-STEP)), '401 bad_code');
    const code = app.code();
    succeeded(await signIn(world, member, code));
    for (const path of [SESSION, EXCHANGE]) refused(await signIn(world, member, code, path), '401 bad_code');
    const { client, password } = member;
    refused(await client.send('DELETE', TOTP_PATH, { json: { password, code } }), '403 bad_code', '/code');
    await later(STEP, async () => {
      // Still within the window of time, but used.
      refused(await signIn(world, member, code), '401 bad_code');
      succeeded(await signIn(world, member, app.code()));
      // Another node has accepted the code of the next step.
      const row = rowOf(world, member);
      await change(world, { ...row, lastStep: row.lastStep + 1 });
      refused(await signIn(world, member, app.code(STEP)), '401 bad_code');
      succeeded(await later(STEP, () => signIn(world, member, app.code(STEP))));
    });
  });

  test('of concurrent sign-ins with one code, one succeeds', async ({ world }) => {
    const member = await world.member();
    const { app, recoveryCodes } = await withTotp(member);
    for (const code of [app.code(), recoveryCodes[0]]) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(world, member, code)));
      assert.equal(answers.map(outcome).sort(), ['200', '401 bad_code', '401 bad_code', '401 bad_code']);
    }
  });

  test('codes of one step before and after are valid, no others', async ({ world }) => {
    const member = await world.member();
    const { app } = await withTotp(member);
    for (const steps of [-3, -2, 2, 3]) refused(await signIn(world, member, app.code(steps * STEP)), '401 bad_code');
    succeeded(await signIn(world, member, app.code(STEP)));
  });

  test('wrong codes lock one-time codes for a growing time', async ({ world }) => {
    const member = await world.member();
    const { app } = await withTotp(member);
    await lock(world, member, app);
    let time = 0;
    for (const seconds of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      await later(time + seconds - 2, async () => {
        const answer = await signIn(world, member, app.code());
        refused(answer, '429 code_locked');
        assert.ok(Number(answer.headers.get('retry-after')) <= 3);
      });
      time += seconds + 1;
      await later(time, async () => refused(await signIn(world, member, app.wrong()), '401 bad_code'));
    }
    await later(time + 3601, async () => {
      succeeded(await signIn(world, member, app.code()));
      // The count begins again.
      for (let i = 1; i < FAILURES; i++) refused(await signIn(world, member, app.wrong()), '401 bad_code');
      succeeded(await signIn(world, member, app.code(STEP)));
    });
    const entries = listOf((await member.client.get('/api/v1/audit?action=account.bad_code')).body.entries);
    assert.is(entries.length, FAILURES + 9 + FAILURES - 1);
    assert.equal(entries[0].actor, {
      ...{ id: member.id, username: member.username, token_id: null, token_name: 'sign-in' },
    });
  });

  test('concurrent wrong codes all count', async ({ world }) => {
    const member = await world.member();
    const { app } = await withTotp(member);
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(world, member, app.wrong())));
    const outcomes = answers.map(outcome);
    assert.is(outcomes.filter((code) => code === '401 bad_code').length, FAILURES);
    assert.is(outcomes.filter((code) => code === '429 code_locked').length, 12 - FAILURES);
  });

  test('a stranger cannot lock out the owner', async ({ world }) => {
    const member = await world.member();
    const { app, recoveryCodes } = await withTotp(member);
    // Without the password, wrong codes do not count.
    for (let i = 0; i < 2 * FAILURES; i++) {
      const json = { login: member.username, password: 'wrong', code: app.wrong() };
      refused(await world.nobody.post(SESSION, json), '401 bad_credentials');
    }
    succeeded(await signIn(world, member, app.code()));
    // With it, a recovery code works during the lock.
    await lock(world, member, app);
    refused(await signIn(world, member, app.code(STEP)), '429 code_locked');
    const browser = new Browser(world);
    await browser.signIn(member, recoveryCodes[0].toUpperCase().replaceAll('-', ' '));
    succeeded(await signIn(world, member, app.code(STEP)));
    // A new password ends the lock.
    await lock(world, member, app);
    const json = { password: member.password, new_password: 'another secret', code: recoveryCodes[1] };
    succeeded(await browser.send('PUT', '/api/v1/account/password', json));
    await later(STEP, async () =>
      succeeded(await signIn(world, { ...member, password: 'another secret' }, app.code(STEP))),
    );
  });

  test('recovery codes work once each; new ones replace them', async ({ world }) => {
    const member = await world.member();
    const { client, password } = member;
    const { app, recoveryCodes } = await withTotp(member);
    succeeded(await signIn(world, member, recoveryCodes[0]));
    refused(await signIn(world, member, recoveryCodes[0]), '401 bad_code');
    succeeded(await signIn(world, member, recoveryCodes[1], EXCHANGE));
    assert.is((await client.get(TOTP_PATH)).body.totp.recovery_codes_left as unknown, 8);
    // Nor do those of another account.
    const other = await withTotp(await world.member());
    refused(await signIn(world, member, other.recoveryCodes[0]), '401 bad_code');
    const renew = (code?: string) => client.post(`${TOTP_PATH}/recovery-codes`, { password, code });
    refused(await renew(), '403 code_required', '/code');
    const { body } = succeeded(await renew(app.code()));
    refused(await signIn(world, member, recoveryCodes[2]), '401 bad_code');
    succeeded(await signIn(world, member, String(listOf(body.recovery_codes)[0])));
    assert.is((await client.get(TOTP_PATH)).body.totp.recovery_codes_left as unknown, 9);
  });

  test('neither a session nor a token changes second factors without password and code', async ({ world }) => {
    const member = await world.member();
    const { password } = member;
    const browser = await signedIn(world, member);
    refused(await browser.send('POST', TOTP_PATH, { password: 'wrong' }), '403 wrong_password', '/password');
    refused(await browser.send('POST', TOTP_PATH, {}), '422 validation', '/password');
    const { app } = await withTotp(member);
    for (const [method, path] of [
      ['DELETE', TOTP_PATH],
      ['POST', `${TOTP_PATH}/recovery-codes`],
      ['POST', '/api/v1/account/passkeys/options'],
    ]) {
      const send = async (changes: object) => {
        const byToken = member.client.send(method, path, { json: changes, host: 'localhost' });
        const { headers } = { headers: { cookie: browser.cookie, 'x-waypost-csrf': browser.csrfToken } };
        const bySession = world.nobody.send(method, path, { json: changes, headers, host: 'localhost' });
        return (await Promise.all([byToken, bySession])).map(outcome);
      };
      assert.equal(await send({ password: 'wrong', code: app.code() }), ['403 wrong_password', '403 wrong_password']);
      assert.equal(await send({ password }), ['403 code_required', '403 code_required']);
      assert.equal(await send({ code: app.code() }), ['422 validation', '422 validation']);
    }
    // Wrong codes count as at sign-in.
    const json = { password, code: app.wrong() };
    for (let i = 0; i < FAILURES; i++) refused(await browser.send('DELETE', TOTP_PATH, json), '403 bad_code', '/code');
    refused(await browser.send('DELETE', TOTP_PATH, json), '429 code_locked');
    await later(40, async () => succeeded(await browser.send('DELETE', TOTP_PATH, { password, code: app.code() })));
    succeeded(await signIn(world, member));
    refused(await browser.send('DELETE', TOTP_PATH, { password }), '409 totp_disabled');
    refused(await browser.send('POST', `${TOTP_PATH}/recovery-codes`, { password }), '409 totp_disabled');
  });

  test('an Idempotency-Key returns no secret again, nor tells whether a password was the same', async ({ world }) => {
    const { client, password } = await world.member();
    const headers = { 'idempotency-key': 'once' };
    const first = succeeded(await client.post(TOTP_PATH, { password }, headers)).body;
    refused(await client.post(TOTP_PATH, { password: 'wrong' }, headers), '403 wrong_password');
    const again = succeeded(await client.post(TOTP_PATH, { password }, headers));
    assert.is(again.headers.get('idempotent-replayed'), null);
    assert.is.not(again.body.secret, first.secret);
  });

  test('tokens need the scope account, viewers a session', async ({ world }) => {
    const member = await world.member();
    const { password } = member;
    for (const scope of ['dns', 'proxy', 'packages', 'account:read']) {
      const client = await world.scoped(member.client, [scope]);
      refused(await client.post(TOTP_PATH, { password }), '403 insufficient_scope');
    }
    const viewer = await world.member({ role: 'viewer' });
    refused(await viewer.client.post(TOTP_PATH, { password: viewer.password }), '403 forbidden');
    const browser = await signedIn(world, viewer);
    succeeded(await browser.send('POST', TOTP_PATH, { password: viewer.password }));
    // Users do not manage those of another account.
    const path = `${TOTP_PATH}?account=${member.id}`;
    refused(await world.admin.send('DELETE', path, { json: { password: 'correct horse' } }), '400 unknown_parameter');
  });

  test('administrators see and remove the second factors of others', async ({ world }) => {
    const member = await world.member();
    const path = `/api/v1/accounts/${member.id}/second-factors`;
    assert.equal((await world.admin.get(path)).body, { ok: true, totp_enabled: false, passkey_count: 0 } as never);
    await withTotp(member);
    assert.equal((await world.admin.get(path)).body, { ok: true, totp_enabled: true, passkey_count: 0 } as never);
    refused(await member.client.delete(path), '403 forbidden');
    succeeded(await world.admin.delete(path));
    succeeded(await signIn(world, member));
    const [entry] = listOf((await world.admin.get('/api/v1/audit?action=account.remove_factors')).body.entries);
    assert.equal([entry.target, entry.detail], [member.id, { totp: true, passkeys: 0 }] as never);
    const own = (await world.admin.get('/api/v1/account')).body.account.id;
    refused(await world.admin.delete(`/api/v1/accounts/${own}/second-factors`), '409 own_account');
  });

  test('a deleted account leaves no second factors', async ({ world }) => {
    const member = await world.member();
    await withTotp(member);
    succeeded(await world.admin.delete(`/api/v1/accounts/${member.id}`));
    assert.is(new StoreReader(world.daemon.environment).totp(member.id), undefined);
  });
});
