/** Exports of Cloudflare and Route 53, and zones of a PowerDNS server. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  parseCloudflareFile,
  parseCloudflareJson,
  parsePowerDnsZone,
  parseRoute53,
  type Source,
} from '../../../../admin-api/zones/migration/index.ts';
import { readZone } from '../../../../admin-api/zones/records/zonefile/prepare.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { findingLines, textOfZone, zoneLine } from './files.ts';

/** What an import of the zone would reject. */
function errorsOf({ zones }: Source): unknown {
  return zones.map(({ name, content }) => {
    const bytes = Buffer.from(content.kind === 'text' ? content.text : '');
    return readZone({ bytes, apex: parseName(name), keepApex: false, strict: false }).errors;
  });
}

const CLOUDFLARE = `;;
;; Domain:     example.com.
;; Exported:   2026-01-01 00:00:00
;;
;; SOA Record
example.com	3600	IN	SOA	ada.ns.cloudflare.com. dns.cloudflare.com. 2049 10000 2400 604800 3600

;; NS Records
example.com.	86400	IN	NS	ada.ns.cloudflare.com.

;; A Records
www.example.com.	1	IN	A	192.0.2.1 ; cf_tags=cf-proxied:true
mail.example.com.	120	IN	A	192.0.2.2 ; cf_tags=cf-proxied:false

;; CNAME Records
example.com.	1	IN	CNAME	target.example.net. ; cf_tags=cf-proxied:true

;; TXT Records
example.com.	1	IN	TXT	"v=spf1 ; cf_tags=cf-proxied:true"
`;

test('the zone file of Cloudflare keeps its lines', () => {
  const source = parseCloudflareFile({ file: 'cf.txt', text: CLOUDFLARE });
  const { content, name, proxied } = source.zones[0];
  assert.is(name, 'example.com');
  assert.is(content.kind === 'text' && content.text.split('\n').length, CLOUDFLARE.split('\n').length);
  assert.equal(
    textOfZone(source).filter((line) => !line.startsWith(';')),
    [
      'example.com. 3600 IN SOA ada.ns.cloudflare.com. dns.cloudflare.com. 2049 10000 2400 604800 3600',
      'example.com. 86400 IN NS ada.ns.cloudflare.com.',
      'www.example.com. 300 IN A 192.0.2.1 ; cf_tags=cf-proxied:true',
      'mail.example.com. 120 IN A 192.0.2.2 ; cf_tags=cf-proxied:false',
      'example.com. 300 IN ALIAS target.example.net. ; cf_tags=cf-proxied:true',
      'example.com. 300 IN TXT "v=spf1 ; cf_tags=cf-proxied:true"',
    ],
  );
  assert.equal(
    [...proxied!],
    [
      ['www', true],
      ['mail', false],
      ['@', true],
    ],
  );
  assert.equal(findingLines(source), ['warning apex_cname example.com 16', 'decision proxied example.com']);
  assert.equal(errorsOf(source), [[]]);
});

const RECORDS = [
  { name: 'example.com', type: 'A', content: '192.0.2.1', ttl: 1, proxied: true, zone_name: 'example.com' },
  { name: 'example.com', type: 'MX', content: 'mx.example.com', priority: 10, ttl: 60 },
  { name: '_sip._tcp.example.com', type: 'SRV', content: '5 5060 sip.example.com', priority: 10, ttl: 60 },
  {
    name: '_x._tcp.example.com',
    type: 'SRV',
    data: { priority: 1, weight: 2, port: 3, target: 'x.example.com' },
    ttl: 60,
  },
  { name: 'example.com', type: 'TXT', content: `say "hi" \\ ${'x'.repeat(300)}`, ttl: 60 },
  { name: 'example.com', type: 'CAA', content: '0 issue "ca.example"', ttl: 60 },
  { name: 'u.example.com', type: 'URI', data: { target: 'https://a', weight: 2 }, priority: 1, content: '', ttl: 60 },
  { name: 'x.example.com', type: 'WORKER', content: 'x', ttl: 60 },
];

