/** The records of a domain in Chromium: editing, forms, checks, many rows, and pasted lines. */
import type { Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs, untilMatches } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, type World, withPage, withWorld } from './browser.ts';
import { discard, editedRow, editRecord, saveRecords, startRecord } from './edit-records.ts';

const test = browserSuite('records in chromium');

interface Stored {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
  readonly proxied: boolean | null;
  readonly comment: string | null;
}

interface Zone {
  /** Of the API. */
  readonly path: string;
  /** Of the page. */
  readonly address: string;
  readonly stored: () => Promise<string[]>;
  readonly records: () => Promise<Stored[]>;
}

async function createZone({ daemon, base }: World, domain: string, post: readonly object[] = []): Promise<Zone> {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain });
  const { id } = body.domain as { id: number };
  const path = `/api/v1/domains/${id}`;
  await daemon.api.call('POST', `${path}/records/batch`, { post: post as never });
  const records = async (): Promise<Stored[]> =>
    (await daemon.api.call('GET', `${path}/records?limit=1000`)).body.records as never;
  return {
    path,
    address: `${base}/domains/${id}`,
    records,
    stored: async () => (await records()).map(({ name, ttl, type, content }) => `${name} ${ttl} ${type} ${content}`),
  };
}

async function save(page: Page, count: number): Promise<void> {
  await saveRecords(page);
  await page.getByText(`${count} ${count === 1 ? 'change' : 'changes'} saved and served.`).waitFor();
}

/** Pastes into the page, or into what has the focus. */
const paste = (page: Page, text: string): Promise<unknown> =>
  page.evaluate(
    `{ const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', ${JSON.stringify(text)});
    (document.activeElement ?? document.body).dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })); }`,
  );

test('a new domain takes over the records of its present nameservers, as edits', async () => {
  await withWorld(async (world) => {
    await world.daemon.api.logIn('admin', ADMIN_PASSWORD);
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.route('**/present-records', (route) =>
        route.fulfill({
          json: {
            ...{ ok: true, nameservers: ['ns.present.example'], is_own: false, is_partial: true, error: null },
            records: [
              { name: '@', type: 'A', content: '192.0.2.7', ttl: 300 },
              { name: 'www', type: 'CNAME', content: 'moved.example.', ttl: 300 },
              { name: 'old', type: 'A', content: '192.0.2.8', ttl: 300 },
            ],
          },
        }),
      );
      await page.goto(`${world.base}/domains/add`);
      await page.getByLabel('Domain name').fill('moved.example');
      await page.getByRole('button', { name: 'Add domain' }).click();
      const section = page.getByRole('region', { name: 'Take over the present records' }).first();
      await section.getByText('3 records at ns.present.example. Some questions got no answer.').waitFor();
      await section.getByLabel('old A').uncheck();
      await checkScreen(page, 'set-up-present-records');
      await section.getByRole('button', { name: 'Add 2 records' }).press('Enter');
      await save(page, 2);
      const { body } = await world.daemon.api.call('GET', '/api/v1/domains?q=moved.example');
      const { id } = (body.domains as unknown as { id: number }[])[0];
      const { body: stored } = await world.daemon.api.call('GET', `/api/v1/domains/${id}/records`);
      assert.equal((stored.records as unknown as Stored[]).map(({ name, content }) => `${name} ${content}`).sort(), [
        '@ 192.0.2.7',
        'www moved.example.',
      ]);
    });
  });
});

test('fields of a type are edited in its row, and Ctrl S reviews and saves', async () => {
  await withWorld(async (world) => {
    const zone = await createZone(world, 'inline.example');
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      const mail = await startRecord(page, '', 'MX');
      await untilIs(() => mail.getByLabel('Priority').inputValue(), '10');
      await mail.getByLabel('Priority').fill('99999');
      await mail.getByLabel('Target').fill('mail.example.net');
      await mail.locator('.fault').waitFor();
      await mail.getByLabel('Priority').fill('20');
      await mail.locator('.fault').waitFor({ state: 'detached' });
      await page.keyboard.press('Enter');
      const authority = await startRecord(page, '', 'CAA');
      await authority.getByLabel('Permission').selectOption('issuewild');
      await authority.getByLabel('Value', { exact: true }).fill('letsencrypt.org');
      await authority.getByLabel('Critical').check();
      await checkScreen(page, 'records-inline');
      await authority.getByRole('button', { name: 'Done' }).click();
      const service = await startRecord(page, '_sip._udp', 'SRV');
      await service.getByLabel('Port').fill('5060');
      await service.getByLabel('Target').fill('sip.example.net');
      await page.setViewportSize({ width: 320, height: 700 });
      assert.is(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press('Control+s');
      await page.getByRole('dialog').getByText('mail.example.net').waitFor();
      await page.keyboard.press('Control+s');
      await untilIs(
        async () => (await zone.records()).map(({ name, type, content }) => `${name} ${type} ${content}`).sort(),
        [
          '@ CAA 128 issuewild "letsencrypt.org"',
          '@ MX 20 mail.example.net.',
          '_sip._udp SRV 10 5 5060 sip.example.net.',
        ],
      );
    });
  });
});

