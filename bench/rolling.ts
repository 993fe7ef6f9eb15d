/**
 * `npm run bench:rolling`: four nodes on one etcd under queries and writes at fixed rates, upgraded
 * one after the other to the next version, which has a higher feature level and a new table. Every
 * query and every write is accounted for.
 *
 * Before a node stops, its withdraw command moves queries and writes to the others, as routers and
 * load balancers do; its announce command moves them back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FEATURE_LEVEL } from '../core/journal/feature-level.ts';
import { removeFolder, temporaryFolder } from '../test/support/temp.ts';
import { type ClusterRig, startCluster } from '../test/system/cluster/rig.ts';
import { countNextRows, makeNextVersion, NEXT } from '../test/system/cluster/suite/next-version.ts';
import { compareStores } from '../test/system/cluster/suite/stores.ts';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { dropsAt } from './rolling/drops.ts';
import type { GeneratorResult } from './rolling/generator.ts';
import { Queries } from './rolling/queries.ts';
import { type Action, Routing } from './rolling/routing.ts';
import { missingAt } from './rolling/verify.ts';
import { Writes, type WritesResult } from './rolling/writes.ts';

const NODES = 4;
const ZONE = 'queries.test';
const NAMES = 1000;
const DOMAINS = 20;
const READY_MS = 120_000;
/** Failures that are printed. */
const SHOWN = 20;

const options = readOptions({
  command: 'npm run bench:rolling --',
  about: 'upgrades four nodes under load, one after the other, and counts lost queries and writes',
  options: {
    rate: { kind: 'number', help: 'queries a second over all nodes; 50,000 without it' },
    writes: { kind: 'number', help: 'writes a second over all nodes; 200 without it' },
    seconds: { kind: 'number', help: 'before the first upgrade and after each; 5 without it' },
    'no-withdraw': { kind: 'flag', help: 'nodes stop without withdrawing; shows what is lost then' },
  },
});
const rate = options.rate ?? 50_000;
const writeRate = options.writes ?? 200;
const seconds = options.seconds ?? 5;
const say = (line: string) => process.stderr.write(`${line}\n`);

interface Upgrade {
  readonly node: string;
  /** Seconds from SIGTERM to the end, from the start to ready, and until traffic is back. */
  readonly stop: number;
  readonly start: number;
  readonly back: number;
}

async function until(what: string, isThere: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + READY_MS; !(await isThere().catch(() => false)); await sleep(100))
    if (performance.now() > end) throw new Error(`${what}: not in ${READY_MS / 1000} s`);
}

const since = (begun: number): number => (performance.now() - begun) / 1000;

interface NodeFields {
  readonly name: string;
  readonly version: string;
  readonly state: string;
  readonly is_live: boolean;
  readonly lag_entries: number | null;
}

/** As `waypost cluster status`, from the view of another node. */
async function isWhole(rig: ClusterRig, from: number): Promise<boolean> {
  const { body } = await rig.nodes[from].api.call('GET', '/api/v1/nodes');
  const nodes = body.nodes as unknown as NodeFields[];
  return nodes.length === NODES && nodes.every(({ state, is_live }) => state === 'following' && is_live);
}

/** A write that only the next version makes. Returns the code of its refusal, or `ok`. */
let comments = 0;
async function writeComment(rig: ClusterRig, node: number, domain: string): Promise<string> {
  const { status, body, text } = await rig.nodes[node].api.request('POST', `/api/v1/domains/${domain}/records`, {
    ...{ name: `comment${++comments}`, type: 'A', content: '192.0.2.1', comment: 'of the next version' },
  });
  if (status === 200) return 'ok';
  const code = (body.error as { code?: string } | undefined)?.code;
  return code === undefined ? text : `${status} ${code}`;
}

