/**
 * Whether a server syncs what it has answered for: its system calls during so many creations,
 * counted by strace.
 */
import { spawn } from 'node:child_process';
import { firstLine, LOAD_CORE } from '../dns/servers.ts';
import type { Contender } from './contender.ts';
import { drive } from './drive.ts';

export interface SyncCount {
  readonly server: string;
  readonly clients: number;
  readonly creations: number;
  /** Calls of fdatasync, fsync and msync. */
  readonly syncs: number;
}

const CALLS = ['fdatasync', 'fsync', 'msync'];
const CREATIONS = 320;
const ATTACH_MS = 1000;

/** Null when strace is not installed. */
export async function countSyncs(server: Contender, clients: number, work: string): Promise<SyncCount | null> {
  if (firstLine('strace', ['--version']) === null) return null;
  const zone = `sync-${clients}.example`;
  await server.addZone(zone, 0);
  const args = [
    '-c',
    String(LOAD_CORE),
    'strace',
    '-f',
    '-c',
    '-e',
    `trace=${CALLS.join()}`,
    '-p',
    String(server.process.pid),
  ];
  const tracer = spawn('taskset', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  tracer.stderr.on('data', (text: Buffer) => (output += text.toString()));
  const ended = new Promise<void>((resolve, reject) => tracer.once('error', reject).once('close', () => resolve()));
  await new Promise((resolve) => setTimeout(resolve, ATTACH_MS));
  const shape = { order: 'own', clients, keepAlive: false, seconds: 60, count: CREATIONS } as const;
  const { answers, wrong, firstWrong } = await drive(server, [server.create(zone)], shape, work);
  tracer.kill('SIGINT');
  await ended;
  if (wrong > 0) throw new Error(`${server.name}: ${wrong} creations failed: ${firstWrong}`);
  let syncs = 0;
  for (const call of CALLS) {
    // percent, seconds, µs a call, calls, errors (blank when none), name
    const line = new RegExp(`^ *[\\d.]+ +[\\d.]+ +\\d+ +(\\d+) +(?:\\d+ +)?${call}$`, 'm').exec(output);
    syncs += Number(line?.[1] ?? 0);
  }
  return { server: server.name, clients, creations: answers, syncs };
}
