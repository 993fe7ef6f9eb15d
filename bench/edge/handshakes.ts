/** Drives a server by connections of one request, and holds many open. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LOAD_CORE } from '../dns/servers.ts';
import type { Contender } from './contender.ts';
import { type Measured, measure } from './measured.ts';

const run = promisify(execFile);
const program = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));
/** Connections at a time. */
const AT_A_TIME = 16;
const SETTLE_MS = 1500;

/** How a site is chosen (handshake-load.ts). */
export type Draw = 'random' | 'zipf' | 'turn';

/** `sites`: each connection is to one of so many, and asks for nothing. */
export function driveHandshakes(
  server: Contender,
  kind: 'new' | 'resume',
  seconds: number,
  sites?: number,
  draw: Draw = 'random',
): Promise<Measured> {
  const args = [program('handshake-load'), String(server.port), kind, String(seconds), String(AT_A_TIME)];
  if (sites !== undefined) args.push(String(sites), draw);
  const env = server.groups === undefined ? process.env : { ...process.env, BENCH_GROUPS: server.groups };
  return measure(server, async () => {
    const { stdout } = await run('taskset', ['-c', String(LOAD_CORE), process.execPath, ...args], { env });
    const { requests, wrong, resumed } = JSON.parse(stdout) as { requests: number; wrong: number; resumed: number };
    // The first of each line has nothing to resume.
    const notResumed = kind === 'resume' ? Math.max(0, requests - resumed - 2 * AT_A_TIME) : resumed;
    return { requests, wrong: wrong + notResumed };
  });
}

export interface IdleMemory {
  /**
   * Resident bytes for each of so many connections, the server's alone: what the kernel keeps is
   * not counted.
   */
  readonly perConnection: number;
  readonly connections: number;
}

export async function measureIdle(server: Contender, connections: number): Promise<IdleMemory> {
  const before = server.process.memory().pss;
  const args = [
    '-c',
    String(LOAD_CORE),
    process.execPath,
    program('idle-load'),
    String(server.port),
    String(connections),
  ];
  const child = spawn('taskset', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const opened = await Promise.race([once(child.stdout, 'data').then(() => true), exited.then(() => false)]);
  if (!opened) throw new Error(`${server.name} did not take ${connections} connections`);
  // What was garbage after the requests gets a chance to go.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const after = server.process.memory().pss;
  child.stdin.end();
  await exited;
  return { perConnection: (after - before) / connections, connections };
}
