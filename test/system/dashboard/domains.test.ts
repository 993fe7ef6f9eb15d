/** The screens of domains: search, order, bulk actions, delegation, deletion. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { FakeServer, type Handler, RA } from '../../support/fake-dns.ts';
import { untilIs, untilMatches, untilPasses } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { FILES, TestPrimary } from '../peers/primaries.ts';
import { actUnaware, signIn, type World, withOwnWorld, withPage, withWorld } from './browser.ts';

const run = promisify(execFile);

const test = browserSuite('domains in chromium');

const shown = async (page: Page): Promise<string[]> =>
  (await page.locator('table.domains tbody th a').allTextContents()).map((text) => text.trim());

/** Waits until the table has these domains, in this order. */
const shows = (page: Page, ...domains: string[]): Promise<void> => untilIs(() => shown(page), domains);

test('search, order and totals, in the address', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    for (const domain of ['b.example', 'b\u00fccher.example', 'a.example'])
      await daemon.api.call('POST', '/api/v1/domains', { domain });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await shows(page, 'a.example', 'b.example', 'b\u00fccher.example');
      await page.getByText('3 domains', { exact: true }).waitFor();
      await checkScreen(page, 'domains-list');
      await page.keyboard.press('/');
      await page.keyboard.type('\u00fcch');
      await shows(page, 'b\u00fccher.example');
      await page.getByText('1 domain', { exact: true }).waitFor();
      await page.getByRole('searchbox').fill('');
      await page.getByLabel('Order').selectOption('Newest first');
      await shows(page, 'a.example', 'b\u00fccher.example', 'b.example');
      await untilIs(() => new URL(page.url()).search, '?sort=-created_at');
      await page.reload();
      await shows(page, 'a.example', 'b\u00fccher.example', 'b.example');
      await page.getByRole('searchbox').fill('<b>nothing</b>');
      await page.getByText('No domain contains \u201c<b>nothing</b>\u201d.').waitFor();
      await checkScreen(page, 'domains-no-match');
      await page.getByRole('button', { name: 'Show all domains' }).click();
      await shows(page, 'a.example', 'b\u00fccher.example', 'b.example');
      // Typing does not trigger shortcuts; outside of fields they work.
      await page.getByRole('heading', { name: 'Domains', exact: true }).click();
      await page.keyboard.press('n');
      await page.getByRole('heading', { name: 'Add a domain' }).waitFor();
      await page.goBack();
      await shows(page, 'a.example', 'b\u00fccher.example', 'b.example');
      // A failure is shown, and can be tried again.
      const broken = { ok: false, error: { code: 'stopping', message: 'The service is stopping.' } };
      await page.route('**/api/v1/domains?*', (route) => route.fulfill({ status: 422, json: broken }));
      await page.getByRole('searchbox').fill('b.ex');
      await page.getByText('The service is stopping.').waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('button', { name: 'Try again' }).click();
      await shows(page, 'b.example');
    });
  });
});

test('many domains load as one scrolls, and all of them can be selected', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    for (let i = 0; i < 230; i++)
      await daemon.api.call('POST', '/api/v1/domains', { domain: `d${String(i).padStart(3, '0')}.example` });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByText('230 domains', { exact: true }).waitFor();
      assert.ok((await shown(page)).length < 100);
      await untilPasses(async () => {
        await page.mouse.wheel(0, 4000);
        assert.ok((await shown(page)).includes('d229.example'));
      });
      assert.ok((await shown(page)).length < 100, 'only rows near the window are in the document');
      await page.getByRole('button', { name: 'Select all 230 domains' }).click();
      await page.getByText('230 domains selected').waitFor();
      await page.getByRole('button', { name: 'Delete \u2026' }).click();
      const dialog = page.getByRole('dialog');
      const word = dialog.getByLabel('Type delete 230 domains to confirm');
      await word.fill('delete 229 domains');
      await word.press('Enter');
      assert.is((await daemon.api.call('GET', '/api/v1/domains')).body.total, 230);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Clear selection' }).click();
      await page.getByText('230 domains selected').waitFor({ state: 'detached' });
    });
  });
});

