/**
 * `npm run bench:h2 -- [--quick] [--only ROW] [--server NAME] [--rounds N] [--seconds N]`: HTTP/2 over TLS, one server core: Waypost, nginx, HAProxy and node:http2. The server on core 0,
 * the load on core 1. What each figure means stands in README.md beside this file.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tlsFiles } from './dns/certificate.ts';
import { ServerProcess } from './dns/process.ts';
import type { Contender, Tools } from './edge/contender.ts';
import { h2loadVersion } from './edge/h2load.ts';
import { type IdleMemory, measureIdle } from './edge/handshakes.ts';
import { disturbedCount, idleTable, ratioTable, speedTable } from './edge/report.ts';
import { isReached, type RowResult, runRow } from './edge/rounds.ts';
import { IDLE_CONNECTIONS, IDLE_ROW, IDLE_SERVERS, ROWS } from './edge/rows.ts';
import { startHaproxy, startNginx, startNode, startWaypost } from './edge/servers.ts';
import { describeMachine } from './machine.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    server: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
  },
});
const plan = {
  rounds: Number(options.rounds ?? (options.quick ? 1 : 5)),
  seconds: Number(options.seconds ?? (options.quick ? 2 : 5)),
  repeats: options.quick ? 0 : 3,
};
const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
const say = (line: string) => process.stderr.write(`${line}\n`);
const ORIGIN_PORT = 8460;

const ids = [...ROWS.map(({ id }) => id), IDLE_ROW];
for (const id of options.only ?? [])
  if (!ids.includes(id)) throw new Error(`No row "${id}"; there are ${ids.join(', ')}.`);
const wanted = (id: string) => options.only?.includes(id) ?? true;

const generator = h2loadVersion();
if (generator === null) throw new Error('h2load is not installed here (Debian: nghttp2-client).');
mkdirSync(work, { recursive: true });

const STARTS: Readonly<Record<string, (tools: Tools) => Promise<Contender | null>>> = {
  Waypost: startWaypost,
  nginx: startNginx,
  HAProxy: startHaproxy,
  'node:http2': startNode,
};

async function startAll(): Promise<Contender[]> {
  const servers: Contender[] = [];
  const tools = { work, ...tlsFiles(work), originPort: ORIGIN_PORT };
  for (const [name, start] of Object.entries(STARTS)) {
    if (options.server !== undefined && !options.server.includes(name)) continue;
    const server = await start(tools);
    if (server === null) {
      say(`${name} is not installed here: it is not measured.`);
      continue;
    }
    server.process.pause();
    servers.push(server);
  }
  return servers;
}

const origin = new ServerProcess(
  process.execPath,
  [fileURLToPath(new URL('./edge/origin.js', import.meta.url)), String(ORIGIN_PORT)],
  join(work, 'edge-origin.log'),
);
const servers = await startAll();
const results: RowResult[] = [];
for (const row of ROWS.filter(({ id }) => wanted(id))) {
  say(`\n${row.id}: ${row.text}`);
  results.push(await runRow(row, servers, plan, say));
}
const idle = new Map<string, IdleMemory>();
for (const server of wanted(IDLE_ROW) ? servers.filter(({ name }) => IDLE_SERVERS.includes(name)) : []) {
  server.process.resume();
  idle.set(server.name, await measureIdle(server, options.quick ? IDLE_CONNECTIONS / 10 : IDLE_CONNECTIONS));
  server.process.pause();
  say(`${IDLE_ROW}  ${server.name}: ${Math.round(idle.get(server.name)?.perConnection ?? 0)} octets for each`);
}
for (const server of servers) await server.process.stop();
await origin.stop();

const versions = [...servers.map(({ name, version }) => `${name}: ${version}`), generator];
process.stdout.write(`
${describeMachine(versions)}
- ${plan.rounds} rounds of ${plan.seconds} s${options.quick ? '; quick run, not for the record' : ''}
- measurements that had to share a core: ${disturbedCount(results)}
${results.length === 0 ? '' : `\n${speedTable(results)}\n\n${ratioTable(results)}\n`}${idle.size === 0 ? '' : `\n${idleTable(idle)}\n`}`);
process.exit(results.some((result) => isReached(result) === false) && !options.quick ? 1 : 0);
