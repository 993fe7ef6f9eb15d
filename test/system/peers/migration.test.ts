/**
 * Migrations from BIND, Knot DNS, NSD and PowerDNS that serve zones on the loopback: the import,
 * the comparison of both servers, and a second import, which changes nothing.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../admin-api/cli/harness.ts';
import { startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { accepts, freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { startPowerDnsServer } from './powerdns-server.ts';
import { whyNot } from './servers.ts';

interface Old {
  readonly port: number;
  /** Arguments that name the source. */
  readonly source: readonly string[];
  close(): Promise<void>;
}

interface Context {
  daemon: Borrowed;
}

/** All kinds of answers: wildcards, delegations, names between, CNAMEs, DNAME, large answers. */
const recordsOf = (zone: string): string => `$TTL 300
@ 3600 SOA ns1.${zone}. host.${zone}. 7 7200 900 604800 60
@ NS ns1
@ NS ns.other.example.
ns1 A 192.0.2.53
ns1 AAAA 2001:db8::53
@ A 192.0.2.1
@ MX 10 mail
@ MX 20 mail.other.example.
@ TXT "v=spf1 -all" "a \\"b\\" \\\\ ; c"
@ CAA 0 issue "ca.example"
mail A 192.0.2.2
www CNAME mail
out CNAME www.other.example.
* A 192.0.2.9
* TXT wild
*.deep.er 60 AAAA 2001:db8::9
a.b.c SRV 1 2 3 mail
d NAPTR 1 2 "u" "E2U+sip" "!^.*$!sip:x@${zone}!" .
sub NS ns.sub
sub NS ns.other.example.
ns.sub A 192.0.2.54
sec NS ns1.sec
ns1.sec A 192.0.2.55
sec DS 1 13 2 ${'AB'.repeat(32)}
moved DNAME new.other.example.
h HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1
s SSHFP 4 2 ${'CD'.repeat(32)}
_443._tcp TLSA 3 1 1 ${'EF'.repeat(32)}
l LOC 52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m
Caps.Name A 192.0.2.3
\\*x.esc\\.aped TXT x
${Array.from({ length: 60 }, (_, i) => `large TXT "${'x'.repeat(60)}${i}"`).join('\n')}
`;

const write = (folder: string, path: string, text: string): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

async function startServer(
  folder: string,
  port: number,
  program: string,
  args: readonly string[],
  ready: RegExp,
  source: string,
): Promise<Old> {
  const child = startChild(program, args);
  await child.waitFor(ready);
  await accepts(port);
  return {
    port,
    source: [source],
    async close() {
      await child.stop();
      removeFolder(folder);
    },
  };
}

const ZONES = ['one', 'two', '2.0.192.in-addr.arpa'];

async function startBind(): Promise<Old> {
  const [folder, port] = [temporaryFolder('bind'), await freePort()];
  for (const zone of ZONES)
    write(
      folder,
      `zones/db.${zone}`,
      `${recordsOf(`${zone}.bind.test`)}$INCLUDE shared\n$GENERATE 1-20 host$ A 192.0.2.$\n`,
    );
  write(folder, 'zones/shared', 'shared A 192.0.2.77\n');
  write(
    folder,
    'conf/local.conf',
    ZONES.map((zone) => `zone "${zone}.bind.test" IN { type master; file "db.${zone}"; check-names ignore; };`).join(
      '\n',
    ),
  );
  const config = write(
    folder,
    'conf/named.conf',
    `/* The options */
options {
  directory "${folder}/zones"; # of the zone files
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  pid-file none; session-keyfile "${folder}/session.key";
  recursion no; dnssec-validation no; notify no; empty-zones-enable no;
  allow-transfer { any; };
};
controls { };
key "xfr.test" { algorithm hmac-sha256; secret "c2VjcmV0c2VjcmV0"; };
include "${folder}/conf/local.conf";
zone "sec.bind.test" { type slave; file "sec.bind.test"; masters { 127.0.0.1 port 9; }; };
`,
  );
  return startServer(folder, port, '/usr/sbin/named', ['-g', '-n', '1', '-c', config], /\brunning$/m, config);
}

