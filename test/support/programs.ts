/**
 * Programs of others, run to their end. Debian's packages have them: bind9-dnsutils, certbot,
 * chromium, chromium-headless-shell, curl, dnstap-ldns, faketime, fstrm-bin, knot-dnsutils, lego,
 * nghttp2-client, pebble, prometheus and others that .ci/run names.
 */
import { existsSync } from 'node:fs';
import { startChild } from './child.ts';
import { PATIENCE_MS } from './patience.ts';

export type Program =
  | 'kdig'
  | 'delv'
  | 'dnssec-verify'
  | 'dnssec-keygen'
  | 'dnssec-signzone'
  | 'dnsviz'
  | 'zonemaster-cli'
  | 'ldns-keygen'
  | 'ldns-signzone'
  | 'kzonesign'
  | 'ldns-verify-zone'
  | 'nsd-checkzone'
  | 'dig'
  | 'nsupdate'
  | 'knsupdate'
  | 'curl'
  | 'faketime'
  | 'pebble'
  | 'lego'
  | 'certbot'
  | 'etcd'
  | 'etcdctl'
  | 'openssl'
  | 'ansible-playbook'
  | 'pdns_server'
  | 'sqlite3'
  | 'prometheus'
  | 'promtool'
  | 'fstrm_capture'
  | 'dnstap-ldns'
  | 'nghttp'
  | 'h2load'
  | 'chromium'
  | 'chromium-headless-shell';

/** Those that are not in /usr/bin. */
const IN_SBIN: ReadonlySet<Program> = new Set(['nsd-checkzone', 'pdns_server']);

export const pathOf = (program: Program): string => `/usr/${IN_SBIN.has(program) ? 'sbin' : 'bin'}/${program}`;

/** The engine of Chromium without windows, where it is installed: it needs less CPU time. */
export const BROWSER: Program = existsSync(pathOf('chromium-headless-shell')) ? 'chromium-headless-shell' : 'chromium';

/**
 * Why the tests with these programs are left out, or null when all are there. With
 * WAYPOST_REQUIRE_PEERS=1 a missing one is an error.
 */
export function whyNotPrograms(...programs: readonly Program[]): string | null {
  const missing = programs.filter((program) => !existsSync(pathOf(program)));
  if (missing.length === 0) return null;
  const why = `${missing.join(', ')} not installed`;
  if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
  return why;
}

export interface Run {
  readonly code: number | null;
  /** Both streams. */
  readonly output: string;
}

/** Without the user's own settings (~/.digrc, ~/.curlrc). */
const ENVIRONMENT: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C' };

/** Runs it for at most `ms` milliseconds. `env` is added to the little that its environment has. */
export function runProgram(
  program: Program,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  ms = PATIENCE_MS,
): Promise<Run> {
  return run(pathOf(program), args, { ...ENVIRONMENT, ...env }, ms);
}

/** A line of the shell, for pipes. `args`: its $1, $2, … */
export const runShell = (line: string, ...args: readonly string[]): Promise<Run> =>
  run('/bin/sh', ['-c', line, 'sh', ...args], ENVIRONMENT, PATIENCE_MS);

async function run(path: string, args: readonly string[], env: NodeJS.ProcessEnv, ms: number): Promise<Run> {
  const child = startChild(path, args, env);
  const code = await child.ended(ms);
  return { code, output: child.output() };
}
