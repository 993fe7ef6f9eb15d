/**
 * `npm run bench:cluster -- [--quick] [--only ROW] [--rounds N] [--seconds N]`: four nodes and
 * three members of etcd, each node in a network namespace of its own: writes in sync compared with
 * Knot's way from a primary to its secondaries, many writers, and a node that joins.
 * docs/internals/benchmarks.md says what each figure means.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNetwork, type Place } from '../test/support/network.ts';
import { etcdVersion } from './cluster/etcd.ts';
import { type JoinResult, measureJoin } from './cluster/join.ts';
import { type KnotCluster, knotVersion, startKnot } from './cluster/knot.ts';
import { createDomains, type ManyResult, measureMany } from './cluster/many.ts';
import { joinTable, manyTable, type Verdict, writeTable } from './cluster/report.ts';
import { type Cluster, startCluster } from './cluster/waypost.ts';
import { measureWrites, type WriteResult } from './cluster/write.ts';
import { Waypost } from './dns/waypost.ts';
import { bigZones } from './dns/zones.ts';
import { describeMachine } from './machine.ts';
import { COMMON, endWith, readOptions } from './options.ts';
import { percentile } from './writes/statistics.ts';
import { measureSync } from './writes/writers.ts';

const ROWS = ['write', 'write-delay', 'many', 'join'] as const;
const options = readOptions({
  command: 'npm run bench:cluster --',
  about:
    "Four nodes and three members of etcd, each node in a network namespace: writes in sync compared with Knot's way to its secondaries, many writers, a node that joins. Needs root.",
  options: { ...COMMON, only: { kind: 'choices', value: 'ROW', of: ROWS, help: 'a row' } },
});
const NODES = 4;
const CLIENTS = 64;
/**
 * Seconds of writes before those of `many` that count: until four nodes and the generator have been
 * compiled, a write costs half as much again.
 */
const WARM = 40;
/** Milliseconds that each node's packets are late in the row `write-delay`. */
const DELAYS = [10, 50];
const rounds = options.rounds ?? (options.quick ? 1 : 3);
const seconds = options.seconds ?? (options.quick ? 2 : 10);
const writes = options.quick ? 50 : 300;
const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
const say = (line: string) => process.stderr.write(`${line}\n`);
const wanted = (row: (typeof ROWS)[number]) => options.only?.includes(row) ?? true;

const version = new Waypost().version();
if (version === null) endWith('Waypost is not built: run `npm run build` first.');
const etcd = etcdVersion();
if (etcd === null) endWith('etcd is not installed here (Debian: etcd-server).');
const knot = knotVersion();
if (knot === null) say('Knot is not installed here: it is not measured.');
mkdirSync(work, { recursive: true });

/** Before the network: git and the like are asked outside of it. */
const machine = describeMachine([`Waypost: ${version}`, etcd, `Knot: ${knot ?? 'not installed'}`]);
let places: Place[] = [];
try {
  places = openNetwork(NODES);
} catch (error) {
  endWith((error as Error).message);
}

async function withCluster<T>(row: string, measure: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = await startCluster(places, join(work, 'cluster', row));
  try {
    return await measure(cluster);
  } finally {
    await cluster.stop();
  }
}

function delayAll(milliseconds: number): boolean {
  return places.every((host) => host.delay(milliseconds));
}

const spread = (values: readonly number[]) =>
  `p50 ${percentile(values, 50).toFixed(1)} p99 ${percentile(values, 99).toFixed(1)} ms`;

async function write(delay: number): Promise<{ delay: number; result: WriteResult }> {
  let peer: KnotCluster | null = null;
  try {
    if (knot !== null) peer = await startKnot(places, join(work, 'cluster', 'knot'));
    const result = await withCluster('write', async (cluster) => {
      if (delay > 0) delayAll(delay);
      const measured = await measureWrites(cluster, peer, rounds, writes);
      if (delay > 0) delayAll(0);
      return measured;
    });
    const { quiet, waypost, knot: theirs, wrong } = result;
    say(
      `write${delay > 0 ? `, links of ${delay} ms` : ''}: answered ${spread(quiet.answered)}, served everywhere ${spread(waypost.served)}, Knot's ${spread(theirs.served)}, ${wrong} wrong`,
    );
    return { delay, result };
  } finally {
    await peer?.stop();
  }
}

async function many(): Promise<ManyResult[]> {
  return await withCluster('many', async (cluster) => {
    const domains = await createDomains(cluster, CLIENTS);
    await measureMany(cluster, domains, options.quick ? 2 : WARM, 'warm');
    const results: ManyResult[] = [];
    for (let round = 0; round < rounds; round++) {
      const manyResult = await measureMany(cluster, domains, seconds, `r${round}`);
      results.push(manyResult);
      say(
        `many: ${manyResult.perSecond.toFixed(0)} writes/s, ${spread(manyResult.milliseconds)}, CPU µs a write: nodes ${manyResult.cpu.nodes.toFixed(0)}, etcd ${manyResult.cpu.etcd.toFixed(0)}, generator ${manyResult.cpu.generator.toFixed(0)}; refused ${[...manyResult.refused].join(' ') || 'none'}`,
      );
    }
    return results;
  });
}

const join1M = (): Promise<JoinResult> =>
  withCluster('join', (cluster) => measureJoin(cluster, bigZones(options.quick ? 50 : 1000), work, rounds, say));

const verdicts: Verdict[] = [];
const notes: string[] = [];
const syncs = measureSync(work, 1);
if (wanted('write')) verdicts.push(writeTable([await write(0)]));
if (wanted('write-delay')) {
  if (delayAll(DELAYS[0])) {
    delayAll(0);
    const results: { delay: number; result: WriteResult }[] = [];
    for (const delay of DELAYS) results.push(await write(delay));
    verdicts.push(writeTable(results));
  } else notes.push('- no rows with delay: this kernel has no netem (sch_netem)');
}
if (wanted('many')) verdicts.push(manyTable(await many(), CLIENTS));
if (wanted('join')) verdicts.push(joinTable(await join1M()));

const about = [
  `- ${rounds} rounds; ${writes} writes a round one at a time, ${seconds} s of many${options.quick ? '; quick run, not for the record' : ''}`,
  `- the disk alone: ${Math.round(syncs).toLocaleString('en')} synced writes/s, one after another`,
  ...notes,
].join('\n');
process.stdout.write(`\n${machine}\n${about}\n\n${verdicts.map(({ text }) => text).join('\n\n')}\n`);
for (const host of places) host.close();
process.exit(verdicts.some(({ met }) => !met) && !options.quick ? 1 : 0);