async function startKnot(): Promise<Old> {
  const [folder, port] = [temporaryFolder('knot'), await freePort()];
  for (const zone of ZONES) write(folder, `zones/test/${zone}.knot.test.zone`, recordsOf(`${zone}.knot.test`));
  write(
    folder,
    'conf/zones.d/a.conf',
    `zone:\n${ZONES.map((zone) => `  - domain: ${zone}.knot.test.\n    template: files\n`).join('')}`,
  );
  const config = write(
    folder,
    'conf/knot.conf',
    `# Knot
server:
    rundir: "${folder}"
    listen: [ 127.0.0.1@${port} ]
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: ${folder}
log:
  - target: stderr
    any: info
acl:
  - id: transfer
    address: 127.0.0.0/8
    action: transfer
template:
  - id: files
    storage: ${folder}/zones
    file: "%l[0]/%s.zone"
    semantic-checks: soft
    journal-content: none
    zonefile-sync: -1
    acl: transfer
include: ${folder}/conf/zones.d/*.conf
`,
  );
  return startServer(folder, port, '/usr/sbin/knotd', ['-c', config], /server started/, config);
}

async function startNsd(): Promise<Old> {
  const [folder, port] = [temporaryFolder('nsd'), await freePort()];
  for (const zone of ZONES) write(folder, `zones/${zone}.nsd.test.zone`, recordsOf(`${zone}.nsd.test`));
  write(
    folder,
    'conf/more.conf',
    ZONES.map((zone) => `zone:\n\tname: "${zone}.nsd.test"\n\tinclude-pattern: "files"\n`).join(''),
  );
  const config = write(
    folder,
    'conf/nsd.conf',
    `server:
	ip-address: 127.0.0.1@${port}
	username: ""
	server-count: 1
	zonesdir: "${folder}/zones"
	database: ""
	pidfile: ${folder}/nsd.pid
	xfrdfile: ${folder}/xfrd.state
	zonelistfile: ${folder}/zone.list
	xfrdir: ${folder}
	rrl-ratelimit: 0
	verbosity: 1
remote-control:
	control-enable: no
pattern:
	name: files
	zonefile: "%s.zone"
	provide-xfr: 127.0.0.1 NOKEY
include: "${folder}/conf/more.conf"
`,
  );
  return startServer(folder, port, '/usr/sbin/nsd', ['-d', '-c', config], /nsd started/, config);
}

async function startPowerDns(): Promise<Old> {
  const folder = temporaryFolder('powerdns-key');
  const server = await startPowerDnsServer();
  for (const zone of ZONES) {
    const name = `${zone}.powerdns.test.`;
    // By default, PowerDNS refuses escaped characters, and does not follow a DNAME.
    const text = `$ORIGIN ${name}\n${recordsOf(`${zone}.powerdns.test`)
      .replace('\\*x.esc\\.aped', 'plain')
      .replace(/^moved .*\n/m, '')}`;
    const response = await fetch(`${server.url}/api/v1/servers/localhost/zones`, {
      method: 'POST',
      headers: { 'x-api-key': server.key, 'content-type': 'application/json' },
      body: JSON.stringify({ name, kind: 'Native', zone: text, nameservers: [] }),
    });
    if (response.status !== 201) throw new Error(await response.text());
  }
  const keyFile = write(folder, 'key', `${server.key}\n`);
  return {
    port: server.dnsPort,
    source: ['--powerdns', server.url, '--powerdns-key-file', keyFile],
    async close() {
      await server.close();
      removeFolder(folder);
    },
  };
}

