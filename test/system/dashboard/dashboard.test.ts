/** The dashboard of a real daemon in Chromium. */
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { actUnaware, signIn, withPage, withWorld } from './browser.ts';
import { confirmSave, editedRow, editRecord, saveRecords, startRecord } from './edit-records.ts';

const test = browserSuite('dashboard in chromium');

test('every address shows the sign-in page, and returns to itself after signing in', async () => {
  await withWorld(async (world) => {
    const { base } = world;
    await withPage(world, async (page) => {
      await page.goto(`${base}/domains?q=exam`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await untilIs(() => page.url(), `${base}/sign-in?return=%2Fdomains%3Fq%3Dexam`);
      await page.reload();
      await checkScreen(page, 'sign-in');
      await page.getByLabel('Username or e-mail').fill('admin');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Password').fill(ADMIN_PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor();
      await untilIs(() => page.url(), `${base}/domains?q=exam`);
      await page.goto(`${base}/nowhere`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await checkScreen(page, 'not-found');
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Show this help').waitFor();
      await checkScreen(page, 'help');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
    await withPage(world, async (page) => {
      for (const address of ['https://evil.example/', '//evil.example/', 'javascript:alert(1)']) {
        await page.goto(`${base}/sign-in?return=${encodeURIComponent(address)}`);
        await page.getByLabel('Username or e-mail').waitFor();
      }
      await page.getByLabel('Username or e-mail').fill('admin');
      await page.getByLabel('Password').fill(ADMIN_PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
      await untilIs(() => page.url(), `${base}/overview`);
    });
  });
});

test('a domain gets its records, and edits are saved, undone and merged', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByText('No domains yet').waitFor();
      await checkScreen(page, 'domains-empty');
      await page.getByRole('link', { name: 'Add a domain' }).first().click();
      await page.getByLabel('Domain name').fill('not a name');
      await page.getByRole('button', { name: 'Add domain' }).click();
      await page.locator('.fault').waitFor();
      await checkScreen(page, 'add-domain-refused');
      await page.getByLabel('Domain name').fill('bücher.example');
      await page.getByRole('button', { name: 'Add domain' }).click();
      await page.getByText('ns1.waypost.test').waitFor();
      await checkScreen(page, 'set-up');
      await page.getByRole('link', { name: 'Go to the records' }).click();
      await page.getByRole('heading', { name: 'bücher.example' }).waitFor();

      // A new record with markup in its value, which stays text.
      const add = async (name: string, type: string, content: string): Promise<void> => {
        const row = await startRecord(page, name, type);
        await row.getByLabel('Value').fill(content);
        await row.getByRole('button', { name: 'Done' }).click();
      };
      await add('www', 'A', '192.0.2.1');
      await add('@', 'TXT', '<img src=x onerror=alert(1)>');
      await add('mail', 'A', '192.0.2');
      await saveRecords(page);
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await checkScreen(page, 'records-refused');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Delete mail A' }).click();
      await saveRecords(page);
      await page.getByText('2 changes saved and served.').waitFor();
      await page.reload();
      await page.getByText('"<img src=x onerror=alert(1)>"').waitFor();

      const path = `/api/v1${new URL(page.url()).pathname}`;
      const stored = async (): Promise<{ id: number; content: string }[]> =>
        (await daemon.api.call('GET', `${path}?name=www`)).body.records as never;
      const contents = async (): Promise<string[]> => (await stored()).map(({ content }) => content);

      // Edited in place, saved and undone.
      await page.getByRole('button', { name: 'Edit www A' }).click();
      await editedRow(page).getByLabel('Value').fill('192.0.2.7');
      await checkScreen(page, 'records-editing');
      await page.keyboard.press('Enter');
      await saveRecords(page);
      await page.getByText('1 change saved and served.').waitFor();
      assert.equal(await contents(), ['192.0.2.7']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('192.0.2.1', { exact: true }).waitFor();
      await untilIs(contents, ['192.0.2.1']);

      // Another client changes another record: both changes are kept.
      const edit = (content: string): Promise<void> => editRecord(page, 'www A', content);
      await edit('192.0.2.8');
      await daemon.api.call('POST', path, { name: 'api', type: 'A', content: '192.0.2.3', ttl: 300 });
      await saveRecords(page);
      await page.getByText('1 change saved and served.').waitFor();
      await page.getByText('192.0.2.3', { exact: true }).waitFor();
      assert.equal(await contents(), ['192.0.2.8']);

      // Another client changes the same record: the user decides.
      await edit('192.0.2.9');
      const theirs = { name: 'www', type: 'A', content: '192.0.2.66', ttl: 300 };
      const [{ id }] = await stored();
      await actUnaware(page, /\/api\/v1\/domains\/\d+(\/records)?(\?.*)?$/, async () => {
        await daemon.api.call('PUT', `${path}/${id}`, theirs);
        await saveRecords(page);
      });
      await page.getByText(/^Someone else has changed records/).waitFor();
      await checkScreen(page, 'records-conflict');
      assert.equal(await contents(), ['192.0.2.66']);
      await confirmSave(page);
      await page.getByText('1 change saved and served.').waitFor();
      assert.equal(await contents(), ['192.0.2.9']);

      // Back works, and so does the search.
      await page.goBack();
      await page.getByText('ns1.waypost.test').waitFor();
      await page.goto(`${base}/domains?q=nothing`);
      await page.getByText('No domain contains “nothing”.').waitFor();
      await page.getByRole('searchbox').fill('xn--');
      await page.getByRole('link', { name: 'bücher.example' }).waitFor();
      await checkScreen(page, 'domains');
    });
  });
});

test.run();
