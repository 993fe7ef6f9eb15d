/** Each check against made-up readings: at least one that is good, and one that is not. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { secretKey as exportedKey, lastBackup } from '../../../../admin-api/cli/doctor/backup.ts';
import {
  adminCertificate,
  clusterCertificate,
  defaultCertificate,
  dnsCertificate,
  edgeCertificates,
} from '../../../../admin-api/cli/doctor/certificates.ts';
import type { Check, Severity } from '../../../../admin-api/cli/doctor/check.ts';
import { etcdClock, peerClocks, synchronised } from '../../../../admin-api/cli/doctor/clock.ts';
import {
  etcdHealth,
  etcdSpace,
  peersLag,
  peersReachable,
  peersVersion,
} from '../../../../admin-api/cli/doctor/cluster.ts';
import {
  addresses,
  clearText,
  names,
  password,
  testSettings,
  valid,
} from '../../../../admin-api/cli/doctor/configuration.ts';
import { delegation } from '../../../../admin-api/cli/doctor/delegation.ts';
import { fileSystem, space, sync } from '../../../../admin-api/cli/doctor/disk.ts';
import { owners } from '../../../../admin-api/cli/doctor/domain-owners.ts';
import * as kernel from '../../../../admin-api/cli/doctor/kernel.ts';
import { controlGroup, files, memory, swap } from '../../../../admin-api/cli/doctor/limits.ts';
import {
  configurationFile,
  dataFolder,
  keyFiles,
  secretKey,
  userCheck as user,
} from '../../../../admin-api/cli/doctor/permissions.ts';
import { judgePort, overlaps, PORT_CHECKS } from '../../../../admin-api/cli/doctor/ports.ts';
import { answersCheck as answers, dnssec, truthful } from '../../../../admin-api/cli/doctor/resolvers.ts';
import { daemon, nodeCheck as node, unitCheck as unit, version } from '../../../../admin-api/cli/doctor/service.ts';
import { formatCheck as format, map, readersCheck as readers } from '../../../../admin-api/cli/doctor/store.ts';
import { CHECKS } from '../../../../admin-api/cli/doctor/table.ts';
import { transport } from '../../../../admin-api/cli/doctor/transport.ts';
import { usage } from '../../../../admin-api/cli/doctor/usage.ts';
import { certificate, ecKey, type KeyPair, pemOfKey } from '../../../support/certificate.ts';

type Case<Reading> = readonly [reading: Reading, worst: Severity, found: RegExp];

const SEVERITIES = ['ok', 'note', 'warning', 'error'];
/** Ids with a good case, and with another one. */
const good = new Set<string>();
const bad = new Set<string>();

function table<Reading>(check: Pick<Check<Reading>, 'id' | 'judge'>, ...cases: Case<Reading>[]): void {
  test(`judges ${check.id}`, () => {
    for (const [reading, worst, found] of cases) {
      const verdict = check.judge(reading);
      const verdicts = Array.isArray(verdict) ? verdict : [verdict];
      const about = `${check.id}: ${JSON.stringify(verdicts)}`;
      const level = Math.max(...verdicts.map(({ severity }) => SEVERITIES.indexOf(severity)));
      assert.is(SEVERITIES[level], worst, about);
      assert.ok(
        verdicts.some(({ found: text }) => found.test(text)),
        about,
      );
      // The reader of an error or a warning needs a command.
      for (const { severity, fix } of verdicts)
        if (severity === 'error' || severity === 'warning') assert.ok(fix !== undefined && fix !== '', about);
    }
  });
  for (const [, worst] of cases) (worst === 'ok' ? good : bad).add(check.id);
}

const GB = 1024 ** 3;
const file = 'a.toml';

