/** The daemon as systemd starts it: what it reports of start, watchdog, reload and stop. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Notifier } from '../../../core/os/systemd/service.ts';
import { startChild } from '../../support/child.ts';
import { environment, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { startReceiver } from '../core/os/systemd/receiver.ts';

const MAIN = fileURLToPath(new URL('../../../main.js', import.meta.url));

test('notifies systemd when ready, alive, reloaded by SIGHUP and stopping by SIGTERM', async () => {
  const folder = temporaryFolder('systemd');
  const socket = join(folder, 'notify');
  const receiver = await startReceiver(socket);
  const daemon = await startDaemon({
    NOTIFY_SOCKET: socket,
    WATCHDOG_USEC: '6000000',
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${await freePort()}`,
    WAYPOST_EDGE_WORKERS: '1',
  });
  try {
    let at = await receiver.until(/^READY=1$/);
    assert.ok(receiver.messages()[at - 1].includes('STATUS=serving'));
    at = await receiver.until(/^WATCHDOG=1$/, at);
    process.kill(daemon.child.pid, 'SIGHUP');
    at = await receiver.until(/^RELOADING=1$/, at);
    assert.match(receiver.messages()[at - 1].join(' '), /MONOTONIC_USEC=\d+/);
    at = await receiver.until(/^READY=1$/, at);
    // Past the time after which a thread counts as silent: the new ones answer, too.
    await sleep(4000);
    at = await receiver.until(/^WATCHDOG=1$/, receiver.messages().length);
    assert.is(await daemon.stop(), 0);
    await receiver.until(/^STOPPING=1$/, at);
    assert.not.match(daemon.child.output(), /does not respond/);
  } finally {
    await daemon.close();
    await receiver.stop();
    removeFolder(folder);
  }
});

test('SIGHUP before it is ready does not end it: it reloads once ready', async () => {
  const folder = temporaryFolder('systemd');
  const socket = join(folder, 'notify');
  const receiver = await startReceiver(socket);
  const listen = { DNS: await freePort(), ADMIN: await freePort(), EDGE_HTTP: await freePort() };
  const ports = Object.entries(listen).map(([name, port]) => [`WAYPOST_${name}_LISTEN`, `127.0.0.1:${port}`]);
  const child = startChild(
    process.execPath,
    [MAIN, 'serve'],
    environment({
      ...Object.fromEntries(ports),
      NOTIFY_SOCKET: socket,
      WAYPOST_DATA_DIR: join(folder, 'data'),
      WAYPOST_EDGE_HTTPS_LISTEN: 'off',
      WAYPOST_EDGE_WORKERS: '1',
    }),
  );
  try {
    await receiver.until(/^EXTEND_TIMEOUT_USEC=/);
    process.kill(child.pid, 'SIGHUP');
    const at = await receiver.until(/^READY=1$/);
    await receiver.until(/^READY=1$/, await receiver.until(/^RELOADING=1$/, at));
    assert.is(await child.stop(), 0, child.output());
  } finally {
    await child.stop('SIGKILL');
    await receiver.stop();
    removeFolder(folder);
  }
});

test('a stopped process no longer notifies the watchdog', async () => {
  const folder = temporaryFolder('systemd');
  const socket = join(folder, 'notify');
  const receiver = await startReceiver(socket);
  // A look each second. Threads beat once a second too, and count as silent after two.
  const daemon = await startDaemon({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: '4000000' });
  try {
    await receiver.until(/^WATCHDOG=1$/, await receiver.until(/^READY=1$/));
    process.kill(daemon.child.pid, 'SIGSTOP');
    // A traced process, such as under stress, is in the state t.
    while (!/^\d+ \(.*\) [Tt]/.test(readFileSync(`/proc/${daemon.child.pid}/stat`, 'latin1'))) await sleep(5);
    // What is on its way has come when this has.
    const mark = new Notifier(socket);
    mark.send('X_MARK=1');
    const length = await receiver.until(/^X_MARK=1$/);
    await sleep(2000);
    mark.send('X_MARK=2');
    assert.is(await receiver.until(/^X_MARK=2$/), length + 1);
    mark.close();
    process.kill(daemon.child.pid, 'SIGCONT');
    await receiver.until(/^WATCHDOG=1$/, length);
  } finally {
    process.kill(daemon.child.pid, 'SIGCONT');
    await daemon.close();
    await receiver.stop();
    removeFolder(folder);
  }
});

test.run();
