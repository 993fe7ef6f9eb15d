/** Each template of `pkg init` in the simulator, with the errors that can happen in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FrameLocator, Page } from 'playwright-core';
import { test as plainTest } from 'uvu';
import { newApp, newProject, TEMPLATES, type TemplateName } from '../../../admin-api/miniapp/templates/templates.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { untilIs } from '../../support/until.ts';
import { checkFrame } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { openPanel, type World, withSimulator, withSimulatorPage } from './world.ts';

const test = browserSuite('templates in the simulator');
const WEATHER_HOST = 'api.open-meteo.com';
const TSC = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url));

const withTemplate = (
  template: TemplateName,
  use: (page: Page, app: FrameLocator, world: World) => Promise<void>,
  fixtures: World['options']['fixtures'] = new Map(),
): Promise<void> =>
  withSimulator(
    newApp({ id: `com.example.${template}`, name: 'My app', template }),
    (world) => withSimulatorPage(world, (page, app) => use(page, app, world)),
    { fixtures },
  );

const press = (app: FrameLocator, name: string | RegExp): Promise<void> =>
  app.getByRole('button', { name, exact: true }).click();
const shows = (app: FrameLocator, text: string | RegExp): Promise<void> => app.getByText(text).first().waitFor();
const answer = (page: Page, name: string): Promise<void> =>
  page.getByRole('alertdialog').getByRole('button', { name }).click();

async function setPermission(page: Page, permission: string, state: string): Promise<void> {
  await openPanel(page, 'Permissions');
  await page.getByLabel(`State of ${permission}`, { exact: true }).selectOption(state);
}

/** Leaves no room in the storage of the app. */
async function fillStorage(page: Page): Promise<void> {
  const [, frame] = page.frames();
  await frame.evaluate(`(async () => {
    for (const size of [1048576, 100000, 10000, 1000, 100, 10, 1])
      for (let n = 0; n < 12; n++)
        try { await Host.storage.set('full-' + size + '-' + n, 'x'.repeat(size)); } catch { break; }
  })()`);
}

/** In the smallest phone and light, in the middle one and dark, and on a tablet. */
async function checkApp(page: Page, name: string): Promise<void> {
  const [, frame] = page.frames();
  for (const [size, scheme] of [
    ['Tablet', 'Light'],
    ['Medium', 'Dark'],
    ['Small', 'Light'],
  ]) {
    await page.getByText(size, { exact: true }).click();
    await page.getByText(scheme, { exact: true }).click();
    await checkFrame(frame, `${name}-${size}-${scheme}`.toLowerCase());
  }
}

/** Each load of an app has a frame of its own. */
async function reload(page: Page): Promise<void> {
  const [, frame] = page.frames();
  await page.getByRole('button', { name: 'Reload' }).click();
  await untilIs(() => frame.isDetached(), true);
  await page.frameLocator('iframe').getByRole('heading').waitFor();
}

test('blank: counts, keeps the count, and reports denied and full storage', () =>
  withTemplate('blank', async (page, app) => {
    await press(app, /0 taps/);
    await press(app, /1 taps/);
    await shows(app, /^2$/);
    await checkApp(page, 'template-blank');
    await fillStorage(page);
    for (let n = 3; n <= 10; n++) await press(app, /taps/);
    await shows(app, 'The storage of this app is full.');
    await checkApp(page, 'template-blank-full');
    await setPermission(page, 'storage', 'Denied for good');
    await press(app, /taps/);
    await shows(app, 'This app may not use storage.');
    await setPermission(page, 'storage', 'Granted');
    await reload(page);
    await shows(app, /^9$/);
  }));

test('notes: adds, searches, edits and deletes, and reports full and denied storage', () =>
  withTemplate('notes', async (page, app) => {
    await shows(app, 'No notes yet.');
    await checkApp(page, 'template-notes-empty');
    for (const title of ['Shopping', '<b>Ideas</b> & plans']) {
      await press(app, 'New note');
      await app.getByLabel('Title').fill(title);
      await app.getByLabel('Text').fill('Milk and bread, and what else there is to buy on a long day');
      await press(app, 'Save');
    }
    await shows(app, '2 notes');
    await checkApp(page, 'template-notes');
    await app.getByLabel('Search').fill('shop');
    await shows(app, '1 note');
    await app.getByLabel('Search').fill('nothing has it');
    await shows(app, 'No note has these words.');
    await app.getByLabel('Search').fill('');
    await press(app, /^Shopping/);
    await app.getByLabel('Text').fill('x'.repeat(1_100_000));
    await press(app, 'Save');
    await shows(app, 'The storage is full.');
    await app.getByLabel('Text').fill('Tea');
    await checkApp(page, 'template-notes-full');
    await press(app, 'Save');
    await reload(page);
    await press(app, /^Shopping Tea/);
    await press(app, 'Delete');
    await shows(app, '1 note');
    await setPermission(page, 'storage', 'Denied for good');
    await reload(page);
    await shows(app, 'This app may not use storage.');
  }));

