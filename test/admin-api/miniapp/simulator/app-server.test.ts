/** The app server of the simulator: which files it serves, its headers, and what it refuses. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SANDBOX_POLICY } from '../../../../admin-api/miniapp/audit/policy/policy.ts';
import { type AppServer, startAppServer } from '../../../../admin-api/miniapp/simulator/app-server.ts';
import type { Notice } from '../../../../admin-api/miniapp/simulator/notices.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const SIMULATOR = 'http://localhost:8400';
const PAGE = '<!doctype html><html lang="en"><head><title>App</title></head></html>';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The path is sent as it is written. */
function ask({ origin }: AppServer, path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
  const { hostname, port, host } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { host, ...headers }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}

async function withApp(use: (server: AppServer, notices: Notice[], folder: string) => Promise<void>): Promise<void> {
  const outside = temporaryFolder('app-server');
  const folder = join(outside, 'app');
  for (const path of ['sub', '.git', '.hidden']) mkdirSync(join(folder, path), { recursive: true });
  const files = {
    'index.html': PAGE,
    'app.js': '"use strict";',
    'sub/a b.css': 'p {}',
    'sub/é.json': '{}',
    'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'video.mp4': '0123456789',
    'data.unknown': 'x',
    '.env': 'secret',
    '.hidden/a.js': 'secret',
    '.git/config': 'secret',
    'app.js~': 'secret',
    'wide.html': Buffer.from('\ufeff<script></script>', 'utf16le'),
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content);
  writeFileSync(join(outside, 'secret.js'), 'secret');
  symlinkSync('../secret.js', join(folder, 'link.js'));
  symlinkSync('..', join(folder, 'up'));
  const notices: Notice[] = [];
  const server = await startAppServer({
    folder,
    simulatorOrigin: SIMULATOR,
    onNotice: (notice) => notices.push(notice),
  });
  try {
    await use(server, notices, folder);
  } finally {
    await server.close();
    removeFolder(outside);
  }
}

test('files have their content types, and every response the policy', () =>
  withApp(async (server, notices) => {
    const types = {
      '/': 'text/html; charset=utf-8',
      '/index.html?query#part': 'text/html; charset=utf-8',
      '/app.js': 'text/javascript; charset=utf-8',
      '/sub/a%20b.css': 'text/css; charset=utf-8',
      '/sub/%C3%A9.json': 'application/json; charset=utf-8',
      '/picture.svg': 'image/svg+xml; charset=utf-8',
      '/data.unknown': 'application/octet-stream',
    };
    for (const [path, type] of Object.entries(types)) {
      const { status, headers } = await ask(server, path);
      assert.is(status, 200, path);
      assert.is(headers['content-type'], type);
    }
    assert.equal(notices, []);
    for (const [path, options] of [
      ['/', {}],
      ['/missing', {}],
      ['/app.js', { method: 'POST' }],
      ['/app.js', { headers: { host: 'other' } }],
    ] as const) {
      const { headers } = await ask(server, path, options);
      const policy = String(headers['content-security-policy']);
      assert.ok(policy.startsWith(`${SANDBOX_POLICY.content_security_policy}; `));
      assert.ok(policy.includes(`; sandbox ${SANDBOX_POLICY.sandbox};`));
      assert.ok(policy.includes(`; frame-ancestors ${SIMULATOR};`));
      assert.is(headers['permissions-policy'], SANDBOX_POLICY.permissions_policy);
      assert.is(headers['connection-allowlist'], SANDBOX_POLICY.connection_allowlist);
      assert.is(headers['referrer-policy'], 'no-referrer');
      assert.is(headers['cache-control'], 'no-store');
      assert.is(headers['x-content-type-options'], 'nosniff');
    }
  }));

test('no path leads to a file that is not in the package', () =>
  withApp(async (server, notices) => {
    const refused = [
      ...[
        '/../secret.js',
        '/sub/../../secret.js',
        '/%2e%2e/secret.js',
        '/..%2fsecret.js',
        '/sub%2f..%2f..%2fsecret.js',
      ],
      ...['/..%5csecret.js', '/link.js', '/up/secret.js', '/.env', '/.hidden/a.js', '/.git/config', '/app.js~'],
      ...['//app.js', '/sub//a', '/./app.js', '/app.js%00', '/%ff', '/%', '/C:/secret.js', '/con', '/app.js%20'],
      ...['/app.js::$DATA', '/.waypost/other.js', `/${'a/'.repeat(20)}b.js`, `/${'a'.repeat(300)}`],
    ];
    for (const path of refused) {
      const { status, text } = await ask(server, path);
      assert.is(status, 403, path);
      assert.not.match(text, 'secret');
      assert.is(notices.at(-1)?.kind, 'blocked', path);
    }
    assert.is(notices.length, refused.length);
    // Not by the name of the folder, of a folder, or through a file.
    for (const path of ['/missing.js', '/sub', '/app.js/x']) assert.is((await ask(server, path)).status, 404, path);
    assert.is((await ask(server, 'http://127.0.0.1/app.js')).status, 403);
  }));

