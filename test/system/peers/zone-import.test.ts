/**
 * Doubtful zone files and BIND, NSD and Knot DNS: what they load is imported here, and what BIND
 * reads without $TTL and from $GENERATE is what we read. Nothing listens; each program checks a
 * file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readZone } from '../../../admin-api/zones/records/zonefile/prepare.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, parseName } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temp.ts';

const ZONE = 'z.test';
const SOA = '@ 3600 SOA ns.example. h.example. 1 2 3 4 77\n@ 60 NS ns.example.\n';
const HASH = 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855';

const NAMED = '/usr/bin/named-checkzone';
const NSD = '/usr/sbin/nsd-checkzone';
const KNOT = '/usr/sbin/knotc';

interface Verdict {
  readonly loads: boolean;
  readonly output: string;
}

const folder = temporaryFolder('zone-import');

function check(program: string, args: readonly string[]): Verdict {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: PATIENCE_MS });
  if (error !== undefined) throw error;
  return { loads: status === 0, output: `${stdout}${stderr}` };
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

type PeerName = 'bind' | 'nsd' | 'knot';
/** One address record for each number. */
const addresses = (count: number): string =>
  Array.from({ length: count }, (_, i) => `t 60 A 10.0.${i >> 8}.${i & 255}\n`).join('');
const ALL: readonly PeerName[] = ['bind', 'nsd', 'knot'];
const NAMES: ReadonlyMap<string, PeerName> = new Map([
  [NAMED, 'bind'],
  [NSD, 'nsd'],
  [KNOT, 'knot'],
]);

