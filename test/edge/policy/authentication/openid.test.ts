/** Logins with OpenID Connect: the way of a browser, and what attackers could try at each step. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OidcRule, Rule } from '../../../../core/site/rules/index.ts';
import type { FieldList } from '../../../../edge/http/exchange/field-list.ts';
import type { FakeExchange, FakeRequest } from '../../proxy/fake-exchange.ts';
import type { PendingRequest } from '../../proxy/fake-origin.ts';
import { type RulesRig, time, withRules } from '../rules/rig.ts';

const test = suite('logins with OpenID Connect');

const ISSUER = 'https://id.example.net';
const CALLBACK = '/.well-known/waypost/oidc/callback';
const LOGOUT = '/.well-known/waypost/oidc/logout';
const RULE: OidcRule = {
  issuer: ISSUER,
  client_id: 'app',
  sealed_client_secret: 'secret',
  copy_claims: [
    { claim: 'email', header: 'X-Email' },
    { claim: 'groups', header: 'X-Groups' },
  ],
};
const CLAIMS = { sub: 'ann', email: 'ann@example.com', groups: ['dev', 'ops'] };
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth?tenant=1`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
  userinfo_endpoint: `${ISSUER}/me`,
  end_session_endpoint: `${ISSUER}/end`,
};
const NAVIGATION = ['sec-fetch-mode', 'navigate', 'accept', 'text/html'];

const { publicKey, privateKey } = await generateKeyPair('ES256');
const KEY: JWK = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k1' };

interface World extends RulesRig {
  readonly tokenRequests: PendingRequest[];
  readonly served: PendingRequest[];
  metadata: Readonly<Record<string, unknown>>;
  /** Claims of the next ID token, besides those of the protocol. */
  claims: Readonly<Record<string, unknown>>;
  userInfo: Readonly<Record<string, unknown>> | null;
  isDown: boolean;
  /** A navigation with cookies. */
  open(path: string, cookies?: readonly string[], more?: FakeRequest): Promise<FakeExchange>;
  /** Opens a page, and returns to the callback with a code. */
  signIn(path?: string, code?: string): Promise<SignedIn>;
}

interface SignedIn {
  readonly login: FakeExchange;
  readonly browser: string;
  readonly callback: string;
  readonly answer: FakeExchange;
  readonly session: string;
}

const cookieOf = (exchange: FakeExchange, part: string): string => {
  const { fields } = exchange;
  const found = fields.find((value, i) => i % 2 === 1 && fields[i - 1] === 'set-cookie' && value.includes(part));
  return found?.split(';', 1)[0] ?? '';
};

async function withProvider(
  use: (world: World) => Promise<void>,
  rule = RULE,
  others: readonly Rule[] = [],
): Promise<void> {
  let world!: World;
  const tokenRequests: PendingRequest[] = [];
  const served: PendingRequest[] = [];
  const nonces = new Map<string, string>();
  const json = (pending: PendingRequest, value: unknown) => pending.answer(200, [], JSON.stringify(value));
  const token = async (pending: PendingRequest): Promise<void> => {
    tokenRequests.push(pending);
    const form = new URLSearchParams(Buffer.from((await pending.request.body.read()) ?? []).toString());
    Object.assign(pending, { form });
    const nonce = nonces.get(form.get('code') ?? '');
    const seconds = Math.floor(time.now / 1000);
    const claims = { iss: ISSUER, aud: 'app', iat: seconds, exp: seconds + 60, nonce, ...world.claims };
    const idToken = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey);
    json(pending, { id_token: idToken, access_token: 'access', token_type: 'Bearer' });
  };
  const onRequest = (pending: PendingRequest): void => {
    const { origin, path } = pending.request;
    if (origin.host !== 'id.example.net') {
      served.push(pending);
      pending.answer(200, [], 'hello');
    } else if (world.isDown) pending.fail('refused');
    else if (path === '/.well-known/openid-configuration') json(pending, world.metadata);
    else if (path === '/jwks') json(pending, { keys: [KEY] });
    else if (path === '/token') void token(pending);
    else if (path === '/me' && world.userInfo !== null) json(pending, world.userInfo);
    else pending.answer(404);
  };
  const rules: Rule[] = [
    ...others,
    { match: { path: { prefix: ['/app'] } }, action: { type: 'authenticate', oidc: rule } },
  ];
  await withRules(
    rules,
    async (rig) => {
      const open = (path: string, cookies: readonly string[] = [], more: FakeRequest = {}): Promise<FakeExchange> =>
        rig.get(path, { headers: [...NAVIGATION, 'cookie', cookies.join('; ')], ...more });
      const signIn = async (path = '/app/', code = 'c1'): Promise<SignedIn> => {
        const login = await open(path);
        const parameters = new URL(login.field('location') ?? '').searchParams;
        nonces.set(code, parameters.get('nonce') ?? '');
        const browser = cookieOf(login, 'browser');
        const callback = `${CALLBACK}?${new URLSearchParams({ code, state: parameters.get('state') ?? '' })}`;
        const answer = await open(callback, [browser]);
        return { login, browser, callback, answer, session: cookieOf(answer, 'session') };
      };
      world = Object.assign(rig, {
        ...{
          tokenRequests,
          served,
          metadata: METADATA,
          claims: CLAIMS,
          userInfo: { sub: 'ann' },
          isDown: false,
          open,
          signIn,
        },
      });
      await use(world);
    },
    { onRequest },
  );
}

