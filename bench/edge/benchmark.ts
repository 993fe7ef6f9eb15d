/**
 * Runs a benchmark of the edge: starts the servers, drives each load through all of them in turn,
 * and prints the figures.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMachine } from '../machine.ts';
import { COMMON, endWith, readOptions, SAVE } from '../options.ts';
import { saveRun } from '../results.ts';
import { certificateFor } from './certificate.ts';
import type { Contender, Tools } from './contender.ts';
import { h2loadVersion } from './h2load.ts';
import { disturbedCount, ratioTable, savedRows, speedTable } from './report.ts';
import { isReached, type RowResult, runRow } from './rounds.ts';
import type { Row } from './rows.ts';

export interface Benchmark {
  /** Of its file in bench/results. */
  readonly name: string;
  /** How it is started, and what it measures. */
  readonly command: string;
  readonly about: string;
  readonly rows: readonly Row[];
  /** By name; null where one is not installed. They are paused but while they are measured. */
  readonly starts: Readonly<Record<string, (tools: Tools) => Promise<Contender | null>>>;
  /** What the servers get their content from; resolves to who stops it. */
  startOrigin(tools: Tools): Promise<() => Promise<void>>;
  /** A row of its own kind, measured last. */
  readonly last?: {
    readonly id: string;
    /** A table for the report. */
    measure(servers: readonly Contender[], quick: boolean, say: (line: string) => void): Promise<string>;
  };
}

/** Ends the process: with 1 when something was not reached. */
export async function runBenchmark(benchmark: Benchmark): Promise<never> {
  const { name: benchmarkName, command, about, rows, starts, startOrigin, last } = benchmark;
  const ids = [...rows.map(({ id }) => id), ...(last === undefined ? [] : [last.id])];
  const options = readOptions({
    command,
    about,
    options: {
      ...COMMON,
      ...SAVE,
      only: { kind: 'choices', value: 'ROW', of: ids, help: 'a row' },
      server: { kind: 'choices', value: 'NAME', of: Object.keys(starts), help: 'a server' },
    },
  });
  const plan = {
    rounds: options.rounds ?? (options.quick ? 1 : 5),
    seconds: options.seconds ?? (options.quick ? 2 : 5),
    repeats: options.quick ? 0 : 3,
  };
  const wanted = (id: string) => options.only?.includes(id) ?? true;
  const generator = h2loadVersion();
  if (generator === null) endWith('h2load is not installed here (Debian: nghttp2-client).');
  const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
  mkdirSync(work, { recursive: true });
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const tools = { work, ...certificateFor(work), originPort: 8460 };

  const stopOrigin = await startOrigin(tools);
  const servers: Contender[] = [];
  for (const [name, start] of Object.entries(starts)) {
    if (options.server !== undefined && !options.server.includes(name)) continue;
    const server = await start(tools);
    server?.process.pause();
    if (server === null) say(`${name} is not available here: it is not measured.`);
    else servers.push(server);
  }
  const results: RowResult[] = [];
  for (const row of rows.filter(({ id }) => wanted(id))) {
    say(`\n${row.id}: ${row.text}`);
    const able = servers.filter(({ without }) => !without?.includes(row.id));
    results.push(await runRow(row, able, plan, say));
  }
  const further = last !== undefined && wanted(last.id) ? await last.measure(servers, options.quick, say) : '';
  for (const server of servers) await server.process.stop();
  await stopOrigin();

  const versions = [...servers.map(({ name, version }) => `${name}: ${version}`), generator];
  process.stdout.write(`
${describeMachine(versions)}
- ${plan.rounds} rounds of ${plan.seconds} s${options.quick ? '; quick run, not for the record' : ''}
- measurements that had to share a core: ${disturbedCount(results)}
${results.length === 0 ? '' : `\n${speedTable(results)}\n\n${ratioTable(results)}\n`}${further === '' ? '' : `\n${further}\n`}`);
  if (options.save && !options.quick && results.length > 0)
    saveRun(benchmarkName, `${command} ${process.argv.slice(2).join(' ')}`, results.flatMap(savedRows));
  process.exit(results.some((result) => isReached(result) === false) && !options.quick ? 1 : 0);
}
