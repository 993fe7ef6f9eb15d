/**
 * Backups in a bucket of another implementation, backups that are cut off by SIGKILL at every
 * request, and a restore to a moment by the log in etcd.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3mini } from 's3mini';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, MAIN, runCommand, startDaemon } from '../support/daemon.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { S3_KEYS, startS3Server } from '../support/s3-server.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { until, untilPasses } from '../support/until.ts';
import { startEtcd } from '../system/peers/etcd.ts';
import { SWIFT, SWIFT_KEYS, SWIFT_REGION, startSwift } from '../system/peers/swift.ts';
import { without } from './optional.ts';

const BUCKET = 'waypost-backups';
let folder: string;
test.before(() => {
  folder = temporaryFolder('release-backups');
});
test.after(() => removeFolder(folder));

function credentialsOf({ accessKeyId, secretAccessKey }: typeof S3_KEYS): string {
  const path = join(folder, `credentials-${accessKeyId.replace(/\W/g, '-')}`);
  writeFileSync(path, `${accessKeyId}\n${secretAccessKey}\n`, { mode: 0o600 });
  return path;
}

const bucketSettings = (endpoint: string, region: string, keys: typeof S3_KEYS, bucket = BUCKET) => ({
  WAYPOST_BACKUP_S3_ENDPOINT: endpoint,
  WAYPOST_BACKUP_S3_REGION: region,
  WAYPOST_BACKUP_S3_BUCKET: bucket,
  WAYPOST_BACKUP_S3_CREDENTIALS_FILE: credentialsOf(keys),
});

async function succeeds(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { code, output } = await runCommand(['backup', ...args], env, 120_000);
  assert.is(code, 0, output);
  return output;
}

async function domainsOf({ api }: Daemon): Promise<string[]> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const { body } = await api.call('GET', '/api/v1/domains');
  return (body.domains as { domain: string }[]).map(({ domain }) => domain).sort();
}

/** s3mini sends the length twice, which undici refuses. */
async function createBucket(endpoint: string): Promise<void> {
  const send = (url: string, { headers, ...init }: { headers: Record<string, string> }): Promise<Response> => {
    const { 'content-length': _, ...others } = headers;
    return fetch(url, { ...init, headers: others });
  };
  const client = new S3mini({ endpoint, region: SWIFT_REGION, ...SWIFT_KEYS, fetch: send as typeof fetch });
  await client.createBucket();
}

if (!existsSync(SWIFT)) console.log(`skipped: backups in Swift, ${without('swift-proxy-server')}`);
else
  test('Swift keeps backups and changes, and gives them back', async () => {
    const swift = await startSwift();
    let daemon: Daemon | undefined;
    try {
      await createBucket(`${swift.endpoint}/${BUCKET}`);
      const settings = bucketSettings(swift.endpoint, SWIFT_REGION, SWIFT_KEYS);
      daemon = await startDaemon({ ...settings, WAYPOST_BACKUP_JOURNAL_INTERVAL: '1' });
      const { env, child } = daemon;
      await untilPasses(() => assert.match(child.output(), /backup made/));
      await daemon.api.logIn('admin', ADMIN_PASSWORD);
      await daemon.api.createDomain('in-swift.example');
      await untilPasses(async () => {
        const { rows } = JSON.parse((await succeeds(['drill', '--json'], env)).trim());
        assert.is(rows.domains, 1);
      });
      await succeeds(['verify', '--all'], env);
      await succeeds(['now'], env);
      await daemon.stop();
      assert.match(await succeeds(['restore', '--replace'], env), /holds everything up to change/);
      await daemon.start();
      assert.equal(await domainsOf(daemon), ['in-swift.example']);
    } finally {
      await daemon?.close();
      await swift.close();
    }
  });

test('a backup that is killed at any request is never listed, and the next one is whole', async () => {
  const s3 = await startS3Server({ bucket: BUCKET });
  const daemon = await startDaemon(bucketSettings(s3.endpoint, 'test-1', S3_KEYS));
  const env = { ...daemon.env, WAYPOST_BACKUP_KEEP_LAST: '1', WAYPOST_BACKUP_KEEP_DAILY: '0' };
  try {
    await daemon.stop();
    await succeeds(['now'], env);
    const objects = s3.objects as Map<string, Buffer>;
    const good = new Map(objects);
    for (let request = 1; ; request++) {
      const before = s3.requests.length;
      let isHung = false;
      s3.fault = (_method, _path, count) => {
        isHung ||= count === before + request;
        return isHung ? 'hang' : undefined;
      };
      const child = startChild(process.execPath, [MAIN, 'backup', 'now'], env);
      await until(() => isHung || child.exited(), 'a request hangs, or the end', 60_000);
      await child.stop('SIGKILL');
      s3.fault = () => undefined;
      // The last good backup is there, or a newer one, and all that are listed are whole.
      assert.match(await succeeds(['verify', '--all'], env), /is whole/);
      if (!isHung) break;
      assert.ok(request < 50);
      objects.clear();
      for (const [key, value] of good) objects.set(key, value);
    }
    assert.equal(
      readdirSync(daemon.dataDir).filter((name) => /^backup\./.test(name)),
      [],
    );
  } finally {
    await daemon.close();
    await s3.close();
  }
});

const whyNoEtcd = whyNotPrograms('etcd');
if (whyNoEtcd !== null) console.log(`skipped: a restore by the log in etcd, ${whyNoEtcd}`);
else
  test('a restore goes to a moment by the log in etcd', async () => {
    const etcd = await startEtcd();
    const daemon = await startDaemon({
      WAYPOST_BACKUP_FOLDER: join(folder, 'backups'),
      WAYPOST_BACKUP_JOURNAL_INTERVAL: '0',
      WAYPOST_NODE_NAME: 'a',
    });
    try {
      await daemon.api.logIn('admin', ADMIN_PASSWORD);
      await daemon.stop();
      daemon.env.WAYPOST_ETCD_ENDPOINTS = etcd.endpoint;
      const { code, output } = await runCommand(['cluster', 'init'], daemon.env);
      assert.is(code, 0, output);
      await daemon.start();
      await daemon.api.createDomain('before.example');
      await succeeds(['now'], daemon.env);
      await daemon.api.createDomain('then.example');
      await sleep(1100);
      const moment = new Date().toISOString();
      await sleep(1100);
      await daemon.api.createDomain('after.example');
      await daemon.stop();
      const restored = await succeeds(['restore', '--replace', '--until', moment], daemon.env);
      assert.match(restored, /and \d+ changes up to .*[\s\S]*The log in etcd goes on after that time/);
      daemon.env.WAYPOST_ETCD_PREFIX = '/restored/';
      const begun = await runCommand(['cluster', 'init'], daemon.env);
      assert.is(begun.code, 0, begun.output);
      await daemon.start();
      assert.equal(await domainsOf(daemon), ['before.example', 'then.example']);
    } finally {
      await daemon.close();
      await etcd.stop();
    }
  });

test.run();