table(
  valid,
  [{ source: 'x', file, fault: null, changed: 3 }, 'ok', /valid \(x\), 3/],
  [
    { source: 'x', file, fault: 'The configuration has 1 error:\n  dns.workers: found 0', changed: 0 },
    'error',
    /error: dns.workers: found 0/,
  ],
);
const open = { key: 'etcd.endpoints', value: 'http://192.0.2.1:2379', risk: 'All can be written.', next: 'Use TLS.' };
table(
  clearText,
  [{ file, found: [] }, 'ok', /nothing leaves/],
  [{ file, found: [{ severity: 'grave', ...open }] }, 'error', /etcd.endpoints is without TLS. All can/],
  [{ file, found: [{ severity: 'notable', ...open }] }, 'warning', /without TLS/],
  [{ file, found: [{ severity: 'usual', ...open }] }, 'note', /without TLS/],
);
const ours = { file, nameservers: ['ns1.example.net'], ipv4: ['192.0.2.1'], ipv6: ['2001:db8::1'], isPublic: true };
table(
  names,
  [ours, 'ok', /ns1.example.net/],
  [{ ...ours, nameservers: ['ns1.waypost.test'] }, 'warning', /ns1.waypost.test cannot/],
  [{ ...ours, nameservers: ['ns1.waypost.test'], isPublic: false }, 'note', /cannot/],
);
table(
  addresses,
  [ours, 'ok', /192.0.2.1/],
  [{ ...ours, ipv6: [] }, 'ok', /192.0.2.1/],
  [{ ...ours, ipv4: ['127.0.0.1'] }, 'warning', /127.0.0.1 is a loopback/],
  [{ ...ours, ipv4: ['127.0.0.1'], isPublic: false }, 'note', /127.0.0.1 is a loopback/],
  [{ ...ours, ipv4: [], ipv6: [] }, 'warning', /no address is set/],
);
table(
  owners,
  [{ domains: [], total: 3 }, 'ok', /3 domains/],
  [
    { domains: [{ domain: 'co.uk', account: 7, fault: '"co.uk" is a public suffix' }], total: 3 },
    'warning',
    /account 7/,
  ],
);
table(
  testSettings,
  [{ file, open: [] }, 'ok', /no setting/],
  [{ file, open: ['edge.allow_private_origins'] }, 'warning', /edge.allow_private_origins is set/],
);
table(
  password,
  [{ origin: null, hasStore: true }, 'ok', /not set/],
  [{ origin: 'WAYPOST_ADMIN_PASSWORD', hasStore: false }, 'ok', /first start/],
  [{ origin: 'WAYPOST_ADMIN_PASSWORD', hasStore: true }, 'note', /still set/],
);

const readiness = { ok: true, reasons: [], warnings: [] };
const url = 'http://127.0.0.1:8300';
table(
  daemon,
  [{ pid: 7, url, readiness }, 'ok', /process 7\) is ready/],
  [{ pid: null, url, readiness: null }, 'note', /does not run/],
  [{ pid: 7, url, readiness: null }, 'error', /process 7 runs, but http:\/\/127.0.0.1:8300 does not answer/],
  [
    { pid: 7, url, readiness: { ok: false, reasons: ['a DNS thread'], warnings: [] } },
    'error',
    /not ready: a DNS thread/,
  ],
  [{ pid: 7, url, readiness: { ...readiness, warnings: ['etcd has not responded'] } }, 'warning', /etcd has not/],
);
table(
  version,
  [{ own: '0.2.0', running: '0.2.0' }, 'ok', /version 0.2.0/],
  [{ own: '0.2.0', running: '0.1.0' }, 'warning', /daemon has version 0.1.0/],
  [{ own: '0.2.0', running: null }, 'note', /does not report/],
);
table(
  node,
  [{ node: '24.1.0', openssl: '3.5.1' }, 'ok', /Node 24.1.0/],
  [{ node: '22.12.0', openssl: '3.0.15' }, 'note', /without X25519MLKEM768/],
  [{ node: '20.20.0', openssl: '3.0.15' }, 'warning', /without security updates/],
  [{ node: '18.20.0', openssl: '3.0.15' }, 'error', /not supported/],
  [{ node: '23.0.0', openssl: '3.0.15' }, 'error', /not supported/],
);
const unknown = { running: null, setting: 'auto', missing: null } as const;
const missing = 'uWebSockets.js has no binary for Node 24.1.0 on linux x64';
table(
  transport,
  [{ ...unknown, running: 'uws' }, 'ok', /is served by uWebSockets.js$/],
  [unknown, 'ok', /would be served by uWebSockets.js$/],
  [{ ...unknown, running: 'node', missing }, 'warning', /is served by node:http: uWebSockets.js has no binary/],
  [{ ...unknown, missing }, 'warning', /would be served by node:http: uWebSockets.js has no binary/],
  [{ ...unknown, running: 'node' }, 'warning', /by node:http, but uWebSockets.js loads here/],
  [{ ...unknown, running: 'node', setting: 'node' }, 'note', /since admin.transport is "node"/],
  [{ ...unknown, setting: 'uws', missing }, 'error', /admin.transport is "uws", but uWebSockets.js has no binary/],
);
const shown = new Map([
  ['FragmentPath', '/etc/systemd/system/waypost.service'],
  ['UnitFileState', 'enabled'],
]);
const installed = {
  unit: shown,
  hasSystemd: true,
  shippedPath: '/usr/lib/waypost/systemd/waypost.service',
  isShipped: true,
  differences: 0,
};
table(
  unit,
  [installed, 'ok', /is enabled, and as shipped/],
  [{ ...installed, hasSystemd: false }, 'note', /systemd does not run/],
  [{ ...installed, unit: null }, 'note', /not installed/],
  [{ ...installed, differences: 2 }, 'note', /2 lines/],
  [{ ...installed, unit: new Map([...shown, ['UnitFileState', 'disabled']]) }, 'warning', /is disabled/],
  [{ ...installed, unit: new Map([...shown, ['DropInPaths', '/etc/x.conf']]) }, 'note', /drop-ins/],
);

