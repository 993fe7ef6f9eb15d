/**
 * Primaries of secondary zones: Knot DNS, BIND, NSD and PowerDNS, each with one zone, and perhaps a
 * signed one with the same records.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from '../../support/child.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { accepts, freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

export const SCHEMA = '/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql';

export type PrimaryName = 'knot' | 'bind' | 'nsd' | 'powerdns';

export interface TsigSecret {
  readonly name: string;
  readonly secret: string;
  /** Omitted: hmac-sha256. */
  readonly algorithm?: string;
}

export interface PrimaryOptions {
  readonly zone: string;
  /** Where NOTIFY goes. */
  readonly secondary: number;
  /** Knot signs the zone: with NSEC, or with NSEC3. */
  readonly signing?: 'nsec' | 'nsec3';
  /** A second zone, signed before it is loaded (signStatic), or by PowerDNS itself. */
  readonly signedZone?: string;
  /** The only address that may transfer the zones of Knot and BIND. Omitted: 127.0.0.1. */
  readonly client?: string;
  /** Required for transfers, and signs NOTIFY; not of PowerDNS. */
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
    config: ({ folder, port, zone, secondary, signing, signedZone, key, client }) => `
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
${
  key === undefined
    ? ''
    : `key:
  - id: ${key.name}
    algorithm: ${key.algorithm ?? 'hmac-sha256'}
    secret: ${key.secret}
`
}remote:
  - id: waypost
    address: 127.0.0.1@${secondary}
${key === undefined ? '' : `    key: ${key.name}\n`}acl:
  - id: transfers
    address: ${client ?? '127.0.0.1'}
    action: transfer
${key === undefined ? '' : `    key: ${key.name}\n`}policy:
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
${
  signedZone === undefined
    ? ''
    : `  - domain: ${signedZone}
    storage: ${folder}
    file: signed
    zonefile-sync: -1
    zonefile-load: difference
    journal-content: changes
    notify: waypost
    acl: transfers
`
}`,
  },
  bind: {
    program: '/usr/sbin/named',
    args: (folder) => ['-g', '-n', '1', '-c', join(folder, 'config')],
    ready: /\brunning$/m,
    config: ({ folder, port, zone, secondary, key, signedZone, client }) => `
${key === undefined ? '' : `key "${key.name}" { algorithm ${key.algorithm ?? 'hmac-sha256'}; secret "${key.secret}"; };`}
options {
    directory "${folder}";
    pid-file none;
    session-keyfile none;
    listen-on port ${port} { 127.0.0.1; };
    listen-on-v6 { none; };
    recursion no;
    dnssec-validation no;
    notify-delay 0;
    minimal-responses yes;
};
controls {};
${[zone, ...(signedZone === undefined ? [] : [signedZone])]
  .map(
    (name) => `
zone "${name}" {
    type primary;
    file "${name === zone ? 'zone' : 'signed'}";
    ixfr-from-differences yes;
    allow-transfer { ${key === undefined ? (client ?? '127.0.0.1') : `key "${key.name}"`}; };
    notify explicit;
    also-notify port ${secondary} { 127.0.0.1${key === undefined ? '' : ` key "${key.name}"`}; };
};
`,
  )
  .join('')}
`,
  },
  nsd: {
    program: '/usr/sbin/nsd',
    args: (folder) => ['-d', '-c', join(folder, 'config')],
    ready: /nsd started/,
    config: ({ folder, port, zone, secondary, signedZone, key }) => `
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
    minimal-responses: yes
    verbosity: 1
remote-control:
    control-enable: no
${
  key === undefined
    ? ''
    : `key:
    name: "${key.name}"
    algorithm: ${key.algorithm ?? 'hmac-sha256'}
    secret: "${key.secret}"
`
}
${[zone, ...(signedZone === undefined ? [] : [signedZone])]
  .map(
    (name) => `
zone:
    name: "${name}"
    zonefile: ${name === zone ? 'zone' : 'signed'}
    notify: 127.0.0.1@${secondary} ${key?.name ?? 'NOKEY'}
    provide-xfr: 127.0.0.1 ${key?.name ?? 'NOKEY'}
    store-ixfr: yes
    create-ixfr: yes
`,
  )
  .join('')}
`,
  },
  powerdns: {
    program: '/usr/sbin/pdns_server',
    args: (folder) => [`--config-dir=${folder}`],
    ready: /Done launching threads|ready to distribute questions/,
    config: ({ folder, port, secondary }) => `
launch=gsqlite3
gsqlite3-database=${folder}/zones.db
gsqlite3-dnssec=yes
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
  readonly signedZone: string | undefined;
  readonly #name: PrimaryName;
  readonly #folder: string;
  #child: Child | null = null;

  static async open(name: PrimaryName, options: PrimaryOptions): Promise<TestPrimary> {
    const folder = temporaryFolder(name);
    const port = await freePort();
    const file = name === 'powerdns' ? 'pdns.conf' : 'config';
    writeFileSync(join(folder, file), PROGRAMS[name].config({ ...options, folder, port }));
    return new TestPrimary(name, folder, port, options);
  }

  private constructor(name: PrimaryName, folder: string, port: number, options: PrimaryOptions) {
    this.#name = name;
    this.#folder = folder;
    this.port = port;
    this.zone = options.zone;
    this.signedZone = options.signedZone;
    if (this.signedZone !== undefined && name !== 'powerdns') makeKeys(folder, this.signedZone);
  }

  /** Resolves when it serves the zone. */
  async start(): Promise<void> {
    const { program, args, ready } = PROGRAMS[this.#name];
    this.#child = startChild(program, args(this.#folder));
    await this.#child.waitFor(ready);
    await accepts(this.port);
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
    const { zone, signedZone } = this;
    const linesOf = (name: string): Line[] => {
      const { refresh, retry, expire } = timers;
      const below = name === '.' ? '' : `${name}.`;
      const soa: Line = ['@', 'SOA', `ns1.${below} admin.${below} ${serial} ${refresh} ${retry} ${expire} 60`];
      return [soa, ['@', 'NS', `ns1.${below}`], ['ns1', 'A', '192.0.2.53'], ...lines];
    };
    if (this.#name === 'powerdns') {
      this.#writeDatabase(linesOf);
      return;
    }
    const textOf = (name: string): string => {
      const all = linesOf(name).map(([owner, type, content]) => `${owner} 300 IN ${type} ${content}\n`);
      return `$ORIGIN ${name === '.' ? '' : name}.\n${all.join('')}`;
    };
    writeFileSync(join(this.#folder, 'zone'), textOf(zone));
    if (signedZone !== undefined) signStatic(this.#folder, signedZone, textOf(signedZone), SIGNING[this.#name]);
    // BIND refuses a zone file that changed while it was down, if it has a journal.
    if (this.#child === null)
      for (const file of ['zone', 'signed']) rmSync(join(this.#folder, `${file}.jnl`), { force: true });
    if (this.#child !== null) process.kill(this.#child.pid, 'SIGHUP');
  }

  #writeDatabase(linesOf: (zone: string) => readonly Line[]): void {
    const database = join(this.#folder, 'zones.db');
    const isNew = !existsSync(database);
    const zones = [this.zone, ...(this.signedZone === undefined ? [] : [this.signedZone])];
    const sql = zones.flatMap((zone, i) => [
      ...(isNew ? [`INSERT INTO domains (id, name, type) VALUES (${i + 1}, '${zone}', 'MASTER');`] : []),
      ...linesOf(zone).map((line) => insertOf(zone, i + 1, line)),
    ]);
    const file = join(this.#folder, 'zone.sql');
    writeFileSync(file, ['BEGIN; DELETE FROM records;', ...sql, 'COMMIT;'].join('\n'));
    execFileSync('sqlite3', [database, ...(isNew ? [`.read ${SCHEMA}`] : []), `.read ${file}`]);
    // Ed25519: signatures that do not change when the server starts again.
    if (isNew && this.signedZone !== undefined)
      run(
        this.#folder,
        'pdnsutil',
        `--config-dir=${this.#folder}`,
        'add-zone-key',
        this.signedZone,
        'ksk',
        'active',
        'ed25519',
      );
  }
}

