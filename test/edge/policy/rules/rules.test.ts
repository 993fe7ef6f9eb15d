/** Rules at the edge: what visitors, the cache and the origin see of each action. */

import { gunzipSync } from 'node:zlib';
import { hash } from '@node-rs/argon2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RULE_TEMPLATES, type Rule } from '../../../../core/site/rules/index.ts';
import { fieldValue } from '../../../../edge/cache/rules/fields.ts';
import { BodyCompressor } from '../../../../edge/compress/body.ts';
import { Challenge } from '../../../../edge/policy/challenge/challenge.ts';
import { ChallengeTokens } from '../../../../edge/policy/challenge/token.ts';
import { SITE } from '../../proxy/cache-rig.ts';
import type { FakeExchange, FakeRequest } from '../../proxy/fake-exchange.ts';
import { time, withRules } from './rig.ts';

const test = suite('rules at the edge');

const header = (exchange: FakeExchange, name: string): string | undefined => exchange.field(name);
const statusOf = (exchange: FakeExchange): number => exchange.status;

test('deny, allow, error_page, maintenance and redirect answer without the origin', async () => {
  await withRules(
    [
      { match: { path: { prefix: ['/open'] } }, action: { type: 'allow' } },
      { match: { path: { exact: ['/403'] } }, action: { type: 'deny' } },
      { match: { path: { exact: ['/410'] } }, action: { type: 'error_page', status: 410, message: 'Gone for good.' } },
      { match: { path: { exact: ['/503'] } }, action: { type: 'maintenance', retry_after: 60 } },
      {
        match: { path: { prefix: ['/old/'] } },
        action: { type: 'redirect', location: 'https://example.com/new/{rest}{query}', status: 308 },
      },
      { match: { path: { glob: ['/here**'] } }, action: { type: 'redirect', location: '{uri}' } },
    ],
    async (rig) => {
      assert.is(statusOf(await rig.get('/403')), 403);
      assert.is(statusOf(await rig.get('/%34%30%33')), 403);
      const gone = await rig.get('/410');
      assert.is(statusOf(gone), 410);
      assert.match(gone.text, /Gone for good\./);
      const closed = await rig.get('/503');
      assert.equal([statusOf(closed), header(closed, 'retry-after')], [503, '60']);
      const moved = await rig.get('/old/a%20b?c=d');
      assert.equal(
        [statusOf(moved), header(moved, 'location'), header(moved, 'content-length')],
        [308, 'https://example.com/new/a%20b?c=d', '0'],
      );
      assert.is(header(await rig.get('/here//evil.test'), 'location'), '/here//evil.test');
      assert.is(rig.origin.requests.length, 0);
      assert.is(statusOf(await rig.get('/open')), 200);
      assert.equal(
        rig.records.map(({ status }) => status),
        [403, 403, 410, 503, 308, 302, 200],
      );
    },
  );
});

test('a fixed response has its body, type and status', async () => {
  const robots = 'User-agent: *\nDisallow: /private/ – ü\n';
  await withRules(
    [
      { match: { path: { exact: ['/robots.txt'] } }, action: { type: 'respond', body: robots } },
      {
        match: { path: { exact: ['/.well-known/security.txt'] } },
        action: { type: 'respond', body: '{"a":1}', content_type: 'application/json', status: 410 },
      },
    ],
    async (rig) => {
      const found = await rig.get('/robots.txt');
      assert.equal([found.status, found.text], [200, robots]);
      assert.is(found.field('content-type'), 'text/plain; charset=utf-8');
      assert.is(found.field('content-length'), String(Buffer.byteLength(robots)));
      const head = await rig.get('/robots.txt', { method: 'HEAD' });
      assert.equal([head.status, head.field('content-length')], [200, found.field('content-length')]);
      const gone = await rig.get('/.well-known/security.txt');
      assert.equal([gone.status, gone.field('content-type'), gone.text], [410, 'application/json', '{"a":1}']);
      assert.is(rig.origin.requests.length, 0);
    },
  );
});

