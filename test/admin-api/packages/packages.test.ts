/** Developer packages: uploaded, audited by programs that do as the package says, reviewed, published, withdrawn. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { write } from '../../../core/journal/draft.ts';
import { uploadOf } from '../../../core/store/package-reads.ts';
import { StoreReader } from '../../../core/store/reader.ts';
import { reports, uploads } from '../../../core/store/rows.ts';
import { type Client, each, everywhere, refused, succeeded, type World, walk } from '../contract/world.ts';
import { type Answer, type CallOptions, type Json, listOf } from '../daemon.ts';
import { BOUNDARY, FORM_TYPE, form, formBytes, type Order, packageForm, packageText, UPLOAD } from './package.ts';

const APPS = '/api/dev/apps';
const ADMIN = '/api/dev/admin';
const MAX_BYTES = 300_000;

const SETTINGS = {
  WAYPOST_PACKAGES_MAX_BYTES: String(MAX_BYTES),
  WAYPOST_PACKAGES_UPLOAD_RATE_LIMIT: '0',
  WAYPOST_PACKAGES_AUDIT_TIMEOUT: '1500',
  WAYPOST_PACKAGES_AUDIT_MEMORY: '64MB',
  WAYPOST_PACKAGES_AUDIT_THREADS: '2',
  WAYPOST_PACKAGES_MAX_APPS: '200',
};

let made = 0;
const newId = (): string => `com.example.app${++made}`;

const send = (client: Client, options: CallOptions): Promise<Answer> => client.send('POST', UPLOAD, options);

const upload = (client: Client, id: string, code: number, order: Order = 'approve'): Promise<Answer> =>
  send(client, packageForm(packageText(id, code, order)));

/** A package that is taken, as the answer has it. */
const uploaded = async (client: Client, id: string, code: number, order?: Order): Promise<Json> =>
  succeeded(await upload(client, id, code, order)).body.upload;

const statuses = (of: Json): string[] => each(listOf(of.history), 'status');

/** `of`: the upload, or its path. */
async function settled(client: Client, of: Json | string): Promise<Json> {
  const url = typeof of === 'string' ? of : String(of.url);
  for (let i = 0; i < 400; i++) {
    const { upload: found } = succeeded(await client.get(url)).body;
    if (!['pending', 'scanning'].includes(String(found.status))) return found;
    await sleep(25);
  }
  throw new Error('there was no verdict');
}

const blobs = ({ daemon }: World): string[] => readdirSync(join(daemon.folder, 'blobs'));

