/** Zones that other servers load: what is imported with a warning, and what is rejected. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readZone } from '../../../../../admin-api/zones/records/zonefile/prepare.ts';
import { parseName } from '../../../../../core/dns/wire/name.ts';

function read(text: string, { strict = false, keepApex = false, ttl = true } = {}) {
  const bytes = Buffer.from(ttl ? `$TTL 300\n${text}` : text);
  const { errors, warnings, owners } = readZone({ bytes, apex: parseName('z.test'), keepApex, strict });
  const first = ttl ? 1 : 0;
  return {
    errors: errors.map(({ line, message }) => `${line - first} ${message}`),
    warnings: warnings.map(({ line, code }) => `${line - first} ${code}`),
    texts: warnings.map(({ message }) => message),
    records: owners.recordCount,
  };
}

const CASES: readonly (readonly [what: string, file: string, warnings: readonly string[]])[] = [
  ['a delegation of RFC 2317', '0/25 NS ns1\nns1 A 192.0.2.1\n1 CNAME 1.0/25\n', []],
  [
    'MX and SRV to a CNAME',
    'c CNAME x.example.\n@ MX 1 mail.example.\n@ MX 2 c\n_s._tcp SRV 1 2 3 c\n',
    ['3 target_is_cname', '4 target_is_cname'],
  ],
  ['NS to a CNAME', 'c CNAME x.example.\nd NS c\n', ['2 target_is_cname']],
  ['no nameserver', 'd NS .\n', ['1 invalid_host']],
  ['no mail and no service', '@ MX 0 .\n_s._tcp SRV 0 0 0 .\n', []],
  ['NAPTR with both rewrites', 'n NAPTR 1 2 "u" "" "!a!b!" x.example.\n', ['1 invalid_content']],
  [
    'owners that are no hosts',
    'a#b A 192.0.2.1\na!b MX 1 x.example.\n-x AAAA ::1\n',
    ['1 invalid_host', '2 invalid_host', '3 invalid_host'],
  ],
  ['targets that are no hosts', '@ MX 1 a!b\nd NS a!b.example.\n', ['1 invalid_host', '2 invalid_host']],
  ['targets that are addresses', '@ MX 1 192.0.2.1.\nc CNAME 192.0.2.1.\n', ['1 invalid_host', '2 invalid_host']],
  [
    'data at and below a delegation',
    'x.d TXT x\nd NS ns.example.\nd MX 1 x.example.\nd DS 1 8 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855\ng.d A 192.0.2.1\n',
    ['1 occluded', '3 occluded'],
  ],
  ['data below a DNAME', 'm DNAME example.org.\nx.y.m A 192.0.2.1\nd.m NS ns.example.\n', ['2 occluded', '3 occluded']],
  ['a DNAME at a delegation', 'm DNAME example.org.\nm NS ns.example.\n', ['1 occluded']],
  ['DS at the apex', '@ DS 1 8 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855\n', ['1 ds_at_apex']],
  ['names with an inner asterisk', 'a.*.b A 192.0.2.1\n*.*.c TXT x\n', ['1 invalid_name', '2 invalid_name']],
  ['TTLs that differ in an RRset', 'a 60 TXT x\na 30 TXT y\na 90 TXT z\nb 60 TXT x\nb 60 TXT y\n', ['2 mixed_ttl']],
  ['a TTL that is too large', 'a 2147483648 TXT x\n', ['1 ttl_overflow', '1 unusual_ttl']],
  ['a long text', `a TXT ${'x'.repeat(300)}\n`, ['1 long_text']],
  ['an owner in UTF-8', 'bücher TXT x\n', ['1 not_ascii']],
  ['a CNAME below a delegation', 'd NS ns.example.\nx.d CNAME y\n', ['2 occluded']],
  ['glue that is missing', 'd NS ns.d\nd NS ns.example.\n', ['1 missing_glue']],
  ['glue that is there', 'd NS ns.d\nns.d AAAA ::1\n', []],
  [
    'a nameserver of the zone without an address',
    'd NS ns\nns TXT x\ne NS other\n',
    ['1 missing_glue', '3 missing_glue'],
  ],
  ['a nameserver that a wildcard answers for', '* A 192.0.2.1\nd NS ns\n', []],
  ['a nameserver below another delegation', 'd NS ns.e\ne NS ns.example.\n', []],
  [
    'TTLs that single records cannot have',
    'a 0 A 192.0.2.1\nb 29 A 192.0.2.1\nc 30 A 192.0.2.1\nd 604800 A 192.0.2.1\ne 604801 A 192.0.2.1\nf 2147483647 A 192.0.2.1\n',
    ['1 unusual_ttl', '2 unusual_ttl', '5 unusual_ttl', '6 unusual_ttl'],
  ],
];

for (const [what, file, warnings] of CASES)
  test(`${what}: ${warnings.length === 0 ? 'imported' : 'imported with a warning'}`, () => {
    const found = read(file);
    assert.equal(found.errors, []);
    assert.equal(found.warnings, warnings);
    assert.is(found.records, file.split('\n').length - 1);
    // With strict, the same lines are errors.
    const strict = read(file, { strict: true });
    assert.equal(strict.warnings, []);
    assert.equal(
      strict.errors.map((error) => error.split(' ')[0]),
      [...new Set(warnings.map((warning) => warning.split(' ')[0]))],
    );
  });

test('with apex=keep, an apex NS in the zone needs an address', () => {
  const file = '@ SOA ns h 1 2 3 4 5\n@ NS ns\n@ NS .\n';
  assert.equal(read(file, { keepApex: true }).warnings, ['2 missing_glue', '3 invalid_host']);
  assert.equal(read(file).warnings, []);
});

test('DNSSEC records of a signed zone are dropped, with one warning that counts them', () => {
  const file = `@ SOA ns.example. h.example. 1 2 3 4 5
@ RRSIG SOA 13 2 300 20300101000000 20200101000000 1 z.test. (
  AAAA )
@ DNSKEY 257 3 13 AAAA
@ CDS 1 13 2 00
@ CDNSKEY 0 3 0 AA==
@ NSEC3PARAM 1 0 0 -
@ ZONEMD 1 1 1 00
a A 192.0.2.1
a RRSIG A 13 3 300 20300101000000 20200101000000 1 z.test. AAAA
a NSEC z.test. A RRSIG NSEC
2vptu5timamqttgl4luu9kg21e0aor3s NSEC3 1 0 0 - 2vptu5timamqttgl4luu9kg21e0aor3t A
d NS ns.example.
d DS 1 8 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855
`;
  const { errors, warnings, texts, records } = read(file);
  assert.equal([errors, warnings, records], [[], ['2 dnssec_dropped'], 3]);
  assert.match(
    texts[0],
    /^9 DNSSEC records were dropped \(2 RRSIG, 1 NSEC, 1 DNSKEY, 1 NSEC3, 1 NSEC3PARAM, 1 CDS, 1 CDNSKEY, 1 ZONEMD\)/,
  );
});

test('a file without $TTL uses the SOA minimum, with one warning', () => {
  const soa = '@ SOA ns.example. h.example. 1 2 3 4 77\na A 192.0.2.1\nb A 192.0.2.1\n';
  const { warnings, texts } = read(soa, { ttl: false });
  assert.equal(warnings, ['1 no_ttl']);
  assert.match(texts[0], /SOA minimum of 77 seconds/);
  assert.match(read('a A 192.0.2.1\n', { ttl: false }).texts[0], /default of 300 seconds/);
});

test('warnings of hidden records name what hides them', () => {
  const [text] = read('m DNAME example.org.\nx.y.m A 192.0.2.1\n').texts;
  assert.match(text, /m\.z\.test\. has a DNAME, which redirects every name below it/);
  assert.not.match(text, /glue|delegat/);
  assert.match(read('d NS ns.example.\nx.d TXT x\n').texts[0], /d\.z\.test\. is delegated to other nameservers/);
});

test('an SOA that is not that of the zone is ignored', () => {
  const file = 'x SOA ns. h. 9 2 3 4 5\n@ SOA ns.example. h.example. 1 2 3 4 5\n@ SOA ns. h. 2 2 3 4 5\n';
  const { errors, warnings } = read(file, { keepApex: true });
  assert.equal([errors, warnings], [[], ['1 extra_soa', '3 extra_soa']]);
  assert.equal(read('x SOA ns. h. 9 2 3 4 5\n', { keepApex: true }).errors.length, 1);
});

test('too many records at a name are rejected with the limit, and none is dropped', () => {
  const types = Array.from({ length: 201 }, (_, i) => `t TYPE${62000 + i} \\# 1 00\n`).join('');
  assert.match(read(types).errors.join(), /more than 200 types, the limit for one name/);
  const bytes = (type: number, count: number) =>
    Array.from(
      { length: count },
      (_, i) => `t TYPE${type} \\# 1000 ${i.toString(16).padStart(2, '0')}${'ab'.repeat(999)}\n`,
    ).join('');
  const four = [65281, 65282, 65283, 65284].map((type) => bytes(type, 64)).join('');
  assert.match(read(four).errors.join(), /more than 256,000 bytes, the limit for one name/);
  const long = (length: number): string => `t TYPE65281 \\# ${length} ${'ab'.repeat(length)}\n`;
  assert.match(read(long(64_801)).errors.join(), /more than 64,800 bytes, so that no zone transfer can hold it/);
  assert.equal(read(long(64_800)), { errors: [], warnings: [], texts: [], records: 1 });
});

test('RRsets that are too large for an answer', () => {
  const addresses = (count: number): string =>
    Array.from({ length: count }, (_, i) => `t A 10.0.${i >> 8}.${i & 255}\n`).join('');
  // 12 bytes of header, 12 of question, 11 of OPT.
  assert.equal(read(addresses(4093)).warnings, []);
  const { errors, warnings, texts, records } = read(addresses(4094));
  assert.equal([errors, warnings, records], [[], ['1 rrset_too_large'], 4094]);
  assert.match(texts[0], /The A records of t\.z\.test\. do not fit into a DNS message/);
  assert.match(read(addresses(4094), { strict: true }).errors.join(), /do not fit/);
});

test('only files without errors have warnings', () => {
  const { errors, warnings } = read('d NS ns.d\nns.d A 192.0.2.300\n');
  assert.equal([errors.length, warnings.length], [1, 0]);
});

test.run();