test('a redirect to the path never leads to another host', async () => {
  await withRules([{ action: { type: 'redirect', location: '{path}' } }], async (rig) => {
    assert.is(header(await rig.get('//evil.test/'), 'location'), '/evil.test/');
  });
});

test('headers of requests and responses are set and removed, also of stored responses', async () => {
  await withRules(
    [
      { action: { type: 'set_request_header', name: 'X-Tenant', value: 'a b' } },
      { action: { type: 'remove_request_header', name: 'Cookie' } },
      { action: { type: 'set_response_header', name: 'X-Frame-Options', value: 'DENY' } },
      { action: { type: 'remove_response_header', name: 'X-Old' } },
      { action: { type: 'cache', ttl: 60 } },
    ],
    async (rig) => {
      for (const outcome of ['miss', 'hit', 'hit']) {
        const exchange = await rig.get('/a', { headers: ['cookie', 'a=1'] });
        assert.equal([header(exchange, 'x-frame-options'), header(exchange, 'x-old')], ['DENY', undefined]);
        assert.is(header(exchange, 'cdn-cache-control'), undefined);
        assert.is(rig.records.at(-1)!.cache, outcome);
      }
      const { request } = rig.origin.last;
      assert.equal(
        [fieldValue(request.headers, 'x-tenant'), fieldValue(request.headers, 'cookie')],
        ['a b', undefined],
      );
    },
  );
});

const setRequest = (name: string, value: string): Rule => ({ action: { type: 'set_request_header', name, value } });
const setResponse = (name: string, value: string): Rule => ({ action: { type: 'set_response_header', name, value } });

test('placeholders of headers are values of the visitor and of the request', async () => {
  await withRules(
    [
      setRequest('X-Real-IP', '{client.ip}'),
      setRequest('X-Visitor', '{client.ip}:{client.port} {scheme}://{host}{uri} {tls.version}'),
      setRequest('X-Country', '{client.country}'),
      setRequest('X-Json', '{"a":{"b":1}}'),
      { ...setRequest('X-Shop', '{rest}'), match: { path: { prefix: ['/shop/'] } } },
      setRequest('X-Id', 'id={request.id}'),
      setResponse('X-Request-Id', '{request.id}'),
    ],
    async (rig) => {
      const visitor = { address: '198.51.100.9', headers: ['x-real-ip', '192.0.2.1', 'x-country', 'XX'] };
      const response = await rig.get('/shop/a%2Fb?c', visitor);
      const { request } = rig.origin.last;
      const sent = (name: string): string | undefined => fieldValue(request.headers, name);
      assert.is(sent('x-real-ip'), '198.51.100.9');
      assert.is(sent('x-visitor'), '198.51.100.9:50000 https://www.example.com/shop/a%2Fb?c TLSv1.3');
      assert.is(sent('x-country'), undefined, 'an unknown country: the header is not sent');
      assert.is(sent('x-json'), '{"a":{"b":1}}');
      assert.is(sent('x-shop'), 'a%2Fb');
      assert.is(sent('x-id'), `id=${request.id}`);
      assert.is(header(response, 'x-request-id'), request.id);
      assert.is(rig.records.at(-1)!.requestId, request.id);
    },
  );
});

test('behind a trusted proxy, the address of a placeholder is that of the visitor, without a port', async () => {
  await withRules(
    [setRequest('X-Real-IP', '{client.ip}'), setRequest('X-Port', '{client.port}')],
    async (rig) => {
      await rig.get('/', {
        address: '192.0.2.1',
        headers: ['x-forwarded-for', '203.0.113.5', 'x-real-ip', '10.0.0.1'],
      });
      const { headers } = rig.origin.last.request;
      assert.equal([fieldValue(headers, 'x-real-ip'), fieldValue(headers, 'x-port')], ['203.0.113.5', undefined]);
    },
    { trusts: (address) => address === '192.0.2.1' },
  );
});

