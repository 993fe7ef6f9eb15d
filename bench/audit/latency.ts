/**
 * How a daemon's API and its nameserver answer while ten audits are pending, and while none is.
 * Each generator is a process of its own.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hostAddress } from '../api/contender.ts';
import { FRESH, type LoadResult, type Plan, requestText } from '../api/plan.ts';
import type { StreamResult } from '../api/stream.ts';
import { table } from '../dns/report.ts';
import { ask, PORTS, type Running, send, withDaemon } from './daemon.ts';
import { AUDITS, benchApp, packageOf } from './sources.ts';
import type { UploadsResult } from './uploads.ts';

export interface AuditLoad {
  readonly name: string;
  /** Bytes of a package: see packageOf. 0: nothing is uploaded. */
  readonly sources: number;
  readonly assets: number;
}

const MB = 1_000_000;
export const LOADS: readonly AuditLoad[] = [
  { name: 'at rest', sources: 0, assets: 0 },
  { name: 'ten audits of 1 MB', sources: MB, assets: 0 },
  { name: 'ten audits of 20 MB', sources: 20 * MB, assets: 0 },
  { name: 'ten packages with 40 MB of images', sources: 20_000, assets: 40 * MB },
];

export interface Answered extends Pick<LoadResult, 'perSecond' | 'p50' | 'p99' | 'max' | 'wrong' | 'firstWrong'> {
  readonly call: string;
  readonly clients: number;
}

export interface Latency {
  readonly load: AuditLoad;
  readonly calls: readonly Answered[];
  readonly dns: StreamResult;
  /** Milliseconds that timers of the daemon's main thread came late, at most and for 99 in 100. */
  readonly loop: { readonly p99: number; readonly max: number };
  /** Null: there were none. */
  readonly uploads: (UploadsResult & { readonly seconds: number }) | null;
}

const run = promisify(execFile);
const CLIENTS = [1, 10];
const ZONE = 'latency.example';
/** Records of the zone that is listed. */
const HOSTS = 100;
/** DNS queries a second. */
const RATE = 1000;
const JSON_TYPE = 'application/json';

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

async function generate<T>(path: string, ...args: readonly string[]): Promise<T> {
  const { stdout } = await run(process.execPath, [program(path), ...args]);
  return JSON.parse(stdout) as T;
}

/** `seconds`: of each call with each number of clients. */
export function measureLatency(folder: string, load: AuditLoad, seconds: number): Promise<Latency> {
  return withDaemon(folder, 'latency', async (running) => {
    await send(running, await packageOf(benchApp(0), 1, 2000));
    const calls = await callsOf(running);
    const end = load.sources === 0 ? null : await startUploads(running, load);
    const answered: Answered[] = [];
    for (const [call, request] of calls)
      for (const clients of CLIENTS) {
        const plan: Plan = {
          ...{ port: PORTS.admin, requests: [request], order: 'rotate', clients, keepAlive: true },
          ...{ seconds, warmup: 1, status: 200 },
        };
        const file = join(folder, 'latency-plan.json');
        writeFileSync(file, JSON.stringify(plan));
        answered.push({ call, clients, ...(await generate<LoadResult>('../api/load.js', file)) });
      }
    const loop = await loopDelay(running);
    const stream = [PORTS.dns, ZONE, HOSTS, RATE, seconds].map(String);
    const dns = await generate<StreamResult>('../api/stream.js', ...stream);
    return { load, calls: answered, dns, loop, uploads: end && (await end()) };
  });
}

async function callsOf(running: Running): Promise<ReadonlyMap<string, string>> {
  const body = JSON.stringify({ domain: ZONE });
  const { domain } = await ask<{ domain: { id: string } }>(running, 'POST', '/api/v1/domains', JSON_TYPE, body);
  const hosts = Array.from({ length: HOSTS }, (_, i) => `h${i} IN A ${hostAddress(i)}\n`);
  const zone = `$ORIGIN ${ZONE}.\n$TTL 300\n${hosts.join('')}`;
  await ask(running, 'PUT', `/api/v1/domains/${domain.id}/zonefile`, 'text/dns', zone);
  const records = `/api/v1/domains/${domain.id}/records`;
  const record = { name: FRESH, type: 'A', content: '198.51.100.7', ttl: 300 };
  const headers = { Authorization: `Bearer ${running.token}` };
  return new Map([
    ['list 100 records', requestText('GET', `${records}?limit=${HOSTS}`, headers)],
    ['create a record', requestText('POST', records, headers, record)],
    ['read an app', requestText('GET', `/api/dev/apps/${benchApp(0)}`, headers)],
  ]);
}

/** Resolves when all have begun, with what ends them. */
async function startUploads(
  running: Running,
  { sources, assets }: AuditLoad,
): Promise<() => Promise<UploadsResult & { seconds: number }>> {
  const args = [program('uploads.js'), running.url, running.token, String(sources), String(assets)];
  // It gives way to what is measured.
  const child = spawn('nice', ['-n', '19', process.execPath, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}.`);
  });
  const output = text(child.stdout);
  const count = async () => (await ask<{ apps: unknown[] }>(running, 'GET', '/api/dev/apps')).apps.length;
  while ((await count()) < AUDITS) await Promise.race([sleep(100), ended]);
  const began = performance.now();
  return async () => {
    child.stdin.end();
    await ended;
    return { ...(JSON.parse(await output) as UploadsResult), seconds: (performance.now() - began) / 1000 };
  };
}

/** As the daemon measures it: of its last full 15 seconds. */
async function loopDelay({ url, token }: Running): Promise<Latency['loop']> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const metrics = await answer.text();
  const read = (name: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(metrics)?.[1]) * 1000;
  return { p99: read('p99'), max: read('max') };
}

export function latencyTable(latencies: readonly Latency[]): string {
  const header = ['load', 'call', 'clients', 'answers/s', 'p50 ms', 'p99 ms', 'most ms', 'wrong'];
  const rows = latencies.flatMap(({ load, calls }) =>
    calls.map(({ call, clients, perSecond, p50, p99, max, wrong }) => [
      ...[load.name, call, String(clients), perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(1), max.toFixed(1)],
      String(wrong),
    ]),
  );
  return table(header, rows, 2);
}

export function latencyText({ load, dns, loop, uploads, calls }: Latency): string {
  const worst = Math.max(...calls.map(({ p99 }) => p99));
  const verdicts =
    uploads && `; ${uploads.verdicts} verdicts in ${uploads.seconds.toFixed(0)} s, ${uploads.size} bytes each`;
  return `- ${load.name}: p99 of calls at most ${worst.toFixed(1)} ms; DNS p50 ${dns.p50.toFixed(2)} ms, p99 ${dns.p99.toFixed(2)} ms (queries left ${dns.late.toFixed(2)} ms late), ${dns.lost} of ${dns.sent} lost; main thread's loop late by ${loop.p99.toFixed(1)} ms (p99), ${loop.max.toFixed(1)} ms at most${verdicts ?? ''}`;
}
