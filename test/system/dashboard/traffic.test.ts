/** The live requests with filters, the most frequent values, and the origin's time, in Chromium. */
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withPage, withWorld } from './browser.ts';

const test = browserSuite('traffic in the dashboard');

/** 40 requests: every fourth is a miss, for which the origin takes as long as its number. */
const REQUESTS = Array.from({ length: 40 }, (_, n) => {
  const isMiss = n % 4 === 0;
  return {
    ...{ time: '2026-01-01T00:00:00.000Z', client: n < 30 ? '192.0.2.1' : '2001:db8::7', scheme: 'https' },
    ...{ host: n % 2 === 0 ? 'www.busy.example' : 'api.busy.example', method: 'GET', path: n < 25 ? '/' : `/${n}` },
    ...{ version: '2', status: n === 7 ? 503 : 200, bytes: 1, ms: n + 1, cache: isMiss ? 'miss' : 'hit' },
    ...{ origin_ms: isMiss ? n + 1 : null, user_agent: null },
  };
});

test('requests are filtered by the most frequent values, which stay in the address', async () => {
  await withWorld(async (world) => {
    const { api } = world.daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain('busy.example');
    await withPage(world, async (page) => {
      const event = { node: 'n1', omitted: 0, requests: REQUESTS };
      const body = `event: requests\ndata: ${JSON.stringify(event)}\n\n`;
      // The stream ends after its requests; later ones are held.
      const serve = async (path: string): Promise<void> => {
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.route('**/requests/tail', () => {});
        await page.route('**/requests/tail', (route) => route.fulfill({ contentType: 'text/event-stream', body }), {
          times: 1,
        });
        await page.goto(`${world.base}/domains/${id}/requests${path}`);
      };
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await serve('');
      await page.getByText('40 requests', { exact: true }).waitFor();
      const list = (name: string) => page.getByRole('region', { name, exact: true });
      const flat = async (name: string) =>
        (await list(name).getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
      assert.equal(await flat('Host'), ['api.busy.example 20', 'www.busy.example 20']);
      assert.equal((await flat('Path'))[0], '/ 25');
      assert.equal(await flat('Cache'), ['hit 30', 'miss 10']);
      assert.match(await list('Time of the origin').innerText(), /Median\s+17 ms\s+95 % below\s+37 ms/);
      await checkScreen(page, 'requests-top');

      await list('Client').getByRole('button', { name: '2001:db8::7' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('10 requests', { exact: true }).waitFor();
      await list('Cache').getByRole('button', { name: 'hit' }).click();
      await page.waitForURL(/client=2001%3Adb8%3A%3A7&cache=hit$/);
      await page.getByText('8 requests', { exact: true }).waitFor();
      await list('Time of the origin').getByText('No shown request reached the origin.').waitFor();
      await checkScreen(page, 'requests-filtered');
      await page.getByRole('button', { name: 'Remove the filter Client: 2001:db8::7' }).click();
      await page.getByText('30 requests', { exact: true }).waitFor();
      await list('Cache').getByRole('button', { name: 'hit' }).click();
      await page.getByRole('combobox', { name: 'Status' }).selectOption('5');
      await page.getByText('1 request', { exact: true }).waitFor();

      // A shared address has the filters.
      await serve('?host=www.busy.example&cache=miss');
      await page.getByText('10 requests', { exact: true }).waitFor();
      await untilIs(() => page.getByRole('button', { name: /^Remove the filter/ }).count(), 2);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
  });
});

test.run();