test('requests that no app sends are refused', () =>
  withApp(async (server, notices) => {
    const refused: readonly [Ask, number][] = [
      [{ headers: { host: 'attacker.example' } }, 421],
      [{ headers: { host: `localhost:${new URL(server.origin).port}` } }, 421],
      [{ headers: { origin: 'https://attacker.example' } }, 403],
      [{ headers: { origin: SIMULATOR } }, 403],
      [{ headers: { 'sec-fetch-dest': 'document' } }, 403],
      [{ headers: { 'sec-fetch-dest': 'empty' } }, 403],
      [{ headers: { 'sec-fetch-dest': 'serviceworker' } }, 403],
      [{ method: 'POST', body: 'x' }, 405],
      [{ method: 'PUT', body: 'x' }, 405],
      [{ method: 'OPTIONS' }, 405],
      [{ method: 'DELETE' }, 405],
    ];
    for (const [options, status] of refused) {
      assert.is((await ask(server, '/app.js', options)).status, status, JSON.stringify(options));
      assert.is(notices.at(-1)?.kind, 'blocked');
    }
    assert.is(notices.length, refused.length);
    const frame = await ask(server, '/', { headers: { 'sec-fetch-dest': 'iframe' } });
    assert.is(frame.status, 200);
    assert.is(frame.headers['access-control-allow-origin'], undefined);
    const script = await ask(server, '/app.js', { headers: { origin: 'null', 'sec-fetch-dest': 'script' } });
    assert.is(script.headers['access-control-allow-origin'], 'null');
  }));

test('HEAD has no body, and a range is a part', () =>
  withApp(async (server) => {
    const head = await ask(server, '/video.mp4', { method: 'HEAD' });
    assert.equal([head.status, head.headers['content-length'], head.text], [200, '10', '']);
    const part = await ask(server, '/video.mp4', { headers: { range: 'bytes=2-4' } });
    assert.equal([part.status, part.headers['content-range'], part.text], [206, 'bytes 2-4/10', '234']);
    const rest = await ask(server, '/video.mp4', { headers: { range: 'bytes=8-' } });
    assert.equal([rest.status, rest.headers['content-range'], rest.text], [206, 'bytes 8-9/10', '89']);
    for (const range of ['bytes=10-', 'bytes=5-4', 'bytes=-5', 'bytes=0-1,3-4', 'lines=1-2'])
      assert.is((await ask(server, '/video.mp4', { headers: { range } })).text, '0123456789', range);
  }));

test('pages begin with the guard, XML runs no scripts', () =>
  withApp(async (server, notices) => {
    const { text } = await ask(server, '/');
    const guard = '<script src="/.waypost/guard.js"></script>';
    assert.is(text, PAGE.replace('<head>', `<head>${guard}`));
    const script = await ask(server, '/.waypost/guard.js');
    assert.is(script.headers['content-type'], 'text/javascript; charset=utf-8');
    new Function(script.text);
    assert.match(String((await ask(server, '/picture.svg')).headers['content-security-policy']), "script-src 'none'");
    assert.is((await ask(server, '/wide.html')).status, 415);
    assert.is(notices.length, 1);
  }));

const REPORT = '/.waypost/report';
const REPORT_HEADERS = { 'content-type': 'application/csp-report', origin: 'null', 'sec-fetch-dest': 'report' };
const reportOf = (fields: object): Ask => ({
  method: 'POST',
  headers: REPORT_HEADERS,
  body: JSON.stringify({ 'csp-report': fields }),
});

test('reports become notices', () =>
  withApp(async (server, notices) => {
    const fields = {
      'effective-directive': 'img-src',
      'blocked-uri': 'http://attacker.example',
      'source-file': `${server.origin}/app.js`,
      'line-number': 7,
    };
    assert.is((await ask(server, REPORT, reportOf(fields))).status, 204);
    const blocked = 'http://attacker.example';
    assert.equal(notices, [{ kind: 'violation', directive: 'img-src', blocked, source: '/app.js:7' }]);
    const long = await ask(server, REPORT, reportOf({ 'effective-directive': 'a'.repeat(10_000) }));
    assert.is(long.status, 204);
    const { directive } = notices[1] as { directive: string };
    assert.is(directive.length, 512);
  }));

test('no reports: other methods, types, sizes, contents', () =>
  withApp(async (server, notices) => {
    const sound = reportOf({ 'effective-directive': 'img-src' });
    const refused: readonly [Ask, number][] = [
      [{ method: 'GET' }, 405],
      [{ ...sound, headers: { ...REPORT_HEADERS, 'content-type': 'text/plain' } }, 415],
      [{ ...sound, headers: { ...REPORT_HEADERS, origin: 'https://attacker.example' } }, 403],
      [{ ...sound, body: 'x'.repeat(20_000) }, 413],
      [{ ...sound, body: '{' }, 400],
      [{ ...sound, body: 'null' }, 400],
      [{ ...sound, body: '[]' }, 400],
      [{ ...sound, body: '{"csp-report":7}' }, 400],
      [{ ...sound, body: '{"csp-report":{"effective-directive":7}}' }, 400],
    ];
    for (const [options, status] of refused)
      assert.is((await ask(server, REPORT, options)).status, status, JSON.stringify(options).slice(0, 200));
    assert.ok(notices.every(({ kind }) => kind === 'blocked'));
    assert.is(notices.length, refused.length);
  }));

test('the app is on another site than the page', async () => {
  const folder = temporaryFolder('app-server');
  const server = await startAppServer({ folder, simulatorOrigin: 'http://127.0.0.1:8400', onNotice: () => {} });
  try {
    assert.is(new URL(server.origin).hostname, 'localhost');
    assert.is((await ask(server, '/')).status, 404);
  } finally {
    await server.close();
    removeFolder(folder);
  }
});

test.run();
