/** The reference at /docs: every operation has a page, and requests are tried with an own token. */
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { until, untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { type World, withPage, withWorld } from './browser.ts';

const test = browserSuite('reference in chromium');

const MARK = 'try-out.example';

/** A domain, and a token that may read it. */
async function prepare({ daemon }: World): Promise<string> {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  await daemon.api.call('POST', '/api/v1/domains', { domain: MARK });
  const { body } = await daemon.api.call('POST', '/api/v1/tokens', { name: 'reference', scopes: ['dns:read'] });
  return String((body as { token: string }).token);
}

test('an operation is found by its words, read, and tried with a token that stays in memory', () =>
  withWorld(async (world) => {
    const token = await prepare(world);
    await withPage(world, async (page) => {
      const outside: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes(token)) outside.push(request.url());
      });
      await page.goto(`${world.base}/docs`);
      await page.getByRole('heading', { name: 'API reference', level: 1 }).waitFor();
      await checkScreen(page, 'reference', { isOfApi: true });

      await page.keyboard.press('/');
      await page.keyboard.type('domain list');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'List domains', level: 1 }).waitFor();
      await untilIs(() => page.evaluate('document.activeElement.tagName'), 'H1');
      await page.getByRole('tab', { name: 'curl' }).press('ArrowRight');
      await page.getByRole('tabpanel').getByText('waypost domain list').waitFor();
      await page.getByRole('tab', { name: 'CLI' }).press('ArrowRight');
      await page.getByRole('tabpanel').getByText('createClient').waitFor();

      const send = page.getByRole('button', { name: 'Send request' });
      await send.click();
      await page.getByText(/^401 /).waitFor();
      await page.getByLabel('Token', { exact: true }).fill(token);
      await page.getByLabel('q', { exact: true }).fill('try-out');
      await send.click();
      await page.getByText(/^200 /).waitFor();
      await page.getByRole('region', { name: 'Response' }).last().getByText(MARK).waitFor();
      await checkScreen(page, 'reference-operation', { isOfApi: true });

      // Another operation has the token too; a new page does not.
      await page.goto(`${world.base}/docs#getOwnAccount`);
      await page.getByRole('heading', { name: 'Get the account of the token and its usage' }).waitFor();
      assert.is(await page.getByLabel('Token', { exact: true }).inputValue(), token);
      const stored = await page.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
      );
      assert.not.match(String(stored), token);
      assert.equal(outside, []);
      await page.reload();
      await page.getByRole('heading', { name: 'Get the account of the token and its usage' }).waitFor();
      assert.is(await page.getByLabel('Token', { exact: true }).inputValue(), '');
    });
  }));

test('every operation has a page that is 320 pixels wide', () =>
  withWorld(async (world) => {
    const { paths } = (await (await fetch(`${world.base}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; summary: string }>>;
    };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    assert.ok(operations.length > 150);
    await withPage(world, async (page) => {
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(`${world.base}/docs`);
      for (const { operationId, summary } of operations) {
        await page.evaluate(`location.hash = ${JSON.stringify(operationId)}`);
        await until(async () => (await page.locator('h1').textContent()) === summary, operationId);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        assert.ok(Number(width) <= 320, `${operationId} is ${width} pixels wide`);
      }
    });
  }));

test.run();
