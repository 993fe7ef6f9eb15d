/** Statistics in the dashboard of a real daemon in Chromium. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { rcodeColumn, typeColumn } from '../../../core/observe/statistics/columns.ts';
import { type CountEntry, SUBJECT } from '../../../core/observe/statistics/counts.ts';
import { StatisticsStore } from '../../../core/observe/statistics/store.ts';
import { openStatisticsFile } from '../../../core/observe/statistics/tiers.ts';
import { ADMIN_PASSWORD, type Daemon } from '../../support/daemon.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { encodeQuery } from '../../support/message.ts';
import { freePort } from '../../support/ports.ts';
import { untilIs, untilMatches, untilPasses } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withOwnWorld, withPage } from './browser.ts';

const ORIGIN_ADDRESS = '127.0.0.77';
const MINUTE_MS = 60_000;
const HOUR = 60;
const DAY = 24 * HOUR;
const MARKUP = '<img src=x onerror=alert(1)>';

const test = browserSuite('statistics in the dashboard');

/** Writes a month of counts of a domain, while its daemon is stopped. */
async function fillMonth({ dataDir }: Daemon, domainId: number, accountId: number): Promise<number> {
  const store = new StatisticsStore(openStatisticsFile(dataDir));
  const now = Math.floor(Date.now() / MINUTE_MS);
  let total = 0;
  for (let time = now - 30 * DAY + HOUR; time < now - HOUR; time += 6 * HOUR) {
    const count = 6400 + 64 * Math.round(50 * Math.sin(time / DAY));
    const columns = new Map([
      [typeColumn(TYPE.A), count],
      [typeColumn(TYPE.AAAA), count / 2],
      [typeColumn(TYPE.HTTPS), count / 4],
      [rcodeColumn(0), count],
      [rcodeColumn(3), (3 * count) / 4],
    ]);
    const entries: CountEntry[] = [
      { kind: SUBJECT.domain, id: domainId, columns, names: new Map([['\x03www', count]]) },
      { kind: SUBJECT.account, id: accountId, columns, names: new Map([['\x03www\x05month\x04test\0', count]]) },
    ];
    total += (7 * count) / 4;
    store.writeMinute(time, entries);
    await store.mergeFinished(time + 2 * HOUR, () => false);
  }
  await store.close();
  return total;
}

async function send({ dnsPort }: Daemon, name: string, type: number, times: number): Promise<void> {
  await queryTcp(
    dnsPort,
    Array.from({ length: times }, (_, i) => encodeQuery({ name: parseName(name), type, class: 1 }, i + 1)),
  );
}

function visit(port: number, host: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume().on('end', () => resolve());
    });
    sent.on('error', reject).end();
  });
}

const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first();