const listen = { address: '0.0.0.0', port: 53, family: 4 } as const;
const port = { listen, protocol: 'udp', isDaemonRunning: false } as const;
for (const { id } of PORT_CHECKS)
  table(
    { id, judge: judgePort },
    [{ ...port, state: 'free' }, 'ok', /free/],
    [{ ...port, state: 'ours', holder: { pid: 9, name: 'node' }, isDaemonRunning: true }, 'ok', /process 9\) listens/],
    [{ ...port, state: 'free', isDaemonRunning: true }, 'error', /does not listen/],
    [
      { ...port, state: 'taken', holder: { pid: 5, name: 'systemd-resolve' } },
      'error',
      /systemd-resolve \(process 5\)/,
    ],
    [{ ...port, state: 'hidden' }, 'error', /another user/],
    [{ ...port, state: 'hidden', isDaemonRunning: true }, 'note', /probably the daemon/],
    [{ ...port, state: 'denied' }, 'note', /CAP_NET_BIND_SERVICE/],
    [{ ...port, state: 'missing' }, 'error', /no interface/],
  );

test('names the command that frees port 53 of systemd-resolved', () => {
  const verdict = judgePort({ ...port, state: 'taken', holder: { pid: 5, name: 'systemd-resolve' } });
  assert.match(verdict.fix ?? '', /DNSStubListener=no.*systemctl restart systemd-resolved/);
});

test('knows which sockets overlap', () => {
  const six = { address: '::', port: 53, family: 6 } as const;
  for (const [own, address, expected] of [
    [listen, '127.0.0.53', true],
    [listen, '::', true],
    [listen, '::1', false],
    [six, '::1', true],
    [six, '192.0.2.1', false],
    [{ ...listen, address: '192.0.2.1' }, '192.0.2.2', false],
    [{ ...listen, address: '192.0.2.1' }, '0.0.0.0', true],
  ] as const)
    assert.is(overlaps(own, { address, port: 53 }), expected, `${own.address} ${address}`);
  assert.not(overlaps(listen, { address: '0.0.0.0', port: 54 }));
});

