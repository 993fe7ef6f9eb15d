/** The pages of the proxy: every action and its refusals, an ordered certificate, live requests. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page, Response } from 'playwright-core';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, type ServingDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms as whyNotPeers } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilIs, untilMatches, untilPasses } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { startDaemonDirectory } from '../peers/pebble.ts';
import { actUnaware, signIn, withOwnWorld, withPage, withWorld } from './browser.ts';

const test = browserSuite('proxy in the dashboard');

/** Creates a domain with records of the form `www A 192.0.2.1`; its id. */
async function addDomain({ api }: ServingDaemon, domain: string, records: readonly string[]): Promise<string> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const id = await api.createDomain(domain);
  for (const record of records) {
    const [, name, type, content, flag] = /^(\S+) (\S+) (.*?)(?: (unproxied))?$/.exec(record)!;
    const proxied = flag === undefined ? null : false;
    await api.call('POST', `/api/v1/domains/${id}/records`, { name, type, content, ttl: 300, proxied });
  }
  return id;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

test('origin, switch, exposed records, certificate, HSTS and purges, with their refusals', async () => {
  await withWorld(async (world) => {
    const { daemon, base } = world;
    const id = await addDomain(daemon, 'shop.example', [
      '@ A 1.1.1.1',
      'www A 1.1.1.1',
      'www HTTPS 1 . alpn="h2" ipv4hint=1.1.1.1',
      'ftp A 1.1.1.1 unproxied',
      'db A 1.1.1.1 unproxied',
      'mail A 1.1.1.1',
      '@ MX 10 mail.shop.example',
    ]);
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'shop.example' }).click();
      await page.getByRole('link', { name: 'Proxy', exact: true }).click();
      await page.getByRole('heading', { name: 'The proxy is off' }).waitFor();
      await page.getByText('Nothing is ordered while the proxy is off.').waitFor();
      await checkScreen(page, 'proxy-off');

      // The origin.
      const origin = page.locator('form', { has: page.getByRole('heading', { name: 'Origin' }) });
      await origin.getByLabel('Address or host name').fill('10.0.0.1');
      await button(page, 'Save origin').click();
      await origin.locator('.fault').waitFor();
      await untilMatches(() => origin.locator('.fault').innerText(), /10\.0\.0\.1/);
      await origin.getByLabel('Address or host name').fill('1.1.1.1');
      await origin.getByLabel('Address or host name').fill('');
      await button(page, 'Save origin').click();
      await origin.getByText('Origin: enter a host name or address.').waitFor();
      await origin.getByLabel('Address or host name').fill('1.1.1.1');
      await origin.getByLabel('Port').fill('many');
      await button(page, 'Save origin').click();
      await page.getByText('Port: enter a number from 1 to 65535.').waitFor();
      await checkScreen(page, 'proxy-origin-refused');
      await origin.getByLabel('Port').fill('443');
      await button(page, 'Save origin').click();
      await page.getByText('The origin is saved and used.').waitFor();

      // Records that reveal the origin. Another client changes one of them meanwhile.
      await page.getByText('With the proxy on, these records would still').waitFor();
      await button(page, 'Remove the addresses: www HTTPS').click();
      await page.getByText('www HTTPS does not show your server any more.').waitFor();
      const records = `/api/v1/domains/${id}/records`;
      const contents = async (query: string): Promise<unknown[]> =>
        ((await daemon.api.call('GET', `${records}?${query}`)).body.records as { content: string }[]).map(
          ({ content }) => content,
        );
      assert.equal(await contents('name=www&type=HTTPS'), ['1 . alpn="h2"']);
      const [db] = (await daemon.api.call('GET', `${records}?name=db`)).body.records as { id: number }[];
      await actUnaware(page, `**/api/v1/domains/${id}/proxy`, async () => {
        await daemon.api.call('PUT', `${records}/${db.id}`, { name: 'db', type: 'A', content: '9.9.9.9', ttl: 300 });
        await button(page, 'Proxy this name: db A').click();
      });
      await page.getByText('The record has changed meanwhile.').waitFor();
      assert.equal(await contents('name=db'), ['9.9.9.9']);
      await button(page, 'Proxy this name: ftp A').click();
      await page.getByText('ftp A does not show your server any more.').waitFor();
      await untilIs(() => button(page, /mail A$/).count(), 0, 'no single change fits a name of mail');
      await page.getByRole('link', { name: 'Open in records: mail A' }).waitFor();

      // The switch. No directory is configured, which the certificate says.
      await button(page, 'Turn on').click();
      await page.getByRole('heading', { name: 'The proxy is on' }).waitFor();
      await page.getByText('No certificate is ordered').waitFor();
      await page
        .getByText(/upload your own certificate/i)
        .first()
        .waitFor();
      await checkScreen(page, 'proxy-on');
      await button(page, 'Order a new one now').click();
      await page.getByText('A certificate was requested.').waitFor();

      // A certificate of the customer, pasted and from files.
      await button(page, 'Upload your own certificate').click();
      const upload = page.locator('form', { has: page.getByLabel('Private key (PEM)') });
      const save = upload.getByRole('button', { name: 'Use this certificate' });
      const key = ecKey();
      const pem = certificate({ name: 'other.example', key, dnsNames: ['other.example'] });
      await upload.getByLabel('Certificate and chain (PEM)').fill(pem);
      await upload.getByLabel('Private key (PEM)').fill(pemOfKey(key));
      await save.click();
      await upload.locator('.fault').waitFor();
      await untilMatches(() => upload.locator('.fault').innerText(), /other\.example, not for shop\.example/);
      await checkScreen(page, 'proxy-upload-refused');
      const folder = temporaryFolder('upload');
      try {
        const [file, keyFile, large] = [join(folder, 'cert.pem'), join(folder, 'key.pem'), join(folder, 'large')];
        const dnsNames = ['shop.example', '*.shop.example'];
        writeFileSync(file, certificate({ name: 'shop.example', key, dnsNames }));
        writeFileSync(keyFile, pemOfKey(key));
        writeFileSync(large, 'x'.repeat(70_000));
        await upload.getByLabel('Read the certificate from a file').setInputFiles(large);
        await upload.getByText('This file is too large').waitFor();
        await upload.getByLabel('Read the certificate from a file').setInputFiles(file);
        await upload.getByLabel('Read the key from a file').setInputFiles(keyFile);
        const path = `/api/v1/domains/${id}/proxy`;
        const isRead = (response: Response): boolean =>
          response.request().method() === 'GET' && new URL(response.url()).pathname === path;
        const read = page.waitForResponse(isRead);
        await save.click();
        // It is shown for some seconds only, and on a busy machine the page is read again later.
        await page.getByText('Your certificate is served.').waitFor();
        // The page is read again, and the warnings of the upload stay.
        await (await read).finished();
      } finally {
        removeFolder(folder);
      }
      await page.getByText('You uploaded this certificate').waitFor();
      await page.getByText('For shop.example, *.shop.example').waitFor();
      await page.getByText(/self-signed/).waitFor();
      await checkScreen(page, 'proxy-uploaded');
      await button(page, 'Use the automatic one instead').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type shop.example to confirm').fill('shop.exampl');
      const confirm = dialog.getByRole('button', { name: 'Use the automatic one instead' });
      await untilIs(() => confirm.getAttribute('aria-disabled'), 'true');
      await checkScreen(page, 'proxy-certificate-delete');
      await dialog.getByLabel('Type shop.example to confirm').fill('shop.example');
      await confirm.click();
      await page.getByText('Your certificate is deleted.').waitFor();

      // HSTS.
      const hsts = page.locator('form', { has: page.getByRole('heading', { name: 'HTTPS only (HSTS)' }) });
      await hsts.getByLabel('Browsers remember it for').selectOption('31536000');
      await hsts.getByLabel('Browsers may list the domain ahead (preload)').check();
      await hsts.getByRole('button', { name: 'Save' }).click();
      await hsts.getByText(/^For the preload lists/).waitFor();
      await checkScreen(page, 'proxy-hsts-refused');
      await hsts.getByLabel('Also for all names below each host').check();
      await hsts.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      const { proxy } = (await daemon.api.call('GET', `/api/v1/domains/${id}/proxy`)).body as {
        proxy: Record<string, unknown>;
      };
      assert.equal([proxy.hsts_max_age, proxy.hsts_include_subdomains, proxy.hsts_preload], [31_536_000, true, true]);

      // Purges.
      const purge = page.locator('form', { has: page.getByRole('heading', { name: 'Purge the cache' }) });
      await purge.getByRole('button', { name: 'Purge' }).click();
      await purge.getByText('Enter at least one line.').waitFor();
      await purge.getByLabel('URLs').fill('https://other.example/a\nhttps://www.shop.example/b');
      await purge.getByRole('button', { name: 'Purge' }).click();
      await purge.getByText(/is not in the domain shop\.example/).waitFor();
      await checkScreen(page, 'proxy-purge-refused');
      await purge.getByLabel('URLs').fill('https://www.shop.example/a\n\n https://www.shop.example/b ');
      await purge.getByRole('button', { name: 'Purge' }).click();
      await purge.getByText('Purged on all nodes: 2 URLs.').waitFor();
      await purge.getByLabel('Fetch again at once').check();
      await purge.getByLabel('What to purge').selectOption('tags');
      await purge.getByLabel('Tags of your server').fill('home');
      await purge.getByRole('button', { name: 'Purge' }).click();
      await purge.getByText('Purged on all nodes: 1 tag. They are fetched again in the background.').waitFor();
      await purge.getByLabel('Fetch again at once').uncheck();
      await purge.getByLabel('What to purge').selectOption('all');
      await purge.getByRole('button', { name: 'Purge everything' }).click();
      await purge.getByText('Purged on all nodes: everything.').waitFor();

      await button(page, 'Turn off').click();
      await page.getByRole('heading', { name: 'The proxy is off' }).waitFor();
    });
  });
});

