/** The bytes of a package are where they are asked for: pulled from another node, and taken along in a snapshot. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, environment, runCommand, startDaemon } from '../../support/daemon.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { whyNotPrograms } from '../peers/transcript.ts';
import { download, packageIn, upload } from './a-package.ts';
import { startCluster } from './rig.ts';

const urlOf = ({ adminPort }: Daemon): string => `http://127.0.0.1:${adminPort}`;

test('uploaded at one node, given by the other when the first has gone, and by one that has its snapshot', async () => {
  const folder = temporaryFolder('packages');
  const rig = await startCluster(2);
  try {
    const [a, b] = rig.nodes;
    const content = await packageIn(folder);
    const { id, sha256 } = await upload(urlOf(a), a.api, content);
    const at = (dataDir: string): string => join(dataDir, 'blobs', sha256);
    assert.ok(readFileSync(at(a.dataDir)).equals(content));
    assert.equal(await download(urlOf(b), b.api, id), content);
    assert.ok(readFileSync(at(b.dataDir)).equals(content));
    await a.stop();
    assert.equal(await download(urlOf(b), b.api, id), content);

    const file = join(folder, 'snapshot');
    const taken = await runCommand(['cluster', 'snapshot', file], b.env);
    assert.match(taken.output, /holds everything up to change \d+, and one package \(/);
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