test('a header longer than 8 KB because of its placeholders is not sent', async () => {
  await withRules([setRequest('X-Paths', '{uri}{uri}{uri}')], async (rig) => {
    await rig.get(`/${'a'.repeat(2000)}`);
    assert.is(fieldValue(rig.origin.last.request.headers, 'x-paths')?.length, 6003);
    await rig.get(`/${'a'.repeat(3000)}`);
    assert.is(fieldValue(rig.origin.last.request.headers, 'x-paths'), undefined);
  });
});

test('stored responses get the values of each visitor', async () => {
  await withRules(
    [
      { action: { type: 'cache', ttl: 60 } },
      setRequest('X-Real-IP', '{client.ip}'),
      setResponse('X-Your-Address', '{client.ip}'),
      setResponse('X-Request-Id', '{request.id}'),
    ],
    async (rig) => {
      const ids = new Set<string | undefined>();
      for (const [address, outcome] of [
        ['198.51.100.1', 'miss'],
        ['198.51.100.2', 'hit'],
        ['198.51.100.1', 'hit'],
        ['198.51.100.1', 'hit'],
      ]) {
        const exchange = await rig.get('/a', { address });
        assert.equal([header(exchange, 'x-your-address'), rig.records.at(-1)!.cache], [address, outcome]);
        assert.is(header(exchange, 'x-request-id'), rig.records.at(-1)!.requestId);
        ids.add(header(exchange, 'x-request-id'));
      }
      assert.is(ids.size, 4);
    },
  );
});

test('what the origin gets of the URL distinguishes stored responses, even if their key has no query', async () => {
  await withRules(
    [{ action: { type: 'cache', ttl: 60, key: { query_only: [] } } }, setRequest('X-Query', 'q={query}')],
    async (rig) => {
      for (const [path, outcome] of [
        ['/a?1', 'miss'],
        ['/a?2', 'miss'],
        ['/a?1', 'hit'],
      ]) {
        await rig.get(path);
        assert.is(rig.records.at(-1)!.cache, outcome, path);
      }
    },
  );
});

test('a value of an older document with braces is sent as it is', async () => {
  await withRules([setRequest('X-Old', 'a {unknown} {host}')], async (rig) => {
    await rig.get('/');
    assert.is(fieldValue(rig.origin.last.request.headers, 'x-old'), 'a {unknown} {host}');
  });
});

test('a rewritten path reaches the origin and the key of the cache', async () => {
  await withRules(
    [
      { match: { path: { prefix: ['/blog/'] } }, action: { type: 'rewrite', path: '/sites/{host}/{rest}' } },
      {
        match: { path: { regex: ['^/u/([a-z]+)/(\\d+)$'] } },
        action: { type: 'rewrite', path: '/user?name={1}&id={2}' },
      },
      { action: { type: 'cache', ttl: 60 } },
    ],
    async (rig) => {
      await rig.get('/blog/2024?page=2');
      assert.is(rig.origin.last.request.path, '/sites/www.example.com/2024?page=2');
      await rig.get('/u/ann/12?x=y');
      assert.is(rig.origin.last.request.path, '/user?name=ann&id=12');
      await rig.get('/user?name=ann&id=12');
      assert.is(rig.records.at(-1)!.cache, 'hit');
    },
  );
});

