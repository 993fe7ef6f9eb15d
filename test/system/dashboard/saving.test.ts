/** Saving and undoing records in Chromium: what is shown, where the focus is, and conflicts. */
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, type World, withPage, withWorld } from './browser.ts';
import { confirmSave, discard, editRecord, saveRecords } from './edit-records.ts';

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

/** The label of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.tagName');

/** Whether the window shows the first element with the selector. */
const isInView = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`{ const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect();
    top >= 0 && bottom <= innerHeight }`);

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

test('saved values are shown before the records are loaded again, and the focus stays at the record', async () => {
  await withWorld(async (world) => {
    const records = Array.from({ length: 200 }, (_, i) => address(`h${i}`, `192.0.2.${i}`));
    await openRecords(world, records, async (page) => {
      await editRecord(page, 'h1 A', '198.51.100.7');
      // The records are not loaded again while this is tested.
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(/\/records\?|\/domains\/\d+$/, (route) => released.then(() => route.fallback()));
      await saveRecords(page);
      await page.getByText('1 change saved and served.').waitFor();
      await page.getByText('198.51.100.7', { exact: true }).waitFor();
      await untilIs(() => page.locator('.row-changed').count(), 0);
      await untilIs(() => focused(page), 'Edit h1 A');
      assert.ok(await isInView(page, '.announcement'));
      await checkScreen(page, 'records-saved');
      await page.setViewportSize({ width: 1280, height: 800 });
      release();
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The changes are undone.').waitFor();
      await page.getByText('192.0.2.1', { exact: true }).waitFor();
      await untilIs(() => focused(page), 'Edit h1 A');
    });
  });
});

test('discarded changes are shown before, and come back with what others have changed since', async () => {
  await withWorld(async (world) => {
    await openRecords(world, [address('www', '192.0.2.1'), address('api', '192.0.2.5')], async (page, zone) => {
      await editRecord(page, 'www A', '192.0.2.2');
      await editRecord(page, 'api A', '192.0.2.6');
      await page.getByRole('button', { name: 'Discard' }).click();
      const dialog = page.getByRole('dialog');
      for (const text of ['192.0.2.2', '192.0.2.1', '192.0.2.6', '192.0.2.5']) await dialog.getByText(text).waitFor();
      await checkScreen(page, 'records-discard');
      await page.setViewportSize({ width: 1280, height: 800 });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('2 changes not saved').waitFor();
      await discard(page);
      await page.getByText('2 changes discarded.').waitFor();
      await untilIs(() => page.locator('.row-changed').count(), 0);
      // Someone else changes one of them.
      const www = (await zone.stored()).find(({ name }) => name === 'www')!;
      const { id, ...rest } = { ...www, content: '192.0.2.3' };
      await world.daemon.api.call('PUT', `${zone.path}/records/${id}`, rest as never);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('2 changes not saved').waitFor();
      await page.getByText('Changed by someone else').first().waitFor();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog.getByText('192.0.2.3').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      assert.equal((await zone.contents()).sort(), ['api 192.0.2.5', 'www 192.0.2.3']);
    });
  });
});

test('a message of success is closed by a later failure', async () => {
  await withWorld(async (world) => {
    await openRecords(world, [address('www', '192.0.2.1')], async (page) => {
      await editRecord(page, 'www A', '192.0.2.2');
      await saveRecords(page);
      await page.getByText('1 change saved and served.').waitFor();
      await page.route(/\/records\/batch$/, (route) =>
        route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'Lost the race.' } } }),
      );
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.getByText('1 change saved and served.').waitFor({ state: 'detached' });
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await discard(page);
    });
  });
});

