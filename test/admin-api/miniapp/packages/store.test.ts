/** The store over HTTP: which packages it shows, downloads, and their signatures. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { collectGarbage } from '../../../support/garbage.ts';
import { type Client, each, everywhere, outcome, refused, succeeded, type World, walk } from '../../contract/world.ts';
import { type Json, listOf } from '../../daemon.ts';
import { ADMIN, newId, SETTINGS, send, upload } from './client.ts';
import { packageForm, packageText } from './package.ts';

const STORE = '/api/store/apps';
const KEYS = '/api/store/keys';
const ROTATE = '/api/admin/store/keys';
const LARGE = 4_000_000;

const pathOf = (id: string, part = ''): string => `${STORE}/${id}${part}`;

/** Uploads and publishes a package; returns the upload. */
async function published(client: Client, id: string, code = 1, more = ''): Promise<Json> {
  const text = packageText(id, code).replace('\n', ` ${more}\n`);
  const { body } = succeeded(await send(client, packageForm(text)));
  return succeeded(await client.post(`/api/dev/uploads/${body.upload.id}/publish`, {})).body.upload;
}

const withdraw = (client: Client, { id }: Json) => client.delete(`/api/dev/uploads/${id}`);

/** As docs/mini-apps/distribution.md specifies it. */
function isSigned(key: Json, signature: unknown, lines: readonly unknown[]): boolean {
  const statement = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return verify(null, statement, createPublicKey(String(key.public_key_pem)), Buffer.from(String(signature), 'base64'));
}

const packageLines = (id: string, code: unknown, sha256: unknown) => ['waypost-store-package-v1', id, code, sha256];
const hexOf = ({ public_key: key }: Json): string => Buffer.from(String(key), 'base64').toString('hex');
const keysOf = async ({ nobody }: World): Promise<Json[]> => listOf(succeeded(await nobody.get(KEYS)).body.keys);

