/** Access to the metrics, and their format. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Services } from '../../../admin-api/change/services.ts';
import { HttpError } from '../../../admin-api/http/errors.ts';
import { RateLimit } from '../../../admin-api/http/rate-limit.ts';
import type { HttpRequest } from '../../../admin-api/http/transport.ts';
import { Authenticator } from '../../../admin-api/people/auth/authenticate.ts';
import { Sessions } from '../../../admin-api/people/auth/sessions.ts';
import { hashToken, mintToken } from '../../../admin-api/people/auth/token.ts';
import { type MetricsAccess, metricsRoutes, needsToken } from '../../../admin-api/routes/metrics.ts';
import { Registry } from '../../../core/base/metrics/index.ts';
import { loadConfig } from '../../../core/config/index.ts';
import { type Environment, openEnvironment } from '../../../core/store/environment.ts';
import { type Account, accounts, type Role, tokens } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { readExposition, sampleOf } from '../../support/exposition.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const LOCAL = ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'];
const REMOTE = [
  '192.0.2.1',
  '126.255.255.255',
  '128.0.0.1',
  '10.0.0.1',
  '0.0.0.0',
  '2001:db8::1',
  '::2',
  '::',
  '::ffff:192.0.2.1',
  '::127.0.0.1',
  'fe80::1',
  // Values that no transport passes, which still must not give access.
  '',
  'localhost',
  '127.1',
  '127.0.0.1, 192.0.2.1',
];

/** Rows of accounts and tokens, with the text of each token. */
async function people(environment: Environment): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const person = async (id: number, role: Role, scopes: readonly string[], apiEnabled = true): Promise<string> => {
    const account: Account = {
      id,
      username: `user ${id}`,
      email: '',
      role,
      plan: 'free',
      passwordHash: '',
      apiEnabled,
      createdAt: 0,
      updatedAt: 0,
    };
    const text = mintToken(id);
    const token = { id, accountId: id, name: 't', hash: hashToken(text), scopes, createdAt: 0, expiresAt: null };
    environment.rows.get(accounts.number)!.put(accounts.key(account), accounts.encode(account));
    await environment.rows.get(tokens.number)!.put(tokens.key(token), tokens.encode(token));
    return text;
  };
  texts.admin = await person(1, 'admin', ['account']);
  texts.reading = await person(2, 'admin', ['account:read']);
  texts.developer = await person(3, 'admin', ['packages']);
  texts.user = await person(4, 'user', ['account']);
  texts.viewer = await person(5, 'viewer', ['account:read']);
  texts.off = await person(6, 'admin', ['account'], false);
  return texts;
}

interface Context {
  folder: string;
  environment: Environment;
  authenticator: Authenticator;
  texts: Record<string, string>;
}

const test = suite<Context>('admin-api/metrics');

test.before(async (context) => {
  context.folder = temporaryFolder('metrics');
  context.environment = openEnvironment(context.folder);
  context.texts = await people(context.environment);
  const reader = new StoreReader(context.environment);
  const sessions = new Sessions({ reader, config: loadConfig({ env: {} }) } as Services);
  context.authenticator = new Authenticator(reader, { onCredentials() {} }, sessions, { note() {} });
});
test.after(async ({ environment, folder }) => {
  await environment.close();
  removeFolder(folder);
});

const registry = new Registry();
registry.counter('waypost_tests_total', 'Tests.').add(3);

async function get(
  { authenticator }: Context,
  access: MetricsAccess,
  remoteAddress: string,
  given: Record<string, string> = {},
): Promise<{ status: number; code: string; headers: Readonly<Record<string, string>>; text: string }> {
  const [route] = metricsRoutes(registry, access, authenticator);
  assert.equal([route.method, route.path], ['GET', '/metrics']);
  const request: HttpRequest = {
    method: 'GET',
    path: '/metrics',
    query: '',
    remoteAddress,
    signal: new AbortController().signal,
    header: (name) => given[name],
    body: () => Promise.resolve(Buffer.alloc(0)),
    async *stream() {},
  };
  const at = { params: {}, query: new URLSearchParams(), requestId: 'r', headers: {} };
  const app = {
    authenticator,
    journal: { head: 0, latest: () => Promise.resolve(0) },
    requests: new RateLimit('default', 0, 1),
    accountRequests: new RateLimit('account', 0, 1),
    catchUp: null,
    replay: () => null,
    sync: () => null,
  };
  try {
    const { status, headers, body } = await route.handle(request, at, app);
    return { status, code: '', headers, text: String(body) };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { status: error.status, code: error.code, headers: error.headers, text: '' };
  }
}

test('needsToken: only direct requests from this machine need no token', () => {
  const none = () => undefined;
  for (const address of LOCAL) assert.is(needsToken('loopback', address, none), false, address);
  for (const address of REMOTE) assert.is(needsToken('loopback', address, none), true, address);
  for (const address of [...LOCAL, ...REMOTE]) assert.is(needsToken('token', address, none), true, address);
  for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'])
    for (const value of ['127.0.0.1', ''])
      assert.is(
        needsToken('loopback', '127.0.0.1', (header) => (header === name ? value : undefined)),
        true,
        name,
      );
  assert.is(
    needsToken('loopback', '127.0.0.1', (header) => (header === 'user-agent' ? 'curl' : undefined)),
    false,
  );
});

test('loopback: no token from this machine, otherwise a token of an administrator', async (context) => {
  assert.is((await get(context, 'loopback', '127.0.0.1')).status, 200);
  assert.is((await get(context, 'loopback', '192.0.2.1')).status, 401);
  assert.is((await get(context, 'loopback', '127.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).status, 401);
  const authorization = `Bearer ${context.texts.admin}`;
  assert.is((await get(context, 'loopback', '192.0.2.1', { authorization })).status, 200);
});

test('token: which tokens have access', async (context) => {
  const expected: readonly (readonly [string, number, string])[] = [
    ['admin', 200, ''],
    ['reading', 200, ''],
    ['developer', 403, 'insufficient_scope'],
    ['user', 403, 'forbidden'],
    ['viewer', 403, 'forbidden'],
    ['off', 403, 'api_disabled'],
  ];
  for (const [name, status, code] of expected) {
    const authorization = `Bearer ${context.texts[name]}`;
    const answer = await get(context, 'token', '127.0.0.1', { authorization });
    assert.equal([answer.status, answer.code], [status, code], name);
  }
  const missing = await get(context, 'token', '127.0.0.1');
  assert.equal([missing.status, missing.code, missing.headers['WWW-Authenticate']], [401, 'missing_token', 'Bearer']);
  const unknown = `Bearer ${mintToken(255)}`;
  assert.is((await get(context, 'token', '127.0.0.1', { authorization: unknown })).code, 'invalid_token');
});

test('off: there is no such endpoint', ({ authenticator }) => {
  assert.equal(metricsRoutes(registry, 'off', authenticator), []);
});

test('the text is in the format that Accept asks for', async (context) => {
  const plain = await get(context, 'loopback', '::1');
  assert.is(plain.headers['Content-Type'], 'text/plain; version=0.0.4; charset=utf-8');
  assert.is(plain.headers['Cache-Control'], 'no-store');
  assert.is(sampleOf(readExposition(plain.text, 'prometheus'), 'waypost_tests_total'), 3);
  const open = await get(context, 'loopback', '::1', { accept: 'application/openmetrics-text;version=1.0.0' });
  assert.is(open.headers['Content-Type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  assert.is(sampleOf(readExposition(open.text, 'openmetrics'), 'waypost_tests_total'), 3);
});

test.run();