const path = '/var/lib/waypost';
const folder = { path, mode: 0o40700, owner: 5, user: 5, isFolder: true, isWritable: true, isRoot: false };
table(
  dataFolder,
  [folder, 'ok', /mode 0700/],
  [{ ...folder, mode: null }, 'note', /first start creates it/],
  [{ ...folder, mode: null, isWritable: false }, 'note', /cannot create/],
  [{ ...folder, mode: 0o40755 }, 'warning', /mode 0755: other users/],
  [{ ...folder, owner: 0 }, 'error', /belongs to user 0, and the daemon runs as user 5/],
  [{ ...folder, isFolder: false }, 'error', /not a folder/],
  [{ ...folder, isWritable: false }, 'note', /cannot write/],
);
table(user, [{ user: 5, isRunning: true }, 'ok', /user 5/], [{ user: 0, isRunning: true }, 'warning', /root/]);
const key = { path: `${path}/secret.key`, mode: 0o100600, owner: 5, user: 5, isNeeded: true };
table(
  secretKey,
  [key, 'ok', /mode 0600/],
  [{ ...key, mode: null, isNeeded: false }, 'ok', /none/],
  [{ ...key, mode: null }, 'error', /missing, although/],
  [{ ...key, mode: 0o100640 }, 'error', /mode 0640/],
  [{ ...key, owner: 6 }, 'warning', /belongs to user 6/],
);
table(
  keyFiles,
  [[], 'ok', /no key files/],
  [[key], 'ok', /mode 0600/],
  [[key, { ...key, mode: 0o100644 }], 'error', /mode 0644/],
  [[{ ...key, mode: null }], 'error', /missing/],
);
table(
  configurationFile,
  [[], 'ok', /no configuration file/],
  [[{ ...key, mode: 0o100644, secrets: [] }], 'ok', /without secrets/],
  [[{ ...key, mode: 0o100600, secrets: ['admin.password'] }], 'ok', /with secrets/],
  [[{ ...key, mode: 0o100644, secrets: ['admin.password'] }], 'error', /with admin.password/],
);

table(
  files,
  [{ limit: 1_048_576, needed: 70_000, source: 'x' }, 'ok', /1048576 files/],
  [{ limit: null, needed: 70_000, source: 'x' }, 'ok', /no limit/],
  [{ limit: 1024, needed: 70_000, source: 'x' }, 'warning', /1024 files \(x\); the settings allow up to 70000/],
);
table(
  memory,
  [{ available: 8 * GB, index: 2 * GB, cache: GB / 4, used: GB }, 'ok', /the daemon uses 1.0 GB/],
  [{ available: 2 * GB, index: 2 * GB, cache: GB / 4, used: null }, 'warning', /2.0 GB of memory/],
  [{ available: 2 * GB, index: GB, cache: GB / 4, used: 1.9 * GB }, 'error', /uses 1.9 GB/],
);
const group = { path: '/x', memoryMax: GB, memoryUsed: GB / 2, kills: 0, tasksMax: 4096, tasks: 50 };
table(
  controlGroup,
  [group, 'ok', /512 MB of 1.0 GB, 50 of 4096 threads/],
  [{ ...group, kills: 2 }, 'warning', /2 processes were killed/],
  [{ ...group, tasks: 4000 }, 'warning', /4000 of 4096/],
);
table(swap, [{ swapped: 0 }, 'ok', /0 B/], [{ swapped: GB }, 'warning', /1.0 GB/]);

for (const [check, least] of [
  [kernel.somaxconn, 4096],
  [kernel.receiveBuffer, 4_194_304],
  [kernel.sendBuffer, 4_194_304],
  [kernel.mapCount, 65_530],
] as const)
  table(check, [least, 'ok', /is/], [least - 1, 'warning', /less than/]);
const range = { low: 32_768, high: 60_999, listens: [53, 443], reserved: '' };
table(
  kernel.portRange,
  [range, 'ok', /28232 ports/],
  [{ ...range, low: 60_000 }, 'warning', /1000 ports/],
  [{ ...range, listens: [40_000] }, 'note', /40000 to listen on/],
  [{ ...range, listens: [40_000], reserved: '39999-40001' }, 'ok', /28232/],
);
table(kernel.synCookies, [1, 'ok', /1/], [0, 'warning', /0/]);
table(kernel.fileMax, [{ used: 1, max: 100 }, 'ok', /1 of 100/], [{ used: 90, max: 100 }, 'warning', /90 of 100/]);
table(
  kernel.conntrack,
  [null, 'ok', /not tracked/],
  [{ count: 5, max: 262_144 }, 'note', /5 of 262144/],
  [{ count: 5, max: 8192 }, 'warning', /5 of 8192/],
  [{ count: 250_000, max: 262_144 }, 'warning', /250000/],
);
table(kernel.swappiness, [60, 'ok', /60/], [100, 'note', /100/]);
table(kernel.overcommit, [0, 'ok', /0/], [2, 'warning', /2/]);
table(
  kernel.hugePages,
  [{ mode: 'madvise', indexMemory: GB }, 'ok', /madvise/],
  [{ mode: 'never', indexMemory: GB }, 'note', /never; the index has up to 1.0 GB/],
);
table(
  kernel.corePattern,
  [{ pattern: 'core', isWanted: false }, 'ok', /are off/],
  [{ pattern: '|/usr/lib/x', isWanted: true }, 'note', /receives the dumps/],
);