test('a template adds the records of a mail provider as edits, and keeps one SPF record', async () => {
  await withWorld(async (world) => {
    const zone = await createZone(world, 'template.example', [
      { name: '@', type: 'MX', content: '10 old.example.net' },
      { name: '@', type: 'TXT', content: '"v=spf1 mx -all"' },
    ]);
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      await page.getByText('10 old.example.net.').waitFor();
      await page.getByRole('button', { name: 'Add from a template' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Service').selectOption('Microsoft 365');
      await dialog.getByText('template-example.mail.protection.outlook.com').waitFor();
      await dialog.getByLabel('Your domain at Microsoft').fill('contoso.onmicrosoft.com');
      await dialog.getByText('selector1-template-example._domainkey.contoso.onmicrosoft.com').waitFor();
      await dialog.getByText('old.example.net').waitFor();
      await checkScreen(page, 'records-template');
      await dialog.getByRole('button', { name: 'Add 4 records' }).click();
      await save(page, 6);
      assert.equal((await zone.records()).map(({ name, type, content }) => `${name} ${type} ${content}`).sort(), [
        '@ MX 0 template-example.mail.protection.outlook.com.',
        '@ TXT "v=spf1 include:spf.protection.outlook.com mx -all"',
        'autodiscover CNAME autodiscover.outlook.com.',
        'selector1._domainkey CNAME selector1-template-example._domainkey.contoso.onmicrosoft.com.',
        'selector2._domainkey CNAME selector2-template-example._domainkey.contoso.onmicrosoft.com.',
      ]);
    });
  });
});

