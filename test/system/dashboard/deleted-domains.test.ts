/** Deleting domains in the dashboard: the undo, and the page of the deleted domains. */
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, type World, withPage, withWorld } from './browser.ts';

const test = browserSuite('deleted domains in chromium');

const listed = async (page: Page, table: string): Promise<string[]> =>
  (await page.locator(`table.${table} tbody th`).allTextContents()).map((text) => text.trim());

async function create({ daemon }: World, domain: string): Promise<number> {
  const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain });
  const { id } = body.domain as { id: number };
  await daemon.api.createRecord(String(id), 'www', 'A', '192.0.2.1');
  return id;
}

async function remove(page: Page, domain: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Delete \u2026' }).click();
  await dialog.getByText(/The domain is in the bin until .*: until then it can be restored/).waitFor();
  await dialog.getByLabel(`Type ${domain} to confirm`).fill(domain);
  await dialog.getByRole('button', { name: 'Delete the domain' }).click();
}

test('a deletion says how long the domain can be restored, and is undone', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await create(world, 'undo.example');
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${base}/domains/${id}/set-up`);
      await remove(page, 'undo.example');
      await page.getByText(/undo\.example was deleted\. It is in the bin until /).waitFor();
      await page.getByText('No domains yet').waitFor();
      await checkScreen(page, 'domain-deleted');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('undo.example was restored.').waitFor();
      await untilIs(() => listed(page, 'domains'), ['undo.example']);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByText('192.0.2.1').waitFor();
      // From the settings of the domain to the bin, which is empty.
      await page.goto(`${base}/domains/${id}/set-up`);
      await page.getByRole('link', { name: 'Deleted domains' }).click();
      await page.getByText('No deleted domains').waitFor();
      await checkScreen(page, 'deleted-domains-empty');
    });
  });
});

test('the deleted domains have their history, and are restored or deleted for good', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    for (const domain of ['one.example', 'two.example', 'b\u00fccher.example']) {
      const id = await create(world, domain);
      await daemon.api.call('DELETE', `/api/v1/domains/${id}`);
    }
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'Deleted domains' }).click();
      await untilIs(async () => (await listed(page, 'deleted')).length, 3);
      await checkScreen(page, 'deleted-domains');
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'History of one.example' }).click();
      await dialog.getByText('Domain deleted').waitFor();
      await dialog.getByText('Record added').waitFor();
      await checkScreen(page, 'deleted-domains-history');
      await dialog.getByRole('button', { name: 'Close' }).click();
      // Another domain has the name now.
      const taken = await create(world, 'one.example');
      await page.getByRole('button', { name: 'Restore one.example' }).click();
      await page.getByText(/one\.example cannot be restored while a domain with this name/).waitFor();
      await checkScreen(page, 'deleted-domains-taken');
      await daemon.api.call('DELETE', `/api/v1/domains/${taken}?permanent=true`);
      await page.getByRole('button', { name: 'Restore one.example' }).click();
      await page.getByText('one.example was restored.').waitFor();
      await untilIs(async () => (await listed(page, 'deleted')).includes('one.example'), false);
      await page.getByRole('button', { name: 'Delete two.example for good' }).click();
      await dialog.getByLabel('Type two.example to confirm').fill('two.example');
      await dialog.getByRole('button', { name: 'Delete for good' }).click();
      await page.getByText('two.example was deleted for good.').waitFor();
      await untilIs(async () => (await listed(page, 'deleted')).length, 1);
      assert.is((await daemon.api.call('GET', '/api/v1/domains')).body.total, 1);
    });
  });
});

test('many deleted domains are restored with one undo', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    for (const domain of ['a.example', 'b.example', 'c.example']) await create(world, domain);
    await withPage(world, async (page) => {
      await signIn(page, base);
      for (const domain of ['a.example', 'b.example']) await page.getByLabel(`Select ${domain}`).check();
      await page.getByRole('button', { name: 'Delete \u2026' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type delete 2 domains to confirm').fill('delete 2 domains');
      await dialog.getByRole('button', { name: 'Delete 2 domains' }).click();
      await dialog.getByText('Finished: 2 of 2 domains.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByText(/2 domains were deleted\. They are in the bin until /).waitFor();
      await untilIs(() => listed(page, 'domains'), ['c.example']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('2 domains were restored.').waitFor();
      await untilIs(() => listed(page, 'domains'), ['a.example', 'b.example', 'c.example']);
    });
  });
});

test.run();
