/** Knot DNS, BIND and PowerDNS follow our catalog (RFC 9432), and we follow the one of Knot. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { type Child, startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { accepts, freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilIs } from '../../support/until.ts';

const CATALOG = 'catalog.test';

interface Consumer {
  readonly program: string;
  readonly args: (folder: string) => string[];
  readonly ready: RegExp;
  readonly config: (folder: string, port: number, primary: number) => Readonly<Record<string, string>>;
  readonly prepare?: (folder: string) => void;
}

const CONSUMERS: Readonly<Record<string, Consumer>> = {
  knot: {
    program: '/usr/sbin/knotd',
    args: (folder) => ['-c', join(folder, 'config')],
    ready: /server started/,
    config: (folder, port, primary) => ({
      config: `
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
    address: 127.0.0.1@${primary}
acl:
  - id: notified
    address: 127.0.0.1
    action: notify
template:
  - id: default
    storage: ${folder}
    zonefile-sync: -1
    zonefile-load: none
    journal-content: all
  - id: member
    storage: ${folder}
    zonefile-sync: -1
    zonefile-load: none
    journal-content: all
    master: waypost
    acl: notified
zone:
  - domain: ${CATALOG}
    master: waypost
    acl: notified
    catalog-role: interpret
    catalog-template: member
`,
    }),
  },
  bind: {
    program: '/usr/sbin/named',
    args: (folder) => ['-g', '-c', join(folder, 'config')],
    ready: /running/,
    config: (folder, port, primary) => ({
      config: `
options {
    directory "${folder}";
    pid-file none;
    session-keyfile none;
    listen-on port ${port} { 127.0.0.1; };
    listen-on-v6 { none; };
    recursion no;
    dnssec-validation no;
    notify no;
    catalog-zones {
        zone "${CATALOG}" default-primaries { 127.0.0.1 port ${primary}; } min-update-interval 0;
    };
};
controls {};
zone "${CATALOG}" { type secondary; file "catalog.zone"; primaries { 127.0.0.1 port ${primary}; }; };
`,
    }),
  },
  powerdns: {
    program: '/usr/sbin/pdns_server',
    args: (folder) => [`--config-dir=${folder}`],
    ready: /Done launching threads|ready to distribute questions/,
    config: (folder, port, primary) => ({
      'pdns.conf': `
launch=gsqlite3
gsqlite3-database=${folder}/zones.db
local-address=127.0.0.1
local-port=${port}
socket-dir=${folder}
secondary=yes
autosecondary=no
xfr-cycle-interval=1
allow-notify-from=127.0.0.1
security-poll-suffix=
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
`,
      'zones.sql': `INSERT INTO domains (name, master, type) VALUES ('${CATALOG}', '127.0.0.1:${primary}', 'CONSUMER');`,
    }),
    prepare(folder) {
      const database = join(folder, 'zones.db');
      execFileSync('sqlite3', [database, `.read ${SCHEMA}`, `.read ${join(folder, 'zones.sql')}`]);
    },
  },
};
const SCHEMA = '/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql';
const FILES = [...Object.values(CONSUMERS).map(({ program }) => program), SCHEMA, '/usr/bin/sqlite3'];

const test = suite('consumers of a catalog');
let daemon: Daemon;
const ports: Record<string, number> = {};
const ours: Record<string, number> = {};
const folders: string[] = [];
const children: Child[] = [];

test.before(async () => {
  for (const name of Object.keys(CONSUMERS)) ports[name] = await freePort();
  daemon = await startDaemon({
    WAYPOST_TRANSFER_ALLOW: '127.0.0.1/32',
    WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: '127.0.0.0/8',
    WAYPOST_TRANSFER_NOTIFY: Object.values(ports)
      .map((port) => `127.0.0.1:${port}`)
      .join(','),
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async () => {
  for (const child of children) await child.stop();
  for (const folder of folders) removeFolder(folder);
  await daemon.stop();
});

async function startConsumer(name: string): Promise<void> {
  const { program, args, ready, config, prepare } = CONSUMERS[name];
  const folder = temporaryFolder(name);
  folders.push(folder);
  for (const [file, text] of Object.entries(config(folder, ports[name], daemon.dnsPort)))
    writeFileSync(join(folder, file), text);
  prepare?.(folder);
  const child = startChild(program, args(folder));
  children.push(child);
  await child.waitFor(ready);
  await accepts(ports[name]);
}

/** The nameservers and zones of those that answer the SOA of a zone. */
async function served(zones: readonly string[], at = ports): Promise<string> {
  const found: string[] = [];
  for (const [name, port] of Object.entries(at)) {
    const client = await UdpClient.connect(port);
    for (const zone of zones) {
      const question = { name: parseName(`${zone}.`), type: TYPE.SOA, class: CLASS_IN };
      const response = await client.query(encodeQuery(question, 1), 1000, 1);
      const { rcode, answer } = response === null ? { rcode: RCODE.SERVFAIL, answer: [] } : decodeMessage(response);
      if (rcode === RCODE.NOERROR && answer.length > 0) found.push(`${name} ${zone}`);
    }
    client.close();
  }
  return found.join();
}

