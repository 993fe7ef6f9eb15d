import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeOriginTest } from '../../../../admin-api/cli/site/proxy-status.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { until } from '../../../support/until.ts';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/proxy, with the API');
const folder = mkdtempSync(join(tmpdir(), 'waypost-proxy-live-'));
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'shop.test']);
  await context.json(['record', 'add', 'shop.test', '@', 'A', '1.1.1.1']);
  await context.json(['record', 'add', 'shop.test', 'mail', 'A', '1.1.1.1']);
  await context.json(['record', 'add', 'shop.test', '@', 'MX', '10 mail.shop.test']);
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

test('status without settings', async ({ waypost }) => {
  const { code, stdout } = await waypost(['proxy', 'status', 'shop.test']);
  assert.is(code, 0);
  assert.match(
    stdout,
    /^shop\.test: proxy off\n {2}origin {7}none\n {2}certificate {2}none\n {2}next: Set the origin .*\n$/,
  );
});

test('set, on, status, off', async ({ waypost }) => {
  const set = await waypost(['proxy', 'set', 'shop.test', '1.1.1.1', '--port', '8080', '--protocol', 'http']);
  assert.is(set.code, 0, set.stderr);
  assert.match(set.stdout, /^shop\.test: proxy off \(change \d+\)\n {2}origin {7}http:\/\/1\.1\.1\.1:8080\n/);
  assert.match(set.stdout, /exposed {6}mail A 1\.1\.1\.1: An MX, SRV or NS record points to this name/);
  const on = await waypost(['proxy', 'on', 'shop.test']);
  assert.match(on.stdout, /^shop\.test: proxy on \(change \d+\)\n[\s\S]* {2}certificate {2}pending\n/);
  const status = await waypost(['proxy', 'status', 'shop.test']);
  assert.match(status.stdout, /^shop\.test: proxy on/);
  assert.match((await waypost(['proxy', 'off', 'shop.test'])).stdout, /^shop\.test: proxy off/);
});

test('a rejection has the next step', async ({ waypost }) => {
  for (const [argv, code] of [
    [['set', 'shop.test', '10.0.0.1'], /\(private_origin, \/origin\)/],
    [['set', 'shop.test', '1.1.1.1', '--port', '8443'], /\(protocol_required, \/protocol\)/],
    [['set', 'missing.test', '1.1.1.1'], /./],
    [['certificate', 'shop.test', '--order'], /\(proxy_disabled\)/],
    [['certificate', 'shop.test', '--automatic'], /\(no_such_certificate\)/],
    [['purge', 'shop.test', '--tag', 'a,b'], /\(invalid_tag, \/tags\/0\)/],
  ] as const) {
    const run = await waypost(['proxy', ...argv]);
    assert.is.not(run.code, 0, argv.join(' '));
    assert.match(run.stderr, code);
  }
});

test('an origin is tested before it is set', async ({ waypost, json }) => {
  await waypost(['proxy', 'set', 'shop.test', '1.1.1.1', '--port', '8080', '--protocol', 'http']);
  const refused = await waypost(['proxy', 'test', 'shop.test', '127.0.0.1']);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /\(private_origin, \/origin\)/);
  const [status] = await json(['proxy', 'status', 'shop.test']);
  assert.is(String(status.proxy.origin_host), '1.1.1.1');
});

test('the steps of a test of an origin are shown', () => {
  const steps = [
    { step: 'dns' as const, ok: true, ms: 2, detail: 'It has 1 address.' },
    { step: 'tcp' as const, ok: false, ms: 31, detail: 'It refuses connections to port 443.' },
  ];
  const presented = { names: ['a.test', 'b.test'], issuer: null, expires_at: '2030-01-01 00:00:00' };
  assert.equal(describeOriginTest('origin.test', { ok: false, steps, certificate: presented, status: null }), [
    'origin.test: a step failed',
    '  dns  ok      2 ms  It has 1 address.',
    '  tcp  failed  31 ms  It refuses connections to port 443.',
    '  certificate for a.test, b.test, expires 2030-01-01 00:00:00',
  ]);
});

test('purges everything, and parts as in the help', async ({ waypost, json }) => {
  const all = await waypost(['proxy', 'purge', 'shop.test']);
  assert.match(all.stdout, /^purging everything of shop\.test \(id \d+\) \(change \d+\)\n$/);
  const [part] = await json([
    ...['proxy', 'purge', 'shop.test', '--resource', 'https://www.shop.test/a.css', 'https://www.shop.test/b.js'],
    ...['--prefix', 'https://www.shop.test/news/', '--tag', 'home'],
  ]);
  assert.equal(Object.values(part.purge.prefixes), ['www.shop.test/news/']);
  assert.is(Object.values(part.purge.urls).length, 2);
});

test('tail prints requests, as lines or as JSON, without controls of the terminal', async ({ daemon, waypost }) => {
  const request = {
    ...{ time: '2026-01-01T00:00:00.000Z', client: '192.0.2.1', scheme: 'https', host: 'www.shop.test', method: 'GET' },
    ...{ path: '/a', version: '2', status: 200, bytes: 5, ms: 1.5, cache: 'hit', user_agent: 'x\u001b[31m' },
  };
  for (const [options, expected] of [
    [[], '2026-01-01T00:00:00.000Z 200 GET https://www.shop.test/a 1.5 ms, hit, 192.0.2.1 "x\\u001b[31m"\n'],
    [['--json'], `${JSON.stringify({ node: daemon.nodeName, ...request })}\n`],
  ] as const) {
    const running = waypost(['proxy', 'tail', 'shop.test', '--count', '1', ...options]);
    await until(() => daemon.tail.watched.length === 1, 'that the domain is watched');
    daemon.tail.publish(daemon.tail.watched[0], [JSON.stringify(request), JSON.stringify(request)], 3);
    const { code, stdout } = await running;
    assert.equal([code, stdout], [0, expected]);
    await until(() => daemon.tail.watched.length === 0, 'no watchers');
  }
});

test('installs a custom certificate with its warnings, and returns to the automatic one', async ({ waypost }) => {
  const key = ecKey();
  const [file, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(file, certificate({ name: 'shop.test', key, dnsNames: ['shop.test'] }));
  writeFileSync(keyFile, pemOfKey(key));
  const set = await waypost(['proxy', 'certificate', 'shop.test', '--file', file, '--key', keyFile]);
  assert.is(set.code, 0, set.stderr);
  assert.match(set.stdout, / {2}certificate {2}active, issued \d{4}-.*, expires \d{4}-/);
  assert.match(set.stdout, / {2}warning {6}The certificate is self-signed/);
  const back = await waypost(['proxy', 'certificate', 'shop.test', '--automatic']);
  assert.match(back.stdout, / {2}certificate {2}none\n/);
  await waypost(['proxy', 'on', 'shop.test']);
  const ordered = await waypost(['proxy', 'certificate', 'shop.test', '--order']);
  assert.match(ordered.stdout, / {2}certificate {2}pending\n/);
});

test.run();
