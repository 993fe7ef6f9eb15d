/**
 * The walk of a new user, with the pages alone: from the first sign-in to a domain with five
 * records, a proxy with a certificate, an API key that curl uses, and an uploaded mini-app. Prints
 * the clicks, the fields that were filled in, and the seconds of each step.
 */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ZipFile } from 'yazl';
import { newApp } from '../../../admin-api/miniapp/templates/templates.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { untilIs } from '../../support/until.ts';
import { browserSuite } from '../browser/suite.ts';
import { startDaemonDirectory } from '../peers/pebble.ts';
import { type World, withOwnWorld, withPage } from './browser.ts';

const run = promisify(execFile);
const DOMAIN = 'first.example';
const RECORDS = [
  ['@', 'A', '192.0.2.1'],
  ['www', 'A', '192.0.2.1'],
  ['@', 'AAAA', '2001:db8::1'],
  ['mail', 'A', '192.0.2.25'],
  ['@', 'TXT', 'v=spf1 -all'],
] as const;

const test = browserSuite('walk of a new user', 'curl', 'chromium');
const why = whyNotPrograms('pebble', 'dig');
if (why !== null) test.skip(`walk: ${why}`, () => {});
else test('from the first sign-in to a site with a certificate, an API key and a mini-app', walk);

/** Counts what a person does. */
class Hand {
  #clicks = 0;
  #fields = 0;
  #start = performance.now();

  async click(target: Locator): Promise<void> {
    this.#clicks++;
    await target.click();
  }

  async fill(target: Locator, text: string): Promise<void> {
    this.#fields++;
    await target.fill(text);
  }

  async select(target: Locator, choice: string): Promise<void> {
    this.#fields++;
    await target.selectOption(choice);
  }

  /** Ends a step. */
  report(step: string): void {
    const seconds = ((performance.now() - this.#start) / 1000).toFixed(1);
    console.log(`  ${step}: ${this.#clicks} clicks, ${this.#fields} fields, ${seconds} s`);
    this.#clicks = 0;
    this.#fields = 0;
    this.#start = performance.now();
  }
}

async function packageFile(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const zip = new ZipFile();
  const files = newApp({ id: 'com.example.first', name: 'First' });
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return { name: 'first.pkg', mimeType: 'application/octet-stream', buffer: await buffer(zip.outputStream) };
}

/** Not only its engine, since this walk is that of a person. */
const withChromium = (use: (world: World) => Promise<void>, settings: Record<string, string>): Promise<void> =>
  withOwnWorld(use, settings, 'chromium');

async function walk(): Promise<void> {
  const { directory, dnsPort, httpsPort, settings } = await startDaemonDirectory();
  const origin = createServer((_, response) => response.end('the origin')).listen(0, '127.0.0.1');
  try {
    await withChromium(async (world) => {
      await withPage(world, async (page) => {
        const hand = new Hand();
        await page.goto(`${world.base}/`);
        await hand.fill(page.getByLabel('Username or e-mail'), 'admin');
        await hand.fill(page.getByLabel('Password'), ADMIN_PASSWORD);
        await hand.click(button(page, 'Sign in'));
        hand.report('sign in');

        await hand.click(link(page, 'Add a domain').first());
        await hand.fill(page.getByLabel('Domain name'), DOMAIN);
        await hand.click(button(page, 'Add domain'));
        await page.getByText('ns1.waypost.test').first().waitFor();
        await hand.click(link(page, 'Go to the records'));
        for (const [name, type, content] of RECORDS) {
          await hand.click(button(page, 'Add a record').first());
          const row = page.locator('tr.row-edited');
          await hand.fill(row.getByLabel('Name'), name);
          await hand.select(row.getByLabel('Type'), type);
          await hand.fill(row.getByLabel('Value'), content);
          await page.keyboard.press('Enter');
        }
        await hand.click(button(page, 'Review and save'));
        await hand.click(page.getByRole('dialog').getByRole('button', { name: /^Save / }));
        await page.getByText('5 changes saved and served.').waitFor();
        const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(dnsPort), '+short', `www.${DOMAIN}`, 'A']);
        assert.is(stdout.trim(), '192.0.2.1');
        hand.report('a domain with five records, answered');

        await hand.click(link(page, 'Proxy'));
        await hand.fill(page.getByLabel('Address or host name'), '127.0.0.1');
        await hand.fill(page.getByLabel('Port'), String((origin.address() as AddressInfo).port));
        await hand.select(page.getByLabel('Protocol'), 'http');
        await hand.click(button(page, 'Save origin'));
        await page.getByText('The origin is saved and used.').waitFor();
        await hand.click(button(page, 'Turn on'));
        await page.getByText(/Issued by .*Pebble/).waitFor();
        hand.report('the proxy with a certificate');
        const resolved = `www.${DOMAIN}:${httpsPort}:127.0.0.1`;
        const visited = ['-sSk', '--resolve', resolved, `https://www.${DOMAIN}:${httpsPort}/`];
        await untilIs(async () => (await run('curl', visited)).stdout, 'the origin');

        await hand.click(link(page, 'All domains'));
        await hand.click(link(page, 'API keys'));
        await hand.click(link(page, 'Create an API key').first());
        await hand.fill(page.getByLabel('Name'), 'laptop');
        await hand.click(button(page, 'Create key'));
        const line = (await page.locator('.code-block').last().textContent()) ?? '';
        const listed = await run('sh', ['-c', line.replace('curl ', 'curl -sS ')]);
        assert.is(JSON.parse(listed.stdout).domains[0].domain, DOMAIN);
        hand.report('an API key that curl uses');

        await hand.click(link(page, 'Mini-apps'));
        await page.getByLabel('Package', { exact: true }).setInputFiles(await packageFile());
        await hand.click(button(page, 'Upload'));
        await page.locator('.domain-head').getByText('Approved', { exact: true }).waitFor();
        hand.report('a mini-app with its report');
      });
    }, settings);
  } finally {
    origin.close();
    await directory.stop();
  }
}

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true });

test.run();