const codeOf = (exchange: FakeExchange): string => JSON.parse(exchange.text).error.code;
const asProgram: FieldList = ['accept', 'application/json'];

test('a browser signs in, and the origin receives claims', () =>
  withProvider(async ({ signIn, open, served, tokenRequests }) => {
    const { login, answer, session } = await signIn('/app/a?b=c');
    assert.equal([login.status, login.field('cache-control')], [302, 'no-store']);
    const to = new URL(login.field('location') ?? '');
    assert.is(to.origin + to.pathname, `${ISSUER}/auth`);
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(to.searchParams);
    assert.equal(rest, {
      ...{ tenant: '1', response_type: 'code', client_id: 'app', scope: 'openid email profile' },
      ...{ redirect_uri: `https://www.example.com${CALLBACK}`, code_challenge_method: 'S256' },
    });
    for (const text of [state, nonce, code_challenge]) assert.ok(text.length >= 43);
    assert.match(
      login.fields.join(),
      /__Host-waypost-browser=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax/,
    );
    const { form, request } = tokenRequests[0] as PendingRequest & { form: URLSearchParams };
    assert.equal([request.method, request.path], ['POST', '/token']);
    assert.is(tokenRequests[0].field('authorization'), `Basic ${Buffer.from('app:opened+secret').toString('base64')}`);
    assert.equal(
      [form.get('grant_type'), form.get('code'), form.get('client_secret')],
      ['authorization_code', 'c1', null],
    );
    assert.ok((form.get('code_verifier') ?? '').length >= 43);
    assert.equal([answer.status, answer.field('location')], [303, 'https://www.example.com/app/a?b=c']);
    assert.match(
      answer.fields.join(),
      /__Host-waypost-session-[\w-]{12}=[\w-]+; Path=\/; Max-Age=28800; HttpOnly; Secure/,
    );
    const page = await open('/app/', [session], {
      headers: ['cookie', session, 'x-email', 'root', 'x_groups', 'root'],
    });
    assert.is(page.status, 200);
    const named = served[0].request.headers.filter((_, i, all) => /^x.(?:email|groups)$/.test(all[i & ~1]));
    assert.equal(named, ['x-email', 'ann@example.com', 'x-groups', 'dev,ops']);
  }));

