/** Rules that demand a JWT: algorithms, claims, keys that change, and what the origin receives. */
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JwtRule } from '../../../../core/site/rules/index.ts';
import type { FieldList } from '../../../../edge/http/exchange/field-list.ts';
import type { PendingRequest } from '../../proxy/fake-origin.ts';
import { type RulesRig, time, withRules } from '../rules/rig.ts';

const test = suite('rules that demand a JWT');

const RULE: JwtRule = {
  jwks_url: 'https://keys.example.net/jwks.json',
  issuer: 'https://id.example.net',
  audience: ['app'],
  copy_claims: [
    { claim: 'sub', header: 'X-User' },
    { claim: 'realm.roles', header: 'X-Roles' },
  ],
};

interface Issuer {
  readonly jwk: JWK;
  readonly publicKey: Awaited<ReturnType<typeof generateKeyPair>>['publicKey'];
  /** `claims` in place of the usual ones; undefined: without them. */
  sign(claims?: Readonly<Record<string, unknown>>, kid?: string): Promise<string>;
}

const seconds = (): number => Math.floor(time.now / 1000);

async function issuerOf(alg: string, kid = 'k1'): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwk: { ...(await exportJWK(publicKey)), alg, kid, use: 'sig' },
    publicKey,
    sign: (claims = {}, usedKid = kid) =>
      new SignJWT({ iss: RULE.issuer, aud: 'app', sub: 'ann', exp: seconds() + 60, ...claims })
        .setProtectedHeader({ alg, kid: usedKid })
        .sign(privateKey),
  };
}

interface World extends RulesRig {
  /** Requests for keys. */
  readonly fetches: PendingRequest[];
  readonly served: PendingRequest[];
  /** The keys that the issuer publishes; null: it does not answer. */
  keys: readonly JWK[] | null;
  with(token: string, more?: FieldList): Promise<{ status: number; challenge: string | undefined; text: string }>;
}

async function withIssuer(keys: readonly JWK[], use: (world: World) => Promise<void>, rule = RULE): Promise<void> {
  const fetches: PendingRequest[] = [];
  const served: PendingRequest[] = [];
  const onRequest = (pending: PendingRequest): void => {
    const isForKeys = pending.request.origin.host === 'keys.example.net';
    (isForKeys ? fetches : served).push(pending);
    if (!isForKeys) pending.answer(200, ['cache-control', 'max-age=60'], 'hello');
    else if (world.keys === null) pending.fail('refused');
    else pending.answer(200, ['content-type', 'application/json'], JSON.stringify({ keys: world.keys }));
  };
  let world!: World;
  await withRules(
    [{ action: { type: 'authenticate', jwt: rule } }],
    async (rig) => {
      world = Object.assign(rig, {
        ...{ fetches, served, keys },
        with: async (token: string, more: FieldList = []) => {
          const answer = await rig.get('/', { headers: ['authorization', `Bearer ${token}`, ...more] });
          return { status: answer.status, challenge: answer.field('www-authenticate'), text: answer.text };
        },
      });
      await use(world);
    },
    { onRequest },
  );
}

test('each algorithm with a public key is accepted', async () => {
  for (const alg of [
    'RS256',
    'RS384',
    'RS512',
    'PS256',
    'PS384',
    'PS512',
    'ES256',
    'ES384',
    'ES512',
    'Ed25519',
    'EdDSA',
  ]) {
    const issuer = await issuerOf(alg);
    await withIssuer([issuer.jwk], async (world) => {
      assert.is((await world.with(await issuer.sign())).status, 200, alg);
    });
  }
});

test('none, HMAC with the public key, and a key of another algorithm are refused', async () => {
  const issuer = await issuerOf('RS256');
  const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: RULE.issuer, aud: 'app', sub: 'root', exp: seconds() + 60 };
  const secret = Buffer.from(await exportSPKI(issuer.publicKey));
  const hmac = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret);
  const shared: JWK = { kty: 'oct', k: secret.toString('base64url'), kid: 'k2', alg: 'HS256' };
  const published = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k2' }).sign(secret);
  const [head, body, signature] = (await issuer.sign()).split('.');
  const tampered = `${head}.${base64({ ...claims, sub: 'root' })}.${signature}`;
  const none = `${base64({ alg: 'none' })}.${body}.`;
  const other = (await (await issuerOf('RS256')).sign()) as string;
  const own = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', jwk: (await issuerOf('RS256')).jwk })
    .sign((await generateKeyPair('RS256')).privateKey);
  await withIssuer([issuer.jwk, shared], async (world) => {
    for (const token of [
      hmac,
      published,
      tampered,
      none,
      `${none}${signature}`,
      other,
      own,
      'a',
      '',
      'a'.repeat(20_000),
    ]) {
      const { status, challenge } = await world.with(token);
      assert.is(status, 401, token.slice(0, 80));
      assert.match(challenge ?? '', /^Bearer/);
    }
    assert.is(world.served.length, 0);
  });
});

