/** Accounts, acting for them, and the nodes, in the dashboard of a real daemon in Chromium. */

import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { addressOf, PAGES, type PageName } from '../../../admin-api/dashboard/addresses.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withPage, withWorld } from './browser.ts';

const test = browserSuite('accounts in the dashboard');

const banner = (page: Page) => page.getByRole('region', { name: 'Acting for another account' });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

test('an administrator adds, changes and deletes an account', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const accounts = async (): Promise<readonly Record<string, unknown>[]> =>
      (await daemon.api.call('GET', '/api/v1/accounts')).body.accounts as never;
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'Accounts' }).click();
      await page.getByRole('main').getByRole('link', { name: 'admin', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Add an account' }).click();
      await page.getByLabel('Username').fill('no spaces');
      await page.getByLabel('E-mail address').fill('x@<img src=x onerror=alert(1)>');
      await page.getByLabel('Password', { exact: true }).fill('short');
      await page.getByRole('button', { name: 'Add account' }).click();
      await page.locator('.fault').first().waitFor();
      await untilIs(() => page.locator('.fault').count(), 3);
      await checkScreen(page, 'account-refused');
      await page.getByLabel('Username').fill('admin');
      await page.getByLabel('E-mail address').fill('"<b>x</b>"@example.net'.replaceAll('"', ''));
      await page.getByRole('button', { name: 'Generate a password' }).click();
      await page.getByRole('button', { name: 'Add account' }).click();
      await page.getByText('Another account has this username.').waitFor();
      await page.getByLabel('Username').fill('carol');
      await page.getByRole('button', { name: 'Add account' }).click();
      await heading(page, 'Account carol').waitFor();
      await page.reload();
      await heading(page, 'Account carol').waitFor();
      await untilIs(() => page.getByLabel('E-mail address').inputValue(), '<b>x</b>@example.net');
      await checkScreen(page, 'account');

      // Settings, and what the API refuses.
      await page.getByLabel('Plan').selectOption('pro');
      await page.getByLabel('Role').selectOption('viewer');
      await page.getByLabel('API access').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The account was changed.').waitFor();
      const [, carol] = await accounts();
      assert.equal([carol.plan, carol.role, carol.api_enabled], ['pro', 'viewer', false]);
      await page.getByLabel('Username').fill('');
      await page.getByLabel('Username').evaluate((input) => input.removeAttribute('required'));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.fault').waitFor();
      await page.getByLabel('Password', { exact: true }).fill('short');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.locator('.fault').nth(1).waitFor();
      await page.getByRole('button', { name: 'Generate a password' }).click();
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.getByText('The password was changed.').waitFor();

      // The only administrator stays one.
      await page.goto(`${base}/accounts/${(await accounts())[0].id}`);
      await page.getByText('This is your own account.').waitFor();
      await untilIs(() => page.getByRole('button', { name: 'Set the password' }).count(), 0);
      await page.getByLabel('Role').selectOption('user');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/^This is the only administrator/).waitFor();
      await untilIs(() => page.getByRole('button', { name: 'Delete …' }).count(), 0);
      await page.goto(`${base}/accounts/999`);
      await page.getByText('There is no account with this id.').waitFor();

      // The search, and an e-mail address with markup.
      await page.goto(`${base}/accounts?q=EXAMPLE.net`);
      await page.getByText('<b>x</b>@example.net').waitFor();
      await checkScreen(page, 'accounts');
      await page.getByRole('searchbox').fill('nobody');
      await page.getByText('No account contains “nobody”.').waitFor();
      await checkScreen(page, 'accounts-no-match');
      await page.getByRole('button', { name: 'Show all accounts' }).click();
      await page.getByRole('link', { name: 'carol' }).click();

      // Deletion is confirmed, and refused while there are domains.
      await daemon.api.call('POST', `/api/v1/domains?account=${carol.id}`, { domain: 'carol.example' });
      await page.getByRole('button', { name: 'Delete …' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type carol to confirm').fill('carl');
      const confirm = dialog.getByRole('button', { name: 'Delete the account' });
      await untilIs(() => confirm.getAttribute('aria-disabled'), 'true');
      await dialog.getByLabel('Type carol to confirm').fill('carol');
      await dialog.getByRole('button', { name: 'Delete the account' }).click();
      await dialog.getByRole('alert').waitFor();
      await checkScreen(page, 'account-delete-refused');
      assert.is((await accounts()).length, 2);
      const { domains } = (await daemon.api.call('GET', `/api/v1/domains?account=${carol.id}`)).body as never as {
        domains: readonly { id: number }[];
      };
      await daemon.api.call('DELETE', `/api/v1/domains/${domains[0].id}`);
      await dialog.getByRole('button', { name: 'Delete the account' }).click();
      await page.getByText('The account carol was deleted.').waitFor();
      assert.is((await accounts()).length, 1);
    });
  });
});

