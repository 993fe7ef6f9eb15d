/** The screens of API keys and TSIG keys. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs, untilMatches } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, withPage, withWorld } from './browser.ts';

const run = promisify(execFile);

const test = browserSuite('keys in chromium', 'curl', 'nsupdate');

test('an API key is created for a chosen domain, used by curl, and revoked', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    for (let i = 0; i < 12; i++) await daemon.api.call('POST', '/api/v1/domains', { domain: `other${i}.example` });
    await daemon.api.call('POST', '/api/v1/domains', { domain: 'b\u00fccher.example' });
    const name = '<img src=x onerror=alert(1)>';
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('heading', { name: 'API keys' }).waitFor();
      await checkScreen(page, 'keys');
      await page.keyboard.press('n');
      await page.getByRole('heading', { name: 'Create an API key' }).waitFor();
      await checkScreen(page, 'add-key');

      // Everything that the API refuses is shown at its field.
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Only for chosen domains').check();
      await page.getByLabel(/^DNS/).selectOption('Nothing');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.locator('.fault').first().waitFor();
      await checkScreen(page, 'add-key-refused');
      await page.getByLabel(/^DNS/).selectOption('Read and change');
      await untilIs(() => page.getByLabel(/^Account/).count(), 0);
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('Choose at least one domain.').waitFor();
      await page.getByRole('searchbox').fill('other');
      await page.getByText(/^4 more domains match/).waitFor();
      await page.getByRole('searchbox').fill('b\u00fcch');
      await page.getByLabel('b\u00fccher.example', { exact: true }).check();
      await page.getByLabel('Expires').selectOption('On a date \u2026');
      await page.getByLabel('Last day').fill('2001-01-01');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('Expires: choose a day in the future.').waitFor();
      await page.getByLabel('Last day').fill('2099-12-31');
      await checkScreen(page, 'add-key-restricted');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('It is not shown again.').waitFor();
      await checkScreen(page, 'key-created');

      // The line that is shown works, and the key reaches only its domain.
      await page.locator('.code-block').nth(1).waitFor();
      const [key, line] = await page.locator('.code-block').allTextContents();
      assert.match(key, /^wp_\d{16}[0-9a-f]{56}$/);
      const { stdout } = await run('sh', ['-c', line.replace('curl ', 'curl -s ')]);
      const { domains, total } = JSON.parse(stdout);
      assert.equal([domains[0].domain, total], ['xn--bcher-kva.example', 1]);

      await page.getByRole('link', { name: 'Done' }).click();
      const entry = page.getByRole('listitem').filter({ hasText: name });
      await entry.getByRole('link', { name: 'b\u00fccher.example' }).waitFor();
      await untilMatches(() => entry.innerText(), /DNS/);
      assert.not.match(await entry.getByText('Last used').locator('..').innerText(), /Never/);
      await checkScreen(page, 'keys-list');
      await page.getByRole('searchbox').fill('onerror');
      await page.getByText('1 API key', { exact: true }).waitFor();
      await page.getByRole('searchbox').fill('nothing');
      await page.getByText('No API key contains').waitFor();
      await page.getByRole('button', { name: 'Show all API keys' }).click();

      await entry.getByRole('button', { name: `Revoke ${name}` }).click();
      const dialog = page.getByRole('dialog');
      const word = dialog.getByLabel(`Type ${name} to confirm`);
      await word.fill('something else');
      await word.press('Enter');
      await checkScreen(page, 'key-revoke');
      await word.fill(name);
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText(`The key ${name} was revoked.`).waitFor();
      await entry.waitFor({ state: 'detached' });
      const after = await run('sh', ['-c', line.replace('curl ', 'curl -s ')]);
      assert.is(JSON.parse(after.stdout).error.code, 'invalid_token');
      // The secret is nowhere after a reload.
      await page.goto(`${base}/api-keys/add`);
      await page.getByLabel('Name').waitFor();
      assert.not.ok((await page.content()).includes(key));
    });
  });
});

test('an API key for the certificates of one host is made from a preset', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await daemon.api.createDomain('preset.example');
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('link', { name: 'Create an API key' }).first().click();
      await page.getByLabel('Name').fill('certbot');
      await page.getByLabel('What the key is for').selectOption('Certificates (ACME) for a host');
      await page.getByLabel('Host name').fill('www.elsewhere.example');
      await page.getByLabel('Only from these networks').fill('127.0.0.0/8, ::1');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('None of your domains has this host.').waitFor();
      await page.getByLabel('Host name').fill('www.preset.example');
      await checkScreen(page, 'add-key-preset');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('It is not shown again.').waitFor();
      const [token] = await page.locator('.code-block').allTextContents();
      const add = async (name: string, type: string, content: string): Promise<number> => {
        const response = await fetch(`${base}/api/v1/domains/${id}/records`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name, type, content }),
        });
        await response.body?.cancel();
        return response.status;
      };
      assert.is(await add('_acme-challenge.www', 'TXT', '"x"'), 200);
      assert.is(await add('www', 'A', '192.0.2.1'), 403);
      await page.getByRole('link', { name: 'Done' }).click();
      await page.getByText('TXT at _acme-challenge.www.preset.example.').waitFor();
      await page.getByText('127.0.0.0/8, ::1').waitFor();
    });
  });
});

test('a TSIG key is created, shown once, and deleted', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await daemon.api.call('POST', '/api/v1/domains', { domain: 'signed.example' });
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'TSIG keys' }).click();
      await page.getByText('No TSIG keys yet').waitFor();
      await checkScreen(page, 'tsig-keys-empty');
      await page.getByRole('link', { name: 'Create a TSIG key' }).first().click();
      await page.getByLabel('Name').fill('not a name..');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.locator('.fault').waitFor();
      await page.getByLabel('Name').fill('update.signed.example');
      await page.getByLabel('Only for chosen domains').check();
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('Choose at least one domain.').waitFor();
      await checkScreen(page, 'add-tsig-key-refused');
      await page.getByLabel('signed.example', { exact: true }).check();
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('Copy the secret now.').waitFor();
      await checkScreen(page, 'tsig-key-created');
      await page.locator('.code-block').nth(3).waitFor();
      const [secret, nsupdate, dig, bind] = await page.locator('.code-block').allTextContents();
      assert.match(secret, /^[A-Za-z0-9+/]{43}=$/);
      assert.match(nsupdate, /server ns1\.waypost\.test\nzone signed\.example\n/);
      assert.ok(dig.includes(`hmac-sha256:update.signed.example:${secret}`));
      assert.ok(bind.includes(`secret "${secret}"`));
      await page.getByRole('link', { name: 'Done' }).click();
      await page.getByRole('link', { name: 'signed.example', exact: true }).waitFor();
      await checkScreen(page, 'tsig-keys');
      assert.not.ok((await page.content()).includes(secret));
      // The name is taken.
      await page.getByRole('link', { name: 'Create a TSIG key' }).click();
      await page.getByLabel('Name').fill('update.signed.example');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText(/has a TSIG key with the name/).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Delete update.signed.example' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type update.signed.example to confirm').fill('update.signed.example');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No TSIG keys yet').waitFor();
    });
  });
});

test('a TSIG key for the addresses of one host is made from a preset, and its example works', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await daemon.api.createDomain('preset.example');
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'TSIG keys' }).click();
      await page.getByRole('link', { name: 'Create a TSIG key' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('router.preset.example');
      await page.getByLabel('What the key allows').selectOption('The addresses of a host (dynamic DNS)');
      await page.getByLabel('Host name').fill('home.elsewhere.example');
      await page.getByLabel('Only from these networks').fill('127.0.0.0/8');
      await page.getByLabel('Expires').selectOption('In 30 days');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('None of your domains has this host.').waitFor();
      await page.getByLabel('Host name').fill('home.preset.example');
      await checkScreen(page, 'add-tsig-key-preset');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('Copy the secret now.').waitFor();
      const [, nsupdate, bind] = await page.locator('.code-block').allTextContents();
      assert.match(bind, /^key "router\.preset\.example"/, 'there is no line for a transfer');
      const lines = nsupdate.replace(/server \S+/, `server 127.0.0.1 ${daemon.dnsPort}`);
      await run('bash', ['-c', lines]);
      const other = await run('bash', ['-c', lines.replaceAll('home.preset', 'other.preset')]).catch(String);
      assert.match(String(other), 'REFUSED');
      const { body } = await daemon.api.call('GET', `/api/v1/domains/${id}/records?type=A`);
      assert.equal(
        (body.records as { name: string }[]).map(({ name }) => name),
        ['home'],
      );
      await page.getByRole('link', { name: 'Done' }).click();
      await page.getByText('A, AAAA at home.preset.example.').waitFor();
      await page.getByText('127.0.0.0/8').waitFor();
    });
  });
});

test('the key of a primary is entered, not shown, and chosen by name for a secondary zone', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const secret = Buffer.alloc(32, 9).toString('base64');
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'TSIG keys' }).click();
      await page.getByRole('link', { name: 'Create a TSIG key' }).first().click();
      await page.getByLabel('Name').fill('their-key');
      await page.getByLabel('What the key allows').selectOption('Only requests to primaries');
      await page.getByLabel('Algorithm').selectOption('hmac-md5');
      await page.getByLabel('Secret of an existing key').fill('not base64!');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText(/must be base64/).waitFor();
      await page.getByLabel('Secret of an existing key').fill(secret);
      await checkScreen(page, 'add-tsig-key-given');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText(/hmac-md5 is obsolete/).waitFor();
      await page.getByText('Its secret is stored encrypted.').waitFor();
      assert.not.ok((await page.content()).includes(secret));
      await page.goto(`${base}/domains/add`);
      await page.getByLabel('Domain name').fill('elsewhere.example');
      await page.getByLabel('The records come from another nameserver').check();
      await page.getByLabel('Addresses of the primaries').fill('192.0.2.53');
      await page.getByLabel('TSIG key').selectOption('their-key');
      await checkScreen(page, 'add-domain-secondary');
    });
  });
});

test('a viewer sees domains and keys, exports zones, and changes nothing', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const password = 'looks at everything';
    const { body } = await api.call('POST', '/api/v1/accounts', { username: 'viewer', password, plan: 'pro' });
    const { id } = body.account as unknown as { id: number };
    const { domain } = (await api.call('POST', `/api/v1/domains?account=${id}`, { domain: 'seen.example' }))
      .body as unknown as { domain: { id: number } };
    await api.call('POST', `/api/v1/tokens?account=${id}`, { name: 'seen', scopes: ['dns'] });
    await api.call('POST', `/api/v1/tsig-keys?account=${id}`, { name: 'seen.example' });
    await api.call('PATCH', `/api/v1/accounts/${id}`, { role: 'viewer' });
    await withPage(world, async (page) => {
      await page.goto(`${base}/domains`);
      await page.getByLabel('Username or e-mail').fill('viewer');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Select seen.example').check();
      await page.getByRole('button', { name: 'Export' }).waitFor();
      await checkScreen(page, 'domains-viewer');
      for (const name of ['Proxy on', 'Proxy off', 'DNSSEC on', 'Delete \u2026'])
        await untilIs(() => page.getByRole('button', { name }).count(), 0, name);
      for (const [path, text] of [
        ['/domains/add', 'but not change it'],
        [`/domains/${domain.id}/set-up`, 'Delegation'],
        ['/api-keys', 'Begins with'],
        ['/api-keys/add', 'but not change it'],
        ['/tsig-keys', 'hmac-sha256'],
        ['/tsig-keys/add', 'but not change it'],
      ]) {
        await page.goto(base + path);
        await page.getByText(text).first().waitFor();
        for (const name of [/^(Add|Create)/, /^Revoke/, /^Delete/])
          for (const role of ['button', 'link'] as const)
            await untilIs(() => page.getByRole(role, { name }).count(), 0, `${path}: ${name}`);
      }
    });
  });
});

test.run();