table(
  synchronised,
  [{ isSynchronised: true, maxErrorMs: 12, time: 0 }, 'ok', /12 ms/],
  [{ isSynchronised: true, maxErrorMs: 5000, time: 0 }, 'warning', /5000 ms/],
  [{ isSynchronised: false, maxErrorMs: 0, time: 0 }, 'warning', /no time service/],
);
for (const check of [etcdClock, peerClocks])
  table(
    check,
    [[{ server: 'x', offset: 900, roundTrip: 10 }], 'ok', /agree/],
    [[{ server: 'x', offset: null, roundTrip: 10 }], 'note', /no answer/],
    [[{ server: 'x', offset: -5000, roundTrip: 10 }], 'warning', /5.0 s behind/],
    [[{ server: 'x', offset: 3_600_000, roundTrip: 10 }], 'error', /3600.0 s ahead/],
  );

const disk = { folder: path, free: 50 * GB, total: 100 * GB, reserve: GB, freeInodes: null };
table(
  space,
  [disk, 'ok', /50.0 GB of 100 GB/],
  [{ ...disk, free: 2 * GB }, 'warning', /2.0 GB/],
  [{ ...disk, free: GB / 2 }, 'error', /512 MB/],
  [{ ...disk, freeInodes: 5 }, 'error', /5 inodes/],
);
table(
  sync,
  [{ folder: path, times: [1, 2, 30] }, 'ok', /takes 2.0 ms, the slowest of 3 took 30.0 ms/],
  [{ folder: path, times: [25] }, 'warning', /25.0 ms/],
  [{ folder: path, times: [200] }, 'error', /200.0 ms/],
);
table(
  fileSystem,
  [{ folder: path, type: 0xef53 }, 'ok', /local/],
  [{ folder: path, type: 0x6969 }, 'error', /NFS/],
  [{ folder: path, type: 0x01021994 }, 'warning', /tmpfs/],
  [{ folder: path, type: 0x794c7630 }, 'note', /layer of a container/],
);

const figures = {
  format: '2',
  ownFormat: '2',
  fileBytes: GB,
  mapBytes: GB,
  usedBytes: GB / 2,
  readers: 5,
  maxReaders: 1024,
  tables: {},
};
table(format, [figures, 'ok', /format 2/], [{ ...figures, format: '1' }, 'error', /format 1, and this version reads/]);
table(
  map,
  [{ ...figures, memory: 8 * GB }, 'ok', /512 MB are used/],
  [{ ...figures, memory: GB / 2 }, 'note', /the memory is 512 MB/],
);
table(readers, [figures, 'ok', /5 of 1024/], [{ ...figures, readers: 1000 }, 'warning', /1000 of 1024/]);

