/** Each operation of Host: granted, denied, denied for good, and not in the manifest. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FrameLocator, Page } from 'playwright-core';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { manifest, openPanel, resetView, type World, withSimulator, withSimulatorPage } from './world.ts';

const test = browserSuite('the operations of Host');

/** A button for each call; its outcome is shown as text. */
const APP = `
let clicks = 0;
const calls = {
  get: () => Host.storage.get('count'),
  set: () => Host.storage.set('count', '41'),
  toast: () => Host.ui.toast('Saved <b>it</b>'),
  vibrate: () => Host.ui.vibrate(300),
  photo: () => Host.camera.takePhoto().then((jpeg) => atob(jpeg).slice(6, 10) + ' ' + (jpeg.length > 5000)),
  info: () => Host.device.info(),
  fetch: () => Host.network.fetch('http://api.example.com/sky').then(({ status, body }) => status + ' ' + body),
  schedule: () => Host.background.schedule('remind', 60000),
};
for (const [name, call] of Object.entries(calls)) {
  const button = document.createElement('button');
  button.textContent = name;
  button.addEventListener('click', () => {
    out.dataset.clicks = ++clicks;
    out.textContent = name + ' …';
    call().then(
      (value) => { out.textContent = name + ' = ' + JSON.stringify(value); },
      (error) => { out.textContent = name + ' ! ' + error.code; },
    );
  });
  buttons.append(button);
}
`;
const BACKGROUND = `
function onBackgroundEvent(event) {
  var runs = Number(Host.call('storage.get', { key: 'runs' })) + 1;
  Host.call('storage.set', { key: 'runs', value: String(runs) });
  return event.type + ' ' + runs;
}
`;
const ALL = manifest({
  permissions: ['storage', 'vibrate', 'camera', 'device.info', 'network', 'background'],
  background: { enabled: true, entry: 'background.js', events: ['schedule'], permissions: ['storage'] },
});
const FILES = { 'app.js': APP, 'background.js': BACKGROUND, 'manifest.json': ALL };

/** While a question is shown, the frame gets no clicks. */
const IS_FREE = `(frame) => new Promise((resolve) => {
  const check = () => (frame.inert ? setTimeout(check, 20) : resolve());
  check();
})`;

/** A click is lost while the browser's process still holds the frame for one that gets none. */
async function call(app: FrameLocator, name: string): Promise<void> {
  await app.owner().evaluate(IS_FREE);
  const clicks = (): Promise<string | null> => app.locator('#out').getAttribute('data-clicks');
  const before = await clicks();
  do await app.getByRole('button', { name, exact: true }).click();
  while ((await clicks()) === before);
}

const outcome = (app: FrameLocator, text: string): Promise<void> =>
  app.locator('#out').getByText(text, { exact: true }).waitFor();
const answer = (page: Page, name: string): Promise<void> =>
  page.getByRole('alertdialog').getByRole('button', { name }).click();

/** Each call that asks the user, with its permission. */
const ASKING = { photo: 'camera', info: 'device.info', fetch: 'network', schedule: 'background' } as const;

/** While it is set, the server holds its responses until it settles. */
let held: Promise<void> | null = null;