async function upgradeNode(rig: ClusterRig, routes: Routing, i: number, program: string): Promise<Upgrade> {
  const node = rig.nodes[i];
  const name = 'abcd'[i];
  let begun = performance.now();
  const code = await node.stop();
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${node.child.output().slice(-3000)}`);
  const stop = since(begun);
  const isBack = options['no-withdraw'] ? Promise.resolve() : routes.next('announce', name);
  begun = performance.now();
  await node.start(program);
  const start = since(begun);
  await isBack;
  const back = since(begun);
  await until(`all nodes follow after the upgrade of ${name}`, () => isWhole(rig, i));
  return { node: name, stop, start, back };
}

const folder = temporaryFolder('rolling');
const main = makeNextVersion(folder);
const routing = await Routing.open(folder);
const cluster = await startCluster(NODES, {
  WAYPOST_DNS_RRL_RATE: '0',
  WAYPOST_DNS_WORKERS: '2',
  WAYPOST_PROTECTION_START_DELAY: '0',
  ...(options['no-withdraw']
    ? {}
    : {
        WAYPOST_CLUSTER_WITHDRAW_COMMAND: routing.command,
        WAYPOST_CLUSTER_ANNOUNCE_COMMAND: routing.command,
      }),
});
try {
  const [{ api }] = cluster.nodes;
  const zone = await api.createDomain(ZONE);
  const post = Array.from({ length: NAMES }, (_, i) => ({
    ...{ name: `h${i}`, type: 'A', content: `192.0.${i >> 8}.${i & 255}`, ttl: 300 },
  }));
  await api.call('POST', `/api/v1/domains/${zone}/records/batch`, { post });
  const names = Array.from({ length: DOMAINS }, (_, i) => `writes${i}.test`);
  const domains: string[] = [];
  for (const name of names) domains.push(await api.createDomain(name));
  await until('all nodes follow', () => isWhole(cluster, 0));

  const ports = cluster.nodes.map(({ dnsPort }) => dnsPort);
  const queries = new Queries({ ports, zone: ZONE, names: NAMES, rate });
  const urls = cluster.nodes.map((node) => node.api.base);
  const writes = new Writes({ urls, token: api.token, domains, rate: writeRate });
  routing.onAction = async (action: Action, name: string) => {
    const node = 'abcd'.indexOf(name);
    await Promise.all([queries.route(node, action === 'announce'), writes.route(node, action === 'announce')]);
    say(`  ${name}: ${action === 'announce' ? 'announced' : 'withdrawn'}`);
  };
  let drops = 0;
  const began = performance.now();
  await sleep(seconds * 1000);
  const upgrades: Upgrade[] = [];
  const refusals: string[] = [];
  for (let i = 0; i < NODES; i++) {
    // The counters of a node's sockets go with them.
    drops += dropsAt(new Set([ports[i]]));
    upgrades.push(await upgradeNode(cluster, routing, i, main));
    const isLast = i === NODES - 1;
    const level = isLast ? NEXT.level : FEATURE_LEVEL;
    await until(`the agreed level is ${level}`, async () => {
      const { body } = await cluster.nodes[i].api.call('GET', '/api/v1/nodes');
      return body.feature_level === level;
    });
    refusals.push(await writeComment(cluster, i, zone));
    const { node, stop, start, back } = upgrades[i];
    say(
      `${node}: stopped in ${stop.toFixed(1)} s, ready after ${start.toFixed(1)} s, traffic back after ${back.toFixed(1)} s; a write of the next version: ${refusals[i]}`,
    );
    await sleep(seconds * 1000);
  }
  const total = since(began);
  const written = await writes.end();
  const queried = await queries.end();
  drops += dropsAt(new Set(ports));

  await until('all nodes follow', () => isWhole(cluster, 0));
  let missing = 0;
  for (const port of ports) {
    const numbers = await missingAt(port, names, writes.acknowledged);
    missing += numbers.length;
    if (numbers.length > 0) say(`missing at port ${port}: ${numbers.slice(0, SHOWN).join(' ')}`);
  }
  const entries = await compareStores(new Map(cluster.nodes.map(({ dataDir }, i) => ['abcd'[i], dataDir])));
  const rows = await Promise.all(cluster.nodes.map(({ dataDir }) => countNextRows(dataDir)));
  const isRefused = refusals.every((code, i) => code === (i === NODES - 1 ? 'ok' : '503 feature_level'));
  const areRowsThere = rows.every((count) => count === 1);
  for (const failure of written.failures.slice(0, SHOWN)) say(`failed: ${failure}`);
  for (const [second, count] of queried.lostAt.slice(0, SHOWN)) say(`lost: ${count} queries of second ${second}`);
  process.stdout.write(
    `\n${describeMachine(['four nodes of two DNS threads each, one etcd, one machine'])}\n\n${reportOf(queried, written, missing, drops, total, upgrades)}\n
Written by the next version while older nodes were there: ${refusals.join(', ')}. Rows of the new table
at each node: ${rows.join(', ')}. Equal stores: ${entries.toLocaleString('en')} entries.\n`,
  );
  const isGood =
    queried.lost + queried.wrong + written.failures.length + missing === 0 &&
    isRefused &&
    areRowsThere &&
    queried.refused === 0;
  process.exitCode = isGood || options['no-withdraw'] ? 0 : 1;
} finally {
  routing.close();
  await cluster.close();
  removeFolder(folder);
}
process.exit();

function reportOf(
  queried: GeneratorResult,
  written: WritesResult,
  missing: number,
  drops: number,
  total: number,
  upgrades: readonly Upgrade[],
): string {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  const ms = (value: number): string => (value < 10 ? value.toFixed(2) : whole(value));
  const longest = (of: (upgrade: Upgrade) => number): string => Math.max(...upgrades.map(of)).toFixed(1);
  return [
    '| | a second | sent | lost | wrong | p50 ms | p99 ms | max ms |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    `| queries | ${whole(queried.sent / queried.seconds)} | ${whole(queried.sent)} | ${queried.lost} | ${queried.wrong} | ${ms(queried.p50)} | ${ms(queried.p99)} | ${ms(queried.max)} |`,
    `| writes | ${whole(written.sent / total)} | ${whole(written.sent)} | ${written.failures.length + missing} | 0 | ${ms(written.p50)} | ${ms(written.p99)} | ${ms(written.max)} |`,
    '',
    `${total.toFixed(0)} s for four upgrades; a node stops in ${longest(({ stop }) => stop)} s at most, is ready after ${longest(({ start }) => start)} s, and has its`,
    `traffic back after ${longest(({ back }) => back)} s. Dropped by full socket buffers: ${drops}. Lost by node: ${queried.lostOf.join(', ')}.`,
    `Sends that the kernel refused, without a listener: ${whole(queried.refused)}. The generator took ${(queried.cpuSeconds / queried.seconds).toFixed(2)} of a core.`,
  ].join('\n');
}