test('an origin that is a name of the zone: its address becomes the origin, and the record goes', async () => {
  await withWorld(async (world) => {
    const id = await addDomain(world.daemon, 'named-zone.com', ['@ A 1.1.1.1', 'origin A 1.1.1.1 unproxied']);
    const path = `/api/v1/domains/${id}`;
    await world.daemon.api.call('PUT', `${path}/proxy`, { origin: 'origin.named-zone.com' });
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('link', { name: 'named-zone.com' }).waitFor();
      await page.goto(`${world.base}/domains/${id}/proxy`);
      await button(page, 'Use the address, delete the record: origin A').click();
      await page.getByText('No record shows where your server is.').waitFor();
      const { proxy } = (await world.daemon.api.call('GET', `${path}/proxy`)).body as {
        proxy: Record<string, unknown>;
      };
      assert.is(proxy.origin_host, '1.1.1.1');
      assert.equal((await world.daemon.api.call('GET', `${path}/records?name=origin`)).body.records, []);
      await untilIs(() => page.evaluate('document.activeElement.textContent'), 'Records that show your server');

      // Pools of origins.
      await page.getByRole('link', { name: 'Origins', exact: true }).click();
      await page.getByText('All requests go to the origin of the proxy.').waitFor();
      const form = page.locator('form', { has: page.getByRole('heading', { name: 'Add a pool' }) });
      await form.getByLabel('Path', { exact: true }).fill('/api');
      await form.getByLabel('Origins').fill('10.0.0.1');
      await button(page, 'Add pool').click();
      await form.getByText(/10\.0\.0\.1 is in 10\.0\.0\.0\/8/).waitFor();
      await checkScreen(page, 'origins-refused');
      await form.getByLabel('Origins').fill('1.1.1.1\nhttp://[2606:4700::1111]:8080 3');
      await button(page, 'Add pool').click();
      await page.getByRole('heading', { name: '* /api' }).waitFor();
      await page.getByText('http://[2606:4700::1111]:8080').waitFor();
      await page.getByText('weight 3').waitFor();
      await page.getByText('Edit all settings as JSON').click();
      const json = page.getByLabel('Entries');
      await json.fill('[');
      await button(page, 'Save all').click();
      await page.getByText(/This is not JSON/).waitFor();
      // Another client adds a pool: the list shows it, and the text stays.
      const text = '[{"name": "www", "pool": [{"origin": "1.1.1.1"}]}]';
      await json.fill(text);
      const others = [{ name: 'blog', pool: [{ origin: '1.1.1.1' }] }];
      await world.daemon.api.call('PUT', `${path}/proxy/origins`, { origins: others });
      await page.getByRole('heading', { name: 'blog /' }).waitFor();
      await page.getByText('There is a newer version of this page.').waitFor();
      await untilIs(() => json.inputValue(), text);
      await button(page, 'Save all').click();
      await page.getByText('Nothing was saved: there is a newer version').waitFor();
      await checkScreen(page, 'origins-conflict');
      await button(page, /^Keep mine/).click();
      await page.getByText('There is a newer version of this page.').waitFor({ state: 'detached' });
      await untilIs(() => json.inputValue(), text);
      await button(page, 'Save all').click();
      await page.getByRole('heading', { name: 'www /' }).waitFor();
      await page.getByText('No health check').waitFor();
      await checkScreen(page, 'origins');
      await button(page, 'Delete pool …: www /').click();
      await page.getByLabel('Type www / to confirm').fill('www /');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete pool' }).click();
      await page.getByText('All requests go to the origin of the proxy.').waitFor();

      // Documents of the sites. Another client replaces the first one while it is edited.
      const save = () => button(page, 'Save').click();
      await page.getByRole('link', { name: 'Error pages', exact: true }).click();
      await page.getByText('Visitors see the pages of the service.').waitFor();
      await button(page, 'Add a page').click();
      await page.getByLabel('HTML', { exact: true }).fill('<h1>{{nothing}}</h1>');
      await save();
      await page.getByText(/unknown placeholder \{\{nothing\}\}/).waitFor();
      await world.daemon.api.call('PUT', `${path}/proxy/error-pages`, { pages: [] });
      await page.getByText('There is a newer version of this page.').waitFor();
      await page.getByLabel('HTML', { exact: true }).fill('<h1>{{title}}</h1>');
      await save();
      await page.getByText('Nothing was saved: there is a newer version').waitFor();
      await checkScreen(page, 'error-pages-conflict');
      await button(page, /^Discard mine/).click();
      await page.getByText('Visitors see the pages of the service.').waitFor();
      await button(page, 'Add a page').click();
      await page.getByLabel('Status', { exact: true }).fill('404');
      // The preview is a document of its own, in which nothing runs.
      const html = page.getByLabel('HTML', { exact: true });
      const written = await html.inputValue();
      await html.fill('<title>unchanged</title><h1>{{title}} ä</h1><script>document.title = "changed"</script>');
      const link = page.getByRole('link', { name: 'Preview in a new tab: 404' });
      const opened = page.context().waitForEvent('page');
      await link.click();
      const preview = await opened;
      await preview.getByRole('heading', { name: 'Not Found ä' }).waitFor();
      assert.equal([await preview.title(), await preview.evaluate('origin')], ['unchanged', 'null']);
      await preview.close();
      await html.fill(written);
      await save();
      await untilPasses(async () => {
        const { pages } = (await world.daemon.api.call('GET', `${path}/proxy/error-pages`)).body;
        assert.is((pages as { status: string }[])[0]?.status, '404');
      });
      await button(page, 'Remove page: 404').waitFor();

      await page.getByRole('link', { name: 'Protection', exact: true }).click();
      await page.getByLabel('Requests per second', { exact: true }).fill('many');
      await page.getByLabel('Visitors are challenged').selectOption('auto');
      await save();
      await page.locator('.fault').waitFor();
      await checkScreen(page, 'protection-refused');
      await page.getByLabel('Requests per second', { exact: true }).fill('50');
      await save();
      await untilPasses(async () => {
        const { limits, challenge } = (await world.daemon.api.call('GET', `${path}/proxy/protection`)).body as {
          limits: Record<string, unknown>;
          challenge: Record<string, unknown>;
        };
        assert.equal([limits.requests_per_second, challenge.mode], [50, 'auto']);
      });

      await page.getByRole('link', { name: 'Logs', exact: true }).click();
      await page.getByText('Requests are not delivered.').waitFor();
      await page.getByLabel('Deliver the logs').check();
      await page.getByLabel('Destination').selectOption('endpoint');
      await page.getByLabel('URL of the endpoint').fill('https://10.0.0.1/');
      await save();
      await page.locator('.fault').waitFor();
      await page.getByLabel('URL of the endpoint').fill('https://1.1.1.1/');
      await page.getByLabel('Value of the header Authorization').fill('Bearer abc');
      await save();
      await page.getByText('Nothing delivered yet').waitFor();
      await page.getByText('One is stored. Leave this empty to keep it.').waitFor();
      await checkScreen(page, 'logs');

      // Rules.
      await page.getByRole('link', { name: 'Rules', exact: true }).click();
      await page.getByText('No rules: every request is served.').waitFor();
      await button(page, 'Add rules').click();
      await page.getByRole('heading', { name: '1. www to apex' }).waitFor();
      await page.getByLabel('Template').selectOption('block-bad-bots');
      await button(page, 'Add rules').click();
      await page.getByRole('heading', { name: '2. Block bad bots' }).waitFor();
      await button(page, 'Move up: 2. Block bad bots').focus();
      await page.keyboard.press('Enter');
      const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
      await untilIs(focused, 'Move up: 1. Block bad bots');
      await page.getByText('0 requests matched, 0 stopped').first().waitFor();
      // A node that does not answer is named, with the sum of the others.
      await page.route('**/rules/counters', async (route) => {
        const response = await route.fetch();
        const nodes = { answered: ['a'], missing: ['b'] };
        await route.fulfill({ response, json: { ...(await response.json()), nodes } });
      });
      await button(page, 'Dry run: 1. Block bad bots').click();
      await page.getByText('Counts do not include b. This node does not answer').waitFor();
      await page.locator('button[aria-pressed=true]').waitFor();
      await page.getByText('Edit all rules as JSON').click();
      await checkScreen(page, 'rules');
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByLabel('Rules', { exact: true }).fill('[{"action": {"type": "redirect", "location": "x"}}]');
      await button(page, 'Save all').click();
      await page.getByText(/Rule 1: action\.location must be a path/).waitFor();
      // A button of the list changes the rules as well: the text stays until it is discarded.
      await button(page, 'Dry run: 1. Block bad bots').click();
      await page.locator('button[aria-pressed=true]').waitFor({ state: 'detached' });
      await page.getByText('There is a newer version of this page.').waitFor();
      await untilMatches(() => page.getByLabel('Rules', { exact: true }).inputValue(), /redirect/);
      await button(page, /^Discard mine/).click();
      await page.getByText('There is a newer version of this page.').waitFor({ state: 'detached' });
      await untilMatches(() => page.getByLabel('Rules', { exact: true }).inputValue(), /bots/i);
      await button(page, 'Delete …: 1. Block bad bots').click();
      await page.getByLabel('Type 1. Block bad bots to confirm').fill('1. Block bad bots');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click();
      await page.getByRole('heading', { name: '1. www to apex' }).waitFor();

      // The version before the deletion is looked at and restored.
      await page.getByText('Earlier versions').click();
      const list = page.locator('details', { hasText: 'Earlier versions' }).locator('li');
      await list.first().getByText('Current').waitFor();
      const listed = await list.count();
      await checkScreen(page, 'rules-versions');
      await list.nth(1).getByRole('button').click();
      await page.getByRole('dialog').getByText('Block bad bots').waitFor();
      await checkScreen(page, 'rules-version');
      await page.getByRole('dialog').getByRole('button', { name: 'Restore this version' }).click();
      await page.getByText(/^Version \d+ is restored as version \d+\.$/).waitFor();
      await page.getByRole('heading', { name: '1. Block bad bots' }).waitFor();
      await untilIs(() => list.count(), listed + 1, 'the restored version is a new one');

      await page.goto(`${world.base}/domains/999/proxy`);
      await page.getByRole('alert').first().waitFor();
    });
  });
});