function insertOf(zone: string, domainId: number, [owner, type, content]: Line): string {
  const name = owner === '@' ? zone : `${owner}.${zone}`;
  // The priority of an MX record has a column of its own.
  const [, priority, rest] = type === 'MX' ? (/^(\d+) (.*)$/.exec(content) ?? ['', '0', content]) : ['', '0', content];
  const text = rest.replaceAll(/\.(?= |$)/g, '');
  // See "ordername" in the documentation of PowerDNS: the labels of the name, reversed.
  const order = owner === '@' ? '' : owner.split('.').reverse().join(' ');
  return `INSERT INTO records (domain_id, name, type, content, ttl, prio, disabled, auth, ordername)
    VALUES (${domainId}, '${name}', '${type}', '${text}', 300, ${priority}, 0, 1, '${order}');`;
}

type Signing = 'nsec' | 'nsec3' | 'ldns';

const SIGNING: Readonly<Record<Exclude<PrimaryName, 'powerdns'>, Signing>> = {
  ...{ knot: 'nsec3', bind: 'nsec', nsd: 'ldns' },
};

const run = (folder: string, program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

function makeKeys(folder: string, zone: string): void {
  const name = run(folder, 'dnssec-keygen', '-q', '-a', 'ECDSAP256SHA256', '-f', 'KSK', zone).trim();
  writeFileSync(join(folder, 'key'), name);
}

/** Writes the file `signed`: signed by BIND with NSEC or NSEC3, or by ldns with NSEC. */
function signStatic(folder: string, zone: string, text: string, signing: Signing): void {
  writeFileSync(join(folder, 'unsigned'), text);
  const key = readFileSync(join(folder, 'key'), 'utf8');
  if (signing === 'ldns') run(folder, 'ldns-signzone', '-o', zone, '-f', 'signed', 'unsigned', key);
  else {
    const options = ['-q', '-P', '-z', '-S', '-N', 'keep', '-o', zone, ...(signing === 'nsec3' ? ['-3', '-'] : [])];
    run(folder, 'dnssec-signzone', ...options, '-f', 'signed', 'unsigned');
  }
}