const ALICE = { accountId: 3, username: 'alice', records: 10, bytes: 5 << 20, isOver: false };
const ZONE_OF_ALICE = { domainId: 7, domain: 'alice.example', accountId: 3, records: 10, bytes: 4 << 20 };
table(
  usage,
  [{ accounts: [], zones: [] }, 'ok', /nothing is stored/],
  [{ accounts: [ALICE], zones: [ZONE_OF_ALICE] }, 'ok', /alice \(5.*10 records.*alice\.example \(4/],
  [{ accounts: [{ ...ALICE, isOver: true }], zones: [] }, 'warning', /alice .*above the limits of its plan/],
);

const backup = { last: 1_000_000, interval: 86_400, hasStore: true, now: 1_003_600, missingKeys: [], error: null };
table(
  lastBackup,
  [backup, 'ok', /1.0 hours/],
  [{ ...backup, last: null, hasStore: false }, 'ok', /no data/],
  [{ ...backup, last: null }, 'warning', /no scheduled backups/],
  [{ ...backup, last: 0 }, 'warning', /no backup yet/],
  [{ ...backup, now: 1_360_000 }, 'warning', /100.0 hours/],
  [{ ...backup, last: 0, error: 'of another installation' }, 'warning', /attempt failed: of another installation/],
  [{ ...backup, missingKeys: ['1a2b3c4d'] }, 'warning', /secret keys that secrets.key_file lacks: 1a2b3c4d/],
);
const escrow = { file: 'secret.key', exists: true, exported: { at: '2026-11-27T00:00:00Z' } };
table(
  exportedKey,
  [escrow, 'ok', /exported at 2026/],
  [{ ...escrow, exists: false }, 'ok', /first start/],
  [{ ...escrow, exported: 'never' }, 'warning', /never exported/],
  [{ ...escrow, exported: 'other-key' }, 'warning', /was replaced/],
);

const DAY = 86_400;
const site = { domain: 'example.com', notAfter: 100 * DAY, isAutomatic: true, trouble: null };
table(
  edgeCertificates,
  [{ now: 10 * DAY, domains: [site] }, 'ok', /1 proxied/],
  [{ now: 10 * DAY, domains: [{ ...site, notAfter: null, trouble: 'CAA' }] }, 'warning', /no certificate yet: CAA/],
  [{ now: 95 * DAY, domains: [site] }, 'warning', /5 days/],
  [{ now: 105 * DAY, domains: [site] }, 'error', /expired 5 days ago/],
  [{ now: 105 * DAY, domains: Array(30).fill(site) }, 'error', /10 more domains/],
);

const judgedDomain = { domain: 'example.com', seen: ['ns.other.example'], missing: [], extra: [], trouble: null };
const judged = (state: 'live' | 'partial' | 'elsewhere' | 'none' | 'unknown', more = {}) => ({
  ...{ domains: [{ ...judgedDomain, state, ...more }], total: 1 },
});
table(
  delegation,
  [judged('live'), 'ok', /1 of 1 domains are delegated here/],
  [judged('partial', { missing: ['ns2.example.net'] }), 'warning', /ns2.example.net is missing/],
  [judged('elsewhere'), 'error', /delegated to ns.other.example/],
  [judged('none'), 'warning', /not delegated/],
  [judged('unknown', { trouble: 'no answer' }), 'note', /no answer/],
  [{ domains: [], total: 5 }, 'note', /5 domains were not looked at/],
);

const probe = { server: { address: '192.0.2.53', port: 53 }, settings: ['alias.resolvers'], trouble: null };
const silent = { ...probe, trouble: 'unreachable' };
table(
  answers,
  [[{ ...probe, elapsed: 5, rcode: 0 }], 'ok', /5 ms/],
  [[], 'error', /no resolver/],
  [[{ ...probe, elapsed: 2000, rcode: 0 }], 'warning', /2000 ms/],
  [[{ ...silent, elapsed: 0, rcode: 0 }], 'error', /unreachable/],
  [[{ ...probe, elapsed: 5, rcode: 5 }], 'error', /RCODE 5/],
);
table(
  dnssec,
  [[{ ...probe, rcode: 0, isSigned: true, isValidated: true }], 'ok', /validates/],
  [[{ ...probe, rcode: 0, isSigned: true, isValidated: false }], 'note', /does not validate/],
  [[{ ...probe, rcode: 0, isSigned: false, isValidated: false }], 'warning', /removes/],
  [[{ ...probe, rcode: 5, isSigned: false, isValidated: false }], 'note', /RCODE 5/],
  [[{ ...silent, rcode: 0, isSigned: false, isValidated: false }], 'note', /unreachable/],
);
table(
  truthful,
  [[{ ...probe, rcode: 3, answers: 0 }], 'ok', /NXDOMAIN/],
  [[{ ...probe, rcode: 0, answers: 1 }], 'error', /does not exist/],
  [[{ ...probe, rcode: 2, answers: 0 }], 'note', /RCODE 2/],
  [[{ ...silent, rcode: 0, answers: 0 }], 'note', /unreachable/],
);

const storage = { size: GB, used: GB / 2, quota: 8 * GB, isFull: false };
const member = { endpoint: 'http://127.0.0.1:2379', elapsed: 3, storage, trouble: null };
const lost = { ...member, storage: null, trouble: 'connect ECONNREFUSED' };
table(
  etcdHealth,
  [[member], 'ok', /3 ms/],
  [[{ ...member, elapsed: 900 }], 'warning', /900 ms/],
  [[member, member, lost], 'warning', /ECONNREFUSED/],
  [[member, lost, lost], 'error', /ECONNREFUSED/],
);
table(
  etcdSpace,
  [[member], 'ok', /1.0 GB of 8.0 GB/],
  [[lost], 'note', /no member/],
  [[{ ...member, storage: { ...storage, size: 7 * GB } }], 'warning', /7.0 GB/],
  [[{ ...member, storage: { ...storage, isFull: true } }], 'error', /NOSPACE/],
);
const peer = { name: 'b', address: '192.0.2.2:8301', version: '0.2.0', isLive: true, applied: 10, lagSeconds: 0 };
const peers = (more: object = {}) => ({ self: 'a', version: '0.2.0', head: 10, nodes: [{ ...peer, ...more }] });
table(
  peersReachable,
  [{ ...peers(), nodes: [] }, 'ok', /no other nodes/],
  [peers(), 'ok', /certificates are valid/],
  [peers({ applied: null }), 'error', /lists it as live/],
  [peers({ applied: null, isLive: false }), 'warning', /does not run/],
);
table(
  peersLag,
  [peers(), 'ok', /0 changes behind/],
  [peers({ applied: null }), 'note', /does not answer/],
  [{ ...peers(), head: 5000 }, 'warning', /4990 changes/],
  [peers({ lagSeconds: 90 }), 'warning', /90 s/],
);
table(peersVersion, [peers(), 'ok', /0.2.0/], [peers({ version: '0.1.0' }), 'note', /0.1.0/]);

function makeCertificate(dnsNames: readonly string[], ownKey: KeyPair = ecKey()) {
  return {
    certificate: certificate({ name: dnsNames[0], key: ownKey, dnsNames, from: -1, to: 90 }),
    key: pemOfKey(ownKey),
  };
}

const made = makeCertificate(['ns1.example.net']);
const chain = {
  ...{ path: '/x.pem', chain: made.certificate, key: made.key, names: ['ns1.example.net', 'ns2.example.net'] },
  ...{ needsAll: false, authority: null, now: Date.now(), renew: 'certbot renew' },
};
const old = { name: 'old', key: ecKey() };
const signedByOld = {
  ...chain,
  chain: certificate({ name: 'a', key: ecKey(), issuer: old, dnsNames: ['ns1.example.net'] }),
  ...{ key: null, authority: certificate({ ...old, ca: true, to: 10 }) },
};
const YEARS = 100 * 365 * DAY * 1000;
for (const check of [dnsCertificate, adminCertificate, defaultCertificate, clusterCertificate])
  table(
    check,
    [null, 'ok', /./],
    [chain, 'ok', /valid for/],
    [{ ...chain, needsAll: true }, 'error', /does not cover ns2.example.net/],
    [{ ...chain, now: Date.now() + YEARS }, 'error', /expired/],
    [{ ...chain, now: Date.now() - YEARS }, 'error', /not valid before/],
    [{ ...chain, key: makeCertificate(['x.example']).key }, 'error', /another certificate/],
    [{ ...chain, key: 'x' }, 'error', /no private key/],
    [{ ...chain, authority: made.certificate }, 'ok', /valid for/],
    [{ ...chain, authority: makeCertificate(['x.example']).certificate }, 'error', /authority of the cluster/],
    [signedByOld, 'warning', /its authority expires in 9 days/],
    [{ ...chain, chain: '' }, 'error', /missing or empty/],
    [{ ...chain, chain: 'x' }, 'error', /no certificate/],
    [{ ...chain, chain: made.certificate + makeCertificate(['x.example']).certificate }, 'error', /did not issue/],
  );

test('every check has a good case and another one', () => {
  const without = (seen: ReadonlySet<string>) => CHECKS.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
  assert.equal(without(good), []);
  assert.equal(without(bad), []);
});

test('docs/doctor.md names each check, in their order', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../../../docs/doctor.md', import.meta.url)), 'utf8');
  const section = page.slice(page.indexOf('## Checks'), page.indexOf('## Ask'));
  const ids = [...section.matchAll(/^\| `([a-z_]+)` \| (.+?) \| .+ \|$/gm)].flatMap(([, family, members]) =>
    [...members.matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => `${family}.${name}`),
  );
  assert.equal(
    ids,
    CHECKS.map(({ id }) => id),
  );
  assert.is(new Set(ids).size, ids.length);
});

test.run();
