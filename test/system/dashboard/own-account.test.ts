/** Sign-in with second factors, and the own account, in the dashboard in Chromium. */

import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { App, STEP } from '../../support/authenticator-app.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { addAuthenticator, setOffered, setPresence, setVerified } from './authenticator.ts';
import { signIn, type World, withOwnWorld, withPage, withWorld } from './browser.ts';

const test = browserSuite('own account in the dashboard');

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

/** Browsers have passkeys at host names only. */
const atLocalhost = (world: World): World => ({ ...world, base: world.base.replace('127.0.0.1', 'localhost') });

async function openAccount(page: Page, username = 'admin'): Promise<void> {
  await page.getByRole('link', { name: username, exact: true }).click();
  await heading(page, 'Your account').waitFor();
}

async function signOut(page: Page): Promise<void> {
  await button(page, 'Sign out').first().click();
  await heading(page, 'Sign in').waitFor();
}

async function submitPassword(page: Page, label: string, password = ADMIN_PASSWORD): Promise<void> {
  await page.getByRole('dialog').getByLabel('Current password').fill(password);
  await inDialog(page, label).click();
}

test('one-time codes: turned on, needed to sign in, replaced and turned off', async () => {
  await withWorld(async (world) => {
    const { base } = world;
    await withPage(world, async (page) => {
      await signIn(page, base);
      await openAccount(page);
      await button(page, 'Turn on one-time codes').waitFor();
      await page.getByText('No passkeys yet.').waitFor();
      await page.getByText('This browser', { exact: true }).waitFor();
      await checkScreen(page, 'own-account');

      await button(page, 'Turn on one-time codes').click();
      await submitPassword(page, 'Continue', 'wrong');
      await page.getByText('The password is not the current one of the account.').waitFor();
      await checkScreen(page, 'one-time-codes-refused');
      await submitPassword(page, 'Continue');
      await page.getByRole('img', { name: /^QR code/ }).waitFor();
      const app = new App((await page.locator('.secret code').textContent()) ?? '');
      await page.getByLabel('Code that the app shows now').fill(app.wrong());
      await inDialog(page, 'Turn on').click();
      await page.getByText(/^The code is wrong/).waitFor();
      await checkScreen(page, 'one-time-codes-scan');
      await page.getByLabel('Code that the app shows now').fill(app.code());
      await inDialog(page, 'Turn on').click();
      await heading(page, 'Your recovery codes').waitFor();
      await checkScreen(page, 'recovery-codes');
      const codes = await page.locator('.recovery-codes code').allTextContents();
      assert.is(codes.length, 10);
      const download = page.waitForEvent('download');
      await inDialog(page, 'Download').click();
      assert.is((await download).suggestedFilename(), 'waypost-recovery-codes.txt');
      await inDialog(page, 'I have stored them').click();
      await page.getByText('10 recovery codes left').waitFor();
      await checkScreen(page, 'one-time-codes-on');

      // The second step, with a wrong code, the app, and a recovery code.
      await signOut(page);
      await signIn(page, base);
      await heading(page, 'Second step').waitFor();
      const code = page.getByLabel('Code of your authenticator app');
      await untilIs(() => code.getAttribute('autocomplete'), 'one-time-code');
      await checkScreen(page, 'sign-in-code');
      await code.fill(app.wrong());
      await button(page, 'Sign in').click();
      await page.getByText(/^The code is wrong/).waitFor();
      await checkScreen(page, 'sign-in-code-refused');
      await button(page, 'Back').click();
      await heading(page, 'Sign in').waitFor();
      await button(page, 'Sign in').click();
      await code.fill(app.code(STEP));
      await button(page, 'Sign in').click();
      await heading(page, 'Domains').waitFor();
      await signOut(page);
      await signIn(page, base);
      await button(page, 'Use a recovery code instead').click();
      await page.getByLabel('Recovery code').waitFor();
      await checkScreen(page, 'sign-in-recovery');
      await page.getByLabel('Recovery code').fill(codes[0]);
      await button(page, 'Sign in').click();
      await heading(page, 'Domains').waitFor();

      // New recovery codes, and off.
      await openAccount(page);
      await page.getByText('9 recovery codes left').waitFor();
      await button(page, 'New recovery codes').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/^Code of your authenticator app/).fill(codes[0]);
      await submitPassword(page, 'Make new codes');
      await dialog.locator('.fault').waitFor();
      await checkScreen(page, 'recovery-codes-refused');
      await dialog.getByLabel(/^Code of your authenticator app/).fill(codes[1]);
      await inDialog(page, 'Make new codes').click();
      await heading(page, 'Your recovery codes').waitFor();
      const [fresh] = await page.locator('.recovery-codes code').allTextContents();
      await inDialog(page, 'I have stored them').click();
      await button(page, 'Turn off one-time codes').click();
      await dialog.getByLabel(/^Code of your authenticator app/).fill(fresh);
      await submitPassword(page, 'Turn off one-time codes');
      await button(page, 'Turn on one-time codes').waitFor();
      await signOut(page);
      await signIn(page, base);
      await heading(page, 'Domains').waitFor();
    });
  });
});