test('photo: takes, shows and deletes photos; denied, cancelled and full', () =>
  withTemplate('photo', async (page, app) => {
    await shows(app, 'No photos yet.');
    await press(app, 'Take a photo');
    await answer(page, 'Not now');
    await shows(app, 'This app may not use the camera.');
    await checkApp(page, 'template-photo-denied');
    await press(app, 'Take a photo');
    await answer(page, 'Allow');
    await page.getByRole('dialog', { name: 'Camera' }).getByRole('button', { name: 'Cancel' }).click();
    await shows(app, 'No photos yet.');
    for (const text of ['1 photo', '2 photos', '3 photos']) {
      await press(app, 'Take a photo');
      await page.getByRole('button', { name: 'Take photo' }).click();
      await shows(app, text);
    }
    await checkApp(page, 'template-photo');
    await fillStorage(page);
    await press(app, 'Take a photo');
    await page.getByRole('button', { name: 'Take photo' }).click();
    await shows(app, 'The storage is full.');
    await app
      .getByRole('button', { name: /^Photo of/ })
      .first()
      .click();
    await checkApp(page, 'template-photo-viewer');
    await press(app, 'Delete');
    await shows(app, '2 photos');
    await reload(page);
    await shows(app, '2 photos');
    await app
      .getByRole('button', { name: /^Photo of/ })
      .nth(1)
      .waitFor();
  }));

const DAYS = ['2026-11-26', '2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30'];
const FORECAST = JSON.stringify({
  current: { temperature_2m: 7.4, weather_code: 61, wind_speed_10m: 18.2 },
  daily: {
    time: DAYS,
    weather_code: [61, 0, 2, 71, 95],
    temperature_2m_max: [8, 9, 10, 1, 12],
    temperature_2m_min: [2, 3, -4, -5, 6],
  },
});

test('weather: shows the weather; denied, offline, a status of the service, and what is kept', async () => {
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end(FORECAST)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const fixtures = new Map([[WEATHER_HOST, { address: '127.0.0.1', port: (server.address() as AddressInfo).port }]]);
  const run = async (page: Page, app: FrameLocator): Promise<void> => {
    await answer(page, 'Not now');
    await shows(app, 'This app may not use the network.');
    await checkApp(page, 'template-weather-denied');
    await press(app, 'Refresh');
    await answer(page, 'Allow');
    await shows(app, '7 °C');
    await shows(app, '-5 to 1 °C');
    await checkApp(page, 'template-weather');
    await openPanel(page, 'Network');
    await page.getByText('Offline', { exact: true }).click();
    await press(app, 'Refresh');
    await shows(app, 'No connection.');
    await reload(page);
    await shows(app, 'No connection.');
    await shows(app, '7 °C');
    await checkApp(page, 'template-weather-offline');
    await app.getByLabel('City').selectOption('Tokyo');
    await app.getByText('7 °C').waitFor({ state: 'hidden' });
    await page.getByText('Online', { exact: true }).click();
    status = 503;
    await press(app, 'Refresh');
    await shows(app, 'the service responded with 503');
    status = 200;
    await press(app, 'Refresh');
    await shows(app, '7 °C');
    await reload(page);
    await untilIs(() => app.getByLabel('City').inputValue(), 'Tokyo');
  };
  try {
    await withTemplate('weather', run, fixtures);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('reminder: a task fires in the background; denied and full', () =>
  withTemplate('reminder', async (page, app) => {
    const add = async (text: string): Promise<void> => {
      await app.getByLabel('Remind me to').fill(text);
      await app.getByRole('combobox').selectOption('1 hour');
      await press(app, 'Remind me');
    };
    await shows(app, 'No reminders yet.');
    await add('water the plants');
    await answer(page, 'Not now');
    await shows(app, 'This app may not run in the background.');
    await checkApp(page, 'template-reminder-denied');
    await press(app, 'Remind me');
    await answer(page, 'Allow');
    await shows(app, /^Due /);
    await add('call the dentist');
    await shows(app, 'call the dentist');
    await openPanel(page, 'Background');
    await page.getByRole('button', { name: '+1 h' }).click();
    await app.getByText(/^Due /).first().waitFor({ state: 'hidden' });
    await shows(app, /^Reminded /);
    await checkApp(page, 'template-reminder');
    await fillStorage(page);
    await add('x'.repeat(200));
    await shows(app, 'The storage is full.');
  }));

plainTest('projects in TypeScript pass the checks of their strict tsconfig.json', () => {
  const root = temporaryFolder('templates');
  const settings = JSON.parse(String(newProject({ id: 'a.b', name: 'x', typescript: true })['tsconfig.json']));
  for (const template of Object.keys(TEMPLATES) as TemplateName[])
    for (const [path, content] of Object.entries(newProject({ id: 'a.b', name: 'x', template, typescript: true }))) {
      mkdirSync(dirname(join(root, template, path)), { recursive: true });
      writeFileSync(join(root, template, path), content);
    }
  const check = (name: string, changes: object, include: readonly string[]): void => {
    const compilerOptions = { ...settings.compilerOptions, ...changes };
    writeFileSync(join(root, name), JSON.stringify({ compilerOptions, include }));
    execFileSync(TSC, ['-p', join(root, name)], { stdio: 'pipe', encoding: 'utf8' });
  };
  check('pages.json', {}, ['*/src', 'blank/host-sdk.d.ts']);
  const background = { allowJs: true, checkJs: true, lib: ['es2015'], noImplicitAny: false };
  check('background.json', background, ['reminder/app/background.js']);
});

test.run();
plainTest.run();
