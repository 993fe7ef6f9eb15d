/**
 * Waypost's daemon, nginx, HAProxy, Caddy, and Varnish behind hitch, each as the proxy of one site.
 * docs/internals/benchmarks.md says why each setting is what it is.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../dns/process.ts';
import { Daemon } from '../dns/waypost.ts';
import { ask } from './ask.ts';
import { type Contender, ready, type Tools } from './contender.ts';
import { grpcPort } from './grpc-origin.ts';
import { nginxServer, nginxSettings } from './nginx.ts';
import { DECISION, FILES, MEMBERS } from './origin-files.ts';
import { CACHED, GRPC_ROWS } from './proxied-rows.ts';
import { DOMAIN, HOST } from './requests.ts';
import { bothPem, haproxySettings, installed, version } from './servers.ts';

const PORTS = { waypost: 8471, nginx: 8472, haproxy: 8473, caddy: 8474, hitch: 8475, varnish: 8476 };
const ADMIN = 8948;
const DNS = 5948;

/** Every file, so that the caches have what they keep. */
async function fill(port: number): Promise<number> {
  let status = 0;
  for (const path of [FILES.fresh, FILES.hit, FILES.hit]) status = await ask(port, path);
  return status;
}

function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

interface Variant {
  readonly name: string;
  /** Added to each port. */
  readonly offset: number;
  /** The body of `PUT …/proxy/rules`; null: no rules. */
  readonly rules: unknown;
}

const PLAIN: Variant = { name: 'Waypost', offset: 0, rules: null };

/**
 * As an operator has it: the daemon, its API, a domain with a certificate of its own and the proxy
 * on.
 */
