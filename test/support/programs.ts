/**
 * Runs external programs to completion. Debian packages: bind9-dnsutils, certbot, chromium,
 * chromium-headless-shell, curl, dnsdist, dnstap-ldns, faketime, fstrm-bin, haproxy, knot-dnsutils,
 * lego, nghttp2-client, nginx, pebble, prometheus and others listed in .ci/run.
 */
import { existsSync } from 'node:fs';
import { startChild } from './child.ts';
import { PATIENCE_MS } from './patience.ts';
import { missingPeer } from './peers.ts';

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
  | 'named'
  | 'nft'
  | 'ssh-keygen'
  | 'ansible-playbook'
  | 'pdns_server'
  | 'sqlite3'
  | 'prometheus'
  | 'promtool'
  | 'fstrm_capture'
  | 'dnstap-ldns'
  | 'nghttp'
  | 'h2load'
  | 'haproxy'
  | 'dnsdist'
  | 'ddclient'
  | 'inadyn'
  | 'nginx'
  | 'chromium'
  | 'chromium-headless-shell'
  | 'bash'
  | 'zsh'
  | 'fish';

/** Programs in /usr/sbin. */
const IN_SBIN: ReadonlySet<Program> = new Set([
  'haproxy',
  'inadyn',
  'named',
  'nft',
  'nginx',
  'nsd-checkzone',
  'pdns_server',
]);

export const pathOf = (program: Program): string => `/usr/${IN_SBIN.has(program) ? 'sbin' : 'bin'}/${program}`;

/** The headless shell of Chromium if installed, since it needs less CPU time. */
export const BROWSER: Program = existsSync(pathOf('chromium-headless-shell')) ? 'chromium-headless-shell' : 'chromium';

/**
 * The reason to skip tests of these programs; null: all are installed. If one is missing,
 * WAYPOST_REQUIRE_PEERS=1 throws.
 */
export function whyNotPrograms(...programs: readonly Program[]): string | null {
  const missing = programs.filter((program) => !existsSync(pathOf(program)));
  if (missing.length === 0) return null;
  return missingPeer(`${missing.join(', ')} not installed`);
}

export interface Run {
  readonly code: number | null;
  /** Both streams. */
  readonly output: string;
}

/** Ignores settings of the user (~/.digrc, ~/.curlrc). */
const ENVIRONMENT: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C' };

/** Runs a program for at most `ms` milliseconds. `env` extends the minimal environment. */
export function runProgram(
  program: Program,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  ms = PATIENCE_MS,
): Promise<Run> {
  return run(pathOf(program), args, { ...ENVIRONMENT, ...env }, ms);
}

/** Runs a shell command, for pipes. `args`: $1, $2, … */
export const runShell = (line: string, ...args: readonly string[]): Promise<Run> =>
  run('/bin/sh', ['-c', line, 'sh', ...args], ENVIRONMENT, PATIENCE_MS);

async function run(path: string, args: readonly string[], env: NodeJS.ProcessEnv, ms: number): Promise<Run> {
  const child = startChild(path, args, env);
  const code = await child.ended(ms);
  return { code, output: child.output() };
}
