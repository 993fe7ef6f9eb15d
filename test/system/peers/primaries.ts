/** Primaries of secondary zones: Knot DNS, BIND, NSD and PowerDNS, each with one zone. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from '../../support/child.ts';
import { freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

export const SCHEMA = '/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql';

export type PrimaryName = 'knot' | 'bind' | 'nsd' | 'powerdns';

export interface TsigSecret {
  readonly name: string;
  readonly secret: string;
}

export interface PrimaryOptions {
  readonly zone: string;
  /** Where NOTIFY goes. */
  readonly secondary: number;
  /** Knot signs the zone: with NSEC, or with NSEC3. */
  readonly signing?: 'nsec' | 'nsec3';
  /** Required for transfers, of BIND alone. */
  readonly key?: TsigSecret;
}

interface Setup extends PrimaryOptions {
  readonly folder: string;
  readonly port: number;
}

interface Program {
  readonly program: string;
  readonly args: (folder: string) => string[];
  readonly ready: RegExp;
  readonly config: (setup: Setup) => string;
}

const PROGRAMS: Readonly<Record<PrimaryName, Program>> = {
  knot: {
    program: '/usr/sbin/knotd',
    args: (folder) => ['-c', join(folder, 'config')],
    ready: /server started/,
    config: ({ folder, port, zone, secondary, signing }) => `
server:
    rundir: ${folder}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: ${folder}
log:
  - target: stderr
    any: info
remote:
  - id: waypost
    address: 127.0.0.1@${secondary}
acl:
  - id: transfers
    address: 127.0.0.1
    action: transfer
policy:
  - id: signed
    nsec3: ${signing === 'nsec3' ? 'on' : 'off'}
zone:
  - domain: ${zone}
    dnssec-signing: ${signing === undefined ? 'off' : 'on'}
    dnssec-policy: signed
    storage: ${folder}
    file: zone
    zonefile-sync: -1
    zonefile-load: difference
    journal-content: changes
    notify: waypost
    acl: transfers
`,
  },
  bind: {
    program: '/usr/sbin/named',
    args: (folder) => ['-g', '-n', '1', '-c', join(folder, 'config')],
    ready: /\brunning$/m,
    config: ({ folder, port, zone, secondary, key }) => `
${key === undefined ? '' : `key "${key.name}" { algorithm hmac-sha256; secret "${key.secret}"; };`}
options {
    directory "${folder}";
    pid-file none;
    session-keyfile none;
    listen-on port ${port} { 127.0.0.1; };
    listen-on-v6 { none; };
    recursion no;
    dnssec-validation no;
    notify-delay 0;
};
controls {};
zone "${zone}" {
    type primary;
    file "zone";
    ixfr-from-differences yes;
    allow-transfer { ${key === undefined ? '127.0.0.1' : `key "${key.name}"`}; };
    notify explicit;
    also-notify port ${secondary} { 127.0.0.1${key === undefined ? '' : ` key "${key.name}"`}; };
};
`,
  },
  nsd: {
    program: '/usr/sbin/nsd',
    args: (folder) => ['-d', '-c', join(folder, 'config')],
    ready: /nsd started/,
    config: ({ folder, port, zone, secondary }) => `
server:
    ip-address: 127.0.0.1@${port}
    username: ""
    server-count: 1
    zonesdir: ${folder}
    database: ""
    pidfile: ${folder}/nsd.pid
    xfrdfile: ${folder}/xfrd.state
    zonelistfile: ${folder}/zone.list
    xfrdir: ${folder}
    xfrd-reload-timeout: 0
    rrl-ratelimit: 0
    verbosity: 1
remote-control:
    control-enable: no
zone:
    name: "${zone}"
    zonefile: zone
    notify: 127.0.0.1@${secondary} NOKEY
    provide-xfr: 127.0.0.1 NOKEY
    store-ixfr: yes
    create-ixfr: yes
`,
  },
  powerdns: {
    program: '/usr/sbin/pdns_server',
    args: (folder) => [`--config-dir=${folder}`],
    ready: /Done launching threads|ready to distribute questions/,
    config: ({ folder, port, secondary }) => `
launch=gsqlite3
gsqlite3-database=${folder}/zones.db
local-address=127.0.0.1
local-port=${port}
socket-dir=${folder}
primary=yes
only-notify=
also-notify=127.0.0.1:${secondary}
allow-axfr-ips=127.0.0.1
xfr-cycle-interval=1
security-poll-suffix=
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
`,
  },
};