test('an administrator switches to an account that is found by its name, and back', async () => {
  await withWorld(async (world) => {
    const { api } = world.daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const person = { username: 'switched', password: 'correct horse battery', email: 'else@example.net' };
    const made = (await api.call('POST', '/api/v1/accounts', person)).body.account as { id: number };
    await api.call('POST', `/api/v1/domains?account=${made.id}`, { domain: 'switched.example' });
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      const switcher = (name: string) => page.getByRole('button', { name: `Switch accounts, now ${name}` });
      const dialog = page.getByRole('dialog', { name: 'Accounts' });
      await switcher('admin').click();
      await dialog.getByRole('option', { name: 'admin Your own account · shown now' }).waitFor();
      await dialog.getByRole('option', { name: 'switched else@example.net' }).waitFor();
      await checkScreen(page, 'account-switcher');
      await page.keyboard.type('else@');
      await untilIs(() => dialog.getByRole('option').count(), 1);
      await page.keyboard.press('Enter');
      await banner(page).getByText('You act for switched').waitFor();
      await page.getByRole('link', { name: 'switched.example' }).waitFor();
      await checkScreen(page, 'account-switched');
      // The domain has a navigation of its own, with the same switcher.
      await page.getByRole('link', { name: 'switched.example' }).click();
      await switcher('switched').focus();
      await page.keyboard.press('Enter');
      await dialog.getByRole('option', { name: 'switched else@example.net · shown now' }).waitFor();
      await page.keyboard.press('Enter');
      await banner(page).waitFor({ state: 'detached' });
      await switcher('admin').waitFor();
    });
  });
});

test('acting for an account is marked on every page, shared by the address, and ends', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const post = async (path: string, json: object): Promise<Record<string, { id: number }>> =>
      (await daemon.api.call('POST', path, json as never)).body as never;
    const password = 'a long password';
    const { account } = await post('/api/v1/accounts', { username: 'dave', password });
    const own = (await post('/api/v1/domains', { domain: 'own.example' })).domain;
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'own.example' }).waitFor();
      await page.goto(`${base}/accounts/${account.id}`);
      await page.getByRole('button', { name: 'Act for dave' }).click();
      await page.getByText('No domains yet').waitFor();
      await banner(page).getByText('You act for dave').waitFor();
      await untilIs(() => page.url(), `${base}/domains?account=${account.id}`);
      await checkScreen(page, 'acting-domains');

      // What is created belongs to the account.
      await page.getByRole('link', { name: 'Add a domain' }).first().click();
      await banner(page).waitFor();
      await page.getByLabel('Domain name').fill('dave.example');
      await page.getByRole('button', { name: 'Add domain' }).click();
      await heading(page, 'dave.example').waitFor();
      await banner(page).getByText('You act for dave').waitFor();
      const listed = async (query = ''): Promise<string[]> =>
        ((await daemon.api.call('GET', `/api/v1/domains${query}`)).body.domains as never as { domain: string }[]).map(
          ({ domain }) => domain,
        );
      assert.equal(await listed(`?account=${account.id}`), ['dave.example']);
      assert.equal(await listed(), ['own.example']);

      // A reload and a link keep it; so does going back.
      await page.reload();
      await banner(page).getByText('You act for dave').waitFor();
      await page.getByRole('link', { name: 'All domains' }).click();
      await page.getByRole('link', { name: 'Nodes' }).click();
      await heading(page, 'Nodes').waitFor();
      await banner(page).getByText('This page is not about that account.').waitFor();
      await untilIs(() => page.title(), 'Nodes · for dave · Waypost');
      await checkScreen(page, 'acting-nodes');
      await page.goBack();
      await page.goBack();
      await heading(page, 'dave.example').waitFor();
      await banner(page).getByText('You act for dave').waitFor();
      const { pathname } = new URL(page.url());
      const address = `${base}${pathname}?account=${account.id}`;

      // The domain of an account is marked without the parameter too, and the own one is not.
      await page.goto(`${base}${pathname}`);
      await banner(page).getByText('You act for dave').waitFor();
      await untilIs(() => page.url(), address);
      await page.goto(`${base}/domains/${own.id}/records?account=${account.id}`);
      await heading(page, 'own.example').waitFor();
      await banner(page).waitFor({ state: 'detached' });
      await untilIs(() => page.url(), `${base}/domains/${own.id}/records`);

      // An API key is one of the account.
      await page.goto(address);
      await page.getByRole('link', { name: 'All domains' }).click();
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('link', { name: 'Create an API key' }).first().click();
      await page.getByLabel('Name').fill('made for dave');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('It is not shown again.').waitFor();
      const tokens = async (query = ''): Promise<string> =>
        (await daemon.api.request('GET', `/api/v1/tokens${query}`)).text;
      assert.match(await tokens(`?account=${account.id}`), /"name":"made for dave"/);
      assert.not.match(await tokens(), /made for dave/);

      // Every page that there is has the mark.
      const ids = { domain_id: pathname.split('/')[2], account_id: account.id, app_id: 'a.b', upload_id: 1, seq: 1 };
      for (const name of Object.keys(PAGES) as PageName[]) {
        if (name === 'signIn') continue;
        await page.goto(`${base}${addressOf(name, ids)}?account=${account.id}`);
        await banner(page).getByText('You act for dave').waitFor();
      }

      // It ends with a button; an account that does not exist is named as such.
      await page.goto(address);
      await banner(page).getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('link', { name: 'own.example' }).waitFor();
      await untilIs(() => banner(page).count(), 0);
      await untilIs(() => page.url(), `${base}/domains`);
      await page.goto(`${base}/domains?account=99`);
      await banner(page).getByText('There is no account with this id.').waitFor();
      await page.getByRole('alert').waitFor();
      await checkScreen(page, 'acting-unknown');
      await page.getByRole('button', { name: 'Sign out' }).click();

      // Others cannot act, and see no pages of administrators.
      await page.getByLabel('Username or e-mail').fill('dave');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await banner(page).waitFor();
      await page.getByRole('alert').getByText('Only administrators').waitFor();
      await banner(page).getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('link', { name: 'dave.example' }).waitFor();
      for (const name of ['Accounts', 'Nodes', 'Review'])
        await untilIs(() => page.getByRole('link', { name, exact: true }).count(), 0);
      for (const path of ['/accounts', `/accounts/${account.id}`, '/nodes']) {
        await page.goto(`${base}${path}`);
        await page.getByRole('alert').getByText('Only administrators are allowed to do this.').waitFor();
      }
      await checkScreen(page, 'nodes-forbidden');
    });
  });
});