export async function startWaypost(
  { work, certificate, key, originPort }: Tools,
  { name, offset, rules }: Variant = PLAIN,
): Promise<Contender> {
  const folder = join(work, `edge-daemon${offset === 0 ? '' : `-${offset}`}`);
  const port = PORTS.waypost + offset;
  const daemon = new Daemon(emptyFolder(folder), DNS + offset, ADMIN + offset, {
    WAYPOST_DNS_WORKERS: '1',
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`,
    WAYPOST_EDGE_HTTP_LISTEN: 'off',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.1/32',
    // All load comes from one address.
    WAYPOST_EDGE_MAX_CONNECTIONS_PER_ADDRESS: '10000',
  });
  const server = await daemon.start(`${folder}.log`);
  try {
    await configure(daemon, certificate, key, originPort, rules);
    const contender = { name, version: `Node ${process.version}`, process: server, port };
    return await ready(contender, fill);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function configure(
  daemon: Daemon,
  certificate: string,
  key: string,
  originPort: number,
  rules: unknown,
): Promise<void> {
  const authorization = `Bearer ${await daemon.token()}`;
  const call = async (method: string, location: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${daemon.url}${location}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Waypost: ${method} ${location}: ${answer.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const { domain } = (await call('POST', '/api/v1/domains', { domain: DOMAIN })) as { domain: { id: string } };
  const path = `/api/v1/domains/${domain.id}`;
  await call('POST', `${path}/records`, { name: 'www', type: 'A', content: '198.51.100.7', ttl: 300 });
  await call('PUT', `${path}/proxy`, { origin: '127.0.0.1', port: originPort, protocol: 'http' });
  const pem = { certificate: readFileSync(certificate, 'utf8'), private_key: readFileSync(key, 'utf8') };
  await call('PUT', `${path}/proxy/certificate`, pem);
  const pool = [{ origin: '127.0.0.1', port: grpcPort({ originPort }), protocol: 'http' }];
  await call('PUT', `${path}/proxy/origins`, { origins: [{ path: '/grpc', version: 'h2c', pool }] });
  await call('POST', `${path}/proxy/toggle`, { enable: true });
  if (rules !== null) await call('PUT', `${path}/proxy/rules`, rules);
}

/** Null where it is not installed. */
export async function startNginx(tools: Tools): Promise<Contender | null> {
  const command = installed('nginx');
  const found = version(command, ['-v'], /nginx\/[\d.]+/);
  if (found === null) return null;
  const folder = emptyFolder(join(tools.work, 'edge-proxy-nginx'));
  // What it keeps, and what it puts aside, is in memory, as ours does.
  const memory = emptyFolder(existsSync('/dev/shm') ? '/dev/shm/waypost-bench-proxy' : join(folder, 'memory'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, settings(folder, memory, tools));
  const process_ = new ServerProcess(command, ['-p', folder, '-c', file], join(folder, 'output.log'));
  return ready({ name: 'nginx', version: found, process: process_, port: PORTS.nginx }, fill);
}

function settings(folder: string, memory: string, { certificate, key, originPort }: Tools): string {
  const http = `  proxy_cache_path ${memory}/pages levels=1:2 keys_zone=pages:10m inactive=7d use_temp_path=off;
  upstream origin {
    server 127.0.0.1:${originPort};
    keepalive 512;
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;
  }
  upstream grpc {
    server 127.0.0.1:${grpcPort({ originPort })};
    keepalive 512;
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;
  }
`;
  const proxied = `      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_set_header host $host;
      proxy_set_header x-forwarded-for $remote_addr;
      proxy_set_header x-forwarded-proto $scheme;
      proxy_set_header x-forwarded-host $host;
      proxy_request_buffering off;
      proxy_buffers 16 16k;
      proxy_max_temp_file_size 0;
      proxy_cache pages;
      proxy_cache_key $host$request_uri;
`;
  const inside = `    location / {
      proxy_pass http://origin;
${proxied}    }
    location ${MEMBERS.path} {
      auth_request ${DECISION.path};
      auth_request_set $user $upstream_http_remote_user;
      proxy_set_header ${DECISION.user} $user;
      proxy_pass http://origin;
${proxied}    }
    location = ${DECISION.path} {
      internal;
      proxy_pass http://origin${DECISION.path};
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_set_header host $host;
      proxy_set_header x-forwarded-for $remote_addr;
      proxy_set_header x-original-url $scheme://$host$request_uri;
      proxy_set_header content-length "";
      proxy_pass_request_body off;
    }
    location /grpc/ {
      grpc_pass grpc://grpc;
      grpc_set_header x-forwarded-for $remote_addr;
      grpc_set_header x-forwarded-proto $scheme;
      grpc_set_header x-forwarded-host $host;
    }
`;
  return nginxSettings(folder, memory, http + nginxServer(PORTS.nginx, HOST, certificate, key, inside));
}

/** Null where it is not installed. */
export async function startHaproxy(tools: Tools): Promise<Contender | null> {
  const command = installed('haproxy');
  const found = version(command, ['-v'], /HAProxy version [\d.]+/);
  if (found === null) return null;
  const folder = emptyFolder(join(tools.work, 'edge-proxy-haproxy'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    haproxySettings(PORTS.haproxy, bothPem(folder, tools), tools.originPort, FORWARDED, '  http-reuse always\n') +
      `backend grpc\n  http-reuse always\n  server origin 127.0.0.1:${grpcPort(tools)} proto h2\n`,
  );
  const process_ = new ServerProcess(command, ['-db', '-f', file], join(folder, 'output.log'));
  return ready({ name: 'HAProxy', version: found, process: process_, port: PORTS.haproxy }, fill);
}

const FORWARDED =
  '  option forwardfor\n  http-request set-header x-forwarded-proto https\n  use_backend grpc if { path_beg /grpc/ }\n';

/** Null where it is not installed. It has no cache. */
export async function startCaddy(tools: Tools): Promise<Contender | null> {
  const command = installed('caddy');
  const found = version(command, ['version'], /v?[\d.]+/);
  if (found === null) return null;
  const folder = emptyFolder(join(tools.work, 'edge-proxy-caddy'));
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, caddySettings(folder, tools));
  const environment = { ...process.env, GOMAXPROCS: '1', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const args = ['run', '--config', file, '--adapter', 'caddyfile'];
  const process_ = new ServerProcess(command, args, join(folder, 'output.log'), environment);
  const contender = {
    name: 'Caddy',
    version: found,
    process: process_,
    port: PORTS.caddy,
    without: [...CACHED, ...GRPC_ROWS],
  };
  return ready(contender, (port) => ask(port, FILES.fresh));
}

function caddySettings(folder: string, { certificate, key, originPort }: Tools): string {
  return `{
  admin off
  auto_https off
  storage file_system ${folder}
}
https://${HOST}:${PORTS.caddy} {
  bind 127.0.0.1
  tls ${certificate} ${key}
  reverse_proxy http://127.0.0.1:${originPort} {
    transport http {
      keepalive_idle_conns_per_host 512
    }
  }
}
`;
}

/**
 * Varnish, with hitch in front of it for TLS: the CPU time of both counts. Null where one is not
 * installed.
 */
export async function startVarnish(tools: Tools): Promise<Contender | null> {
  const varnish = installed('varnishd');
  const hitch = installed('hitch');
  const found = version(varnish, ['-V'], /varnish-[\d.]+/);
  if (found === null || version(hitch, ['--version'], /hitch [\d.]+/) === null) return null;
  const folder = emptyFolder(join(tools.work, 'edge-proxy-varnish'));
  const vcl = join(folder, 'site.vcl');
  writeFileSync(vcl, `vcl 4.1;\nbackend origin { .host = "127.0.0.1"; .port = "${tools.originPort}"; }\n${COOKIES}`);
  const file = join(folder, 'hitch.conf');
  writeFileSync(file, hitchSettings(bothPem(folder, tools)));
  const behind = [
    ...[varnish, '-F', '-n', join(folder, 'run'), '-a', `127.0.0.1:${PORTS.varnish},PROXY`, '-f', vcl],
    ...['-s', 'malloc,256m', '-p', 'feature=+http2', '-p', 'thread_pools=1', '-j', 'none'],
  ];
  const script = `${behind.join(' ')} & exec ${hitch} --config=${file}`;
  const process_ = new ServerProcess('sh', ['-c', script], join(folder, 'output.log'));
  return ready(
    { name: 'Varnish + hitch', version: found, process: process_, port: PORTS.hitch, without: GRPC_ROWS },
    fill,
  );
}

/** Without this, Varnish keeps nothing of a visitor with cookies. */
const COOKIES = 'sub vcl_recv { unset req.http.cookie; }\n';

function hitchSettings(pem: string): string {
  return `frontend = { host = "127.0.0.1" port = "${PORTS.hitch}" }
backend = "[127.0.0.1]:${PORTS.varnish}"
pem-file = "${pem}"
alpn-protos = "h2,http/1.1"
tls-protos = TLSv1.2 TLSv1.3
workers = 1
write-proxy-v2 = on
daemon = off
${process.getuid?.() === 0 ? 'user = "nobody"\n' : ''}backlog = 4096
keepalive = 3600
`;
}
