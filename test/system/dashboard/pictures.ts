/**
 * `npm run pictures -- [FOLDER]`: pictures of the dashboard. Without a folder, those of README.md
 * in docs/pictures; with one, every page in it: 1280 and 390 pixels wide, light and dark. Needs
 * Chromium.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { PAGES } from '../../../admin-api/dashboard/addresses.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { signIn, type World, withOwnWorld, withPage } from './browser.ts';
import { editRecord } from './edit-records.ts';

const README = fileURLToPath(new URL('../../../../docs/pictures', import.meta.url));
const README_SIZE = { width: 1240, height: 680 };
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
];
const SCHEMES = ['light', 'dark'] as const;
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
const MORE_DOMAINS = ['shop.example.net', 'xn--bcher-kva.example', 'status.example.org'];

const [folder] = process.argv.slice(2);
mkdirSync(folder ?? README, { recursive: true });
await withOwnWorld(async (world) => {
  const id = await fill(world);
  await withPage(world, async (page) => {
    await signIn(page, world.base);
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'attached' });
    if (folder === undefined) await showReadme(page, world, id);
    else await showAll(page, world, id, folder);
  });
});
process.exit();

/** Resolves with the id of a domain with records. */
async function fill({ daemon: { api } }: World): Promise<number> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await api.call('POST', '/api/v1/domains', { domain: 'example.com' });
  const { id } = body.domain as { id: number };
  const { status } = await api.call('POST', `/api/v1/domains/${id}/records/batch`, { post: RECORDS as never });
  if (status !== 200) throw new Error(`The records were refused with ${status}.`);
  for (const domain of MORE_DOMAINS) await api.call('POST', '/api/v1/domains', { domain });
  return id;
}

async function showReadme(page: Page, { base }: World, id: number): Promise<void> {
  await page.setViewportSize(README_SIZE);
  await page.goto(`${base}/domains/${id}/records`);
  await page.getByText('192.0.2.30').waitFor();
  await editRecord(page, 'mail A', '192.0.2.31');
  await page.getByRole('button', { name: 'Review and save' }).waitFor();
  await page.getByRole('heading', { name: 'example.com' }).click();
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(README, `dashboard-${colorScheme}.png`) });
  }
}

/** The pages that need nothing but a domain. */
async function showAll(page: Page, { base }: World, id: number, into: string): Promise<void> {
  for (const [name, address] of Object.entries(PAGES)) {
    const path = address.replace('{domain_id}', String(id));
    if (path.includes('{') || name === 'home' || name === 'signIn') continue;
    await page.goto(base + path);
    // The page of live requests keeps a request open.
    await page.waitForLoadState(name === 'requests' ? 'load' : 'networkidle');
    for (const size of SIZES)
      for (const colorScheme of SCHEMES) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.screenshot({ path: join(into, `${name}-${size.width}-${colorScheme}.png`), fullPage: true });
      }
  }
}