const DOUBTFUL: readonly (readonly [
  what: string,
  records: string,
  warnings: readonly string[],
  loadedBy?: readonly PeerName[],
])[] = [
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
  ['a delegation below a delegation', 'd 60 NS ns.example.\ne.d 60 NS ns.example.\n', ['occluded']],
  ['TTLs from 0 to 31 bits', 'a 0 A 192.0.2.1\nb 2147483647 A 192.0.2.1\n', ['unusual_ttl', 'unusual_ttl']],
  ['a TTL of 32 bits', 'a 4294967295 A 192.0.2.1\n', ['ttl_overflow', 'unusual_ttl']],
  ['TTLs that differ in an RRset', 'a 60 A 192.0.2.1\na 90 A 192.0.2.2\n', ['mixed_ttl']],
  ['a delegation with DS', `d 60 NS ns.example.\nd 60 DS 1 8 2 ${HASH}\n`, []],
  ['DS without a delegation', `d 60 DS 1 8 2 ${HASH}\n`, []],
  ['DS at the apex', `@ 60 DS 1 8 2 ${HASH}\n`, ['ds_at_apex'], ['nsd', 'knot']],
  ['inner asterisks', 'a.*.b 60 A 192.0.2.1\n*.* 60 TXT x\n', ['invalid_name', 'invalid_name']],
  ['a DNAME at a wildcard', '*.x 60 DNAME example.org.\n', []],
  ['data below a DNAME', 'm 60 DNAME example.org.\nx.m 60 A 192.0.2.1\n', ['occluded'], ['bind']],
  ['a DNAME at a delegation', 'm 60 DNAME example.org.\nm 60 NS ns.example.\n', ['occluded'], ['bind', 'nsd']],
  ['data outside of the zone', 'www.example.org. 60 A 192.0.2.1\n', ['name_outside'], ['bind', 'knot']],
  ['a repeated SOA', '@ 3600 SOA ns.example. h.example. 1 2 3 4 77\n', [], ['bind', 'knot']],
  ['a second SOA', '@ 3600 SOA ns.example. h.example. 2 2 3 4 77\n', ['extra_soa'], ['knot']],
  ['an SOA below the apex', 'x 3600 SOA ns.example. h.example. 2 2 3 4 77\n', ['extra_soa'], ['knot']],
  ['missing glue', 'd 60 NS ns.d\n', ['missing_glue']],
  [
    'the invalid key of SVCB',
    'a 60 HTTPS 1 . key65535=x\nb 60 SVCB 1 . mandatory=key65535 key65535\nc 60 SVCB \\# 7 000100ffff0000\n',
    ['invalid_content', 'invalid_content', 'invalid_content'],
  ],
  ['a wrong value by its number', 'a 60 HTTPS 1 . key8=x\n', ['invalid_content']],
  ['a wrong value of SVCB', 'a 60 HTTPS 1 . key01=h2\n', ['invalid_content'], ['nsd', 'knot']],
  ['no-default-alpn alone', 'a 60 HTTPS 1 . no-default-alpn\n', ['invalid_content'], ['nsd', 'knot']],
  ['ech without a value', 'a 60 HTTPS 1 . ech\n', ['invalid_content'], ['bind', 'nsd']],
  ['a quoted CAA tag', 'a 60 CAA 0 "issue" "ca.example.net"\n', [], ['nsd', 'knot']],
  ['DS with a digest that is too short', `d 60 DS 1 8 3 ${HASH.slice(24)}\n`, ['invalid_content']],
  ['EUI48 with single digits', 'a 60 EUI48 0-0-5e-0-53-2a\n', [], ['bind', 'nsd']],
  ['seconds of LOC with a dot at the end', 'a 60 LOC 52 22 23. N 4 E 0\n', [], ['bind', 'knot']],
  ['LOC of another version', 'a 60 TYPE29 \\# 16 01000000000000000000000000000000\n', []],
  [
    'generic content that is malformed for its type',
    'a 60 TYPE16 \\# 3 056162\nb 60 TYPE257 \\# 10 000563615f7461676361\nc 60 TYPE43 \\# 6 000108026162\n',
    ['invalid_content', 'invalid_content', 'invalid_content'],
    ['nsd', 'knot'],
  ],
  ['types with leading zeros, and 65535', 'a 60 TYPE00001 192.0.2.1\nb 60 TYPE65535 \\# 0\n', []],
  ['query types', 'a 60 TYPE255 \\# 1 00\n', ['query_type'], ['nsd', 'knot']],
  ['an escaped line feed', 't 60 TXT "a\\\nb"\n', [], ['bind', 'nsd']],
  ['an RRset as large as a message', addresses(4000), []],
  ['an RRset that no message can hold', addresses(5000), ['rrset_too_large']],
  ['a record of 64,800 bytes', `t 60 TYPE65281 \\# 64800 ${'ab'.repeat(64_800)}\n`, []],
  ['odd owners', '# 60 TXT x\na[]^ 60 TXT x\n', [], ['bind', 'nsd']],
  ['escaped owners', '\\035 60 TXT x\n\\000\\255 60 TXT x\na\\.b 60 TXT x\n', []],
  ['UTF-8 owners', 'b\u00fccher 60 TXT x\n', ['not_ascii'], ['bind', 'nsd']],
  ['quoted owners', '"a b" 60 TXT x\n', [], ['bind', 'nsd']],
  ['quoted content', 'a 60 A "192.0.2.1"\nb 60 CNAME "a"\n', [], ['nsd']],
  ['a long text', `t 60 TXT ${'x'.repeat(300)}\n`, ['long_text'], ['knot']],
  ['a text of two lines', 't 60 TXT ( "a\nb" )\n', [], ['nsd', 'knot']],
  ['UTF-8 texts', 't 60 TXT "\u2013" \u2013\n', [], ['bind', 'nsd']],
  ['empty texts', 't 60 TXT "" ""\n', []],
  ['TTL units and generic types', 'a 1h30m IN TYPE1 \\# 4 C0000201\nb 60 TYPE65280 \\# ( 1\n00 )\n', []],
  ['the generic class', 'a 60 CLASS1 A 192.0.2.1\n', [], ['bind', 'nsd']],
  ['class before TTL', 'a IN 60 A 192.0.2.1\n', []],
  ['parentheses in parentheses', 'a 60 ( ( A 192.0.2.1 ) )\n', [], ['bind']],
  ['an entry that begins with a parenthesis', '( a\n60 A 192.0.2.1 )\n', [], ['bind']],
];

for (const [what, records, codes, loadedBy = ALL] of DOUBTFUL)
  test(`${what}: loaded by ${loadedBy.join(', ')}, imported by us`, () => {
    const text = SOA + records;
    const file = join(folder, 'doubtful.zone');
    writeFileSync(file, text);
    for (const peer of present) {
      const { loads, output } = peer.check(file);
      assert.is(loads, loadedBy.includes(NAMES.get(peer.program)!), `${peer.program}: ${output}`);
    }
    const ours = readZone({ bytes: Buffer.from(text), apex: parseName(ZONE), keepApex: true, strict: false });
    assert.equal(ours.errors, []);
    assert.equal(
      ours.warnings.map(({ code }) => code),
      codes,
    );
  });

