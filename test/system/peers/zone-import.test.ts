/**
 * Doubtful zone files before BIND, NSD and Knot DNS: what all of them load is imported here, and the TTLs of a file without $TTL are
 * those that BIND reads. Nothing listens; each program checks a file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readZone } from '../../../admin-api/records/zonefile/prepare.ts';
import { formatName, parseName } from '../../../core/wire/name.ts';
import { temporaryFolder } from '../../support/temp.ts';

const ZONE = 'z.test';
const SOA = '@ 3600 SOA ns.example. h.example. 1 2 3 4 77\n@ 60 NS ns.example.\n';
const HASH = 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855';
/** A program that hangs fails the test. */
const CHECK_MS = 20_000;

const NAMED = '/usr/bin/named-checkzone';
const NSD = '/usr/sbin/nsd-checkzone';
const KNOT = '/usr/sbin/knotc';

interface Verdict {
  readonly loads: boolean;
  readonly said: string;
}

const folder = temporaryFolder('zone-import');

function check(program: string, args: readonly string[]): Verdict {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: CHECK_MS });
  if (error !== undefined) throw error;
  return { loads: status === 0, said: `${stdout}${stderr}` };
}

const PEERS: readonly { readonly program: string; readonly check: (file: string) => Verdict }[] = [
  { program: NAMED, check: (file) => check(NAMED, [ZONE, file]) },
  { program: NSD, check: (file) => check(NSD, [ZONE, file]) },
  {
    program: KNOT,
    check(file) {
      const config = join(folder, 'knot.conf');
      writeFileSync(config, `database:\n    storage: ${folder}\nzone:\n  - domain: ${ZONE}\n    file: ${file}\n`);
      return check(KNOT, ['-c', config, 'zone-check', ZONE]);
    },
  },
];