await everywhere(
  'store',
  (test) => {
    test('the list has published packages only, with all fields that a phone needs', async ({ world }) => {
      const { nobody, user } = world;
      const id = newId();
      await upload(user.client, id, 1);
      refused(await nobody.get(pathOf(id)), '404 no_such_app');
      await published(user.client, id, 2, 'name:Listed');
      const { apps } = succeeded(await nobody.get(`${STORE}?q=listed`)).body;
      const [app] = listOf(apps);
      assert.equal(Object.keys(app), [
        'app_id',
        'name',
        'version',
        'version_code',
        'description',
        'category',
        'min_host_version',
        'permissions',
        'background_permissions',
        'icon_url',
        'package_url',
        'size',
        'sha256',
        'key_id',
        'signature',
        'signatures',
        'policy',
        'published_at',
      ]);
      assert.equal(succeeded(await nobody.get(pathOf(id))).body.app, app);
      assert.equal(succeeded(await nobody.get(pathOf(id.toUpperCase()))).body.app, app);
      assert.is(Number(app.version_code), 2);
    });

    test('sorts and searches, and pages stay correct while apps are added and removed', async ({ world }) => {
      const { nobody, user } = world;
      const created = ['Walk-c', 'walk-a', 'Walk-b', 'walk-d', 'walk-e'];
      const ids = created.map(newId);
      for (const [i, name] of created.entries()) await published(user.client, ids[i], 1, `name:${name}`);
      const byId = ids.toSorted().map((id) => created[ids.indexOf(id)]);
      const names = async (query: string) => each(await walk(nobody, `${STORE}?q=WALK-&${query}`, 'apps'), 'name');
      const inOrder = ['walk-a', 'Walk-b', 'Walk-c', 'walk-d', 'walk-e'];
      assert.equal(await names('limit=2'), inOrder);
      assert.equal(await names('limit=2&sort=-name'), inOrder.toReversed());
      assert.equal(await names('limit=1&sort=app_id'), byId);
      assert.is((await names('sort=-published_at')).length, 5);
      refused(await nobody.get(`${STORE}?sort=size`), '400 invalid_sort');
      refused(await nobody.get(`${STORE}?cursor=AAAA`), '400 invalid_cursor');
      const first = succeeded(await nobody.get(`${STORE}?q=walk-&limit=1`));
      assert.is(Number(first.body.total), 5);
      let page = 0;
      const seen = await walk(nobody, `${STORE}?q=walk-&limit=2`, 'apps', async () => {
        if (page++ > 0) return;
        // The app at which the page ended, and one ahead of it.
        for (const id of [ids[2], ids[3]])
          succeeded(await world.admin.post(`${ADMIN}/apps/${id}/suspend`, { reason: 'a test' }));
      });
      assert.equal(each(seen, 'name'), ['walk-a', 'Walk-b', 'Walk-c', 'walk-e']);
      assert.is(Number(succeeded(await nobody.get(`${STORE}?q=walk-`)).body.total), 3);
    });

    test('withdrawn, suspended and replaced packages are gone at once, also for conditional requests', async ({
      world,
    }) => {
      const { nobody, user, admin } = world;
      const parts = ['', '/package', '/icon'];
      const gone = async (appId: string, tags: readonly string[]): Promise<void> => {
        for (const [i, part] of parts.entries())
          refused(await nobody.get(pathOf(appId, part), { 'if-none-match': tags[i] }), '404 no_such_app');
        assert.not.ok(each(listOf((await nobody.get(`${STORE}?limit=1000`)).body.apps), 'app_id').includes(appId));
      };
      const tagsOf = (appId: string): Promise<string[]> =>
        Promise.all(
          parts.map(async (part) => {
            const answer = succeeded(await nobody.get(pathOf(appId, part)));
            assert.is(answer.headers.get('cache-control'), 'no-cache');
            const tag = String(answer.headers.get('etag'));
            assert.is((await nobody.get(pathOf(appId, part), { 'if-none-match': tag })).status, 304);
            return tag;
          }),
        );
      const enders: ((id: string, row: Json) => Promise<unknown>)[] = [
        async (_, row) => succeeded(await withdraw(user.client, row)),
        async (_, row) => succeeded(await admin.post(`${ADMIN}/uploads/${row.id}/suspend`, { reason: 'a test' })),
        async (appId) => succeeded(await admin.post(`${ADMIN}/apps/${appId}/suspend`, { reason: 'a test' })),
      ];
      for (const end of enders) {
        const id = newId();
        const row = await published(user.client, id, 1, 'icon:x');
        const tags = await tagsOf(id);
        await end(id, row);
        await gone(id, tags);
      }
      const id = newId();
      await published(user.client, id, 1, 'icon:x');
      const [, before] = await tagsOf(id);
      await published(user.client, id, 2, 'icon:y');
      const after = await nobody.get(pathOf(id, '/package'), { 'if-none-match': before });
      assert.equal([after.status, after.text.startsWith(`package ${id} 2 `)], [200, true]);
      assert.is((await nobody.get(pathOf(id, '/icon'))).text, 'y');
    });

    test('an account with a published app is not deleted, and a deleted one has nothing in the store', async ({
      world,
    }) => {
      const { admin, nobody } = world;
      const { id: accountId, client } = await world.member();
      const id = newId();
      await published(client, id);
      refused(await admin.delete(`/api/v1/accounts/${accountId}`), '409 has_apps');
      succeeded(await admin.post(`${ADMIN}/apps/${id}/suspend`, { reason: 'a test' }));
      succeeded(await admin.delete(`/api/v1/accounts/${accountId}`));
      refused(await nobody.get(pathOf(id)), '404 no_such_app');
      refused(await nobody.get(pathOf(id, '/package')), '404 no_such_app');
    });

    test('an icon is served with the type of its image only', async ({ world }) => {
      const id = newId();
      await published(world.user.client, id, 1, 'icon:<script>alert(1)</script>');
      const answer = succeeded(await world.nobody.get(pathOf(id, '/icon'), { accept: 'text/html' }));
      assert.is(answer.text, '<script>alert(1)</script>');
      assert.is(answer.headers.get('content-type'), 'image/png');
      assert.is(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none';.*; sandbox$/);
      const bare = newId();
      await published(world.user.client, bare);
      refused(await world.nobody.get(pathOf(bare, '/icon')), '404 no_icon');
    });

    test('no id or path leads anywhere else', async ({ world }) => {
      for (const id of [
        '..',
        '%2e%2e%2f%2e%2e',
        '..%2f..%2fsecret.key',
        '%00',
        'a'.repeat(5000),
        '__proto__',
        '%ff',
        '"',
      ])
        for (const part of ['', '/icon', '/package']) {
          const response = await fetch(`${world.daemon.url}${pathOf(id, part)}`);
          assert.ok([400, 404].includes(response.status), `${id}${part}: ${response.status}`);
        }
    });

    test('a package has its length, its hash and ranges, also for HEAD', async ({ world }) => {
      const { nobody, user } = world;
      const id = newId();
      const row = await published(user.client, id, 1, 'x'.repeat(200_000));
      const path = pathOf(id, '/package');
      const { text, headers } = succeeded(await nobody.get(path));
      const size = Buffer.byteLength(text);
      const hash = createHash('sha256').update(text);
      const sha256 = hash.copy().digest('hex');
      const { app } = succeeded(await nobody.get(pathOf(id))).body;
      assert.equal([Number(app.size), String(app.sha256)], [size, sha256]);
      assert.is(headers.get('etag'), `"${sha256}"`);
      assert.is(headers.get('x-waypost-sha256'), sha256);
      assert.is(headers.get('repr-digest'), `sha-256=:${hash.digest('base64')}:`);
      assert.is(headers.get('x-waypost-signature'), `${app.key_id}=${app.signature}`);
      assert.is(headers.get('content-disposition'), `attachment; filename="${id}-1.0.pkg"`);
      for (const answer of [await nobody.get(path), await nobody.send('HEAD', path)])
        assert.equal([answer.status, answer.headers.get('content-length')], [200, String(size)]);
      const ranges: [range: string, from: number, to: number][] = [
        ['bytes=0-0', 0, 1],
        ['bytes=100-', 100, size],
        ['bytes=-5', size - 5, size],
        [`bytes=70000-${size + 9}`, 70_000, size],
        ['bytes=65535-140000', 65_535, 140_001],
      ];
      for (const [range, from, to] of ranges) {
        const part = await nobody.get(path, { range, 'if-range': `"${sha256}"` });
        assert.equal([part.status, part.text === text.slice(from, to)], [206, true], range);
        assert.is(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${size}`);
        assert.is(part.headers.get('content-length'), String(to - from));
      }
      for (const range of ['bytes=5-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-', 'bytes=x'])
        assert.is((await nobody.get(path, { range })).status, 200, range);
      assert.is((await nobody.get(path, { range: 'bytes=0-1', 'if-range': '"other"' })).status, 200);
      for (const range of [`bytes=${size}-`, 'bytes=-0']) {
        const answer = await nobody.get(path, { range });
        refused(answer, '416 range_not_satisfiable');
        assert.is(answer.headers.get('content-range'), `bytes */${size}`);
      }
      succeeded(await withdraw(user.client, row));
      refused(await nobody.get(path, { range: 'bytes=0-1' }), '404 no_such_app');
    });

    test('signatures are for one version of one app', async ({ world }) => {
      const { nobody, user } = world;
      const [current] = await keysOf(world);
      const [id, other] = [newId(), newId()];
      await published(user.client, id, 1);
      const first = succeeded(await nobody.get(pathOf(id))).body.app;
      await published(user.client, id, 2);
      await published(user.client, other, 1);
      const second = succeeded(await nobody.get(pathOf(id))).body.app;
      assert.is(first.key_id, current.key_id);
      const good = packageLines(id, 1, first.sha256);
      assert.ok(isSigned(current, first.signature, good));
      assert.ok(isSigned(current, second.signature, packageLines(id, 2, second.sha256)));
      // Rollback, another app, another package, and another kind of statement.
      for (const lines of [
        packageLines(id, 2, first.sha256),
        packageLines(id, 2, second.sha256),
        packageLines(other, 1, first.sha256),
        packageLines(id, 1, second.sha256),
        packageLines(id, 11, first.sha256),
        ['waypost-store-endorsement-v1', ...good.slice(1)],
        good.slice(1),
      ])
        assert.not.ok(isSigned(current, first.signature, lines));
    });

    test('after a rotation, a client with the first key follows the endorsements', async ({ world }) => {
      const { nobody, user, admin } = world;
      const id = newId();
      await published(user.client, id);
      const [pinned] = await keysOf(world);
      refused(await user.client.post(ROTATE, {}), '403 forbidden');
      refused(await admin.post(ROTATE, { overlap_days: 3651 }), '422 validation');
      succeeded(await admin.post(ROTATE, {}));
      const keys = listOf(succeeded(await admin.post(ROTATE, { overlap_days: 1 })).body.keys);
      assert.equal(await keysOf(world), keys);
      assert.equal(each(keys, 'state').slice(0, 3), ['current', 'previous', 'previous']);
      const [newest, middle, oldest] = keys;
      assert.equal(oldest, { ...pinned, state: 'previous', signs_until: oldest.signs_until } as never);
      for (const [endorser, endorsed] of [
        [oldest, middle],
        [middle, newest],
      ]) {
        assert.is(endorsed.endorsed_by, endorser.key_id);
        const lines = ['waypost-store-endorsement-v1', hexOf(endorser), hexOf(endorsed)];
        assert.ok(isSigned(endorser, endorsed.endorsement, lines));
        assert.not.ok(isSigned(endorsed, endorsed.endorsement, lines));
      }
      const { app } = succeeded(await nobody.get(pathOf(id))).body;
      const signatures = listOf(app.signatures);
      assert.equal(each(signatures, 'key_id'), each(keys.slice(0, 3), 'key_id'));
      assert.is(app.key_id, newest.key_id);
      for (const [i, { signature }] of signatures.entries())
        assert.ok(isSigned(keys[i], signature, packageLines(id, 1, app.sha256)));
      const header = (await nobody.get(pathOf(id, '/package'))).headers.get('x-waypost-signature');
      assert.is(header, signatures.map(({ key_id: key, signature }) => `${key}=${signature}`).join(', '));
      succeeded(await admin.post(ROTATE, {}));
      refused(await admin.post(ROTATE, {}), '409 too_many_store_keys');
      // Without an overlap, the previous key signs nothing any more.
      const after = listOf(succeeded(await admin.post(ROTATE, { overlap_days: 0 })).body.keys);
      assert.equal(each(after, 'state').slice(0, 5), ['current', 'expired', 'previous', 'previous', 'previous']);
      assert.is(listOf(succeeded(await nobody.get(pathOf(id))).body.app.signatures).length, 4);
    });

    test('a revoked key signs and endorses nothing, and a key without an endorsement replaces the current one', async ({
      world,
    }) => {
      const { nobody, user, admin } = world;
      const id = newId();
      await published(user.client, id);
      const revoke = (keyId: unknown) => admin.post(`${ROTATE}/${keyId}/revoke`, { reason: 'It leaked.' });
      for (const { key_id: old, state } of await keysOf(world))
        if (String(state) === 'previous') succeeded(await revoke(old));
      const [current] = listOf(succeeded(await admin.post(ROTATE, { overlap_days: 5 })).body.keys);
      refused(await revoke(999), '404 no_such_store_key');
      const previousId = current.endorsed_by;
      const [, previous] = listOf(succeeded(await revoke(previousId)).body.keys);
      assert.equal([String(previous.state), String(previous.revoked_reason)], ['revoked', 'It leaked.']);
      assert.ok(isSigned(previous, previous.revocation, ['waypost-store-revocation-v1', hexOf(previous)]));
      refused(await revoke(previousId), '409 store_key_revoked');
      const [unendorsed] = await keysOf(world);
      assert.equal([unendorsed.endorsed_by, unendorsed.endorsement], [null, null] as never);
      const signers = async () => each(listOf((await nobody.get(pathOf(id))).body.app.signatures), 'key_id');
      assert.not.ok((await signers()).includes(String(previousId)));

      const [replacement, revoked] = listOf(succeeded(await revoke(current.key_id)).body.keys);
      assert.equal([replacement.state, replacement.endorsed_by, revoked.state], ['current', null, 'revoked'] as never);
      assert.is((await signers())[0], String(replacement.key_id));
      assert.not.ok((await signers()).includes(String(current.key_id)));
    });

    test('private keys are in no response, log line or audit entry, and survive a restart', async ({ world }) => {
      const { daemon, admin } = world;
      const before = await keysOf(world);
      await daemon.restart();
      assert.equal(await keysOf(world), before);
      const texts = [
        (await world.nobody.get(KEYS)).text,
        (await admin.post(ROTATE, { overlap_days: 0 })).text,
        (await admin.get('/api/v1/audit?limit=1000')).text,
        ...daemon.logged,
      ].join('\n');
      for (const secret of ['sealed', 'PRIVATE', 'MC4CAQ']) assert.not.ok(texts.includes(secret), secret);
      assert.ok(texts.includes('store_key.rotate'));
    });

    test('a list is revalidated, and changes with each app', async ({ world }) => {
      const { nobody, user } = world;
      const row = await published(user.client, newId());
      const tag = async () => String((await nobody.get(STORE)).headers.get('etag'));
      const before = await tag();
      assert.is((await nobody.get(STORE, { 'if-none-match': before })).status, 304);
      succeeded(await withdraw(user.client, row));
      const after = await nobody.get(STORE, { 'if-none-match': before });
      assert.is(after.status, 200);
      assert.not(each(listOf(after.body.apps), 'app_id').includes(String(row.app_id)));
    });

    test('without the secret key of its store key, a node serves no apps until that key is revoked', async ({
      world,
    }) => {
      const { daemon, nobody, user, admin } = world;
      const id = newId();
      await published(user.client, id);
      const [current] = await keysOf(world);
      const original = readFileSync(daemon.keyFile);
      writeFileSync(daemon.keyFile, `${Buffer.alloc(32, 7).toString('base64')}\n`);
      await daemon.restart();
      for (const path of [STORE, pathOf(id), pathOf(id, '/package')])
        refused(await nobody.get(path), '503 store_unavailable');
      refused(await admin.post(ROTATE, {}), '503 store_unavailable');
      assert.match(daemon.logged.join('\n'), /cannot decrypt the store key/);
      for (const { key_id: keyId, state } of await keysOf(world))
        if (['current', 'previous'].includes(String(state)))
          succeeded(await admin.post(`${ROTATE}/${keyId}/revoke`, { reason: 'It is lost.' }));
      const [replacement, lost] = await keysOf(world);
      assert.equal([lost.key_id, lost.state, lost.revocation], [current.key_id, 'revoked', null] as never);
      const { app } = succeeded(await nobody.get(pathOf(id))).body;
      assert.ok(isSigned(replacement, app.signature, packageLines(id, 1, app.sha256)));
      // With both keys, everything can be decrypted.
      writeFileSync(daemon.keyFile, Buffer.concat([original, readFileSync(daemon.keyFile)]));
      await daemon.restart();
      succeeded(await nobody.get(pathOf(id)));
    });

    test('slow clients of a large package use little memory, and receive all of it', async ({ world }) => {
      const id = newId();
      await published(world.user.client, id, 1, 'x'.repeat(LARGE));
      const path = pathOf(id, '/package');
      const { sha256, size } = succeeded(await world.nobody.get(pathOf(id))).body.app;
      const { port } = new URL(world.daemon.url);
      const open = async (): Promise<Socket> => {
        const socket = connect({ port: Number(port), host: '127.0.0.1' });
        await once(socket, 'connect');
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        return socket.pause();
      };
      const memory = (): number => {
        collectGarbage();
        return process.memoryUsage().arrayBuffers;
      };
      const start = memory();
      const sockets = await Promise.all(Array.from({ length: 30 }, open));
      await sleep(300);
      const held = memory() - start;
      // The whole package for each would be twice as much.
      assert.ok(held < LARGE * 15, `${held} bytes for 30 clients`);
      for (const socket of sockets.slice(1)) socket.destroy();
      const [slow] = sockets;
      const received: Buffer[] = [];
      let length = 0;
      for await (const chunk of slow.resume()) {
        received.push(chunk as Buffer);
        length += (chunk as Buffer).length;
        if (received.length % 16 === 0) await sleep(1);
        if (length >= Number(size) && Buffer.concat(received).length - headerEnd(received) >= Number(size)) break;
      }
      const all = Buffer.concat(received);
      const body = all.subarray(headerEnd(received));
      assert.is(createHash('sha256').update(body).digest('hex'), String(sha256));
      assert.match(all.toString('latin1', 0, headerEnd(received)), new RegExp(`content-length: ${size}\r\n`, 'i'));
    });
  },
  { ...SETTINGS, WAYPOST_PACKAGES_MAX_BYTES: String(2 * LARGE), WAYPOST_PACKAGES_STORE_RATE_LIMIT: '0' },
);

const headerEnd = ([first]: readonly Buffer[]): number => first.indexOf('\r\n\r\n') + 4;

await everywhere(
  'store, limited',
  (test) => {
    test('requests of one client network are limited', async ({ world }) => {
      const answers: string[] = [];
      for (const path of [STORE, KEYS, pathOf('com.example.a'), STORE])
        answers.push(outcome(await world.nobody.get(path)));
      assert.equal(answers, ['200', '200', '404 no_such_app', '429 too_many_requests']);
    });
  },
  { WAYPOST_PACKAGES_STORE_RATE_LIMIT: '3' },
);