test('passkeys: added, used, renamed and removed', async () => {
  await withWorld(async (atAddress) => {
    await withPage(atAddress, async (page) => {
      await signIn(page, atAddress.base);
      await openAccount(page);
      await page.getByText('Passkeys need a host name.').waitFor();
      await untilIs(() => button(page, 'Add a passkey').count(), 0);
    });
    const world = atLocalhost(atAddress);
    const { base } = world;
    await withPage(world, async (page) => {
      const authenticator = await addAuthenticator(page);
      await signIn(page, base);
      await openAccount(page);
      await button(page, 'Add a passkey').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name of the passkey').fill('<img src=x onerror=alert(1)>');
      await submitPassword(page, 'Add', 'wrong');
      await page.getByText('The password is not the current one of the account.').waitFor();
      // The user does not want to.
      await setVerified(authenticator, false);
      await submitPassword(page, 'Add');
      await page.getByText('The browser created no passkey. Try again.').waitFor();
      await checkScreen(page, 'passkey-cancelled');
      await setVerified(authenticator, true);
      await submitPassword(page, 'Add');
      await page.getByText('The passkey <img src=x onerror=alert(1)> was added.').waitFor();
      await page.getByText('never used').waitFor();
      await checkScreen(page, 'passkeys');
      await button(page, 'Add a passkey').click();
      await submitPassword(page, 'Add');
      await page.getByText('This device or security key already has a passkey of your account.').waitFor();
      await inDialog(page, 'Cancel').click();

      // Without its user, nothing happens; with the user, it signs in.
      await setOffered(page, false);
      await setPresence(authenticator, false);
      await signOut(page);
      await checkScreen(page, 'sign-in-passkey');
      await setPresence(authenticator, true);
      await button(page, 'Sign in with a passkey').click();
      await heading(page, 'Your account').waitFor();
      await page.getByRole('button', { name: /^Remove the passkey/ }).waitFor();
      await untilIs(() => page.getByText('never used').count(), 0);
      // The browser also offers it in the first input, and this user takes it at once.
      await setOffered(page, true);
      const entered = page.waitForResponse(
        (response) => response.url() === `${base}/api/v1/session/passkey` && response.request().method() === 'POST',
      );
      await button(page, 'Sign out').first().click();
      assert.is((await entered).status(), 200);
      await heading(page, 'Your account').waitFor();

      await button(page, 'Rename the passkey <img src=x onerror=alert(1)>').click();
      await dialog.getByLabel('Name of the passkey').fill(' ');
      await inDialog(page, 'Save').click();
      await dialog.locator('.fault').waitFor();
      await dialog.getByLabel('Name of the passkey').fill('laptop');
      await inDialog(page, 'Save').click();
      await page.getByText('laptop', { exact: true }).waitFor();
      await button(page, 'Remove the passkey laptop').click();
      await checkScreen(page, 'passkey-remove');
      await submitPassword(page, 'Remove');
      await page.getByText('No passkeys yet.').waitFor();

      // The device still has it, but the service does not know it any more.
      await setOffered(page, false);
      await setPresence(authenticator, false);
      await signOut(page);
      await setPresence(authenticator, true);
      await button(page, 'Sign in with a passkey').click();
      await page.getByText(/^The passkey is not known/).waitFor();
      await checkScreen(page, 'sign-in-passkey-refused');
    });
  });
});