test('the JSON of Cloudflare', () => {
  const body = { success: true, result: RECORDS, result_info: { total_count: RECORDS.length } };
  const source = parseCloudflareJson({ file: 'x.json', text: JSON.stringify(body) });
  assert.equal(textOfZone(source), [
    'example.com. 300 IN A 192.0.2.1',
    'example.com. 60 IN MX 10 mx.example.com.',
    '_sip._tcp.example.com. 60 IN SRV 10 5 5060 sip.example.com.',
    '_x._tcp.example.com. 60 IN SRV 1 2 3 x.example.com.',
    `example.com. 60 IN TXT "say \\"hi\\" \\\\ ${'x'.repeat(244)}" "${'x'.repeat(56)}"`,
    'example.com. 60 IN CAA 0 issue "ca.example"',
    'u.example.com. 60 IN URI 1 2 "https://a"',
  ]);
  assert.equal(findingLines(source), ['decision left_out example.com', 'decision proxied example.com']);
  assert.equal(errorsOf(source), [[]]);
  const pages = [body, { result: [] }];
  assert.is(textOfZone(parseCloudflareJson({ file: 'x.json', text: JSON.stringify(pages) })).length, 7);
  const short = JSON.stringify({ ...body, result_info: { total_count: 100 } });
  assert.throws(() => parseCloudflareJson({ file: 'x.json', text: short }), /has 8 of 100 records/);
  assert.throws(() => parseCloudflareJson({ file: 'x.json', text: '[{\n"a": }]' }), /^x.json:2: not valid JSON/);
});

const values = (...list: string[]) => list.map((Value) => ({ Value }));
const ROUTE53 = {
  ResourceRecordSets: [
    { Name: 'example.com.', Type: 'NS', TTL: 172800, ResourceRecords: values('ns-1.awsdns-00.com.') },
    {
      Name: 'example.com.',
      Type: 'SOA',
      TTL: 900,
      ResourceRecords: values('ns-1.awsdns-00.com. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400'),
    },
    {
      Name: 'example.com.',
      Type: 'A',
      AliasTarget: { HostedZoneId: 'Z2', DNSName: 'd111.cloudfront.net.', EvaluateTargetHealth: false },
    },
    { Name: 'example.com.', Type: 'AAAA', AliasTarget: { HostedZoneId: 'Z2', DNSName: 'd111.cloudfront.net.' } },
    { Name: '\\052.example.com.', Type: 'CNAME', TTL: 60, ResourceRecords: values('example.com') },
    { Name: 't.example.com.', Type: 'TXT', TTL: 60, ResourceRecords: values('"a\\073\\040b\\"" "\\303\\251"') },
    { Name: 'a\\100b.example.com.', Type: 'A', TTL: 60, ResourceRecords: values('192.0.2.1', '192.0.2.2') },
    { Name: 'in.example.com.', Type: 'A', AliasTarget: { DNSName: 'w.example.com.' } },
    { Name: 'mxa.example.com.', Type: 'MX', AliasTarget: { DNSName: 'mx.example.com.' } },
    { Name: 'mx.example.com.', Type: 'MX', TTL: 60, ResourceRecords: values('10 mail.example.com') },
    ...[10, 90].map((Weight) => ({
      Name: 'w.example.com.',
      Type: 'A',
      TTL: 60,
      SetIdentifier: `w${Weight}`,
      Weight,
      ResourceRecords: values(`192.0.2.${Weight}`),
    })),
    ...['DE', '*'].map((CountryCode) => ({
      Name: 'g.example.com.',
      Type: 'A',
      TTL: 60,
      SetIdentifier: `in ${CountryCode}`,
      GeoLocation: { CountryCode },
      ResourceRecords: values(CountryCode === '*' ? '192.0.2.7' : '192.0.2.8'),
    })),
    ...[1, 2].map((n) => ({
      Name: 'm.example.com.',
      Type: 'A',
      TTL: 60,
      SetIdentifier: `${n}`,
      MultiValueAnswer: true,
      ResourceRecords: values(`192.0.2.${n}`),
    })),
  ],
};