/** What no peer loads, and NS at a wildcard, which Knot and NSD answer differently. */
const REJECTED: readonly (readonly [what: string, records: string])[] = [
  ['two CNAMEs', 'm 60 CNAME example.org.\nm 60 CNAME example.net.\n'],
  ['a CNAME and other data', 'm 60 CNAME example.org.\nm 60 A 192.0.2.1\n'],
  ['a CNAME at the apex', '@ 60 CNAME example.org.\n'],
  ['two DNAMEs', 'm 60 DNAME example.org.\nm 60 DNAME example.net.\n'],
  ['a text without a string', 't 60 TXT\n'],
  ['another class', 'a 60 CH TXT x\n'],
  ['an unknown directive', '$FOO x\n'],
  ['an unknown type', 'a 60 FOO x\n'],
  ['an empty label', 'a..b 60 A 192.0.2.1\n'],
];

for (const [what, records] of REJECTED)
  test(`${what}: rejected by all`, () => {
    const text = SOA + records;
    const file = join(folder, 'rejected.zone');
    writeFileSync(file, text);
    for (const peer of present) assert.not.ok(peer.check(file).loads, peer.program);
    const { errors } = readZone({ bytes: Buffer.from(text), apex: parseName(ZONE), keepApex: true, strict: false });
    assert.is(errors.length, 1);
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

const GENERATED = [
  '$GENERATE 0-10/5 h%{1,3,d} 60 CNAME x$',
  '$GENERATE 0-20/7 %{0,5,n}.ip6 60 PTR h%{0,0,x}',
  '$GENERATE 0-40/7 %{0,2,n}a 60 PTR h%{3,4,X}.%{-1}',
  '$GENERATE 31-31 nn%{0,0,n} 60 PTR %{0,4,n}',
  '$GENERATE 1-2 w%{-8,4,d} 60 CNAME x%{-8}.%{0,3,o}.%{0,3,N}',
  '$GENERATE 1-2 m$ 60 MX "10 m$"',
  '$GENERATE 1-2 t$ 60 TXT "\\"text $\\""',
  '$GENERATE 1-2 u$ 60 TXT "text $"',
  '$GENERATE 1-2 q\\$$ 60 CNAME x$$y',
  '$GENERATE 1-2 n$ IN A 192.0.2.$',
  'z A 192.0.2.1',
  '$GENERATE 1-1 o$ 7 A 192.0.2.$',
  'z2 A 192.0.2.1',
].join('\n');

/** Names, TTLs, types and content of a file as BIND prints them, and as we read them. */
function bothRead(text: string, types: RegExp): [theirs: string[], ours: string[]] {
  const file = join(folder, 'read.zone');
  writeFileSync(file, text);
  const { loads, output } = check(NAMED, ['-D', '-i', 'local', '-k', 'ignore', '-o', '-', ZONE, file]);
  assert.ok(loads, output);
  const theirs = [...output.matchAll(/^(\S+)\s+(\d+)\s+IN\s+([A-Z]+)\s+(.*)$/gm)];
  const { owners } = readZone({ bytes: Buffer.from(text), apex: parseName(ZONE), keepApex: true, strict: false });
  const ours = [...owners].flatMap(({ name, sets }) =>
    sets.flatMap(({ ttl, type, rdatas }) =>
      rdatas.map((rdata) => `${formatName(name)} ${ttl} ${typeName(type)} ${formatRdata(type, rdata)}`),
    ),
  );
  return [
    theirs
      .filter(([, , , type]) => types.test(type))
      .map(([, name, ttl, type, content]) => `${name} ${ttl} ${type} ${content}`.toLowerCase())
      .sort(),
    ours.map((line) => line.toLowerCase()).sort(),
  ];
}

if (existsSync(NAMED))
  test('$GENERATE gives the records that BIND reads', () => {
    // A percent sign stands for a dollar sign, which the linter takes for a template string.
    const [theirs, ours] = bothRead(`${SOA}${GENERATED.replaceAll('%', '$')}\n`, /^(?!SOA$)/);
    assert.ok(theirs.length >= 29, String(theirs.length));
    assert.equal(ours, theirs);
  });

if (existsSync(NAMED))
  for (const [what, text] of TTLS)
    test(`TTLs of a file without $TTL, ${what}: as BIND reads them`, () => {
      const file = join(folder, 'ttl.zone');
      writeFileSync(file, text);
      const { loads, output } = check(NAMED, ['-D', '-o', '-', ZONE, file]);
      assert.ok(loads, output);
      const theirs = [...output.matchAll(/^(\S+)\s+(\d+)\s+IN\s+(A|NS)\s/gm)].map(([, name, ttl]) => `${name} ${ttl}`);
      const { owners } = readZone({ bytes: Buffer.from(text), apex: parseName(ZONE), keepApex: true, strict: false });
      const ours = [...owners].flatMap(({ name, sets }) => sets.map(({ ttl }) => `${formatName(name)} ${ttl}`));
      assert.ok(theirs.length >= 3);
      assert.equal(ours.sort(), theirs.sort());
    });

test.run();