test('the cache: lifetimes, bypass and parts of the key', async () => {
  await withRules(
    [
      { match: { path: { prefix: ['/static/'] } }, action: { type: 'cache', ttl: 100, key: { query_only: ['v'] } } },
      { match: { path: { prefix: ['/lang/'] } }, action: { type: 'cache', ttl: 100, key: { cookies: ['lang'] } } },
      { match: { cookie: [{ name: 'session' }] }, action: { type: 'bypass_cache' } },
    ],
    async (rig) => {
      const outcomes = async (...requests: readonly (readonly [string, string?])[]): Promise<string[]> => {
        const found: string[] = [];
        for (const [path, cookie] of requests) {
          await rig.get(path, { headers: cookie === undefined ? [] : ['cookie', cookie] });
          found.push(rig.records.at(-1)!.cache);
        }
        return found;
      };
      assert.equal(
        await outcomes(
          ['/static/a?v=1&utm=1'],
          ['/static/a?utm=2&v=1'],
          ['/static/a?v=2'],
          ['/static/a?v=1', 'session=1'],
        ),
        ['miss', 'hit', 'miss', 'bypass'],
      );
      assert.equal(
        await outcomes(['/lang/a', 'lang=de'], ['/lang/a', 'x=1; lang=de'], ['/lang/a', 'lang=fr'], ['/lang/a']),
        ['miss', 'hit', 'miss', 'miss'],
      );
      assert.equal(await outcomes(['/other'], ['/other']), ['miss', 'miss']);
      // A purge names the URL, whatever rules add to the key.
      await rig.purge({ domainId: SITE.domainId, urls: ['https://www.example.com/lang/a'], prefixes: [], tags: [] });
      assert.equal(await outcomes(['/lang/a', 'lang=de'], ['/lang/a', 'lang=fr']), ['miss', 'miss']);
      rig.now += 101_000;
      assert.equal(await outcomes(['/lang/a', 'lang=de']), ['miss']);
    },
  );
});

test('a lifetime of a rule fills in, or overrides; cookies are never shared', async () => {
  const rules = (override: boolean): Rule[] => [{ action: { type: 'cache', ttl: 100, override } }];
  const answers: Readonly<Record<string, readonly string[]>> = {
    '/silent': [],
    '/private': ['cache-control', 'private, max-age=9'],
    '/short': ['cache-control', 'max-age=0'],
    '/cookie': ['set-cookie', 'a=1'],
  };
  for (const override of [false, true])
    await withRules(
      rules(override),
      async (rig) => {
        const stored: string[] = [];
        for (const path of Object.keys(answers)) {
          await rig.get(path);
          await rig.get(path);
          if (rig.records.at(-1)!.cache === 'hit') stored.push(path);
        }
        assert.equal(stored, override ? ['/silent', '/private', '/short'] : ['/silent']);
      },
      { onRequest: (pending) => pending.answer(200, [...answers[pending.request.path]], 'x') },
    );
});

let bodies = 0;

test('a maximum shortens the lifetime of the origin, and permits nothing else', async () => {
  const answers: Readonly<Record<string, readonly [seconds: number, ...fields: string[]]>> = {
    '/shared': [60, 'cache-control', 's-maxage=31536000'],
    '/none': [0, 'cache-control', 'private, no-cache, no-store, max-age=0, must-revalidate'],
    '/stale': [60, 'cache-control', 'max-age=10, stale-while-revalidate=31535700'],
    '/expires': [60, 'expires', 'Thu, 31 Dec 2099 23:59:59 GMT'],
    '/targeted': [60, 'cache-control', 'no-store', 'cdn-cache-control', 'max-age=9000'],
    '/short': [5, 'cache-control', 'max-age=5'],
    '/short-stale': [8, 'cache-control', 'max-age=5, stale-while-revalidate=3'],
    '/private': [0, 'cache-control', 'private, max-age=9000'],
    '/cookie': [0, 'cache-control', 'max-age=9000', 'set-cookie', 'a=1'],
    '/silent': [0],
  };
  await withRules(
    [{ action: { type: 'cache', max_ttl: 60 } }],
    async (rig) => {
      const begin = rig.now;
      const wrong: string[] = [];
      for (const [path, [seconds, name, value]] of Object.entries(answers))
        for (const after of [4, 7, 59, 61]) {
          rig.now = begin;
          const target = `${path}?${after}`;
          const first = await rig.get(target);
          rig.now = begin + after * 1000;
          const second = await rig.get(target);
          const isUsed = second.text === first.text;
          if (isUsed !== after < seconds) wrong.push(`${target}: ${isUsed ? 'used' : 'not used'}`);
          // Visitors receive what the origin says.
          if (name !== undefined) assert.is(header(second, name as string), value);
          assert.is(header(second, 'cdn-cache-control'), undefined);
        }
      assert.equal(wrong, []);
    },
    {
      onRequest: (pending) => {
        const [, ...fields] = answers[pending.request.path.split('?')[0]];
        pending.answer(200, fields, `${++bodies}`);
      },
    },
  );
});

