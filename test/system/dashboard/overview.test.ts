/** The overview and the audit log, in the dashboard of a real daemon in Chromium. */
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withPage, withWorld } from './browser.ts';

const test = browserSuite('overview in the dashboard');

test('the overview says what to do next, whether all is right, and follows what happens', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'Waypost' }).click();
      const steps = page.getByRole('region', { name: 'Get started' });
      await steps.getByText('0 of 5 done').waitFor();
      await steps.getByRole('link', { name: 'Add a domain' }).waitFor();
      await page.getByRole('link', { name: '0 domains' }).waitFor();
      await checkScreen(page, 'overview-empty');

      // Each step has its live state, and the next one has the action.
      const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain: 'bücher.example' });
      const { id } = body.domain as { id: number };
      await steps.getByText('1 of 5 done').waitFor();
      await steps.getByRole('link', { name: 'Create records' }).waitFor();
      const record = { name: 'www', type: 'A', content: '192.0.2.1', ttl: 300 };
      await daemon.api.call('POST', `/api/v1/domains/${id}/records`, record);
      await steps.getByText('2 of 5 done').waitFor();
      await page.getByText('1 record', { exact: false }).first().waitFor();
      await page.getByRole('heading', { name: 'No problem found so far' }).waitFor();
      await page.getByText('The delegation of 1 of 1 domain is not known yet').waitFor();
      const changes = page.getByRole('region', { name: 'Latest changes' });
      await changes.getByText('www A').waitFor();
      await changes.getByText('just now').first().waitFor();
      await page.getByRole('region', { name: 'Last changed domains' }).getByText('bücher.example').waitFor();
      await page.getByRole('region', { name: 'Last 7 days' }).getByText('DNS queries').waitFor();
      await checkScreen(page, 'overview');
      await page.setViewportSize({ width: 320, height: 700 });
      assert.is(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
      await page.setViewportSize({ width: 1280, height: 800 });
      await steps.getByRole('button', { name: 'Hide these steps' }).press('Enter');
      await steps.waitFor({ state: 'detached' });
      const known = { live: 1, partial: 0, elsewhere: 0, none: 0, unknown: 0 };
      await page.route('**/api/v1/overview', async (route) => {
        const answer = await (await route.fetch()).json();
        await route.fulfill({ json: { ...answer, overview: { ...answer.overview, delegation: known } } });
      });
      await page.reload();
      await page.getByRole('heading', { name: 'Everything is all right' }).waitFor();
      await steps.waitFor({ state: 'detached' });
      await page.unrouteAll({ behavior: 'wait' });

      // A domain that needs attention leads to the page with the means.
      const message = 'It is delegated to ns.example.org.';
      await page.route('**/api/v1/overview', async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        const problem = { domain_id: id, domain: 'xn--bcher-kva.example', kind: 'delegation', message };
        await route.fulfill({
          json: { ...answer, overview: { ...answer.overview, problems: [problem], problem_count: 3 } },
        });
      });
      await page.reload();
      await page.getByRole('heading', { name: '3 things need attention' }).waitFor();
      const health = page.getByRole('region', { name: '3 things need attention' });
      await health.getByText(message).waitFor();
      await health.getByText('and 2 more').waitFor();
      await untilIs(
        () => health.getByRole('link', { name: 'bücher.example' }).getAttribute('href'),
        `/domains/${id}/set-up`,
      );
      await checkScreen(page, 'overview-attention');
      await page.unrouteAll({ behavior: 'wait' });

      // A part that cannot be read has its own message.
      await page.route('**/api/v1/overview', (route) =>
        route.fulfill({
          status: 403,
          json: { ok: false, error: { code: 'insufficient_scope', message: 'No scope for this.' } },
        }),
      );
      await page.reload();
      await page.getByText('No scope for this.').waitFor();
      await changes.getByText('www A').waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'No problem found so far' }).waitFor();
    });
  });
});

test('what is typed before the palette is loaded is in its field, and leads to the reference', async () => {
  await withWorld(async (world) => {
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      let load = (): void => {};
      const loaded = new Promise<void>((resolve) => {
        load = resolve;
      });
      await page.route('**/*.js', (route) => loaded.then(() => route.fallback()));
      await page.keyboard.press('Control+k');
      await untilIs(() => page.getByRole('button', { name: 'Search Ctrl K' }).getAttribute('aria-disabled'), 'true');
      // The key "n" alone would add a domain.
      await page.keyboard.type('nodx');
      await page.keyboard.press('Backspace');
      load();
      const field = page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox');
      await field.waitFor();
      await page.keyboard.type('e');
      assert.is(await field.inputValue(), 'node');
      await page.getByRole('option', { name: 'Nodes' }).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await page.keyboard.press('Escape');

      // With the script in memory as well.
      await page.keyboard.press('Control+k');
      await page.keyboard.type('api ref');
      assert.is(await field.inputValue(), 'api ref');
      await page.getByRole('option', { name: 'API reference' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'API reference' }).click();
      await page.getByRole('heading', { name: 'API reference', level: 1 }).waitFor();
    });
  });
});

