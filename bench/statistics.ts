/**
 * `node dist/bench/statistics.js [--before MAIN] [--rounds N] [--seconds N] [--only PART]`: what
 * the statistics cost the query path and the edge. Daemons with and without statistics, and an
 * earlier build if `--before` names its main.js, are measured alternately on core 0, the load on
 * core 1.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { driveBatching } from './dns/drivers.ts';
import type { ServerProcess } from './dns/process.ts';
import { mixLoad, writeQueries } from './dns/queries.ts';
import { table } from './dns/report.ts';
import { median } from './dns/rounds.ts';
import { type Command, LOAD_CORE, SERVER_CORE, start } from './dns/servers.ts';
import { Daemon, Waypost } from './dns/waypost.ts';
import { mixZones, writeZones, type ZoneSet } from './dns/zones.ts';
import { describeMachine } from './machine.ts';
import { COMMON, readOptions } from './options.ts';

const run = promisify(execFile);
const WINDOW = 192;
const CONNECTIONS = 64;
const ADMIN_PORT = 9400;
const HTTP_PORT = 9500;
const SITE = 'site.test';

const options = readOptions({
  command: 'node dist/bench/statistics.js',
  about: 'What statistics cost the query path and the edge.',
  options: {
    ...COMMON,
    before: { kind: 'text', value: 'MAIN', help: 'main.js of an earlier build' },
    only: { kind: 'choices', value: 'PART', of: ['dns', 'edge'], help: 'one part' },
  },
});
const rounds = options.rounds ?? (options.quick ? 2 : 5);
const seconds = options.seconds ?? (options.quick ? 2 : 3);
const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench-statistics');

interface Variant {
  readonly name: string;
  readonly settings: Record<string, string>;
  /** Another build; undefined: this one. */
  readonly main?: string;
}

const variants: readonly Variant[] = [
  ...(options.before === undefined ? [] : [{ name: 'before', settings: {}, main: options.before }]),
  { name: 'off', settings: { WAYPOST_STATISTICS_ENABLED: 'false' } },
  { name: 'on', settings: {} },
];

function withMain(command: Command, main: string | undefined): Command {
  if (main === undefined) return command;
  // An earlier build may not know this setting, and then ends.
  const { WAYPOST_DOMAINS_CHECK_DELEGATION: _, ...env } = command.env ?? process.env;
  return { ...command, env, args: command.args.map((arg) => (arg.endsWith('main.js') ? main : arg)) };
}

class OtherBuild extends Waypost {
  readonly #main: string | undefined;

  constructor({ name, settings, main }: Variant, instance: number) {
    super(name, settings, instance);
    this.#main = main;
  }

  override async prepare(set: ZoneSet, zoneFolder: string, folder: string): Promise<Command> {
    return withMain(await super.prepare(set, zoneFolder, folder), this.#main);
  }
}

interface Figure {
  readonly rate: number;
  readonly cpuMicros: number;
}

interface Subject {
  readonly name: string;
  readonly process: ServerProcess;
  measure(): Promise<Figure>;
}

/** Each subject in turn, in the other direction every second round; the others are stopped. */
async function measureAll(subjects: readonly Subject[]): Promise<Map<string, Figure[]>> {
  const figures = new Map<string, Figure[]>(subjects.map(({ name }) => [name, []]));
  for (const { process: server } of subjects) server.pause();
  for (let round = 0; round < rounds; round++)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      subject.process.resume();
      figures.get(subject.name)?.push(await subject.measure());
      subject.process.pause();
    }
  for (const { process: server } of subjects) {
    server.resume();
    await server.stop();
  }
  return figures;
}

