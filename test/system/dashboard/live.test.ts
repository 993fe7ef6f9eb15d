/** Changes of others, in the dashboard of a real daemon in Chromium. */
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, type World, withPage, withWorld } from './browser.ts';
import { editRecord, saveRecords } from './edit-records.ts';

const test = browserSuite('changes of others in the dashboard');

interface Records {
  readonly path: string;
  add(name: string, content: string): Promise<number>;
  contents(): Promise<string[]>;
}

async function newDomain({ daemon }: World, domain: string): Promise<Records & { readonly id: number }> {
  const created = await daemon.api.call('POST', '/api/v1/domains', { domain });
  const { id } = created.body.domain as { id: number };
  const path = `/api/v1/domains/${id}/records`;
  return {
    id,
    path,
    async add(name, content) {
      const { body } = await daemon.api.call('POST', path, { name, type: 'A', content, ttl: 300 });
      return (body.record as { id: number }).id;
    },
    async contents() {
      const records = (await daemon.api.call('GET', path)).body.records as { name: string; content: string }[];
      return records.map(({ name, content }) => `${name} ${content}`).sort();
    },
  };
}

test('domains and records of others appear and disappear without a reload', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByText('No domains yet').waitFor();
      const zone = await newDomain(world, 'live.example');
      await page.getByRole('link', { name: 'live.example' }).click();
      await page.getByText('No records yet').waitFor();
      const id = await zone.add('www', '192.0.2.1');
      await page.getByText('192.0.2.1', { exact: true }).waitFor();
      const theirs = { name: 'www', type: 'A', content: '192.0.2.2', ttl: 300 };
      await daemon.api.call('PUT', `${zone.path}/${id}`, theirs);
      await page.getByText('192.0.2.2', { exact: true }).waitFor();
      await daemon.api.call('DELETE', `${zone.path}/${id}`);
      await page.getByText('No records yet').waitFor();
      await daemon.api.call('DELETE', `/api/v1/domains/${zone.id}`);
      await page.getByText('This account has no domain with this id.').waitFor();
    });
  });
});

test('a page reads its data once, and follows changes since then', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const zone = await newDomain(world, 'once.example');
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByRole('link', { name: 'once.example' }).waitFor();
      const read: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname === zone.path) read.push(pathname);
      });
      await page.goto(`${base}/domains/${zone.id}/records`);
      await page.getByText('No records yet').waitFor();
      // The stream of changes may open later: it begins where the page was read.
      await zone.add('www', '192.0.2.1');
      await page.getByText('192.0.2.1', { exact: true }).waitFor();
      assert.equal(read, [zone.path, zone.path]);
    });
  });
});

test('two browsers edit one zone at once, and nothing is lost silently', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const zone = await newDomain(world, 'shared.example');
    await zone.add('a', '192.0.2.1');
    await zone.add('b', '192.0.2.2');
    await zone.add('c', '192.0.2.3');
    await withPage(world, async (first) => {
      await withPage(world, async (second) => {
        for (const page of [first, second]) {
          await signIn(page, base);
          await page.getByRole('link', { name: 'shared.example' }).click();
          await page.getByText('192.0.2.3', { exact: true }).waitFor();
        }
        // Both edit one record, and each one that the other does not.
        await editRecord(first, 'a A', '192.0.2.11');
        await editRecord(first, 'b A', '192.0.2.12');
        await editRecord(second, 'a A', '192.0.2.21');
        await editRecord(second, 'c A', '192.0.2.23');
        await saveRecords(first);
        await first.getByText('2 changes saved and served.').waitFor();
        // The other window shows what was saved, keeps its own edits, and marks the conflict.
        await second.getByText('192.0.2.12', { exact: true }).waitFor();
        await second.locator('tr.row-conflict').getByText('192.0.2.21').waitFor();
        await untilIs(() => second.locator('tr.row-conflict').count(), 1);
        await second.getByText('Others have changed records that you edit.').waitFor();
        assert.equal(await zone.contents(), ['a 192.0.2.11', 'b 192.0.2.12', 'c 192.0.2.3']);
        await checkScreen(second, 'live-conflict');
        await saveRecords(second);
        await second.getByText('2 changes saved and served.').waitFor();
        assert.equal(await zone.contents(), ['a 192.0.2.21', 'b 192.0.2.12', 'c 192.0.2.23']);
        await first.getByText('192.0.2.21', { exact: true }).waitFor();
        await first.getByText('192.0.2.23', { exact: true }).waitFor();
        // The edit of a record that the other one deletes becomes a new record, marked as well.
        await editRecord(first, 'b A', '192.0.2.13');
        await second.getByRole('button', { name: 'Delete b A' }).click();
        await saveRecords(second);
        await second.getByText('1 change saved and served.').waitFor();
        await first.locator('tr.row-conflict').getByText('192.0.2.13').waitFor();
        await saveRecords(first);
        await first.getByText('1 change saved and served.').waitFor();
        assert.equal(await zone.contents(), ['a 192.0.2.21', 'b 192.0.2.13', 'c 192.0.2.23']);
        await second.getByText('192.0.2.13', { exact: true }).waitFor();
      });
    });
  });
});

test('a session that ends elsewhere asks to sign in again, and a new one catches up', async () => {
  await withWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await withPage(world, async (page) => {
      await signIn(page, base);
      await page.getByText('No domains yet').waitFor();
      const sessions = (await daemon.api.call('GET', '/api/v1/sessions')).body.sessions as { id: number }[];
      await daemon.api.call('DELETE', `/api/v1/sessions/${sessions[0].id}`);
      await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
      await newDomain(world, 'missed.example');
      await signIn(page, base);
      await page.getByRole('link', { name: 'missed.example' }).waitFor();
    });
  });
});

test.run();
