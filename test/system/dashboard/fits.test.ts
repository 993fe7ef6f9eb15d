/** Pages with long texts fit at each width, and saving keeps the focus, in Chromium. */
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { PAGES } from '../../../admin-api/dashboard/addresses.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, type World, withOwnWorld, withPage } from './browser.ts';

const test = browserSuite('pages that fit');

const WIDTHS = [1280, 390, 320];
const LONG = 'w'.repeat(60);
/** Names would need a resolver. */
const ADDRESS = '2606:4700:1111:2222:3333:4444:5555:6666';

/**
 * What is wider than the window, and controls, states and times of which a part is hidden. Text
 * that ends with dots, and what can be scrolled, is no fault.
 */
const FAULTS = `(() => {
  const faults = [];
  const say = (what, element) => faults.push(what + ': ' + element.outerHTML.slice(0, 160));
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth)
    for (const element of document.querySelectorAll('body *'))
      if (element.getBoundingClientRect().right > innerWidth + 1) say('too wide', element);
  for (const element of document.querySelectorAll('select, .badge, time, .button, input:not([type])')) {
    const { left, right, width } = element.getBoundingClientRect();
    if (width === 0) continue;
    if (element.matches('.badge, .button') && element.scrollWidth > element.clientWidth + 1) say('text cut', element);
    if (element.localName === 'select') {
      element.style.cssText = 'width: max-content; max-width: none; flex: none';
      const needed = element.getBoundingClientRect().width;
      element.style.cssText = '';
      // A choice may be longer than any window.
      if (needed > width + 1 && needed < innerWidth - 96) say('select cut by ' + (needed - width), element);
    }
    for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
      const overflow = getComputedStyle(box).overflowX;
      if (overflow === 'auto' || overflow === 'scroll') break;
      const outer = box.getBoundingClientRect();
      if ((overflow === 'hidden' || overflow === 'clip') && outer.width > 1 && (right > outer.right + 1 || left < outer.left - 1)) say('cut', element);
    }
  }
  const search = document.querySelector('main input[type=search]');
  if (search !== null && innerWidth < 640 && search.placeholder.includes('/')) say('key of a keyboard', search);
  return faults;
})()`;

interface Ids {
  readonly domain: number;
  readonly account: number;
  readonly webhook: number;
}

/** Objects with long texts in all fields. */
async function fill({ daemon: { api } }: World): Promise<Ids> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const call = async (method: string, path: string, json: object): Promise<Record<string, never>> => {
    const { status, body } = await api.call(method, `/api/v1${path}`, json as never);
    if (status >= 300) console.log(`${method} ${path} ${JSON.stringify(body)}`);
    return body as never;
  };
  const name = `${LONG}.${LONG}.example`;
  const { id: domain } = (await call('POST', '/domains', { domain: name })).domain as { id: number };
  const deleted = (await call('POST', '/domains', { domain: `${LONG}.test` })).domain as { id: number };
  await call('DELETE', `/domains/${deleted.id}`, {});
  await call('PUT', `/domains/${domain}/dnssec`, { enabled: true });
  const record = { name: LONG, type: 'TXT', content: `"${LONG}${LONG}"`, comment: LONG };
  await call('POST', `/domains/${domain}/records`, record);
  await call('POST', `/domains/${domain}/records`, { name: 'www', type: 'A', content: '1.1.1.1', proxied: true });
  await call('PUT', `/domains/${domain}/proxy`, { origin: ADDRESS });
  await call('POST', `/domains/${domain}/proxy/toggle`, { enable: true });
  const origin = { origin: ADDRESS, port: 8443, protocol: 'https' };
  await call('PUT', `/domains/${domain}/proxy/origins`, {
    origins: [{ name: LONG, path: `/${LONG}`, pool: [origin] }],
  });
  const rule = { name: LONG, match: { path: { prefix: [`/${LONG}`] } }, action: { type: 'deny', status: 404 } };
  await call('PUT', `/domains/${domain}/proxy/rules`, { rules: [rule] });
  const answers = [{ content: '192.0.2.1' }];
  await call('PUT', `/domains/${domain}/steering/${LONG}/A`, { pools: [{ name: 'p'.repeat(32), answers }] });
  await call('POST', '/tokens', { name: LONG, scopes: ['dns', 'proxy'], domains: [domain] });
  await call('POST', '/tsig-keys', { name: `${LONG}.${LONG}`, domain_ids: [domain] });
  const hook = { url: `https://[${ADDRESS}]/${LONG}${LONG}`, events: ['records.changed'], domain_ids: [domain] };
  const { id: webhook } = await call('POST', '/webhooks', hook);
  const person = { username: LONG, password: 'correct horse battery', email: `${LONG}@${LONG}.example` };
  const { id: account } = (await call('POST', '/accounts', person)).account as { id: number };
  return { domain, account, webhook };
}

/** The addresses of all pages of which there is an object. */
const addressesOf = ({ domain, account, webhook }: Ids): string[] =>
  Object.values(PAGES)
    .filter((path) => path !== '/' && path !== PAGES.signIn)
    .map((path) =>
      path
        .replace('{domain_id}', String(domain))
        .replace('{account_id}', String(account))
        .replace('{webhook_id}', String(webhook)),
    )
    .filter((path) => !path.includes('{'));