test('bulk actions show progress and what has failed', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const ids = new Map<string, number>();
    for (const domain of ['a.example', 'b.example', 'c.example', 'gone.example']) {
      const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain });
      ids.set(domain, (body.domain as { id: number }).id);
    }
    await withPage(world, async (page) => {
      await signIn(page, base);
      await shows(page, 'a.example', 'b.example', 'c.example', 'gone.example');
      const select = async (...domains: string[]): Promise<void> => {
        for (const domain of domains) await page.getByLabel(`Select ${domain}`).check();
      };
      const dialog = page.getByRole('dialog');
      await select('a.example', 'gone.example');
      await checkScreen(page, 'domains-selected');
      // Someone else deletes a selected domain.
      await actUnaware(page, /\/api\/v1\/domains(\?.*)?$/, async () => {
        await daemon.api.call('DELETE', `/api/v1/domains/${ids.get('gone.example')}`);
        await page.getByRole('button', { name: 'Proxy on' }).click();
        await dialog.getByText(/gone\.example\s+Proxy: on/).waitFor();
        await checkScreen(page, 'domains-proxy-preview');
        await dialog.getByRole('button', { name: 'Change 2 domains' }).click();
      });
      await dialog.getByText('Finished: 1 of 2 domains.').waitFor();
      await dialog.getByText('1 domain could not be changed').waitFor();
      await untilMatches(() => dialog.locator('.failures').innerText(), /^gone\.example: .*no domain with this id/);
      await checkScreen(page, 'domains-bulk-failed');
      await dialog.getByRole('button', { name: 'Close' }).click();
      // What has failed stays selected.
      await page.getByText('1 domain selected').waitFor();
      await page
        .getByRole('row', { name: /a\.example/ })
        .getByText('On', { exact: true })
        .waitFor();
      await page.getByRole('button', { name: 'Clear selection' }).click();
      await shows(page, 'a.example', 'b.example', 'c.example');
      await page.getByText('The proxy of 1 domain is on.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The changes are undone.').waitFor();
      const isOn = async (): Promise<unknown> => {
        const { body } = await daemon.api.call('GET', '/api/v1/domains?q=a.example');
        return (body.domains as unknown as { proxy_enabled: boolean }[])[0].proxy_enabled;
      };
      await untilIs(isOn, false);
      // An undo leaves a domain that was changed since.
      await select('a.example', 'b.example');
      await page.getByRole('button', { name: 'Proxy on' }).click();
      await dialog.getByRole('button', { name: 'Change 2 domains' }).click();
      await dialog.getByText('Finished: 2 of 2 domains.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await daemon.api.createRecord(String(ids.get('a.example')), 'www', 'A', '192.0.2.1');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('1 domain was changed since, and stays as it is.').waitFor();
      await untilIs(isOn, true);

      await select('b.example', 'c.example');
      await page.getByRole('button', { name: 'DNSSEC on' }).click();
      await dialog.getByText('Finished: 2 of 2 domains.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page
        .getByRole('row', { name: /c\.example/ })
        .getByText('Needs a DS record')
        .waitFor();

      // One zone is a zone file, several are an archive.
      const exportAs = async (): Promise<readonly [name: string, path: string]> => {
        const downloading = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Export' }).click();
        const download = await downloading;
        await dialog.getByRole('button', { name: 'Close' }).click();
        return [download.suggestedFilename(), await download.path()];
      };
      await select('a.example');
      const [name, file] = await exportAs();
      assert.is(name, 'a.example.zone');
      assert.match(readFileSync(file, 'utf8'), /SOA/);
      await select('a.example', 'b.example');
      const [archive, path] = await exportAs();
      assert.is(archive, 'zones.tar');
      const { stdout } = await run('tar', ['-tf', path]);
      assert.equal(stdout.trim().split('\n').sort(), ['a.example.zone', 'b.example.zone']);
      assert.match((await run('tar', ['-xOf', path, 'b.example.zone'])).stdout, /b\.example\..*SOA/s);

      // One domain is confirmed by its name.
      await select('c.example');
      await page.getByRole('button', { name: 'Delete \u2026' }).click();
      const word = dialog.getByLabel('Type c.example to confirm');
      await word.fill('c.exampl');
      await word.press('Enter');
      await checkScreen(page, 'domains-delete');
      await word.fill('C.Example');
      await dialog.getByRole('button', { name: 'Delete 1 domain' }).click();
      await dialog.getByText('Finished: 1 of 1 domain.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await shows(page, 'a.example', 'b.example');
    });
  });
});