test('queries and requests of a domain, by range, as charts and tables', async () => {
  const origin = createServer((incoming, response) => {
    response.writeHead(incoming.url === '/missing' ? 404 : 200, { 'cache-control': 'max-age=600' });
    response.end('x'.repeat(2000));
  });
  await new Promise<void>((listening) => origin.listen(0, ORIGIN_ADDRESS, listening));
  const http = await freePort();
  const settings = {
    WAYPOST_STATISTICS_SAMPLING: '1',
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS,
  };
  try {
    await withOwnWorld(async (world) => {
      const { base, daemon } = world;
      const { api } = daemon;
      await api.logIn('admin', ADMIN_PASSWORD);
      const id = await api.createDomain('xn--bcher-kva.test');
      await api.createRecord(id, 'www', 'A', '192.0.2.1');
      await api.createRecord(id, '*', 'TXT', 'any');
      const { port } = origin.address() as AddressInfo;
      await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: ORIGIN_ADDRESS, port, protocol: 'http' });
      await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
      await withPage(world, async (page) => {
        await signIn(page, base);
        await page.getByRole('link', { name: 'bücher.test' }).click();
        await page.getByRole('link', { name: 'Statistics' }).click();
        await page.getByText('No queries and no requests in this time').waitFor();
        await untilIs(() => new URL(page.url()).pathname, `/domains/${id}/statistics`);
        await checkScreen(page, 'statistics-empty');

        await send(daemon, 'www.xn--bcher-kva.test.', TYPE.A, 1300);
        await send(daemon, 'www.xn--bcher-kva.test.', TYPE.AAAA, 400);
        await send(daemon, 'xn--bcher-kva.test.', TYPE.MX, 30);
        await send(daemon, 'xn--caf-dma.xn--bcher-kva.test.', TYPE.TXT, 20);
        await send(daemon, `${MARKUP.replace(' ', '\\032').replaceAll('.', '\\.')}.xn--bcher-kva.test.`, TYPE.TXT, 10);
        for (const path of ['/', '/', '/', '/missing', '/b']) await visit(http, 'xn--bcher-kva.test', path);
        // The edge and the workers of DNS send their counts every second.
        await untilIs(async () => {
          const { body } = await api.call('GET', `/api/v1/domains/${id}/statistics`);
          const { queries, requests } = body.statistics as never as Record<string, { total: number }>;
          return [queries.total, requests.total];
        }, [1760, 5]);
        await page.reload();
        await page.getByText('All queries and requests are counted.').waitFor();
        const figures = page.locator('.figures');
        await untilIs(() => figures.locator('.figure-value').allInnerTexts(), ['1,760', '5', '9.8 KiB', '40 %']);
        const legend = (name: string, entry: string) => chart(page, name).getByRole('button', { name: entry });
        await legend('DNS queries by type', 'A 1,300').waitFor();
        await legend('DNS queries by response code', 'NOERROR 1,760').waitFor();
        await legend('HTTP requests by status', '4xx 1').waitFor();
        await legend('HTTP requests by cache result', 'Hit 2').waitFor();
        await chart(page, 'Statuses').getByRole('row', { name: '404 1' }).waitFor();
        const names = chart(page, 'Most queried names');
        await untilMatches(() => names.innerText(), /www\s+1,700/);
        await names.getByText('café').waitFor();
        await names.getByText('xn--caf-dma').waitFor();
        await untilMatches(() => names.innerText(), /<img\\032src/);
        await untilIs(() => page.locator('.plot svg').count(), 6);

        // The table has the same figures, and is reached by keyboard.
        const types = chart(page, 'DNS queries by type');
        await types.getByText('Show as a table').focus();
        await page.keyboard.press('Enter');
        const total = types.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Total' }) });
        await total.waitFor();
        await untilIs(() => total.getByRole('cell').allInnerTexts(), ['1,300', '400', '30', '30']);
        await checkScreen(page, 'statistics');
        const downloaded = page.waitForEvent('download');
        await types.getByRole('button', { name: 'Download as CSV' }).press('Enter');
        assert.is((await downloaded).suggestedFilename(), 'DNS queries by type.csv');

        // The legend shows the step that the pointer or the arrow keys read.
        const plot = types.getByRole('group', { name: 'Chart:' });
        await untilPasses(async () => {
          await plot.hover({ position: { x: 80, y: 20 } });
          // Before the domain there is no data, which is not zero.
          assert.ok(await types.getByRole('button', { name: 'A –', exact: true }).isVisible());
          assert.ok(await types.getByText(/UTC\)$/).isVisible());
        });
        await page.mouse.move(0, 0);
        await plot.press('End');
        await types
          .getByRole('status')
          .getByText(/: A 1,300, AAAA 400/)
          .waitFor();
        await plot.press('Escape');

        // The legend hides series.
        const bars = plot.locator('g[style]');
        await untilIs(() => bars.count(), 4);
        await legend('DNS queries by type', 'AAAA 400').press('Enter');
        await untilIs(() => bars.count(), 3);
        await untilIs(() => legend('DNS queries by type', 'AAAA 400').getAttribute('aria-pressed'), 'false');
        await legend('DNS queries by type', 'AAAA 400').press('Enter');

        // Keys and the pointer choose a range, which is part of the address.
        await plot.press('End');
        await plot.press('Shift+ArrowLeft');
        await plot.press('Shift+ArrowLeft');
        await plot.press('Enter');
        await page.getByText('A range chosen in a chart.').waitFor();
        await untilIs(() => new URL(page.url()).searchParams.has('from'), true);
        await legend('DNS queries by type', 'A 1,300').waitFor();
        await page.getByRole('button', { name: '24 hours' }).click();
        await page.getByText('The figures refresh every minute.').waitFor();
        await legend('DNS queries by type', 'A 1,300').waitFor();
        await untilPasses(async () => {
          if (new URL(page.url()).searchParams.has('from')) return;
          const box = await plot.boundingBox();
          assert.ok(box !== null);
          await page.mouse.move(box.x + box.width / 2, box.y + 40);
          await page.mouse.down();
          await page.mouse.move(box.x + box.width - 2, box.y + 60, { steps: 5 });
          await page.mouse.up();
          assert.ok(new URL(page.url()).searchParams.has('from'));
        });
        await legend('DNS queries by type', 'A 1,300').waitFor();

        // Ranges are part of the address.
        await page.getByRole('button', { name: '1 hour' }).click();
        await types.getByText('per 1 minute').waitFor();
        await untilIs(() => new URL(page.url()).search, '?range=1h');
        await page.reload();
        await legend('DNS queries by type', 'A 1,300').waitFor();
        await untilIs(() => page.getByRole('button', { name: '1 hour' }).getAttribute('aria-pressed'), 'true');
        for (const [name, step] of [
          ['6 hours', 'per 5 minutes'],
          ['24 hours', 'per 15 minutes'],
          ['7 days', 'per 1 hour'],
          ['30 days', 'per 6 hours'],
        ]) {
          await page.getByRole('button', { name }).click();
          await types.getByText(step).waitFor();
          await legend('DNS queries by type', 'A 1,300').waitFor();
        }
        await page.setViewportSize({ width: 390, height: 844 });
        await page.goto(`${base}/domains/${id}/statistics?range=forever`);
        await types.getByText('per 15 minutes').waitFor();
        // The breadcrumb says where the page is, since the navigation is in the menu.
        await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Statistics').waitFor();
        await page.goto(`${base}/domains/999/statistics`);
        await page.getByText('This account has no domain with this id.').first().waitFor();
      });
    }, settings);
  } finally {
    origin.close();
  }
});

