/** The action authenticate with a server that decides: what it, visitors and the origin see. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Rule } from '../../../../core/site/rules/index.ts';
import { NO_BODY } from '../../../../edge/http/exchange/body-queue.ts';
import type { CacheRigOptions } from '../../proxy/cache-rig.ts';
import { type PendingRequest, settled } from '../../proxy/fake-origin.ts';
import { type RulesRig, withRules } from './rig.ts';

const test = suite('forward authentication');

const URL_OF_DECIDER = 'https://auth.example.net/api/authz/forward-auth?x=1';
const RULE: Rule = {
  match: { path: { prefix: ['/private'] } },
  action: {
    type: 'authenticate',
    forward: { url: URL_OF_DECIDER, copy_headers: ['Remote-User', 'X-Team'] },
  },
};

const isDecision = ({ request }: PendingRequest): boolean => request.origin.host === 'auth.example.net';

interface World extends RulesRig {
  readonly decisions: PendingRequest[];
  /** Requests of the origin. */
  readonly served: PendingRequest[];
}

/** `decide` answers the requests to the decider; the origin answers with a body for its user. */
async function withDecider(
  decide: (pending: PendingRequest) => void,
  use: (world: World) => Promise<void>,
  rules: readonly Rule[] = [RULE],
  options: CacheRigOptions = {},
): Promise<void> {
  const decisions: PendingRequest[] = [];
  const served: PendingRequest[] = [];
  const onRequest = (pending: PendingRequest): void => {
    (isDecision(pending) ? decisions : served).push(pending);
    if (isDecision(pending)) decide(pending);
    else pending.answer(200, ['cache-control', 'max-age=60'], `for ${pending.field('remote-user') ?? 'nobody'}`);
  };
  await withRules(rules, (rig) => use(Object.assign(rig, { decisions, served })), { onRequest, ...options });
}

const allow = (pending: PendingRequest, ...fields: readonly string[]): void =>
  pending.answer(200, ['remote-user', pending.field('cookie') ?? 'ann', ...fields]);

test('the decider receives the request without its body, and what is asked for', () =>
  withDecider(
    (pending) => allow(pending),
    async ({ begin, decisions, served }) => {
      let reads = 0;
      const body = { ...NO_BODY, length: 3, read: () => Promise.resolve(reads++ === 0 ? Buffer.from('abc') : null) };
      const { handled } = begin({
        ...{ method: 'POST', path: '/private/%61?q=1', authority: 'www.example.com', address: '203.0.113.5', body },
        headers: [
          ...['accept', 'text/html', 'cookie', 'session=1', 'authorization', 'Bearer t', 'content-type', 'text/plain'],
          ...[
            'range',
            'bytes=0-1',
            'if-none-match',
            '"1"',
            'x-forwarded-uri',
            '/public',
            'x-original-url',
            'http://a/',
          ],
          ...['x_forwarded_method', 'GET', 'remote-user', 'root', 'x_team', 'root', 'x-real-ip', '127.0.0.1'],
        ],
      });
      await handled;
      const [{ request }] = decisions;
      const { host, port, protocol } = request.origin;
      assert.equal([host, port, protocol], ['auth.example.net', 443, 'https']);
      assert.equal([request.method, request.path], ['GET', '/api/authz/forward-auth?x=1']);
      assert.equal([request.authority, request.body.length], ['auth.example.net', 0]);
      const { headers } = request;
      const valuesOf = (name: string) => headers.filter((_, i) => i % 2 === 1 && headers[i - 1] === name);
      const expected = {
        'x-forwarded-method': ['POST'],
        'x-forwarded-proto': ['https'],
        'x-forwarded-host': ['www.example.com'],
        'x-forwarded-uri': ['/private/%61?q=1'],
        'x-forwarded-for': ['203.0.113.5'],
        'x-original-method': ['POST'],
        'x-original-url': ['https://www.example.com/private/%61?q=1'],
        'x-real-ip': ['203.0.113.5'],
        accept: ['text/html'],
        cookie: ['session=1'],
        authorization: ['Bearer t'],
      };
      for (const [name, values] of Object.entries(expected)) assert.equal(valuesOf(name), values, name);
      for (const name of ['content-type', 'content-length', 'range', 'if-none-match', 'x_forwarded_method'])
        assert.equal(valuesOf(name), [], name);
      for (const name of ['remote-user', 'x-team', 'x_team']) assert.equal(valuesOf(name), [], name);
      const [origin] = served;
      assert.equal([origin.request.method, origin.field('cookie')], ['POST', 'session=1']);
    },
  ));

