/** The screens of webhooks. */
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, runCommand } from '../../support/daemon.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { isSigned, startReceiver } from '../core/observe/webhooks/receiver.ts';
import { signIn, type World, withOwnWorld, withPage, withWorld } from './browser.ts';

const test = browserSuite('webhooks in chromium');

test('a webhook is created, tested, fails, is replayed, rotated and deleted', async () => {
  const receiver = await startReceiver();
  const visit = async (world: World): Promise<void> => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await daemon.api.call('POST', '/api/v1/domains', { domain: 'hooked.example' });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('No webhooks yet').waitFor();
      await checkScreen(page, 'webhooks-empty');
      await page.keyboard.press('n');
      await page.getByLabel('URL').fill('https://10.0.0.1/');
      await page.getByLabel('All events').uncheck();
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByText('Name at least one type of event.').waitFor();
      await page.getByLabel('Events', { exact: true }).fill('records.changed webhook.*');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.locator('.fault').first().waitFor();
      await checkScreen(page, 'add-webhook-refused');
      await page.getByLabel('Events', { exact: true }).fill('records.changed, dnssec.*');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByText(/Webhooks are delivered to public addresses only/).waitFor();
      await page.getByLabel('URL').fill(`${receiver.url}/dashboard`);
      await page.getByLabel('Only for chosen domains').check();
      await page.getByLabel('hooked.example', { exact: true }).check();
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByText('Copy the secret now.').waitFor();
      await checkScreen(page, 'webhook-created');
      const [secret, code] = await page.locator('.code-block').allTextContents();
      const { verify } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

      await page.getByRole('link', { name: 'Go to the webhook' }).click();
      await page.getByText('No deliveries').waitFor();
      receiver.behaviours.set('/dashboard', 500);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText(/1 attempt, status 500/).waitFor();
      await page.getByText('Failing').waitFor();
      await page.getByText('Message', { exact: true }).click();
      await checkScreen(page, 'webhook-failing');
      receiver.behaviours.clear();
      await page.getByRole('button', { name: /^Send again: webhook\.test \(\d+\)$/ }).click();
      await page.getByRole('listitem').getByText('Delivered').waitFor();
      const message = receiver.arrived[receiver.arrived.length - 1];
      assert.ok(isSigned(secret, message));
      assert.is(verify(message.headers, message.body), true, 'the code that is shown verifies');
      assert.is(verify(message.headers, `${message.body} `), false);
      await page.getByLabel('Deliveries in the state').selectOption('Failed');
      await page.getByText('No deliveries').waitFor();

      await page.getByRole('button', { name: 'Replace the secret' }).click();
      const dialog = page.getByRole('dialog');
      await checkScreen(page, 'webhook-rotate');
      await dialog.getByRole('button', { name: 'Replace the secret' }).click();
      await untilIs(async () => (await dialog.locator('.code-block').allTextContents())[0]?.startsWith('whsec_'), true);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByText('The previous secret signs too, until').waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('Disabled', { exact: true }).waitFor();

      await page.getByRole('link', { name: 'Webhooks' }).first().click();
      await page.getByRole('link', { name: 'hooked.example' }).waitFor();
      await checkScreen(page, 'webhooks');
      const url = `${receiver.url}/dashboard`;
      await page.getByRole('button', { name: `Delete ${url}` }).click();
      await dialog.getByLabel(`Type ${url} to confirm`).fill(url);
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhooks yet').waitFor();
    });
  };
  await withWorld(visit).finally(() => receiver.close());
});

test('after a restore the pages say that deliveries are paused, and an administrator resumes them', async () => {
  const folder = temporaryFolder('dashboard-restore');
  const settings = { WAYPOST_BACKUP_FOLDER: folder, WAYPOST_BACKUP_ENCRYPTION: 'none' };
  const visit = async (world: World<Daemon>): Promise<void> => {
    const { base, daemon } = world;
    await daemon.stop();
    for (const command of [['now'], ['restore', '--replace']]) {
      const { code, output } = await runCommand(['backup', ...command], daemon.env);
      assert.is(code, 0, output);
    }
    await daemon.start();
    await withPage(world, async (page) => {
      await signIn(page, base);
      const note = page.getByText(/Webhooks, request logs and NOTIFY are paused/);
      await page.getByRole('link', { name: 'Overview' }).click();
      await note.waitFor();
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('No webhooks yet').waitFor();
      await note.waitFor();
      await checkScreen(page, 'webhooks-paused');
      await page.getByRole('button', { name: 'Resume deliveries' }).click();
      await note.waitFor({ state: 'detached' });
      await daemon.api.logIn('admin', ADMIN_PASSWORD);
      assert.is((await daemon.api.call('GET', '/api/v1/deliveries')).body.paused, false);
    });
  };
  await withOwnWorld(visit, settings).finally(() => removeFolder(folder));
});

test.run();