test('each type has a form, which writes its value', async () => {
  await withWorld(async (world) => {
    const zone = await createZone(world, 'example.com');
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      await page.getByText('No records yet').waitFor();
      await checkScreen(page, 'records-empty');
      const fillForm = async (name: string, type: string, use: (dialog: Locator) => Promise<void>): Promise<void> => {
        const row = await startRecord(page, name, type);
        await row.getByRole('button', { name: `Fill in a form for ${type}` }).click();
        const dialog = page.getByRole('dialog');
        await use(dialog);
        await dialog.getByRole('button', { name: 'Done' }).click();
        await editedRow(page).getByRole('button', { name: 'Done' }).click();
      };
      await fillForm('', 'MX', async (dialog) => {
        await dialog.getByLabel('Priority').fill('99999');
        await dialog.getByLabel('Target').fill('mail.example.com');
        await dialog.locator('.fault').waitFor();
        await checkScreen(page, 'record-form-refused');
        await dialog.getByLabel('Priority').fill('10');
        await dialog.locator('.fault').waitFor({ state: 'detached' });
      });
      await fillForm('_sip._udp', 'SRV', async (dialog) => {
        await dialog.getByLabel('Port').fill('5060');
        await dialog.getByLabel('Target').fill('sip.example.net');
      });
      await fillForm('', 'CAA', async (dialog) => {
        await dialog.getByLabel('Permission', { exact: true }).selectOption('iodef');
        await dialog.getByLabel('Value', { exact: true }).fill('mailto:"a"@example.com');
        await dialog.getByRole('checkbox').check();
      });
      await fillForm('', 'TXT', async (dialog) => {
        await dialog.getByLabel('Kind of text').selectOption('spf');
        await dialog.getByLabel('Addresses and networks').fill('192.0.2.0/24\n2001:db8::/32');
        await dialog.getByLabel('Services that may').fill('_spf.example.net');
        await dialog.getByLabel('All other senders').selectOption('~all');
        await checkScreen(page, 'record-form-spf');
      });
      await fillForm('', 'TXT', async (dialog) => {
        await dialog.getByLabel('Kind of text').selectOption('dmarc');
        await dialog.getByRole('button', { name: 'Use this name' }).click();
        await dialog.getByLabel('Policy for mail').selectOption('quarantine');
        await dialog.getByLabel('Daily reports').fill('dmarc@example.com');
        await checkScreen(page, 'record-form-dmarc');
      });
      await fillForm('mail._domainkey', 'TXT', async (dialog) => {
        await untilIs(() => dialog.getByLabel('Kind of text').inputValue(), 'dkim');
        await dialog.getByLabel('Type of the key').selectOption('ed25519');
        await dialog.getByLabel('Public key').fill('11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n');
        await checkScreen(page, 'record-form-dkim');
      });
      await fillForm('long', 'TXT', (dialog) => dialog.getByLabel('Text', { exact: true }).fill('ü'.repeat(150)));
      await fillForm('www', 'HTTPS', async (dialog) => {
        await dialog.getByLabel('Protocols', { exact: true }).fill('h3, h2');
        await dialog.getByLabel('Port').fill('8443');
        await dialog.getByLabel('IPv4 addresses').fill('192.0.2.1');
        await checkScreen(page, 'record-form-https');
      });
      await fillForm('svc', 'SVCB', (dialog) => dialog.getByLabel('Target').fill('svc.example.net'));
      await fillForm('_443._tcp', 'TLSA', (dialog) => dialog.getByLabel('Hexadecimal data').fill('ab'.repeat(32)));
      await fillForm('host', 'SSHFP', (dialog) => dialog.getByLabel('Hexadecimal data').fill('cd'.repeat(32)));
      const plain: [string, string, string][] = [
        ['child', 'DS', `60485 13 2 ${'ab'.repeat(32)}`],
        ['', 'NAPTR', '100 10 "s" "SIP+D2U" "" _sip._udp.example.com.'],
        ['place', 'LOC', '52 22 23.000 N 4 53 32.000 E 0.00m 1.00m 10000.00m 10.00m'],
        ['link', 'URI', '10 1 "https://example.com/"'],
      ];
      for (const [name, type, content] of plain) {
        const row = await startRecord(page, name, type);
        assert.is.not(await row.getByLabel('Value').getAttribute('placeholder'), null);
        await row.getByLabel('Value').fill(content);
        await row.getByRole('button', { name: 'Done' }).click();
      }
      await save(page, 15);
      assert.equal(
        (await zone.records()).map(({ name, type, content }) => `${name} ${type} ${content}`).sort(),
        [
          ...plain.map(([name, type, content]) => `${name === '' ? '@' : name} ${type} ${content}`),
          '@ CAA 128 iodef "mailto:\\"a\\"@example.com"',
          '@ MX 10 mail.example.com.',
          '@ TXT "v=spf1 mx ip4:192.0.2.0/24 ip6:2001:db8::/32 include:_spf.example.net ~all"',
          `_443._tcp TLSA 3 1 1 ${'ab'.repeat(32)}`,
          '_dmarc TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc@example.com"',
          '_sip._udp SRV 10 5 5060 sip.example.net.',
          `host SSHFP 4 2 ${'cd'.repeat(32)}`,
          `long TXT "${'\\195\\188'.repeat(127)}\\195" "\\188${'\\195\\188'.repeat(22)}"`,
          'mail._domainkey TXT "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="',
          'svc SVCB 1 svc.example.net. alpn="h2"',
          'www HTTPS 1 . alpn="h3,h2" port=8443 ipv4hint=192.0.2.1',
        ].sort(),
      );
      await checkScreen(page, 'records-types');

      // A stored value is shown in its form; Escape leaves it as it was.
      await page.getByRole('button', { name: 'Edit @ MX' }).click();
      await editedRow(page).getByRole('button', { name: 'Fill in a form for MX' }).click();
      await untilIs(() => page.getByRole('dialog').getByLabel('Target').inputValue(), 'mail.example.com.');
      await page.getByRole('dialog').getByLabel('Target').fill('other.example.com');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await untilIs(() => editedRow(page).getByLabel('Target').inputValue(), 'mail.example.com.');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Edit @ MX' }).waitFor();
      await untilIs(() => page.getByRole('button', { name: 'Review and save' }).count(), 0);
    });
  });
});

