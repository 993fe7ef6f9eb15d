/**
 * A member of etcd as `waypost cluster init` starts it refuses the certificate of a removed node at
 * its next connection: it can read, write and delete nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import { type Operation, put, range, remove } from '../../../core/journal/etcd-client/messages.ts';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, environment, runCommand, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';

const ACTIONS: Readonly<Record<string, Operation>> = {
  get: range('/waypost/head'),
  put: put('/waypost/head', Buffer.from('x')),
  delete: remove('/waypost/head'),
};

test('etcd refuses the certificate of a removed node', async () => {
  const folder = temporaryFolder('revoked');
  const endpoint = `https://127.0.0.1:${await freePort()}`;
  // The next one is etcd's, for its own peers.
  await freePort();
  const dataOf = (name: string): string => join(folder, name);
  const envOf = (name: string): NodeJS.ProcessEnv => environment({ WAYPOST_DATA_DIR: dataOf(name) });
  const daemons: Daemon[] = [];
  let etcd: Child | undefined;
  const run = async (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> => {
    const { code, output } = await runCommand(['cluster', ...args], env);
    assert.is(code, 0, output);
    return output;
  };
  const gatewayOf = (name: string): EtcdGateway => {
    const read = (file: string): string => readFileSync(join(dataOf(name), 'cluster', file), 'utf8');
    const tls = { ca: read('ca.pem'), certificate: read('node.pem'), key: read('node.key') };
    return new EtcdGateway({ endpoints: [endpoint], timeout: 5000, tls });
  };
  /** Whether etcd did it, over a new connection. */
  const mayDo = async (name: string, operation: Operation): Promise<boolean> => {
    const gateway = gatewayOf(name);
    try {
      await gateway.transaction([], [operation]);
      return true;
    } catch {
      return false;
    } finally {
      await gateway.close();
    }
  };
  try {
    const first = { ...envOf('node-1'), WAYPOST_NODE_NAME: 'node-1' };
    const init = ['init', '--json', '--host', '127.0.0.1', '--etcd', endpoint];
    const { etcd: step } = JSON.parse(await run(first, ...init)) as { etcd: { start: string[] } };
    assert.ok(step.start.includes('--client-crl-file') && step.start.includes('--peer-crl-file'));
    etcd = startChild(step.start[0], [...step.start.slice(1), '--log-level', 'error'], process.env);
    await untilPasses(async () => {
      const { code, output } = await runCommand(['cluster', ...init], first);
      assert.is(code, 0, output);
      assert.ok((JSON.parse(output) as { begun: boolean }).begun);
    });
    const peer = async (): Promise<string> => `127.0.0.1:${await freePort()}`;
    const start = async (name: string): Promise<Daemon> => {
      const daemon = await startDaemon({
        WAYPOST_DATA_DIR: dataOf(name),
        WAYPOST_NODE_NAME: name,
        WAYPOST_ETCD_ENDPOINTS: endpoint,
        WAYPOST_PEER_LISTEN: await peer(),
      });
      daemons.push(daemon);
      return daemon;
    };
    const node = await start('node-1');
    await node.api.logIn('admin', ADMIN_PASSWORD);
    await run(first, 'invite', 'node-2', '--out', join(folder, 'invitation'));
    await run(envOf('node-2'), 'join', join(folder, 'invitation'));
    const removed = await start('node-2');
    for (const action of ['get']) assert.ok(await mayDo('node-2', ACTIONS[action]), `a member: ${action}`);
    await removed.stop();

    await run(first, 'remove', 'node-2');
    await untilPasses(async () => assert.not(await mayDo('node-2', ACTIONS.get)));
    for (const [action, operation] of Object.entries(ACTIONS)) assert.not(await mayDo('node-2', operation), action);
    assert.ok(await mayDo('node-1', ACTIONS.get));
    const { status } = await node.api.call('POST', '/api/v1/domains', { domain: 'after.example' });
    assert.is(status, 200);
    // It cannot read in etcd that it was removed. The other node says so.
    const back = await runCommand(['serve'], removed.env);
    assert.is(back.code, 1, back.output);
    assert.match(back.output, /was removed from the cluster.*waypost cluster invite node-2/s);
    // The list is kept when the daemon starts again, and when another gets the name.
    assert.is(await node.stop(), 0);
    await node.start();
    await run(first, 'invite', 'node-2', '--out', join(folder, 'again'));
    await run(envOf('heir'), 'join', join(folder, 'again'));
    assert.ok(await mayDo('heir', ACTIONS.get));
    assert.not(await mayDo('node-2', ACTIONS.get));
  } finally {
    for (const daemon of daemons) await daemon.close();
    await etcd?.stop('SIGKILL');
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: certificates of removed nodes in etcd, ${why}`);
