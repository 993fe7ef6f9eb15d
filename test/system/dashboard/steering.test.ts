/** The page of steered record sets: the form, its faults, JSON, a test of a client, versions. */
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

interface Stored {
  readonly pools: readonly {
    readonly name: string;
    readonly answers: readonly object[];
    readonly health: { readonly path: string } | null;
  }[];
  readonly rules: readonly object[];
  readonly fallback: readonly string[];
}

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
      const field = (label: string) => page.getByLabel(label, { exact: true });
      await button('Save').click();
      await page.locator('.fault').first().waitFor();
      await field('Answer 1 of pool all').fill('192.0.2.1');
      await field('Weight of answer 1 of pool all').fill('3');
      await button('Add an answer to all').click();
      await field('Answer 2 of pool all').fill('192.0.2.2');
      await field('Weight of answer 2 of pool all').fill('many');
      await button('Save').click();
      await untilIs(() => field('Weight of answer 2 of pool all').getAttribute('aria-invalid'), 'true');
      await field('Weight of answer 2 of pool all').fill('1');
      await button('Add an answer to all').click();
      await button('Remove the answer from all').click();

      // A pool for a network, which is not in the order of fail-over.
      await button('Add a pool').click();
      await field('Answer 1 of pool pool-2').fill('10.0.0.1');
      await field('Name of the pool').nth(1).fill('lan');
      await button('Add a rule').click();
      await field('Networks').fill('10.0.0.0/8, fd00::/8');
      await field('Pool for these clients').selectOption('lan');

      // What is not saved yet is tried, too.
      await page.getByLabel('Address of the resolver or client').fill('192.0.2.53');
      await button('Try').click();
      await page.getByText('192.0.2.1 (75 % of responses)').waitFor();
      await page.getByLabel('Client subnet').fill('10.1.0.0/16');
      await button('Try').click();
      await page.getByText('10.0.0.1 (100 % of responses)').waitFor();
      await page.getByText('Rule 0 is the first that matches').waitFor();

      // A second pool for all clients, with a check, after the first.
      await button('Add a pool').click();
      await field('Answer 1 of pool pool-3').fill('192.0.2.9');
      await field('Health check').nth(2).selectOption('http');
      await field('Path').fill('/up');
      await field('Next pool').selectOption('pool-3');
      await button('Add to the order').click();
      await button('Move up: pool-3').click();
      await checkScreen(page, 'steering');
      await button('Move down: pool-3').click();
      await button('Save').click();
      await button('Open: www A').waitFor();
      const stored = async () => (await api.call('GET', path)).body as unknown as Stored;
      const pools = async () => (await stored()).pools;
      const { rules, fallback } = await stored();
      assert.equal(fallback, ['all', 'pool-3']);
      assert.equal(rules, [
        { match: { country: [], continent: [], network: ['10.0.0.0/8', 'fd00::/8'], region: [] }, pool: 'lan' },
      ]);
      assert.equal(
        (await pools()).map(({ name, answers }) => [name, answers.length]),
        [
          ['all', 2],
          ['lan', 1],
          ['pool-3', 1],
        ],
      );
      assert.equal(
        (await pools()).map(({ health }) => health?.path),
        [undefined, undefined, '/up'],
      );

      // The same document as JSON: the form follows it.
      await page.getByText('The document as JSON').click();
      const text = page.getByLabel('Document', { exact: true });
      await text.fill('{');
      await page.getByText('This is not JSON').waitFor();
      await text.fill(JSON.stringify({ ...DOCUMENT, fallback: ['none'] }));
      await button('Save').click();
      await page.getByText('There is no pool "none"').waitFor();
      await button('Remove: none').click();
      await button('Remove the pool lan').click();
      assert.match(await text.inputValue(), /"fallback": \[\]/);
      await button('Save').click();
      await untilIs(async () => (await pools()).map(({ name }) => name), ['all']);

      // Another client writes a version, and the first one is restored.
      await api.call('PUT', path, { pools: [{ name: 'other', answers: [{ content: '192.0.2.9' }] }] });
      await untilMatches(() => field('Answer 1 of pool other').inputValue(), /192\.0\.2\.9/);
      await page.getByText('Earlier versions').click();
      const list = page.locator('details', { hasText: 'Earlier versions' }).locator('li');
      await list.nth(2).getByRole('button').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore this version' }).click();
      await untilIs(async () => (await pools()).length, 3);
      await button('Delete …').click();
      await page.getByLabel('Type www to confirm').fill('www');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete steering' }).click();
      await page.getByText('No record set is steered').waitFor();
      assert.is((await api.request('GET', path)).status, 404);
    });
  });
});

test.run();
