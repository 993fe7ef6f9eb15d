/** The dashboard at admin.hostname, through the edge, over TLS, in Chromium. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { sharedChromium } from '../browser/page.ts';
import { browserSuite } from '../browser/suite.ts';
import { addAuthenticator, setOffered, setPresence } from './authenticator.ts';
import { signIn, type World, withPage } from './browser.ts';

const test = browserSuite('dashboard over TLS');
const HOST = 'admin.waypost.test';

test('the cookie is out of reach of scripts, and a passkey works at admin.hostname', overTls);

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const https = await freePort();
  const folder = temporaryFolder('certificate');
  const key = ecKey();
  const [certificateFile, keyFile] = [join(folder, 'admin.pem'), join(folder, 'admin.key')];
  writeFileSync(certificateFile, certificate({ name: HOST, key, dnsNames: [HOST] }));
  writeFileSync(keyFile, pemOfKey(key), { mode: 0o600 });
  const daemon = await startDaemon({
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_ADMIN_HOSTNAME: HOST,
    WAYPOST_ADMIN_HOSTNAME_CERTIFICATE: certificateFile,
    WAYPOST_ADMIN_HOSTNAME_KEY: keyFile,
  });
  // Pages with a faulty certificate have no passkeys, unless all certificates are accepted.
  const flags = [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`, '--ignore-certificate-errors'];
  try {
    await use({ daemon, browser: await sharedChromium(flags), base: `https://${HOST}:${https}` });
  } finally {
    await daemon.close();
    removeFolder(folder);
  }
}

async function overTls(): Promise<void> {
  await withWorld(async (world) => {
    await withPage(world, async (page) => {
      const { base } = world;
      // A cookie that another host or a page without TLS could have set.
      const planted = { name: 'waypost_session', value: 'wps_planted', domain: HOST, path: '/' };
      await page.context().addCookies([planted]);
      const authenticator = await addAuthenticator(page);
      await signIn(page, base);
      await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor();
      const cookies = (await page.context().cookies()).filter(({ name }) => name !== planted.name);
      assert.equal(
        cookies.map(({ name, domain, path, httpOnly, secure, sameSite }) => [
          ...[name, domain, path, httpOnly, secure, sameSite],
        ]),
        [['__Host-waypost_session', HOST, '/', true, true, 'Strict']],
      );
      assert.is(await page.evaluate('document.cookie'), 'waypost_session=wps_planted');

      await page.goto(`${base}/account`);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByRole('dialog').getByLabel('Current password').fill(ADMIN_PASSWORD);
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText(`for ${HOST}`).waitFor();
      await setOffered(page, false);
      await setPresence(authenticator, false);
      await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await setPresence(authenticator, true);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
    });
  });
}

test.run();