test('2xx lets the request pass with the headers of the decision in place of those of the visitor', () =>
  withDecider(
    (pending) => pending.answer(204, ['remote-user', 'ann', 'remote-email', 'a@b', 'x-team', 'a', 'x-team', 'b']),
    async ({ get, served }) => {
      const headers = ['remote-user', 'root', 'remote_user', 'root', 'X-TEAM'.toLowerCase(), 'root', 'x_team', 'root'];
      const answer = await get('/private/', { headers });
      assert.equal([answer.status, answer.text], [200, 'for ann']);
      const named = served[0].request.headers.filter((_, i, all) => /user|team|email/.test(all[i & ~1]));
      assert.equal(named, ['remote-user', 'ann', 'x-team', 'a, b']);
    },
  ));

test('headers of decisions are never taken from visitors, in any spelling and on any path', () =>
  withDecider(
    (pending) => pending.answer(200),
    async ({ get, served }) => {
      for (const path of ['/public', '/private'])
        for (const name of ['x-team', 'x_team', 'x.team', 'remote-user', 'remote_user'])
          await get(`${path}?${name}`, { headers: [name, 'root'] });
      assert.is(served.length, 10);
      for (const { request } of served) assert.not.ok(request.headers.includes('root'), request.path);
    },
  ));

test('trailers of a request cannot carry such headers', () =>
  withDecider(
    (pending) => allow(pending),
    async ({ get, served }) => {
      const body = { ...NO_BODY, length: undefined, trailers: ['x-team', 'root', 'x_team', 'root', 'x-sum', '1'] };
      await get('/private', { method: 'POST', body });
      assert.equal(served[0].request.body.trailers, ['x-sum', '1']);
    },
  ));

test('any other response goes to the visitor as it is, and the origin sees nothing', async () => {
  const ROWS = [
    [302, ['location', 'https://auth.example.net/?rd=https%3A%2F%2Fwww.example.com%2Fprivate', 'set-cookie', 'a=1']],
    [401, ['www-authenticate', 'Basic realm="x"', 'cache-control', 'private']],
    [403, ['content-type', 'text/html']],
    [500, []],
  ] as const;
  for (const [status, fields] of ROWS)
    await withDecider(
      (pending) => pending.answer(status, ['server', 'decider', 'x-request-id', '1', ...fields], 'no'),
      async ({ get, flush, served, records }) => {
        const answer = await get('/private');
        assert.equal([answer.status, answer.text], [status, 'no']);
        for (let i = 0; i < fields.length; i += 2) assert.is(answer.field(fields[i]), fields[i + 1]);
        assert.equal([answer.field('server'), answer.field('x-request-id')], ['waypost', undefined]);
        assert.ok(answer.field('cache-control'));
        assert.is(served.length, 0);
        assert.equal(
          flush().map(({ stopped }) => [...stopped]),
          [[1]],
        );
        assert.equal(
          records.map((record) => record.status),
          [status],
        );
      },
    );
});

test('Set-Cookie of a decision reaches its visitor only', () =>
  withDecider(
    (pending) => allow(pending, ...(pending.field('x-new') ? ['set-cookie', 'a=1', 'set-cookie', 'b=2'] : [])),
    async ({ get, served }) => {
      const first = await get('/private', { headers: ['x-new', '1'] });
      const cookies = first.fields.filter((_, i) => i % 2 === 1 && first.fields[i - 1] === 'set-cookie');
      assert.equal(cookies, ['a=1', 'b=2']);
      for (let i = 0; i < 2; i++) assert.is((await get('/private')).field('set-cookie'), undefined);
      assert.is(served.length, 2, 'the response with cookies was not stored');
    },
  ));

