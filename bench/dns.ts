/**
 * `npm run bench:dns -- [--quick] [--only ROW] [--rounds N] [--seconds N] [--window N] [--edns] [--floor]`: queries a second and server CPU time a query of Waypost,
 * Knot and NSD, one query thread each on core 0, the load on core 1. What each figure means stands in README.md beside this file.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Reflector } from './dns/floor.ts';
import { Knot, Nsd } from './dns/peers.ts';
import {
  disturbedCount,
  type RowResult,
  ratioTable,
  type StartResult,
  speedTable,
  startTable,
  verdicts,
} from './dns/report.ts';
import { runRounds } from './dns/rounds.ts';
import { allRows, boundedMemory, type Row } from './dns/rows.ts';
import { type Server, type Started, start } from './dns/servers.ts';
import { Waypost } from './dns/waypost.ts';
import { writeZones } from './dns/zones.ts';
import { describeMachine } from './machine.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    window: { type: 'string', default: '192' },
    edns: { type: 'boolean', default: false },
    floor: { type: 'boolean', default: false },
  },
});
const plan = {
  rounds: Number(options.rounds ?? (options.quick ? 2 : 5)),
  seconds: Number(options.seconds ?? (options.quick ? 2 : 5)),
  window: Number(options.window),
  repeats: options.quick ? 0 : 3,
};
/** Zones, queries and Waypost's data are kept here between runs. */
const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
const say = (line: string) => process.stderr.write(`${line}\n`);

const rows = allRows(options.quick);
for (const id of options.only ?? []) {
  if (!rows.some((row) => row.id === id))
    throw new Error(`No row "${id}"; there are ${rows.map((row) => row.id).join(', ')}.`);
}
const chosen = rows.filter((row) => options.only?.includes(row.id) ?? true);

/** Those that can run here; each that can't is named. */
function installed(servers: readonly Server[]): Server[] {
  return servers.filter((server) => {
    if (server.version() !== null) return true;
    say(`${server.name} is not installed here: it is not measured.`);
    return false;
  });
}

/** Starts them one after the other, each alone on the machine, and leaves them paused. */
async function startAll(
  servers: readonly Server[],
  row: Row,
  zoneFolder: string,
  starts: StartResult[],
): Promise<Started[]> {
  const started: Started[] = [];
  for (const server of servers) {
    const one = await start(server, row.set, zoneFolder, work);
    one.process.pause();
    started.push(one);
    starts.push({ zones: row.set.id, server: server.name, seconds: one.seconds, memory: one.memory });
    say(
      `${server.name} ready on ${row.set.id} after ${one.seconds.toFixed(2)} s, ${Math.round(one.memory.rss / 2 ** 20)} MB resident`,
    );
  }
  return started;
}

mkdirSync(work, { recursive: true });
const peers = installed([new Knot(), new Nsd(), ...(options.floor ? [new Reflector()] : [])]);
const results: RowResult[] = [];
const starts: StartResult[] = [];
let running: { key: string; started: Started[] } = { key: '', started: [] };
for (const row of chosen) {
  say(`\n${row.id}: ${row.text}`);
  const zoneFolder = writeZones(row.set, work);
  const queries = row.queries(work, options.edns);
  const bound = row.bounded ? boundedMemory(row.set) : null;
  if (bound !== null) say(`the index may hold ${bound.toLocaleString('en')} bytes`);
  const subject =
    bound === null ? new Waypost() : new Waypost('Waypost, bounded', { WAYPOST_DNS_INDEX_MEMORY: String(bound) });
  // Rows of the same zones follow one another and share the started servers.
  const key = `${row.set.id} ${subject.name}`;
  if (running.key !== key) {
    for (const { process: old } of running.started) await old.stop();
    running = { key, started: await startAll([...peers, ...installed([subject])], row, zoneFolder, starts) };
  }
  results.push({
    row,
    subject: subject.name,
    figures: await runRounds(running.started, queries, row.way ?? 'udp', plan, say),
  });
}
for (const { process: old } of running.started) await old.stop();

const versions = [...peers, new Waypost()].map((server) => `${server.name}: ${server.version() ?? 'not built'}`);
process.stdout.write(`
${describeMachine(versions)}
- ${plan.rounds} rounds of ${plan.seconds} s, ${plan.window} queries out, EDNS ${options.edns ? 'on' : 'off'}${options.quick ? '; quick run, not for the record' : ''}
- measurements that had to share a core: ${disturbedCount(results)}

${speedTable(results)}

${ratioTable(results)}

${startTable(starts)}
`);
const missed = results.flatMap(verdicts).some(({ met }) => met === false);
process.exit(missed && !options.quick ? 1 : 0);
