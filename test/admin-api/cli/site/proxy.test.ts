import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiResponse } from '../../../../admin-api/routes/routes.ts';
import { NO_CERTIFICATE } from '../../sites/proxy/no-certificate.ts';
import { FakeDaemon, type Run, run, TOKEN } from '../harness.ts';

interface Context {
  daemon: FakeDaemon;
  /** A command on the domain, and the state of the proxy in the response. */
  waypost(argv: readonly string[], proxy?: Proxy): Promise<Run>;
}

const test = suite<Context>('admin-api/cli/proxy');
const folder = mkdtempSync(join(tmpdir(), 'waypost-proxy-'));
test.after(() => rmSync(folder, { recursive: true }));

type Proxy = ApiResponse<'getProxy'>['proxy'];

const SET_UP: Proxy = {
  domain_id: 1,
  is_enabled: 1,
  origin_host: 'origin.example.net',
  origin_port: 443,
  origin_protocol: 'https',
  hsts_max_age: null,
  hsts_include_subdomains: false,
  hsts_preload: false,
  heuristics: 'static',
  heuristic_freshness: false,
  forwarded_header: true,
  lenient_responses: false,
  certificate: NO_CERTIFICATE,
  certificates: [],
  uncovered: [],
  ssl_status: 'active',
  ssl_issued_at: '2025-01-01 00:00:00',
  ssl_expires_at: '2025-04-01 00:00:00',
  ssl_error: null,
  exposed: [],
  warnings: [],
};

test.before.each(async (context) => {
  const daemon = new FakeDaemon();
  const env = { WAYPOST_URL: await daemon.start(), WAYPOST_TOKEN: TOKEN };
  const { id } = daemon.addZone('a.test');
  context.daemon = daemon;
  context.waypost = (argv, proxy = SET_UP) => {
    daemon.seen.length = 0;
    const domain = { id, domain: 'a.test' };
    daemon.before.splice(0, 9, { body: { ok: true, domains: [domain], next_cursor: null } });
    daemon.before.push({
      body: { ok: true, domain, proxy, purge: { id: 'p1' } },
      headers: { 'x-waypost-revision': '7' },
    });
    return run(['proxy', ...argv], { env });
  };
});
test.after.each((context) => context.daemon.stop());

/** Method, path and body of the request after the one for the domain. */
function lastRequest({ seen }: FakeDaemon): [string, string, unknown] {
  const { method, url, body } = seen[1];
  return [method, url.replace('/api/v1/domains/1', ''), body === '' ? null : JSON.parse(body)];
}

test('each command sends the documented request', async ({ daemon, waypost }) => {
  const cases: [string[], string, string, unknown][] = [
    [['set', 'a.test', 'o.test'], 'PUT', '/proxy', { origin: 'o.test' }],
    [
      ['set', 'a.test', '2001:db8::1', '--port', '8080', '--protocol', 'http'],
      'PUT',
      '/proxy',
      { origin: '2001:db8::1', port: 8080, protocol: 'http' },
    ],
    [['set', 'a.test', 'o.test', '--hsts', 'none'], 'PUT', '/proxy', { origin: 'o.test', hsts_max_age: null }],
    [['on', 'a.test'], 'POST', '/proxy/toggle', { enable: true }],
    [['off', 'a.test'], 'POST', '/proxy/toggle', { enable: false }],
    [['status', 'a.test'], 'GET', '/proxy', null],
    [['purge', 'a.test'], 'POST', '/proxy/purge', {}],
    [
      ['purge', 'a.test', '--resource', 'u1', 'u2', '--prefix', 'p', '--tag', 't1', '--tag', 't2'],
      'POST',
      '/proxy/purge',
      { urls: ['u1', 'u2'], prefixes: ['p'], tags: ['t1', 't2'] },
    ],
    [['purge', 'a.test', '--resource', 'u1', '--prefetch'], 'POST', '/proxy/purge', { urls: ['u1'], prefetch: true }],
    [['hsts', 'a.test', '--max-age', '300'], 'PATCH', '/proxy', { hsts_max_age: 300 }],
    [
      ['hsts', 'a.test', '--max-age', 'none', '--include-subdomains', 'on', '--preload', 'off'],
      'PATCH',
      '/proxy',
      { hsts_max_age: null, hsts_include_subdomains: true, hsts_preload: false },
    ],
    [['certificate', 'a.test'], 'GET', '/proxy', null],
    [['certificate', 'a.test', '--order'], 'POST', '/proxy/certificate', null],
    [['certificate', 'a.test', '--automatic'], 'DELETE', '/proxy/certificate', null],
  ];
  for (const [argv, ...request] of cases) {
    const { code, stderr } = await waypost(argv);
    assert.is(code, 0, `${argv.join(' ')}: ${stderr}`);
    assert.equal(lastRequest(daemon), request);
  }
});

test('status of a working proxy', async ({ waypost }) => {
  const { stdout } = await waypost(['status', 'a.test']);
  const lines = [
    'a.test: proxy on (change 7)',
    '  origin       https://origin.example.net:443',
    '  certificate  active, issued 2025-01-01 00:00:00, expires 2025-04-01 00:00:00',
  ];
  assert.is(stdout, `${lines.join('\n')}\n`);
});

