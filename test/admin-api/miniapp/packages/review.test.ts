/** Decisions on packages: publish, withdraw, review, suspend. */
import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import { CSRF, signedIn } from '../../contract/browser.ts';
import { each, everywhere, onOne, refused, succeeded, walk } from '../../contract/world.ts';
import { type Json, listOf } from '../../daemon.ts';
import { ADMIN, APPS, blobs, newId, SETTINGS, settled, statuses, upload, uploaded } from './client.ts';
import { packageForm, packageText, UPLOAD } from './package.ts';

await everywhere(
  'review of packages',
  (test, variant) => {
    const once = onOne(test, variant);

    test('the owner publishes, and a new version supersedes the previous one', async ({ world }) => {
      const { client } = world.user;
      const id = newId();
      const app = async (): Promise<Json> => succeeded(await client.get(`${APPS}/${id}`)).body.app;
      const first = await uploaded(client, id, 1);
      assert.equal((await app()).published, null);
      const published = succeeded(await client.send('POST', `${first.url}/publish`)).body.upload;
      assert.is(String(published.status), 'published');
      refused(await client.send('POST', `${first.url}/publish`), '409 wrong_state');
      const second = await uploaded(client, id, 2);
      assert.equal([(await app()).published.id, (await app()).audit_status], [first.id, 'approved']);
      succeeded(await client.send('POST', `${second.url}/publish`));
      const before = succeeded(await client.get(String(first.url))).body.upload;
      assert.equal(statuses(before), ['pending', 'scanning', 'approved', 'published', 'superseded']);
      assert.is(String((await app()).published.id), String(second.id));
      // The third version supersedes no published one; the fourth supersedes the third.
      const third = await uploaded(client, id, 3);
      await uploaded(client, id, 4);
      assert.is(String((await settled(client, third)).status), 'superseded');
      assert.is(String((await settled(client, second)).status), 'published');
    });

    once('the owner withdraws a package', async ({ world }) => {
      const { client } = world.user;
      const id = newId();
      const of = await uploaded(client, id, 1);
      succeeded(await client.send('POST', `${of.url}/publish`));
      const withdrawn = succeeded(await client.delete(String(of.url))).body.upload;
      assert.is(String(withdrawn.status), 'withdrawn');
      refused(await client.delete(String(of.url)), '409 wrong_state');
      const { app } = succeeded(await client.get(`${APPS}/${id}`)).body;
      assert.equal([app.published, app.audit_status], [null, 'withdrawn']);
      // Its file is deleted, and the files of others stay.
      const kept = await uploaded(client, newId(), 1);
      await world.daemon.api.packages.tidy(Date.now() + 1000);
      assert.not.ok(blobs(world).includes(String(of.sha256)));
      assert.ok(blobs(world).includes(String(kept.sha256)));
    });

    test('review: the queue, its package, approval and rejection', async ({ world }) => {
      const { admin } = world;
      const { client, id: accountId } = world.user;
      const waits = await uploaded(client, newId(), 1, 'review');
      const bad = await uploaded(client, newId(), 1, 'review');
      const queue = await walk(admin, `${ADMIN}/queue?limit=2`, 'uploads');
      const ids = each(queue, 'id');
      assert.ok(ids.indexOf(String(waits.id)) >= 0 && ids.indexOf(String(waits.id)) < ids.indexOf(String(bad.id)));
      assert.is(String(queue.find(({ id }) => id === waits.id)?.account_id), String(accountId));
      const path = (of: Json) => `${ADMIN}/uploads/${of.id}`;
      assert.is(String(succeeded(await admin.get(path(waits))).body.upload.id), String(waits.id));
      const file = await admin.get(`${path(waits)}/package`);
      assert.is(createHash('sha256').update(file.text).digest('hex'), String(waits.sha256));
      const entry = queue.find(({ id }) => id === waits.id);
      assert.equal([entry?.username, entry?.app_name], [world.user.username, 'Test']);
      refused(await admin.post(`${path(waits)}/approve`, { reason: 'two\nlines' }), '422 validation', '/reason');
      succeeded(await admin.post(`${path(waits)}/approve`, { reason: 'Looks fine.' }));
      const approval = listOf((await settled(client, waits)).history).at(-1);
      assert.equal([approval?.status, approval?.by, approval?.reason], ['approved', 'admin', 'Looks fine.']);
      refused(await admin.send('POST', `${path(waits)}/approve`), '409 wrong_state');
      assert.is(String((await settled(client, waits)).status), 'approved');
      refused(await admin.post(`${path(bad)}/reject`, {}), '422 validation', '/reason');
      succeeded(await admin.post(`${path(bad)}/reject`, { reason: 'It does harm.', codes: ['eval'] }));
      const lastStep = listOf((await settled(client, bad)).history).at(-1);
      assert.equal(
        [lastStep?.status, lastStep?.by, lastStep?.reason, lastStep?.codes],
        ['rejected', 'admin', 'It does harm.', ['eval']],
      );
      const actions = each(await world.audit(`&account_id=${accountId}`), 'action');
      for (const action of ['package.upload', 'package.approve', 'package.reject']) assert.ok(actions.includes(action));
    });

    once('a browser with a session uploads a package, only with the CSRF token', async ({ world }) => {
      const browser = await signedIn(world, world.user);
      const form = packageForm(packageText(newId(), 1));
      const fields = { ...form.headers, cookie: browser.cookie };
      const send = (headers: Readonly<Record<string, string>>) =>
        world.nobody.send('POST', UPLOAD, { ...form, headers });
      refused(await send(fields), '403 csrf');
      const { upload: of } = succeeded(await send({ ...fields, [CSRF]: browser.csrfToken })).body;
      assert.is(String((await settled(world.user.client, of)).status), 'approved');
    });

    once('suspends a package and an app', async ({ world }) => {
      const { admin } = world;
      const { client } = world.user;
      const id = newId();
      const reason = { reason: 'Users complain.' };
      const of = await uploaded(client, id, 1);
      succeeded(await client.send('POST', `${of.url}/publish`));
      succeeded(await admin.post(`${ADMIN}/uploads/${of.id}/suspend`, reason));
      assert.equal(succeeded(await client.get(`${APPS}/${id}`)).body.app.published, null);
      succeeded(await admin.send('POST', `${ADMIN}/uploads/${of.id}/approve`));
      succeeded(await client.send('POST', `${of.url}/publish`));
      const pending = await uploaded(client, id, 2, 'review');
      succeeded(await admin.post(`${ADMIN}/apps/${id}/suspend`, reason));
      assert.is(String((await settled(client, of)).status), 'suspended');
      refused(await upload(client, id, 3), '403 app_suspended');
      refused(await admin.send('POST', `${ADMIN}/uploads/${pending.id}/approve`), '409 app_suspended');
      assert.is(String(succeeded(await client.get(`${APPS}/${id}`)).body.app.suspended), reason.reason);
      succeeded(await admin.send('POST', `${ADMIN}/apps/${id}/reinstate`));
      await uploaded(client, id, 3);
    });
  },
  SETTINGS,
);
