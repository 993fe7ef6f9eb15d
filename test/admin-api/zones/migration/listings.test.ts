/** Files of cli53, lists of `knotc zone-read`, and split folders of octoDNS. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  detectKind,
  isKnotcList,
  isSplitFolder,
  parseKnotcList,
  parseOctodns,
  parseRoute53,
  zoneOfFolder,
} from '../../../../admin-api/zones/migration/index.ts';
import { InvalidError } from '../../../../core/base/errors.ts';
import { findingLines, textOfZone } from './files.ts';

// As cli53 0.8 exports it: names in the zone are relative, also at the end of a line.
const CLI53 = `$ORIGIN example.com.
@	900	IN	SOA	ns-1.awsdns-00.com. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400
@	172800	IN	NS	ns-1.awsdns-00.com.
@	86400	AWS	ALIAS	A dualstack.lb-1.eu-west-1.elb.amazonaws.com. Z32O12XQLNTSW2 false
@	300	IN	MX	10 mail
\\052	60	IN	CNAME	@
alias	86400	AWS	ALIAS	A www $self false
alias	86400	AWS	ALIAS	AAAA www $self false
failover	300	IN	A	192.0.2.4 ; AWS routing="FAILOVER" failover="SECONDARY" healthCheckId="6bb57c41" identifier="Two"
failover	300	IN	A	192.0.2.3 ; AWS routing="FAILOVER" failover="PRIMARY" identifier="One"
geo	300	IN	A	192.0.2.5 ; AWS routing="GEOLOCATION" continentCode="AF" identifier="Africa"
geo	300	IN	A	192.0.2.6 ; AWS routing="GEOLOCATION" countryCode="*" identifier="World"
multi	60	IN	A	192.0.2.7 ; AWS routing="MULTIVALUE" identifier="a"
multi	60	IN	A	192.0.2.8 ; AWS routing="MULTIVALUE" identifier="b"
txt	300	IN	TXT	"one; two" "three"
weighted	300	IN	A	192.0.2.1 ; AWS routing="WEIGHTED" weight=1 identifier="One"
weighted	300	IN	A	192.0.2.2 ; AWS routing="WEIGHTED" weight=2 identifier="Two"
www	300	IN	A	192.0.2.1
www	300	IN	A	192.0.2.2
www	300	IN	AAAA	2001:db8::1
`;

test('a file of cli53 is a zone of Route 53: aliases, policies and relative names', () => {
  const file = { file: 'export.txt', text: CLI53 };
  assert.is(detectKind(file), 'route53');
  const source = parseRoute53([file]);
  assert.is(source.zones[0].name, 'example.com');
  assert.equal(textOfZone(source), [
    'example.com. 900 IN SOA ns-1.awsdns-00.com. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400',
    'example.com. 172800 IN NS ns-1.awsdns-00.com.',
    'example.com. 60 IN ALIAS dualstack.lb-1.eu-west-1.elb.amazonaws.com.',
    'example.com. 300 IN MX 10 mail',
    '*.example.com. 60 IN CNAME @',
    'alias.example.com. 60 IN ALIAS www.example.com.',
    'failover.example.com. 300 IN A 192.0.2.3',
    'geo.example.com. 300 IN A 192.0.2.6',
    'multi.example.com. 60 IN A 192.0.2.7',
    'multi.example.com. 60 IN A 192.0.2.8',
    'txt.example.com. 300 IN TXT "one; two" "three"',
    'weighted.example.com. 300 IN A 192.0.2.2',
    'www.example.com. 300 IN A 192.0.2.1',
    'www.example.com. 300 IN A 192.0.2.2',
    'www.example.com. 300 IN AAAA 2001:db8::1',
  ]);
  assert.equal(findingLines(source), [
    'decision aws_alias example.com',
    'decision routing_policy example.com',
    'decision routing_policy example.com',
    'warning routing_policy example.com',
    'decision routing_policy example.com',
  ]);
});

test('a file of cli53 with whole names and without an origin needs its name, and odd lines are findings', () => {
  const text = 'alias.example.com.\t86400\tAWS\tALIAS\tA www.example.com. $self false\nwhat is this\n';
  const error = (() => {
    try {
      return parseRoute53([{ file: 'x', text }]);
    } catch (thrown) {
      return thrown as InvalidError;
    }
  })();
  assert.instance(error, InvalidError);
  assert.match((error as InvalidError).message, /pass --zone NAME/);
  const source = parseRoute53([{ file: 'x', text }], 'example.com');
  assert.equal(textOfZone(source), ['alias.example.com. 60 IN ALIAS www.example.com.']);
  assert.equal(findingLines(source), ['warning not_understood example.com']);
  assert.match(source.findings[0].message, /^x:2 /);
});

// "knotc zone-read --" of Knot DNS 3.2.
const KNOTC = `[0/25.2.0.192.in-addr.arpa.] 0/25.2.0.192.in-addr.arpa. 3600 SOA ns.a.example. admin.a.example. 2 2 3 4 5
[0/25.2.0.192.in-addr.arpa.] 7.0/25.2.0.192.in-addr.arpa. 3600 PTR h.a.example.
[a.example.] a.example. 3600 SOA ns.a.example. admin.a.example. 2 2 3 4 5
[a.example.] a.example. 3600 RRSIG SOA 13 2 3600 20261214073200 20261130060200 61408 a.example. It62Xg==
[a.example.] txt.a.example. 3600 TXT "two words; x" "q\\"uote"
[a.example.] u.a.example. 3600 TYPE65280 \\# 3 010203
error: [b.example.] (no such zone found)
`;

test('a list of knotc is its zones', () => {
  const file = { file: 'list.txt', text: KNOTC };
  assert.is(detectKind(file), 'zones');
  assert.ok(isKnotcList(KNOTC));
  const source = parseKnotcList(file);
  assert.equal(
    source.zones.map(({ name }) => name),
    ['0/25.2.0.192.in-addr.arpa', 'a.example'],
  );
  assert.equal(textOfZone(source, 1), [
    'a.example. 3600 SOA ns.a.example. admin.a.example. 2 2 3 4 5',
    'a.example. 3600 RRSIG SOA 13 2 3600 20261214073200 20261130060200 61408 a.example. It62Xg==',
    'txt.a.example. 3600 TXT "two words; x" "q\\"uote"',
    'u.a.example. 3600 TYPE65280 \\# 3 010203',
  ]);
  assert.equal(findingLines(source), ['warning not_understood', 'decision dnssec_signed a.example 1']);
  assert.not.ok(isKnotcList('[{"a": 1}]'));
});

test('a split folder of octoDNS is one zone, by its name, its catch-all file or the names of its files', () => {
  const www = { file: 'unit.tests./www.yaml', text: '---\nwww:\n  ttl: 300\n  type: A\n  value: 192.0.2.1\n' };
  const srv = {
    file: 'x/_s._tcp.yaml',
    text: '_s._tcp:\n  type: SRV\n  value: {port: 30, priority: 1, target: a., weight: 2}\n',
  };
  const whole = {
    file: 'x/unit.tests.yaml',
    text: "'':\n  type: A\n  value: 192.0.2.1\nwww:\n  type: A\n  value: 192.0.2.1\n",
  };
  const apex = {
    file: 'x/$unit.tests.yaml',
    text: "? ''\n: - type: CAA\n    value: {flags: 0, tag: issue, value: ca.unit.tests}\n",
  };
  assert.ok(isSplitFolder('zones/unit.tests.', [www]));
  assert.ok(isSplitFolder('zones/unit.tests.tst', [apex, whole]));
  assert.ok(isSplitFolder('zones/unit.tests', [www, srv]));
  assert.not.ok(isSplitFolder('zones', [whole]));
  assert.not.ok(isSplitFolder('zones', []));
  assert.is(zoneOfFolder('zones/unit.tests.', [www]), 'unit.tests');
  assert.is(zoneOfFolder('zones/unit.tests.tst', [apex, www]), 'unit.tests');
  const bad = { file: 'x/bad.yaml', text: 'a: [' };
  const source = parseOctodns([apex, bad, srv, www], 'unit.tests');
  assert.equal(textOfZone(source), [
    'unit.tests. 3600 IN CAA 0 issue "ca.unit.tests"',
    '_s._tcp.unit.tests. 3600 IN SRV 1 2 30 a.',
    'www.unit.tests. 300 IN A 192.0.2.1',
  ]);
  assert.equal(findingLines(source), ['warning not_understood unit.tests']);
  assert.match(source.findings[0].message, /x\/bad\.yaml/);
});

test.run();