test('status lists what each certificate serves, and names without a certificate', async ({ waypost }) => {
  const { stdout } = await waypost(['status', 'a.test'], {
    ...SET_UP,
    certificates: [
      {
        ...{
          source: 'automatic',
          names: ['a.test', '*.a.test'],
          key_type: 'rsa',
          issuer: 'CA',
          hosts: ['a.test', 'www.a.test'],
        },
        ...{ issued_at: '2025-01-01 00:00:00', expires_at: '2025-04-01 00:00:00' },
      },
    ],
    uncovered: [{ name: 'x.y.a.test', why: 'No.', next_attempt_at: '2025-02-01 00:00:00' }],
  });
  assert.match(
    stdout,
    /automatic {4}a\.test, \*\.a\.test \(RSA\) by CA, expires 2025-04-01 00:00:00; serves a\.test, www\.a\.test\n/,
  );
  assert.match(stdout, /uncovered {4}x\.y\.a\.test: No\. Next attempt at 2025-02-01 00:00:00\.\n/);
});

test('status has the next step for each problem', async ({ waypost }) => {
  const record = { name: 'mail', type: 'A', content: '203.0.113.7', why: 'target of MX\u001b[2J', record_id: 1 };
  const failed: Proxy = {
    ...SET_UP,
    origin_host: '2001:db8::1',
    ssl_status: 'error',
    ssl_error: 'CAA forbids it',
    exposed: [{ ...record, fix: null, fixed_content: null }],
  };
  const { stdout } = await waypost(['status', 'a.test'], failed);
  assert.match(stdout, /origin {7}https:\/\/\[2001:db8::1\]:443\n/);
  assert.match(stdout, /error {8}CAA forbids it\n[\s\S]*\n {2}next: .*waypost proxy certificate a\.test --order/);
  assert.match(
    stdout,
    /exposed {6}mail A 203\.0\.113\.7: target of MX\\u001b\[2J\n {2}next: .*\n {2}next: .*--proxied/,
  );
  const none = await waypost(['status', 'a.test'], { ...SET_UP, is_enabled: 0, origin_host: '', ssl_status: 'none' });
  assert.match(
    none.stdout,
    /^a\.test: proxy off.*\n {2}origin {7}none\n {2}certificate .*\n {2}next: .*waypost proxy set a\.test ORIGIN/,
  );
  const off = await waypost(['off', 'a.test'], { ...SET_UP, is_enabled: 0 });
  assert.match(off.stdout, /:443\n[\s\S]*\n {2}next: Turn the proxy on with "waypost proxy on a\.test"/);
});

test('--json prints the response of the daemon', async ({ waypost }) => {
  const { stdout } = await waypost(['status', 'a.test', '--json']);
  assert.equal(JSON.parse(stdout).proxy, SET_UP);
});

test('purge prints the purged parts', async ({ waypost }) => {
  assert.is((await waypost(['purge', 'a.test'])).stdout, 'purging everything of a.test (id p1) (change 7)\n');
  const some = await waypost(['purge', 'a.test', '--tag', 'x', '--resource', 'u', 'v']);
  assert.match(some.stdout, /^purging 2 URLs, 1 tag of a\.test/);
});

test('reads a custom certificate before any request, and does not show its key', async ({ daemon, waypost }) => {
  const [file, key, der] = ['cert.pem', 'key.pem', 'cert.der'].map((name) => join(folder, name));
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n');
  writeFileSync(key, '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n');
  writeFileSync(der, '0\u0082');
  const { code, stdout } = await waypost(['certificate', 'a.test', '--file', file, '--key', key]);
  assert.is(code, 0);
  const [method, path, body] = lastRequest(daemon);
  assert.equal([method, path], ['PUT', '/proxy/certificate']);
  assert.match((body as { private_key: string }).private_key, /c2VjcmV0/);
  assert.not.match(stdout, /c2VjcmV0/);
  for (const [argv, problem] of [
    [['--file', file], /--file and --key/],
    [['--file', der, '--key', key], /\(not_pem\)\n {2}next: .*openssl/],
    [['--file', join(folder, 'none'), '--key', key], /\(unreadable\)/],
  ] as const) {
    const bad = await waypost(['certificate', 'a.test', ...argv]);
    assert.is(bad.code, 1);
    assert.match(bad.stderr, problem);
    assert.is(daemon.seen.length, 0);
  }
  assert.is((await waypost(['certificate', 'a.test', '--order', '--automatic'])).code, 2);
});

test('prints warnings before the next step, which says how to set an origin', async ({ waypost }) => {
  const proxy: Proxy = { ...SET_UP, origin_host: '', ssl_status: 'none', warnings: ['No origin is set.'] };
  const { code, stdout } = await waypost(['on', 'a.test'], proxy);
  assert.is(code, 0);
  assert.match(stdout, /origin {7}none; each name /);
  const [warning, next] = stdout.trimEnd().split('\n').slice(-2);
  assert.is(warning, '  warning      No origin is set.');
  assert.is(next, '  next: Set the origin with "waypost proxy set a.test ORIGIN".');
});

test.run();
