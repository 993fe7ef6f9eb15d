/**
 * A node that was removed: whatever it changes in its folder, it is no member again without an
 * invitation, and its certificate opens nothing, also when another node has its name.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, environment, runCommand, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';
import { startEtcd } from '../peers/etcd.ts';

const PATHS = ['/v1/snapshot', '/v1/applied', '/v1/statistics/', '/v1/requests/1', `/v1/blobs/${'0'.repeat(64)}`];

/** The status of each path of a node's peer channel, with the certificate in a folder. */
async function statuses(port: number, folder: string): Promise<number[]> {
  const read = (name: string): string => readFileSync(join(folder, 'cluster', name), 'utf8');
  const connect = { ca: read('ca.pem'), cert: read('node.pem'), key: read('node.key'), servername: 'node-1' };
  const dispatcher = new Agent({ connect });
  try {
    return await Promise.all(
      PATHS.map(async (path) => {
        const { statusCode, body } = await request(`https://127.0.0.1:${port}${path}`, { dispatcher });
        body.on('error', () => {});
        body.destroy();
        return statusCode;
      }),
    );
  } finally {
    await dispatcher.destroy();
  }
}

test('a removed node stays out, with its old folder and with its old certificate', async () => {
  const folder = temporaryFolder('removed');
  const etcd = await startEtcd();
  const peerPort = await freePort();
  const shared = { WAYPOST_ETCD_ENDPOINTS: etcd.endpoint };
  const dataOf = (name: string): string => join(folder, name);
  const envOf = (name: string): Record<string, string> => ({ ...shared, WAYPOST_DATA_DIR: dataOf(name) });
  const daemons: Daemon[] = [];
  const run = async (name: string, ...args: string[]): Promise<string> => {
    const { code, output } = await runCommand(['cluster', ...args], environment(envOf(name)));
    assert.is(code, 0, output);
    return output;
  };
  const start = async (name: string, folderName: string, port: number): Promise<Daemon> => {
    const daemon = await startDaemon({
      ...{ ...envOf(folderName), WAYPOST_NODE_NAME: name, WAYPOST_PEER_LISTEN: `127.0.0.1:${port}` },
    });
    daemons.push(daemon);
    return daemon;
  };
  try {
    // 1. Two nodes, the second by an invitation.
    const first = environment({ ...envOf('node-1'), WAYPOST_NODE_NAME: 'node-1' });
    const begun = await runCommand(['cluster', 'init'], first);
    assert.is(begun.code, 0, begun.output);
    const remaining = await start('node-1', 'node-1', peerPort);
    await remaining.api.logIn('admin', ADMIN_PASSWORD);
    const invitation = join(folder, 'node-2.invitation');
    await run('node-1', 'invite', 'node-2', '--out', invitation);
    await run('node-2', 'join', invitation);
    const two = await start('node-2', 'node-2', await freePort());
    assert.equal((await statuses(peerPort, dataOf('node-2')))[0], 200, 'a member gets a snapshot');

    // 2. It is removed. It comes back with another id, and then as another process of its name.
    await two.stop();
    await run('node-1', 'remove', 'node-2');
    const refused = async (expected: RegExp): Promise<void> => {
      const { code, output } = await runCommand(['serve'], two.env);
      assert.is(code, 1, output);
      assert.match(output, expected);
    };
    await refused(/was removed from the cluster.*waypost cluster invite node-2/s);
    rmSync(join(dataOf('node-2'), 'node.id'));
    await refused(/was removed from the cluster.*waypost cluster invite node-2/s);
    rmSync(join(dataOf('node-2'), 'waypost.mdb'));
    rmSync(join(dataOf('node-2'), 'node.id'), { force: true });
    await refused(/was removed from the cluster.*waypost cluster invite node-2/s);
    const again = await runCommand(['cluster', 'join', invitation], environment(envOf('node-2')));
    assert.match(again.output, /already node-2/);
    await refused(/was removed from the cluster/);
    assert.equal(
      await statuses(peerPort, dataOf('node-2')),
      PATHS.map(() => 403),
    );
    const { body } = await remaining.api.call('POST', '/api/v1/domains', { domain: 'alone.example' });
    assert.equal(body.sync, { seq: (body.sync as { seq: number }).seq, applied: ['node-1'], pending: [] });

    // 3. Another machine gets the name. The old certificate stays refused.
    const second = join(folder, 'again.invitation');
    await run('node-1', 'invite', 'node-2', '--out', second);
    await run('heir', 'join', second);
    const heir = await start('node-2', 'heir', await freePort());
    await untilPasses(async () => assert.is((await statuses(peerPort, dataOf('heir')))[0], 200));
    assert.equal(
      await statuses(peerPort, dataOf('node-2')),
      PATHS.map(() => 403),
    );
    await heir.stop();
    await refused(/was removed from the cluster/);

    // 4. An invitation that was not used is withdrawn with the name.
    const third = join(folder, 'third.invitation');
    await run('node-1', 'invite', 'node-3', '--out', third);
    await run('node-3', 'join', third);
    await run('node-1', 'remove', 'node-3');
    const late = await runCommand(['cluster', 'join', third], envOf('late'));
    assert.is(late.code, 1);
    assert.match(late.output, /The invitation was used before, was withdrawn/);
    const { code, output } = await runCommand(['serve'], {
      ...heir.env,
      ...{ ...envOf('node-3'), WAYPOST_NODE_NAME: 'node-3', WAYPOST_PEER_LISTEN: `127.0.0.1:${await freePort()}` },
    });
    assert.is(code, 1, output);
    assert.match(output, /was removed from the cluster/);
  } finally {
    for (const daemon of daemons) await daemon.close();
    await etcd.stop();
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a removed node, ${why}`);