test('e-mail, password and sessions', async () => {
  // It changes the account `admin`.
  await withOwnWorld(async (world) => {
    const { base, daemon } = world;
    await withPage(world, async (page) => {
      await signIn(page, base);
      await openAccount(page);
      await button(page, 'Change e-mail address').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('New e-mail address').fill('no address');
      await submitPassword(page, 'Change');
      await dialog.locator('.fault').waitFor();
      await checkScreen(page, 'email-refused');
      await dialog.getByLabel('New e-mail address').fill('<b>admin</b>@example.net');
      await submitPassword(page, 'Change');
      await page.getByText('Your e-mail address was changed.').waitFor();
      await page.getByText('<b>admin</b>@example.net', { exact: true }).waitFor();

      // Two other browsers; one is signed out here, the other by the new password.
      const post = (body: object) =>
        fetch(`${base}/api/v1/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': '<script>alert(1)</script>' },
          body: JSON.stringify(body),
        });
      for (let i = 0; i < 2; i++) assert.is((await post({ login: 'admin', password: ADMIN_PASSWORD })).status, 200);
      await page.reload();
      const others = page.getByRole('button', { name: /^Sign out <script>/ });
      await others.nth(1).waitFor();
      await checkScreen(page, 'sessions');
      await others.first().click();
      await page.getByText('The browser was signed out.').waitFor();
      await others.nth(1).waitFor({ state: 'detached' });

      await button(page, 'Change password').click();
      await dialog.getByLabel('New password').fill('short');
      await submitPassword(page, 'Change password');
      await dialog.locator('.fault').waitFor();
      await dialog.getByLabel('New password').fill('another long password');
      await submitPassword(page, 'Change password', 'wrong');
      await page.getByText('The password is not the current one of the account.').waitFor();
      await checkScreen(page, 'password-refused');
      await submitPassword(page, 'Change password');
      await page.getByText('Your password was changed; 1 other browser was signed out.').waitFor();
      await others.first().waitFor({ state: 'detached' });
      assert.is((await post({ login: 'admin', password: ADMIN_PASSWORD })).status, 401);
      await signOut(page);
      await signIn(page, base, 'another long password');
      await heading(page, 'Domains').waitFor();

      // An administrator removes the lost second factors of another account.
      await daemon.api.logIn('admin', 'another long password');
      const password = 'a long password';
      const created = await daemon.api.call('POST', '/api/v1/accounts', { username: 'dave', password });
      await page.goto(`${base}/accounts/${(created.body as never as { account: { id: number } }).account.id}`);
      await page.getByText('One-time codes are off; 0 passkeys.').waitFor();
      await untilIs(() => button(page, 'Remove second factors').count(), 0);
      const visitor = await post({ login: 'dave', password });
      const { csrf_token: csrf } = (await visitor.json()) as { csrf_token: string };
      const cookie = visitor.headers.get('set-cookie')?.split(';')[0] ?? '';
      const send = async (path: string, body: object) => {
        const headers = { 'content-type': 'application/json', cookie, 'x-waypost-csrf': csrf };
        return (await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as never;
      };
      const { secret } = (await send('/api/v1/account/totp', { password })) as { secret: string };
      await send('/api/v1/account/totp/confirm', { password, code: new App(secret).code() });
      assert.is((await post({ login: 'dave', password })).status, 401);
      await page.reload();
      await page.getByText('One-time codes are on; 0 passkeys.').waitFor();
      await button(page, 'Remove second factors').click();
      await dialog.getByLabel('Type dave to confirm').fill('dave');
      await inDialog(page, 'Remove second factors').click();
      await page.getByText('One-time codes are off; 0 passkeys.').waitFor();
      assert.is((await post({ login: 'dave', password })).status, 200);
    });
  });
});

test.run();