/** Fields of `next start`, version 16.4.6: https://nextjs.org/docs/app/guides/cdn-caching. */
const NEXT: Readonly<Record<string, string>> = {
  '/': 's-maxage=31536000',
  '/isr': 's-maxage=300, stale-while-revalidate=31535700',
  '/dynamic': 'private, no-cache, no-store, max-age=0, must-revalidate',
  '/_next/static/chunks/1a2b3.js': 'public, max-age=31536000, immutable',
  '/_next/image?url=%2Fa.png&w=64&q=75': 'public, max-age=14400, must-revalidate',
};
const NEXT_VARY = 'rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch';

test('the template for Next.js renews pages each minute, and keeps files', async () => {
  await withRules(
    RULE_TEMPLATES.find(({ name }) => name === 'next')!.rules('example.com'),
    async (rig) => {
      const results = async (headers: readonly string[]): Promise<string> => {
        const all: string[] = [];
        for (const path of Object.keys(NEXT)) {
          await rig.get(path, { headers });
          all.push(rig.records.at(-1)!.cache);
        }
        return all.join(' ');
      };
      const begin = rig.now;
      assert.is(await results([]), 'miss miss miss miss miss');
      rig.now = begin + 59_000;
      assert.is(await results([]), 'hit hit miss hit hit');
      // The data of a page is not the page.
      assert.is(await results(['rsc', '1']), 'miss miss miss hit hit');
      assert.is(await results(['cookie', '__prerender_bypass=1a2b3']), 'bypass bypass bypass bypass bypass');
      rig.now = begin + 61_000;
      assert.is(await results([]), 'miss miss miss hit hit');
    },
    {
      onRequest: (pending) => {
        const { path } = pending.request;
        const vary = path.startsWith('/_next/') ? [] : ['vary', NEXT_VARY];
        pending.answer(200, ['cache-control', NEXT[path], ...vary], 'x');
      },
    },
  );
});

test('a rate limit counts by address, header or cookie, lets bursts pass, and recovers', async () => {
  const by: readonly (readonly [by: string, first: FakeRequest, second: FakeRequest])[] = [
    ['address', { address: '192.0.2.1' }, { address: '192.0.2.2' }],
    ['network', { address: '192.0.2.1' }, { address: '192.0.3.1' }],
    ['header:X-Key', { headers: ['x-key', 'a'] }, { headers: ['x-key', 'b'] }],
    ['cookie:key', { headers: ['cookie', 'key=a'] }, { headers: ['cookie', 'key=b'] }],
  ];
  for (const [key, first, second] of by)
    await withRules([{ action: { type: 'limit', requests: 60, period: 60, burst: 3, by: key } }], async (rig) => {
      const send = async (request: FakeRequest): Promise<number> => statusOf(await rig.get('/', request));
      assert.equal([await send(first), await send(first), await send(first)], [200, 200, 200]);
      const stopped = await rig.get('/', first);
      assert.equal([statusOf(stopped), header(stopped, 'retry-after')], [429, '1']);
      assert.is(await send(second), 200);
      time.now += 1000;
      assert.equal([await send(first), await send(first)], [200, 429]);
    });
});

