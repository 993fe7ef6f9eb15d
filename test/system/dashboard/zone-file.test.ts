/** Zone files in Chromium: preview, import, and what is refused. */
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withPage, withWorld } from './browser.ts';
import { saveRecords } from './edit-records.ts';

const test = browserSuite('zone files in chromium');

/** Holds the request of an import until `release`; meanwhile the test makes up its progress. */
async function holdImport(page: Page) {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/zonefile$/, async (route) => {
    await released;
    await route.continue();
  });
  const running = {
    request_id: '0123456789abcdef',
    account_id: 1,
    domain: 'example.com',
    domain_id: 1,
    started_at: '2030-01-01 00:00:00',
    ...{ phase: 'records', position: null, percent: 37, records: { done: 1000, total: 2000 } },
  };
  let shown: object = { ...running, phase: 'queued', position: 2, percent: 0, records: null };
  await page.route(/\/api\/v1\/imports\?domain=example\.com$/, (route) =>
    route.fulfill({ json: { ok: true, node: 'a', imports: [shown] } }),
  );
  return {
    showRecords(): void {
      shown = running;
    },
    async release(): Promise<void> {
      release();
      await page.unrouteAll({ behavior: 'wait' });
    },
  };
}

test('a zone file is compared, corrected, added or imported, and exported', async () => {
  await withWorld(async (world) => {
    const { daemon, base } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const path = `/api/v1/domains/${await daemon.api.createDomain('example.com')}`;
    for (const [name, content] of [
      ['same', '192.0.2.1'],
      ['gone', '192.0.2.9'],
    ])
      await daemon.api.call('POST', `${path}/records`, { name, type: 'A', content, ttl: 300 });
    const stored = async (): Promise<string[]> =>
      ((await daemon.api.call('GET', `${path}/records?limit=1000`)).body.records as { name: string }[]).map(
        ({ name }) => name,
      );
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${base}${path.slice('/api/v1'.length)}/zone-file`);
      await page.getByRole('heading', { name: 'Import a zone file' }).waitFor();
      await checkScreen(page, 'zone-file');
      const text = page.getByRole('textbox', { name: 'Zone file' });

      // Refused lines are shown first, with their text, and nothing can be imported.
      assert.ok(await page.getByLabel('Add its records').isChecked());
      await text.fill('$TTL 300\nsame A 192.0.2.1\nbad A 192.0.2\nnew 5 A 192.0.2.2\n');
      await page.getByText('1 line refused').waitFor();
      await page.getByText(/^Line 3: /).waitFor();
      await page.locator('.line-list code', { hasText: 'bad A 192.0.2' }).waitFor();
      const report = page.getByRole('region', { name: 'Preview of the import' });
      await untilIs(() => report.locator(':scope > :first-child').getAttribute('role'), 'alert');
      assert.is(await report.locator('.note-good').count(), 0);
      await untilIs(() => page.getByRole('button', { name: 'Add 1 record' }).getAttribute('aria-disabled'), 'true');
      await checkScreen(page, 'zone-file-refused');
      await page.getByLabel('Replace all records').check();
      await untilIs(() => page.getByRole('button', { name: 'Import' }).getAttribute('aria-disabled'), 'true');

      // Corrected: a warning, and what would be created and deleted.
      await text.fill('$TTL 300\nsame A 192.0.2.1\nnew 5 A 192.0.2.2\n');
      await page.getByText('1 new, 0 with another TTL, 1 deleted, 1 unchanged: 2 records after the import.').waitFor();
      await page.getByText(/^Line 3: The TTL 5 is kept/).waitFor();
      await page.getByText('1 record of the domain would be deleted, since the file does not have it.').waitFor();
      await page
        .getByRole('list', { name: '1 record to be deleted' })
        .getByText(/^− gone/)
        .waitFor();
      await checkScreen(page, 'zone-file-preview');

      // Add: the records become edits, which are reviewed.
      await text.fill('$TTL 300\nsame A 192.0.2.1\nnew 60 A 192.0.2.2\n');
      // While the preview is read, the button does nothing.
      await page.getByText(/^Line 3: The TTL 5 is kept/).waitFor({ state: 'detached' });
      await page.getByLabel('Add its records').check();
      await page.getByRole('button', { name: 'Add 1 record' }).click();
      await page.getByText('1 change not saved').waitFor();
      await saveRecords(page);
      await page.getByText('1 change saved and served.').waitFor();
      assert.equal(await stored(), ['gone', 'new', 'same']);

      // Replace: records that would be deleted are confirmed with the name of the domain.
      await page.getByRole('link', { name: 'Zone file' }).click();
      await text.fill('same 300 A 192.0.2.1\nother 300 A 192.0.2.3\n');
      await page.getByLabel('Replace all records').check();
      await page.getByText(/^1 new, .* 2 deleted/).waitFor();
      await page.getByRole('button', { name: 'Import' }).click();
      const dialog = page.getByRole('dialog');
      await checkScreen(page, 'zone-file-confirm');
      await untilIs(() => dialog.getByRole('button', { name: 'Import' }).getAttribute('aria-disabled'), 'true');
      await dialog.getByLabel('Type example.com').fill('example.com');
      // Someone else changes the domain: the preview is not true any more.
      await daemon.api.call('POST', `${path}/records`, { name: 'theirs', type: 'A', content: '192.0.2.4', ttl: 300 });
      await dialog.getByRole('button', { name: 'Import' }).click();
      await dialog.getByRole('alert').waitFor();
      assert.ok((await stored()).includes('theirs'));
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await text.fill('same 300 A 192.0.2.1\nother 300 A 192.0.2.3\n\n');
      await page.getByText(/^1 new, .* 3 deleted/).waitFor();
      await page.getByRole('button', { name: 'Import' }).click();
      await dialog.getByLabel('Type example.com').fill('example.com');
      const held = await holdImport(page);
      await dialog.getByRole('button', { name: 'Import' }).click();
      const bar = dialog.getByRole('progressbar', { name: 'Progress of the import' });
      await dialog.getByText('Waiting for other imports: number 2 in the queue.').waitFor();
      assert.is(await bar.getAttribute('value'), null);
      held.showRecords();
      await dialog.getByText('Writing records: 1,000 of 2,000.').waitFor();
      assert.is(await bar.getAttribute('value'), '37');
      await checkScreen(page, 'zone-file-importing');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('progressbar', { name: 'Progress of the import' }).waitFor();
      await held.release();
      await page.getByText('Imported: the domain has 2 records now.').waitFor();
      assert.equal(await stored(), ['other', 'same']);

      // A large file is not shown as text. Nothing is lost, so nothing is confirmed.
      await page.getByRole('link', { name: 'Zone file' }).click();
      const lines = Array.from({ length: 12_000 }, (_, i) => `h${i} 300 A 192.0.2.${i % 250}`);
      const buffer = Buffer.from(`same 300 A 192.0.2.1\nother 300 A 192.0.2.3\n${lines.join('\n')}\n`);
      await page.locator('input[type=file]').setInputFiles({ name: 'big.zone', mimeType: 'text/plain', buffer });
      await page.getByText(/^big\.zone is large/).waitFor();
      await page.getByLabel('Replace all records').check();
      await page.getByText('12,000 new, 0 with another TTL, 0 deleted, 2 unchanged').waitFor();
      await page.getByText('and 11,900 more').waitFor();
      await page.getByLabel('Add its records').check();
      await page.getByText(/^At most 10,000 records/).waitFor();
      await checkScreen(page, 'zone-file-large');
      await page.getByLabel('Replace all records').check();
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByText('Imported: the domain has 12,002 records now.').waitFor();
      await page.getByText('12,002 records', { exact: true }).waitFor();

      // A dropped file; the export.
      await page.getByRole('link', { name: 'Zone file' }).click();
      await text.waitFor();
      await page.evaluate(`{ const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(['same 300 A 192.0.2.1\\n'], 'small.zone'));
          document.querySelector('.zone-drop').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })); }`);
      await page.getByLabel('Replace all records').check();
      await page.getByText(/^0 new, .* 12,001 deleted, 1 unchanged/).waitFor();
      await untilIs(() => text.inputValue(), 'same 300 A 192.0.2.1\n');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download the zone file' }).click(),
      ]);
      assert.is(download.suggestedFilename(), 'example.com.zone');
    });
  });
});

test.run();