test('programs, scripts, uploads and WebSockets get 401 without a session', () =>
  withProvider(async ({ get, served }) => {
    const fetched = ['sec-fetch-mode', 'cors', 'accept', 'text/html'];
    for (const request of [
      { headers: asProgram },
      { headers: fetched },
      { headers: ['accept', 'text/html', 'x-requested-with', 'XMLHttpRequest'] },
      { headers: NAVIGATION, method: 'POST' },
      { headers: NAVIGATION, protocol: 'websocket' },
    ])
      assert.is((await get('/app/', request)).status, 401);
    assert.is((await get('/app/', { headers: ['accept', 'text/html'] })).status, 302, 'an old browser');
    assert.equal([served.length, (await get('/open')).status], [0, 200]);
  }));

test('only over HTTPS', () =>
  withProvider(async ({ get }) => {
    for (const path of ['/app/', CALLBACK, LOGOUT]) {
      const answer = await get(path, { scheme: 'http', headers: asProgram });
      assert.equal([answer.status, codeOf(answer)], [403, 'login_needs_https'], path);
    }
  }));

test('the page to return to stays on the host', () =>
  withProvider(
    async ({ signIn }) => {
      for (const path of ['//evil.test/', '/\\evil.test', '/app//evil.test']) {
        const { answer } = await signIn(path);
        assert.is(new URL(answer.field('location') ?? '').host, 'www.example.com', path);
      }
      const long = await signIn(`/app/${'a'.repeat(2000)}`);
      assert.is(long.answer.field('location'), 'https://www.example.com/');
    },
    RULE,
    [{ action: { type: 'authenticate', oidc: RULE } }],
  ));

