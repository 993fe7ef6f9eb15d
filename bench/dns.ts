/**
 * `npm run bench:dns -- [--quick] [--only ROW] [--rounds N] [--seconds N] [--window N] [--edns]
 * [--knot KNOTD]`: queries a second and server CPU time a query of Waypost, Knot and NSD, one query
 * thread each on core 0, the load on core 1. docs/internals/benchmarks.md explains each figure.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLOOD_ROW, FLOOD_TEXT, type FloodFigures, floodMet, floodTable, runFlood } from './dns/flood.ts';
import { Reflector } from './dns/floor.ts';
import { KNOT_STREAM_THREADS, Knot, Nsd } from './dns/peers.ts';
import { PowerDns } from './dns/powerdns.ts';
import { mixLoad, writeQueries } from './dns/queries.ts';
import {
  disturbedCount,
  ownTable,
  ownVerdicts,
  type RowResult,
  ratioTable,
  type StartResult,
  savedRows,
  speedTable,
  startTable,
  verdicts,
} from './dns/report.ts';
import { runRounds } from './dns/rounds.ts';
import { allRows, boundedMemory, type Row, UNGUARDED, UNSIGNED, UNSTEERED } from './dns/rows.ts';
import { type Server, type Started, start } from './dns/servers.ts';
import { Waypost } from './dns/waypost.ts';
import { mixZones, writeZones, type ZoneSet } from './dns/zones.ts';
import { describeMachine } from './machine.ts';
import { COMMON, readOptions, SAVE } from './options.ts';
import { saveRun } from './results.ts';

/** All rows of signed zones but that of the most. */
const SIGNED = 'dnssec';
const BIG_SIGNED = 'dnssec-big';

const options = readOptions({
  command: 'npm run bench:dns --',
  about: 'Queries a second and server CPU time a query of Waypost, Knot and NSD, one query thread each.',
  options: {
    ...COMMON,
    ...SAVE,
    only: {
      kind: 'choices',
      value: 'ROW',
      of: [...allRows(true).map(({ id }) => id), SIGNED, FLOOD_ROW],
      help: 'a row',
    },
    window: { kind: 'number', help: 'queries that are out at a time; 192' },
    edns: { kind: 'flag', help: 'queries have EDNS' },
    knot: { kind: 'text', value: 'KNOTD', help: 'another Knot than the installed one' },
  },
});
const plan = {
  rounds: options.rounds ?? (options.quick ? 2 : 5),
  seconds: options.seconds ?? (options.quick ? 2 : 5),
  window: options.window ?? 192,
  repeats: options.quick ? 0 : 3,
};
/** Zones, queries and Waypost's data are kept here between runs. */
const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
const say = (line: string) => process.stderr.write(`${line}\n`);

const rows = allRows(options.quick);
const chosen = rows.filter(
  ({ id }) =>
    options.only?.some(
      (only) => only === id || (only === SIGNED && id.startsWith(`${SIGNED}-`) && id !== BIG_SIGNED),
    ) ?? true,
);

/** Those that can run here; each that cannot is named. */
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
  set: ZoneSet,
  zoneFolder: string,
  startTimes: StartResult[],
): Promise<Started[]> {
  const started: Started[] = [];
  for (const server of servers) {
    const item = await start(server, set, zoneFolder, work);
    item.process.pause();
    started.push(item);
    startTimes.push({ zones: set.id, server: server.name, seconds: item.seconds, memory: item.memory });
    say(
      `${server.name} ready on ${set.id} after ${item.seconds.toFixed(2)} s, ${Math.round(item.memory.rss / 2 ** 20)} MB resident`,
    );
  }
  return started;
}

/** Waypost without what it can do without, next to another. */
const unguarded = (): Server => new Waypost(UNGUARDED, { WAYPOST_DNS_COOKIES: 'off', WAYPOST_DNS_RRL_RATE: '0' }, 1);

/** The client's network is limited like any other here; as it comes, loopback addresses are not. */
async function measureFlood(): Promise<FloodFigures[]> {
  say(`\n${FLOOD_ROW}: ${FLOOD_TEXT}`);
  const set = mixZones();
  const limiting = new Waypost('Waypost', { WAYPOST_DNS_RRL_ALLOW: 'false' });
  const zoneFolder = writeZones(set, work);
  const servers = await startAll([...peers, ...installed([limiting, unguarded()])], set, zoneFolder, []);
  const subjects = [limiting.name, UNGUARDED];
  const queries = writeQueries(mixLoad(set), work);
  const figures = await runFlood(servers, subjects, queries, set.zoneName(0), plan, say);
  for (const { process: old } of servers) await old.stop();
  return figures;
}

/** The servers that Waypost is compared with in a row. */
function opponentsOf({ id, againstItself, set, way }: Row): Server[] {
  if (againstItself === true) return installed([unguarded()]);
  if (set.steered === true) return installed([new Waypost(UNSTEERED, {}, 1, true)]);
  // NSD would need each of its zones signed in a process of its own.
  if (id === BIG_SIGNED) return peers.slice(0, 1);
  if (set.signed === true) return [...peers, ...installed([new PowerDns(), new Waypost(UNSIGNED, {}, 1, true)]), floor];
  if (way === 'dot') return installed(tlsPeers);
  return way === undefined ? [...peers, floor] : peers;
}

mkdirSync(work, { recursive: true });
const peers = installed([new Knot(options.knot), new Nsd()]);
const tlsPeers = [new Knot(options.knot, KNOT_STREAM_THREADS), new Nsd()].filter(({ tlsPort }) => tlsPort !== null);
const [floor] = installed([new Reflector()]);
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
  const opponents = opponentsOf(row);
  // Rows of the same zones follow one another and share the started servers.
  const key = `${row.set.id} ${subject.name} ${row.way === 'dot'} ${opponents.map(({ name }) => name).join()}`;
  if (running.key !== key) {
    for (const { process: old } of running.started) await old.stop();
    running = { key, started: await startAll([...opponents, ...installed([subject])], row.set, zoneFolder, starts) };
  }
  results.push({
    row,
    subject: subject.name,
    figures: await runRounds(running.started, queries, row.way ?? 'udp', plan, say),
  });
}
for (const { process: old } of running.started) await old.stop();
const flood = (options.only?.includes(FLOOD_ROW) ?? true) ? await measureFlood() : [];

const versions = [...peers, new Waypost()].map((server) => `${server.name}: ${server.version() ?? 'not built'}`);
process.stdout.write(`
${describeMachine(versions)}
- ${plan.rounds} rounds of ${plan.seconds} s, ${plan.window} queries out, EDNS ${options.edns ? 'on' : 'off'}${options.quick ? '; quick run, not for the record' : ''}
- measurements that had to share a core: ${disturbedCount(results)}

${speedTable(results)}

${ratioTable(results)}

${ownTable(results)}

${startTable(starts)}
${flood.length === 0 ? '' : `\n${FLOOD_ROW}: ${FLOOD_TEXT}\n\n${floodTable(flood)}\n`}`);
if (options.save && !options.quick)
  saveRun('dns', `npm run bench:dns -- ${process.argv.slice(2).join(' ')}`, results.flatMap(savedRows));
const missed =
  results.flatMap((result) => [...verdicts(result), ...ownVerdicts(result)]).some(({ met }) => met === false) ||
  flood.some((figures) => figures.isSubject && !floodMet(figures));
process.exit(missed && !options.quick ? 1 : 0);
