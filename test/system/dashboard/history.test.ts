/** The history of a domain and its restore, in the dashboard of a real daemon in Chromium. */
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type ServingDaemon } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withPage, withWorld } from './browser.ts';

const test = browserSuite('history in the dashboard');

/** Creates a domain, and returns its path in the API. */
async function newDomain(daemon: ServingDaemon, domain: string): Promise<string> {
  const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain });
  return `/api/v1/domains/${(body.domain as { id: number }).id}`;
}

async function contentsOf(daemon: ServingDaemon, path: string): Promise<string[]> {
  const records = (await daemon.api.call('GET', `${path}/records`)).body.records as { name: string; content: string }[];
  return records.map(({ name, content }) => `${name} ${content}`).sort();
}

test('each change shows who, when and what, and its state can be restored', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const path = await newDomain(daemon, 'past.example');
    const add = (name: string, content: string) =>
      daemon.api.call('POST', `${path}/records`, { name, type: 'A', content, ttl: 300 });
    const { id } = (await add('www', '192.0.2.1')).body.record as { id: number };
    await add('mail', '192.0.2.2');
    const before = await contentsOf(daemon, path);
    await daemon.api.call('PUT', `${path}/records/${id}`, { name: 'www', type: 'A', content: '192.0.2.9', ttl: 60 });
    const text = '<img src=x onerror=alert(1)>';
    await daemon.api.call('POST', `${path}/records`, { name: '@', type: 'TXT', content: text });
    await daemon.api.call('PUT', `${path}/proxy`, { origin: '1.1.1.1' });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'past.example' }).click();
      await page.getByRole('link', { name: 'History' }).click();
      await page.getByRole('heading', { name: 'Domain added' }).waitFor();
      await page.getByText('The history begins with the creation of the domain.').waitFor();
      const changes = page.locator('.changes > li');
      await untilIs(() => changes.count(), 6);
      const changed = changes.filter({ hasText: 'Record changed' });
      await untilIs(() => changed.locator('del').textContent(), 'Beforewww\t300\tIN\tA\t192.0.2.1');
      await untilIs(() => changed.locator('ins').textContent(), 'Afterwww\t60\tIN\tA\t192.0.2.9');
      await changes.filter({ hasText: 'Proxy changed' }).getByText('Origin: https://1.1.1.1:443').waitFor();
      await changes.filter({ hasText: text }).waitFor();
      await checkScreen(page, 'history');

      // Filter, whose address can be reloaded.
      await page.getByLabel('Search the history').fill('192.0.2.2');
      await page.getByText('1 change', { exact: true }).waitFor();
      await page.reload();
      await page.getByText('1 change', { exact: true }).waitFor();
      await untilIs(() => changes.count(), 1);
      await page.getByLabel('Search the history').fill('nothing');
      await page.getByText('No change contains “nothing”.').waitFor();
      await checkScreen(page, 'history-no-match');
      await page.getByRole('button', { name: 'Show all changes' }).click();

      // The preview changes nothing, and notices what others do meanwhile.
      const restore = (content: string) =>
        changes.filter({ hasText: content }).getByRole('button', { name: 'Restore this state' });
      await restore('mail').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Restore 2 records' }).waitFor();
      await untilIs(() => dialog.locator('.diff li').count(), 2);
      await checkScreen(page, 'history-restore');
      await add('meanwhile', '192.0.2.3');
      await dialog.getByRole('button', { name: 'Restore 2 records' }).click();
      await dialog.getByText('Someone else has changed the domain meanwhile.').waitFor();
      await checkScreen(page, 'history-restore-changed');
      assert.is((await contentsOf(daemon, path)).length, 4);
      await dialog.getByRole('button', { name: 'Restore 3 records' }).click();
      await page.getByText('3 records restored and served.').waitFor();
      assert.equal(await contentsOf(daemon, path), before);
      await page.getByRole('heading', { name: 'Records restored' }).waitFor();

      // A restore of the same records has nothing to do, and the restore can be undone.
      await restore('mail').last().click();
      await dialog.getByText('The records are the same as then').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await restore('meanwhile').last().click();
      await dialog.getByRole('button', { name: 'Restore 3 records' }).click();
      await page.getByText('3 records restored and served.').last().waitFor();
      await page.getByRole('heading', { name: 'Records restored' }).nth(1).waitFor();
      assert.is((await contentsOf(daemon, path)).length, 4);
    });
  });
});

test('a viewer sees the history, the audit log and the overview, and changes nothing', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const password = 'looks at everything';
    const { body } = await api.call('POST', '/api/v1/accounts', { username: 'viewer', password, plan: 'pro' });
    const { id } = body.account as { id: number };
    const created = await api.call('POST', `/api/v1/domains?account=${id}`, { domain: 'seen.example' });
    const domain = created.body.domain as { id: number };
    const path = `/api/v1/domains/${domain.id}/records`;
    for (const name of ['first', 'second'])
      await api.call('POST', path, { name, type: 'A', content: '192.0.2.1', ttl: 300 });
    await api.call('PATCH', `/api/v1/accounts/${id}`, { role: 'viewer' });
    await withPage(world, async (page) => {
      await page.goto(`${base}/domains/${domain.id}/history`);
      await page.getByLabel('Username or e-mail').fill('viewer');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      // The administrator who acted for the owner is named.
      await page.getByText('Administrator').first().waitFor();
      await untilIs(() => page.locator('.changes > li').count(), 3);
      await untilIs(() => page.getByRole('button', { name: 'Restore this state' }).count(), 0);
      await page.getByRole('link', { name: 'All domains' }).click();
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByText('added the record second A').waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByText('1 domain', { exact: true }).waitFor();
      await untilIs(() => page.getByRole('link', { name: 'Add a domain' }).count(), 0);
    });
  });
});

test('long histories load as the user scrolls, and large changes open on demand', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const path = await newDomain(daemon, 'long.example');
    const post = Array.from({ length: 120 }, (_, i) => ({
      name: `h${i}`,
      type: 'A',
      content: '192.0.2.1',
      ttl: 300,
    }));
    await daemon.api.call('POST', `${path}/records/batch`, { post });
    for (let i = 0; i < 60; i++)
      await daemon.api.call('POST', `${path}/records`, { name: `n${i}`, type: 'A', content: '192.0.2.2', ttl: 300 });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'long.example' }).click();
      await page.getByRole('link', { name: 'History' }).click();
      const changes = page.locator('.changes > li');
      await changes.nth(24).waitFor();
      assert.ok((await changes.count()) < 62);
      await page.getByText('62 changes shown').waitFor();
      const end = page.getByText('The history begins with the creation of the domain.');
      while (!(await end.isVisible())) {
        await page.mouse.wheel(0, 2000);
        await page.waitForTimeout(50);
      }
      await untilIs(() => changes.count(), 62);
      await page.getByRole('button', { name: 'Show 92 more records' }).click();
      await page.getByText('20 more records changed.').waitFor();
      // A change by another client appears on top, and the rest stays.
      await daemon.api.call('POST', `${path}/records`, { name: 'late', type: 'A', content: '192.0.2.3', ttl: 300 });
      await changes.filter({ hasText: '192.0.2.3' }).waitFor();
      await end.waitFor();
      await untilIs(() => changes.count(), 63);
    });
  });
});

test.run();
