/** The two load generators, run as processes of their own on the load's core. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Result } from './load.ts';
import type { QuerySet } from './queries.ts';
import { firstLine, LOAD_CORE, type Started } from './servers.ts';

const run = promisify(execFile);
const GENERATOR = fileURLToPath(new URL('load.js', import.meta.url));
const STREAM_GENERATOR = fileURLToPath(new URL('tcp-load.js', import.meta.url));

/**
 * How queries come: over UDP, over TCP with a connection for each, over TCP connections that stay,
 * several out on each, or over such ones with TLS.
 */
export type Way = 'udp' | 'tcp-once' | 'tcp-pipelined' | 'dot';

/** Connections of the TCP ways; the window is spread over them. */
const STREAMS = 32;

export interface Measured {
  readonly qps: number;
  /**
   * Server CPU microseconds a query, user and kernel, all threads, warm-up included on both sides
   * of the division.
   */
  readonly cpuMicros: number;
  readonly lost: number;
  /** Answers that were not the right ones (0 for dnsperf, which does not know them). */
  readonly wrong: number;
  readonly wrongAnswer: string | null;
  /**
   * Share of the time that the server was running. It always has queries waiting, so less than
   * nearly all means a disturbed measurement.
   */
  readonly serverBusy: number;
  /**
   * Share of the time that the generator was running, which spins over UDP; null for dnsperf, but
   * over TLS.
   */
  readonly loadBusy: number | null;
  /** Either of the two may be the bottleneck, so that it is enough when one of them is busy. */
  readonly either: boolean;
}

/**
 * Drives a server with the batching generator (load.ts), the one over TCP (tcp-load.ts), or over
 * TLS with dnsperf, which must be there. `window`: queries out at a time.
 */
export async function driveBatching(
  on: Started,
  queries: QuerySet,
  seconds: number,
  window: number,
  way: Way,
): Promise<Measured> {
  if (way === 'dot') {
    const figure = await driveDnsperf(on, queries, seconds, window, way);
    if (figure === null) throw new Error('dnsperf is needed for DNS over TLS.');
    return figure;
  }
  const before = on.process.cpuSeconds();
  const { stdout } = await run('taskset', [
    ...['-c', String(LOAD_CORE), process.execPath, way === 'udp' ? GENERATOR : STREAM_GENERATOR],
    ...['--port', String(on.server.port), '--queries', queries.packed, '--seconds', String(seconds)],
    ...(way === 'udp'
      ? ['--window', String(window), ...(on.server.isUnsigned === true ? ['--unsigned'] : [])]
      : ['--mode', way.slice(4), '--connections', String(way === 'tcp-once' ? window : STREAMS)]),
    ...(way === 'tcp-pipelined' ? ['--window', String(Math.max(1, Math.floor(window / STREAMS)))] : []),
  ]);
  const result = JSON.parse(stdout) as Result;
  const cpuMicros = ((on.process.cpuSeconds() - before) * 1e6) / result.received;
  const { qps, lost, busy } = result;
  const [wrong, wrongAnswer] = on.server.answers ? [result.wrong, result.wrongAnswer] : [0, null];
  return {
    qps,
    cpuMicros,
    lost,
    wrong,
    wrongAnswer,
    serverBusy: (cpuMicros * qps) / 1e6,
    loadBusy: busy,
    either: way !== 'udp',
  };
}

/**
 * User and kernel seconds of the children of a shell, from the last line of its `times`: `0m1.234s
 * 0m5.678s`.
 */
function secondsTaken(output: string): number {
  const parts = [
    ...output
      .trimEnd()
      .split('\n')
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

/**
 * Drives a server with dnsperf: 8 sockets or connections (with TLS 32), no EDNS. Null when dnsperf
 * is not installed, or cannot ask in this way.
 */
export async function driveDnsperf(
  on: Started,
  queries: QuerySet,
  seconds: number,
  window: number,
  way: Way,
): Promise<Measured | null> {
  if (way === 'tcp-once' || (way === 'dot' && on.server.tlsPort === null) || firstLine('dnsperf', ['-h']) === null)
    return null;
  const before = on.process.cpuSeconds();
  const { stdout } = await run('taskset', [
    // The shell says at its end what dnsperf took.
    ...['-c', String(LOAD_CORE), 'sh', '-c', '"$@"; times', 'sh', 'dnsperf', '-s', '127.0.0.1'],
    ...(queries.dnssecOk === true ? ['-D'] : []),
    ...['-p', String(way === 'dot' ? on.server.tlsPort : on.server.port), '-d', queries.text],
    ...(way === 'udp' ? [] : ['-m', way === 'dot' ? 'dot' : 'tcp']),
    ...[
      '-l',
      String(seconds),
      '-c',
      way === 'dot' ? String(STREAMS) : '8',
      '-q',
      String(window),
      '-T',
      '1',
      '-t',
      '0.5',
    ],
  ]);
  const figure = (label: string) => {
    const match = new RegExp(`${label}:\\s+([\\d.]+)`).exec(stdout);
    if (match === null) throw new Error(`dnsperf printed no "${label}":\n${stdout}`);
    return Number(match[1]);
  };
  const cpuMicros = ((on.process.cpuSeconds() - before) * 1e6) / figure('Queries completed');
  const qps = Math.round(figure('Queries per second'));
  const lost = figure('Queries lost');
  const loadBusy = way === 'dot' ? secondsTaken(stdout) / figure('Run time \\(s\\)') : null;
  const serverBusy = (cpuMicros * qps) / 1e6;
  return { qps, cpuMicros, lost, wrong: 0, wrongAnswer: null, serverBusy, loadBusy, either: way === 'dot' };
}