/** Until nothing is being loaded. */
async function settle(page: Page): Promise<void> {
  // The stream of live requests does not end.
  if (!page.url().endsWith('/requests')) await page.waitForLoadState('networkidle');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await untilIs(() => page.locator('.skeleton:visible').count(), 0);
}

/** The lower edge of a button. */
async function bottomOf(page: Page, name: string): Promise<number> {
  const { y, height } = (await page.getByRole('button', { name }).boundingBox()) as { y: number; height: number };
  return y + height;
}

test('no page is wider than the window or cuts controls, states and times', async () => {
  await withOwnWorld(async (world) => {
    const ids = await fill(world);
    const faults: string[] = [];
    await withPage(world, async (page) => {
      const look = async (path: string): Promise<void> => {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
          for (const fault of (await page.evaluate(FAULTS)) as string[]) faults.push(`${path} at ${width}: ${fault}`);
        }
      };
      await page.goto(`${world.base}/sign-in`);
      await page.getByLabel('Password').waitFor();
      assert.is(await page.locator('.brand').isVisible(), true);
      await look('/sign-in');
      await page.setViewportSize({ width: 1280, height: 800 });
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'attached' });
      for (const path of addressesOf(ids)) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto(world.base + path);
        await settle(page);
        assert.ok((await bottomOf(page, 'Sign out')) <= 800, `${path}: the navigation is cut`);
        await page.evaluate(`for (const details of document.querySelectorAll('main details')) details.open = true`);
        await look(path);
      }
      // Acting for an account with a long name, with the menu of a phone.
      await page.goto(`${world.base}/overview?account=${ids.account}`);
      await settle(page);
      await page.getByRole('button', { name: 'Menu' }).click();
      await look('/overview, acting');
    });
    assert.equal(faults, []);
  });
});

interface Save {
  readonly path: (ids: Ids) => string;
  readonly change: (page: Page) => Promise<unknown>;
  readonly button: string;
}

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

const SAVES: readonly Save[] = [
  {
    path: ({ domain }) => `/domains/${domain}/proxy`,
    change: (page) => field(page, 'Address or host name').fill('1.1.1.1'),
    button: 'Save origin',
  },
  {
    path: ({ domain }) => `/domains/${domain}/proxy`,
    change: (page) => field(page, 'Browsers remember it for').selectOption('300'),
    button: 'Save',
  },
  {
    path: ({ domain }) => `/domains/${domain}/protection`,
    change: (page) => field(page, 'Requests in flight').fill('100'),
    button: 'Save',
  },
  {
    path: ({ domain }) => `/domains/${domain}/error-pages`,
    change: (page) => field(page, 'Maintenance page').fill('<h1>{{title}}</h1>'),
    button: 'Save',
  },
  {
    path: ({ domain }) => `/domains/${domain}/set-up`,
    change: (page) => field(page, 'Notify after each change').fill('192.0.2.77'),
    button: 'Save',
  },
  {
    path: ({ domain }) => `/domains/${domain}/origins`,
    change: (page) => field(page, 'Origins').fill('1.1.1.2'),
    button: 'Add pool',
  },
  {
    path: ({ domain }) => `/domains/${domain}/rules`,
    change: (page) => field(page, 'Template').selectOption({ index: 1 }),
    button: 'Add rules',
  },
  {
    path: ({ account }) => `/accounts/${account}`,
    change: (page) => field(page, 'Username').fill('renamed'),
    button: 'Save',
  },
];

const focusedText = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent.slice(0, 60)');

test('after saving, the focus is still at the button, which shows at once that it is being saved', async () => {
  await withOwnWorld(async (world) => {
    const ids = await fill(world);
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      for (const { path, change, button } of SAVES) {
        await page.goto(world.base + path(ids));
        await settle(page);
        await change(page);
        // The response is held, so that the state meanwhile can be seen.
        let release = (): void => {};
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        await page.route('**/api/**', async (route) => {
          if (route.request().method() !== 'GET') await held;
          await route.fallback();
        });
        await page.getByRole('button', { name: button, exact: true }).focus();
        await page.keyboard.press('Enter');
        const where = `${path(ids)}, ${button}`;
        await untilIs(() => page.evaluate('document.activeElement.ariaDisabled'), 'true', where);
        release();
        await untilIs(() => page.locator('.announcement-shown').count(), 1, where);
        await page.unrouteAll({ behavior: 'wait' });
        await settle(page);
        assert.is(await focusedText(page), button, where);
      }

      // What was deleted had the focus: the content of the page gets it.
      await page.goto(`${world.base}/api-keys`);
      await page.getByRole('button', { name: `Revoke ${LONG}` }).focus();
      await page.keyboard.press('Enter');
      await page.getByLabel(/^Type /).waitFor();
      await page.keyboard.type(LONG);
      await page.keyboard.press('Enter');
      await untilIs(() => page.getByRole('button', { name: `Revoke ${LONG}` }).count(), 0);
      await untilIs(() => page.evaluate('document.activeElement.id'), 'content');

      // The second dialog begins at its field, above which is the button that copies the secret.
      await page.goto(`${world.base}/account`);
      await page.getByRole('button', { name: 'Turn on one-time codes' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type(ADMIN_PASSWORD);
      await page.keyboard.press('Enter');
      await page.locator('.qr-code').waitFor();
      assert.is(await page.evaluate('document.activeElement.name'), 'code');
      await page.keyboard.press('Escape');
      await untilIs(() => focusedText(page), 'Turn on one-time codes');
    });
  });
});

test.run();