/** Rates and CPU time of each variant, and the median of the ratios to the first in each round. */
function report(title: string, unit: string, figures: ReadonlyMap<string, readonly Figure[]>): string {
  const [first] = figures.values();
  const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)} %`;
  const rows = [...figures].map(([name, list]) => [
    name,
    Math.round(median(list.map(({ rate }) => rate))).toLocaleString('en'),
    median(list.map(({ cpuMicros }) => cpuMicros)).toFixed(3),
    // On a busy machine the least is disturbed least.
    Math.min(...list.map(({ cpuMicros }) => cpuMicros)).toFixed(3),
    percent(median(list.map(({ rate }, i) => rate / first[i].rate))),
    percent(median(list.map(({ cpuMicros }, i) => cpuMicros / first[i].cpuMicros))),
  ]);
  return `${title}\n\n${table(['statistics', `${unit}/s`, `CPU µs/${unit}`, 'least', 'rate', 'CPU'], rows)}\n`;
}

async function measureDns(): Promise<string> {
  const set = mixZones();
  const zoneFolder = writeZones(set, work);
  const queries = writeQueries(mixLoad(set), work);
  const subjects: Subject[] = [];
  for (const [instance, variant] of variants.entries()) {
    const started = await start(new OtherBuild(variant, instance), set, zoneFolder, work);
    subjects.push({
      name: variant.name,
      process: started.process,
      async measure() {
        const { qps, cpuMicros } = await driveBatching(started, queries, seconds, WINDOW, 'udp');
        return { rate: qps, cpuMicros };
      },
    });
  }
  return report('Queries over UDP, 1,000 zones', 'query', await measureAll(subjects));
}

async function measureEdge(): Promise<string> {
  const origin = createServer((_, response) => {
    response.writeHead(200, { 'cache-control': 'max-age=3600', 'content-length': 1024 }).end('x'.repeat(1024));
  });
  await new Promise<void>((listening) => origin.listen(0, '127.0.0.1', listening));
  const subjects: Subject[] = [];
  for (const [instance, variant] of variants.entries())
    subjects.push(await startEdge(variant, instance, (origin.address() as AddressInfo).port));
  const figures = await measureAll(subjects);
  origin.close();
  return report('Cache hits of 1 KB over HTTP/1.1', 'request', figures);
}

async function startEdge({ name, settings, main }: Variant, instance: number, originPort: number): Promise<Subject> {
  const http = HTTP_PORT + instance;
  const data = join(work, `edge-${instance}`);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const daemon = new OtherDaemon(main, data, 5990 + instance, ADMIN_PORT + instance, {
    WAYPOST_DNS_WORKERS: '1',
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: 'true',
    ...settings,
  });
  const server = await daemon.start(join(work, `edge-${instance}.log`));
  const token = await daemon.token();
  const call = async (method: string, location: string, body: object): Promise<{ domain?: { id: number } }> => {
    const answer = await fetch(`${daemon.url}/api/v1${location}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${location}: ${await answer.text()}`);
    return (await answer.json()) as { domain?: { id: number } };
  };
  const { domain } = await call('POST', '/domains', { domain: SITE });
  const path = `/domains/${domain?.id}`;
  await call('POST', `${path}/records`, { name: '@', type: 'A', content: '192.0.2.1' });
  await call('PUT', `${path}/proxy`, { origin: '127.0.0.1', port: originPort, protocol: 'http' });
  await call('POST', `${path}/proxy/toggle`, { enable: true });
  server.pin(SERVER_CORE);
  return {
    name,
    process: server,
    async measure() {
      const before = server.cpuSeconds();
      const { stdout } = await run('taskset', [
        ...['-c', String(LOAD_CORE), 'h2load', '--h1', '-t1', `-c${CONNECTIONS}`, `-D${seconds}`, '--warm-up-time=0'],
        ...[`--connect-to=127.0.0.1:${http}`, `http://${SITE}:${http}/page`],
      ]);
      const [, succeeded] = /(\d+) succeeded, /.exec(stdout) ?? [];
      const [, rate] = /finished in [\d.]+m?s, ([\d.]+) req\/s/.exec(stdout) ?? [];
      return { rate: Number(rate), cpuMicros: ((server.cpuSeconds() - before) * 1e6) / Number(succeeded) };
    },
  };
}

class OtherDaemon extends Daemon {
  readonly #main: string | undefined;

  constructor(main: string | undefined, ...rest: ConstructorParameters<typeof Daemon>) {
    super(...rest);
    this.#main = main;
  }

  override command(): Command {
    return withMain(super.command(), this.#main);
  }
}

mkdirSync(work, { recursive: true });
process.stdout.write(`${describeMachine()}\n\n`);
const parts = options.only ?? ['dns', 'edge'];
if (parts.includes('dns')) process.stdout.write(`${await measureDns()}\n`);
if (parts.includes('edge')) process.stdout.write(`${await measureEdge()}\n`);
