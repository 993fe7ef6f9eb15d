/** Making a cluster, and joining one, broken off halfway and run again. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { initCluster, invite, joinCluster } from '../../../core/cluster/setup.ts';
import { loadConfig } from '../../../core/config/index.ts';
import { StateError } from '../../../core/errors.ts';
import { startEtcd } from '../../peers/etcd.ts';
import { whyNotPrograms } from '../../peers/transcript.ts';
import { temporaryFolder } from '../../support/temp.ts';

const configOf = (name: string, endpoint: string) =>
  loadConfig({
    env: {
      WAYPOST_DATA_DIR: temporaryFolder(name),
      WAYPOST_NODE_NAME: name,
      WAYPOST_ETCD_ENDPOINTS: endpoint,
    },
  });

test('what was broken off halfway can be run again', async () => {
  const etcd = await startEtcd();
  const [first, other] = [configOf('first', etcd.endpoint), configOf('other', etcd.endpoint)];
  const isWhole = ({ dataDir }: typeof first): void => {
    const read = (name: string): string => readFileSync(join(dataDir, 'cluster', name), 'utf8');
    const [authority, own] = [new X509Certificate(read('ca.pem')), new X509Certificate(read('node.pem'))];
    assert.ok(own.verify(authority.publicKey), 'signed by the authority that is there');
    assert.ok(own.checkPrivateKey(createPrivateKey(read('node.key'))), 'for the key that is there');
  };
  await initCluster(first);
  isWhole(first);
  // Each file is made in one step, so that these are the states in which a crash leaves them, with those of earlier versions.
  for (const lacking of [[], ['node.pem'], ['node.pem', 'ca.key'], ['node.pem', 'ca.pem']]) {
    for (const name of ['node.key', ...lacking]) rmSync(join(first.dataDir, 'cluster', name));
    await initCluster(first);
    isWhole(first);
  }
  // The key of another cluster: it fails, and works when that is gone.
  const secrets = join(other.dataDir, 'secret.key');
  writeFileSync(secrets, Buffer.alloc(32, 1).toString('base64'), { mode: 0o600 });
  const before = await invite(first, 'other', []);
  assert.throws(
    () => joinCluster(other, before),
    (error: unknown) => error instanceof StateError && error.code === 'has_key',
  );
  rmSync(secrets);
  joinCluster(other, await invite(first, 'other', []));
  isWhole(other);
  for (const lacking of [[], ['node.pem'], ['node.pem', 'environment'], ['node.pem', 'environment', 'ca.pem']]) {
    for (const name of ['node.key', ...lacking]) rmSync(join(other.dataDir, 'cluster', name));
    // By another invitation than the first time.
    joinCluster(other, await invite(first, 'other', []));
    isWhole(other);
  }
  await etcd.stop();
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: making a cluster anew, ${why}`);