test('viewers see everything, and can change nothing', async () => {
  await withWorld(async (world) => {
    const { api } = world.daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const email = 'reader@example.net';
    const made = { username: 'reader', email, password: ADMIN_PASSWORD, role: 'user', plan: 'pro' };
    const account = (await api.call('POST', '/api/v1/accounts', made)).body.account as { id: number };
    await api.logIn('reader', ADMIN_PASSWORD);
    const id = await api.createDomain('looked.example');
    await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
    await api.logIn('admin', ADMIN_PASSWORD);
    await api.call('PATCH', `/api/v1/accounts/${account.id}`, { role: 'viewer' });
    await withPage(world, async (page) => {
      await page.goto(world.base);
      await page.getByLabel('Username or e-mail').fill('reader');
      await page.getByLabel('Password').fill(ADMIN_PASSWORD);
      await button(page, 'Sign in').click();
      await page.getByRole('link', { name: 'looked.example' }).click();
      await page.getByRole('link', { name: 'Proxy', exact: true }).click();
      await page.getByText('Your account can look at this page, but not change it.').waitFor();
      await untilIs(() => page.getByLabel('Address or host name').isDisabled(), true);
      await untilIs(() => button(page, 'Turn on').count(), 0);
      await checkScreen(page, 'proxy-viewer');
      await page.getByRole('link', { name: 'DNSSEC' }).click();
      await page.getByText('Your account can look at this page, but not change it.').waitFor();
      await untilIs(() => button(page, 'Stop signing').count(), 0);
      await page.getByText('It is shown here as soon as it may be used.').waitFor();
      await checkScreen(page, 'dnssec-viewer');
      await page.getByRole('link', { name: 'Live requests' }).click();
      await page.getByText('Watching. No request has arrived yet.').waitFor();
    });
  });
});