test('basic_auth accepts the password, and asks for it otherwise', async () => {
  const password = await hash('correct horse', { memoryCost: 64, timeCost: 1, parallelism: 1 });
  const basic = (text: string): string[] => ['authorization', `Basic ${Buffer.from(text).toString('base64')}`];
  await withRules(
    [
      { action: { type: 'basic_auth', realm: 'Staff', users: [{ name: 'ann', hash: password }] } },
      { match: { path: { exact: ['/denied'] } }, action: { type: 'deny' } },
    ],
    async (rig) => {
      const anonymous = await rig.get('/');
      assert.equal(
        [statusOf(anonymous), header(anonymous, 'www-authenticate')],
        [401, 'Basic realm="Staff", charset="UTF-8"'],
      );
      for (const wrong of ['ann:correct', 'bob:correct horse', 'ann', ''])
        assert.is(statusOf(await rig.get('/', { headers: basic(wrong) })), 401, wrong);
      for (let i = 0; i < 2; i++) assert.is(statusOf(await rig.get('/', { headers: basic('ann:correct horse') })), 200);
      assert.is(statusOf(await rig.get('/denied', { headers: basic('ann:correct horse') })), 403);
    },
  );
});

test('challenge stops who has not passed, and leads the others on to later rules', async () => {
  const keys = [Buffer.alloc(32, 5)];
  const answered: number[] = [];
  const challenge = new Challenge({
    keys,
    networkOf: ({ client }) => client.address,
    schemeOf: ({ scheme }) => scheme,
    onAnswer: (_exchange, _site, status) => answered.push(status),
    now: () => time.now / 1000,
  });
  const expiresAt = time.now / 1000 + 60;
  const passOf = (network: string): string =>
    `__Host-waypost-pass=${new ChallengeTokens(keys).createPass(expiresAt, { domainId: SITE.domainId, network })}`;
  const visitor = { address: '192.0.2.1', headers: ['accept', 'text/html'] };
  const holder = { ...visitor, headers: [...visitor.headers, 'cookie', passOf(visitor.address)] };
  await withRules(
    [
      { action: { type: 'set_response_header', name: 'X-Before', value: 'kept' } },
      { match: { path: { exact: ['/dry'] } }, dry_run: true, action: { type: 'challenge' } },
      { except: { path: { exact: ['/dry'] } }, action: { type: 'challenge' } },
      { action: { type: 'set_response_header', name: 'X-After', value: 'reached' } },
      { match: { path: { exact: ['/denied'] } }, action: { type: 'deny' } },
    ],
    async (rig) => {
      for (const path of ['/page', '/denied']) {
        const stopped = await rig.get(path, visitor);
        assert.is(statusOf(stopped), 403, path);
        assert.match(stopped.text, /name="token"/, path);
      }
      const program = await rig.get('/page', { address: visitor.address });
      assert.match(program.text, /Open the site in a browser/);
      const borrowed = await rig.get('/page', { ...holder, address: '192.0.2.2' });
      assert.match(borrowed.text, /name="token"/, 'the pass of another client');
      assert.is(rig.origin.requests.length, 0);
      assert.equal(answered, [403, 403, 403, 403]);
      const [before] = rig.flush();
      assert.equal([...before.matched], [4, 0, 4, 0, 0]);
      assert.equal([...before.stopped], [0, 0, 4, 0, 0]);

      const passed = await rig.get('/page', holder);
      assert.equal(
        [statusOf(passed), passed.text, header(passed, 'x-before'), header(passed, 'x-after')],
        [200, 'hello', 'kept', 'reached'],
      );
      const denied = await rig.get('/denied', holder);
      assert.is(statusOf(denied), 403);
      assert.not.match(denied.text, /name="token"/);
      const dry = await rig.get('/dry', visitor);
      assert.equal([statusOf(dry), header(dry, 'x-after')], [200, 'reached']);
      assert.is(answered.length, 4, 'the challenge has answered none of these');
      const [after] = rig.flush();
      assert.equal([...after.matched], [3, 1, 2, 3, 1]);
      assert.equal([...after.stopped], [0, 0, 0, 0, 1]);
      time.now += 61_000;
      assert.match((await rig.get('/page', holder)).text, /name="token"/, 'the pass has expired');
    },
    { challenge: (exchange, site) => challenge.demand(exchange, site) },
  );
});