/** The secondary zone of the test, from a primary that signs it. */
async function showsSignatures({ daemon }: World, page: Page): Promise<void> {
  const primary = await TestPrimary.open('knot', { zone: 'secondary.example', secondary: 9, signing: 'nsec3' });
  try {
    primary.write(1, [['www', 'A', '192.0.2.1']]);
    await primary.start();
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const { body } = await daemon.api.call('GET', '/api/v1/domains');
    const path = `/api/v1/domains/${(body.domains as { id: number }[])[0].id}`;
    await daemon.api.call('PUT', `${path}/primaries`, { primaries: [{ address: `127.0.0.1:${primary.port}` }] });
    await untilPasses(async () => {
      const { domain } = (await daemon.api.call('POST', `${path}/transfer`)).body;
      assert.is((domain as unknown as { secondary: { state: string } }).secondary.state, 'current');
    });
    await page.reload();
    await page.getByText('Signed, with NSEC3').waitFor();
    await page.getByText('First signature expires').waitFor();
    await checkScreen(page, 'secondary-signed');
  } finally {
    await primary.close();
  }
}

test('domains are filtered by their state, which the address keeps', async () => {
  await withWorld(async (world) => {
    const { api } = world.daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    await api.createDomain('plain.example');
    const signed = await api.createDomain('signed.example');
    await api.call('PUT', `/api/v1/domains/${signed}/dnssec`, { enabled: true });
    const proxied = await api.createDomain('proxied.example');
    await api.call('POST', `/api/v1/domains/${proxied}/proxy/toggle`, { enable: true });
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await shows(page, 'plain.example', 'proxied.example', 'signed.example');
      await page.getByLabel('Domains in the state').selectOption('Proxied');
      await shows(page, 'proxied.example');
      await page.getByText('1 domain', { exact: true }).waitFor();
      await checkScreen(page, 'domains-state');
      await page.getByLabel('Domains in the state').selectOption('Signed');
      await shows(page, 'signed.example');
      await untilIs(() => page.url(), `${world.base}/domains?state=signed`);
      await page.reload();
      await shows(page, 'signed.example');
      // No parent zone was asked.
      await page.getByLabel('Domains in the state').selectOption('Not delegated');
      await page.getByText('No domain is in this state.').waitFor();
      await checkScreen(page, 'domains-state-empty');
      await page.getByRole('button', { name: 'Show all domains' }).click();
      await shows(page, 'plain.example', 'proxied.example', 'signed.example');
    });
  });
});

test('the TSIG key of a secondary zone is chosen by its name, or entered with its secret', async () => {
  await withWorld(async (world) => {
    const { api } = world.daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    await api.call('POST', '/api/v1/tsig-keys', { name: 'first.example', outgoing: true });
    const stored = async (): Promise<unknown[]> => {
      const { domains } = (await api.call('GET', '/api/v1/domains')).body as { domains: { id: number }[] };
      const { domain } = (await api.call('GET', `/api/v1/domains/${domains[0].id}`)).body;
      const { tsig_keys: keys } = (await api.call('GET', '/api/v1/tsig-keys')).body as {
        tsig_keys: { id: number; name: string; algorithm: string; outgoing: boolean }[];
      };
      return (domain as unknown as { primaries: { address: string; tsig_key_id: number }[] }).primaries.map(
        ({ address, tsig_key_id }) => {
          const key = keys.find(({ id }) => id === tsig_key_id);
          return [address, key && `${key.name} ${key.algorithm} ${key.outgoing}`];
        },
      );
    };
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('link', { name: 'Add a domain' }).first().click();
      await page.getByLabel('Domain name').fill('keyed.example');
      await page.getByLabel('The records come from another nameserver').check();
      await page.getByLabel('Addresses of the primaries').fill('127.0.0.1:9');
      await page.getByLabel('TSIG key').selectOption('Enter another key …');
      await page.getByLabel('Name of the key').fill('entered.example');
      await page.getByLabel('Algorithm').selectOption('hmac-sha512');
      await page.getByLabel('Secret of the key').fill('not base64!');
      await page.getByRole('button', { name: 'Add domain' }).click();
      await page.getByText(/must be base64/).waitFor();
      await checkScreen(page, 'add-secondary-key');
      await page.getByLabel('Secret of the key').fill('c2VjcmV0IG9mIHRoZSBwcmltYXJ5IGFuZCB0aGlz');
      await page.getByRole('button', { name: 'Add domain' }).click();
      await page.getByRole('heading', { name: 'Secondary zone' }).waitFor();
      await page.getByText('entered.example', { exact: true }).first().waitFor();
      assert.equal(await stored(), [['127.0.0.1:9', 'entered.example hmac-sha512 true']]);
      await page.getByText('Change the primaries or their key').click();
      await page.getByLabel('TSIG key').selectOption('first.example');
      await checkScreen(page, 'change-primaries');
      await page.getByRole('button', { name: 'Save the primaries' }).click();
      await page.getByText('The primaries are changed').waitFor();
      assert.equal(await stored(), [['127.0.0.1:9', 'first.example hmac-sha256 true']]);
    });
  });
});