test('a stored response is for visitors with the same identity, and each is decided about', () =>
  withDecider(
    (pending) => (pending.field('cookie') === undefined ? pending.answer(401) : allow(pending)),
    async ({ get, purge, decisions, served }) => {
      const as = (user: string) => get('/private', { headers: ['cookie', user] });
      for (let i = 0; i < 2; i++) for (const user of ['ann', 'bob']) assert.is((await as(user)).text, `for ${user}`);
      assert.equal([decisions.length, served.length], [4, 2]);
      assert.is((await get('/private')).status, 401);
      assert.equal([decisions.length, served.length], [5, 2]);
      await purge({ domainId: 'd1', urls: ['https://www.example.com/private'], prefixes: [], tags: [] });
      for (const user of ['ann', 'bob']) await as(user);
      assert.is(served.length, 4, 'a purge is for all of them');
    },
  ));

test('without copied headers, visitors who pass share stored responses', () =>
  withDecider(
    (pending) => pending.answer(pending.field('cookie') === undefined ? 401 : 200),
    async ({ get, served }) => {
      for (const user of ['ann', 'bob']) assert.is((await get('/a', { headers: ['cookie', user] })).status, 200);
      assert.is((await get('/a')).status, 401);
      assert.is(served.length, 1);
    },
    [{ action: { type: 'authenticate', forward: { url: URL_OF_DECIDER } } }],
  ));

test('later rules run for visitors who pass, and a dry run lets everybody pass', async () => {
  const deny: Rule = { match: { path: { suffix: ['/no'] } }, action: { type: 'deny' } };
  await withDecider(
    (pending) => allow(pending),
    async ({ get, served }) => {
      assert.is((await get('/private/no')).status, 403);
      assert.equal((await get('/private')).field('x-late'), '1');
      assert.is(served[0].field('remote-user'), 'ann');
    },
    [RULE, deny, { action: { type: 'set_response_header', name: 'X-Late', value: '1' } }],
  );
  await withDecider(
    (pending) => pending.answer(403),
    async ({ get, decisions }) => {
      assert.is((await get('/private')).status, 200);
      assert.is(decisions.length, 0);
    },
    [{ ...RULE, dry_run: true }],
  );
});

test('a WebSocket and a CORS preflight are decided about first', () =>
  withDecider(
    (pending) => pending.answer(401),
    async ({ get, decisions, served }) => {
      const key = ['sec-websocket-key', Buffer.alloc(16).toString('base64'), 'sec-websocket-version', '13'];
      assert.is((await get('/private', { protocol: 'websocket', headers: key })).status, 401);
      assert.is((await get('/private', { protocol: 'websocket', method: 'CONNECT', version: '2' })).status, 401);
      assert.is((await get('/private', { method: 'OPTIONS', headers: ['origin', 'https://a.test'] })).status, 401);
      assert.equal(
        decisions.map((pending) => pending.field('x-forwarded-method')),
        ['GET', 'GET', 'OPTIONS'],
      );
      assert.is(decisions[0].field('sec-websocket-key'), undefined);
      assert.is(served.length, 0);
    },
  ));

test('without a decision nothing passes', async () => {
  const ROWS = [
    ['forbidden', 502],
    ['refused', 502],
    ['tls', 502],
    ['malformed', 502],
    ['header-timeout', 504],
    ['busy', 503],
  ] as const;
  for (const [fault, status] of ROWS)
    await withDecider(
      (pending) => pending.fail(fault),
      async ({ get, served }) => {
        const answer = await get('/private', { headers: ['accept', 'application/json'] });
        assert.equal([answer.status, JSON.parse(answer.text).error.code], [status, 'auth_unavailable'], fault);
        assert.not.match(answer.text, /auth\.example\.net|203\.0\.113/);
        assert.is(served.length, 0);
      },
    );
});

test('the disconnect of the visitor cancels the decision', () =>
  withDecider(
    () => {},
    async ({ begin, decisions, served, records }) => {
      const { exchange, handled } = begin({ path: '/private' });
      await settled();
      exchange.leave();
      await handled;
      assert.ok(decisions[0].isCancelled);
      assert.equal([served.length, records.map(({ status }) => status)], [0, [499]]);
    },
  ));

test.run();
