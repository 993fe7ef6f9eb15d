/**
 * A site through the whole daemon, as a browser sees it: its pages, its WebSocket, its downloads
 * that break off.
 */
import { type Browser, type BrowserContext, chromium, type Page, type Response } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { pathOf, whyNotPrograms } from '../../../support/programs.ts';
import { IMAGES } from '../host/gallery.ts';
import { VERSION_QUESTION } from '../host/websocket.ts';
import { leaksIn } from './leaks.ts';
import { ORIGIN_ADDRESS, type SiteRig, withSites } from './rig.ts';
import { hashOf, type SiteOrigin, startSiteOrigin } from './site-origin.ts';

const SITE = 'site.test';
const OTHER = 'other.test';
/** Names of tests are on this machine; its own connections to the outside are off. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP *.test 127.0.0.1',
];
const BYTES = 4_000_000;

interface World {
  readonly rig: SiteRig;
  readonly origin: SiteOrigin;
  readonly browser: Browser;
  /** Of the site, without a slash at its end. */
  readonly base: string;
}

const test = suite('chromium, a site');
const why = whyNotPrograms('chromium');
if (why !== null) test.skip(`chromium: ${why}`, () => {});
else browserTests();

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const origin = await startSiteOrigin();
  const browser = await chromium.launch({ executablePath: pathOf('chromium'), args: FLAGS });
  try {
    await withSites({ WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS, WAYPOST_EDGE_WORKERS: '1' }, async (rig) => {
      const endpoint = { host: ORIGIN_ADDRESS, port: origin.port, protocol: 'http' } as const;
      for (const domain of [SITE, OTHER]) await rig.addSite(domain, endpoint);
      await use({ rig, origin, browser, base: `https://${SITE}:${rig.https}` });
      await browser.close();
    });
  } finally {
    await browser.close();
    origin.close();
  }
}

/**
 * In a profile of its own: with connections and a cache of its own. All that it gets is looked at
 * for where the origin is.
 */
async function withPage(
  { browser, origin }: World,
  use: (page: Page, seen: readonly Response[], context: BrowserContext) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const seen: Response[] = [];
    page.on('response', (response) => seen.push(response));
    await use(page, seen, context);
    for (const response of seen) {
      const text = JSON.stringify(await response.allHeaders());
      assert.equal(leaksIn(text, { hosts: [ORIGIN_ADDRESS], ports: [origin.port] }), []);
    }
  } finally {
    await context.close();
  }
}

// Programs of the page, as text: the tests know no types of browsers.
const LOADED = `({
  images: Array.from(document.images).filter((one) => one.complete && one.naturalWidth === 8).length,
  rules: document.styleSheets[0].cssRules.length,
  title: document.title,
  protocols: [...new Set(performance.getEntries().map((one) => one.nextHopProtocol).filter((one) => one !== undefined))],
})`;
const talk = (url: string): string => `new Promise((done, fail) => {
  const heard = [];
  const socket = new WebSocket('${url}');
  socket.onerror = () => fail(new Error('no WebSocket'));
  socket.onopen = () => ['${VERSION_QUESTION}', 'one', 'x'.repeat(5000)].forEach((text) => socket.send(text));
  socket.onmessage = ({ data }) => {
    heard.push(data);
    if (heard.length === 3) socket.close(1000);
  };
  socket.onclose = ({ wasClean }) => done({ heard, wasClean });
})`;
/**
 * Fetches until it breaks off, or until \`most\` bytes have come; then the rest, if it is still the
 * same.
 */
const resumed = (path: string, most: number): string => `(async () => {
  const parts = [];
  let bytes = 0;
  const stop = new AbortController();
  const take = async (response) => {
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parts.push(value);
      bytes += value.length;
      if (bytes >= ${most}) stop.abort();
    }
  };
  const first = await fetch('${path}', { cache: 'no-store', signal: stop.signal });
  const broke = await take(first).then(() => 'whole', (error) => error.name);
  const had = bytes;
  const headers = { range: 'bytes=' + had + '-', 'if-range': first.headers.get('etag') };
  const second = await fetch('${path}', { cache: 'no-store', headers });
  await take(second);
  const all = await new Blob(parts).arrayBuffer();
  const digest = await crypto.subtle.digest('SHA-256', all);
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { broke, had, status: second.status, range: second.headers.get('content-range'), kept: second.headers.get('cache-status'), hash };
})()`;
interface Resumed {
  readonly broke: string;
  readonly had: number;
  readonly status: number;
  readonly range: string;
  readonly kept: string;
  readonly hash: string;
}

