/** A browser: headless Chromium, driven by playwright-core. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { pathOf, whyNotPrograms } from '../../../support/programs.ts';
import { IMAGES } from '../host/gallery.ts';
import { type Host, startHost } from '../host/host.ts';
import { VERSION_QUESTION } from '../host/websocket.ts';

/** Its own connections to the outside are off; it has none here. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const test = suite<{ host: Host; browser: Browser }>('chromium');
const why = whyNotPrograms('chromium');
if (why !== null) test.skip(`chromium: ${why}`, () => {});
else browserTests();

/** In a profile of its own: with connections of its own. */
async function withPage(browser: Browser, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await use(page);
  } finally {
    await context.close();
  }
}

/** A slow browser resets all streams of each: together fewer than a connection may (resetBurst). */
const PAGES_LEFT = 4;

// Programs of the page, as text: the tests know no types of browsers.
const LOADED_IMAGES = 'Array.from(document.images).filter((one) => one.complete && one.naturalWidth === 8).length';
const PROTOCOLS = `performance.getEntries().filter((one) => one.nextHopProtocol !== undefined)
  .map((one) => one.nextHopProtocol)`;
const UPLOAD = `(async () => {
  const bytes = new Uint8Array(3_000_000).map((_, i) => i % 253);
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const told = await (await fetch('/sink', { method: 'POST', body: bytes })).json();
  return { bytes: told.bytes, isSame: told.hash === hash };
})()`;
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
const talked = (version: string): unknown => ({ heard: [version, 'one', 'x'.repeat(5000)], wasClean: true });

function browserTests(): void {
  test.before(async (context) => {
    context.host = await startHost();
    context.browser = await chromium.launch({ executablePath: pathOf('chromium'), args: FLAGS });
  });
  test.after(async ({ host, browser }) => {
    await browser.close();
    assert.is(await host.stop(), 0, host.output());
  });

  test('a page with its hundred images over HTTP/2, on one connection', async ({ host, browser }) => {
    await withPage(browser, async (page) => {
      const before = await host.counters();
      await page.goto(`${host.origin}/page`, { waitUntil: 'load' });
      assert.is(await page.evaluate(LOADED_IMAGES), IMAGES);
      assert.equal(await page.evaluate(PROTOCOLS), new Array<string>(IMAGES + 1).fill('h2'));
      const after = await host.counters();
      assert.is(after.server_http2 - before.server_http2, 1);
      assert.is(after.http2_streams - before.http2_streams, IMAGES + 1);
    });
  });

  test('a page with its hundred images over HTTP/1.1', async ({ host, browser }) => {
    await withPage(browser, async (page) => {
      await page.goto(`http://localhost:${host.clearPort}/page`, { waitUntil: 'load' });
      assert.is(await page.evaluate(LOADED_IMAGES), IMAGES);
      assert.equal(await page.evaluate(PROTOCOLS), new Array<string>(IMAGES + 1).fill('http/1.1'));
    });
  });

  test('fetch uploads three megabytes', async ({ host, browser }) => {
    for (const origin of [host.origin, `http://localhost:${host.clearPort}`])
      await withPage(browser, async (page) => {
        await page.goto(`${origin}/ready`);
        assert.equal(await page.evaluate(UPLOAD), { bytes: 3_000_000, isSame: true }, origin);
      });
  });

  test('a WebSocket uses the existing HTTP/2 connection', async ({ host, browser }) => {
    await withPage(browser, async (page) => {
      await page.goto(`${host.origin}/ready`);
      const before = await host.counters();
      assert.equal(await page.evaluate(talk(`wss://localhost:${host.tlsPort}/socket`)), talked('2'));
      const after = await host.counters();
      assert.is(after.http1_upgrades - before.http1_upgrades, 0);
      assert.is(after.server_accepted_tls - before.server_accepted_tls, 0);
    });
  });

  test('without HTTP/2 it is an upgrade of HTTP/1.1, with TLS and without', async ({ host, browser }) => {
    const urls = [`wss://localhost:${host.tlsPort}/socket`, `ws://localhost:${host.clearPort}/socket`];
    for (const url of urls)
      await withPage(browser, async (page) => {
        await page.goto(`http://localhost:${host.clearPort}/ready`);
        const before = await host.counters();
        assert.equal(await page.evaluate(talk(url)), talked('1.1'));
        assert.is((await host.counters()).http1_upgrades - before.http1_upgrades, 1, url);
      });
  });

  test('a page that is left while it loads is no error', async ({ host, browser }) => {
    await withPage(browser, async (page) => {
      await page.goto(`${host.origin}/ready`);
      for (let i = 0; i < PAGES_LEFT; i++) {
        await page.goto(`${host.origin}/page`, { waitUntil: 'commit' });
        await page.goto(`${host.origin}/ready`);
      }
      await page.goto(`${host.origin}/page`, { waitUntil: 'load' });
      assert.is(await page.evaluate(LOADED_IMAGES), IMAGES);
    });
    const counters = await host.counters();
    for (const name of ['session_protocol', 'session_reset_flood', 'session_flow_control', 'stream_protocol'])
      assert.is(counters[`http2_${name}`], 0, name);
  });
}

test.run();
