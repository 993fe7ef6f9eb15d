/**
 * Waypost, nginx, HAProxy and node:http2, each started with the same certificate.
 * docs/internals/benchmarks.md says why each setting is what it is.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../dns/process.ts';
import { ask } from './ask.ts';
import { type Contender, ready, type Tools } from './contender.ts';
import { nginxServer, nginxSettings } from './nginx.ts';
import { BODIES } from './requests.ts';

const PORTS = { waypost: 8461, nginx: 8462, haproxy: 8463, node: 8464, classical: 8465, nodeTls: 8466 };
const program = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

/** Debian keeps servers in /usr/sbin, which is not on every PATH. */
export const installed = (name: string): string => (existsSync(`/usr/sbin/${name}`) ? `/usr/sbin/${name}` : name);

/** What of its output matches; null when it cannot be started. */
export function version(command: string, args: readonly string[], pattern: RegExp): string | null {
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return error === undefined ? (pattern.exec(stdout + stderr)?.[0] ?? null) : null;
}

export const startWaypost = (tools: Tools): Promise<Contender> => startPool(tools, 'Waypost', PORTS.waypost);

/** With `edge.tls = "node"`, which resumes no sessions. */
export const startNodeTls = (tools: Tools): Promise<Contender> =>
  startPool(tools, 'node:tls', PORTS.nodeTls, { without: ['resumed'] }, { ...process.env, BENCH_TLS: 'node' });

/** With clients that offer no hybrid key exchange. Null where OpenSSL has none. */
export async function startClassical(tools: Tools): Promise<Contender | null> {
  const [major, minor] = process.versions.openssl.split('.').map(Number);
  if (major === 3 && minor < 5) return null;
  return startPool(tools, 'X25519', PORTS.classical, { groups: 'X25519:P-256', without: NOT_HANDSHAKES });
}

/** Rows in which the key exchange costs nothing. */
const NOT_HANDSHAKES = ['ready', 'ready-64', 'large', 'resumed', 'idle'];

async function startPool(
  { work, certificate, key }: Tools,
  name: string,
  port: number,
  more: Pick<Contender, 'groups' | 'without'> = {},
  env = process.env,
): Promise<Contender> {
  const args = [program('waypost-server'), String(port), certificate, key];
  const process_ = new ServerProcess(process.execPath, args, join(work, `edge-${name}.log`), env);
  return ready({ name, version: `Node ${process.version}`, process: process_, port, ...more }, ask);
}

export async function startNode({ work, certificate, key }: Tools): Promise<Contender> {
  const args = [program('node-server'), String(PORTS.node), certificate, key];
  const process_ = new ServerProcess(process.execPath, args, join(work, 'edge-node.log'));
  return ready({ name: 'node:http2', version: process.version, process: process_, port: PORTS.node }, ask);
}

/** Null where it is not installed. */
export async function startNginx(tools: Tools): Promise<Contender | null> {
  const command = installed('nginx');
  const found = version(command, ['-v'], /nginx\/[\d.]+/);
  if (found === null) return null;
  const folder = join(tools.work, 'edge-nginx');
  // Bodies are kept in memory, as ours are.
  const cache = existsSync('/dev/shm') ? '/dev/shm/waypost-bench-nginx' : join(folder, 'cache');
  for (const path of [folder, cache]) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
  }
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, settings(folder, cache, tools));
  const process_ = new ServerProcess(command, ['-p', folder, '-c', file], join(folder, 'output.log'));
  return ready({ name: 'nginx', version: found, process: process_, port: PORTS.nginx }, fill);
}

function settings(folder: string, cache: string, { certificate, key, originPort }: Tools): string {
  const http = `  output_buffers 4 128k;
  proxy_cache_path ${cache} levels=1:2 keys_zone=pages:10m inactive=7d use_temp_path=off;
`;
  const inside = `    location / {
      proxy_pass http://127.0.0.1:${originPort};
      proxy_cache pages;
      proxy_cache_key $request_uri;
    }
`;
  return nginxSettings(folder, folder, http + nginxServer(PORTS.nginx, 'localhost', certificate, key, inside));
}

/** Null where it is not installed. */
export async function startHaproxy(tools: Tools): Promise<Contender | null> {
  const command = installed('haproxy');
  const found = version(command, ['-v'], /HAProxy version [\d.]+/);
  if (found === null) return null;
  const folder = join(tools.work, 'edge-haproxy');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, haproxySettings(PORTS.haproxy, bothPem(folder, tools), tools.originPort));
  const process_ = new ServerProcess(command, ['-db', '-f', file], join(folder, 'output.log'));
  return ready({ name: 'HAProxy', version: found, process: process_, port: PORTS.haproxy }, fill);
}

/** Certificate and key in one file. */
export function bothPem(folder: string, { certificate, key }: Tools): string {
  const pem = join(folder, 'both.pem');
  writeFileSync(pem, readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'), { mode: 0o600 });
  return pem;
}

/** `frontend`, `backend`: what else stands there. */
export function haproxySettings(port: number, pem: string, originPort: number, frontend = '', backend = ''): string {
  return `global
  nbthread 1
  maxconn 4000
  tune.h2.max-concurrent-streams 1024
  ssl-default-bind-options ssl-min-ver TLSv1.2
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  timeout http-keep-alive 1h
cache pages
  total-max-size 64
  max-object-size 1000000
  max-age 86400
frontend edge
  bind 127.0.0.1:${port} ssl crt ${pem} alpn h2,http/1.1 backlog 4096
  http-request cache-use pages
  http-response cache-store pages
${frontend}  default_backend origin
backend origin
${backend}  server origin 127.0.0.1:${originPort}
`;
}

/** Every path, so that the caches have them. */
async function fill(port: number): Promise<number> {
  let status = 0;
  for (const path of Object.keys(BODIES)) status = await ask(port, path);
  return status;
}