for (const [size, text] of [
  // A body of up to 32 KiB is compressed at once, a longer one while it is sent.
  ['short', 'some text, '.repeat(100)],
  ['long', 'some text, '.repeat(10_000)],
] as const)
  test(`no_compression leaves a ${size} body as it is, on a miss, a hit and past the cache`, async () => {
    await withRules(
      [
        { match: { header: [{ name: 'x-plain' }] }, action: { type: 'no_compression' } },
        { match: { path: { prefix: ['/passed'] } }, action: { type: 'bypass_cache' } },
      ],
      async (rig) => {
        const encodings = ['accept-encoding', 'gzip'];
        for (const [plainPath, codedPath, outcome] of [
          ['/a', '/b', 'miss'],
          // Each of the URLs was stored by the other kind of visitor.
          ['/b', '/a', 'hit'],
          ['/a', '/b', 'hit'],
          ['/passed', '/passed', 'bypass'],
        ]) {
          const plain = await rig.get(plainPath, { headers: [...encodings, 'x-plain', '1'] });
          const about = `${outcome} of ${plainPath}`;
          assert.is(rig.records.at(-1)!.cache, outcome, about);
          assert.equal([statusOf(plain), header(plain, 'content-encoding')], [200, undefined], about);
          assert.ok(plain.text === text, `${about}: the body is as the origin sent it`);
          const coded = await rig.get(codedPath, { headers: encodings });
          assert.is(rig.records.at(-1)!.cache, outcome, about);
          assert.is(header(coded, 'content-encoding'), 'gzip', `${about}, without the rule`);
          assert.ok(gunzipSync(Buffer.concat(coded.parts)).toString() === text, about);
        }
      },
      {
        compression: { bodies: new BodyCompressor(10), minBytes: 100 },
        cache: { minCompressBytes: 100 },
        onRequest: (pending) =>
          pending.answer(200, ['cache-control', 'max-age=60', 'content-type', 'text/plain'], text),
      },
    );
  });

test('a pool is selected by its label, and has responses of its own in the cache', async () => {
  await withRules(
    [
      { match: { header: [{ name: 'x-beta' }] }, action: { type: 'origin', name: 'beta' } },
      { action: { type: 'cache', ttl: 60 } },
    ],
    async (rig) => {
      const hosts: string[] = [];
      for (const headers of [[], ['x-beta', '1'], [], ['x-beta', '1']]) {
        await rig.get('/', { headers });
        hosts.push(`${rig.records.at(-1)!.cache} ${rig.origin.last.request.origin.host}`);
      }
      assert.equal(hosts, [
        'miss 203.0.113.9',
        'miss beta.example.net',
        'hit beta.example.net',
        'hit beta.example.net',
      ]);
    },
  );
});

test('a dry run counts, and does nothing', async () => {
  await withRules(
    [
      { dry_run: true, action: { type: 'deny' } },
      { dry_run: true, action: { type: 'limit', requests: 1, period: 60 } },
      { match: { path: { exact: ['/x'] } }, action: { type: 'deny' } },
    ],
    async (rig) => {
      assert.equal(
        [statusOf(await rig.get('/')), statusOf(await rig.get('/')), statusOf(await rig.get('/x'))],
        [200, 200, 403],
      );
      const [counts] = rig.flush();
      assert.equal([counts.domainId, counts.revision], ['7', 3]);
      assert.equal([...counts.matched], [3, 3, 1]);
      assert.equal([...counts.stopped], [0, 2, 1]);
      assert.equal(rig.flush(), []);
    },
  );
});

test('a document that this version cannot read serves nothing', async () => {
  await withRules([{ action: { type: 'rewrite', path: '{unknown}' } }], async (rig) => {
    assert.is(statusOf(await rig.get('/')), 503);
  });
});

const HOME = { path: { exact: ['/page'] } };
const STAFF = { client: ['203.0.113.0/24'] };
const USERS = [{ name: 'ann', hash: '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA' }];

