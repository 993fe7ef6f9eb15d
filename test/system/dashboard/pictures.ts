/**
 * `npm run pictures`: writes the pictures of the dashboard in README.md to docs/pictures, light and
 * dark. Needs Chromium.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { signIn, withOwnWorld, withPage } from './browser.ts';
import { editRecord } from './edit-records.ts';

const FOLDER = fileURLToPath(new URL('../../../../docs/pictures', import.meta.url));
const SIZE = { width: 1240, height: 680 };
const RECORDS: readonly object[] = [
  { name: '@', type: 'A', content: '192.0.2.10', proxied: true },
  { name: 'www', type: 'CNAME', content: 'example.com', proxied: true },
  { name: 'api', type: 'A', content: '192.0.2.20', comment: 'moves in May' },
  { name: 'api', type: 'AAAA', content: '2001:db8::20' },
  { name: '@', type: 'MX', content: '10 mail.example.com' },
  { name: 'mail', type: 'A', content: '192.0.2.30' },
  { name: '@', type: 'TXT', content: '"v=spf1 mx -all"' },
  { name: '@', type: 'CAA', content: '0 issue "letsencrypt.org"' },
  { name: 'docs', type: 'A', content: '192.0.2.10', proxied: true },
  { name: '_sip._tcp', type: 'SRV', content: '10 60 5060 api.example.com' },
];

mkdirSync(FOLDER, { recursive: true });
await withOwnWorld(async (world) => {
  const { api } = world.daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await api.call('POST', '/api/v1/domains', { domain: 'example.com' });
  const { id } = body.domain as { id: number };
  const { status } = await api.call('POST', `/api/v1/domains/${id}/records/batch`, { post: RECORDS as never });
  if (status !== 200) throw new Error(`The records were refused with ${status}.`);
  await withPage(world, async (page) => {
    await page.setViewportSize(SIZE);
    await signIn(page, world.base);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(`${world.base}/domains/${id}/records`);
    await page.getByText('192.0.2.30').waitFor();
    await editRecord(page, 'mail A', '192.0.2.31');
    await page.getByRole('button', { name: 'Review and save' }).waitFor();
    await page.getByText('example.com', { exact: true }).first().click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(FOLDER, `dashboard-${colorScheme}.png`) });
    }
  });
});
process.exit();
