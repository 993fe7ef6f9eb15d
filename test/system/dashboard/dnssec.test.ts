/**
 * The page of DNSSEC. What takes days is shown by responses that are changed on their way to the
 * browser; the refusals are those of the API.
 */
import type { Page, Route } from 'playwright-core';
import * as assert from 'uvu/assert';
import { EXAMPLE_KEYS } from '../../core/dns/dnssec/rsa-keys.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs, untilMatches } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withPage, withWorld } from './browser.ts';

const test = browserSuite('dnssec in the dashboard');

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** What the state of the zone seems to be from now on; null: what it is. */
async function pretend(page: Page, changes: Readonly<Record<string, unknown>> | null): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' });
  if (changes !== null)
    await page.route(/\/api\/.*\/dnssec$/, async (route: Route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), ...changes } });
    });
  await page.reload();
  await page.getByRole('heading', { name: 'Parent zone' }).waitFor();
}

test('a zone is signed, its DS record copied, its key replaced, and signing ends', async () => {
  // No server answers there.
  await withWorld(async (world) => {
    const { daemon, base } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await daemon.api.createDomain('signed.example');
    const dnssec = `/api/v1/domains/${id}/dnssec`;
    await withPage(world, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await signIn(page, base);
      await page.getByRole('link', { name: 'signed.example' }).click();
      await page.getByRole('link', { name: 'DNSSEC' }).click();
      await page.getByRole('heading', { name: 'The zone is not signed' }).waitFor();
      await checkScreen(page, 'dnssec-off');
      await page.getByLabel('Algorithm of the key').selectOption('15');
      await button(page, 'Sign the zone').click();
      await page.getByRole('heading', { name: 'Being signed' }).waitFor();

      // Before caches have signatures, the DS record would break the domain: it is not offered.
      await page.getByText('It is shown here as soon as it may be used.').waitFor();
      assert.is(await page.locator('.copy-fields').count(), 0);
      await pretend(page, { next_at: '2031-05-06 07:08:09' });
      const time = page.locator('.instructions time');
      await untilIs(() => time.getAttribute('title'), '2031-05-06 07:08:09 UTC');
      const shown = `new Date('2031-05-06T07:08:09Z').toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })`;
      assert.is(await time.innerText(), await page.evaluate(shown));
      await checkScreen(page, 'dnssec-signing');
      await pretend(page, { status: 'awaiting_ds', next_step: 'Add the DS record.', error: null });

      // The DS record in the fields of the registrar, and as one line.
      const { body } = await daemon.api.call('GET', dnssec);
      const [ds] = body.ds as { key_tag: number; algorithm: number; digest: string; record: string }[];
      assert.is(ds.algorithm, 15);
      const copied = (): Promise<unknown> => page.evaluate('navigator.clipboard.readText()');
      await button(page, `Copy Digest of key ${ds.key_tag}`).click();
      await untilIs(copied, ds.digest);
      await button(page, `Copy As one line of key ${ds.key_tag}`).first().click();
      await untilIs(copied, ds.record);
      await page.getByText('My registrar asks for a DNSKEY record').click();
      await button(page, `Copy Public key of key ${ds.key_tag}`).click();
      const [dnskey] = body.dnskey as { public_key: string }[];
      await untilIs(copied, dnskey.public_key);
      await checkScreen(page, 'dnssec-ds');
      await pretend(page, null);

      // The parent zone cannot be asked, which the API says.
      await page.getByText('Not asked yet').waitFor();
      await button(page, 'Check now').click();
      await page.getByText('The parent zone was asked.').waitFor();
      await page.getByText(/nameservers of the parent zone cannot be asked/).waitFor();

      // A key of another provider.
      await page.getByText('Keys of other providers').click();
      await page.getByText('There are none.').waitFor();
      const foreign = page.getByLabel('DNSKEY record of the other provider');
      await foreign.fill('257 3 13 AAAA');
      await button(page, 'Add a key').click();
      await page.locator('.fault').waitFor();
      await untilMatches(() => page.locator('.fault').innerText(), /algorithm 13, and the zone is signed with 15/);
      await checkScreen(page, 'dnssec-foreign-refused');
      await foreign.fill('257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=');
      await button(page, 'Add a key').click();
      await page.getByText('The key is published.').waitFor();
      const [stored] = (await daemon.api.call('GET', `${dnssec}/foreign-keys`)).body.foreign_keys as {
        key_tag: number;
      }[];
      await button(page, `Delete the key ${stored.key_tag} of the other provider`).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(`Type ${stored.key_tag} to confirm`).fill(String(stored.key_tag));
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('There are none.').waitFor();

      // Waiting for the DS record, then a parent with one of another key.
      await pretend(page, { status: 'awaiting_ds', next_step: 'Add the DS record.', error: null });
      await page.getByRole('heading', { name: 'Signed, waits for the DS record' }).waitFor();
      await checkScreen(page, 'dnssec-awaiting');
      const parent = {
        ...{ zone: 'example', ds: [`${ds.key_tag} 15 2 ABCDEF`], servers: 4, answered: 3 },
        checked_at: '2026-01-01 00:00:00',
      };
      const error = { code: 'ds_mismatch', reason: 'foreign', message: 'The parent has the DS of an unknown key.' };
      await pretend(page, { status: 'secure', next_step: 'Nothing to do.', parent, error });
      await page.getByText('DS records in example').waitFor();
      await page.getByText('3 of 4 nameservers answered').waitFor();
      await page.getByText('The parent has the DS of an unknown key.').waitFor();
      await checkScreen(page, 'dnssec-mismatch');

      // The key is replaced; the API refuses, since the zone is not so far.
      await pretend(page, { status: 'secure', next_step: 'Nothing to do.', parent, error: null });
      await button(page, 'Replace the key').click();
      await dialog.getByRole('button', { name: 'Replace the key' }).click();
      await dialog.getByText('A step of DNSSEC is in progress.').waitFor();
      await checkScreen(page, 'dnssec-rollover-refused');
      await dialog.getByRole('button', { name: 'Close' }).click();
      await button(page, 'Replace the key in an emergency').click();
      const roll = dialog.getByRole('button', { name: 'Replace the key', exact: true });
      await untilIs(() => roll.getAttribute('aria-disabled'), 'true');
      await checkScreen(page, 'dnssec-emergency');
      await dialog.getByLabel('Type signed.example to confirm').fill('signed.example');
      await roll.click();
      await dialog.getByText('A step of DNSSEC is in progress.').waitFor();
      await page.keyboard.press('Escape');
      const step = 'Replace the DS record at your registrar: add key tag 1, and remove key tag 2.';
      await pretend(page, { status: 'rolling_ds', next_step: step, error: null });
      await page.getByText(step, { exact: true }).first().waitFor();
      await untilIs(() => page.locator('.step-done').count(), 1);
      await untilIs(() => page.locator('.step-next').count(), 3);
      await checkScreen(page, 'dnssec-rolling');
      await button(page, 'Cancel the replacement').click();
      await dialog.getByRole('button', { name: 'Cancel the replacement' }).click();
      await page.getByText('The replacement is cancelled.').waitFor();
      await pretend(page, null);

      // The end: refused while the parent has a DS record, then asked for by CDS.
      const refusal = {
        ok: false,
        error: { code: 'dnssec_ds_present', message: 'The parent zone has a DS record for signed.example.' },
        request_id: 'x',
      };
      await page.route(/\/api\/.*\/dnssec$/, (route) =>
        route.request().method() === 'PUT' && !route.request().postData()?.includes('force')
          ? route.fulfill({ status: 409, json: refusal })
          : route.continue(),
      );
      await button(page, 'Stop signing').click();
      await dialog.getByLabel('Type signed.example to confirm').fill('signed.example');
      await dialog.getByRole('button', { name: 'Stop signing' }).click();
      await page.getByText('The DS record is still at your registrar').waitFor();
      await page.getByText('The parent zone has a DS record for signed.example.').waitFor();
      await checkScreen(page, 'dnssec-ds-present');
      await button(page, 'Ask for the removal by CDS').click();
      await page.getByRole('heading', { name: 'The zone is not signed' }).waitFor();
      assert.is((await daemon.api.call('GET', dnssec)).body.status, 'off');

      // Another client signs it, which the page shows by itself.
      await page.unrouteAll({ behavior: 'wait' });
      // Until the zone is unsigned, the request is refused.
      await untilIs(async () => (await daemon.api.request('PUT', dnssec, { enabled: true })).status, 200);
      await page.getByRole('heading', { name: 'Being signed' }).waitFor();
    });
  });
});

