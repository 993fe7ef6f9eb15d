/** Uploads of developer packages: forms, versions, owners, lists. */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { policyJson, SANDBOX_POLICY } from '../../../../admin-api/miniapp/audit/policy/policy.ts';
import { RULES as TABLE } from '../../../../admin-api/miniapp/audit/rules.ts';
import { POLICY, RULES } from '../../../../admin-api/miniapp/packages/paths.ts';
import type { CallOptions } from '../../call-options.ts';
import { Client, each, everywhere, onOne, refused, succeeded, walk } from '../../contract/world.ts';
import { listOf } from '../../daemon.ts';
import { ADMIN, APPS, blobs, MAX_BYTES, newId, SETTINGS, send, settled, statuses, upload, uploaded } from './client.ts';
import { BOUNDARY, FORM_TYPE, form, formBytes, packageForm, packageText, UPLOAD } from './package.ts';

await everywhere(
  'packages',
  (test, variant) => {
    const once = onOne(test, variant);

    test('the response to an upload has the verdict', async ({ world }) => {
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

    once('a report is text if the client accepts text', async ({ world }) => {
      const { client } = world.user;
      const id = newId();
      const sent = packageForm(packageText(id, 1, 'throw'), 'One\ntwo.');
      const { url } = succeeded(await send(client, sent)).body.upload;
      const { text, headers } = succeeded(await client.get(String(url), { accept: 'text/plain' }));
      assert.is(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.ok(text.startsWith(`${id} 1.0 (1): in review\n`));
      for (const part of ['audit_crashed', RULES, '\n> One\n> two.\n']) assert.ok(text.includes(part), part);
    });

    test('the sandbox policy is public, and published packages refer to it', async ({ world }) => {
      const anyone = new Client(world.daemon, null);
      const { body, headers } = succeeded(await anyone.get(POLICY));
      const sha256 = createHash('sha256').update(policyJson()).digest('hex');
      assert.equal(body.policy, { ...SANDBOX_POLICY, sha256 });
      assert.is((await anyone.get(POLICY, { 'if-none-match': headers.get('etag')! })).status, 304);
      const id = newId();
      const { client } = world.user;
      const of = await uploaded(client, id, 1);
      succeeded(await client.send('POST', `${of.url}/publish`));
      const { app } = succeeded(await client.get(`${APPS}/${id}`)).body;
      const { version, content_security_policy } = SANDBOX_POLICY;
      assert.equal(app.published.policy, { version, content_security_policy, url: POLICY, sha256 });
    });

    once('the name of the file must end in .pkg', async ({ world }) => {
      const { client } = world.user;
      const named = (filename: string) => form([{ name: 'package', filename, content: packageText(newId(), 1) }]);
      for (const name of ['a.zip', 'pkg', 'a.pkg.zip'])
        refused(await send(client, named(name)), '422 package_name', '/package');
      succeeded(await send(client, named('A.PKG')));
    });

    test('a finding links to its rule, which is public', async ({ world }) => {
      const anyone = new Client(world.daemon, null);
      const rules = listOf(succeeded(await anyone.get(RULES)).body.rules);
      assert.equal(each(rules, 'code'), Object.keys(TABLE).sort());
      const of = succeeded(await upload(world.user.client, newId(), 1, 'throw')).body.upload;
      const [finding] = listOf(of.audit.findings);
      assert.is(String(finding.url), `${RULES}#${finding.code}`);
      const page = await anyone.get(RULES, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
      assert.match(page.headers.get('content-type')!, /^text\/html\b/);
      for (const code of each(rules, 'code')) assert.ok(page.text.includes(`<section id="${code}">`));
      const condition = { 'if-none-match': page.headers.get('etag')! };
      assert.is((await anyone.get(RULES, { ...condition, accept: 'text/html' })).status, 304);
      assert.is((await anyone.get(RULES, condition)).status, 200, 'the other form is another one');
    });

    test('rejects bodies that are not the expected form', async ({ world }) => {
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
      refused(await send(client, packageForm(Buffer.alloc(3 * MAX_BYTES))), '413 package_too_large', '/package');
      assert.is(blobs(world).length, before);
    });

    once('the errors of an unreadable package have file and line', async ({ world }) => {
      const { body } = await send(world.user.client, packageForm('garbage'));
      assert.equal(body.error.details, [
        { message: 'It is no package.', code: 'archive_unreadable', file: 'manifest.json', line: 3, fix: 'Make one.' },
      ]);
    });

    test('nothing is stored if the client disconnects', async ({ world }) => {
      const { port } = new URL(world.daemon.url);
      const socket = connect(Number(port), '127.0.0.1');
      const head = `POST ${UPLOAD} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.user.client.token}\r\n`;
      const bytes = formBytes([{ name: 'package', filename: 'a.pkg', content: Buffer.alloc(100_000) }]);
      socket.write(`${head}Content-Type: ${FORM_TYPE}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes.subarray(0, 50_000));
      while (!blobs(world).some((name) => name.endsWith('.part'))) await sleep(5);
      socket.destroy();
      while (blobs(world).some((name) => name.endsWith('.part'))) await sleep(5);
    });

    test('backpressure: a package larger than the buffer arrives complete on a slow disk', async ({ world }) => {
      const text = packageText(newId(), 1).padEnd(MAX_BYTES, 'x');
      const of = succeeded(await send(world.user.client, packageForm(text))).body.upload;
      assert.equal([of.size, of.sha256], [MAX_BYTES, createHash('sha256').update(text).digest('hex')]);
    });

    once('version codes must increase', async ({ world }) => {
      const { client } = world.user;
      const id = newId();
      await uploaded(client, id, 5, 'reject');
      refused(await upload(client, id, 5), '409 version_exists');
      await uploaded(client, id, 4);
      // An id in another case is the same app.
      refused(await upload(client, id.toUpperCase(), 4), '409 version_exists');
      refused(await upload(client, id, 3), '409 version_not_greater');
      await uploaded(client, id, 6);
    });

    once('an app belongs to the account that uploaded it first', async ({ world }) => {
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

    once('an app id is held by an examined or accepted package, not by a rejected one', async ({ world }) => {
      const [{ client: squatter }, { client: owner }] = [await world.member(), await world.member()];
      const id = newId();
      const rejected = await uploaded(squatter, id, 1, 'reject');
      assert.is(String((await settled(squatter, rejected)).status), 'rejected');
      // Examined: it is held.
      const examined = await uploaded(squatter, id, 2, 'review');
      assert.is(String((await settled(squatter, examined)).status), 'in_review');
      refused(await upload(owner, id, 1), '403 app_taken');
      succeeded(await squatter.delete(String(examined.url)));
      // Released, with the same versionCode and another spelling.
      const taken = await uploaded(owner, id.toUpperCase(), 1);
      assert.is(String((await settled(owner, taken)).status), 'approved');
      assert.equal(succeeded(await squatter.get(APPS)).body.apps, []);
      for (const of of [rejected, examined]) refused(await squatter.get(String(of.url)), '404 no_such_upload');
      refused(await upload(squatter, id, 3), '403 app_taken');
      // Once accepted, it is held for good.
      succeeded(await owner.delete(String(taken.url)));
      refused(await upload(squatter, id, 3), '403 app_taken');
      assert.equal(
        listOf(succeeded(await owner.get(`${APPS}/${id}`)).body.uploads).map(({ version_code }) => version_code),
        [1],
      );
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

    test('a repeated request with the same Idempotency-Key returns the same upload', async ({ world }) => {
      const { client } = world.user;
      const key = { 'idempotency-key': newId() };
      const text = packageText(newId(), 1);
      const first = succeeded(await send(client, packageForm(text, 'a', key)));
      const again = succeeded(await send(client, packageForm(text, 'a', key)));
      assert.is(String(again.body.upload.id), String(first.body.upload.id));
      assert.is(again.headers.get('idempotent-replayed'), 'true');
      refused(await send(client, packageForm(text, 'b', key)), '422 idempotency_key_reused');
    });

    once('lists apps and packages in pages', async ({ world }) => {
      const { client } = await world.member();
      const ids = [newId(), newId(), newId()].sort();
      for (const id of ids) await uploaded(client, id, 1);
      for (const code of [2, 3]) await uploaded(client, ids[0], code);
      assert.equal(each(await walk(client, `${APPS}?limit=1`, 'apps'), 'app_id'), ids);
      const versions = each(await walk(client, `${APPS}/${ids[0]}?limit=1`, 'uploads'), 'version_code');
      assert.equal(versions, ['3', '2', '1']);
    });

    once('a boundary inside the content does not end the part', async ({ world }) => {
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
    test('limits the rate of uploads and the number of apps', async ({ world }) => {
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

    test('rejected packages do not use up the number of apps', async ({ world }) => {
      const { client } = await world.member();
      const [rejected, accepted] = [newId(), newId()];
      await settled(client, await uploaded(client, rejected, 1, 'reject'));
      await settled(client, await uploaded(client, accepted, 1));
      const { apps } = succeeded(await client.get(APPS)).body;
      assert.equal(each(listOf(apps), 'app_id'), [accepted]);
    });

    test('an account with a published app cannot be deleted; deletion removes the other packages', async ({
      world,
    }) => {
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
