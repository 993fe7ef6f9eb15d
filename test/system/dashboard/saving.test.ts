/** Saving and undoing records in Chromium: what is shown, where the focus is, and conflicts. */
import type { Page } from 'playwright-core';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, type World, withPage, withWorld } from './browser.ts';

const test = browserSuite('saving records in chromium');

interface Stored {
  readonly id: number;
  readonly name: string;
  readonly content: string;
}

interface Zone {
  /** Of the API. */
  readonly path: string;
  /** Of the page. */
  readonly address: string;
  readonly stored: () => Promise<Stored[]>;
  readonly contents: () => Promise<string[]>;
}

const address = (name: string, content: string) => ({ name, type: 'A', content });

async function openRecords(
  world: World,
  post: readonly object[],
  use: (page: Page, zone: Zone) => Promise<void>,
): Promise<void> {
  const { api } = world.daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await api.call('POST', '/api/v1/domains', { domain: 'example.com' });
  const path = `/api/v1/domains/${(body.domain as { id: number }).id}`;
  await api.call('POST', `${path}/records/batch`, { post: post as never });
  const stored = async (): Promise<Stored[]> =>
    (await api.call('GET', `${path}/records?limit=1000`)).body.records as never;
  const contents = async (): Promise<string[]> => (await stored()).map(({ name, content }) => `${name} ${content}`);
  const zone = { path, address: `${world.base}/domains/${path.split('/').at(-1)}`, stored, contents };
  await withPage(world, async (page) => {
    await signIn(page, world.base);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${zone.address}/records`);
    await page.getByRole('searchbox').waitFor();
    await use(page, zone);
  });
}

test('a switch shows whether its name is served through the proxy', async () => {
  await withWorld(async (world) => {
    const records = [address('www', '192.0.2.1'), { ...address('api', '192.0.2.2'), proxied: false }];
    await openRecords(world, records, async (page, zone) => {
      const www = page.getByRole('switch', { name: 'Proxy of www' });
      const api = page.getByRole('switch', { name: 'Proxy of api' });
      await untilIs(() => www.innerText(), 'Proxy is off');
      await untilIs(() => api.innerText(), 'DNS only');
      await page.getByText('names marked like this are served as DNS only').waitFor();
      await checkScreen(page, 'records-proxy-off');
      await page.getByRole('link', { name: 'Turn on the proxy' }).click();
      await page.waitForURL(/\/proxy$/);
      await world.daemon.api.call('POST', `${zone.path}/proxy/toggle`, { enable: true });
      await page.getByRole('link', { name: 'Records', exact: true }).click();
      await untilIs(() => www.innerText(), 'Proxied');
      await untilIs(() => api.innerText(), 'DNS only');
      await untilIs(() => page.getByRole('link', { name: 'Turn on the proxy' }).count(), 0);
    });
  });
});

test.run();