const OLD = [
  { name: 'bind', why: whyNot('bind'), start: startBind },
  { name: 'knot', why: whyNot('knot'), start: startKnot },
  { name: 'nsd', why: whyNot('nsd'), start: startNsd },
  { name: 'powerdns', why: whyNotPrograms('pdns_server', 'sqlite3'), start: startPowerDns },
];

const test = suite<Context>('migrations');
test.before(async (context) => {
  context.daemon = await borrowDaemon();
  await context.daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async ({ daemon }) => daemon.giveBack());

for (const { name, why, start } of OLD) {
  if (why !== null) {
    console.log(`skipped: migration from ${name}: ${why}`);
    continue;
  }
  test(`from ${name}: imported, compared, and not changed by a second import`, async ({ daemon }) => {
    const env = { WAYPOST_URL: `http://127.0.0.1:${daemon.adminPort}`, WAYPOST_TOKEN: daemon.api.token };
    const old = await start();
    try {
      const importing = ['import', ...old.source, '--secondaries', 'skip', '--json'];
      const first = await run(importing, { env });
      assert.is(first.code, 0, first.stderr + first.stdout);
      const imported = JSON.parse(first.stdout);
      assert.is(imported.counts.created, ZONES.length, first.stdout);

      const comparing = [
        ...['compare', ...old.source, '--zones', ...ZONES.map((zone) => `${zone}.${name}.test`)],
        ...['--old', `127.0.0.1:${old.port}`, '--new', `127.0.0.1:${daemon.dnsPort}`, '--ttl', '--json'],
      ];
      const compared = await run(comparing, { env });
      const report = JSON.parse(compared.stdout);
      assert.equal([report.differences, report.errors], [[], []], compared.stderr);
      assert.is(compared.code, 0);
      assert.ok(report.questions > 60 * ZONES.length, `${report.questions} questions`);

      const second = await run(importing, { env });
      assert.is(second.code, 0, second.stderr + second.stdout);
      assert.is(JSON.parse(second.stdout).counts.unchanged, ZONES.length, second.stdout);
    } finally {
      await old.close();
    }
  });
}

test('a changed record, and a missing name, are found in both directions', async ({ daemon }) => {
  const why = whyNot('knot');
  if (why !== null) {
    console.log(`skipped: ${why}`);
    return;
  }
  const env = { WAYPOST_URL: `http://127.0.0.1:${daemon.adminPort}`, WAYPOST_TOKEN: daemon.api.token };
  const old = await startKnot();
  try {
    const zone = 'one.knot.test';
    assert.is((await run(['record', 'set', zone, 'mail', 'A', '192.0.2.222'], { env })).code, 0);
    assert.is((await run(['record', 'rm', zone, 'd', '--yes'], { env })).code, 0);
    assert.is((await run(['record', 'add', zone, 'only-new', 'TXT', 'x'], { env })).code, 0);
    const servers = ['--old', `127.0.0.1:${old.port}`, '--new', `127.0.0.1:${daemon.dnsPort}`];
    const compared = await run(['compare', ...servers, '--zones', zone], { env });
    assert.is(compared.code, 1);
    const { stdout } = compared;
    assert.match(
      stdout,
      /^mail\.one\.knot\.test\. A: answer differs\n {2}old: NOERROR aa\n {7}\S+ 300 A 192\.0\.2\.2\n {2}new: NOERROR aa\n {7}\S+ 300 A 192\.0\.2\.222$/m,
    );
    assert.match(stdout, /^www\.one\.knot\.test\. A: answer differs$/m);
    // The wildcard answers the name that is not there any more.
    assert.match(stdout, /^d\.one\.knot\.test\. NAPTR: status, answer differ$/m);
    assert.match(stdout, /^only-new\.one\.knot\.test\. TXT: answer differs$/m);
    const unreached = await run(['compare', ...servers, '--zones', 'none.test'], { env });
    assert.match(unreached.stderr, /This account has no domain "none\.test"/);
  } finally {
    await old.close();
  }
});

test.run();