await everywhere(
  'packages',
  (test, { transport, journal }) => {
    // What is not about HTTP or the log is the same on each.
    const once = (...[name, work]: Parameters<typeof test>): void => {
      if (transport === 'node' && journal === 'embedded') test(name, work);
    };

    test('an upload is answered with its verdict', async ({ world }) => {
      const { client } = world.user;
      const id = newId();
      const text = packageText(id, 7);
      const answer = succeeded(await send(client, packageForm(text, ' The first\nof all. ')));
      const { upload: of } = answer.body;
      assert.equal(
        [of.app_id, of.version, of.version_code, of.size, of.status, of.notes],
        [id, '1.0', 7, text.length, 'approved', 'The first\nof all.'],
      );
      assert.is(String(of.sha256), createHash('sha256').update(text).digest('hex'));
      assert.is(String(of.url), `/api/dev/uploads/${of.id}`);
      assert.equal(of.audit.findings, []);
      assert.equal(of.audit.summary, { errors: 0, warnings: 0, notices: 0, review: 0, omitted: 0 });
      assert.equal(statuses(of), ['pending', 'scanning', 'approved']);
      assert.equal(each(listOf(of.history), 'by'), ['user', 'null', 'null']);
      assert.equal(succeeded(await client.get(String(of.url))).body.upload, of);
    });

    once('verdicts: rejected, for a person, approved', async ({ world }) => {
      const { client } = world.user;
      assert.is(String((await uploaded(client, newId(), 1, 'reject')).status), 'rejected');
      assert.is(String((await uploaded(client, newId(), 1, 'review')).status), 'in_review');
      assert.is(String((await uploaded(client, newId(), 1)).status), 'approved');
    });

    for (const order of ['throw', 'exit', 'reject_later'] as const)
      once(`an audit that does "${order}" is no approval`, async ({ world }) => {
        const { client } = world.user;
        const of = await settled(client, await uploaded(client, newId(), 1, order));
        assert.equal([of.status, ...each(listOf(of.audit.findings), 'code')], ['in_review', 'audit_crashed']);
        assert.is(Number(of.audit.summary.review), 1);
      });

    for (const order of ['hang', 'wait', 'memory'] as const)
      once(`an audit that does "${order}" is ended, and no approval`, async ({ world }) => {
        const { client } = world.user;
        const of = await settled(client, await uploaded(client, newId(), 1, order));
        assert.is(String(of.status), 'in_review');
        assert.match(each(listOf(of.audit.findings), 'code')[0], /^audit_(timed_out|crashed)$/);
        // The next one is audited all the same.
        assert.is(String((await uploaded(client, newId(), 1)).status), 'approved');
      });

    test('bodies that are no such form', async ({ world }) => {
      const { client } = world.user;
      const file = { name: 'package', filename: 'a.pkg', content: packageText(newId(), 1) };
      const whole = formBytes([file]);
      const as = (body: string | Buffer, type = FORM_TYPE) => ({ body, headers: { 'content-type': type } });
      const cases: [CallOptions, string, string?][] = [
        [as('{}', 'application/json'), '415 unsupported_media_type'],
        [as(whole, 'multipart/form-data'), '400 malformed_multipart'],
        [as(whole, 'multipart/form-data; boundary=other'), '400 malformed_multipart'],
        [as(''), '400 malformed_multipart'],
        [as(whole.subarray(0, whole.length - 10)), '400 malformed_multipart'],
        [as(whole.subarray(0, 150)), '400 malformed_multipart'],
        [form([]), '422 package_missing', '/package'],
        [form([{ name: 'notes', content: 'none' }]), '422 package_missing', '/package'],
        [form([{ ...file, name: 'Package' }]), '422 package_missing', '/package'],
        [form([file, file]), '422 repeated_part', '/package'],
        [form([file, { name: 'notes', content: 'a' }, { name: 'notes', content: 'b' }]), '422 repeated_part', '/notes'],
        [form([file, { name: 'notes', content: 'x'.repeat(4001) }]), '422 invalid_notes', '/notes'],
        [form([file, { name: 'notes', content: 'a\0b' }]), '422 invalid_notes', '/notes'],
        [form([file, { name: 'notes', content: 'x'.repeat(20_000) }]), '422 field_too_long', '/notes'],
        [form(Array.from({ length: 30 }, (_, i) => ({ name: `n${i}`, content: 'x' }))), '422 too_many_parts'],
        [packageForm(Buffer.alloc(MAX_BYTES + 1)), '413 package_too_large', '/package'],
        [packageForm(''), '422 unreadable_package', '/package'],
        [packageForm('garbage'), '422 unreadable_package', '/package'],
        [packageForm('throw'), '422 unreadable_package', '/package'],
      ];
      const before = blobs(world).length;
      for (const [options, expected, pointer] of cases) refused(await send(client, options), expected, pointer);
      refused(await send(client, packageForm(Buffer.alloc(MAX_BYTES + 100_000))), '413 body_too_large');
      // Only what could be read whole was kept for a while: the three last.
      assert.is(blobs(world).filter((name) => name.endsWith('.part')).length, 0);
      assert.ok(blobs(world).length <= before + 3);
    });

    once('what is wrong with an unreadable package is told with its place', async ({ world }) => {
      const { body } = await send(world.user.client, packageForm('garbage'));
      assert.equal(body.error.details, [
        { message: 'It is no package.', code: 'archive_unreadable', file: 'manifest.json', line: 3, fix: 'Make one.' },
      ]);
    });

    test('a client that goes away leaves nothing', async ({ world }) => {
      const { port } = new URL(world.daemon.url);
      const socket = connect(Number(port), '127.0.0.1');
      const head = `POST ${UPLOAD} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.user.client.token}\r\n`;
      const bytes = formBytes([{ name: 'package', filename: 'a', content: Buffer.alloc(100_000) }]);
      socket.write(`${head}Content-Type: ${FORM_TYPE}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes.subarray(0, 50_000));
      while (!blobs(world).some((name) => name.endsWith('.part'))) await sleep(5);
      socket.destroy();
      while (blobs(world).some((name) => name.endsWith('.part'))) await sleep(5);
    });

    test('a slow disk holds the client back: a package larger than what may wait arrives whole', async ({ world }) => {
      const text = packageText(newId(), 1).padEnd(MAX_BYTES, 'x');
      const of = succeeded(await send(world.user.client, packageForm(text))).body.upload;
      assert.equal([of.size, of.sha256], [MAX_BYTES, createHash('sha256').update(text).digest('hex')]);
    });

    once('versions rise', async ({ world }) => {
      const { client } = world.user;
      const id = newId();
      await uploaded(client, id, 5, 'reject');
      refused(await upload(client, id, 5), '409 version_exists');
      await uploaded(client, id, 4);
      // Case does not make another app.
      refused(await upload(client, id.toUpperCase(), 4), '409 version_exists');
      refused(await upload(client, id, 3), '409 version_not_greater');
      await uploaded(client, id, 6);
    });

    once('an app is the account that brought it first', async ({ world }) => {
      const { client: other } = await world.member();
      const id = newId();
      const of = await uploaded(world.user.client, id, 1);
      refused(await upload(other, id, 2), '403 app_taken');
      refused(await other.get(String(of.url)), '404 no_such_upload');
      refused(await other.delete(String(of.url)), '404 no_such_upload');
      refused(await other.post(`${of.url}/publish`, {}), '404 no_such_upload');
      refused(await other.get(`${APPS}/${id}`), '404 no_such_app');
      assert.equal(succeeded(await other.get(APPS)).body.apps, []);
    });

    once('scopes', async ({ world }) => {
      const reader = await world.scoped(world.user.client, ['packages:read']);
      const writer = await world.scoped(world.user.client, ['packages']);
      const dns = await world.scoped(world.user.client, ['dns']);
      refused(await upload(reader, newId(), 1), '403 insufficient_scope');
      refused(await upload(dns, newId(), 1), '403 insufficient_scope');
      const of = await uploaded(writer, newId(), 1);
      succeeded(await reader.get(String(of.url)));
      refused(await world.user.client.get(`${ADMIN}/queue`), '403 forbidden');
    });

    test('the owner publishes, and a new version takes the place of the one before', async ({ world }) => {
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
      // A third that is approved takes the place of no published one, a fourth that of the third.
      const third = await uploaded(client, id, 3);
      await uploaded(client, id, 4);
      assert.is(String((await settled(client, third)).status), 'superseded');
      assert.is(String((await settled(client, second)).status), 'published');
    });

    once('an owner withdraws', async ({ world }) => {
      const { client } = world.user;
      const id = newId();
      const of = await uploaded(client, id, 1);
      succeeded(await client.send('POST', `${of.url}/publish`));
      const withdrawn = succeeded(await client.delete(String(of.url))).body.upload;
      assert.is(String(withdrawn.status), 'withdrawn');
      refused(await client.delete(String(of.url)), '409 wrong_state');
      const { app } = succeeded(await client.get(`${APPS}/${id}`)).body;
      assert.equal([app.published, app.audit_status], [null, 'withdrawn']);
      // Its octets go, and those of others stay.
      const kept = await uploaded(client, newId(), 1);
      await world.daemon.api.packages.tidy(Date.now() + 1000);
      assert.not.ok(blobs(world).includes(String(of.sha256)));
      assert.ok(blobs(world).includes(String(kept.sha256)));
    });

    once('one that is withdrawn while it is audited gets no verdict', async ({ world }) => {
      const { client } = world.user;
      const sent = upload(client, newId(), 1, 'slow');
      let found: Json[] = [];
      while (found.length === 0)
        found = (await walk(client, APPS, 'apps')).filter((one) => String(one.audit_status) === 'scanning');
      succeeded(await client.delete(String(found[0].latest.url)));
      assert.is(String((await sent).body.upload.status), 'withdrawn');
      assert.equal((await sent).body.upload.audit, { summary: null, findings: [] });
    });

    test('review: the queue, its package, approval and rejection', async ({ world }) => {
      const { admin } = world;
      const { client, id: accountId } = world.user;
      const waits = await uploaded(client, newId(), 1, 'review');
      const bad = await uploaded(client, newId(), 1, 'review');
      const queue = await walk(admin, `${ADMIN}/queue?limit=2`, 'uploads');
      const ids = each(queue, 'id');
      assert.ok(ids.indexOf(String(waits.id)) >= 0 && ids.indexOf(String(waits.id)) < ids.indexOf(String(bad.id)));
      assert.is(String(queue.find(({ id }) => id === waits.id)?.account_id), accountId);
      const path = (of: Json) => `${ADMIN}/uploads/${of.id}`;
      assert.is(String(succeeded(await admin.get(path(waits))).body.upload.id), String(waits.id));
      const file = await admin.get(`${path(waits)}/package`);
      assert.is(createHash('sha256').update(file.text).digest('hex'), String(waits.sha256));
      succeeded(await admin.send('POST', `${path(waits)}/approve`));
      refused(await admin.send('POST', `${path(waits)}/approve`), '409 wrong_state');
      assert.is(String((await settled(client, waits)).status), 'approved');
      refused(await admin.post(`${path(bad)}/reject`, {}), '422 validation', '/reason');
      succeeded(await admin.post(`${path(bad)}/reject`, { reason: 'It does harm.', codes: ['eval'] }));
      const told = listOf((await settled(client, bad)).history).at(-1);
      assert.equal(
        [told?.status, told?.by, told?.reason, told?.codes],
        ['rejected', 'admin', 'It does harm.', ['eval']],
      );
      const actions = each(await world.audit(`&account_id=${accountId}`), 'action');
      for (const action of ['package.upload', 'package.approve', 'package.reject']) assert.ok(actions.includes(action));
    });

    once('suspension of a package, and of an app', async ({ world }) => {
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

    test('the same request again under its key is the same upload', async ({ world }) => {
      const { client } = world.user;
      const key = { 'idempotency-key': `once ${++made}` };
      const text = packageText(newId(), 1);
      const first = succeeded(await send(client, packageForm(text, 'a', key)));
      const again = succeeded(await send(client, packageForm(text, 'a', key)));
      assert.is(String(again.body.upload.id), String(first.body.upload.id));
      assert.is(again.headers.get('idempotent-replayed'), 'true');
      refused(await send(client, packageForm(text, 'b', key)), '422 idempotency_key_reused');
    });

    once('pages of apps and of their packages', async ({ world }) => {
      const { client } = await world.member();
      const ids = [newId(), newId(), newId()].sort();
      for (const id of ids) await uploaded(client, id, 1);
      for (const code of [2, 3]) await uploaded(client, ids[0], code);
      assert.equal(each(await walk(client, `${APPS}?limit=1`, 'apps'), 'app_id'), ids);
      const versions = each(await walk(client, `${APPS}/${ids[0]}?limit=1`, 'uploads'), 'version_code');
      assert.equal(versions, ['3', '2', '1']);
    });

    once(
      'an audit that a start finds begun comes to its verdict; one that never ends is for a person',
      async ({ world }) => {
        const { daemon } = world;
        const { client } = world.user;
        const ids = await Promise.all(
          [0, 3].map(async (begun) => {
            const { id } = await uploaded(client, newId(), 1);
            // As an end of the process in the middle leaves it.
            await write(daemon.environment, daemon.journal, 'test', (draft) => {
              const row = uploadOf(draft, String(id))!;
              const claim = { node: daemon.nodeName, until: 0, begun };
              draft.put(uploads, { ...row, state: 'scanning', claim, summary: null, history: row.history.slice(0, 2) });
              draft.delete(reports, { uploadId: row.id, findings: Buffer.alloc(0) });
            });
            return String(id);
          }),
        );
        await daemon.restart();
        const [first, second] = await Promise.all(ids.map((id) => settled(client, `/api/dev/uploads/${id}`)));
        assert.is(String(first.status), 'approved');
        assert.equal([second.status, ...each(listOf(second.audit.findings), 'code')], ['in_review', 'audit_crashed']);
      },
    );

    once(
      'what another node audits is left to it while it lives, and taken over when its claim is over',
      async ({ world }) => {
        const { daemon } = world;
        const { client } = world.user;
        const { id } = await uploaded(client, newId(), 1);
        const claimed = (until: number) =>
          write(daemon.environment, daemon.journal, 'test', (draft) => {
            const row = uploadOf(draft, String(id))!;
            const claim = { node: 'another', until, begun: 1 };
            draft.put(uploads, { ...row, state: 'scanning', claim, summary: null });
          });
        await claimed(Date.now() / 1000 + 1000);
        await daemon.restart();
        await sleep(300);
        const reader = new StoreReader(daemon.environment);
        assert.is(uploadOf(reader, String(id))?.claim?.node, 'another');
        await claimed(0);
        await daemon.restart();
        assert.is(String((await settled(client, `/api/dev/uploads/${id}`)).status), 'approved');
      },
    );

    once('accounts take turns', async ({ world }) => {
      const { client: busy } = await world.member();
      const { client: other } = await world.member();
      const many = Array.from({ length: 6 }, () => upload(busy, newId(), 1, 'slow'));
      while ((await walk(busy, APPS, 'apps')).length < 6) await sleep(20);
      const began = performance.now();
      await uploaded(other, newId(), 1);
      const took = performance.now() - began;
      await Promise.all(many);
      const all = performance.now() - began;
      assert.ok(took < all, `it came after ${took} of ${all} ms`);
    });

    once('a boundary in the content is no end', async ({ world }) => {
      const text = `${packageText(newId(), 1)}\r\n--${BOUNDARY.slice(0, -1)}\r\n`;
      const of = succeeded(await send(world.user.client, packageForm(text))).body.upload;
      assert.is(Number(of.size), text.length);
    });
  },
  SETTINGS,
);

await everywhere(
  'packages, published by the service, all reviewed, few',
  (test) => {
    test('a rate, and a number of apps', async ({ world }) => {
      const { client } = await world.member();
      const first = await uploaded(client, newId(), 1);
      assert.is(String(first.status), 'in_review');
      succeeded(await world.admin.send('POST', `${ADMIN}/uploads/${first.id}/approve`));
      const found = succeeded(await client.get(String(first.url))).body.upload;
      assert.equal(statuses(found), ['pending', 'scanning', 'in_review', 'approved', 'published']);
      refused(await upload(client, newId(), 1), '409 app_limit');
      const answer = await upload(client, newId(), 1);
      refused(answer, '429 too_many_requests');
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
    });

    test('an account with a published app can not be deleted; what one leaves behind goes', async ({ world }) => {
      const member = await world.member();
      const of = await uploaded(member.client, newId(), 1);
      succeeded(await world.admin.send('POST', `${ADMIN}/uploads/${of.id}/approve`));
      refused(await world.admin.delete(`/api/v1/accounts/${member.id}`), '409 has_apps');
      succeeded(await member.client.delete(String(of.url)));
      succeeded(await world.admin.delete(`/api/v1/accounts/${member.id}`));
    });
  },
  {
    WAYPOST_PACKAGES_UPLOAD_RATE_LIMIT: '2',
    WAYPOST_PACKAGES_MAX_APPS: '1',
    WAYPOST_PACKAGES_REVIEW: 'always',
    WAYPOST_PACKAGES_PUBLISH: 'automatic',
  },
);
