/** The issued SDKs over HTTP, and a package that contains one. */
import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ZipFile } from 'yazl';
import { newApp } from '../../../admin-api/cli/pkg-template.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { ISSUED_SDKS } from '../../../core/miniapp/sdk/issued.ts';
import { readIssued } from '../../../core/miniapp/sdk/issued-files.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { learn } from '../contract/held.ts';
import { Client, each, everywhere, refused, succeeded } from '../contract/world.ts';
import { type Json, listOf, startDaemon } from '../daemon.ts';
import { settled } from './client.ts';
import { packageForm, UPLOAD } from './package.ts';

const SDKS = '/api/dev/sdk';

await everywhere('issued SDKs', (test) => {
  test('the list has every version, and each file has the bytes of its hash', async ({ world }) => {
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
      assert.is(typings.text, readIssued(String(sdk.version)).typings.toString());
      assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
      for (const { headers } of [script, typings]) {
        assert.is(headers.get('cache-control'), 'public, max-age=31536000, immutable');
        assert.is(headers.get('x-content-type-options'), 'nosniff');
      }
    }
  });

  test('another version, or a path in its place, is 404 and is not cached', async ({ world }) => {
    for (const version of ['9.9.9', '..', '%2e%2e', '..%2f..%2fpackage.json', '1.0.0%00', '__proto__'])
      for (const file of ['host-sdk.js', 'host-sdk.d.ts']) {
        const answer = await fetch(`${world.daemon.url}${SDKS}/${version}/${file}`);
        assert.is(answer.status, 404, version);
        assert.is(answer.headers.get('cache-control'), null);
      }
    refused(await world.nobody.get(`${SDKS}/${ISSUED_SDKS[0].version}/other.js`), '404 no_such_endpoint');
  });
});

const test = suite<{ folder: string }>('packages with an issued SDK');
test.before((context) => {
  context.folder = temporaryFolder('sdk');
});

const WORKERS = new URL('../../../admin-api/packages/', import.meta.url);

async function packed(folder: string, name: string, sdk?: Uint8Array): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [path, content] of Object.entries(newApp({ id: 'com.example.real', name, sdk })))
    archive.addBuffer(Buffer.from(content as Uint8Array), path);
  archive.end();
  const path = join(folder, `${name}.pkg`);
  await pipeline(archive.outputStream, createWriteStream(path));
  return readFileSync(path);
}

/** Uploads a package to a daemon with the real audit. */
async function audited(content: Buffer, settings: Record<string, string>): Promise<Json> {
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
    return await settled(client, succeeded(await client.send('POST', UPLOAD, packageForm(content))).body.upload);
  } finally {
    await daemon.stop();
  }
}

test('a new app is approved without any configuration', async ({ folder }) => {
  const upload = await audited(await packed(folder, 'new'), {});
  assert.equal([String(upload.status), listOf(upload.audit.findings)], ['approved', []]);
});

test('with a withdrawn version or another file it is rejected, and the finding has the next step', async ({
  folder,
}) => {
  const { version } = ISSUED_SDKS[0];
  const own = Buffer.from('window.Host = window.__host;\n');
  const hash = createHash('sha256').update(own).digest('hex');
  const settings = { WAYPOST_PACKAGES_WITHDRAWN_SDKS: version, WAYPOST_PACKAGES_SDKS: `7.0.0=${hash}` };
  const withdrawn = await audited(await packed(folder, 'withdrawn'), settings);
  const [finding] = listOf(withdrawn.audit.findings);
  assert.equal([String(withdrawn.status), String(finding.code)], ['rejected', 'sdk_withdrawn']);
  assert.match(String(finding.message), /was withdrawn; "waypost pkg sdk FOLDER"/);
  assert.is(String((await audited(await packed(folder, 'own', own), settings)).status), 'approved');
  const unknown = await audited(await packed(folder, 'unknown', own), {});
  assert.is(String(unknown.status), 'rejected');
  const messages = each(
    listOf(unknown.audit.findings).filter(({ code }) => String(code) === 'sdk_unknown'),
    'message',
  );
  assert.match(messages.join(), new RegExp(`\\(${version}\\).*pkg sdk FOLDER`));
});

test.run();
