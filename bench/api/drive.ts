/** Runs the load generator against a server, each on its core. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ServerProcess } from '../dns/process.ts';
import { LOAD_CORE } from '../dns/servers.ts';
import type { Call } from './contender.ts';
import type { LoadResult, Plan } from './plan.ts';

const run = promisify(execFile);
const GENERATOR = fileURLToPath(new URL('load.js', import.meta.url));

export interface Measured extends LoadResult {
  /** Server CPU microseconds a request, user and kernel, all threads. */
  readonly cpuMicros: number;
  /** Share of the time in which the server took CPU. */
  readonly serverBusy: number;
}

export type Shape = Pick<Plan, 'order' | 'clients' | 'keepAlive' | 'seconds' | 'count'>;

/**
 * Runs a program of this folder on the load's core and reads the JSON that it prints. `behind`: it
 * gives way to what else runs there (nice).
 */
export async function onLoadCore<T>(program: string, args: readonly string[], behind = false): Promise<T> {
  const nice = ['nice', '-n', behind ? '10' : '0'];
  const { stdout } = await run('taskset', ['-c', String(LOAD_CORE), ...nice, process.execPath, program, ...args]);
  return JSON.parse(stdout) as T;
}

/** All calls must agree in what a right answer looks like. `work`: folder for the plan. */
export async function drive(
  server: { readonly process: ServerProcess; readonly port: number },
  calls: readonly Call[],
  shape: Shape,
  work: string,
): Promise<Measured> {
  const { status, contains } = calls[0];
  const plan: Plan = {
    ...shape,
    port: server.port,
    requests: calls.map(({ text }) => text),
    warmup: shape.count === undefined ? Math.min(1, shape.seconds / 4) : 0,
    status,
    contains,
  };
  const file = join(work, 'api-plan.json');
  writeFileSync(file, JSON.stringify(plan));
  const before = server.process.cpuSeconds();
  const result = await onLoadCore<LoadResult>(GENERATOR, [file]);
  const cpuMicros = ((server.process.cpuSeconds() - before) * 1e6) / result.answers;
  return { ...result, cpuMicros, serverBusy: (cpuMicros * result.perSecond) / 1e6 };
}