test('a secondary zone shows its state, and its records are read-only', async () => {
  await withWorld(async (world) => {
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('link', { name: 'Add a domain' }).first().click();
      await page.getByLabel('Domain name').fill('secondary.example');
      await page.getByLabel('The records come from another nameserver').check();
      await page.getByLabel('Addresses of the primaries').fill('127.0.0.1:9');
      await checkScreen(page, 'add-secondary');
      await page.getByRole('button', { name: 'Add domain' }).click();
      await page.getByRole('heading', { name: 'Secondary zone' }).waitFor();
      await page.getByRole('button', { name: 'Transfer now' }).click();
      await page.getByText('it refused the connection').waitFor();
      await page.getByText('Not transferred yet').waitFor();
      assert.is(await page.getByRole('button', { name: 'Add record' }).count(), 0);
      await checkScreen(page, 'secondary-records');
      if (FILES.every((file) => existsSync(file))) await showsSignatures(world, page);
    });
  });
});

test('the form of nameservers and secondaries shows, saves and names faults', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain: 'vanity.example' });
    const { id } = body.domain as unknown as { id: number };
    const stored = async (): Promise<Record<string, unknown>> => {
      const { distribution } = (await daemon.api.call('GET', `/api/v1/domains/${id}/distribution`)).body;
      return distribution as unknown as Record<string, unknown>;
    };
    await withPage(world, async (page) => {
      await signIn(page, base);
      await shows(page, 'vanity.example');
      await page.goto(`${base}/domains/${id}/set-up`);
      await page.getByRole('heading', { name: 'Nameservers and secondaries' }).waitFor();
      const field = (label: string) => page.getByLabel(label);
      await field('NS records of the domain').fill('ns1.vanity.example\nns.other.example');
      await field('Notify after each change').fill('192.0.2.7\n[2001:db8::7]:5353');
      await field('Allow transfers without a key').fill('192.0.2.0/28');
      await field('Source addresses of NOTIFY').fill('198.51.100.9, 127.0.0.1');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Nameservers and secondaries saved').waitFor();
      await checkScreen(page, 'set-up-distribution');
      const { nameservers, also_notify, allow_transfer, transfer_source } = await stored();
      assert.equal(
        [nameservers, also_notify],
        [
          ['ns1.vanity.example', 'ns.other.example'],
          ['192.0.2.7', '[2001:db8::7]:5353'],
        ],
      );
      assert.equal([allow_transfer, transfer_source], [['192.0.2.0/28'], ['198.51.100.9', '127.0.0.1']]);
      // Another node may have the address: a warning. A fault is shown, and nothing is stored.
      await field('Source addresses of NOTIFY').fill('198.51.100.9');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('does not have the IPv4 address 198.51.100.9').waitFor();
      await field('Source addresses of NOTIFY').fill('ns.example');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('"ns.example" is not a source address').waitFor();
      assert.equal((await stored()).transfer_source, ['198.51.100.9']);
      await page.reload();
      await untilIs(() => field('Source addresses of NOTIFY').inputValue(), '198.51.100.9');
      for (const label of ['NS records of the domain', 'Notify after each change', 'Source addresses of NOTIFY'])
        await field(label).fill('');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await untilIs(async () => (await stored()).own_nameservers, false);
      assert.equal((await stored()).transfer_source, []);
    });
  });
});