/** A server that stands for api.example.com. */
async function withFixture(use: (fixtures: World['options']['fixtures']) => Promise<void>): Promise<void> {
  const respond = async (response: ServerResponse): Promise<void> => {
    await held;
    response.end('clear');
  };
  const server = createServer((_, response) => void respond(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await use(new Map([['api.example.com', { address: '127.0.0.1', port }]]));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('operations in the simulator', () =>
  withFixture((fixtures) =>
    withSimulator(
      FILES,
      async (world) => {
        await withSimulatorPage(world, async (page, app) => {
          await withoutQuestion(page, app);
          await denied(page, app);
          await granted(page, app);
          await networkModes(page, app);
          await background(page, app);
        });
        await world.restart();
        await withSimulatorPage(world, (page, app) => afterRestart(page, app));
        await withSimulatorPage(world, (page, app) => notInManifest(world, page, app));
      },
      { fixtures },
    ),
  ));

async function withoutQuestion(page: Page, app: FrameLocator): Promise<void> {
  await call(app, 'get');
  await outcome(app, 'get = null');
  await call(app, 'set');
  await outcome(app, 'set = null');
  await call(app, 'toast');
  await page.getByText('Saved <b>it</b>').waitFor();
  await call(app, 'vibrate');
  await page.getByText('Vibrates for 300 ms').waitFor();
  await openPanel(page, 'Storage');
  await page.getByText('7 B of 5.0 MB used by 1 key').waitFor();
}

async function denied(page: Page, app: FrameLocator): Promise<void> {
  await call(app, 'photo');
  await page.getByText('Allow “Test app” to take photos?').waitFor();
  await openPanel(page, 'Permissions');
  await checkScreen(page, 'simulator-prompt');
  await resetView(page);
  await answer(page, 'Not now');
  await outcome(app, 'photo ! permission_denied');
  for (const [name, permission] of Object.entries(ASKING)) {
    await call(app, name);
    await answer(page, 'Never');
    await outcome(app, `${name} ! permission_denied`);
    // Denied for good: the user is not asked.
    await call(app, name);
    await outcome(app, `${name} ! permission_denied`);
    const state = page.getByLabel(`State of ${permission}`, { exact: true });
    await untilIs(() => state.inputValue(), 'denied_forever');
    await state.selectOption('Ask');
  }
}

async function granted(page: Page, app: FrameLocator): Promise<void> {
  await call(app, 'photo');
  await answer(page, 'Allow');
  await page.getByRole('button', { name: 'Take photo' }).waitFor();
  await openPanel(page, 'Device');
  await checkScreen(page, 'simulator-camera');
  await resetView(page);
  await page.getByRole('button', { name: 'Take photo' }).click();
  await outcome(app, 'photo = "JFIF true"');
  await call(app, 'photo');
  await page.getByRole('dialog', { name: 'Camera' }).getByRole('button', { name: 'Cancel' }).click();
  await outcome(app, 'photo ! cancelled');
  await page.getByText('Webcam').click();
  await call(app, 'photo');
  await page.getByRole('button', { name: 'Take photo', disabled: false }).click();
  await outcome(app, 'photo = "JFIF true"');
  await page.getByText('File', { exact: true }).click();
  await call(app, 'photo');
  await page.getByText('Choose a picture file under Device.').waitFor();
  await page.getByLabel('Picture file').setInputFiles({ name: 'a.gif', mimeType: 'image/gif', buffer: GIF });
  await page.getByRole('button', { name: 'Take photo', disabled: false }).click();
  // One pixel.
  await outcome(app, 'photo = "JFIF false"');

  await page.getByLabel('Model').fill('Fairphone 6');
  await page.getByLabel(/^Battery/).fill('7');
  await call(app, 'info');
  await answer(page, 'Allow');
  await outcome(app, 'info = {"model":"Fairphone 6","osVersion":"14","batteryLevel":7}');
}

async function networkModes(page: Page, app: FrameLocator): Promise<void> {
  await call(app, 'fetch');
  await answer(page, 'Allow');
  await outcome(app, 'fetch = "200 clear"');
  await openPanel(page, 'Network');
  for (const mode of ['Offline', 'Errors']) {
    await page.getByText(mode, { exact: true }).click();
    await page.getByText(/Each request fails/).waitFor();
    await call(app, 'fetch');
    await outcome(app, 'fetch ! network_error');
  }
  await page.getByText('Slow', { exact: true }).click();
  await page.getByText('Each request waits 2 seconds first').waitFor();
  let release = (): void => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  await call(app, 'fetch');
  await page.getByText('pending').waitFor();
  release();
  await outcome(app, 'fetch = "200 clear"');
  await untilIs(() => page.getByRole('list', { name: 'Network' }).getByRole('listitem').count(), 4);
  await checkScreen(page, 'simulator-network');
  await resetView(page);
}

async function background(page: Page, app: FrameLocator): Promise<void> {
  await call(app, 'schedule');
  await answer(page, 'Allow');
  await outcome(app, 'schedule = null');
  await openPanel(page, 'Background');
  await page.getByText('remind').waitFor();
  await checkScreen(page, 'simulator-task');
  await resetView(page);
  await page.getByRole('button', { name: 'Run now: remind' }).click();
  await page.getByText('"schedule 1"').waitFor();
  await page.getByText('No task is scheduled.').waitFor();
  await call(app, 'schedule');
  await page.getByRole('button', { name: '+1 min' }).click();
  await page.getByText('"schedule 2"').waitFor();
  await page.getByRole('button', { name: 'Send an event' }).click();
  await page.getByText('"schedule 3"').waitFor();
  await checkScreen(page, 'simulator-events');
  await resetView(page);
  await call(app, 'schedule');
  await page.getByRole('button', { name: 'Run now: remind' }).waitFor();
}

async function afterRestart(page: Page, app: FrameLocator): Promise<void> {
  await call(app, 'get');
  await outcome(app, 'get = "41"');
  // The permission is still granted.
  await call(app, 'info');
  await outcome(app, 'info = {"model":"Simulator","osVersion":"14","batteryLevel":80}');
  await openPanel(page, 'Background');
  await page.getByRole('button', { name: 'Cancel: remind' }).click();
  await page.getByText('No task is scheduled.').waitFor();
}

async function notInManifest(world: World, page: Page, app: FrameLocator): Promise<void> {
  await app.getByRole('button', { name: 'get', exact: true }).waitFor();
  world.write({ 'manifest.json': manifest({ permissions: [], version: '1.2.4' }) });
  await page.getByText('1.2.4 (4)').waitFor();
  for (const name of ['get', 'set', 'vibrate', ...Object.keys(ASKING)]) {
    await call(app, name);
    await outcome(app, `${name} ! permission_denied`);
  }
}

/** The smallest one. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

test.run();