test('the palette finds records of all domains, and opens them', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain: 'palette.example' });
    const path = `/domains/${(body.domain as { id: number }).id}/records`;
    const record = { name: 'mail', type: 'A', content: '192.0.2.123', comment: 'rack seventeen' };
    await daemon.api.call('POST', `/api/v1${path}`, record);
    await daemon.api.call('POST', `/api/v1${path}`, { name: 'www', type: 'A', content: '192.0.2.1' });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      const palette = page.getByRole('dialog', { name: 'Commands' });
      for (const text of ['192.0.2.123', 'seventeen', 'mail.palette.example']) {
        await page.keyboard.press('Control+k');
        await palette.getByRole('combobox').fill(text);
        await page.getByRole('option', { name: /mail.palette.example A.*192.0.2.123 · rack seventeen/ }).waitFor();
        if (text === 'seventeen') await checkScreen(page, 'palette-records');
        await page.keyboard.press('Escape');
        await palette.waitFor({ state: 'detached' });
      }
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').fill('seventeen');
      await page.getByRole('option', { name: /mail.palette.example/ }).waitFor();
      await page.keyboard.press('Enter');
      await untilIs(() => new URL(page.url()).pathname, path);
      await page.getByText('192.0.2.123').waitFor();
      await untilIs(() => page.getByText('192.0.2.1', { exact: true }).count(), 0);
    });
  });
});

test('the audit log is searched, loads as the user scrolls, and shows new entries', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain: 'audited.example' });
    const path = `/api/v1/domains/${(body.domain as { id: number }).id}/records`;
    const text = '<img src=x onerror=alert(1)>';
    await daemon.api.call('POST', path, { name: 'first', type: 'TXT', content: text });
    for (let i = 0; i < 130; i++)
      await daemon.api.call('POST', path, { name: `n${i}`, type: 'A', content: '192.0.2.1', ttl: 300 });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByText('100 changes shown, more below').waitFor();
      await checkScreen(page, 'audit');
      const end = page.getByRole('row').filter({ hasText: text });
      while (!(await end.isVisible())) {
        await page.mouse.wheel(0, 2000);
        await page.waitForTimeout(50);
      }
      await page.getByLabel('Search the audit log').fill('n129');
      await page.getByText('1 change', { exact: true }).waitFor();
      await page.reload();
      await page
        .getByRole('row', { name: 'admin with the key test added the record n129 A to audited.example: 192.0.2.1' })
        .waitFor();
      await untilIs(() => page.locator('.audit tbody tr').count(), 1);
      await daemon.api.call('POST', path, { name: 'also-n129', type: 'A', content: '192.0.2.1', ttl: 300 });
      await page.getByText('2 changes', { exact: true }).waitFor();
      await page.getByLabel('Search the audit log').fill('nothing like this');
      await page.getByText('No change contains “nothing like this”.').waitFor();
      await checkScreen(page, 'audit-no-match');
      await page.getByRole('button', { name: 'Show all changes' }).click();
      await page.getByText('added the record also-n129 A').waitFor();
      const records = (await daemon.api.call('GET', path)).body.records as { id: number; name: string }[];
      const { id } = records.find(({ name }) => name === 'also-n129')!;
      await daemon.api.call('PUT', `${path}/${id}`, { name: 'also-n129', type: 'A', content: '192.0.2.9', ttl: 600 });
      const put = [{ id, name: 'also-n129', type: 'A', content: '192.0.2.8' }];
      await daemon.api.call('POST', `${path}/batch`, { put });
      await page
        .getByRole('row', {
          name: 'admin with the key test changed the record also-n129 A of audited.example: 192.0.2.1 → 192.0.2.9; TTL: 300 → 600',
        })
        .waitFor();
      await page
        .getByRole('row', {
          name: 'admin with the key test changed records of audited.example: also-n129 A: 192.0.2.9 → 192.0.2.8',
        })
        .waitFor();
      await checkScreen(page, 'audit-sentences');
    });
  });
});

test.run();
