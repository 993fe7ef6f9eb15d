/** The API contract: the own password and e-mail address. */
import * as assert from 'uvu/assert';
import { listOf } from '../daemon.ts';
import { Browser, SESSION, signedIn } from './browser.ts';
import { atStartOfStep, withTotp } from './factors.ts';
import { everywhere, refused, succeeded } from './world.ts';

const PASSWORD = '/api/v1/account/password';
const ACCOUNT = '/api/v1/account';

await everywhere('contract, own account', (test) => {
  atStartOfStep(test);

  test('PUT /api/v1/account/password ends the other sessions; tokens stay valid', async ({ world }) => {
    const member = await world.member();
    const { password, username } = member;
    const [own, other] = [await signedIn(world, member), await signedIn(world, member)];
    refused(
      await own.send('PUT', PASSWORD, { password: 'wrong', new_password: 'another secret' }),
      '403 wrong_password',
      '/password',
    );
    refused(await own.send('PUT', PASSWORD, { password, new_password: 'short' }), '422 validation', '/new_password');
    refused(await own.send('PUT', PASSWORD, { new_password: 'another secret' }), '422 validation', '/password');
    const { body } = succeeded(await own.send('PUT', PASSWORD, { password, new_password: 'another secret' }));
    assert.equal(body, { ok: true, sessions_ended: 1, tokens_revoked: 0 } as never);
    succeeded(await own.get(ACCOUNT));
    succeeded(await member.client.get(ACCOUNT));
    refused(await other.get(ACCOUNT), '401 invalid_session');
    refused(await world.nobody.post(SESSION, { login: username, password }), '401 bad_credentials');
    succeeded(await world.nobody.post(SESSION, { login: username, password: 'another secret' }));
    const [entry] = listOf((await member.client.get('/api/v1/audit?action=account.password')).body.entries);
    assert.equal(entry.detail, { sessions_ended: 1, tokens_revoked: 0 } as never);
    assert.not.ok(JSON.stringify(entry).includes('secret'));
  });

  test('revoke_tokens revokes all tokens except that of the request', async ({ world }) => {
    const member = await world.member();
    const { client, password } = member;
    const other = await world.scoped(client, ['dns']);
    const browser = await signedIn(world, member);
    const json = { password, new_password: 'another secret', revoke_tokens: true };
    assert.is(succeeded(await client.put(PASSWORD, json)).body.tokens_revoked as unknown, 1);
    succeeded(await client.get(ACCOUNT));
    refused(await other.get('/api/v1/domains'), '401 invalid_token');
    refused(await browser.get(ACCOUNT), '401 invalid_session');
  });

  test('neither a session nor a token of an administrator changes the own credentials alone', async ({ world }) => {
    const member = await world.member({ role: 'admin', email: 'root@example.net' });
    const browser = await signedIn(world, member);
    const path = `/api/v1/accounts/${member.id}`;
    for (const send of [
      (json: object) => browser.send('PATCH', path, json),
      (json: object) => member.client.patch(path, json),
    ]) {
      const head = world.daemon.writes();
      refused(await send({ password: 'another secret' }), '409 own_password', '/password');
      refused(await send({ password: 'another secret', revoke_tokens: true }), '409 own_password', '/password');
      refused(await send({ email: 'thief@example.net' }), '409 own_email', '/email');
      refused(await send({ email: null }), '409 own_email', '/email');
      assert.is(world.daemon.writes(), head);
      succeeded(await send({ plan: 'pro', email: 'root@example.net' }));
    }
    succeeded(await world.nobody.post(SESSION, { login: 'root@example.net', password: member.password }));
    // Of another account, as before.
    succeeded(await world.admin.patch(path, { password: 'another secret', email: null }));
  });

  test('with one-time codes, the own password and e-mail address need a code too', async ({ world }) => {
    const member = await world.member({ role: 'admin' });
    const { client, password } = member;
    const { app, recoveryCodes } = await withTotp(member);
    const browser = new Browser(world);
    await browser.signIn(member, recoveryCodes[0]);
    const changes: readonly (readonly [method: string, path: string, json: object])[] = [
      ['PUT', PASSWORD, { password, new_password: 'another secret' }],
      ['PATCH', ACCOUNT, { password, email: 'coded@example.net' }],
    ];
    for (const [method, path, json] of changes)
      for (const send of [
        (more: object) => browser.send(method, path, { ...json, ...more }),
        (more: object) => client.send(method, path, { json: { ...json, ...more } }),
      ]) {
        refused(await send({}), '403 code_required', '/code');
        refused(await send({ code: app.wrong() }), '403 bad_code', '/code');
      }
    const [email, newPassword] = [changes[1], changes[0]];
    succeeded(await client.send(email[0], email[1], { json: { ...email[2], code: recoveryCodes[1] } }));
    succeeded(await browser.send(newPassword[0], newPassword[1], { ...newPassword[2], code: recoveryCodes[2] }));
  });

  test('PATCH /api/v1/account changes the e-mail address, with the password', async ({ world }) => {
    const member = await world.member();
    const { client, password, username } = member;
    refused(await client.patch(ACCOUNT, { password: 'wrong', email: 'a@example.net' }), '403 wrong_password');
    const { body } = succeeded(await client.patch(ACCOUNT, { password, email: `${username}@example.net` }));
    assert.is(body.account.email as unknown, `${username}@example.net`);
    assert.is((await client.get(ACCOUNT)).body.account.email as unknown, `${username}@example.net`);
    succeeded(await world.nobody.post(SESSION, { login: `${username}@example.net`, password }));
    const other = await world.member();
    const taken = { password: other.password, email: `${username}@EXAMPLE.net` };
    refused(await other.client.patch(ACCOUNT, taken), '409 email_taken', '/email');
    refused(await client.patch(ACCOUNT, { password, email: 'no address' }), '422 validation', '/email');
    assert.is(succeeded(await client.patch(ACCOUNT, { password, email: null })).body.account.email as unknown, null);
    refused(await world.nobody.post(SESSION, { login: `${username}@example.net`, password }), '401 bad_credentials');
  });

  test('tokens need the scope account, viewers a session', async ({ world }) => {
    const member = await world.member({ role: 'viewer' });
    const json = { password: member.password, new_password: 'another secret' };
    refused(await member.client.put(PASSWORD, json), '403 forbidden');
    succeeded(await (await signedIn(world, member)).send('PUT', PASSWORD, json));
    const user = await world.member();
    const client = await world.scoped(user.client, ['dns', 'account:read']);
    refused(await client.put(PASSWORD, { ...json, password: user.password }), '403 insufficient_scope');
  });
});

