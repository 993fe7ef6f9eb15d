/** A node that may be behind says so everywhere, takes itself out of the way, and comes back. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { whyNotPrograms } from '../peers/transcript.ts';
import { runCommand } from '../support/daemon.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { startCluster } from './rig.ts';

interface Ready {
  readonly ok: boolean;
  readonly reasons: readonly string[];
  readonly cluster: {
    readonly state: string;
    readonly lag_entries: number;
    readonly lag_seconds: number;
    readonly etcd_seconds: number;
    readonly pending: readonly string[];
  };
}

test('without etcd: not ready past the bound, withdrawn; announced again when it is back', async () => {
  const folder = temporaryFolder('lag');
  const program = join(folder, 'anycast');
  const out = join(folder, 'out');
  writeFileSync(program, `#!/bin/sh\necho "$NODE_NAME $ACTION $STATE" >>${out}; env >>${out}.env\n`, { mode: 0o700 });
  const ran = (node: string): string[] => {
    if (!existsSync(out)) return [];
    const lines = readFileSync(out, 'utf8').trim().split('\n');
    return lines.filter((line) => line.startsWith(`${node} `)).map((line) => line.slice(2));
  };
  const { nodes, etcd, close } = await startCluster(2, {
    WAYPOST_CLUSTER_MAX_LAG: '6',
    WAYPOST_CLUSTER_WITHDRAW_COMMAND: program,
    WAYPOST_CLUSTER_ANNOUNCE_COMMAND: `${program} again`,
  });
  try {
    const [a] = nodes;
    const url = `http://127.0.0.1:${a.adminPort}`;
    const text = async (path: string): Promise<string> => (await a.api.request('GET', path)).text;
    const ready = async (): Promise<Ready> => JSON.parse(await text('/readyz')) as Ready;
    const until = async (isThere: () => Promise<boolean>, what: string): Promise<void> => {
      for (const deadline = Date.now() + 40_000; !(await isThere()); await sleep(100))
        assert.ok(Date.now() < deadline, `${what}\n${await text('/readyz')}\n${a.child.output()}`);
    };
    await until(async () => ran('a').length === 1, 'announced');
    await until(async () => (await ready()).cluster.pending.length === 0, 'all have all');
    const good = await ready();
    assert.equal([good.ok, good.cluster.state, good.cluster.lag_entries], [true, 'following', 0]);

    await etcd.kill();
    await until(async () => !(await ready()).ok, 'not ready');
    const cut = await ready();
    assert.is(cut.cluster.state, 'cut_off');
    assert.ok(cut.cluster.lag_seconds > 5 && cut.cluster.etcd_seconds > 5, JSON.stringify(cut));
    assert.match(cut.reasons[0], /^maybe \d+ seconds behind the cluster: etcd does not answer$/);
    await until(async () => ran('a').length === 2, 'withdrawn');
    const metrics = await text('/metrics');
    assert.match(metrics, /^waypost_cluster_state\{state="cut_off"\} 1$/m);
    assert.match(metrics, /^waypost_cluster_state\{state="following"\} 0$/m);
    assert.ok(Number(/^waypost_cluster_lag_seconds (\S+)$/m.exec(metrics)?.[1]) > 5);
    for (const name of ['lag_entries 0', 'pending_peers 0', 'etcd_contact_age_seconds \\S+'])
      assert.match(metrics, new RegExp(`^waypost_cluster_${name}$`, 'm'));
    const { code, output } = await runCommand(['status', '--url', url], a.env);
    assert.is(code, 1);
    assert.match(output, /cluster: state cut_off, lag_entries 0, lag_seconds \d+(\.\d)?, etcd_seconds/);

    await etcd.again();
    await until(async () => (await ready()).ok && ran('a').length === 3, 'back');
    assert.equal(ran('a'), ['announce following', 'withdraw cut_off', 'announce following']);
    assert.not.match(readFileSync(`${out}.env`, 'utf8'), /WAYPOST|battery staple/);
  } finally {
    await close();
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a node that lags, ${why}`);