test('a target of one label is a choice between its two readings, and full names are shown', async () => {
  await withWorld(async (world) => {
    const zone = await createZone(world, '0/25.2.0.192.in-addr.arpa');
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      const pointer = await startRecord(page, '7', 'PTR');
      await pointer.getByLabel('Value').fill('host');
      await pointer.getByText('"host" has one label and no final dot').waitFor();
      await checkScreen(page, 'record-readings');
      await pointer.getByRole('button', { name: 'Use host.0/25.2.0.192.in-addr.arpa.' }).waitFor();
      await pointer.getByRole('button', { name: 'Use host.', exact: true }).click();
      await untilIs(() => editedRow(page).getByLabel('Value').inputValue(), 'host.');
      await pointer.getByLabel('Value').fill('host.example.net');
      await pointer.getByText('Full value: host.example.net.').waitFor();
      await pointer.getByRole('button', { name: 'Done' }).click();
      await page.getByText('host.example.net.', { exact: true }).waitFor();

      const service = await startRecord(page, '_sip._udp', 'SRV');
      await service.getByRole('button', { name: 'Fill in a form for SRV' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Port').fill('5060');
      await dialog.getByLabel('Target').fill('mail');
      await dialog.getByRole('button', { name: 'Use 10 5 5060 mail.0/25.2.0.192.in-addr.arpa.' }).waitFor();
      await dialog.getByLabel('Target').fill('https://mail.example.net/');
      await dialog.getByRole('button', { name: 'Use 10 5 5060 mail.example.net.' }).click();
      await untilIs(() => dialog.getByLabel('Target').inputValue(), 'mail.example.net.');
      await dialog.getByRole('button', { name: 'Done' }).click();
      await editedRow(page).getByRole('button', { name: 'Done' }).click();
      const delegation = await startRecord(page, '64/27', 'NS');
      await delegation.getByLabel('Value').fill('ns.example.net.');
      await delegation.getByRole('button', { name: 'Done' }).click();
      await save(page, 3);
      assert.equal((await zone.stored()).sort(), [
        '64/27 300 NS ns.example.net.',
        '7 300 PTR host.example.net.',
        '_sip._udp 300 SRV 10 5 5060 mail.example.net.',
      ]);
    });
  });
});

