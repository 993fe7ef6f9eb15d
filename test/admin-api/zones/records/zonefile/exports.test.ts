/** Zone files as tools and providers write them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ReadInput, readZone } from '../../../../../admin-api/zones/records/zonefile/prepare.ts';
import { typeName } from '../../../../../core/dns/wire/mnemonics.ts';
import { formatRelative, parseName } from '../../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../../core/dns/wire/rdata/index.ts';

function read(zone: string, text: string, options: Partial<ReadInput> = {}) {
  const apex = parseName(zone);
  const { owners, errors, warnings, kept } = readZone({
    bytes: Buffer.from(text),
    apex,
    keepApex: true,
    strict: false,
    ...options,
  });
  const records = [...owners].flatMap(({ name, sets }) =>
    sets.flatMap(({ type, ttl, rdatas }) =>
      rdatas.map((rdata) => `${formatRelative(name, apex)} ${ttl} ${typeName(type)} ${formatRdata(type, rdata)}`),
    ),
  );
  return { records: records.sort(), errors, kept, warnings: warnings.map(({ line, code }) => `${line} ${code}`) };
}

const sorted = (...lines: string[]): string[] => lines.sort();

// dnscmd /ZoneExport of an Active Directory zone with scavenging and WINS lookup.
const WINDOWS = `;
;  Database file corp.example.dns for corp.example zone.
;      Zone version:  4711
;

@                       IN  SOA dc1.corp.example. hostmaster.corp.example. (
                        \t4711         ; serial number
                        \t900          ; refresh
                        \t600          ; retry
                        \t86400        ; expire
                        \t3600       ) ; default TTL

;
;  Zone NS records
;

@                       NS\tdc1.corp.example.

;
;  WINS lookup record
;

@                       0\tWINS\tL1 C900 ( 192.0.2.5 192.0.2.6 )
@                       0\tWINSR\tLOCAL L1 C900 ( corp.example. )

;
;  Zone records
;

@                       [AGE:3604520]\t600\tA\t192.0.2.1
_kerberos._tcp.Default-First-Site-Name._sites [AGE:3604521]\t600\tSRV\t0 100 88\tdc1.corp.example.
dc1                     [AGE:3604520]\tA\t192.0.2.1
                        [AGE:3604520]\t1200\tAAAA\t2001:db8::1
`;

test('a file of Windows has time stamps of records, and WINS records, which are dropped', () => {
  assert.equal(read('corp.example', WINDOWS), {
    records: sorted(
      '@ 3600 NS dc1.corp.example.',
      '@ 600 A 192.0.2.1',
      '_kerberos._tcp.default-first-site-name._sites 600 SRV 0 100 88 dc1.corp.example.',
      'dc1 3600 A 192.0.2.1',
      'dc1 1200 AAAA 2001:db8::1',
    ),
    errors: [],
    kept: {
      serial: 4711,
      mname: 'dc1.corp.example.',
      rname: 'hostmaster.corp.example.',
      refresh: 900,
      retry: 600,
      expire: 86400,
      minimum: 3600,
      ttl: 3600,
    },
    warnings: ['6 no_ttl', '23 wins', '24 wins'],
  });
});

test('the page for parked domains of GoDaddy is no address', () => {
  const { records, errors, warnings } = read(
    'example.com',
    `; Domain: example.com
; Exported (y-m-d hh:mm:ss): 2026-01-02 03:04:05
$ORIGIN example.com.

; SOA Record
@\t3600\t IN \tSOA\tns31.domaincontrol.com.\tdns.jomax.net. (
\t\t\t\t2026010200
\t\t\t\t28800
\t\t\t\t7200
\t\t\t\t604800
\t\t\t\t3600
\t\t\t\t)

; A Record
@\t600\t IN \tA\tParked

; CNAME Record
www\t3600\t IN \tCNAME\t@
_domainconnect\t3600\t IN \tCNAME\t_domainconnect.gd.domaincontrol.com.

; NS Record
@\t3600\t IN \tNS\tns31.domaincontrol.com.
`,
  );
  assert.equal(errors, []);
  assert.equal(warnings, ['15 parked']);
  assert.equal(
    records,
    sorted(
      'www 3600 CNAME example.com.',
      '_domainconnect 3600 CNAME _domainconnect.gd.domaincontrol.com.',
      '@ 3600 NS ns31.domaincontrol.com.',
    ),
  );
});

test('the pseudo-types of OVH are TXT records, SPF too', () => {
  const { records, errors, warnings } = read(
    'example.fr',
    `$TTL 3600
@\tIN SOA dns15.ovh.net. tech.ovh.net. (2026010100 86400 3600 3600000 300)
                     IN NS     ns15.ovh.net.
                     IN NS     dns15.ovh.net.
                     IN SPF    "v=spf1 include:mx.ovh.com ~all"
mail._domainkey      IN DKIM   ( "v=DKIM1;k=rsa;p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ" "CxyQIDAQAB" )
_dmarc               IN DMARC  "v=DMARC1;p=none;rua=mailto:postmaster@example.fr"
`,
  );
  assert.equal(errors, []);
  assert.equal(warnings, ['5 spf_as_txt']);
  assert.equal(
    records,
    sorted(
      '@ 3600 NS ns15.ovh.net.',
      '@ 3600 NS dns15.ovh.net.',
      '@ 3600 TXT "v=spf1 include:mx.ovh.com ~all"',
      'mail._domainkey 3600 TXT "v=DKIM1;k=rsa;p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ" "CxyQIDAQAB"',
      '_dmarc 3600 TXT "v=DMARC1;p=none;rua=mailto:postmaster@example.fr"',
    ),
  );
});

const SOA = '@ 300 SOA ns.example. h.example. 1 2 3 4 5\n';

test('the SPF records of other servers keep their type', () => {
  assert.equal(read('example.com', `${SOA}@ 300 SPF "v=spf1 -all"\n`).records, ['@ 300 SPF "v=spf1 -all"']);
});

test('the digest of a DS record may have a name', () => {
  const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const { records, errors } = read(
    'example.com',
    `${SOA}sub 300 DS 12345 RSASHA256 SHA-256 ${digest}\nsub 300 DS 12345 8 sha1 ${digest.slice(24)}\n`,
  );
  assert.equal(errors, []);
  assert.equal(records, sorted(`sub 300 DS 12345 8 2 ${digest}`, `sub 300 DS 12345 8 1 ${digest.slice(24)}`));
});

test('the records of the signer of BIND are dropped with its signatures', () => {
  const { records, warnings, errors } = read(
    'example.com',
    `${SOA}@ 0 TYPE65534 \\# 5 0D4F5B0001\n@ 300 A 192.0.2.1\n@ 0 NSEC3PARAM 1 0 0 -\n`,
  );
  assert.equal([records, warnings, errors], [['@ 300 A 192.0.2.1'], ['2 dnssec_dropped'], []]);
});

const MIXED = `${SOA}a 300 A 192.0.2.1
b 300 FRAME https://example.net/
c 300 A 192.0.2.999
d 300 TXT "not closed
e 300 CNAME x.example.
e 300 A 192.0.2.2
f 300 CNAME x.example.
f 300 CNAME y.example.
@ 300 CNAME z.example.
$NOTHING 1
g 300 AAAA 2001:db8::1
`;

test('what is not understood is left out with a warning, if lines may be skipped', () => {
  const { records, errors, warnings, kept } = read('z.test', MIXED, { skipsFaults: true });
  assert.equal(errors, []);
  assert.equal(
    records,
    sorted(
      'a 300 A 192.0.2.1',
      'e 300 CNAME x.example.',
      'f 300 CNAME x.example.',
      '@ 300 ALIAS z.example.',
      'g 300 AAAA 2001:db8::1',
    ),
  );
  assert.equal(warnings, [
    '3 left_out',
    '4 left_out',
    '5 left_out',
    '7 left_out',
    '8 left_out',
    '10 apex_cname',
    '11 left_out',
  ]);
  assert.is(kept?.serial, 1);
});

test('the same lines are errors otherwise, and with strict rules', () => {
  const lines = (options: Partial<ReadInput>) => read('z.test', MIXED, options).errors.map(({ line }) => line);
  assert.equal(lines({}), [3, 4, 5, 7, 8, 10, 11]);
  assert.equal(lines({ skipsFaults: true, strict: true }), [3, 4, 5, 7, 8, 10, 11]);
});

/** Odd lines of tools and providers, each after an SOA: the records, and the warnings. */
const ODD: readonly (readonly [
  what: string,
  lines: string,
  records: readonly string[],
  warnings: readonly string[],
])[] = [
  ['ANAME of Technitium', 'a 60 IN ANAME x.example.\n', ['a 60 ALIAS x.example.'], []],
  [
    'pseudo-types of PowerDNS and DNSimple',
    'l 60 IN LUA A "x"\nu 60 IN URL https://x.example/\n',
    [],
    ['2 left_out', '3 left_out'],
  ],
  ['the class of cli53', 'a 60 AWS ALIAS A www $self false\n', [], ['2 left_out']],
  [
    'the name of an Azure export',
    '_sip._tls.@ 60 IN SRV 1 1 443 x.example.\n',
    ['_sip._tls.\\@ 60 SRV 1 1 443 x.example.'],
    [],
  ],
  [
    'names without their final dot',
    'www.z.test 60 A 192.0.2.1\nm 60 MX 1 m.z.test\n',
    ['www.z.test 60 A 192.0.2.1', 'm 60 MX 1 m.z.test.z.test.'],
    ['2 no_dot', '3 no_dot'],
  ],
  ['names that only look like that', 'xz.test.z.test. 60 A 192.0.2.1\n', ['xz.test 60 A 192.0.2.1'], []],
  ['a text without quotes', 't 60 TXT v=spf1 mx -all\n', ['t 60 TXT "v=spf1" "mx" "-all"'], ['2 unquoted_text']],
  [
    'comments of shells and C',
    '# hosts of the office\n// A of the web\nw 60 A 192.0.2.1 # web\n',
    [],
    ['2 left_out', '3 left_out', '4 left_out'],
  ],
  ['MX without a preference', '@ 60 MX mail.example.\n', [], ['2 left_out']],
  ['a class twice, and class ANY', 'a 60 IN IN A 192.0.2.1\nb 60 ANY A 192.0.2.1\n', [], ['2 left_out', '3 left_out']],
  [
    'addresses with a length',
    'a 60 A 192.0.2.1/24\nb 60 AAAA 2001:db8::/64\nc 60 A 192.0.2.1\n',
    ['c 60 A 192.0.2.1'],
    ['2 left_out', '3 left_out'],
  ],
  ['a template that was not filled in', 'a 60 A {{ ip }}\nb 60 TXT x\n', ['b 60 TXT "x"'], ['2 left_out']],
  [
    'a placeholder of an export',
    '@ 60 IN NS REPLACE&ME$WITH^YOUR@NAMESERVER.\n',
    ['@ 60 NS replace&me\\$with^your\\@nameserver.'],
    ['2 invalid_host'],
  ],
  ['a reverse name of Plesk', '192.0.2.1 / 24 IN PTR z.test.\n', [], ['2 left_out']],
];