test('five queries of a quiet domain are shown as five', async () => {
  await withOwnWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await daemon.api.createDomain('quiet.test');
    await daemon.api.createRecord(id, 'www', 'A', '192.0.2.1');
    await send(daemon, 'www.quiet.test.', TYPE.A, 5);
    await untilPasses(async () => {
      const { body } = await daemon.api.call('GET', `/api/v1/domains/${id}/statistics`);
      assert.is((body.statistics as { queries: { total: number } }).queries.total, 5);
    });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'quiet.test' }).click();
      await page.getByRole('link', { name: 'Statistics' }).click();
      await page.getByText('All queries of quiet domains are counted').waitFor();
      const figure = page.locator('.figures div', { hasText: 'DNS queries' });
      await untilMatches(() => figure.innerText(), /\b5$/);
      await checkScreen(page, 'statistics-quiet');
    });
  });
});

test('a month of sampled queries of an account, and a failure', async () => {
  await withOwnWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = Number(await daemon.api.createDomain('month.test'));
    const { body } = await daemon.api.call('GET', '/api/v1/account');
    await daemon.stop();
    const total = await fillMonth(daemon, id, (body.account as { id: number }).id);
    await daemon.start();
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'Statistics' }).click();
      await page.getByRole('heading', { name: 'Statistics', exact: true }).waitFor();
      await page.getByRole('button', { name: '30 days' }).click();
      await page.getByText('one in 64').waitFor();
      const shown = total < 1_000_000 ? total.toLocaleString('en') : (total / 1e6).toFixed(1);
      await page.locator('.figures').getByText(shown).first().waitFor();
      await page.getByText('www.month.test').waitFor();
      await checkScreen(page, 'statistics-account');
      await page.route('**/api/v1/statistics*', (route) =>
        route.fulfill({
          status: 422,
          json: { ok: false, error: { code: 'invalid_range', message: 'Statistics are kept for 31 days.' } },
        }),
      );
      await page.getByRole('button', { name: '7 days' }).click();
      await page.getByText('Statistics are kept for 31 days.').waitFor();
      await checkScreen(page, 'statistics-failure');
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('www.month.test').waitFor();
    });
  });
});

test('a daemon without statistics says so', async () => {
  await withOwnWorld(
    async (world) => {
      await withPage(world, async (page) => {
        await signIn(page, world.base);
        await page.getByRole('link', { name: 'Statistics' }).click();
        await page.getByText('keeps no statistics').waitFor();
        await checkScreen(page, 'statistics-off');
      });
    },
    { WAYPOST_STATISTICS_ENABLED: 'false' },
  );
});

test.run();