test('records are checked while the user types, switched, copied, changed and deleted together', async () => {
  await withWorld(async (world) => {
    const address = (name: string, content: string) => ({ name, type: 'A', content });
    const zone = await createZone(world, 'example.com', [
      { name: '@', type: 'MX', content: '10 mail.example.com' },
      address('mail', '192.0.2.25'),
      address('www', '1.1.1.1'),
      { name: 'www', type: 'AAAA', content: '2606:4700::1111' },
      { name: '@', type: 'ALIAS', content: 'www.example.com' },
      address('api', '192.0.2.7'),
    ]);
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      // The current addresses of an ALIAS.
      await page.waitForFunction(`fetch('/api/v1${zone.path.slice(7)}/records').then((response) => response.json())
          .then(({ records }) => records.some(({ alias }) => alias?.status === 'resolved'))`);
      await page.reload();
      await page.getByText(/^→ 1\.1\.1\.1, 2606:4700::1111 · /).waitFor();

      // The messages of the API are next to the fields, before anything is saved.
      const row = await startRecord(page, 'a..b', 'A');
      await row.locator('.cell-name .fault').waitFor();
      await untilIs(() => row.locator('.cell-content .fault').count(), 0);
      await row.getByLabel('Value').fill('192.0.2');
      await row.locator('.cell-content .fault').waitFor();
      await row.getByLabel('TTL', { exact: true }).selectOption('Other …');
      await row.getByLabel('TTL in seconds').fill('5');
      await row.getByText(/30 to 604800/).waitFor();
      await checkScreen(page, 'records-checked');
      await row.getByLabel('Name', { exact: true }).fill('mail');
      await row.getByLabel('Type').selectOption('CNAME');
      await row.getByLabel('Value').fill('www.example.com');
      await row.getByLabel('TTL in seconds').fill('90');
      await row.getByText(/A CNAME must be the only record at its name/).waitFor();
      await row.getByLabel('Name', { exact: true }).fill('shop');
      await row.locator('.fault').first().waitFor({ state: 'detached' });
      await row.getByRole('button', { name: 'Done' }).click();

      // The switch is for all records of the name. Mail servers are not proxied by default.
      const switches = page.getByRole('switch', { name: 'Proxy of www' });
      await untilIs(() => page.getByRole('switch', { name: 'Proxy of mail' }).getAttribute('aria-checked'), 'false');
      await untilIs(() => switches.count(), 2);
      await switches.first().click();
      for (const i of [0, 1]) await untilIs(() => switches.nth(i).getAttribute('aria-checked'), 'false');
      await page.getByRole('button', { name: 'Duplicate api A' }).click();
      await editedRow(page)
        .getByText(/already exists/)
        .waitFor();
      await editedRow(page).getByLabel('Value').fill('192.0.2.8');
      await page.keyboard.press('Enter');
      await checkScreen(page, 'records-edited');
      await save(page, 4);
      assert.equal(await zone.stored(), [
        '@ 300 MX 10 mail.example.com.',
        '@ 300 ALIAS www.example.com.',
        'api 300 A 192.0.2.7',
        'api 300 A 192.0.2.8',
        'mail 300 A 192.0.2.25',
        'shop 90 CNAME www.example.com.',
        'www 300 A 1.1.1.1',
        'www 300 AAAA 2606:4700::1111',
      ]);
      const proxied = async (): Promise<string> =>
        (await zone.records()).flatMap((record) => (record.name === 'www' ? [`${record.proxied}`] : [])).join();
      assert.is(await proxied(), 'false,false');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('192.0.2.8', { exact: true }).waitFor({ state: 'detached' });
      await untilIs(proxied, 'null,null');

      // The filter is in the address, and finds values. Selected rows are changed together.
      await page.keyboard.press('/');
      await page.keyboard.type('2606:47');
      await page.getByText('1 of 6 records').waitFor();
      await untilMatches(() => page.url(), /records\?q=2606%3A47$/);
      await page.getByRole('searchbox').fill('');
      await page.getByLabel('Type of records').selectOption('A');
      await page.getByText('3 of 6 records').waitFor();
      await page.getByLabel('Select all records').check();
      await page.getByText('3 records selected').waitFor();
      await page.getByLabel('Set TTL').selectOption('1 hour');
      // The AAAA record at www is switched as well, which the preview shows.
      await page.getByLabel('Set proxy').selectOption('Proxied');
      const preview = page.getByRole('dialog');
      await preview.getByText(/2606:47.*Proxied/).waitFor();
      await checkScreen(page, 'records-preview');
      await preview.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('3 changes not saved').waitFor();
      await page.getByLabel('Set proxy').selectOption('Proxied');
      await preview.getByRole('button', { name: 'Change 4 records' }).click();
      await page.getByText('4 records changed, not saved yet.').waitFor();
      await checkScreen(page, 'records-selected');
      // An undo takes back this change, and not the one before.
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('3 changes not saved').waitFor();
      await page.getByLabel('Set proxy').selectOption('Proxied');
      await preview.getByRole('button', { name: 'Change 4 records' }).click();
      await save(page, 4);
      assert.equal((await zone.records()).filter(({ ttl, proxied: isOn }) => ttl === 3600 || isOn === true).length, 4);
      await page.getByRole('button', { name: 'Delete selected' }).click();
      await save(page, 3);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('3 of 6 records').waitFor();

      // The arrow keys move between rows; n adds a record.
      await page.getByRole('button', { name: 'Edit api A' }).focus();
      await page.keyboard.press('ArrowDown');
      await untilIs(() => page.evaluate('document.activeElement.ariaLabel'), 'Edit mail A');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await editedRow(page).getByLabel('Value').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Edit api A' }).waitFor();
      await page.keyboard.press('n');
      await editedRow(page).getByLabel('Name', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await editedRow(page).waitFor({ state: 'detached' });
      await untilIs(() => page.getByRole('button', { name: 'Review and save' }).count(), 0);

      // Pasted lines become new records; what exists or is no record is named.
      await paste(page, 'www 60 IN A 1.1.1.1\nnew 60 IN A 192.0.2.50\n\tIN TXT "x"\nbad A x\n');
      await page.getByText('2 new records from the pasted lines. 1 record exists already.').waitFor();
      await page.getByText(/^Line 4: /).waitFor();
      await checkScreen(page, 'records-pasted');
      await save(page, 2);
      assert.ok((await zone.stored()).includes('new 60 TXT "x"'));
    });
  });
});

