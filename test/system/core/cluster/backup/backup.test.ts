/** A daemon makes backups in a bucket, and a drill of the latest finds every row and answer. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, runCommand, startDaemon } from '../../../../support/daemon.ts';
import { S3_KEYS, startS3Server } from '../../../../support/s3-server.ts';
import { removeFolder, temporaryFolder } from '../../../../support/temp.ts';
import { untilMatches, untilPasses } from '../../../../support/until.ts';

test('backups and changes reach a bucket on time, and a drill restores them', async () => {
  const folder = temporaryFolder('backup-daemon');
  const s3 = await startS3Server();
  const credentials = join(folder, 'credentials');
  writeFileSync(credentials, `${S3_KEYS.accessKeyId}\n${S3_KEYS.secretAccessKey}\n`, { mode: 0o600 });
  const daemon = await startDaemon({
    WAYPOST_BACKUP_S3_ENDPOINT: s3.endpoint,
    WAYPOST_BACKUP_S3_REGION: 'test-1',
    WAYPOST_BACKUP_S3_BUCKET: s3.bucket,
    WAYPOST_BACKUP_S3_PREFIX: 'test/',
    WAYPOST_BACKUP_S3_CREDENTIALS_FILE: credentials,
    WAYPOST_BACKUP_JOURNAL_INTERVAL: '1',
  });
  try {
    const { api } = daemon;
    await untilPasses(() => assert.match(daemon.child.output(), /backup made/));
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain('signed.example');
    await api.createRecord(id, 'www', 'A', '192.0.2.1');
    await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
    const { body } = await api.call('GET', '/readyz');
    assert.is((body.backup as { count: number }).count, 1);
    const head = async (): Promise<number> => {
      const metrics = (await api.request('GET', '/metrics')).text;
      const [position, sequence] = ['waypost_backup_position', 'waypost_journal_sequence'].map((name) =>
        Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1]),
      );
      return sequence - position;
    };
    await untilPasses(async () => assert.is(await head(), 0));
    const { code, output } = await runCommand(['backup', 'drill', '--json'], daemon.env);
    assert.is(code, 0, output);
    const report = JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? '');
    assert.equal(
      [report.ok, report.areAnswersCompared, report.rows.domains, report.rows.records, report.unsealable],
      [true, true, 1, 1, 0],
      output,
    );
    assert.ok(report.applied > 0 && report.sealed > 0, output);
    assert.ok([...s3.objects.keys()].every((key) => key.startsWith('test/')));
  } finally {
    await daemon.close();
    await s3.close();
    removeFolder(folder);
  }
});

test('after a rotation of the secret key there is a backup that the new key alone restores', async () => {
  const folder = temporaryFolder('backup-rotation');
  const daemon = await startDaemon({ WAYPOST_BACKUP_FOLDER: join(folder, 'backups') });
  const keyFile = join(daemon.dataDir, 'secret.key');
  const old = readFileSync(keyFile, 'utf8').trim();
  const current = Buffer.alloc(32, 7).toString('base64');
  const idOf = (key: string) => createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex').slice(0, 8);
  const list = async () => {
    const { output } = await runCommand(['backup', 'list', '--json'], daemon.env);
    return output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  };
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain('signed.example');
    await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
    await untilPasses(async () => assert.is((await list()).length, 1));
    await daemon.stop();
    writeFileSync(keyFile, `${current}\n${old}\n`);
    await daemon.start();
    await untilPasses(async () => assert.is((await list()).length, 2));
    await daemon.stop();
    const [before, after] = await list();
    assert.equal(
      [before.secretKeyId, after.secretKeyId, after.encrypted.keyId],
      [idOf(old), ...Array(2).fill(idOf(current))],
    );
    writeFileSync(keyFile, `${current}\n`);
    for (const command of ['verify', 'drill']) {
      const { code, output } = await runCommand(['backup', command], daemon.env);
      assert.is(code, 0, output);
    }
    const refused = await runCommand(['backup', 'verify', before.name], daemon.env);
    assert.is(refused.code, 1);
    assert.match(refused.output, new RegExp(`needs the secret key ${idOf(old)}`));
    await daemon.start();
    // The daemon looks at the backups a moment after its start.
    await untilMatches(
      async () => (await runCommand(['doctor', '--json'], daemon.env)).output,
      new RegExp(`secret keys that secrets.key_file lacks: ${idOf(old)}`),
    );
  } finally {
    await daemon.close();
    removeFolder(folder);
  }
});

test.run();
