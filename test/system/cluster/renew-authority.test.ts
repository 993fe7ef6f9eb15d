/**
 * A cluster gets another authority while it takes writes: the command is interrupted and goes on,
 * nothing is lost, no daemon starts again, and certificates of before open nothing.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import { range } from '../../../core/journal/etcd-client/messages.ts';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, environment, MAIN, runCommand, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until, untilPasses } from '../../support/until.ts';

interface Shown {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

const readShown = (folder: string): Shown => {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { ca: read('ca.pem'), certificate: read('node.pem'), key: read('node.key') };
};

test('another authority takes over while writes go on', async () => {
  const folder = temporaryFolder('renew-authority');
  const endpoint = `https://127.0.0.1:${await freePort()}`;
  // The next one is etcd's, for its own peers.
  await freePort();
  const peerPort = await freePort();
  const dataOf = (name: string): string => join(folder, name);
  const envOf = (name: string): NodeJS.ProcessEnv => environment({ WAYPOST_DATA_DIR: dataOf(name) });
  const daemons: Daemon[] = [];
  const children: Child[] = [];
  let etcd: Child | undefined;
  const run = async (name: string, ...args: string[]): Promise<string> => {
    const { code, output } = await runCommand(['cluster', ...args], { ...envOf(name), WAYPOST_NODE_NAME: name });
    assert.is(code, 0, output);
    return output;
  };
  const atEtcd = async ({ ca, certificate, key }: Shown): Promise<boolean> => {
    const gateway = new EtcdGateway({ endpoints: [endpoint], timeout: 5000, tls: { ca, certificate, key } });
    try {
      await gateway.transaction([], [range('/waypost/head')]);
      return true;
    } catch {
      return false;
    } finally {
      await gateway.close();
    }
  };
  /** Status of the peer channel of node-1; null: no connection. */
  const atPeer = async ({ ca, certificate, key }: Shown): Promise<number | null> => {
    const dispatcher = new Agent({ connect: { ca, cert: certificate, key, servername: 'node-1' } });
    try {
      const { statusCode, body } = await request(`https://127.0.0.1:${peerPort}/v1/statistics/`, { dispatcher });
      await body.dump();
      return statusCode;
    } catch {
      return null;
    } finally {
      await dispatcher.destroy();
    }
  };
  try {
    // 1. A cluster of two, and a node that was removed.
    const init = ['init', '--json', '--host', '127.0.0.1', '--etcd', endpoint];
    const { etcd: step } = JSON.parse(await run('node-1', ...init)) as { etcd: { start: string[] } };
    const startEtcd = (): Child =>
      startChild(step.start[0], [...step.start.slice(1), '--log-level', 'error'], process.env);
    etcd = startEtcd();
    await untilPasses(async () => assert.ok((JSON.parse(await run('node-1', ...init)) as { begun: boolean }).begun));
    const start = async (name: string, port: number): Promise<Daemon> => {
      const daemon = await startDaemon({
        WAYPOST_DATA_DIR: dataOf(name),
        WAYPOST_NODE_NAME: name,
        WAYPOST_ETCD_ENDPOINTS: endpoint,
        WAYPOST_PEER_LISTEN: `127.0.0.1:${port}`,
      });
      daemons.push(daemon);
      return daemon;
    };
    const invited = async (name: string): Promise<void> => {
      await run('node-1', 'invite', name, '--out', join(folder, `${name}.invitation`));
      await run(name, 'join', join(folder, `${name}.invitation`));
    };
    const first = await start('node-1', peerPort);
    await invited('node-2');
    const second = await start('node-2', await freePort());
    await invited('node-3');
    await run('node-1', 'remove', 'node-3');
    await run('node-1', 'invite', 'node-5', '--out', join(folder, 'node-5.invitation'));
    for (const { api } of [first, second]) await api.logIn('admin', ADMIN_PASSWORD);
    const removed = readShown(join(dataOf('node-3'), 'cluster'));
    cpSync(join(dataOf('node-2'), 'cluster'), join(folder, 'before'), { recursive: true });
    const before = readShown(join(folder, 'before'));
    assert.ok(await atEtcd(before));
    assert.is(await atPeer(before), 400);

    // 2. Writes go on. A member of etcd that is to start again does so.
    const written: string[] = [];
    let isOver = false;
    const writer = (async () => {
      for (let i = 0; !isOver; i++) {
        const domain = `w${i}.example`;
        const { status } = await second.api.request('POST', '/api/v1/domains', { domain });
        if (status === 200) written.push(domain);
        await sleep(20);
      }
    })();
    const renew = (): Child => {
      const env = { ...envOf('node-1'), WAYPOST_NODE_NAME: 'node-1' };
      const child = startChild(process.execPath, [MAIN, 'cluster', 'renew-authority'], env);
      children.push(child);
      return child;
    };
    let restarts = 0;
    const follow = async (child: Child): Promise<number | null> => {
      for (let seen = 0; !child.exited(); await sleep(50)) {
        const requests = child.output().split('waiting for node-1: restart the member of etcd').length - 1;
        if (requests <= seen) continue;
        seen = requests;
        restarts++;
        await etcd?.stop('SIGTERM');
        etcd = startEtcd();
      }
      return child.ended();
    };
    const interrupted = renew();
    await until(
      () => /step 1 of 3: waiting for node-1: restart/.test(interrupted.output()),
      () => `it waits\n${interrupted.output()}`,
    );
    await interrupted.stop('SIGKILL');
    const again = renew();
    assert.is(await follow(again), 0, again.output());
    for (const what of [
      'step 1 of 3: node-2 trusts both',
      'step 2 of 3: node-2 has a cert',
      'step 3 of 3: node-1 trusts the new',
    ])
      assert.match(again.output(), what);
    assert.match(again.output(), /Invitations that were not used are void; invite again: node-5/);
    assert.is(restarts, 2, 'etcd is started again for each change of authorities');
    isOver = true;
    await writer;

    // 3. Nothing was lost, and both nodes go on.
    for (const [i, { api, child }] of [first, second].entries()) {
      assert.not(child.exited());
      await untilPasses(async () => {
        const { body, status } = await api.call('POST', '/api/v1/domains', { domain: `after-${i}.example` });
        assert.is(status, 200);
        assert.equal((body.sync as { applied: string[] }).applied, ['node-1', 'node-2']);
      });
      const { body } = await api.call('GET', '/api/v1/domains?limit=1000');
      const names = new Set((body.domains as unknown as { domain: string }[]).map(({ domain }) => domain));
      assert.equal(
        written.filter((domain) => !names.has(domain)),
        [],
      );
    }

    // 4. Certificates of before are worthless, whatever authorities their owner trusts.
    const now = readShown(join(dataOf('node-2'), 'cluster'));
    assert.is.not(now.certificate, before.certificate);
    assert.is(now.key, before.key);
    for (const old of [before, removed]) {
      assert.not(await atEtcd({ ...old, ca: now.ca }));
      assert.is(await atPeer({ ...old, ca: now.ca }), null);
    }
    assert.ok(await atEtcd(now));
    assert.is(await atPeer(now), 400);
    // The new authority invites, and daemons start with what they have stored.
    await invited('node-4');
    assert.is(await second.stop(), 0);
    await second.start();
    await start('node-4', await freePort());
  } finally {
    for (const child of children) await child.stop('SIGKILL');
    for (const daemon of daemons) await daemon.close();
    await etcd?.stop('SIGKILL');
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: another authority of a cluster, ${why}`);