test('a callback is good for the browser that began the login, for ten minutes, on its host', () =>
  withProvider(async ({ signIn, open, get }) => {
    const { callback, browser } = await signIn();
    const other = cookieOf(await open('/app/'), 'browser');
    const failures = [
      await open(callback),
      await open(callback, [other]),
      await open(`${CALLBACK}?code=c1`, [browser]),
      await open(`${CALLBACK}?code=c1&state=${'a'.repeat(300)}`, [browser]),
      await open(callback.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')).replace('state=', 'state=A'), [browser]),
      await open(callback, [browser], { authority: 'example.com', headers: [...NAVIGATION, 'cookie', browser] }),
      await get(callback, { method: 'POST', headers: ['cookie', browser] }),
    ];
    time.now += 601_000;
    failures.push(await open(callback, [browser]));
    for (const failure of failures) {
      assert.is(failure.status, 400);
      assert.is(cookieOf(failure, 'session'), '');
    }
  }));

test('several tabs sign in at a time', () =>
  withProvider(async ({ open }) => {
    const first = await open('/app/1');
    const browser = cookieOf(first, 'browser');
    const second = await open('/app/2', [browser]);
    assert.is(cookieOf(second, 'browser'), browser);
    const stateOf = (login: FakeExchange) => new URL(login.field('location') ?? '').searchParams.get('state');
    assert.is.not(stateOf(first), stateOf(second));
  }));

test('errors of the provider, and responses of another one, end the login', () =>
  withProvider(async (world) => {
    const { callback, browser } = await world.signIn();
    const state = new URLSearchParams(callback.slice(CALLBACK.length)).get('state') ?? '';
    const before = world.tokenRequests.length;
    for (const more of [
      { error: 'access_denied' },
      { error: '<script>' },
      { code: 'c1', iss: 'https://other.example' },
      { iss: ISSUER },
    ]) {
      const answer = await world.open(`${CALLBACK}?${new URLSearchParams({ state, ...more } as never)}`, [browser]);
      assert.equal([answer.status, cookieOf(answer, 'session')], [400, '']);
      assert.not.match(answer.text, /<script>/);
    }
    assert.is(world.tokenRequests.length, before);
    world.metadata = { ...METADATA, authorization_response_iss_parameter_supported: true };
    time.now += 3_600_000;
    assert.is((await world.open('/app/')).status, 302, 'the metadata is fetched again in the background');
    await world.open('/app/');
    assert.is((await world.signIn()).answer.status, 400, 'without iss (RFC 9207)');
  }));

test('an ID token must be for this login and this client', async () => {
  const seconds = Math.floor(time.now / 1000);
  for (const claims of [
    { nonce: 'other' },
    { nonce: undefined },
    { aud: 'other' },
    { aud: ['app', 'other'] },
    { azp: 'other' },
    { iss: `${ISSUER}/` },
    { exp: seconds - 3600 },
    { iat: undefined },
    { sub: undefined },
  ])
    await withProvider(async (world) => {
      world.claims = { ...CLAIMS, ...claims };
      const { answer, session } = await world.signIn();
      assert.equal([answer.status, session], [400, ''], JSON.stringify(claims));
    });
});

test('claims that the ID token lacks come from UserInfo, of the same user', () =>
  withProvider(async (world) => {
    world.claims = { sub: 'ann' };
    world.userInfo = { ...CLAIMS, sub: 'bob' };
    assert.is((await world.signIn()).answer.status, 400);
    world.userInfo = CLAIMS;
    const { session } = await world.signIn();
    await world.open('/app/', [session]);
    assert.is(world.served[0].field('x-groups'), 'dev,ops');
    const asked = world.origin.requests.filter(({ request }) => request.path === '/me');
    assert.is(asked[0].field('authorization'), 'Bearer access');
  }));

test('groups and addresses decide who is allowed, also after the rule has changed', async () => {
  const ROWS: readonly (readonly [rule: Partial<OidcRule>, claims: object, allowed: boolean])[] = [
    [{}, {}, true],
    [{ allowed_groups: ['ops'] }, {}, true],
    [{ allowed_groups: ['op', 'dev,ops'] }, {}, false],
    [{ allowed_groups: ['x'], allowed_emails: ['ANN@example.com'] }, {}, true],
    [{ allowed_emails: ['*@example.com'] }, {}, true],
    [{ allowed_emails: ['*@example.com'] }, { email: 'ann@example.com@evil.test' }, false],
    [{ allowed_emails: ['*@example.com'] }, { email: 'ann@sub.example.com' }, false],
    [{ allowed_emails: ['ann@example.com'] }, { email_verified: false }, false],
    [{ allowed_emails: ['ann@example.com'] }, { email: undefined }, false],
    [{ allowed_groups: ['a'], groups_claim: 'realm.roles' }, { realm: { roles: ['a'] } }, true],
    [{ allowed_groups: ['dev'] }, { groups: 'dev' }, true],
    [{ allowed_groups: [] }, {}, false],
  ];
  for (const [rule, claims, allowed] of ROWS)
    await withProvider(
      async (world) => {
        world.claims = { ...CLAIMS, ...claims };
        const { answer, session } = await world.signIn();
        assert.equal(
          [answer.status, session !== ''],
          allowed ? [303, true] : [403, false],
          JSON.stringify([rule, claims]),
        );
        if (allowed) assert.is((await world.open('/app/', [session])).status, 200);
      },
      { ...RULE, ...rule },
    );
  let session = '';
  await withProvider(
    async ({ signIn }) => {
      ({ session } = await signIn());
    },
    { ...RULE, allowed_groups: ['dev'] },
  );
  await withProvider(async ({ open }) => assert.is((await open('/app/', [session])).status, 403), {
    ...RULE,
    allowed_groups: ['ops-2'],
  });
});

test('a session is good for its time, host and client', async () => {
  let session = '';
  await withProvider(async ({ signIn, open }) => {
    ({ session } = await signIn());
    assert.is((await open('/app/', [session])).status, 200);
    const elsewhere = { authority: 'example.com', headers: [...NAVIGATION, 'cookie', session] };
    assert.is((await open('/app/', [], elsewhere)).status, 302);
    for (const forged of [`${session}A`, session.replace(/=./, '=A'), session.replace(/=.*/, '=')])
      assert.is((await open('/app/', [forged])).status, 302);
  });
  await withProvider(async ({ open }) => assert.is((await open('/app/', [session])).status, 302), {
    ...{ ...RULE, client_id: 'other' },
  });
  await withProvider(
    async ({ signIn, open }) => {
      const { session: short } = await signIn();
      time.now += 299_000;
      assert.is((await open('/app/', [short])).status, 200);
      time.now += 1000;
      assert.is((await open('/app/', [short])).status, 302);
    },
    { ...RULE, session: 300 },
  );
});

test('claims that do not fit into a cookie end the login with a reason', () =>
  withProvider(async (world) => {
    world.claims = { ...CLAIMS, groups: Array.from({ length: 500 }, (_, i) => `group-${i}`) };
    const { answer } = await world.signIn();
    assert.equal([answer.status, cookieOf(answer, 'session')], [400, '']);
  }));

test('the logout needs a click on the site, or a confirmation', () =>
  withProvider(async ({ signIn, open }) => {
    const { session } = await signIn();
    const send = (method: string, ...headers: readonly string[]) =>
      open(LOGOUT, [], { method, headers: ['cookie', session, ...headers] });
    for (const foreign of [
      await send('GET'),
      await send('GET', 'sec-fetch-site', 'cross-site'),
      await send('GET', 'sec-fetch-site', 'same-site'),
      await send('POST'),
      await send('POST', 'origin', 'https://evil.test'),
      await send('POST', 'origin', 'null'),
      await send('POST', 'origin', 'https://example.com', 'sec-fetch-site', 'same-site'),
    ]) {
      assert.equal([foreign.status, cookieOf(foreign, 'session')], [200, '']);
      assert.match(foreign.text, /<form method="post"/);
      assert.match(foreign.field('content-security-policy') ?? '', /frame-ancestors 'none'/);
    }
    for (const own of [
      await send('GET', 'sec-fetch-site', 'same-origin'),
      await send('GET', 'sec-fetch-site', 'none'),
      await send('POST', 'origin', 'https://www.example.com'),
    ]) {
      assert.equal([own.status, own.field('location')], [303, `${ISSUER}/end?client_id=app`]);
      assert.match(own.fields.join(), /__Host-waypost-session-[\w-]{12}=; Path=\/; Max-Age=0; HttpOnly; Secure/);
    }
  }));

test('earlier rules hold for the callback, too', () =>
  withProvider(async ({ get }) => assert.is((await get(CALLBACK, { address: '192.0.2.1' })).status, 403), RULE, [
    { match: { client: ['192.0.2.0/24'] }, action: { type: 'deny' } },
  ]));

test('a provider that does not answer, or whose metadata is of another issuer, lets no visitor pass', async () => {
  const ROWS = [
    { issuer: `${ISSUER}/` },
    { token_endpoint: 'http://id.example.net/token' },
    { jwks_uri: 'file:///etc/passwd' },
    { authorization_endpoint: undefined },
  ];
  for (const row of ROWS)
    await withProvider(async (world) => {
      world.metadata = { ...METADATA, ...row };
      assert.is((await world.open('/app/')).status, 503, JSON.stringify(row));
    });
  await withProvider(async (world) => {
    world.isDown = true;
    for (let i = 0; i < 3; i++) assert.is((await world.open('/app/')).status, 503);
    assert.is(world.origin.requests.length, 1);
    world.isDown = false;
    time.now += 5000;
    const { session } = await world.signIn();
    world.isDown = true;
    assert.is((await world.open('/app/', [session])).status, 200, 'sessions do not need the provider');
  });
});

test('a provider that takes secrets in the body gets it there; a public client sends none', async () => {
  const formOf = async (rule: OidcRule, methods: readonly string[]): Promise<URLSearchParams> => {
    let form = new URLSearchParams();
    await withProvider(async (world) => {
      world.metadata = { ...METADATA, token_endpoint_auth_methods_supported: methods };
      await world.signIn();
      ({ form } = world.tokenRequests[0] as PendingRequest & { form: URLSearchParams });
      assert.is(world.tokenRequests[0].field('authorization'), undefined);
    }, rule);
    return form;
  };
  const inBody = await formOf(RULE, ['client_secret_post']);
  assert.equal([inBody.get('client_id'), inBody.get('client_secret')], ['app', 'opened secret']);
  const { sealed_client_secret: _, ...open } = RULE;
  const none = await formOf(open, ['none']);
  assert.equal([none.get('client_id'), none.get('client_secret')], ['app', null]);
});

test.run();