test('requests appear while they are served; what visitors send stays text', async () => {
  const origin = createServer((request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200;
    response.end('hello');
  });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const port = await freePort();
  const settings = {
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${port}`,
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  };
  const visit = async (path: string, agent: string): Promise<void> => {
    const headers = { host: 'www.live.example', 'user-agent': agent };
    const [response] = await once(get({ host: '127.0.0.1', port, path, headers, agent: false }), 'response');
    response.resume();
    await once(response, 'end');
  };
  try {
    await withOwnWorld(async (world) => {
      const { daemon, base } = world;
      const id = await addDomain(daemon, 'live.example', ['@ A 1.1.1.1', 'www A 1.1.1.1']);
      const proxy = { origin: '127.0.0.1', port: (origin.address() as AddressInfo).port, protocol: 'http' };
      await daemon.api.call('PUT', `/api/v1/domains/${id}/proxy`, proxy);
      await daemon.api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
      await withPage(world, async (page) => {
        await signIn(page, base);
        await page.getByRole('link', { name: 'live.example' }).click();
        await page.getByRole('link', { name: 'Live requests' }).click();
        await page.getByText('Watching. No request has arrived yet.').waitFor();
        await checkScreen(page, 'requests-empty');
        const evil = '<img src=x onerror=alert(1)>';
        const seen = page.locator('tr.row', { hasText: '/shown' });
        // Threads hear a moment later that somebody watches.
        await untilPasses(async () => {
          await visit('/shown?secret=1', 'first');
          assert.ok((await seen.count()) > 0);
        });
        await visit(`/${evil}"'`.replaceAll(' ', '%20'), evil);
        await visit('/missing', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0');
        await page.locator('tr.row', { hasText: '/<img%20src=x%20onerror=alert(1)>' }).waitFor();
        await page.getByRole('cell', { name: evil, exact: true }).waitFor();
        assert.is(await page.locator('img').count(), 0);
        assert.not.match(await page.locator('table').innerText(), /secret/);
        await page.locator('tr.row', { hasText: '/missing' }).waitFor();
        await checkScreen(page, 'requests');

        await page.getByRole('combobox', { name: 'Status' }).selectOption('4');
        await page.locator('tr.row', { hasText: '/shown' }).waitFor({ state: 'detached' });
        await untilIs(() => page.locator('tr.row').count(), 1);
        await page.getByLabel('Filter requests').fill('nothing like this');
        await page.getByText('No request matches the filter.').waitFor();
        await page.getByLabel('Filter requests').fill('');
        await page.getByRole('combobox', { name: 'Status' }).selectOption('');

        await button(page, 'Pause').click();
        await visit('/later', 'late');
        await page.getByText('Paused; 1 new').waitFor();
        assert.is(await page.locator('tr.row', { hasText: '/later' }).count(), 0);
        await button(page, 'Resume').click();
        await page.locator('tr.row', { hasText: '/later' }).waitFor();
        await button(page, 'Clear').click();
        await page.getByText('Watching. No request has arrived yet.').waitFor();
        await button(page, 'Stop').click();
        await page.getByRole('heading', { name: 'Not watching' }).waitFor();
        await checkScreen(page, 'requests-stopped');

        // A hidden window does not watch.
        await button(page, 'Start').click();
        await page.getByText('Watching. No request has arrived yet.').waitFor();
        const setHidden = (isHidden: boolean) =>
          page.evaluate(
            `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
               document.dispatchEvent(new Event('visibilitychange'));`,
          );
        const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/requests/tail'));
        await setHidden(true);
        await ended;
        const begun = page.waitForRequest('**/requests/tail');
        await setHidden(false);
        await begun;
        await page.getByText('Watching. No request has arrived yet.').waitFor();
        await button(page, 'Stop').click();

        // Only the rows near the window are in the document, and the list is limited.
        await button(page, 'Start').click();
        await page.getByText('Watching. No request has arrived yet.').waitFor();
        const event = {
          ...{ node: 'n1', omitted: 7 },
          requests: Array.from({ length: 50 }, (_, n) => ({
            ...{ time: '2026-01-01T00:00:00.000Z', client: '192.0.2.1', scheme: 'https', host: 'x.test' },
            ...{ method: 'GET', path: `/${n}`, version: '2', status: 503, bytes: 1, ms: 1, cache: 'none' },
            user_agent: null,
          })),
        };
        await page.route('**/requests/tail', (route) =>
          route.fulfill({
            contentType: 'text/event-stream',
            body: `event: requests\ndata: ${JSON.stringify(event)}\n\n`.repeat(20),
          }),
        );
        await button(page, 'Stop').click();
        await button(page, 'Start').click();
        await page.getByText(/^500 requests; /).waitFor();
        assert.ok((await page.locator('tr.row').count()) < 100);
        await page.getByText('The connection was lost. Connecting again …').waitFor();
        await page.unrouteAll({ behavior: 'wait' });

        // Another page, then the end of the session.
        await page.getByRole('link', { name: 'Records', exact: true }).click();
        await daemon.api.call('DELETE', `/api/v1/domains/${id}`);
        await page.goto(`${base}/domains/${id}/requests`);
        await page.getByRole('alert').first().waitFor();
      });
    }, settings);
  } finally {
    origin.closeAllConnections();
    origin.close();
  }
});