/** Rules, and what becomes of a prefetch of /page. */
const PREFETCHES: readonly (readonly [name: string, rules: readonly Rule[], result: string])[] = [
  ['a limit', [{ action: { type: 'limit', requests: 1, period: 60 } }], 'stored'],
  ['a challenge', [{ action: { type: 'challenge' } }], 'stored'],
  ['a dry run', [{ dry_run: true, action: { type: 'deny' } }], 'stored'],
  ['a country', [{ except: { country: ['DE'] }, action: { type: 'deny' } }], 'stored'],
  ['a header', [{ match: { header: [{ name: 'accept' }] }, action: { type: 'redirect', location: '/' } }], 'stored'],
  ['a cookie', [{ match: { cookie: [{ name: 'a', absent: true }] }, action: { type: 'maintenance' } }], 'stored'],
  ['the staff only', [{ match: HOME, except: STAFF, action: { type: 'deny' } }], 'stored'],
  ['all visitors of the path', [{ match: HOME, action: { type: 'deny' } }], 'excluded'],
  ['another path', [{ match: { path: { exact: ['/x'] } }, action: { type: 'deny' } }], 'stored'],
  ['all but allowed visitors', [{ match: STAFF, action: { type: 'allow' } }, { action: { type: 'deny' } }], 'excluded'],
  ['a path that is allowed', [{ match: HOME, action: { type: 'allow' } }, { action: { type: 'deny' } }], 'stored'],
  ['a redirect', [{ match: HOME, action: { type: 'redirect', location: '/' } }], 'excluded'],
  ['maintenance', [{ action: { type: 'maintenance' } }], 'excluded'],
  ['an error page', [{ action: { type: 'error_page', status: 410 } }], 'excluded'],
  ['no cache', [{ match: HOME, action: { type: 'bypass_cache' } }], 'excluded'],
  ['a password', [{ action: { type: 'basic_auth', users: USERS } }], 'not-stored'],
  ['a decision', [{ action: { type: 'authenticate', forward: { url: 'https://auth.test/' } } }], 'excluded'],
];

for (const [name, rules, result] of PREFETCHES)
  test(`a prefetch with a rule for ${name}: ${result}`, async () => {
    await withRules(
      rules,
      async (rig) => {
        assert.is(await rig.prefetch({ key: 'https://www.example.com/page', selecting: [] }), result);
        assert.is(rig.origin.requests.length, result === 'excluded' ? 0 : 1);
        assert.equal([rig.flush(), rig.records], [[], []], 'nothing is counted');
      },
      { onRequest: (pending) => pending.answer(200, ['cache-control', 'max-age=60'], 'hello') },
    );
  });

test('a prefetch behind a password is stored if the origin allows it for Authorization', async () => {
  await withRules(
    [{ action: { type: 'basic_auth', users: USERS } }],
    async (rig) => {
      assert.is(await rig.prefetch({ key: 'https://www.example.com/page', selecting: [] }), 'stored');
      assert.is(statusOf(await rig.get('/page')), 401, 'the rule still holds for visitors');
    },
    { onRequest: (pending) => pending.answer(200, ['cache-control', 'public, max-age=60'], 'hello') },
  );
});

test('a prefetch has the changes of rules: headers, path, origin, lifetime', async () => {
  await withRules(
    [
      { action: { type: 'set_request_header', name: 'X-Tenant', value: 'a' } },
      { action: { type: 'origin', name: 'beta' } },
      { action: { type: 'rewrite', path: '/new' } },
      { action: { type: 'cache', ttl: 60 } },
    ],
    async (rig) => {
      assert.is(await rig.prefetch({ key: 'https://www.example.com/page', selecting: [] }), 'stored');
      const [{ request }] = rig.origin.requests;
      assert.equal(
        [request.path, request.origin.host, fieldValue(request.headers, 'x-tenant')],
        ['/new', 'beta.example.net', 'a'],
      );
      assert.match(header(await rig.get('/page'), 'cache-status') ?? '', /; hit/);
      assert.is(rig.origin.requests.length, 1);
    },
  );
});

test.run();
