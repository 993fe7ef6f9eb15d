/** Each operation of Host in the simulator: granted, denied, and not in the manifest. */
import type { FrameLocator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { manifest, openPanel, withSimulator, withSimulatorPage } from './world.ts';

const test = browserSuite('the operations of Host');

/** A button for each call; its outcome is shown as text. */
const APP = `
const calls = {
  get: () => Host.storage.get('count'),
  set: () => Host.storage.set('count', '41'),
  toast: () => Host.ui.toast('Saved <b>it</b>'),
  vibrate: () => Host.ui.vibrate(300),
};
for (const [name, call] of Object.entries(calls)) {
  const button = document.createElement('button');
  button.textContent = name;
  button.addEventListener('click', () => {
    out.textContent = name + ' …';
    call().then(
      (value) => { out.textContent = name + ' = ' + JSON.stringify(value); },
      (error) => { out.textContent = name + ' ! ' + error.code; },
    );
  });
  buttons.append(button);
}
`;

const call = (app: FrameLocator, name: string): Promise<void> => app.getByRole('button', { name, exact: true }).click();
const outcome = (app: FrameLocator, text: string): Promise<void> =>
  app.locator('#out').getByText(text, { exact: true }).waitFor();

test('storage, toasts and vibration work without a question', () =>
  withSimulator({ 'app.js': APP }, async (world) => {
    await withSimulatorPage(world, async (page, app) => {
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
      await checkScreen(page, 'simulator-storage');
    });
    await world.restart();
    await withSimulatorPage(world, async (_, app) => {
      await call(app, 'get');
      await outcome(app, 'get = "41"');
    });
    world.write({ 'manifest.json': manifest({ permissions: [] }) });
    await withSimulatorPage(world, async (_, app) => {
      await call(app, 'set');
      await outcome(app, 'set ! permission_denied');
      await call(app, 'vibrate');
      await outcome(app, 'vibrate ! permission_denied');
    });
    assert.is(world.simulator.package.app?.permissions.length, 0);
  }));

test.run();
