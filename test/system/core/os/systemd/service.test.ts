/** Notifications to systemd, received as systemd receives it. */
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../../core/base/log/index.ts';
import { Notifier, Service } from '../../../../../core/os/systemd/service.ts';
import { removeFolder, temporaryFolder } from '../../../../support/temp.ts';
import { type Receiver, startReceiver } from './receiver.ts';

async function withReceiver(work: (receiver: Receiver, path: string) => Promise<void>, isAbstract = false) {
  const folder = temporaryFolder('notify');
  const path = isAbstract ? `@waypost-${randomBytes(8).toString('hex')}` : join(folder, 'notify');
  const receiver = await startReceiver(path);
  try {
    await work(receiver, path);
  } finally {
    await receiver.stop();
    removeFolder(folder);
  }
}

function serviceAt(path: string, more: NodeJS.ProcessEnv = {}) {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', format: 'json', write: (line) => void lines.push(line) });
  const env: NodeJS.ProcessEnv = { NOTIFY_SOCKET: path, PATH: '/bin', ...more };
  return { service: new Service({ env, log }), lines, env };
}

for (const isAbstract of [false, true])
  test(`a datagram arrives whole, ${isAbstract ? 'in the abstract namespace' : 'by a path'}`, () =>
    withReceiver(async (receiver, path) => {
      const notifier = new Notifier(path);
      notifier.send('READY=1', 'STATUS=first\nSTOPPING=1 — ü');
      await receiver.until(/STATUS/);
      assert.equal(receiver.messages(), [['READY=1', 'STATUS=first STOPPING=1 — ü']]);
      notifier.close();
    }, isAbstract));

test('messages that cannot be sent are sent later', async () => {
  const folder = temporaryFolder('notify');
  const path = join(folder, 'notify');
  const notifier = new Notifier(path);
  notifier.send('READY=1');
  await sleep(50);
  const receiver = await startReceiver(path);
  await receiver.until(/^READY=1$/);
  notifier.close();
  await receiver.stop();
  removeFolder(folder);
});

test('messages keep their order while some wait', async () => {
  const folder = temporaryFolder('notify');
  const path = join(folder, 'notify');
  const receiver = await startReceiver(`${path}.bound`);
  const notifier = new Notifier(path);
  notifier.send('RELOADING=1');
  renameSync(`${path}.bound`, path);
  notifier.send('READY=1');
  await receiver.until(/^READY=1$/);
  assert.equal(receiver.messages(), [['RELOADING=1'], ['READY=1']]);
  notifier.close();
  await receiver.stop();
  removeFolder(folder);
});

test('an invalid path is reported, and the service goes on', () => {
  for (const path of ['relative', '@', '/', `/${'x'.repeat(200)}`]) {
    assert.throws(() => new Notifier(path), /NOTIFY_SOCKET is not the path of a socket/);
    const { service, lines } = serviceAt(path);
    service.ready({ status: () => 'serving', silentThreads: () => [] });
    service.close();
    assert.match(lines.join(''), /cannot notify systemd/);
  }
  const { service, lines } = serviceAt('');
  service.ready();
  service.close();
  assert.equal(lines, []);
});

test('ready, reloading, ready again, stopping; more time until ready; children do not inherit the socket', () =>
  withReceiver(async (receiver, path) => {
    const { service, env } = serviceAt(path);
    assert.equal(env, { PATH: '/bin' });
    let at = await receiver.until(/^EXTEND_TIMEOUT_USEC=60000000$/);
    service.ready({ status: () => 'serving', silentThreads: () => [] });
    at = await receiver.until(/^READY=1$/, at);
    assert.ok(receiver.messages()[at - 1].includes('STATUS=serving'));
    const before = process.hrtime.bigint() / 1000n;
    service.reloading();
    at = await receiver.until(/^RELOADING=1$/, at);
    const [, time] = /^MONOTONIC_USEC=(\d+)$/.exec(receiver.messages()[at - 1][1]) ?? [];
    assert.ok(BigInt(time) >= before && BigInt(time) <= process.hrtime.bigint() / 1000n);
    service.ready();
    at = await receiver.until(/^READY=1$/, at);
    service.stopping();
    await receiver.until(/^STOPPING=1$/, at);
    await receiver.until(/^STATUS=stopping$/, at);
    service.close();
    assert.not.ok(receiver.messages().flat().includes('WATCHDOG=1'), 'there is no watchdog');
  }));

test('the watchdog is notified as long as all threads answer', () =>
  withReceiver(async (receiver, path) => {
    const { service, lines } = serviceAt(path, { WATCHDOG_USEC: '400000', WATCHDOG_PID: String(process.pid) });
    const silent: string[] = [];
    const requested = new Set<number>();
    service.ready({
      status: () => 'serving',
      silentThreads(ms) {
        requested.add(ms);
        return silent;
      },
    });
    const first = await receiver.until(/^WATCHDOG=1$/, await receiver.until(/^READY=1$/));
    await receiver.until(/^WATCHDOG=1$/, first);
    silent.push('dns udp 1', 'edge 2');
    // What is on its way has come when this has.
    const mark = new Notifier(path);
    mark.send('X_MARK=1');
    const length = await receiver.until(/^X_MARK=1$/);
    await sleep(500);
    mark.send('X_MARK=2');
    assert.is(await receiver.until(/^X_MARK=2$/), length + 1);
    mark.close();
    assert.is(lines.length, 1, 'told once');
    assert.match(lines[0], /a thread does not respond.*dns udp 1, edge 2/);
    silent.length = 0;
    await receiver.until(/^WATCHDOG=1$/, length);
    assert.equal([...requested], [200]);
    service.stopping();
    await receiver.until(/^WATCHDOG=1$/, await receiver.until(/^STOPPING=1$/));
    service.close();
  }));

test('the watchdog of another process is ignored', () =>
  withReceiver(async (receiver, path) => {
    const { service } = serviceAt(path, { WATCHDOG_USEC: '100000', WATCHDOG_PID: '1' });
    service.ready({ status: () => 'serving', silentThreads: () => [] });
    await receiver.until(/^READY=1$/);
    await sleep(100);
    service.close();
    assert.not.ok(receiver.messages().flat().includes('WATCHDOG=1'));
  }));

test.run();