const noPebble = whyNotPeers('pebble');
if (noPebble !== null) test.skip(`pebble: ${noPebble}`, () => {});
else
  test('a certificate from the switch to its renewal date, in words', async () => {
    const { directory, settings } = await startDaemonDirectory({ isHttpReachable: false });
    try {
      await withOwnWorld(async (world) => {
        const { daemon, base } = world;
        const elsewhere = '_acme-challenge CNAME elsewhere.example.';
        const id = await addDomain(daemon, 'secure.example', ['@ A 1.1.1.1', elsewhere]);
        await withPage(world, async (page) => {
          await signIn(page, base);
          await page.getByRole('link', { name: 'secure.example' }).click();
          await page.getByRole('link', { name: 'Proxy', exact: true }).click();
          await button(page, 'Turn on').click();
          // The challenges are elsewhere, and the directory cannot reach the site.
          await page.getByText(/The last attempt failed/).waitFor();
          await page.getByText('The next attempt begins').waitFor();
          await page.getByText(/could not connect to/).waitFor();
          await checkScreen(page, 'proxy-certificate-failed');
          const records = (await daemon.api.call('GET', `/api/v1/domains/${id}/records?type=CNAME`)).body.records;
          const [{ id: record }] = records as { id: number }[];
          await daemon.api.call('DELETE', `/api/v1/domains/${id}/records/${record}`);
          await button(page, 'Order a new one now').click();
          await page.getByText(/Issued by .*Pebble/).waitFor();
          await page.getByText('Its renewal begins').waitFor();
          await page.getByText('It expires; until then it is served').waitFor();
          await page.getByText(/^For .*secure\.example/).waitFor();
          await checkScreen(page, 'proxy-certificate');
        });
      }, settings);
    } finally {
      await directory.stop();
    }
  });