const everywhere = (zones: readonly string[]): string =>
  Object.keys(ports)
    .flatMap((name) => zones.map((zone) => `${name} ${zone}`))
    .join();

test('zones are added and removed at all consumers', async () => {
  const zones = ['a.test', 'b.test', 'new.test'];
  const { body } = await daemon.api.call('POST', '/api/v1/domains', {
    ...{ domain: CATALOG, kind: 'catalog', members: 'all' },
  });
  assert.is((body.domain as { kind: string }).kind, 'catalog');
  const ids = new Map<string, string>();
  for (const zone of zones.slice(0, 2)) ids.set(zone, await daemon.api.createDomain(zone));
  for (const name of Object.keys(CONSUMERS)) await startConsumer(name);
  await untilIs(() => served(zones), everywhere(['a.test', 'b.test']));
  ids.set('new.test', await daemon.api.createDomain('new.test'));
  await untilIs(() => served(zones), everywhere(zones));
  await daemon.api.call('DELETE', `/api/v1/domains/${ids.get('b.test')}`);
  await untilIs(() => served(zones), everywhere(['a.test', 'new.test']));
});

/** A catalog of Knot's, of its member zones. */
const producerConfig = (folder: string, port: number, to: number): string => `
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
    address: 127.0.0.1@${to}
acl:
  - id: transfers
    address: 127.0.0.1
    action: transfer
template:
  - id: default
    storage: ${folder}
    file: "%s.zone"
    notify: waypost
    acl: transfers
zone:
  - domain: theirs.test
    catalog-role: generate
  - domain: one.theirs
    catalog-role: member
    catalog-zone: theirs.test
  - domain: two.theirs
    catalog-role: member
    catalog-zone: theirs.test
`;

test('the zones of a catalog of Knot DNS are served', async () => {
  const folder = temporaryFolder('producer');
  folders.push(folder);
  const port = await freePort();
  const text = producerConfig(folder, port, daemon.dnsPort);
  writeFileSync(join(folder, 'config'), text);
  for (const zone of ['one.theirs', 'two.theirs'])
    writeFileSync(
      join(folder, `${zone}.zone`),
      `$TTL 60\n@ SOA ns hostmaster 1 60 60 86400 60\n@ NS ns\nns A 192.0.2.1\n`,
    );
  const child = startChild('/usr/sbin/knotd', ['-c', join(folder, 'config')]);
  children.push(child);
  await child.waitFor(/server started/);
  const primaries = [{ address: `127.0.0.1:${port}` }];
  const body = { domain: 'theirs.test', kind: 'secondary', catalog: true, primaries };
  const created = await daemon.api.call('POST', '/api/v1/domains', body);
  const { id } = created.body.domain as { id: number };
  ours.waypost = daemon.dnsPort;
  await untilIs(() => served(['one.theirs', 'two.theirs'], ours), 'waypost one.theirs,waypost two.theirs');
  writeFileSync(join(folder, 'config'), text.slice(0, text.indexOf('  - domain: two')));
  execFileSync('/usr/sbin/knotc', ['-s', join(folder, 'knot.sock'), 'reload']);
  await untilIs(() => served(['one.theirs', 'two.theirs'], ours), 'waypost one.theirs');
  const shown = await daemon.api.call('GET', `/api/v1/domains/${id}`);
  assert.equal((shown.body.domain as { catalog: unknown }).catalog, {
    problem: null,
    zones: 1,
    left_out_count: 0,
    left_out: [],
  });
});

const missing = FILES.filter((file) => !existsSync(file));
if (missing.length === 0) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${missing.join(', ')} are missing.`);
else console.log(`skipped: consumers of a catalog, ${missing.join(', ')} are missing`);
