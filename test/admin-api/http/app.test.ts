/** Behaviour that all endpoints share, over both transports. */

import { hostname } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { depth } from '../../support/depth.ts';
import fc, { ANY_CHARACTER } from '../../support/fc.ts';
import { type Daemon, startDaemon } from '../daemon.ts';
import { testedTransports } from '../transports.ts';

function everywhere(transport: 'uws' | 'node'): void {
  const test = suite<{ daemon: Daemon; domain: string; record: string }>(`api over ${transport}`);
  test.before(async (context) => {
    const daemon = await startDaemon(transport);
    const domain = String(
      (await daemon.call('POST', '/api/v1/domains', { json: { domain: 'example.net' } })).body.domain.id,
    );
    const json = { name: 'www', type: 'A', content: '192.0.2.1' };
    const { body } = await daemon.call('POST', `/api/v1/domains/${domain}/records`, { json });
    Object.assign(context, { daemon, domain, record: String(body.record.id) });
  });
  test.after(({ daemon }) => daemon.stop());

  test('the health endpoints need no token', async ({ daemon }) => {
    const node = hostname();
    assert.equal((await daemon.call('GET', '/healthz', { token: null })).body as unknown, { ok: true, node });
    assert.equal((await daemon.call('GET', '/readyz', { token: null })).body as unknown, {
      ok: true,
      node,
      reasons: [],
      warnings: [],
    });
  });

  test('checks the token before everything else', async ({ daemon, domain, record }) => {
    for (const [method, path] of [
      ['GET', '/api/v1/account'],
      ['GET', '/api/v1/tokens'],
      ['POST', '/api/v1/tokens'],
      ['DELETE', '/api/v1/tokens/0'],
      ['GET', '/api/v1/accounts'],
      ['POST', '/api/v1/accounts'],
      ['GET', '/api/v1/domains'],
      ['POST', '/api/v1/domains'],
      ['GET', `/api/v1/domains/${domain}`],
      ['DELETE', `/api/v1/domains/${domain}`],
      ['GET', `/api/v1/domains/${domain}/records`],
      ['POST', `/api/v1/domains/${domain}/records`],
      ['PUT', `/api/v1/domains/${domain}/records/${record}`],
      ['DELETE', `/api/v1/domains/${domain}/records/${record}`],
      ['GET', `/api/v1/domains/${domain}/zonefile`],
      ['PUT', `/api/v1/domains/${domain}/zonefile`],
    ])
      assert.is((await daemon.call(method, path, { token: null })).status, 401, `${method} ${path}`);
  });

  test('reports the error in a request', async ({ daemon, domain }) => {
    const records = `/api/v1/domains/${domain}/records`;
    const json = { 'content-type': 'application/json' };
    for (const [method, path, options, status, code] of [
      ['GET', '/nowhere', {}, 404, 'no_such_endpoint'],
      ['GET', '/api/v1/domains/%ff', {}, 400, 'bad_escape'],
      ['PATCH', '/api/v1/domains', {}, 405, 'method_not_allowed'],
      ['GET', '/api/v1/domains/9007199254740991', {}, 404, 'no_such_domain'],
      ['GET', '/api/v1/domains/..', {}, 404, 'no_such_endpoint'],
      ['GET', "/api/v1/domains/1'OR", {}, 404, 'no_such_domain'],
      ['POST', records, { body: '{}' }, 415, 'unsupported_media_type'],
      ['POST', records, { body: '{}', headers: { 'content-type': 'text/html' } }, 415, 'unsupported_media_type'],
      ['POST', records, { body: '', headers: json }, 400, 'malformed_json'],
      ['POST', records, { body: '{"name":', headers: json }, 400, 'malformed_json'],
      ['POST', records, { body: Buffer.from([0xff, 0xfe]), headers: json }, 400, 'malformed_json'],
      ['POST', records, { body: '[]', headers: json }, 400, 'malformed_json'],
      ['POST', records, { body: `{"name":"${'x'.repeat(2 << 20)}"}`, headers: json }, 413, 'body_too_large'],
    ] as const) {
      const answer = await daemon.call(method, path, options);
      assert.equal([answer.status, String(answer.body.error?.code)], [status, code], `${method} ${path}`);
      assert.is(answer.headers.get('x-request-id'), answer.body.request_id as never);
      assert.is(answer.headers.get('content-type'), 'application/json');
    }
  });

  test('says how to begin where there is no endpoint', async ({ daemon }) => {
    const { body } = await daemon.call('GET', '/api/v1/nothing', { token: null });
    assert.match(String(body.error.message), /GET \/api\/v1\/openapi\.json lists all; .*POST \/api\/v1\/auth\/token/);
    const root = await daemon.call('GET', '/api/v1', { token: null });
    assert.match(String(root.body.error.message), /^Send a token: .* Get one from POST \/api\/v1\/auth\/token\.$/);
  });

  test('reports several errors of one body at once', async ({ daemon, domain }) => {
    const { body } = await daemon.call('POST', `/api/v1/domains/${domain}/records`, { json: { name: 1, ttl: 'x' } });
    assert.equal(
      Object.values(body.error.details)
        .map((detail) => String(detail.pointer))
        .sort(),
      ['/content', '/name', '/ttl', '/type'],
    );
  });

  test('HEAD and OPTIONS', async ({ daemon }) => {
    const head = await daemon.call('HEAD', '/api/v1/domains');
    assert.equal([head.status, head.text], [200, '']);
    const options = await daemon.call('OPTIONS', '/api/v1/domains', { token: null });
    assert.equal([options.status, options.headers.get('allow')], [200, 'GET, HEAD, OPTIONS, POST']);
  });

  test('an unexpected error is a logged 500 without details', async ({ daemon, domain }) => {
    const original = daemon.environment.zones.get;
    Object.assign(daemon.environment.zones, {
      get() {
        throw new Error('secret internals');
      },
    });
    try {
      const answer = await daemon.call('GET', `/api/v1/domains/${domain}`);
      assert.equal([answer.status, String(answer.body.error.code)], [500, 'internal']);
      assert.not.match(answer.text, 'secret');
      const line = daemon.logged.find((row) => row.includes(String(answer.body.request_id)));
      assert.match(line ?? '', 'secret internals');
      assert.not.match(line ?? '', daemon.adminToken);
    } finally {
      Object.assign(daemon.environment.zones, { get: original });
      daemon.logged.length = 0;
    }
  });

  test('no body causes an internal error', async ({ daemon, domain, record }) => {
    const text = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
      fc.constantFrom(
        '@',
        '*',
        'A',
        'MX',
        'TXT',
        'SRV',
        'NS',
        'CNAME',
        '\ud800',
        '\0',
        '\\',
        '\\300',
        '"',
        'xn--',
        '192.0.2.1',
      ),
    );
    const value = fc.oneof(
      text,
      fc.double(),
      fc.integer(),
      fc.constant(null),
      fc.array(text, { maxLength: 3 }),
      fc.jsonValue(),
    );
    const body = fc.record(
      {
        name: value,
        type: value,
        content: value,
        ttl: value,
        priority: value,
        domain: value,
        scopes: value,
        login: value,
        password: value,
      },
      { requiredKeys: [] },
    );
    const targets = [
      ['POST', '/api/v1/domains'],
      ['POST', `/api/v1/domains/${domain}/records`],
      ['PUT', `/api/v1/domains/${domain}/records/${record}`],
      ['POST', '/api/v1/tokens'],
      ['PUT', `/api/v1/domains/${domain}/zonefile`],
    ] as const;
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...targets), fc.nat(), async (json, [method, path], cut) => {
        const whole = JSON.stringify(json);
        const sent = cut % 5 === 0 ? whole.slice(0, cut % (whole.length + 1)) : whole;
        const type = path.endsWith('zonefile') ? 'text/dns' : 'application/json';
        const answer = await daemon.call(method, path, { body: sent, headers: { 'content-type': type } });
        assert.ok(answer.status < 500, `${method} ${path} ${sent}: ${answer.text}`);
      }),
      { numRuns: depth({ quick: 400, moderate: 1500, full: 20_000 }) },
    );
    assert.equal(daemon.logged, []);
  });

  test.run();
}

for (const transport of await testedTransports('api')) everywhere(transport);
