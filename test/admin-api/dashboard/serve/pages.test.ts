/** The daemon serves the dashboard: headers, codings, addresses, and nothing else. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES as ADDRESSES } from '../../../../admin-api/dashboard/addresses.ts';
import { TEXTS } from '../../../../admin-api/dashboard/texts.ts';
import { type Daemon, startDaemon } from '../../daemon.ts';
import { testedTransports } from '../../transports.ts';

/** Bytes that a coding may not make smaller. */
const SMALL = 256;
const FOLDER = fileURLToPath(new URL('../../../../dashboard/', import.meta.url));
const FIRST_PAGE_LIMIT = 80 * 1024;
/** With the OpenAPI document. */
const FIRST_REFERENCE_LIMIT = 100 * 1024;
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
/** Read next to the scripts. */
const SESSION = '/api/v1/session';
const PAGES = [
  '/',
  '/sign-in',
  '/domains',
  '/domains/add',
  '/domains/7/set-up',
  '/domains/7/records',
  '/domains/7/zone-file',
];

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Sends the path as it is, and decodes nothing. */
async function send(url: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) };
}

/** Addresses of scripts and styles in the page. */
const linksOf = (page: string): string[] =>
  [...page.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, link]) => (link === SESSION ? [] : [link]));

function everywhere(transport: 'uws' | 'node'): void {
  const test = suite<{ daemon: Daemon; page: string }>(`dashboard over ${transport}`);
  test.before(async (context) => {
    const daemon = await startDaemon(transport);
    Object.assign(context, { daemon, page: (await send(daemon.url, '/')).body.toString() });
  });
  test.after(({ daemon }) => daemon.stop());

  test('the reference of the API has a page of its own, as strict and smaller', async ({ daemon, page }) => {
    const { status, headers, body } = await send(daemon.url, '/docs', { 'accept-encoding': 'br' });
    assert.equal([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
    const { headers: ofDashboard } = await send(daemon.url, '/');
    assert.is(headers['content-security-policy'], ofDashboard['content-security-policy']);
    const html = brotliDecompressSync(body).toString();
    assert.is.not(html, page);
    assert.not.match(html, /<script(?![^>]* src=)|<style|https?:/);
    let bytes = body.length;
    for (const link of linksOf(html)) {
      const asset = await send(daemon.url, link, { 'accept-encoding': 'br' });
      assert.is(asset.status, 200, link);
      bytes += asset.body.length;
    }
    const document = await send(daemon.url, '/api/v1/openapi.json', { 'accept-encoding': 'br' });
    assert.is(document.headers['content-encoding'], 'br');
    bytes += document.body.length;
    assert.ok(bytes < FIRST_REFERENCE_LIMIT, `${bytes} bytes`);
    assert.is((await send(daemon.url, '/docs', {}, 'POST')).status, 405);
  });

  test('every address of a page has the page', async ({ daemon, page }) => {
    for (const path of [...PAGES, '/domains?q=example', '/?x']) {
      const { status, headers, body } = await send(daemon.url, path);
      assert.is(status, 200, path);
      assert.is(headers['content-type'], 'text/html; charset=utf-8');
      assert.is(headers['cache-control'], 'no-cache');
      assert.ok(headers['x-request-id']);
      assert.is(body.toString(), page);
    }
    assert.ok(page.includes(`<title>${TEXTS.title}</title>`) && !page.includes('{{'));
  });

  test('the policy of a page allows only files of this host', async ({ daemon }) => {
    const { headers } = await send(daemon.url, '/domains');
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
    );
    assert.is(policy.get('default-src'), "'none'");
    assert.is(policy.get('frame-ancestors'), "'none'");
    assert.is(policy.get('base-uri'), "'none'");
    assert.is(policy.get('form-action'), "'none'");
    assert.is(policy.get('require-trusted-types-for'), "'script'");
    assert.is(policy.get('trusted-types'), "'none'");
    for (const sources of ['script-src', 'style-src', 'img-src', 'connect-src'])
      assert.is(policy.get(sources), "'self'");
    assert.is(headers['x-content-type-options'], 'nosniff');
    assert.is(headers['x-frame-options'], 'DENY');
    assert.is(headers['referrer-policy'], 'no-referrer');
    assert.is(headers['cross-origin-opener-policy'], 'same-origin');
  });

  test('a page names the script of its screen', async ({ daemon, page }) => {
    for (const [name, address] of Object.entries(ADDRESSES)) {
      const { headers } = await send(daemon.url, address.replace(/\{\w+\}/g, '7'));
      const script = /^<(\/assets\/[\w-]+\.js)>; rel=modulepreload$/.exec(headers.link as string)?.[1];
      if (name === 'home' || name === 'signIn') assert.is(headers.link, undefined);
      else assert.is((await send(daemon.url, script!)).status, 200, name);
    }
    assert.ok(page.includes(`<link rel="preload" as="fetch" crossorigin href="${SESSION}">`));
  });

  test('assets may be cached for a year, and pages link to nothing else', async ({ daemon, page }) => {
    const links = linksOf(page);
    assert.ok(links.some((link) => link.endsWith('.js')) && links.some((link) => link.endsWith('.css')));
    for (const link of links) {
      assert.match(link, /^\/assets\/\w+-[A-Z0-9]{8}\.(js|css|svg)$/);
      const { status, headers } = await send(daemon.url, link);
      assert.is(status, 200, link);
      assert.is(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.is(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['content-type']), /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/);
    }
  });

  test('files are sent precompressed, each coding with an ETag of its own', async ({ daemon, page }) => {
    for (const path of ['/', ...linksOf(page).filter((link) => !link.endsWith('.svg'))]) {
      const plain = await send(daemon.url, path);
      // A coding that saves nothing is not used.
      if (plain.body.length < SMALL) continue;
      const brotli = await send(daemon.url, path, { 'accept-encoding': 'gzip, br' });
      const gzip = await send(daemon.url, path, { 'accept-encoding': 'gzip' });
      assert.is(plain.headers['content-encoding'], undefined);
      assert.is(brotli.headers['content-encoding'], 'br');
      assert.is(gzip.headers['content-encoding'], 'gzip');
      assert.equal(brotliDecompressSync(brotli.body), plain.body);
      assert.equal(gunzipSync(gzip.body), plain.body);
      assert.ok(brotli.body.length < plain.body.length);
      assert.is(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size, 3);
      for (const { headers } of [plain, brotli, gzip]) assert.is(headers.vary, 'Accept-Encoding');
    }
  });

  test('a current copy is not sent again', async ({ daemon, page }) => {
    for (const path of ['/', linksOf(page)[0]]) {
      const coding = { 'accept-encoding': 'br' };
      const etag = String((await send(daemon.url, path, coding)).headers.etag);
      const again = await send(daemon.url, path, { ...coding, 'if-none-match': etag });
      assert.equal([again.status, again.body.length, again.headers.etag], [304, 0, etag]);
      assert.ok(again.headers['cache-control']);
      assert.is((await send(daemon.url, path, { 'if-none-match': etag })).status, 200);
    }
  });

  test('HEAD has the headers of GET', async ({ daemon, page }) => {
    for (const path of ['/', '/domains', linksOf(page)[0]]) {
      const get = await send(daemon.url, path);
      const head = await send(daemon.url, path, {}, 'HEAD');
      assert.equal([head.status, head.body.length], [200, 0]);
      for (const name of ['content-type', 'content-length', 'etag', 'content-security-policy', 'cache-control'])
        assert.is(head.headers[name], get.headers[name], `${path} ${name}`);
    }
  });

  test('other methods are refused', async ({ daemon, page }) => {
    for (const path of ['/', '/sign-in', linksOf(page)[0]]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status, headers } = await send(daemon.url, path, HTML, method);
        assert.equal([status, headers.allow], [405, 'GET, HEAD, OPTIONS'], `${method} ${path}`);
      }
      const options = await send(daemon.url, path, {}, 'OPTIONS');
      assert.equal([options.status, options.headers.allow, options.body.length], [200, 'GET, HEAD, OPTIONS', 0]);
    }
  });

  test('an unknown address is 404: a page for browsers, JSON for others and below the API', async ({
    daemon,
    page,
  }) => {
    for (const path of ['/nowhere', '/domains/7', '/domains/', '/index.html', '/assets/app.js', '/assets/']) {
      const shown = await send(daemon.url, path, HTML);
      assert.equal([shown.status, shown.body.toString()], [404, page], path);
      assert.ok(shown.headers['content-security-policy']);
      const json = await send(daemon.url, path, { accept: '*/*' });
      assert.equal([json.status, json.headers['content-type']], [404, 'application/json'], path);
    }
    for (const path of ['/api/v1/nowhere', '/api/']) {
      const { status, headers } = await send(daemon.url, path, HTML);
      assert.equal([status, headers['content-type']], [404, 'application/json'], path);
    }
    assert.is((await send(daemon.url, '/nowhere', HTML, 'POST')).headers['content-type'], 'application/json');
    assert.is((await send(daemon.url, '/healthz', HTML)).headers['content-type'], 'application/json');
  });

  test('responses of the API are neither framed nor read as another type', async ({ daemon }) => {
    for (const [path, status] of [
      ['/api/v1/openapi.json', 200],
      ['/api/v1/account', 401],
      ['/api/v1/nothing', 404],
      ['/healthz', 200],
    ] as const) {
      const reply = await send(daemon.url, path, HTML);
      assert.is(reply.status, status, path);
      assert.is(reply.headers['x-content-type-options'], 'nosniff', path);
      assert.match(String(reply.headers['content-security-policy']), "frame-ancestors 'none'", path);
    }
  });

  test('no path leads out of the folder', async ({ daemon, page }) => {
    for (const path of [
      '/assets/../index.html',
      '/assets/../../main.js',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/index.html',
      '/assets/..%5c..%5cmain.js',
      '/assets//etc/passwd',
      '/assets/%00',
      `${linksOf(page)[0]}.br`,
      `${linksOf(page)[0]}%00`,
      `/assets/.${linksOf(page)[0]}`,
      '/assets/__proto__',
      '/assets/constructor',
    ]) {
      const { status, headers } = await send(daemon.url, path);
      assert.ok(status === 404 || status === 400, `${path} ${status}`);
      assert.is(headers['content-type'], 'application/json');
    }
  });

  test.run();
}