test('issuer, audience, and the times with their leeway are checked', async () => {
  const issuer = await issuerOf('ES256');
  const ROWS = [
    [{}, 200],
    [{ aud: ['other', 'app'] }, 200],
    [{ aud: 'other' }, 401],
    [{ aud: undefined }, 401],
    [{ iss: 'https://id.example.net/' }, 401],
    [{ iss: undefined }, 401],
    [{ exp: seconds() - 25 }, 200],
    [{ exp: seconds() - 31 }, 401],
    [{ exp: undefined }, 401],
    [{ exp: 'tomorrow' }, 401],
    [{ nbf: seconds() + 25 }, 200],
    [{ nbf: seconds() + 40 }, 401],
  ] as const;
  await withIssuer([issuer.jwk], async (world) => {
    for (const [claims, status] of ROWS)
      assert.is((await world.with(await issuer.sign(claims))).status, status, JSON.stringify(claims));
    const { challenge, text } = await world.with(await issuer.sign({ exp: seconds() - 99 }));
    assert.is(challenge, 'Bearer error="invalid_token", error_description="The token has expired"');
    assert.match(text, /token_required|The token has expired/);
    const none = await world.get('/');
    assert.equal([none.status, none.field('www-authenticate')], [401, 'Bearer']);
  });
});

test('claims replace headers of the visitor, and a member of a list never looks like two', async () => {
  const issuer = await issuerOf('ES256');
  await withIssuer([issuer.jwk], async (world) => {
    const spoofed = ['x-user', 'root', 'x_user', 'root', 'x-roles', 'admin', 'x_roles', 'admin'];
    await world.with(await issuer.sign({ realm: { roles: ['dev', 'a,admin'] } }), spoofed);
    const token = await issuer.sign({ sub: 'Jürgen', realm: 1 });
    await world.with(token, spoofed);
    await world.with(await issuer.sign({ sub: 'a\r\nx: y' }), spoofed);
    const named = world.served.map(({ request: { headers } }) =>
      headers.filter((_, i) => /^x.(?:user|roles)$/.test(headers[i & ~1])),
    );
    const utf8 = Buffer.from('Jürgen').toString('latin1');
    assert.equal(named, [['x-user', 'ann', 'x-roles', 'dev,a%2Cadmin'], ['x-user', utf8], []]);
  });
});

test('two tokens are refused, since the origin could read the other one', async () => {
  const issuer = await issuerOf('ES256');
  await withIssuer([issuer.jwk], async (world) => {
    const token = await issuer.sign();
    assert.is((await world.with(token, ['authorization', 'Bearer forged'])).status, 401);
    assert.is(world.served.length, 0);
  });
});

test('the token may come in a header or a cookie, and then not in Authorization', async () => {
  const issuer = await issuerOf('ES256');
  const token = await issuer.sign();
  const statusOf = async (rule: JwtRule, headers: FieldList): Promise<number> => {
    let status = 0;
    await withIssuer(
      [issuer.jwk],
      async ({ get }) => {
        ({ status } = await get('/', { headers }));
      },
      rule,
    );
    return status;
  };
  const inHeader = { ...RULE, header: 'X-Token' };
  const inCookie = { ...RULE, cookie: 'token' };
  assert.is(await statusOf(inHeader, ['x-token', token]), 200);
  assert.is(await statusOf(inHeader, ['x-token', `Bearer ${token}`]), 200);
  assert.is(await statusOf(inHeader, ['authorization', `Bearer ${token}`]), 401);
  assert.is(await statusOf(inCookie, ['cookie', `a=b; token=${token}`]), 200);
  assert.is(await statusOf(inCookie, ['authorization', `Bearer ${token}`]), 401);
  assert.is(await statusOf({ ...inHeader, ...inCookie }, ['cookie', `token=${token}`]), 200);
});

test('keys are fetched once, again for an unknown key, and not more often than each 30 seconds', async () => {
  const [first, second] = [await issuerOf('ES256', 'k1'), await issuerOf('ES256', 'k2')];
  await withIssuer([first.jwk], async (world) => {
    for (let i = 0; i < 3; i++) assert.is((await world.with(await first.sign())).status, 200);
    assert.is(world.fetches.length, 1);
    const { request } = world.fetches[0];
    assert.equal([request.path, request.authority, request.site], ['/jwks.json', 'keys.example.net', 'd1']);
    world.keys = [second.jwk];
    assert.is((await world.with(await second.sign())).status, 401, 'too early');
    time.now += 30_000;
    const tokens = await Promise.all([second.sign(), second.sign(), second.sign({}, 'k9')]);
    const results = await Promise.all(tokens.map((token) => world.with(token)));
    assert.equal(
      results.map(({ status }) => status),
      [200, 200, 401],
    );
    assert.is(world.fetches.length, 2);
    for (let i = 0; i < 20; i++) await world.with(await second.sign({}, `k${i + 10}`));
    assert.is(world.fetches.length, 2);
  });
});

test('without keys nothing passes, and known keys last for a while', async () => {
  const issuer = await issuerOf('ES256');
  await withIssuer([issuer.jwk], async (world) => {
    world.keys = null;
    const failed = await world.get('/', { headers: ['authorization', `Bearer ${await issuer.sign()}`] });
    assert.equal([failed.status, failed.field('retry-after')], [503, '30']);
    assert.is((await world.with(await issuer.sign())).status, 503);
    assert.is(world.fetches.length, 1, 'not for each request');
    time.now += 5000;
    world.keys = [issuer.jwk];
    assert.is((await world.with(await issuer.sign())).status, 200);
    world.keys = null;
    time.now += 3_600_000;
    assert.is((await world.with(await issuer.sign())).status, 200);
    time.now += 4 * 3_600_000;
    assert.is((await world.with(await issuer.sign())).status, 503);
    const refused = world.served.length;
    world.keys = Array.from({ length: 101 }, () => issuer.jwk);
    time.now += 30_000;
    assert.is((await world.with(await issuer.sign())).status, 503, 'too many keys');
    assert.is(world.served.length, refused);
  });
});

test.run();
