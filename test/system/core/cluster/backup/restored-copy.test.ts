/**
 * A second installation with the settings of the first: it does not write to its backups, and a
 * restored copy sends nothing to others until it is told to.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, runCommand, startDaemon } from '../../../../support/daemon.ts';
import { removeFolder, temporaryFolder } from '../../../../support/temp.ts';
import { untilMatches, untilPasses } from '../../../../support/until.ts';
import { startReceiver } from '../../observe/webhooks/receiver.ts';

test('a second installation is refused by name, and may claim the backups', async () => {
  const folder = temporaryFolder('shared-backups');
  const settings = { WAYPOST_BACKUP_FOLDER: join(folder, 'backups'), WAYPOST_BACKUP_JOURNAL_INTERVAL: '1' };
  const first = await startDaemon({ ...settings, WAYPOST_NODE_NAME: 'first' });
  await untilPasses(() => assert.match(first.child.output(), /backup made/));
  const second = await startDaemon({ ...settings, WAYPOST_NODE_NAME: 'second' });
  const env = { ...second.env, WAYPOST_URL: `http://127.0.0.1:${second.adminPort}` };
  const run = async (code: number, expected: RegExp, ...args: string[]): Promise<void> => {
    const ended = await runCommand(args, env);
    assert.is(ended.code, code, ended.output);
    assert.match(ended.output, expected);
  };
  try {
    const refusal = /are of another installation: history [0-9a-f]{16} of node first/;
    await untilPasses(async () => {
      const { body } = await second.api.call('GET', '/readyz');
      assert.match(JSON.stringify(body.warnings), refusal);
      assert.match(String((body.backup as { error: string }).error), refusal);
    });
    await run(0, refusal, 'status');
    assert.match((await runCommand(['doctor', '--json'], env)).output, refusal);
    await run(1, refusal, 'backup', 'now');
    await run(0, /they are of history [0-9a-f]{16} of node first/, 'backup', 'list');
    await run(0, /they were of history.*\n.*are now those of history/, 'backup', 'claim');
    await run(0, /holds everything up to change/, 'backup', 'now');
    await first.api.logIn('admin', ADMIN_PASSWORD);
    await first.api.createDomain('noticed.example');
    await untilMatches(async () => JSON.stringify((await first.api.call('GET', '/readyz')).body), /of node second/);
  } finally {
    await Promise.all([first.close(), second.close()]);
    removeFolder(folder);
  }
});

test('a restored copy sends no webhook, request log or NOTIFY until deliveries are resumed', async () => {
  const folder = temporaryFolder('restored-copy');
  const receiver = await startReceiver();
  const secondary = createSocket('udp4').bind(0, '127.0.0.1');
  await once(secondary, 'listening');
  let notices = 0;
  secondary.on('message', () => notices++);
  const settings = {
    WAYPOST_BACKUP_FOLDER: join(folder, 'backups'),
    WAYPOST_TRANSFER_NOTIFY: `127.0.0.1:${(secondary.address() as AddressInfo).port}`,
    WAYPOST_WEBHOOKS_ALLOW_PRIVATE_RECEIVERS: 'true',
  };
  const daemon = await startDaemon(settings);
  const pending = async (): Promise<number> => {
    const { body } = await daemon.api.call('GET', '/api/v1/webhooks/1/deliveries?state=pending');
    return (body.deliveries as unknown[]).length;
  };
  try {
    const { api, env } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain('copied.example');
    await api.call('POST', '/api/v1/webhooks', { url: `${receiver.url}/hook`, events: ['records.changed'] });
    await api.createRecord(id, 'original', 'A', '192.0.2.1');
    await untilPasses(() => assert.ok(receiver.arrived.length === 1 && notices > 0));
    await daemon.stop();
    const made = await runCommand(['backup', 'now'], env);
    assert.is(made.code, 0, made.output);
    const restored = await runCommand(['backup', 'restore', '--replace'], env);
    assert.match(restored.output, /are paused\. If this copy replaces the original: waypost deliveries resume/);

    notices = 0;
    await daemon.start();
    assert.match(daemon.child.output(), /webhooks, request logs and NOTIFY are paused after a restore/);
    await api.createRecord(id, 'copy', 'A', '192.0.2.1');
    await untilPasses(async () => assert.is(await pending(), 1));
    const { body } = await api.call('GET', '/readyz');
    assert.match(
      JSON.stringify(body.warnings),
      /deliveries are paused after the restore of 2.*waypost deliveries resume/,
    );
    const access = { WAYPOST_URL: `http://127.0.0.1:${daemon.adminPort}`, WAYPOST_TOKEN: api.token };
    const command = (verb: string) => runCommand(['deliveries', verb], { ...env, ...access });
    assert.match((await command('status')).output, /paused after the restore of/);
    assert.equal([receiver.arrived.length, notices], [1, 0]);

    const resumed = await command('resume');
    assert.is(resumed.code, 0, resumed.output);
    await untilPasses(async () => {
      assert.is(receiver.arrived.length, 2);
      assert.ok(notices > 0);
      assert.is(await pending(), 0);
    });
    assert.not(/deliveries are paused/.test(JSON.stringify((await api.call('GET', '/readyz')).body)));
  } finally {
    await daemon.close();
    receiver.close();
    secondary.close();
    removeFolder(folder);
  }
});

test.run();
