/** Exports of Google Cloud DNS, octoDNS and dnscontrol. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { detectKind, parseDnscontrol, parseGcloud, parseOctodns } from '../../../../admin-api/zones/migration/index.ts';
import { parseYaml } from '../../../../admin-api/zones/migration/yaml.ts';
import { InvalidError } from '../../../../core/base/errors.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { findingLines, textOfZone } from './files.ts';

// gcloud dns record-sets export, with the folds of its YAML.
const GCLOUD = `---
kind: dns#resourceRecordSet
name: example.com.
rrdatas:
- ns-cloud-a1.googledomains.com.
- ns-cloud-a2.googledomains.com.
ttl: 21600
type: NS
---
kind: dns#resourceRecordSet
name: example.com.
rrdatas:
- ns-cloud-a1.googledomains.com. cloud-dns-hostmaster.google.com. 1 21600 3600 259200
  300
ttl: 21600
type: SOA
---
kind: dns#resourceRecordSet
name: example.com.
rrdatas:
- '"v=spf1 include:_spf.google.com ~all"'
- '"it''s; #1"'
ttl: 300
type: TXT
---
kind: dns#resourceRecordSet
name: google._domainkey.example.com.
rrdatas:
- '"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr"
  "Kx5"'
ttl: 300
type: TXT
---
kind: dns#resourceRecordSet
name: \\052.example.com.
rrdatas: []
routingPolicy:
  wrr:
    items:
    - rrdatas:
      - 192.0.2.1
      weight: 0.25
    - rrdatas:
      - 192.0.2.2
      weight: 0.75
ttl: 60
type: A
---
kind: dns#resourceRecordSet
name: x.example.com.
rrdatas:
- 10 mail
ttl: 60
type: NOSUCH
`;

test('record sets of Google Cloud DNS, as YAML', () => {
  assert.is(detectKind({ file: 'zone.yaml', text: GCLOUD }), 'gcloud');
  const source = parseGcloud({ file: 'zone.yaml', text: GCLOUD });
  assert.is(source.zones[0].name, 'example.com');
  assert.equal(textOfZone(source), [
    'example.com. 21600 IN NS ns-cloud-a1.googledomains.com.',
    'example.com. 21600 IN NS ns-cloud-a2.googledomains.com.',
    'example.com. 21600 IN SOA ns-cloud-a1.googledomains.com. cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300',
    'example.com. 300 IN TXT "v=spf1 include:_spf.google.com ~all"',
    'example.com. 300 IN TXT "it\'s; #1"',
    'google._domainkey.example.com. 300 IN TXT "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr" "Kx5"',
    '\\052.example.com. 60 IN A 192.0.2.2',
  ]);
  assert.equal(findingLines(source), ['decision routing_policy example.com', 'decision left_out example.com']);
});

test('record sets of Google Cloud DNS, as JSON', () => {
  const text = JSON.stringify([
    { kind: 'dns#resourceRecordSet', name: 'a.example.', type: 'SOA', ttl: 60, rrdatas: ['ns. h. 1 2 3 4 5'] },
    { kind: 'dns#resourceRecordSet', name: 'w.a.example.', type: 'AAAA', ttl: 60, rrdatas: ['2001:db8::1'] },
  ]);
  assert.is(detectKind({ file: 'x', text }), 'gcloud');
  const source = parseGcloud({ file: 'x', text });
  assert.is(source.zones[0].name, 'a.example');
  assert.is(textOfZone(source)[1], 'w.a.example. 60 IN AAAA 2001:db8::1');
});

// The forms of the tests of octoDNS.
const OCTODNS = `---
? ''
: - geo:
      AF:
      - 192.0.2.9
    octodns:
      cloudflare:
        proxied: true
        comment: the web
    ttl: 300
    type: A
    values:
    - 192.0.2.1
    - 192.0.2.2
  - ttl: 3600
    type: SSHFP
    values:
    - algorithm: 1
      fingerprint: bf6b6825d2977c511a475bbefb88aad54a92ac73
      fingerprint_type: 1
  - type: NS
    values:
    - ns1.example.net.
  - type: CAA
    values:
    - flags: 0
      tag: issue
      value: ca.unit.tests
'*.wild':
  type: AAAA
  value: 2601:644:500:e210:62f8:1dff:feb8:947a
_imap._tcp:
  ttl: 600
  type: SRV
  values:
  - port: 0
    priority: 0
    target: .
    weight: 0
ds:
  - type: DS
    value: {key_tag: 1, algorithm: 13, digest_type: 2, digest: "${'ab'.repeat(32)}"}
  - type: NS
    value: ns2.example.net.
ignored:
  octodns:
    ignored: true
  type: A
  value: 192.0.2.9
loc:
  ttl: 300
  type: LOC
  value:
    altitude: 20
    lat_degrees: 31
    lat_direction: S
    lat_minutes: 58
    lat_seconds: 52.1
    long_degrees: 115
    long_direction: E
    long_minutes: 49
    long_seconds: 11.7
    precision_horz: 10
    precision_vert: 2
    size: 10
mx:
  type: MX
  values:
  - exchange: smtp-1.unit.tests.
    preference: 40
  - priority: 10
    value: smtp-4.unit.tests.
naptr:
  type: NAPTR
  values:
  - flags: U
    order: 100
    preference: 100
    regexp: '!^.*$!sip:info@bar.example.com!'
    replacement: .
    service: SIP+D2U
ptr: # of a host
  type: PTR
  values: [foo.bar.com., "b.bar.com."]
svc:
  type: HTTPS
  value:
    svcpriority: 1
    targetname: .
    svcparams:
      alpn: [h2, h3]
      no-default-alpn: null
      ipv4hint: [auto]
      ipv6hint: auto
txt:
  ttl: 600
  type: TXT
  values:
    - have you any wool.
    - 'v=DKIM1\\;k=rsa\\;p=A/kinda+of/long/string+with+numb3rs'
    - >-
      folded
      text
urlfwd:
  type: URLFWD
  values:
  - code: 302
    target: 'http://www.unit.tests'
`;

test('records of octoDNS', () => {
  const file = { file: '/config/unit.tests.yaml', text: OCTODNS };
  assert.is(detectKind(file), 'octodns');
  const source = parseOctodns([file]);
  assert.is(source.zones[0].name, 'unit.tests');
  assert.equal(textOfZone(source), [
    'unit.tests. 300 IN A 192.0.2.1',
    'unit.tests. 300 IN A 192.0.2.2',
    'unit.tests. 3600 IN SSHFP 1 1 bf6b6825d2977c511a475bbefb88aad54a92ac73',
    'unit.tests. 3600 IN NS ns1.example.net.',
    'unit.tests. 3600 IN CAA 0 issue "ca.unit.tests"',
    '*.wild.unit.tests. 3600 IN AAAA 2601:644:500:e210:62f8:1dff:feb8:947a',
    '_imap._tcp.unit.tests. 600 IN SRV 0 0 0 .',
    `ds.unit.tests. 3600 IN DS 1 13 2 ${'ab'.repeat(32)}`,
    'ds.unit.tests. 3600 IN NS ns2.example.net.',
    'loc.unit.tests. 300 IN LOC 31 58 52.1 S 115 49 11.7 E 20m 10m 10m 2m',
    'mx.unit.tests. 3600 IN MX 40 smtp-1.unit.tests.',
    'mx.unit.tests. 3600 IN MX 10 smtp-4.unit.tests.',
    'naptr.unit.tests. 3600 IN NAPTR 100 100 "U" "SIP+D2U" "!^.*$!sip:info@bar.example.com!" .',
    'ptr.unit.tests. 3600 IN PTR foo.bar.com.',
    'ptr.unit.tests. 3600 IN PTR b.bar.com.',
    'svc.unit.tests. 3600 IN HTTPS 1 . alpn="h2,h3" no-default-alpn ipv4hint="auto" ipv6hint="auto"',
    'txt.unit.tests. 600 IN TXT "have you any wool."',
    'txt.unit.tests. 600 IN TXT "v=DKIM1;k=rsa;p=A/kinda+of/long/string+with+numb3rs"',
    'txt.unit.tests. 600 IN TXT "folded text"',
  ]);
  assert.equal(findingLines(source), [
    'decision routing_policy unit.tests',
    'decision left_out unit.tests',
    'decision left_out unit.tests',
  ]);
  assert.equal([...source.zones[0].proxied!], [['@', true]]);
  assert.equal([...source.zones[0].comments!], [['@ A', 'the web']]);
});

// dnscontrol get-zones --format=zone --out=x CREDENTIALS - all
const DNSCONTROL = `$ORIGIN a.example.
$TTL 300
@                IN A     192.0.2.1
                 IN MX    10 mail.a.example.
;www             IN ALIAS target.example.net.
;shop      600   IN R53_ALIAS atype=A target=x.example.net zone_id=Z1
www.sub          IN CNAME a.example.
$ORIGIN sub.a.example.
x                IN A     192.0.2.2

$ORIGIN b.example.
$TTL 60
@                IN TXT   "b"
`;

test('dnscontrol writes several zones into a file, and its own types as comments', () => {
  const source = parseDnscontrol({ file: 'zones', text: DNSCONTROL }, undefined);
  assert.equal(
    source.zones.map(({ name }) => name),
    ['a.example', 'b.example'],
  );
  const lines = textOfZone(source);
  assert.ok(lines.includes('www  IN ALIAS target.example.net.'), lines.join('\n'));
  assert.ok(lines.includes('x                IN A     192.0.2.2'));
  assert.equal(findingLines(source), ['decision left_out a.example 6']);
  assert.equal(textOfZone(source, 1), ['$TTL 60', '@                IN TXT   "b"']);
});

const YAML: readonly (readonly [text: string, documents: readonly unknown[]])[] = [
  ['', []],
  ['# only a comment\n', []],
  ['a: 1\n---\nb: "2"\n...\n', [{ a: 1 }, { b: '2' }]],
  ["a:\n- b\n-   c: d # x\n    e: 'it''s'\n", [{ a: ['b', { c: 'd', e: "it's" }] }]],
  ['a: "x\n  y\\\n  z\\u0041\\n"\n', [{ a: 'x yzA\n' }]],
  ['a: plain text\n  goes on\nb: 1.10\nc: 0x1\n', [{ a: 'plain text goes on', b: '1.10', c: '0x1' }]],
  ['a: {b: [1, "2, 3", x: y], c: }\n', [{ a: { b: [1, '2, 3', { x: 'y' }], c: null } }]],
  ['a: [1,\n  2]\nb: |\n  x\n    y\n\n  z\n', [{ a: [1, 2], b: 'x\n  y\n\nz\n' }]],
  ['a: ::1\nb: http://x#y\nc: x #y\n', [{ a: '::1', b: 'http://x#y', c: 'x' }]],
  ['null: ~\ntrue: false\n', [{ null: null, true: false }]],
];

for (const [text, documents] of YAML)
  test(`YAML: ${JSON.stringify(text)}`, () => assert.equal(parseYaml({ file: 'x', text }), documents));

test('YAML with an error has its line', () => {
  for (const text of ['x: 1\ny: 2: 3\n', 'x: 1\ny: [1\n', 'x: 1\ny: "1\n', 'x: 1\n{\n'])
    assert.throws(
      () => parseYaml({ file: 'f', text }),
      (error: Error) => /^f:[23]: /.test(error.message),
      text,
    );
});

test('no text makes the reader of YAML fail with anything but an error with a line', () => {
  const piece = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '\n  ',
    '- ',
    '? ',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ',',
    '#',
    '|',
    '>',
    '---',
    '\\',
    '&',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
      (text) => {
        try {
          parseYaml({ file: 'f', text });
        } catch (error) {
          if (!(error instanceof InvalidError) || !/^f:\d+: /.test(error.message)) throw error;
        }
      },
    ),
    { numRuns: depth({ quick: 200, moderate: 1000, full: 20_000 }) },
  );
});

test.run();