test('the nodes show state, lag and version, and refresh automatically', async () => {
  await withWorld(async (world) => {
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('link', { name: 'Nodes' }).click();
      await page.getByText('Serving (single node)').waitFor();
      await page.getByText('1 of 1 node up to date').waitFor();
      await page.getByText(/^All nodes have feature level \d+\.$/).waitFor();
      await checkScreen(page, 'nodes-single');

      // Several nodes, as an administrator of a cluster sees them.
      const time = '2026-01-02 03:04:05';
      const node = {
        version: '0.1.0',
        feature_level: 1,
        started_at: time,
        heard_at: time,
        applied: 1200,
        is_live: true,
      };
      const lag = { lag_entries: 0, lag_seconds: 0.2 };
      const nodes = [
        { ...node, ...lag, name: 'node-1', address: '192.0.2.1:8400', is_self: true, state: 'following' },
        {
          ...{ ...node, name: 'node-2', address: '192.0.2.2:8400', is_self: false, state: 'catching_up' },
          ...{ is_live: false, lag_entries: 2500, lag_seconds: 12.5, version: '0.2.0', feature_level: 2 },
        },
        {
          ...{
            name: '<img src=x onerror=alert(1)>',
            address: '[2001:db8::3]:8400',
            version: '0.1.0',
            feature_level: 1,
          },
          ...{ is_self: false, is_live: false, state: 'unreachable', applied: null },
          ...{ lag_entries: null, lag_seconds: null, started_at: null, heard_at: null },
        },
      ];
      const etcd = { size: 5_000_000, used: 3_000_000, quota: 2_147_483_648, is_full: true };
      await page.route('**/api/v1/nodes', (route) =>
        route.fulfill({ json: { ok: true, nodes, head: 1200, feature_level: 1, etcd } }),
      );
      await page.getByText('1 of 3 nodes up to date').waitFor();
      await page.getByText('2,500 changes, 12.5 s').waitFor();
      await page.getByText('The nodes run different versions: 0.1.0, 0.2.0.').waitFor();
      await page.getByText('Changes that need a feature level above 1 are refused. Update node-1,').waitFor();
      await page.getByRole('rowheader', { name: '<img src=x onerror=alert(1)>' }).waitFor();
      await page.getByRole('alert').getByText('etcd is full').waitFor();
      await checkScreen(page, 'nodes');

      // What the node answered before must not look current while it does not respond.
      await page.unrouteAll({ behavior: 'wait' });
      await page.route('**/api/v1/nodes', (route) =>
        route.fulfill({
          status: 409,
          json: { ok: false, error: { code: 'x', message: 'The service is stopping.' } },
        }),
      );
      await page.getByText('The service is stopping.').waitFor();
      await page.getByText(/^This node has not answered since /).waitFor();
      assert.is(await page.getByText(/up to date/).count(), 0);
      assert.is(await page.getByText('Catching up').count(), 0);
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('1 of 1 node up to date').waitFor();
    });
  });
});

test.run();