test('changes of others are shown, and edits survive other pages', async () => {
  await withWorld(async (world) => {
    const { daemon } = world;
    const zone = await createZone(world, 'example.com', [
      { name: 'www', type: 'A', content: '192.0.2.1' },
      { name: 'api', type: 'A', content: '192.0.2.2' },
    ]);
    const [api, www] = await zone.records();
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      await editRecord(page, 'www A', '192.0.2.11');
      await editRecord(page, 'api A', '192.0.2.22');
      await page.getByRole('link', { name: 'Nameservers' }).click();
      await page.getByText('ns1.waypost.test').waitFor();
      const theirs = { name: 'www', type: 'A', content: '192.0.2.66' };
      await daemon.api.call('PUT', `${zone.path}/records/${www.id}`, theirs);
      await daemon.api.call('DELETE', `${zone.path}/records/${api.id}`);
      await daemon.api.call('POST', `${zone.path}/records`, { name: 'more', type: 'A', content: '192.0.2.3' });
      await page.getByRole('link', { name: 'Records', exact: true }).click();
      await page.getByText('192.0.2.3', { exact: true }).waitFor();
      await untilIs(() => page.locator('.badge-conflict').count(), 2);
      await page.getByRole('button', { name: 'Review and save' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/^Someone else has changed records/).waitFor();
      await dialog.getByText(/192\.0\.2\.66/).waitFor();
      await checkScreen(page, 'records-changed-by-others');
      await dialog.getByRole('button', { name: /^Save / }).click();
      await page.getByText('2 changes saved and served.').waitFor();
      assert.equal(await zone.stored(), ['api 300 A 192.0.2.22', 'more 300 A 192.0.2.3', 'www 300 A 192.0.2.11']);

      // A window with edits asks before it is closed.
      await editRecord(page, 'www A', '192.0.2.12');
      const promptType = new Promise<string>((resolve) => {
        page.once('dialog', async (prompt) => {
          resolve(prompt.type());
          await prompt.dismiss();
        });
      });
      await page.evaluate('setTimeout(() => location.reload())');
      assert.is(await promptType, 'beforeunload');
      await page.getByText('1 change not saved').waitFor();
      await discard(page);
      await page.getByText('1 change discarded.').waitFor();
    });
  });
});

test('a domain of more than 20,000 records is searched by the API, and loaded as the user scrolls', async () => {
  await withWorld(async (world) => {
    const zone = await createZone(world, 'example.com');
    const lines = Array.from({ length: 20_500 }, (_, i) => `h${i} 300 A 192.0.2.${i % 250}\n`);
    await world.daemon.api.call('PUT', `${zone.path}/zonefile`, `odd 300 TXT "needle"\n${lines.join('')}`, 'text/dns');
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      await page.getByText('1,000 of 20,501 records').waitFor();
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.getByText('2,000 of 20,501 records').waitFor();
      // A value that is not loaded; its edit stays while something else is searched.
      await page.getByRole('searchbox').fill('NEEDLE');
      await page.getByRole('button', { name: 'Edit odd TXT' }).click();
      await editedRow(page).getByLabel('Value').fill('"found"');
      await page.keyboard.press('Enter');
      await page.getByRole('searchbox').fill('h20499');
      await page.getByText('1 of 20,501 records').waitFor();
      await save(page, 1);
      const { records } = (await world.daemon.api.call('GET', `${zone.path}/records?name=odd`)).body as never as {
        records: Stored[];
      };
      assert.is(records[0].content, '"found"');
    });
  });
});

test('a viewer reads, filters and copies records, and changes none', async () => {
  await withWorld(async (world) => {
    const { daemon, base } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const password = 'a long password';
    const { body } = await daemon.api.call('POST', '/api/v1/accounts', { username: 'reader', password });
    const { id } = body.account as { id: number };
    const { domain } = (await daemon.api.call('POST', `/api/v1/domains?account=${id}`, { domain: 'example.com' }))
      .body as never as { domain: { id: number } };
    await daemon.api.createRecord(String(domain.id), 'www', 'A', '192.0.2.1');
    await daemon.api.call('PATCH', `/api/v1/accounts/${id}`, { role: 'viewer' });
    await withPage(world, async (page) => {
      await page.goto(`${base}/domains/${domain.id}/records`);
      await page.getByLabel('Username or e-mail').fill('reader');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('192.0.2.1', { exact: true }).dblclick();
      await page.getByRole('button', { name: 'Copy www A as a line' }).waitFor();
      await page.getByLabel('Select www A').check();
      await page.getByRole('button', { name: 'Copy lines' }).waitFor();
      await page.keyboard.press('n');
      await paste(page, 'new 60 IN A 192.0.2.50\n');
      await page.getByRole('switch', { name: 'Proxy of www' }).click({ force: true });
      await checkScreen(page, 'records-viewer');
      for (const name of ['Add a record', 'Edit www A', 'Delete www A', 'Delete selected', 'Review and save'])
        await untilIs(() => page.getByRole('button', { name }).count(), 0, name);
      await page.getByRole('link', { name: 'Zone file' }).click();
      await page.getByText(/^Your role is only allowed to read/).waitFor();
      await page.getByRole('link', { name: 'Download the zone file' }).waitFor();
    });
  });
});