const present = PEERS.filter(({ program }) => existsSync(program));
if (present.length < PEERS.length) {
  const missing = PEERS.filter((peer) => !present.includes(peer)).map(({ program }) => program);
  if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${missing} not installed, and peers are required.`);
  console.log(`skipped: ${missing.join(', ')} not installed`);
}

const DOUBTFUL: readonly (readonly [what: string, records: string, warnings: readonly string[]])[] = [
  ['a delegation of RFC 2317', '0/25 60 NS ns1\nns1 60 A 192.0.2.1\n1 60 CNAME 1.0/25\n', []],
  [
    'MX and SRV to a CNAME',
    'c 60 CNAME x.example.\n@ 60 MX 1 c\n_s._tcp 60 SRV 1 2 3 c\n',
    ['target_is_cname', 'target_is_cname'],
  ],
  ['NS to a CNAME', 'c 60 CNAME x.example.\nd 60 NS c\n', ['target_is_cname']],
  ['no nameserver', 'd 60 NS .\n', ['invalid_host']],
  [
    'values that break their RFC',
    'a 60 CAA 0 issue "ca.example.net."\nb 60 URI 1 1 "/path"\nc 60 NAPTR 1 1 "-" "" "" .\nd 60 TLSA 3 1 1 abcd\n',
    ['invalid_content', 'invalid_content', 'invalid_content', 'invalid_content'],
  ],
  [
    'types of all kinds',
    'a 60 HINFO PC Linux\nb 60 RP a b\nc 60 APL 1:192.0.2.0/24\nd 60 IPSECKEY 10 1 2 192.0.2.1 AQID\n' +
      'e 60 NID 1 0014:4fff:ff20:ee64\nf 60 EUI48 00-00-5e-00-53-2a\ng 60 CERT PGP 0 0 AQID\nh 60 SPF "v=spf1 -all"\n' +
      'i 60 DHCID AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=\nj 60 LP 10 k\nl 60 L32 10 10.1.2.0\n',
    [],
  ],
  ['NAPTR with both rewrites', 'n 60 NAPTR 1 2 "u" "" "!a!b!" x.example.\n', ['invalid_content']],
  [
    'owners and targets that are no hosts',
    'a/b 60 A 192.0.2.1\nx 60 MX 1 a/b.example.\n',
    ['invalid_host', 'invalid_host'],
  ],
  ['targets that are addresses', 'x 60 MX 1 192.0.2.1.\ny 60 CNAME 192.0.2.1.\n', ['invalid_host', 'invalid_host']],
  ['occluded data', 'd 60 NS ns.example.\nd 60 MX 1 x.example.\nx.d 60 TXT x\n', ['occluded', 'occluded']],
  ['TTLs from 0 to 31 bits', 'a 0 A 192.0.2.1\nb 2147483647 A 192.0.2.1\n', ['unusual_ttl', 'unusual_ttl']],
  ['a delegation with DS', `d 60 NS ns.example.\nd 60 DS 1 8 2 ${HASH}\n`, []],
];

for (const [what, records, codes] of DOUBTFUL)
  test(`${what}: loaded by the peers, imported by us`, () => {
    const text = SOA + records;
    const file = join(folder, 'doubtful.zone');
    writeFileSync(file, text);
    for (const peer of present) {
      const { loads, said } = peer.check(file);
      assert.ok(loads, `${peer.program}: ${said}`);
    }
    const ours = readZone({ bytes: Buffer.from(text), apex: parseName(ZONE), keepApex: true, strict: false });
    assert.equal(ours.errors, []);
    assert.equal(
      ours.warnings.map(({ code }) => code),
      codes,
    );
  });

test('data below a DNAME: NSD and Knot refuse it, as we do', () => {
  const text = `${SOA}m 60 DNAME example.org.\nx.m 60 A 192.0.2.1\n`;
  const file = join(folder, 'dname.zone');
  writeFileSync(file, text);
  for (const peer of present) if (peer.program !== NAMED) assert.not.ok(peer.check(file).loads, peer.program);
  const { errors } = readZone({ bytes: Buffer.from(text), apex: parseName(ZONE), keepApex: true, strict: false });
  assert.equal(
    errors.map(({ line }) => line),
    [4],
  );
});

const TTLS: readonly (readonly [what: string, text: string])[] = [
  ['an SOA without one', '@ SOA ns. h. 1 2 3 4 77\n@ NS ns.example.\na 5 A 192.0.2.1\nb A 192.0.2.2\n'],
  [
    'an SOA with one',
    '@ 3600 SOA ns. h. 1 2 3 4 77\n@ NS ns.example.\na A 192.0.2.1\nb 5 A 192.0.2.1\nc A 192.0.2.2\n',
  ],
  [
    '$TTL later',
    '@ SOA ns. h. 1 2 3 4 77\n@ NS ns.example.\na 5 A 192.0.2.1\n$TTL 9\nb A 192.0.2.2\nc 6 A 192.0.2.1\nd A 192.0.2.1\n',
  ],
];

if (existsSync(NAMED))
  for (const [what, text] of TTLS)
    test(`TTLs of a file without $TTL, ${what}: as BIND reads them`, () => {
      const file = join(folder, 'ttl.zone');
      writeFileSync(file, text);
      const { loads, said } = check(NAMED, ['-D', '-o', '-', ZONE, file]);
      assert.ok(loads, said);
      const theirs = [...said.matchAll(/^(\S+)\s+(\d+)\s+IN\s+(A|NS)\s/gm)].map(([, name, ttl]) => `${name} ${ttl}`);
      const { owners } = readZone({ bytes: Buffer.from(text), apex: parseName(ZONE), keepApex: true, strict: false });
      const ours = [...owners].flatMap(({ name, sets }) => sets.map(({ ttl }) => `${formatName(name)} ${ttl}`));
      assert.ok(theirs.length >= 3);
      assert.equal(ours.sort(), theirs.sort());
    });

test.run();
