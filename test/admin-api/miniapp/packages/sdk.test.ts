/** The issued SDKs over HTTP, and a package that contains one. */
import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ZipFile } from 'yazl';
import { ISSUED_SDKS } from '../../../../admin-api/miniapp/sdk/issued.ts';
import { readIssued } from '../../../../admin-api/miniapp/sdk/issued-files.ts';
import { newApp } from '../../../../admin-api/miniapp/templates/templates.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { learn } from '../../contract/held.ts';
import { Client, each, everywhere, refused, succeeded } from '../../contract/world.ts';
import { type Json, listOf, startDaemon } from '../../daemon.ts';
import { settled } from './client.ts';
import { packageForm, UPLOAD } from './package.ts';

const SDKS = '/api/dev/sdk';

await everywhere('issued SDKs', (check) => {
  check('the list has every version, and each file has the bytes of its hash', async ({ world }) => {
    const { nobody } = world;
    const answer = succeeded(await nobody.get(SDKS));
    const sdks = listOf(answer.body.sdks);
    assert.equal(
      each(sdks, 'version'),
      ISSUED_SDKS.map(({ version }) => version),
    );
    assert.is((await nobody.get(SDKS, { 'if-none-match': String(answer.headers.get('etag')) })).status, 304);
    for (const sdk of sdks) {
      assert.is(String(sdk.withdrawn), 'false');
      const script = succeeded(await nobody.get(String(sdk.url)));
      assert.is(createHash('sha256').update(script.text).digest('hex'), String(sdk.sha256));
      assert.is(Buffer.byteLength(script.text), Number(sdk.size));
      const typings = succeeded(await nobody.get(String(sdk.typings_url)));
      const background = succeeded(await nobody.get(String(sdk.background_typings_url)));
      const issued = readIssued(String(sdk.version));
      assert.equal([typings.text, background.text], [issued.typings.toString(), issued.backgroundTypings.toString()]);
      assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
      for (const { headers } of [script, typings, background]) {
        assert.is(headers.get('cache-control'), 'public, max-age=31536000, immutable');
        assert.is(headers.get('x-content-type-options'), 'nosniff');
      }
    }
  });

  check('another version, or a path in its place, is 404 and is not cached', async ({ world }) => {
    for (const version of ['9.9.9', '..', '%2e%2e', '..%2f..%2fpackage.json', '1.0.0%00', '__proto__'])
      for (const file of ['host-sdk.js', 'host-sdk.d.ts', 'background.d.ts']) {
        const answer = await fetch(`${world.daemon.url}${SDKS}/${version}/${file}`);
        assert.is(answer.status, 404, version);
        assert.is(answer.headers.get('cache-control'), 'no-store');
      }
    refused(await world.nobody.get(`${SDKS}/${ISSUED_SDKS[0].version}/other.js`), '404 no_such_endpoint');
  });
});

const test = suite<{ folder: string }>('packages with an issued SDK');
test.before((context) => {
  context.folder = temporaryFolder('sdk');
});

const WORKERS = new URL('../../../../admin-api/miniapp/packages/', import.meta.url);
const OWN = Buffer.from('window.Host = window.__host;\n');

interface Changes {
  readonly sdk?: Uint8Array;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** A new app of its own id for each name. */
async function packed(folder: string, name: string, { sdk, files = {} }: Changes = {}): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [path, content] of Object.entries({ ...newApp({ id: `com.example.${name}`, name, sdk }), ...files }))
    archive.addBuffer(Buffer.from(content as Uint8Array), path);
  archive.end();
  const path = join(folder, `${name}.pkg`);
  await pipeline(archive.outputStream, createWriteStream(path));
  return readFileSync(path);
}

/** A daemon with the real audit. */
async function withAudit(
  settings: Record<string, string>,
  use: (client: Client, audited: (content: Buffer) => Promise<Json>) => Promise<void>,
): Promise<void> {
  const programs = { identify: new URL('identify-worker.js', WORKERS), audit: new URL('audit-worker.js', WORKERS) };
  const daemon = await startDaemon(
    'node',
    settings,
    async () => [],
    () => undefined,
    openEmbeddedJournal,
    programs,
  );
  try {
    await learn(daemon);
    const client = new Client(daemon, daemon.adminToken);
    await use(client, async (content) =>
      settled(client, succeeded(await client.send('POST', UPLOAD, packageForm(content))).body.upload),
    );
  } finally {
    await daemon.stop();
  }
}

const codes = ({ audit }: Json): string[] => each(listOf(audit.findings), 'code');

test('without any configuration, a new app is approved, and the store has what its manifest says', ({ folder }) =>
  withAudit({}, async (client, audited) => {
    const { version } = ISSUED_SDKS[0];
    const unknown = await audited(await packed(folder, 'unknown', { sdk: OWN }));
    assert.is(String(unknown.status), 'rejected');
    const finding = listOf(unknown.audit.findings).find(({ code }) => String(code) === 'sdk_unknown');
    assert.match(String(finding?.message), new RegExp(`\\(${version}\\).*pkg sdk FOLDER`));

    // A picture to the audit, and a page to a browser that guesses.
    const icon = newApp({ id: 'com.example.x', name: 'x' })['icon.png'] as Uint8Array;
    const both = Buffer.concat([icon, Buffer.from('<!doctype html><script>alert(1)</script>')]);
    const page = await audited(await packed(folder, 'page', { files: { 'icon.png': '<!doctype html>' } }));
    assert.equal([String(page.status), codes(page).includes('icon_type')], ['rejected', true]);
    const content = await packed(folder, 'real', { files: { 'icon.png': both } });
    const upload = await audited(content);
    assert.equal([String(upload.status), codes(upload)], ['approved', []]);
    succeeded(await client.post(`/api/dev/uploads/${upload.id}/publish`, {}));

    const { app } = succeeded(await client.get('/api/store/apps/com.example.real')).body;
    const { name, description, category, min_host_version: host, permissions, size } = app;
    assert.equal({ name, description, category, host, permissions, size }, {
      ...{ name: 'real', description: 'Counts taps, and keeps the count.', category: 'tools', host: '1.0.0' },
      ...{ permissions: ['storage'], size: content.length },
    } as never);
    const shown = await fetch(`${client.daemon.url}${app.icon_url}`);
    assert.ok(Buffer.from(await shown.arrayBuffer()).equals(both));
    assert.is(shown.headers.get('content-type'), 'image/png');
    assert.is(shown.headers.get('x-content-type-options'), 'nosniff');
    assert.match(shown.headers.get('content-security-policy') ?? '', /; sandbox$/);
  }));

test('a withdrawn version is rejected with the next step, and an SDK of the operator is accepted', ({ folder }) => {
  const hash = createHash('sha256').update(OWN).digest('hex');
  const settings = {
    WAYPOST_PACKAGES_WITHDRAWN_SDKS: ISSUED_SDKS[0].version,
    WAYPOST_PACKAGES_SDKS: `7.0.0=${hash}`,
  };
  return withAudit(settings, async (_, audited) => {
    const withdrawn = await audited(await packed(folder, 'withdrawn'));
    assert.equal([String(withdrawn.status), codes(withdrawn)], ['rejected', ['sdk_withdrawn']]);
    assert.match(String(listOf(withdrawn.audit.findings)[0].message), /was withdrawn; "waypost pkg sdk FOLDER"/);
    assert.is(String((await audited(await packed(folder, 'own', { sdk: OWN }))).status), 'approved');
  });
});

test.run();