test('a rule is built from conditions and an action, and its JSON is one click away', async () => {
  await withWorld(async (world) => {
    const { daemon, base } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain: 'rules.example' });
    const { id } = body.domain as { id: number };
    const rules = async () => (await daemon.api.call('GET', `/api/v1/domains/${id}/proxy/rules`)).body.rules;
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${base}/domains/${id}/rules`);
      await page.getByText('No rules: every request is served.').waitFor();
      await button(page, 'Add a rule').click();
      const form = page.getByRole('form', { name: 'Add a rule' });
      await form.getByLabel('Name', { exact: false }).first().fill('Old images');
      const conditions = form.getByRole('group', { name: 'If all of these hold' });
      await conditions.getByRole('button', { name: 'Add a condition' }).click();
      await conditions.getByLabel('Values 1').fill('/images/\n/pictures/');
      await conditions.getByRole('button', { name: 'Add a condition' }).click();
      await conditions.getByLabel('Part of the request 2').selectOption('Header');
      await conditions.getByLabel('Name 2').fill('Referer');
      await conditions.getByLabel('Comparison 2').selectOption('is not there');
      await form.getByLabel('Action').selectOption('Redirect');
      await form.getByLabel('Address').fill('/new{uri}');
      await form.getByLabel('Status').fill('301');
      await form.getByLabel('Dry run').check();
      await checkScreen(page, 'rules-form');
      await page.setViewportSize({ width: 320, height: 700 });
      assert.is(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
      await page.setViewportSize({ width: 1280, height: 800 });
      await form.getByRole('button', { name: 'As JSON' }).press('Enter');
      await untilMatches(() => form.getByLabel('JSON').inputValue(), /"absent": true/);
      await checkScreen(page, 'rules-form-json');
      await form.getByRole('button', { name: 'As JSON' }).press('Enter');
      await untilIs(() => conditions.getByLabel('Name 2').inputValue(), 'Referer');
      await form.getByRole('button', { name: 'Save rule' }).press('Enter');
      await page.getByRole('heading', { name: '1. Old images' }).waitFor();
      assert.equal((await rules()) as unknown, [
        {
          name: 'Old images',
          dry_run: true,
          match: { path: { prefix: ['/images/', '/pictures/'] }, header: [{ name: 'Referer', absent: true }] },
          action: { type: 'redirect', location: '/new{uri}', status: 301 },
        },
      ]);

      // The list says it in words, and the form shows a fault of the API.
      await page.getByText('Path begins with').waitFor();
      await button(page, 'Edit: 1. Old images').click();
      const edit = page.getByRole('form', { name: 'Edit the rule 1. Old images' });
      await edit.getByLabel('Address').fill('no path');
      await edit.getByRole('button', { name: 'Save rule' }).click();
      await page.getByText(/must be a path/).waitFor();
      await edit.getByRole('button', { name: 'Cancel' }).press('Enter');
      await edit.waitFor({ state: 'detached' });
    });
  });
});

test('the JSON of the protection takes the place of its fields, and has what they have', async () => {
  await withWorld(async (world) => {
    const { daemon, base } = world;
    const id = await addDomain(daemon, 'json.example', []);
    const stored = async () =>
      (await daemon.api.call('GET', `/api/v1/domains/${id}/proxy/protection`)).body.limits as Record<string, unknown>;
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${base}/domains/${id}/protection`);
      await page.getByLabel('Requests in flight').fill('70');
      await button(page, 'Edit as JSON').click();
      const json = page.getByLabel('Document as JSON');
      const { limits, ...rest } = JSON.parse(await json.inputValue());
      assert.is(limits.requests_in_flight, 70);
      await json.fill('{');
      await button(page, 'Save').click();
      await page.getByText(/This is not JSON/).waitFor();
      await checkScreen(page, 'protection-json');
      const changed = (requests_in_flight: unknown) =>
        json.fill(JSON.stringify({ ...rest, limits: { ...limits, requests_in_flight } }));
      await changed('many');
      await button(page, 'Save').click();
      await page
        .getByRole('alert')
        .getByText(/requests in flight/i)
        .waitFor();
      // The fields still have their values when the edits are undone.
      await button(page, 'Undo these edits, back to the form').click();
      await untilIs(() => page.getByLabel('Requests in flight').inputValue(), '70');
      await button(page, 'Edit as JSON').click();
      await changed(80);
      await button(page, 'Save').click();
      await page.getByText('Saved.').waitFor();
      await untilIs(() => page.getByLabel('Requests in flight').inputValue(), '80');
      assert.is((await stored()).requests_in_flight, 80);
    });
  });
});

