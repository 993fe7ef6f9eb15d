/** The API contract: passkeys, and attacks on them. */
import * as assert from 'uvu/assert';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { Authenticator } from '../../support/authenticator.ts';
import { type Answer, listOf } from '../daemon.ts';
import { Browser, OVER_TLS, SESSION } from './browser.ts';
import {
  atLocalhost,
  atStartOfStep,
  creationOptions,
  LOCALHOST,
  originOf,
  PASSKEY_SIGN_IN,
  PASSKEYS,
  signInOptions,
  withPasskey,
  withTotp,
} from './factors.ts';
import { TIME } from './held.ts';
import { later } from './store.ts';
import { each, everywhere, outcome, refused, succeeded, type World } from './world.ts';

type Deviations = Parameters<Authenticator['signIn']>[1];

async function enter(world: World, authenticator: Authenticator, deviations?: Deviations): Promise<Answer> {
  const json = authenticator.signIn(await signInOptions(world), deviations);
  return world.nobody.send('POST', PASSKEY_SIGN_IN, { json, host: LOCALHOST });
}

await everywhere('contract, passkeys', (test) => {
  atStartOfStep(test);

  test('a passkey is created, listed, renamed, used and removed', async ({ world }) => {
    const member = await world.member();
    const browser = await atLocalhost(world, member);
    const options = await creationOptions(browser, member.password);
    const { rp, user, authenticatorSelection: selection, attestation } = options as never as Record<string, object>;
    assert.equal(rp, { id: LOCALHOST, name: 'Waypost' });
    assert.equal(user, { ...user, name: member.username, displayName: member.username });
    assert.equal(selection, { residentKey: 'required', requireResidentKey: true, userVerification: 'required' });
    assert.is(attestation as unknown, 'none');
    const authenticator = new Authenticator(originOf(world));
    const { passkey } = succeeded(await browser.send('POST', PASSKEYS, authenticator.create(options, 'laptop'))).body;
    assert.equal(Object.keys(passkey), [
      ...['id', 'name', 'host', 'transports', 'synced', 'created_at', 'last_used_at'],
    ]);
    assert.equal([passkey.name, passkey.host, passkey.transports, passkey.synced, passkey.last_used_at], [
      'laptop',
      LOCALHOST,
      ['internal'],
      false,
      null,
    ] as never);
    const path = `${PASSKEYS}/${passkey.id}`;
    assert.is(succeeded(await browser.send('PATCH', path, { name: 'phone' })).body.passkey.name as unknown, 'phone');

    const visitor = new Browser(world, {}, LOCALHOST);
    const answer = visitor.enter(await enter(world, authenticator));
    assert.equal(answer.body.user, { id: member.id, username: member.username, role: 'user', plan: 'free' } as never);
    succeeded(await visitor.get('/api/v1/account'));
    const [listed] = listOf((await visitor.get(PASSKEYS)).body.passkeys);
    assert.match(String(listed.last_used_at), TIME);
    // Its options exclude it, so no authenticator has two of one account.
    const again = (await creationOptions(visitor, member.password)) as never as { excludeCredentials: object };
    assert.equal(again.excludeCredentials, [
      { type: 'public-key', id: authenticator.credential, transports: ['internal'] },
    ]);

    refused(await visitor.send('DELETE', path, { password: 'wrong' }), '403 wrong_password', '/password');
    succeeded(await visitor.send('DELETE', path, { password: member.password }));
    refused(await visitor.send('DELETE', path, { password: member.password }), '404 no_such_passkey');
    refused(await enter(world, authenticator), '401 bad_passkey');
    assert.equal(listOf((await visitor.get(PASSKEYS)).body.passkeys), []);
    const actions = each(listOf((await visitor.get('/api/v1/audit?action=passkey')).body.entries), 'action');
    assert.equal(actions, ['passkey.delete', 'passkey.begin', 'passkey.update', 'passkey.create', 'passkey.begin']);
  });

  test('a passkey needs neither password nor code, and works while codes are locked', async ({ world }) => {
    const member = await world.member();
    const browser = await atLocalhost(world, member);
    const { authenticator } = await withPasskey(world, browser, member);
    const { app } = await withTotp(member);
    refused(
      await world.nobody.post(SESSION, { login: member.username, password: member.password }),
      '401 code_required',
    );
    const json = { login: member.username, password: member.password, code: app.wrong() };
    for (let i = 0; i < 5; i++) refused(await world.nobody.post(SESSION, json), '401 bad_code');
    refused(await world.nobody.post(SESSION, json), '429 code_locked');
    succeeded(await enter(world, authenticator));
    const [entry] = listOf((await member.client.get('/api/v1/audit?action=session.create')).body.entries);
    assert.is(entry.detail.by as unknown, 'passkey');
  });

  test('wrong origin, host, type, user or signature, and no verified user: 401 bad_passkey', async ({ world }) => {
    const member = await world.member();
    const browser = await atLocalhost(world, member);
    const { authenticator } = await withPasskey(world, browser, member);
    for (const deviations of [
      { origin: 'https://localhost' },
      { origin: `${originOf(world)}0` },
      { origin: 'http://localhost.example.net' },
      { origin: 'http://127.0.0.1' },
      { rpId: 'example.net' },
      { type: 'webauthn.create' },
      { userHandle: 'AAAAAAAAAAE' },
      { isVerified: false },
    ] satisfies Deviations[]) {
      const answer = await enter(world, authenticator, deviations);
      refused(answer, '401 bad_passkey');
      assert.is(answer.headers.get('set-cookie'), null);
    }
    // Signed by the key of another authenticator.
    const stranger = new Authenticator(originOf(world));
    Object.assign(stranger, { credential: authenticator.credential, userHandle: authenticator.userHandle });
    stranger.counter = authenticator.counter;
    refused(await enter(world, stranger), '401 bad_passkey');
    refused(await enter(world, new Authenticator(originOf(world)), { userHandle: 'AA' }), '401 bad_passkey');
    succeeded(await enter(world, authenticator));
  });

  test('a challenge is ours, for this purpose, works once, and expires', async ({ world }) => {
    const member = await world.member();
    const browser = await atLocalhost(world, member);
    const { authenticator } = await withPasskey(world, browser, member);
    const send = (json: object) => world.nobody.send('POST', PASSKEY_SIGN_IN, { json, host: LOCALHOST });
    const { challenge } = await signInOptions(world);
    const forCreation = await creationOptions(browser, member.password);
    const changed = Buffer.from(challenge, 'base64url');
    changed[0] ^= 1;
    for (const wrong of [
      '',
      'x',
      challenge.slice(1),
      `${challenge}A`,
      changed.toString('base64url'),
      forCreation.challenge,
    ])
      refused(await enter(world, authenticator, { challenge: wrong }), '401 bad_challenge');
    const options = await signInOptions(world);
    const response = authenticator.signIn(options);
    succeeded(await send(response));
    refused(await send(response), '401 bad_passkey');
    // Nor with a new signature.
    refused(await send(authenticator.signIn(options)), '401 bad_challenge');
    const old = await signInOptions(world);
    await later(599, async () => succeeded(await send(authenticator.signIn(old))));
    const older = await signInOptions(world);
    await later(601, async () => refused(await send(authenticator.signIn(older)), '401 bad_challenge'));
    // Of concurrent requests with one challenge, one succeeds.
    const shared = await signInOptions(world);
    const both = [authenticator.signIn(shared), authenticator.signIn(shared)];
    const outcomes = (await Promise.all(both.map(send))).map(outcome).sort();
    assert.is(outcomes.filter((code) => code === '200').length, 1, outcomes.join());
  });

  test('a counter that did not rise is that of a copy', async ({ world }) => {
    const member = await world.member();
    const { authenticator } = await withPasskey(world, await atLocalhost(world, member), member);
    succeeded(await enter(world, authenticator, { counter: 10 }));
    for (const counter of [0, 9, 10]) refused(await enter(world, authenticator, { counter }), '401 bad_passkey');
    succeeded(await enter(world, authenticator, { counter: 11 }));
    // Many authenticators have none.
    const other = await world.member();
    const withoutCounter = (await withPasskey(world, await atLocalhost(world, other), other)).authenticator;
    for (let i = 0; i < 2; i++) succeeded(await enter(world, withoutCounter, { counter: 0 }));
  });

  test('registration: challenge, origin, host and user verification are checked', async ({ world }) => {
    const member = await world.member();
    const browser = await atLocalhost(world, member);
    const options = await creationOptions(browser, member.password);
    const send = (json: object) => browser.send('POST', PASSKEYS, json);
    const authenticator = new Authenticator(originOf(world));
    const create = (deviations: Deviations) => authenticator.create(options, 'a key', deviations);
    for (const deviations of [
      { origin: 'https://example.net' },
      { rpId: 'example.net' },
      { type: 'webauthn.get' },
      { isVerified: false },
      { format: 'fido-u2f' },
      // Its certificates would be fetched lists for.
      { format: 'packed', statement: new Map<string, unknown>([['x5c', [new Uint8Array(8)]]]) },
    ])
      refused(await send(create(deviations)), '422 bad_passkey', '/attestation');
    const { challenge } = await signInOptions(world);
    for (const wrong of ['', 'x', challenge]) refused(await send(create({ challenge: wrong })), '422 bad_challenge');
    // The challenge is bound to the account that confirmed its password.
    const other = await atLocalhost(world, await world.member());
    refused(await other.send('POST', PASSKEYS, create({})), '422 bad_challenge', '/client_data');
    await later(601, async () => refused(await send(create({})), '422 bad_challenge'));
    succeeded(await send(create({})));
    refused(await send(create({})), '422 bad_challenge');
    const next = await creationOptions(browser, member.password);
    refused(await send(authenticator.create(next, 'twice')), '409 passkey_exists');
  });

  test('without a host name there are no passkeys', async ({ world }) => {
    const { client, password } = await world.member();
    refused(await world.nobody.get(PASSKEY_SIGN_IN), '409 passkeys_unavailable');
    refused(await client.post(`${PASSKEYS}/options`, { password }), '409 passkeys_unavailable');
    // Behind a proxy with TLS, the origin is another.
    const member = await world.member();
    const browser = await atLocalhost(world, member);
    const { authenticator } = await withPasskey(world, browser, member);
    const json = authenticator.signIn(await signInOptions(world));
    const answer = await world.nobody.send('POST', PASSKEY_SIGN_IN, { json, host: LOCALHOST, headers: OVER_TLS });
    refused(answer, '401 bad_passkey');
  });

  test('an account has at most 20 passkeys; without API access, none works', async ({ world }) => {
    const member = await world.member();
    const browser = await atLocalhost(world, member);
    const { authenticator } = await withPasskey(world, browser, member);
    for (let i = 1; i < 20; i++) await withPasskey(world, browser, member);
    refused(await browser.send('POST', `${PASSKEYS}/options`, { password: member.password }), '409 passkey_limit');
    const path = `/api/v1/accounts/${member.id}`;
    succeeded(await world.admin.patch(path, { api_enabled: false }));
    refused(await enter(world, authenticator), '403 api_disabled');
    succeeded(await world.admin.delete(path));
    refused(await enter(world, authenticator), '401 bad_passkey');
    assert.equal(new StoreReader(world.daemon.environment).passkeysOf(member.id), []);
  });
});
