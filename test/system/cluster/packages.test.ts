/**
 * The bytes of a package are where they are asked for: pulled from another node, and taken along in
 * a snapshot.
 */
import { createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, environment, runCommand, startDaemon } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { download, packageIn, upload } from './a-package.ts';
import { startCluster } from './rig.ts';

const urlOf = ({ adminPort }: Daemon): string => `http://127.0.0.1:${adminPort}`;

/** The store of both nodes, from the publication at one to the withdrawal at the other. */
async function checkStore([a, b]: readonly Daemon[], content: Buffer<ArrayBuffer>): Promise<void> {
  const path = '/api/store/apps/com.example.store';
  const get = (node: Daemon, more = '', fields = {}) => fetch(`${urlOf(node)}${path}${more}`, { headers: fields });
  const { id, sha256, status } = await upload(urlOf(a), a.api, content);
  assert.is(status, 'approved');
  await a.api.call('POST', `/api/dev/uploads/${id}/publish`);
  const [first, second] = await Promise.all([a, b].map(async (node) => (await get(node)).json()));
  assert.equal(second, first);
  const keys = await Promise.all([a, b].map(async (node) => (await node.api.call('GET', '/api/store/keys')).body.keys));
  assert.equal(keys[1], keys[0]);
  const [key] = keys[0] as unknown as { key_id: number; public_key_pem: string }[];

  // The other node fetches the bytes, and signs as the first one.
  assert.not.ok(existsSync(join(b.dataDir, 'blobs', sha256)));
  const given = await get(b, '/package');
  assert.ok(Buffer.from(await given.arrayBuffer()).equals(content));
  const { headers } = given;
  const [, signature = ''] = String(headers.get('x-waypost-signature')).split(`${key.key_id}=`);
  const statement = `waypost-store-package-v1\ncom.example.store\n1\n${sha256}\n`;
  assert.ok(
    verify(null, Buffer.from(statement), createPublicKey(key.public_key_pem), Buffer.from(signature, 'base64')),
  );
  const icon = await get(b, '/icon');
  assert.equal([icon.status, icon.headers.get('content-type')], [200, 'image/png']);

  const tags = { 'if-none-match': String(headers.get('etag')) };
  assert.is((await get(a, '/package', tags)).status, 304);
  await b.api.call('DELETE', `/api/dev/uploads/${id}`);
  for (const node of [a, b]) {
    for (const part of ['', '/package', '/icon']) assert.is((await get(node, part, tags)).status, 404, part);
    const { body } = await node.api.call('GET', '/api/store/apps');
    assert.equal([body.apps, body.total], [[], 0]);
  }
}

test('a package uploaded at one node is served by the other when the first is gone, and by one with its snapshot', async () => {
  const folder = temporaryFolder('packages');
  const rig = await startCluster(2);
  try {
    const [a, b] = rig.nodes;
    const content = await packageIn(folder);
    const { id, sha256 } = await upload(urlOf(a), a.api, content);
    const at = (directory: string): string => join(directory, 'blobs', sha256);
    assert.ok(readFileSync(at(a.dataDir)).equals(content));
    assert.equal(await download(urlOf(b), b.api, id), content);
    assert.ok(readFileSync(at(b.dataDir)).equals(content));
    await checkStore([a, b], await packageIn(folder, '', 'com.example.store'));
    await a.stop();
    assert.equal(await download(urlOf(b), b.api, id), content);

    const file = join(folder, 'snapshot');
    const taken = await runCommand(['cluster', 'snapshot', file], b.env);
    assert.match(taken.output, /holds everything up to change \d+, and 2 files of packages \(/);
    const dataDir = join(folder, 'alone');
    const settings = {
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_SECRETS_KEY_FILE: String(b.env.WAYPOST_SECRETS_KEY_FILE),
    };
    const restored = await runCommand(['cluster', 'restore', file], environment(settings));
    assert.is(restored.code, 0, restored.output);
    const alone = await startDaemon(settings);
    try {
      alone.api.token = b.api.token;
      assert.equal(await download(urlOf(alone), alone.api, id), content);
      assert.ok(existsSync(at(dataDir)));
    } finally {
      await alone.close();
    }
  } finally {
    await rig.close();
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: packages in a cluster, ${why}`);