test('a pool of origins is changed in the form, which keeps what it does not show', async () => {
  await withWorld(async (world) => {
    const { daemon, base } = world;
    const id = await addDomain(daemon, 'pools.example', []);
    const path = `/api/v1/domains/${id}/proxy/origins`;
    const first = {
      name: 'www',
      pool: [{ origin: '1.1.1.1', port: 80, weight: 3 }, { origin: '2606:4700::1111' }],
      health: { path: '/up', interval: 30 },
      sticky: { by: 'cookie', cookie: 'kept', max_age: 600 },
      ejection: { failures: 7 },
    };
    const second = { name: '@', pool: [{ origin: '1.0.0.1' }] };
    await daemon.api.call('PUT', path, { origins: [first, second] } as never);
    const stored = async () => (await daemon.api.call('GET', path)).body.origins as Record<string, unknown>[];
    const before = await stored();
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${base}/domains/${id}/origins`);
      const edit = button(page, 'Edit pool: www /');
      await edit.focus();
      await page.keyboard.press('Enter');
      const form = page.locator('form').filter({ has: button(page, 'Save pool') });
      const lines = form.getByLabel('Origins');
      assert.is(await lines.inputValue(), 'http://1.1.1.1:80 3\nhttps://[2606:4700::1111]:443');
      assert.is(await form.getByLabel('Visitors stay at one origin').inputValue(), 'cookie');
      await checkScreen(page, 'origins-edit');
      await button(page, 'Save pool').click();
      await page.getByText('The pool is saved.').waitFor();
      assert.equal(await stored(), before, 'nothing is lost');
      await untilIs(() => page.evaluate('document.activeElement.ariaLabel'), 'Edit pool: www /');

      // The weight and the path of the check change, the interval and the ejection stay.
      await page.keyboard.press('Enter');
      await lines.fill('http://1.1.1.1 5\nhttps://1.1.1.2');
      await form.getByLabel('Path of the health check').fill('/ready');
      // Meanwhile another pool changes, which is kept, and then this one.
      await daemon.api.call('PUT', path, { origins: [before[0]] } as never);
      await button(page, 'Edit pool: @ /').waitFor({ state: 'detached' });
      await button(page, 'Save pool').click();
      await page.getByText('weight 5').waitFor();
      const [{ pool, health, ejection }, ...others] = (await stored()) as Record<string, never>[];
      assert.equal(others, []);
      assert.equal(
        (pool as { origin: string; weight: number }[]).map(({ origin, weight }) => [origin, weight]),
        [
          ['1.1.1.1', 5],
          ['1.1.1.2', 1],
        ],
      );
      const { path: checked, interval } = health as { path: string; interval: number };
      assert.equal([checked, interval, ejection], ['/ready', 30, before[0].ejection]);
      await edit.click();
      await lines.fill('1.1.1.9');
      await daemon.api.call('PUT', path, { origins: [{ ...first, path: '/' }] } as never);
      await page.getByText('weight 3').waitFor();
      await button(page, 'Save pool').click();
      await page.getByText(/the pool was changed meanwhile/).waitFor();
    });
  });
});

test.run();
