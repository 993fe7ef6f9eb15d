/**
 * PowerDNS with its LMDB backend. Its zones are made through its API too, so that they have what
 * such zones have (SOA-EDIT-API DEFAULT: the serial rises with every change, as ours do).
 * docs/internals/benchmarks.md says why each setting is what it is.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../dns/process.ts';
import { type Call, type Contender, hostAddress, LISTED } from './contender.ts';
import { FRESH, requestText } from './plan.ts';

const KEY = 'benchmark-on-loopback';
const PORT = 8947;
const DNS_PORT = 5947;
const READY_MS = 20_000;
const ZONES = '/api/v1/servers/localhost/zones';
/** SOA and two NS, next to the hosts. */
const OWN_RECORDS = 3;

/**
 * Debian keeps it in /usr/sbin, which is not on every PATH, and its backends in a folder of the
 * machine's architecture.
 */
const SERVER = existsSync('/usr/sbin/pdns_server') ? '/usr/sbin/pdns_server' : 'pdns_server';

export function powerDnsVersion(): string | null {
  // It ends with 99 after it has said its version, on the standard error.
  const { stderr, error } = spawnSync(SERVER, ['--version'], { encoding: 'utf8' });
  return error === undefined ? (/PowerDNS Authoritative Server [\d.]+/.exec(stderr)?.[0] ?? null) : null;
}

function settings(folder: string): string {
  return `launch=lmdb
load-modules=liblmdbbackend.so
lmdb-filename=${join(folder, 'zones.lmdb')}
lmdb-sync-mode=sync
api=yes
api-key=${KEY}
webserver=yes
webserver-address=127.0.0.1
webserver-port=${PORT}
webserver-allow-from=127.0.0.0/8
webserver-loglevel=none
webserver-hash-plaintext-credentials=no
local-address=127.0.0.1
local-port=${DNS_PORT}
receiver-threads=1
distributor-threads=1
zone-cache-refresh-interval=300
loglevel=3
log-timestamp=no
disable-syslog=yes
daemon=no
guardian=no
socket-dir=${folder}
`;
}

/**
 * Starts it with an empty database. Throws an Error with the end of its log when it does not come
 * up.
 */
export async function startPowerDns(work: string): Promise<Contender> {
  const folder = join(work, 'powerdns');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pdns.conf'), settings(folder));
  const server = new ServerProcess(SERVER, [`--config-dir=${folder}`], join(work, 'powerdns.log'));
  const end = performance.now() + READY_MS;
  while ((await ask('GET', ZONES).catch(() => null)) === null) {
    server.assertAlive();
    if (performance.now() > end) {
      await server.stop();
      throw new Error(`PowerDNS is not ready after ${READY_MS / 1000} s.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return new PowerDns(server);
}

const HEADERS = { 'X-API-Key': KEY };

async function ask(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    method,
    headers: HEADERS,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`PowerDNS: ${method} ${path}: ${answer.status} ${text}`);
}

const rrset = (name: string, content: string) => ({
  name,
  type: 'A',
  ttl: 300,
  changetype: 'REPLACE',
  records: [{ content, disabled: false }],
});

class PowerDns implements Contender {
  readonly name = 'PowerDNS';
  readonly port = PORT;
  readonly key = KEY;
  readonly process: ServerProcess;

  constructor(server: ServerProcess) {
    this.process = server;
  }

  async addZone(zone: string, hosts: number): Promise<void> {
    const own = Math.max(0, hosts - OWN_RECORDS);
    const rrsets = Array.from({ length: own }, (_, i) => rrset(`h${i}.${zone}.`, hostAddress(i)));
    const nameservers = ['ns1.waypost.test.', 'ns2.waypost.test.'];
    await ask('POST', ZONES, { name: `${zone}.`, kind: 'Native', nameservers, rrsets });
  }

  list(zone: string): Call {
    const last = LISTED - OWN_RECORDS - 1;
    return {
      text: requestText('GET', `${ZONES}/${zone}.`, HEADERS),
      status: 200,
      contains: ['"name": "h0.', `"name": "h${last}.`, hostAddress(last)],
    };
  }

  read(zone: string): Call {
    return {
      text: requestText('GET', `${ZONES}/${zone}.?rrsets=false`, HEADERS),
      status: 200,
      contains: ['"kind": "Native"', '"serial": '],
    };
  }

  create(zone: string): Call {
    const body = { rrsets: [rrset(`${FRESH}.${zone}.`, '198.51.100.7')] };
    return { text: requestText('PATCH', `${ZONES}/${zone}.`, HEADERS, body), status: 204 };
  }
}
