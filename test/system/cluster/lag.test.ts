/** A node that may be behind says so everywhere, takes itself out of the way, and comes back. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { startCluster } from './rig.ts';

/** Seconds. */
const MAX_LAG = 5;

interface Ready {
  readonly ok: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly cluster: {
    readonly state: string;
    readonly lag_entries: number;
    readonly lag_seconds: number;
    readonly etcd_seconds: number;
    readonly pending: readonly string[];
  };
}

interface NodeView {
  readonly name: string;
  readonly is_self: boolean;
  readonly state: string;
}

test('without etcd nodes that reach each other stay ready, also one that starts then; an isolated one withdraws, and returns', async () => {
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
    WAYPOST_CLUSTER_MAX_LAG: String(MAX_LAG),
    WAYPOST_CLUSTER_WITHDRAW_COMMAND: program,
    WAYPOST_CLUSTER_ANNOUNCE_COMMAND: `${program} again`,
  });
  try {
    const [a, b] = nodes;
    const url = `http://127.0.0.1:${a.adminPort}`;
    const text = async (path: string): Promise<string> => (await a.api.request('GET', path)).text;
    const ready = async (node = a): Promise<Ready> =>
      JSON.parse((await node.api.request('GET', '/readyz')).text) as Ready;
    const untilSeen = (condition: () => boolean | Promise<boolean>, what: string): Promise<void> =>
      until(condition, async () => `${what}\n${await text('/readyz')}\n${a.child.output()}`);
    await untilSeen(async () => ran('a').length === 1 && ran('b').length === 1, 'announced');
    await untilSeen(async () => (await ready()).cluster.pending.length === 0, 'all have all');
    const good = await ready();
    const states = async (): Promise<string> => {
      const { nodes: views } = JSON.parse(await text('/api/v1/nodes')) as { nodes: readonly NodeView[] };
      return views.map(({ name, is_self, state }) => `${name} ${is_self} ${state}`).join(', ');
    };
    assert.is(await states(), 'a true following, b false following');
    assert.equal([good.ok, good.warnings, good.cluster.state, good.cluster.lag_entries], [true, [], 'following', 0]);

    // 1. All writes fail, so no node is behind: it says so, and goes on past the bound.
    await etcd.kill();
    await untilSeen(async () => (await ready()).cluster.etcd_seconds > MAX_LAG + 1, 'longer than the bound');
    const without = await ready();
    assert.equal([without.ok, without.cluster.state, without.reasons], [true, 'without_etcd', []]);
    assert.match(without.warnings[0], /^etcd has not responded for \d+ seconds: writes fail until it does$/);
    assert.ok(without.cluster.lag_seconds < MAX_LAG, JSON.stringify(without));
    const refused = await a.api.request('POST', '/api/v1/domains', { domain: 'refused.example' });
    assert.is(refused.status, 503, refused.text);

    // 2. So does one that is started meanwhile: it knows where the others are. What is stopped is
    // withdrawn first.
    assert.is(await b.stop(), 0);
    await b.start();
    await untilSeen(async () => (await ready(b)).ok && ran('b').length === 3, 'ready without etcd');
    assert.equal(ran('b').slice(0, 2), ['announce following', 'withdraw stopping']);
    assert.match(ran('b')[2], /^announce (starting|without_etcd)$/);
    // The first hears no peer until then, and withdraws meanwhile where a start takes longer than
    // the bound.
    await untilSeen(async () => (await ready()).ok && ran('a').at(-1)?.startsWith('announce') === true, 'both go on');

    // 3. A node that hears no peer cannot know.
    await b.kill();
    assert.match(await states(), /^a true \w+, b false unreachable$/);
    await untilSeen(async () => {
      const { ok, cluster } = await ready();
      return !ok && cluster.state === 'cut_off' && cluster.lag_seconds > MAX_LAG;
    }, 'cut off');
    const cut = await ready();
    assert.ok(!cut.ok && cut.cluster.etcd_seconds > MAX_LAG, JSON.stringify(cut));
    assert.match(cut.reasons[0], /^up to \d+ seconds behind the cluster: neither etcd nor another node is reachable$/);
    await untilSeen(async () => ran('a').at(-1)?.startsWith('withdraw') === true, 'withdrawn');
    const metrics = await text('/metrics');
    assert.match(metrics, /^waypost_cluster_state\{state="cut_off"\} 1$/m);
    assert.match(metrics, /^waypost_cluster_state\{state="following"\} 0$/m);
    assert.ok(Number(/^waypost_cluster_lag_seconds (\S+)$/m.exec(metrics)?.[1]) > MAX_LAG);
    for (const name of ['lag_entries 0', 'etcd_contact_age_seconds \\S+'])
      assert.match(metrics, new RegExp(`^waypost_cluster_${name}$`, 'm'));
    const { code, output } = await runCommand(['status', '--url', url], a.env);
    assert.is(code, 1);
    assert.match(output, /cluster: state cut_off, lag_entries 0, lag_seconds \d+(\.\d)?, etcd_seconds/);

    await etcd.again();
    await untilSeen(async () => (await ready()).ok && ran('a').at(-1)?.startsWith('announce') === true, 'back');
    assert.match(
      ran('a').join(),
      /^announce following(,withdraw (without_etcd|cut_off),announce without_etcd)*,withdraw (without_etcd|cut_off),announce following$/,
    );
    assert.not.match(readFileSync(`${out}.env`, 'utf8'), /WAYPOST|battery staple/);
  } finally {
    await close();
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a node that lags, ${why}`);