test('a zone that is signed elsewhere is signed with its private key, which is not shown', async () => {
  await withWorld(async (world) => {
    const { daemon, base } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await daemon.api.createDomain('moving.example');
    const dnssec = `/api/v1/domains/${id}/dnssec`;
    const [{ file, dnskey }] = EXAMPLE_KEYS;
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'moving.example' }).click();
      await page.getByRole('link', { name: 'DNSSEC' }).click();
      await page.getByText('The zone is signed at another provider').click();
      const key = page.getByLabel('Private key', { exact: true });
      await key.fill('nothing');
      await button(page, 'Sign with this key').click();
      await page.getByText(/neither a file with "Private-key-format/).waitFor();
      await checkScreen(page, 'dnssec-take-over');
      await key.fill(file);
      await page
        .getByLabel('DNSKEY records of the other provider')
        .fill(`${dnskey}\n${dnskey.replace('257', '256')}\n`);
      await button(page, 'Sign with this key').click();
      await page.getByRole('heading', { name: 'Being signed' }).waitFor();
      assert.not.match(await page.content(), /PrivateExponent/);
      const { body } = await daemon.api.call('GET', dnssec);
      assert.is(body.algorithm, 8);
      const foreign = (await daemon.api.call('GET', `${dnssec}/foreign-keys`)).body.foreign_keys as {
        dnskey: string;
      }[];
      assert.equal(
        foreign.map((other) => other.dnskey),
        [dnskey.replace('257', '256')],
      );
    });
  });
});

test.run();