async function pages(world: World): Promise<void> {
  const { origin, base } = world;
  const requests = IMAGES + 3;
  const load = (isFirst: boolean): Promise<void> =>
    withPage(world, async (page, seen) => {
      await page.goto(`${base}/page`, { waitUntil: 'load' });
      assert.equal(await page.evaluate(LOADED), { images: IMAGES, rules: 800, title: 'ran', protocols: ['h2'] });
      assert.is(seen.length, requests);
      for (const response of seen) {
        const headers = await response.allHeaders();
        assert.is(response.status(), 200, response.url());
        if (!response.url().includes('/image/'))
          assert.match(
            headers['content-encoding'],
            /^(?:br|gzip|zstd)$/,
            `${response.url()} ${JSON.stringify(headers)}`,
          );
        assert.match(headers['cache-status'], isFirst ? /^waypost; ?fwd=/ : /^waypost; ?hit/, response.url());
      }
    });
  await load(true);
  assert.is(origin.questions.length, requests);
  await load(false);
  assert.is(origin.questions.length, requests, 'all of it is kept');
}

async function webSockets(world: World): Promise<void> {
  const { base, rig } = world;
  const expected = (version: string) => ({ heard: [version, 'one', 'x'.repeat(5000)], wasClean: true });
  await withPage(world, async (page) => {
    await page.goto(`${base}/ready`);
    assert.equal(
      await page.evaluate(talk(`wss://${SITE}:${rig.https}/socket`)),
      expected('2'),
      'on the connection that is there',
    );
  });
  await withPage(world, async (page) => {
    await page.goto(`https://${OTHER}:${rig.https}/ready`);
    assert.equal(await page.evaluate(talk(`wss://${SITE}:${rig.https}/socket`)), expected('1.1'), 'on one of its own');
  });
}

/** On the site that other tests of this world have left. */
async function challenged(world: World): Promise<void> {
  const { rig } = world;
  const { api } = rig.daemon;
  const { body } = await api.request('GET', '/api/v1/domains');
  const { domains } = body as { domains: { id: number; domain: string }[] };
  const id = domains.find(({ domain }) => domain === OTHER)?.id;
  const protection = { challenge: { mode: 'on', difficulty: 10, wait: 5 } };
  await api.call('PUT', `/api/v1/domains/${id}/proxy/protection`, protection);
  const url = `https://${OTHER}:${rig.https}/ready`;
  await withPage(world, async (view, seen, tab) => {
    await view.goto(url);
    await view.waitForURL(url, { waitUntil: 'load' });
    await view.waitForFunction("!document.title.startsWith('One moment')");
    assert.equal(
      seen.map((response) => response.status()).filter((status) => status !== 404),
      [403, 303, 200],
    );
    const [cookie] = await tab.cookies();
    assert.equal([cookie.name, cookie.httpOnly, cookie.secure], ['__Host-waypost-pass', true, true]);
  });
  // Without JavaScript: too early once, then after the wait.
  const context = await world.browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url);
  for (let tries = 0; (await page.title()).startsWith('One moment'); tries++) {
    if (tries === 60) throw new Error('The wait does not end.');
    await page.waitForTimeout(1000);
    await page.getByRole('button', { name: 'Continue' }).click();
  }
  assert.is(page.url(), url);
  await context.close();
}

async function downloads(world: World): Promise<void> {
  const { base, origin } = world;
  const request = (name: string): string[] => origin.questions.filter((text) => text.includes(`/${name}/`));
  await withPage(world, async (page) => {
    await page.goto(`${base}/ready`);
    const run = (path: string, most: number) => page.evaluate(resumed(path, most)) as Promise<Resumed>;

    // The visitor breaks off; the whole is kept by then or comes from the origin meanwhile.
    const kept = `/kept/${BYTES}`;
    await page.evaluate(`fetch('${kept}', { cache: 'no-store' }).then((response) => response.arrayBuffer())`);
    const byVisitor = await run(kept, 1_000_000);
    assert.equal([byVisitor.broke, byVisitor.status, byVisitor.hash], ['AbortError', 206, hashOf(BYTES)]);
    assert.is(byVisitor.range, `bytes ${byVisitor.had}-${BYTES - 1}/${BYTES}`);
    assert.match(byVisitor.kept, /^waypost; ?hit/);
    assert.equal(request('kept'), [`GET ${kept}`]);

    const passed = await run(`/unkept/${BYTES}`, 1_000_000);
    assert.equal([passed.broke, passed.status, passed.hash], ['AbortError', 206, hashOf(BYTES)]);
    assert.is(request('unkept')[1], `GET /unkept/${BYTES} bytes=${passed.had}-`);

    // The origin breaks off: what was received is not taken for the whole, not even by the cache.
    const byOrigin = await run(`/breaks/${BYTES}`, BYTES * 2);
    assert.equal([byOrigin.broke, byOrigin.status, byOrigin.hash], ['TypeError', 206, hashOf(BYTES)]);
    assert.ok(byOrigin.had > 0 && byOrigin.had <= BYTES / 2, String(byOrigin.had));
  });
}

function browserTests(): void {
  test('a page with its hundred images, over HTTP/2: compressed, and cached for the next visitor', () =>
    withWorld(pages));
  test('a WebSocket, over HTTP/2 and over HTTP/1.1; then a challenge, with and without JavaScript', () =>
    withWorld(async (world) => {
      await webSockets(world);
      await challenged(world);
    }));
  test('an aborted download resumes where it was, cached or not', () => withWorld(downloads));
}

test.run();
