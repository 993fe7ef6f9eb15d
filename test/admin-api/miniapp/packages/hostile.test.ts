/** Concurrent uploads, unusual forms, deleted owners, and the remains of rejected uploads. */
import * as assert from 'uvu/assert';
import { type Client, each, everywhere, onOne, refused, succeeded, walk } from '../../contract/world.ts';
import { listOf } from '../../daemon.ts';
import { ADMIN, APPS, blobs, newId, SETTINGS, send, upload, uploaded } from './client.ts';
import { BOUNDARY, FORM_TYPE, packageForm, packageText } from './package.ts';

/** Resolves when a package of the account is being audited. */
async function scanning(client: Client): Promise<void> {
  let isScanning = false;
  while (!isScanning) isScanning = each(await walk(client, APPS, 'apps'), 'audit_status').includes('scanning');
}

await everywhere(
  'hostile uploads',
  (test, variant) => {
    const once = onOne(test, variant);

    test('of concurrent uploads of one version, only one is accepted', async ({ world }) => {
      const id = newId();
      const answers = await Promise.all(
        [1, 2, 3].map((n) => send(world.user.client, packageForm(packageText(id, 7), `${n}`))),
      );
      assert.equal(answers.map(({ status }) => status).sort(), [200, 409, 409]);
      for (const answer of answers) if (answer.status === 409) refused(answer, '409 version_exists');
      const { uploads } = succeeded(await world.user.client.get(`${APPS}/${id}`)).body;
      assert.is(listOf(uploads).length, 1);
    });

    test('of two accounts that upload one app id concurrently, only one gets it', async ({ world }) => {
      const members = [await world.member(), await world.member()];
      const id = newId();
      const answers = await Promise.all(members.map(({ client }, n) => upload(client, id, n + 1)));
      assert.equal(answers.map(({ status }) => status).sort(), [200, 403]);
      const winner = answers.findIndex(({ status }) => status === 200);
      refused(answers[1 - winner], '403 app_taken');
      assert.equal(each(await walk(members[1 - winner].client, APPS, 'apps'), 'app_id'), []);
    });

    test('nothing of a rejected upload is stored', async ({ world }) => {
      const { client } = await world.member();
      const id = newId();
      const taken = newId();
      await uploaded(client, id, 5);
      await uploaded(world.user.client, taken, 1);
      const before = blobs(world).sort();
      const refusals: [string, string][] = [
        [packageText(id, 5), '409 version_exists'],
        [packageText(id, 4), '409 version_not_greater'],
        [packageText(taken, 2), '403 app_taken'],
        ['garbage', '422 unreadable_package'],
      ];
      for (const [text, expected] of refusals) refused(await send(client, packageForm(`${text}other bytes`)), expected);
      assert.equal(blobs(world).sort(), before);
    });

    test('a repeated request gets the stored response, even if a new one would be rejected', async ({ world }) => {
      const key = { 'idempotency-key': newId() };
      const form = packageForm(packageText(newId(), 1), 'a', key);
      const first = succeeded(await send(world.user.client, form)).body.upload;
      succeeded(await world.user.client.delete(String(first.url)));
      assert.is(String(succeeded(await send(world.user.client, form)).body.upload.id), String(first.id));
      refused(
        await send(world.user.client, packageForm(packageText(newId(), 1), 'a', key)),
        '422 idempotency_key_reused',
      );
    });

    once('accepts notes sent as a file, charsets, and additional parts', async ({ world }) => {
      const form = (notes: string): { body: Buffer; headers: Record<string, string> } => ({
        body: Buffer.from(
          [
            `--${BOUNDARY}\r\nContent-Disposition: form-data; name="package"; filename="a.pkg"\r\n\r\n${packageText(newId(), 1)}\r\n`,
            `--${BOUNDARY}\r\nContent-Disposition: form-data; ${notes}\r\n--${BOUNDARY}--\r\n`,
          ].join(''),
        ),
        headers: { 'content-type': FORM_TYPE },
      });
      const cases: [string, string | null][] = [
        ['name="notes"; filename="notes.txt"\r\nContent-Type: text/plain\r\n\r\nfrom a file', 'from a file'],
        ['name="notes"; filename="n"\r\nContent-Type: application/octet-stream\r\n\r\nbytes', 'bytes'],
        ['name="notes"\r\nContent-Type: text/plain; charset=none-such\r\n\r\nplain', 'plain'],
        ['name="__proto__"\r\n\r\nplain', null],
        ['name="toString"; filename="../../x"\r\n\r\nplain', null],
        ['filename="x"\r\n\r\nplain', null],
        ['\r\n\r\nplain', null],
      ];
      for (const [notes, expected] of cases) {
        const answer = succeeded(await send(world.user.client, form(notes)));
        assert.is(answer.body.upload.notes as unknown, expected, notes);
      }
      const long = `name="notes"; filename="n"\r\n\r\n${'x'.repeat(20_000)}`;
      refused(await send(world.user.client, form(long)), '422 field_too_long', '/notes');
    });

    once('rejects invalid ids', async ({ world }) => {
      const { client } = world.user;
      const ids = ['€'.repeat(255), 'İ'.repeat(200), 'a'.repeat(256), '\0', 'com.example\0', '%2e%2e', ' '];
      for (const id of ids) {
        const path = encodeURIComponent(id);
        refused(await client.get(`${APPS}/${path}`), '404 no_such_app');
        refused(await client.get(`/api/dev/uploads/${path}`), '404 no_such_upload');
        refused(await world.admin.post(`${ADMIN}/apps/${path}/suspend`, { reason: 'x' }), '404 no_such_app');
        refused(await world.admin.get(`${ADMIN}/uploads/${path}/package`), '404 no_such_upload');
      }
      for (const cursor of ['€'.repeat(85), '\0', '\xff'.repeat(255)])
        refused(
          await client.get(`${APPS}?cursor=${Buffer.from(cursor, 'latin1').toString('base64url')}`),
          '400 invalid_cursor',
        );
    });

    once('the codes of a rejection must be rules', async ({ world }) => {
      const of = await uploaded(world.user.client, newId(), 1, 'review');
      const reject = (codes: string[]) =>
        world.admin.post(`${ADMIN}/uploads/${of.id}/reject`, { reason: 'It does harm.', codes });
      const answer = await reject(['eval', 'direct_netwrk']);
      refused(answer, '422 validation', '/codes/1');
      assert.match(answer.text, 'direct_network');
      refused(await reject(['constructor']), '422 validation', '/codes/0');
      succeeded(await reject(['eval', 'direct_network']));
    });

    once('packages of an account without API access are never approved automatically', async ({ world }) => {
      const member = await world.member();
      const sent = upload(member.client, newId(), 1, 'slow');
      await scanning(member.client);
      succeeded(await world.admin.patch(`/api/v1/accounts/${member.id}`, { api_enabled: false }));
      assert.is(String((await sent).body.upload.status), 'in_review');
    });

    once('packages of a deleted account are never approved', async ({ world }) => {
      const member = await world.member();
      const reviewed = await uploaded(member.client, newId(), 1, 'review');
      const sent = upload(member.client, newId(), 1, 'slow');
      await scanning(member.client);
      succeeded(await world.admin.delete(`/api/v1/accounts/${member.id}`));
      assert.is(String((await sent).body.upload.status), 'scanning');
      refused(await world.admin.send('POST', `${ADMIN}/uploads/${reviewed.id}/approve`), '409 wrong_state');
    });
  },
  SETTINGS,
);