test('an undo keeps what others have changed since, until the user decides', async () => {
  await withWorld(async (world) => {
    const { api } = world.daemon;
    const records = [address('www', '192.0.2.1'), address('api', '192.0.2.2')];
    await openRecords(world, records, async (page, zone) => {
      // Another record has changed since: the undo needs no decision.
      const save = async (content: string): Promise<void> => {
        await editRecord(page, 'www A', content);
        await saveRecords(page);
        await page.getByText('1 change saved and served.').waitFor();
      };
      const change = async (name: string, content: string): Promise<void> => {
        const { id } = (await zone.stored()).find((record) => record.name === name)!;
        await api.call('PUT', `${zone.path}/records/${id}`, address(name, content));
        await page.getByText(content, { exact: true }).waitFor();
      };
      await save('192.0.2.11');
      await change('api', '192.0.2.22');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The changes are undone.').waitFor();
      assert.equal(await zone.contents(), ['api 192.0.2.22', 'www 192.0.2.1']);

      await save('192.0.2.11');
      await change('www', '192.0.2.66');
      await page.getByRole('button', { name: 'Undo' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Someone else has changed these records since you saved them.').waitFor();
      await dialog.locator('del').getByText('192.0.2.66').waitFor();
      await dialog.locator('ins').getByText('192.0.2.1').waitFor();
      await checkScreen(page, 'records-undo-conflict');
      assert.equal(await zone.contents(), ['api 192.0.2.22', 'www 192.0.2.66']);
      await confirmSave(page);
      await page.getByText('The changes are undone.').waitFor();
      assert.equal(await zone.contents(), ['api 192.0.2.22', 'www 192.0.2.1']);
    });
  });
});

test('records that cannot be changed look so, and are left out of changes of many', async () => {
  await withWorld(async (world) => {
    const { api } = world.daemon;
    await openRecords(world, [address('www', '192.0.2.1')], async (page, zone) => {
      const file = '@ 300 NS ns.example.net.\nwww 300 A 192.0.2.1\nwww 300 A 192.0.2.2\napi 300 A 192.0.2.3\n';
      await api.call(
        'PUT',
        `${zone.path}/zonefile?apex=keep`,
        `@ 300 SOA a.example.net. b.example.net. 1 2 3 4 5\n${file}`,
        'text/dns',
      );
      const steering = {
        ttl: 60,
        pools: [{ name: 'all', answers: [{ content: '192.0.2.3', weight: 1 }] }],
        rules: [],
        fallback: ['all'],
      };
      await api.call('PUT', `${zone.path}/steering/api/A`, steering);
      const ns = page.getByRole('row').filter({ hasText: 'ns.example.net.' });
      await ns.getByText('Set by the zone file').waitFor();
      const api3 = page.getByRole('row').filter({ hasText: '192.0.2.3' });
      await api3.getByText('Steered', { exact: true }).waitFor();
      await checkScreen(page, 'records-fixed');
      for (const row of [ns, api3]) await untilIs(() => row.getByRole('button', { name: /^Edit / }).count(), 0);
      await page.getByLabel('Select all records').check();
      await page.getByText('2 of them cannot be changed and stay.').waitFor();
      await page.getByLabel('Set TTL').selectOption('1 hour');
      await saveRecords(page);
      await page.getByText('2 changes saved and served.').waitFor();
    });
  });
});

test('records are sorted as people read, and by the heading that is clicked', async () => {
  await withWorld(async (world) => {
    const records = [
      ...['h10', 'h2', 'a.z', 'b.a'].map((name, i) => ({ ...address(name, `192.0.2.${9 - i}`), ttl: 300 + i })),
      { name: '@', type: 'TXT', content: '"x"' },
    ];
    await openRecords(world, records, async (page) => {
      const names = (): Promise<string[]> => page.locator('tbody .cell-name').allInnerTexts();
      await untilIs(names, ['@', 'a.z', 'b.a', 'h2', 'h10']);
      const heading = (name: string) => page.getByRole('columnheader', { name }).getByRole('button');
      await heading('Name').click();
      await untilIs(names, ['h10', 'h2', 'b.a', 'a.z', '@']);
      await heading('Value').click();
      await untilIs(names, ['@', 'b.a', 'a.z', 'h2', 'h10']);
      await checkScreen(page, 'records-sorted');
      await page.setViewportSize({ width: 1280, height: 800 });
      await heading('TTL').click();
      await heading('TTL').click();
      await untilIs(names, ['b.a', 'a.z', 'h2', '@', 'h10']);
      await page.reload();
      await untilIs(names, ['b.a', 'a.z', 'h2', '@', 'h10']);
      assert.match(page.url(), /[?]sort=-ttl$/);
      await page.setViewportSize({ width: 390, height: 800 });
      await page.getByLabel('Order').selectOption('Name ↑');
      await untilIs(names, ['@', 'a.z', 'b.a', 'h2', 'h10']);
    });
  });
});

/** How many pixels the texts of elements are wider than the elements. */
const cutBy = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`Math.max(0, ...[...document.querySelectorAll('${selector}')].map((element) => {
    const shown = element.clientWidth;
    if (element.localName !== 'select') return element.scrollWidth - shown;
    element.style.width = 'max-content';
    const needed = element.clientWidth;
    element.style.width = '';
    return needed - shown;
  }))`);

test('selects, states and long names fit at each width', async () => {
  await withWorld(async (world) => {
    const { api } = world.daemon;
    const long = 'w'.repeat(60);
    await api.logIn('admin', ADMIN_PASSWORD);
    const { body } = await api.call('POST', '/api/v1/domains', { domain: `${long}.example` });
    const { id } = body.domain as { id: number };
    await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
    await api.call('POST', `/api/v1/domains/${id}/records`, { name: long, type: 'TXT', content: `"${long}"` });
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${world.base}/domains/${id}/records`);
      await page.getByRole('button', { name: `Edit ${long} TXT` }).waitFor();
      await checkScreen(page, 'records-long');
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name: `Edit ${long} TXT` }).click();
      await checkScreen(page, 'records-long-edited');
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press('Escape');
      await page.keyboard.press('n');
      await untilIs(() => cutBy(page, 'tr.row-edited select'), 0);
      await page.locator('tr.row-edited').getByLabel('Type').selectOption('HTTPS');
      await checkScreen(page, 'records-long-new');
      await discard(page);
      await page.goto(`${world.base}/domains`);
      await page.getByRole('link', { name: `${long}.example` }).waitFor();
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByText('Needs a DS record').waitFor();
      assert.is(await cutBy(page, '.domains td'), 0);
      await checkScreen(page, 'domains-long');
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('columnheader', { name: 'Records' }).getByRole('button').click();
      await page.waitForURL(/[?]sort=-record_count$/);
      await page.getByRole('columnheader', { name: 'Domain' }).getByRole('button').click();
      await page.waitForURL(/domains$/);
      // In the order of DNS, the name below "example" would be first.
      await api.call('POST', '/api/v1/domains', { domain: 'aardvark.test' });
      const names = () => page.locator('.domains tbody .cell-main a').allInnerTexts();
      await untilIs(names, ['aardvark.test', `${long}.example`]);
    });
  });
});

test.run();