test('a new domain shows whether it is delegated, and is deleted', async () => {
  const address = `127.${160 + (process.pid >> 15)}.${(process.pid >> 7) & 255}.${(process.pid & 127) << 1}`;
  let nameservers: string[] | null = null;
  /** The resolver, and the nameserver of the parent zone. */
  const answer: Handler = (name, type) => {
    const soa = { type: 'SOA' as const, name: 'example', ttl: 60, data: { mname: 'a', rname: 'b', serial: 1 } };
    if (name === 'example' && type === 'SOA') return { flags: RA, answers: [soa] };
    if (name === 'example' && type === 'NS')
      return { flags: RA, answers: [{ type: 'NS', name, ttl: 60, data: 'ns.example' }] };
    if (name === 'ns.example' && type === 'A')
      return { flags: RA, answers: [{ type: 'A', name, ttl: 60, data: address }] };
    if (type !== 'NS' || nameservers === null) return { answers: [], authorities: [soa] };
    return { flags: 0, authorities: nameservers.map((data) => ({ type: 'NS', name, ttl: 60, data })) };
  };
  const parent = new FakeServer(answer);
  await parent.listen(address, 53);
  const settings = { WAYPOST_DNSSEC_RESOLVERS: `${address}:53`, WAYPOST_DNSSEC_ALLOW_PRIVATE_PARENTS: '127.0.0.0/8' };
  try {
    await withOwnWorld(async (world) => {
      const { base, daemon } = world;
      await daemon.api.logIn('admin', ADMIN_PASSWORD);
      await withPage(world, async (page) => {
        await signIn(page, base);
        await page.getByRole('link', { name: 'Add a domain' }).first().click();
        await page.getByLabel('Domain name').fill('shop.example');
        await page.getByRole('button', { name: 'Add domain' }).click();
        await page.getByText('Not delegated').waitFor();
        await page.getByText(/^Next check in \d+ s$/).waitFor();
        await checkScreen(page, 'set-up-none');
        // Two checks in two seconds are one.
        const check = (text: string): Promise<void> =>
          untilPasses(async () => {
            await page.getByRole('button', { name: 'Check now' }).click();
            assert.ok(await page.getByText(text).isVisible());
          });
        nameservers = ['ns.other.test'];
        await check('The domain is delegated to other nameservers.');
        nameservers = ['ns1.waypost.test', 'ns.other.test'];
        const missing = 'Missing at the parent zone: ns2.waypost.test, ns3.waypost.test, ns4.waypost.test';
        await check(missing);
        await checkScreen(page, 'set-up-partial');
        // Without a click: the page looks again, soon after it was opened and rarely later.
        await page.reload();
        await page.getByText(missing).waitFor();
        nameservers = [1, 2, 3, 4].map((i) => `ns${i}.waypost.test`);
        await page.getByText('it is live').waitFor();
        await checkScreen(page, 'set-up-live');
        await page.getByRole('link', { name: 'Domains', exact: true }).first().click();
        await page.getByText('Live', { exact: true }).waitFor();

        // A signed domain with a DS record at its parent is kept.
        const { body } = await daemon.api.call('GET', '/api/v1/domains?q=shop');
        const { id } = (body.domains as unknown as { id: number }[])[0];
        await page.goto(`${base}/domains/${id}/set-up`);
        await page.route(`**/api/v1/domains/${id}`, (route) =>
          route.request().method() === 'DELETE'
            ? route.fulfill({
                status: 409,
                contentType: 'application/json',
                body: JSON.stringify({
                  ok: false,
                  error: { code: 'dnssec_ds_present', message: 'The parent zone has a DS record.' },
                }),
              })
            : route.continue(),
        );
        const dialog = page.getByRole('dialog');
        await page.getByRole('button', { name: 'Delete \u2026' }).click();
        await dialog.getByLabel('Type shop.example to confirm').fill('shop.example');
        await dialog.getByRole('button', { name: 'Delete the domain' }).click();
        await dialog.getByText(/Delete the DS record at the registrar first/).waitFor();
        await checkScreen(page, 'set-up-delete-refused');
        await page.unrouteAll({ behavior: 'wait' });
        await dialog.getByRole('button', { name: 'Delete the domain' }).click();
        await page.getByText(/shop\.example was deleted\./).waitFor();
        await page.getByText('No domains yet').waitFor();
      });
    }, settings);
  } finally {
    await parent.close();
  }
});

test.run();
