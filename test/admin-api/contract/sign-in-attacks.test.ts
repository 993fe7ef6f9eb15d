/** Attacks on sign-in: timing, fixation, and requests that other sites forge. */
import * as assert from 'uvu/assert';
import { Passwords } from '../../../admin-api/people/auth/password.ts';
import { mintToken } from '../../../admin-api/people/auth/token.ts';
import { newId } from '../../support/ids.ts';
import type { Answer, Json } from '../daemon.ts';
import { Browser, CSRF, SESSION, signedIn } from './browser.ts';
import {
  atLocalhost,
  atStartOfStep,
  LOCALHOST,
  PASSKEY_SIGN_IN,
  signInOptions,
  withPasskey,
  withTotp,
} from './factors.ts';
import { concrete, knownIds } from './routes.ts';
import { everywhere, outcome, refused, succeeded, type World } from './world.ts';

const EXCHANGE = '/api/v1/auth/token';

/** Counts the verifications of password hashes while `work` runs. */
async function verifications(work: () => Promise<unknown>): Promise<number> {
  const { verify } = Passwords.prototype;
  let count = 0;
  Passwords.prototype.verify = function (...given) {
    count++;
    return verify.apply(this, given);
  };
  try {
    await work();
  } finally {
    Passwords.prototype.verify = verify;
  }
  return count;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  /** Whether a session can authenticate it. */
  readonly takesSession: boolean;
}

/** Every operation of the OpenAPI document that may change something. */
async function changingOperations({ nobody }: World): Promise<Operation[]> {
  const { paths } = (await nobody.get('/api/v1/openapi.json')).body;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => {
        const security = Object.values((operation as Json).security ?? {});
        return { method: method.toUpperCase(), path, takesSession: security.some((way) => 'session' in way) };
      }),
  );
}

await everywhere('contract, attacks on sign-in', (test) => {
  atStartOfStep(test);

  test('timing: every refused sign-in verifies one hash, whatever is wrong', async ({ world }) => {
    const plain = await world.member();
    const member = await world.member();
    const { app } = await withTotp(member);
    const off = await world.member();
    succeeded(await world.admin.patch(`/api/v1/accounts/${off.id}`, { api_enabled: false }));
    const wrong = 'wrong';
    const cases: [login: string, password: string, code: string | undefined, expected: string][] = [
      ['nobody at all', wrong, undefined, '401 bad_credentials'],
      ['nobody at all', wrong, '123456', '401 bad_credentials'],
      ['', wrong, undefined, '422 validation'],
      [plain.username, wrong, undefined, '401 bad_credentials'],
      [plain.username, '', undefined, '401 bad_credentials'],
      [plain.username, plain.password, undefined, '200'],
      [member.username, wrong, undefined, '401 bad_credentials'],
      [member.username, wrong, app.code(), '401 bad_credentials'],
      [member.username, member.password, undefined, '401 code_required'],
      [member.username, member.password, app.wrong(), '401 bad_code'],
      [member.username, member.password, 'aaaa-aaaa-aaaa-aaaa', '401 bad_code'],
      [off.username, wrong, undefined, '401 bad_credentials'],
      [off.username, off.password, undefined, '403 api_disabled'],
    ];
    const messages = new Set<string>();
    for (const path of [SESSION, EXCHANGE])
      for (const [login, password, code, expected] of cases) {
        let answer: Answer | undefined;
        const count = await verifications(async () => {
          answer = await world.nobody.post(path, { login, password, code });
        });
        assert.ok(answer !== undefined);
        assert.is(outcome(answer), expected, `${login} ${code}`);
        assert.is(count, expected === '422 validation' ? 0 : 1, `${login} ${code}`);
        if (expected === '401 bad_credentials') messages.add(JSON.stringify(answer.body.error));
      }
    assert.is(messages.size, 1);
  });

  test('fixation: a cookie from before the sign-in is never adopted, with a passkey neither', async ({ world }) => {
    const member = await world.member();
    const first = await atLocalhost(world, member);
    const { authenticator } = await withPasskey(world, first, member);
    const attacker = await signedIn(world, await world.member());
    for (const planted of [mintToken(newId(), 'wps_'), attacker.text, `${attacker.text}0`, 'x', '']) {
      const victim = new Browser(world, {}, LOCALHOST);
      victim.cookie = `waypost_session=${planted}`;
      const json = authenticator.signIn(await signInOptions(world));
      victim.enter(await victim.send('POST', PASSKEY_SIGN_IN, json));
      assert.is.not(victim.text, planted);
      refused(await attacker.get('/api/v1/account', { cookie: `waypost_session=${planted}` }), '401 invalid_session');
      succeeded(await victim.get('/api/v1/account'));
    }
  });

  test('CSRF: every changing operation of the OpenAPI document needs the header', async ({ world }) => {
    const browser = await signedIn(world, world.user);
    const other = await signedIn(world, world.user);
    const ids = await knownIds(world);
    const operations = await changingOperations(world);
    assert.ok(operations.length > 40, `${operations.length} operations`);
    const before = world.daemon.writes();
    for (const { method, path, takesSession } of operations) {
      if (!takesSession) continue;
      for (const token of ['', other.csrfToken, 'x'])
        refused(await browser.send(method, concrete(path, ids), undefined, { [CSRF]: token }), '403 csrf');
    }
    assert.is(world.daemon.writes(), before, 'nothing was written');
    // With it, each gets past this check. Unknown ids, so that the session stays.
    for (const { method, path, takesSession } of operations) {
      if (!takesSession || path === SESSION || path === '/api/v1/sessions') continue;
      assert.is.not(outcome(await browser.send(method, concrete(path))), '403 csrf', path);
    }
    // Those without a session ignore the cookie, so no site can use it.
    const open = operations.filter(({ takesSession }) => !takesSession).map(({ method, path }) => `${method} ${path}`);
    assert.equal(open.sort(), [`POST ${EXCHANGE}`, `POST ${SESSION}`, `POST ${PASSKEY_SIGN_IN}`]);
  });

  test('sign-in CSRF: another site cannot sign a browser in, since its forms send no JSON', async ({ world }) => {
    const { username: login, password } = world.user;
    const body = JSON.stringify({ login, password });
    for (const path of [SESSION, PASSKEY_SIGN_IN, EXCHANGE])
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
        const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
        const bytes = Buffer.from(body);
        const answer = await world.nobody.send('POST', path, { body: bytes, headers, host: LOCALHOST });
        refused(answer, '415 unsupported_media_type');
        assert.is(answer.headers.get('set-cookie'), null);
      }
    // Nor may its scripts: no preflight request is answered.
    for (const path of [SESSION, PASSKEY_SIGN_IN]) {
      const headers = {
        origin: 'https://attacker.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      const answer = await world.nobody.send('OPTIONS', path, { headers });
      const names = [...answer.headers.keys()];
      assert.equal(
        names.filter((name) => name.startsWith('access-control-')),
        [],
      );
    }
  });
});
