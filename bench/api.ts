/**
 * `npm run bench:api -- [--quick] [--only ROW] [--rounds N] [--seconds N] [--verify]`: the admin
 * API against PowerDNS's, one account with 200,000 domains, and changes to a zone of 100,000
 * records. The server on core 0, the load on core 1. docs/internals/benchmarks.md says what each
 * figure means.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountResult, measureAccount } from './api/account.ts';
import { measureCeiling } from './api/ceiling.ts';
import { type Compared, compare, disturbedCount } from './api/compare.ts';
import type { Contender } from './api/contender.ts';
import { type LargeZoneResult, measureLargeZone } from './api/large-zone.ts';
import { powerDnsVersion, startPowerDns } from './api/powerdns.ts';
import { accountTable, ceilingTable, largeZoneTable, missed, ratioTable, speedTable, syncTable } from './api/report.ts';
import { addFilledZones, allRows } from './api/rows.ts';
import { countSyncs, type SyncCount } from './api/sync.ts';
import { startWaypost, type WaypostApi } from './api/waypost.ts';
import { SERVER_CORE } from './dns/servers.ts';
import { Waypost } from './dns/waypost.ts';
import { describeMachine } from './machine.ts';
import { COMMON, endWith, readOptions } from './options.ts';

const ACCOUNT = 'account';
const LARGE_ZONE = 'large-zone';
/** All rows of the PowerDNS-compatible API. */
const COMPATIBLE = 'powerdns';
const rows = allRows();
const options = readOptions({
  command: 'npm run bench:api --',
  about:
    "The admin API against PowerDNS's, one account with 200,000 domains, and changes to a zone of 100,000 records.",
  options: {
    ...COMMON,
    only: {
      kind: 'choices',
      value: 'ROW',
      of: [...rows.map(({ id }) => id), COMPATIBLE, ACCOUNT, LARGE_ZONE],
      help: 'a row',
    },
    verify: { kind: 'flag', help: 'count the syncs of each write, too' },
  },
});
const rounds = options.rounds ?? (options.quick ? 1 : 5);
const seconds = options.seconds ?? (options.quick ? 1 : 5);
const repeats = options.quick ? 0 : 3;
const MANY_DOMAINS = options.quick ? 10_000 : 200_000;
const MANY_RECORDS = options.quick ? 10_000 : 100_000;
const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
const say = (line: string) => process.stderr.write(`${line}\n`);

const wanted = (id: string) =>
  options.only === undefined ||
  options.only.includes(id) ||
  (id.startsWith(`${COMPATIBLE}-`) && options.only.includes(COMPATIBLE));
const chosen = rows.filter(({ id }) => wanted(id));

const version = new Waypost().version();
if (version === null) endWith('Waypost is not built: run `npm run build` first.');
const peer = powerDnsVersion();
if (peer === null) say('PowerDNS is not installed here: it is not measured.');
mkdirSync(work, { recursive: true });

/** Runs `measure` with a Waypost that begins empty. */
async function withWaypost<T>(name: string, pinned: boolean, measure: (server: WaypostApi) => Promise<T>): Promise<T> {
  const server = await startWaypost(work, name);
  if (pinned) server.process.pin(SERVER_CORE);
  try {
    return await measure(server);
  } finally {
    await server.process.stop();
  }
}

async function compareAll(): Promise<{ results: Compared[]; syncs: SyncCount[] }> {
  const results: Compared[] = [];
  const syncs: SyncCount[] = [];
  const servers: Contender[] = [];
  try {
    if (peer !== null) servers.push(await startPowerDns(work));
    servers.push(await startWaypost(work));
    for (const server of servers) {
      await addFilledZones(server);
      server.process.pin(SERVER_CORE);
      for (const clients of options.verify ? [1, 32] : []) {
        const count = await countSyncs(server, clients, work);
        if (count === null) say('strace is not installed here: syncs are not counted.');
        else syncs.push(count);
      }
      server.process.pause();
    }
    for (const row of chosen) results.push(await compare(row, servers, { rounds, seconds, repeats, work, say }));
  } finally {
    for (const server of servers) await server.process.stop();
  }
  return { results, syncs };
}

const ceiling = await measureCeiling(Math.min(seconds, 2), work, say);
const { results, syncs } = chosen.length > 0 ? await compareAll() : { results: [], syncs: [] };
const account: AccountResult | null = wanted(ACCOUNT)
  ? await withWaypost('waypost-account', true, (server) => measureAccount(server, MANY_DOMAINS, seconds, work, say))
  : null;
const zone: LargeZoneResult | null = wanted(LARGE_ZONE)
  ? await withWaypost('waypost-large-zone', false, (server) =>
      measureLargeZone(server, MANY_RECORDS, Math.min(rounds, 3), seconds, repeats, say),
    )
  : null;

const machine = describeMachine([`Waypost: ${version}`, `PowerDNS: ${peer ?? 'not installed'}`]);
const about = `- ${rounds} rounds of ${seconds} s${options.quick ? '; quick run, not for the record' : ''}
- measurements that had to share a core: ${disturbedCount(results)}`;
const tables = [
  ceilingTable(ceiling),
  ...(results.length > 0 ? [speedTable(results), ratioTable(results)] : []),
  ...(syncs.length > 0 ? [syncTable(syncs)] : []),
  ...(account ? [accountTable(account)] : []),
  ...(zone ? [largeZoneTable(zone)] : []),
];
process.stdout.write(`\n${machine}\n${about}\n\n${tables.join('\n\n')}\n`);
process.exit(missed(results, account, zone) && !options.quick ? 1 : 0);