for (const transport of await testedTransports('dashboard')) everywhere(transport);

const built = suite('dashboard as built');

built(`the first page needs at most ${FIRST_PAGE_LIMIT} bytes after brotli`, () => {
  const page = readFileSync(join(FOLDER, 'index.html'), 'utf8');
  const paths = ['index.html', ...linksOf(page).map((link) => link.slice(1))];
  const bytes = paths.reduce((sum, path) => sum + readFileSync(join(FOLDER, `${path}.br`)).length, 0);
  assert.ok(bytes <= FIRST_PAGE_LIMIT, `${bytes} bytes`);
});

built('no file names another host', () => {
  // Namespaces of XML are names, not addresses. Examples of values name reserved hosts (RFC 2606).
  const names = /https?:\/\/(?!www\.w3\.org\/|([\w-]+\.)*example\b)[\w.-]+/g;
  for (const name of ['index.html', ...readdirSync(join(FOLDER, 'assets')).map((asset) => `assets/${asset}`)])
    if (!/\.(br|gz)$/.test(name)) assert.equal(readFileSync(join(FOLDER, name), 'utf8').match(names), null, name);
});

built('the page has no inline scripts or styles', () => {
  const page = readFileSync(join(FOLDER, 'index.html'), 'utf8');
  assert.not.match(page, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
});

built.run();
