/** The page of steered record sets: a new document, its faults, a test of a client, versions. */
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs, untilMatches } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withPage, withWorld } from './browser.ts';

const test = browserSuite('steering in the dashboard');

const DOCUMENT = {
  pools: [
    { name: 'all', answers: [{ content: '192.0.2.1', weight: 3 }, { content: '192.0.2.2' }] },
    { name: 'lan', answers: [{ content: '10.0.0.1' }] },
  ],
  rules: [{ match: { network: '10.0.0.0/8' }, pool: 'lan' }],
  fallback: ['all'],
};

test('a record set is steered, tried for a client, restored, and no longer steered', async () => {
  await withWorld(async (world) => {
    const { daemon, base } = world;
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain('steered.example');
    const path = `/api/v1/domains/${id}/steering/www/A`;
    await withPage(world, async (page) => {
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      await signIn(page, base);
      await page.getByRole('link', { name: 'steered.example' }).click();
      await page.getByRole('link', { name: 'Steering', exact: true }).click();
      await page.getByText('No record set is steered').waitFor();
      await page.getByLabel('Name').fill('www');
      await button('Steer a record set').click();
      await page.getByRole('heading', { name: 'Steering of www A' }).waitFor();
      const text = page.getByLabel('Document', { exact: true });
      await text.fill('{');
      await button('Save').click();
      await page.getByText('This is not JSON').waitFor();
      await text.fill(JSON.stringify({ ...DOCUMENT, fallback: ['none'] }));
      await button('Save').click();
      await page.getByText('There is no pool "none"').waitFor();
      await text.fill(JSON.stringify(DOCUMENT, null, 2));

      // What is not saved yet is tried, too.
      await page.getByLabel('Address of the resolver or client').fill('192.0.2.53');
      await button('Try').click();
      await page.getByText('192.0.2.1 (75 % of responses)').waitFor();
      await page.getByLabel('Client subnet').fill('10.1.0.0/16');
      await button('Try').click();
      await page.getByText('10.0.0.1 (100 % of responses)').waitFor();
      await page.getByText('Rule 0 is the first that matches').waitFor();
      await checkScreen(page, 'steering');
      await button('Save').click();
      await button('Open: www A').waitFor();
      const pools = async () => (await api.call('GET', path)).body.pools as { name: string }[];
      await untilIs(async () => (await pools()).map(({ name }) => name), ['all', 'lan']);

      // Another client writes a version, and the first one is restored.
      await api.call('PUT', path, { pools: [{ name: 'other', answers: [{ content: '192.0.2.9' }] }] });
      await untilMatches(() => text.inputValue(), /192\.0\.2\.9/);
      await page.getByText('Earlier versions').click();
      const list = page.locator('details', { hasText: 'Earlier versions' }).locator('li');
      await list.nth(1).getByRole('button').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore this version' }).click();
      await untilIs(async () => (await pools()).length, 2);
      await button('Delete …').click();
      await page.getByLabel('Type www to confirm').fill('www');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete steering' }).click();
      await page.getByText('No record set is steered').waitFor();
      assert.is((await api.request('GET', path)).status, 404);
    });
  });
});

test.run();
