/** Making a cluster, and joining one, broken off halfway and run again. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StateError } from '../../../../core/base/errors.ts';
import { initCluster, invite, joinCluster } from '../../../../core/cluster/setup.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { freePort } from '../../../support/ports.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { startEtcd } from '../../peers/etcd.ts';

const configOf = (name: string, endpoint: string) =>
  loadConfig({
    env: {
      WAYPOST_DATA_DIR: temporaryFolder(name),
      WAYPOST_NODE_NAME: name,
      WAYPOST_ETCD_ENDPOINTS: endpoint,
    },
  });

test('an interrupted set-up can be run again', async () => {
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
  // Each file is made in one step, so that these are the states in which a crash leaves them, with
  // those of earlier versions.
  for (const lacking of [[], ['node.pem'], ['node.pem', 'ca.key'], ['node.pem', 'ca.pem']]) {
    for (const name of ['node.key', ...lacking]) rmSync(join(first.dataDir, 'cluster', name));
    await initCluster(first);
    isWhole(first);
  }
  // Run again with another etcd and another name, the settings and the certificate are those; where
  // it listens stays.
  const settings = join(first.dataDir, 'cluster/environment');
  const listen = `127.0.0.1:${await freePort()}`;
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}WAYPOST_PEER_LISTEN=${listen}\n`);
  const elsewhere = etcd.endpoint.replace('127.0.0.1', 'localhost');
  await initCluster({ ...first, nodeName: 'renamed', etcd: { ...first.etcd, endpoints: [elsewhere] } });
  isWhole(first);
  assert.is(
    readFileSync(settings, 'utf8'),
    `WAYPOST_NODE_NAME=renamed\nWAYPOST_ETCD_ENDPOINTS=${elsewhere}\nWAYPOST_ETCD_PREFIX=/waypost/\nWAYPOST_PEER_LISTEN=${listen}\n`,
  );
  const renamed = new X509Certificate(readFileSync(join(first.dataDir, 'cluster/node.pem')));
  assert.is(renamed.checkHost('renamed'), 'renamed');
  await initCluster(first);
  assert.match(readFileSync(settings, 'utf8'), `NODE_NAME=first\nWAYPOST_ETCD_ENDPOINTS=${etcd.endpoint}\n`);
  // The key of another cluster: it fails, and works when that is gone.
  const secrets = join(other.dataDir, 'secret.key');
  writeFileSync(secrets, Buffer.alloc(32, 1).toString('base64'), { mode: 0o600 });
  const before = await invite(first, 'other', []);
  const error = await joinCluster(other, before).catch((cause: unknown) => cause);
  assert.ok(error instanceof StateError && error.code === 'has_key', String(error));
  rmSync(secrets);
  await joinCluster(other, await invite(first, 'other', []));
  isWhole(other);
  for (const lacking of [[], ['node.pem'], ['node.pem', 'environment'], ['node.pem', 'environment', 'ca.pem']]) {
    for (const name of ['node.key', ...lacking]) rmSync(join(other.dataDir, 'cluster', name));
    // By another invitation than the first time.
    await joinCluster(other, await invite(first, 'other', []));
    isWhole(other);
  }
  await etcd.stop();
});

test('hosts of either family are in the certificate, the settings and the command of etcd', async () => {
  for (const [host, inUrl] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
  ]) {
    const [port, free] = [await freePort(), await freePort()];
    const config = configOf('first', `https://${inUrl}:${port},https://192.0.2.9:${free}`);
    const { voter, files, isBegun } = await initCluster(config, [host, 'first.example']);
    assert.is(isBegun, false);
    assert.ok(voter.kind === 'begin');
    const read = (file: string): string => readFileSync(file, 'utf8');
    const own = new X509Certificate(read(files.certificate));
    assert.ok(own.checkIP(host) && own.checkHost('first.example') && own.checkHost('first'));
    assert.match(read(files.environment), `WAYPOST_PEER_LISTEN=${inUrl}:8301\n`);
    const of = (option: string): string => voter.start[voter.start.indexOf(option) + 1];
    assert.is(of('--listen-client-urls'), `https://${inUrl}:${port}`);
    assert.is(of('--listen-peer-urls'), `https://${inUrl}:${port + 1}`);
    assert.is(of('--initial-cluster'), `first=https://${inUrl}:${port + 1}`);
    assert.is(of('--trusted-ca-file'), files.ca);
    assert.match(read(files.etcdEnvironment), `ETCD_LISTEN_CLIENT_URLS=https://${inUrl}:${port}\n`);
    // Another host, later: the certificate is made again, by the same authority.
    const ca = read(files.ca);
    await initCluster(config, [host, 'second.example']);
    assert.ok(new X509Certificate(read(files.certificate)).checkHost('second.example'));
    assert.is(read(files.ca), ca);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: making a cluster anew, ${why}`);