test('record sets of Route 53: octal escapes, aliases and routing policies', () => {
  const source = parseRoute53([{ file: 'r.json', text: JSON.stringify(ROUTE53) }]);
  assert.is(source.zones[0].name, 'example.com');
  assert.equal(textOfZone(source).slice(2), [
    'example.com. 60 IN ALIAS d111.cloudfront.net.',
    '*.example.com. 60 IN CNAME example.com',
    't.example.com. 60 IN TXT "a\\059\\032b\\"" "\\195\\169"',
    'a\\064b.example.com. 60 IN A 192.0.2.1',
    'a\\064b.example.com. 60 IN A 192.0.2.2',
    'in.example.com. 60 IN ALIAS w.example.com.',
    'mxa.example.com. 60 IN MX 10 mail.example.com',
    'mx.example.com. 60 IN MX 10 mail.example.com',
    'w.example.com. 60 IN A 192.0.2.90',
    'g.example.com. 60 IN A 192.0.2.7',
    'm.example.com. 60 IN A 192.0.2.1',
    'm.example.com. 60 IN A 192.0.2.2',
  ]);
  assert.equal(findingLines(source), [
    'decision aws_alias example.com',
    'decision routing_policy example.com',
    'decision routing_policy example.com',
    'warning routing_policy example.com',
  ]);
  assert.equal(errorsOf(source), [[]]);
});

test('hosted zones of Route 53 name what is missing', () => {
  const HostedZones = [
    { Id: '/hostedzone/Z1', Name: 'example.com.', ResourceRecordSetCount: 3, Config: { PrivateZone: true } },
    { Id: '/hostedzone/Z9', Name: 'example.net.', ResourceRecordSetCount: 2 },
  ];
  const files = [
    { file: 'zones.json', text: JSON.stringify({ HostedZones }) },
    { file: 'r.json', text: JSON.stringify(ROUTE53) },
  ];
  const { findings } = parseRoute53(files);
  assert.equal(findingLines({ findings }).slice(-3), [
    'decision private_zone example.com 1',
    'warning other_count example.com 1',
    'error no_records example.net 1',
  ]);
  assert.match(findings.at(-1)?.next ?? '', /--hosted-zone-id Z9/);
  const truncated = JSON.stringify({ ...ROUTE53, IsTruncated: true });
  assert.throws(() => parseRoute53([{ file: 'r.json', text: truncated }]), /not complete/);
});

test('zones of PowerDNS', () => {
  const rrsets = [
    { name: 'example.com.', type: 'SOA', ttl: 60, records: [{ content: 'ns. h. 1 2 3 4 5' }] },
    {
      name: 'www.example.com.',
      type: 'A',
      ttl: 60,
      records: [{ content: '192.0.2.1' }, { content: '192.0.2.2', disabled: true }],
    },
    { name: 'l.example.com.', type: 'LUA', ttl: 60, records: [{ content: 'A "x"' }] },
  ];
  const native = parsePowerDnsZone({ name: 'example.com.', kind: 'Native', dnssec: true, rrsets }, 'pdns');
  assert.equal(findingLines(native), [
    'decision left_out example.com',
    'warning disabled_records example.com',
    'decision dnssec_signed example.com',
  ]);
  const { content } = native.zone!;
  assert.is(
    content.kind === 'text' && content.text,
    '$ORIGIN example.com.\nexample.com. 60 IN SOA ns. h. 1 2 3 4 5\nwww.example.com. 60 IN A 192.0.2.1\n',
  );
  const masters = ['192.0.2.1', '192.0.2.1:5300', '2001:db8::1', '[2001:db8::1]:53'];
  const slave = parsePowerDnsZone({ name: 'example.com.', kind: 'Slave', masters, rrsets: [] }, 'pdns');
  assert.is(zoneLine(slave.zone!), 'example.com secondary text 192.0.2.1 192.0.2.1@5300 2001:db8::1 2001:db8::1@53');
  assert.equal(findingLines(parsePowerDnsZone({ name: 'c.example.', kind: 'Consumer' }, 'pdns')), [
    'decision catalog_zone c.example',
  ]);
});

test.run();
