/**
 * Attacks of another site, in Chromium. It has the host of the dashboard and another port, so it is
 * the same site: SameSite does not keep the cookie from its requests.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { newPage } from '../browser/page.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withWorld } from './browser.ts';

const test = browserSuite('a neighbouring site in chromium');

const FRAMED = ['/', '/domains', '/sign-in', '/nowhere', '/api/v1/openapi.json', '/api/v1/domains', '/api/v1/x'];

interface Attempt {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** Sends what a form can send, with the cookie. Returns the status. */
async function attempt(page: Page, base: string, { path, type, body }: Attempt): Promise<number> {
  const answered = page.waitForResponse((response) => response.url() === base + path);
  const options = { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'Content-Type': type }, body };
  await page.evaluate(`void fetch(${JSON.stringify(base + path)}, ${JSON.stringify(options)}).catch(() => {})`);
  return (await answered).status();
}

test('it can neither frame the dashboard, nor change or read anything with the cookie', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    await withWorld(async ({ daemon, browser, base }) => {
      await daemon.api.logIn('admin', ADMIN_PASSWORD);
      await daemon.api.call('POST', '/api/v1/domains', { domain: 'victim.example' });
      const context = await browser.newContext();
      const page = await newPage(context);
      await signIn(page, base);
      await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor();
      const before = await daemon.api.call('GET', '/api/v1/audit');

      await page.goto(site);
      for (const path of FRAMED) {
        await page.evaluate(`new Promise((loaded) => {
            const frame = document.createElement('iframe');
            frame.src = ${JSON.stringify(base + path)};
            frame.addEventListener('load', loaded);
            document.body.append(frame);
          })`);
        await untilIs(() => page.frames().at(-1)?.url(), 'chrome-error://chromewebdata/', path);
      }

      const body = JSON.stringify({ domain: 'attack.example' });
      // 401 would mean that the browser does not send the cookie.
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/plain; x=application/json'])
        for (const path of ['/api/v1/domains', '/api/v1/tokens'])
          assert.is(await attempt(page, base, { path, type, body }), 403, path);
      assert.is(await attempt(page, base, { path: '/api/v1/session', type: 'text/plain', body }), 415);
      const form = '--x\r\nContent-Disposition: form-data; name="package"; filename="a.pkg"\r\n\r\nx\r\n--x--\r\n';
      const type = 'multipart/form-data; boundary=x';
      assert.is(await attempt(page, base, { path: '/api/dev/apps/upload', type, body: form }), 403);
      assert.equal((await daemon.api.call('GET', '/api/v1/audit')).body, before.body);

      // Neither a script nor a style sheet is loaded from the API.
      for (const element of [
        `Object.assign(document.createElement('script'), { src: url })`,
        `Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url })`,
      ]) {
        const outcome = await page.evaluate(`new Promise((done) => {
            const url = ${JSON.stringify(`${base}/api/v1/domains`)};
            const element = ${element};
            element.addEventListener('load', () => done('loaded'));
            element.addEventListener('error', () => done('refused'));
            document.head.append(element);
          })`);
        assert.is(outcome, 'refused', element);
      }
      // The session still works.
      await page.goto(`${base}/domains`);
      await page.getByRole('link', { name: 'victim.example' }).waitFor();
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test.run();