await everywhere(
  'contract, own account, limits',
  (test) => {
    test('guesses of the password in a session count as sign-ins do', async ({ world }) => {
      const member = await world.member();
      const browser = await signedIn(world, member);
      const json = { password: 'wrong', new_password: 'another secret' };
      // One for the sign-in, one for the token of the member.
      for (let i = 0; i < 2; i++) refused(await browser.send('PUT', PASSWORD, json), '403 wrong_password');
      refused(await browser.send('PUT', PASSWORD, json), '429 too_many_requests');
      refused(await browser.send('DELETE', '/api/v1/account/totp', { password: 'wrong' }), '429 too_many_requests');
    });

    test('guesses count by account, whichever login they use', async ({ world }) => {
      const member = await world.member({ email: 'Two.Logins@example.net' });
      const { username, password } = member;
      const guess = (login: string, secret = 'wrong') => world.nobody.post(SESSION, { login, password: secret });
      // One for the token of the member.
      for (const login of [username, username.toUpperCase()]) refused(await guess(login), '401 bad_credentials');
      refused(await guess('two.logins@example.net'), '401 bad_credentials');
      // Neither the status nor a header tells that both logins are of one account.
      refused(await guess(username, password), '401 bad_credentials');
      const right = await guess('TWO.logins@example.net', password);
      const unknown = 'nobody.at.all@example.net';
      await guess(unknown);
      const other = await guess(unknown);
      for (const answer of [right, other]) refused(answer, '401 bad_credentials');
      assert.is(right.body.error.message, other.body.error.message);
      assert.is(right.headers.get('ratelimit'), other.headers.get('ratelimit'));
      refused(await guess(username, password), '429 too_many_requests');
    });
  },
  { WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '4' },
);
