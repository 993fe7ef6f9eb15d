/** `waypost cluster local`: a whole cluster by one command, gone with it. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiClient } from '../../support/api-client.ts';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, environment, runCommand } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';

const MAIN = fileURLToPath(new URL('../../../main.js', import.meta.url));
async function start(folder: string, port: number): Promise<{ child: Child; apis: string[] }> {
  const args = ['cluster', 'local', '--nodes', '2', '--folder', folder, '--port', String(port)];
  const env = environment({ WAYPOST_ADMIN_PASSWORD: ADMIN_PASSWORD, WAYPOST_NAMESERVERS: 'ns1.waypost.test' });
  const child = startChild(process.execPath, [MAIN, ...args], env);
  try {
    await child.waitFor(/Ctrl-C stops them all/);
  } catch (error) {
    await child.stop('SIGINT');
    throw error;
  }
  return { child, apis: [...child.output().matchAll(/^ {2}node-\d .* API (http:\S+)$/gm)].map(([, url]) => url) };
}

test('the nodes are one cluster, keep their data, and end with the command', async () => {
  const folder = temporaryFolder('local');
  const port = await freePort();
  try {
    for (const round of [1, 2]) {
      const { child, apis } = await start(folder, port);
      assert.is(apis.length, 2);
      const [client, two] = apis.map((url) => new ApiClient(url));
      for (const api of [client, two]) await api.logIn('admin', ADMIN_PASSWORD);
      const { body } = await client.call('POST', '/api/v1/domains', { domain: `round-${round}.example` });
      assert.equal((body.sync as { applied: string[] }).applied, ['node-1', 'node-2']);
      const [, dataDir] =
        child.output().match(/^Show the state of each node with: WAYPOST_DATA_DIR=(\S+) waypost cluster status$/m) ??
        [];
      const status = await runCommand(['cluster', 'status'], environment({ WAYPOST_DATA_DIR: dataDir }));
      assert.match(status.output, /node-1 +serves, up to date .*\n.*node-2 +serves, up to date /);
      assert.is(((await two.call('GET', '/api/v1/domains')).body.domains as unknown[]).length, round);
      assert.is(await child.stop('SIGINT'), 0, child.output());
      for (const api of [client, two])
        assert.is(
          await api.request('GET', '/healthz').then(
            () => 'answers',
            () => 'gone',
          ),
          'gone',
        );
    }
  } finally {
    removeFolder(folder);
  }
});

/** The process of a node, by its environment. */
function pidOf(parent: number, node: string): number {
  const pids = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').map(Number);
  const found = pids.find((pid) =>
    readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`WAYPOST_NODE_NAME=${node}`),
  );
  assert.ok(found, `${node} does not run`);
  return found;
}

test('the others serve when a node dies, the command says how to look and to start it, and ends with the last node', async () => {
  const folder = temporaryFolder('local');
  try {
    const { child, apis } = await start(folder, await freePort());
    const [one] = apis.map((url) => new ApiClient(url));
    await one.logIn('admin', ADMIN_PASSWORD);
    const first = pidOf(child.pid, 'node-1');
    process.kill(pidOf(child.pid, 'node-2'), 'SIGKILL');
    await child.waitFor(/node-2 exited \(SIGKILL\); one node serves and accepts writes\./);
    await child.waitFor(/^ {2}WAYPOST_DATA_DIR=\S+node-1 waypost cluster status$/);
    await child.waitFor(/^and start node-2 again with:$/);
    await child.waitFor(/^ {2}WAYPOST_NODE_NAME=node-2 WAYPOST_DATA_DIR=.* serve$/);
    await untilPasses(async () =>
      assert.is((await one.request('POST', '/api/v1/domains', { domain: 'survived.example' })).status, 200),
    );
    assert.is(pidOf(child.pid, 'node-1'), first);
    process.kill(first, 'SIGKILL');
    await child.waitFor(/node-1 exited \(SIGKILL\): no node is left/);
    assert.is(await child.ended(), 1);
  } finally {
    removeFolder(folder);
  }
});

test('a missing etcd is named', async () => {
  const folder = temporaryFolder('local');
  const args = ['cluster', 'local', '--folder', folder, '--port', String(await freePort()), '--etcd', '/nowhere/etcd'];
  const { code, output } = await runCommand(args, environment({}));
  assert.is(code, 1);
  assert.match(output, /Cannot start \/nowhere\/etcd: .*ENOENT/);
  removeFolder(folder);
});

test('an impossible folder is named', async () => {
  const args = ['cluster', 'local', '--folder', '/proc/waypost/none', '--port', String(await freePort())];
  const { code, output } = await runCommand(args, environment({}));
  assert.is(code, 1);
  assert.match(output, /Cannot create the folder \/proc\/waypost\/none: ENOENT/);
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a cluster on this machine, ${why}`);