for (const [what, lines, expected, codes] of ODD)
  test(what, () => {
    const { records, warnings, errors } = read('z.test', SOA + lines, { skipsFaults: true });
    assert.equal([records, warnings, errors], [[...expected].sort(), codes, []]);
  });

test('$ORIGIN without its final dot is the zone before the SOA, and below the zone after it', () => {
  const before = read('z.test', `$ORIGIN z.test\n${SOA}a 60 A 192.0.2.1\n`);
  assert.equal([before.records, before.warnings, before.errors], [['a 60 A 192.0.2.1'], ['1 no_dot'], []]);
  const after = read('z.test', `${SOA}$ORIGIN z.test\na 60 A 192.0.2.1\n`);
  assert.equal([after.records, after.warnings], [['a.z.test 60 A 192.0.2.1'], ['3 no_dot']]);
});

test('a file whose rest cannot be trusted is an error in any case', () => {
  const files = [`${SOA}$ORIGIN a..b\na A 192.0.2.1\n`, `${SOA}a 300 TXT ( "x"\nb A 192.0.2.1\n`, 'no zone file\n'];
  for (const text of files) assert.is(read('z.test', text, { skipsFaults: true }).errors.length, 1, text);
});

test('a file without an SOA gets the apex of the service, if lines may be skipped', () => {
  const text = '$TTL 300\n@ NS ns.example.\nwww A 192.0.2.1\n';
  const { records, errors, warnings, kept } = read('z.test', text, { skipsFaults: true });
  assert.equal([records, errors, warnings, kept], [['www 300 A 192.0.2.1'], [], ['1 no_soa'], null]);
  assert.is(read('z.test', text).errors.length, 1);
});

test.run();