export const FILES = [...Object.values(PROGRAMS).map(({ program }) => program), SCHEMA, '/usr/bin/sqlite3'];

/** A record as master files have it: owner, type, content. */
export type Line = readonly [owner: string, type: string, content: string];

export interface Timers {
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
}

const LONG: Timers = { refresh: 3600, retry: 600, expire: 86_400 };

export class TestPrimary {
  readonly port: number;
  readonly zone: string;
  readonly #name: PrimaryName;
  readonly #folder: string;
  #child: Child | null = null;

  static async open(name: PrimaryName, options: PrimaryOptions): Promise<TestPrimary> {
    const folder = temporaryFolder(name);
    const port = await freePort();
    const file = name === 'powerdns' ? 'pdns.conf' : 'config';
    writeFileSync(join(folder, file), PROGRAMS[name].config({ ...options, folder, port }));
    return new TestPrimary(name, folder, port, options.zone);
  }

  private constructor(name: PrimaryName, folder: string, port: number, zone: string) {
    this.#name = name;
    this.#folder = folder;
    this.port = port;
    this.zone = zone;
  }

  /** Resolves when it serves the zone. */
  async start(): Promise<void> {
    const { program, args, ready } = PROGRAMS[this.#name];
    this.#child = startChild(program, args(this.#folder));
    await this.#child.waitFor(ready, 60_000);
  }

  /** The output of the server. */
  log(): string {
    return this.#child?.output() ?? '';
  }

  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL');
    this.#child = null;
  }

  async close(): Promise<void> {
    await this.kill();
    removeFolder(this.#folder);
  }

  /** The content of the zone from now on; a running server loads it. */
  write(serial: number, lines: readonly Line[], timers: Timers = LONG): void {
    const { refresh, retry, expire } = timers;
    const soa: Line = ['@', 'SOA', `ns1.${this.zone}. admin.${this.zone}. ${serial} ${refresh} ${retry} ${expire} 60`];
    const all = [soa, ['@', 'NS', `ns1.${this.zone}.`] as const, ['ns1', 'A', '192.0.2.53'] as const, ...lines];
    if (this.#name === 'powerdns') this.#writeDatabase(all);
    else {
      const text = all.map(([owner, type, content]) => `${owner} 300 IN ${type} ${content}\n`).join('');
      writeFileSync(join(this.#folder, 'zone'), `$ORIGIN ${this.zone}.\n${text}`);
    }
    if (this.#child !== null && this.#name !== 'powerdns') process.kill(this.#child.pid, 'SIGHUP');
  }

  #writeDatabase(lines: readonly Line[]): void {
    const database = join(this.#folder, 'zones.db');
    const isNew = this.#child === null;
    const inserts = lines.map(([owner, type, content]) => {
      const name = owner === '@' ? this.zone : `${owner}.${this.zone}`;
      // The priority of an MX record has a column of its own.
      const [, priority, rest] =
        type === 'MX' ? (/^(\d+) (.*)$/.exec(content) ?? ['', '0', content]) : ['', '0', content];
      const text = rest.replaceAll(/\.(?= |$)/g, '');
      return `INSERT INTO records (domain_id, name, type, content, ttl, prio, disabled, auth)
        VALUES (1, '${name}', '${type}', '${text}', 300, ${priority}, 0, 1);`;
    });
    const sql = [
      ...(isNew ? [`INSERT INTO domains (id, name, type) VALUES (1, '${this.zone}', 'MASTER');`] : []),
      'BEGIN; DELETE FROM records;',
      ...inserts,
      'COMMIT;',
    ];
    const file = join(this.#folder, 'zone.sql');
    writeFileSync(file, sql.join('\n'));
    execFileSync('sqlite3', [database, ...(isNew ? [`.read ${SCHEMA}`] : []), `.read ${file}`]);
  }
}
