/** What the dashboard shows when it cannot work: an ended session, no connection, a bad origin. */
import { createServer } from 'node:http';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { listen } from '../../support/listen.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withOwnWorld, withPage, withWorld } from './browser.ts';

const test = browserSuite('what keeps the dashboard from working');

test('a session that ends says so, and what was entered is kept', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await daemon.api.createDomain('kept.example');
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'kept.example' }).waitFor();
      await page.goto(`${base}/domains/${id}/proxy`);
      await page.getByLabel('Address or host name').fill('198.51.100.7');
      const sessions = (await daemon.api.call('GET', '/api/v1/sessions')).body.sessions as { id: number }[];
      for (const session of sessions) await daemon.api.call('DELETE', `/api/v1/sessions/${session.id}`);
      const dialog = page.getByRole('dialog', { name: 'Sign in again' });
      await dialog.getByText('Your session has ended.').waitFor();
      await checkScreen(page, 'session-ended');
      await dialog.getByLabel('Username or e-mail').fill('admin');
      await dialog.getByLabel('Password').fill(ADMIN_PASSWORD);
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await untilIs(() => dialog.count(), 0);
      await untilIs(() => page.getByLabel('Address or host name').inputValue(), '198.51.100.7');
      // The new session can change something.
      await page.getByRole('button', { name: 'Save origin' }).click();
      await page.locator('.fault').getByText('198.51.100.7').waitFor();
    });
  });
});

test('a lost connection is shown until it is back', async () => {
  await withWorld(async (world) => {
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('searchbox').fill('x');
      await page.getByText('The service cannot be reached').waitFor();
      await checkScreen(page, 'offline');
      await page.context().setOffline(false);
      await untilIs(() => page.getByText('The service cannot be reached').count(), 0);
    });
  });
});

test('a domain that exists says what to do', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await daemon.api.createDomain('here.example');
    const password = 'someone else 1';
    const { body } = await daemon.api.call('POST', '/api/v1/accounts', { username: 'other', password, role: 'user' });
    const { id: other } = body.account as unknown as { id: number };
    await daemon.api.call('POST', `/api/v1/domains?account=${other}`, { domain: 'there.example' });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'here.example' }).first().waitFor();
      await page.goto(`${base}/domains/add`);
      await page.getByLabel('Domain name').fill('there.example');
      await page.getByRole('button', { name: 'Add domain' }).click();
      await page.getByText('ask the owner of that account to delete it there').waitFor();
      await checkScreen(page, 'domain-taken');
      await page.getByLabel('Domain name').fill('Here.example');
      await page.getByRole('button', { name: 'Add domain' }).click();
      await page.getByRole('link', { name: 'Open the domain' }).click();
      await page.waitForURL(`${base}/domains/${id}/records`);
    });
  });
});

test('an origin is tested before it is saved', async () => {
  const origin = createServer((_, response) => response.writeHead(204).end());
  const port = await listen(origin);
  try {
    await withOwnWorld(
      async (world) => {
        const { base, daemon } = world;
        await daemon.api.logIn('admin', ADMIN_PASSWORD);
        const id = await daemon.api.createDomain('shop.example');
        await withPage(world, async (page) => {
          await signIn(page, base);
          await page.getByRole('link', { name: 'shop.example' }).waitFor();
          await page.goto(`${base}/domains/${id}/proxy`);
          await page.getByLabel('Address or host name').fill('127.0.0.1');
          await page.getByLabel('Port').fill(String(port));
          await page.getByLabel('Protocol').selectOption('HTTP');
          await page.getByRole('button', { name: 'Test the origin' }).click();
          await page.getByText('The origin answers').waitFor();
          await page.getByText('Status 204 for shop.example/.').waitFor();
          await checkScreen(page, 'origin-tested');
          await page.getByLabel('Protocol').selectOption('HTTPS');
          await page.getByRole('button', { name: 'Test the origin' }).click();
          await page.getByText('The origin cannot be used like this').waitFor();
          await checkScreen(page, 'origin-refused');
          const { body } = await daemon.api.call('GET', `/api/v1/domains/${id}/proxy`);
          assert.not.ok((body.proxy as { origin_host: string }).origin_host);
          // A message of success leaves when the next action fails.
          await page.getByLabel('Protocol').selectOption('HTTP');
          await page.getByRole('button', { name: 'Save origin' }).click();
          await page.getByText('The origin is saved and used.').waitFor();
          await page.getByLabel('Port').fill('many');
          await page.getByRole('button', { name: 'Save origin' }).click();
          await page.getByText('Port: enter a number from 1 to 65535.').waitFor();
          await untilIs(() => page.getByText('The origin is saved and used.').count(), 0);
        });
      },
      { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8' },
    );
  } finally {
    origin.close();
  }
});

test.run();