test('the comment of a name and type is shown, edited and searched', async () => {
  await withWorld(async (world) => {
    const zone = await createZone(world, 'example.com', [
      { name: 'www', type: 'A', content: '192.0.2.7' },
      { name: 'mail', type: 'A', content: '192.0.2.25' },
    ]);
    const comments = async (): Promise<unknown[]> => (await zone.records()).map(({ comment }) => comment);
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      await page.getByRole('button', { name: 'Edit www A' }).click();
      await editedRow(page).getByLabel('Comment').fill('web <b>server</b>');
      await checkScreen(page, 'record-comment');
      await page.keyboard.press('Enter');
      // The page takes no input while its dialog is open.
      await save(page, 1);
      await untilIs(comments, [null, 'web <b>server</b>']);
      await page.getByText('web <b>server</b>', { exact: true }).waitFor();
      await page.getByRole('searchbox').fill('SERVER');
      await page.getByRole('button', { name: 'Edit mail A' }).waitFor({ state: 'detached' });
      await checkScreen(page, 'records-commented');
      await page.getByRole('button', { name: 'Edit www A' }).click();
      await editedRow(page).getByLabel('Comment').fill('');
      await page.keyboard.press('Enter');
      await saveRecords(page);
      await untilIs(comments, [null, null]);
    });
  });
});

test('markup in names and values stays text', async () => {
  await withWorld(async (world) => {
    const markup = '<img src=x onerror=document.title=1>';
    const zone = await createZone(world, 'example.com');
    // A zone file may have values that the API refuses in single records.
    const file = [
      `@ TXT "${markup}"`,
      `@ CAA 0 issue "${markup}"`,
      `@ NAPTR 100 10 "s" "${markup.slice(0, 20)}" "" .`,
      `@ URI 10 1 "javascript:${markup}"`,
      `@ HTTPS 1 . key65400="${markup}"`,
      `\\<script\\>alert\\(1\\)\\</script\\> TXT "</td>${markup}"`,
    ].join('\n');
    await world.daemon.api.call('PUT', `${zone.path}/zonefile`, file, 'text/dns');
    const before = await zone.stored();
    assert.is(before.length, 6);
    await withPage(world, async (page) => {
      await signIn(page, world.base);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.goto(`${zone.address}/records`);
      await page.getByText('6 records', { exact: true }).waitFor();
      for (const { content } of await zone.records()) await page.getByText(content, { exact: true }).first().waitFor();
      for (const type of ['TXT', 'CAA', 'HTTPS']) {
        await page.getByRole('button', { name: `Edit @ ${type}` }).click();
        await editedRow(page)
          .getByRole('button', { name: `Fill in a form for ${type}` })
          .click();
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
        await page.keyboard.press('Escape');
        await editedRow(page).waitFor({ state: 'detached' });
      }
      // In the review, in messages of the API, and in the preview of an import.
      await page.getByLabel('Select all records').check();
      await page.getByLabel('Set TTL').selectOption('1 day');
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByRole('dialog').getByText(markup).first().waitFor();
      await checkScreen(page, 'records-markup');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await discard(page);
      const row = await startRecord(page, markup, 'A');
      await row.getByLabel('Value').fill(markup);
      await row.locator('.cell-content .fault').waitFor();
      await row.getByRole('button', { name: 'Done' }).click();
      await discard(page);
      await page.getByRole('link', { name: 'Zone file' }).click();
      await page.getByRole('textbox', { name: 'Zone file' }).fill(`www A ${markup}\n${markup} TXT "x"\n`);
      await page.getByText('2 lines refused').waitFor();
      assert.is(await page.locator('img, script:not([src])').count(), 0);
      assert.not.match(await page.title(), /^1$/);
      assert.equal(await zone.stored(), before);
    });
  });
});

test.run();
