/** Kinds of sources, names of zones, and texts that are no configuration. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  detectKind,
  examineMaster,
  oneOfEachName,
  parseCloudflareFile,
  parseCloudflareJson,
  parseKnot,
  parseNamed,
  parseNsd,
  parseRoute53,
  type SourceZone,
  zoneOfMaster,
} from '../../../../admin-api/zones/migration/index.ts';
import { InvalidError } from '../../../../core/base/errors.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { filesOf, findingLines } from './files.ts';

const KINDS: readonly (readonly [kind: string | undefined, text: string])[] = [
  ['bind', '// x\noptions { directory "/x"; };\nzone "a" { type master; };'],
  ['bind', 'include "/etc/bind/named.conf.options";\ninclude "/etc/bind/named.conf.local";\n'],
  ['knot', 'server:\n    listen: 127.0.0.1\nzone:\n  - domain: a.example\n'],
  ['knot', 'template:\n- id: default\n'],
  ['nsd', 'server:\n  ip-address: 127.0.0.1\nzone:\n  name: a\n  zonefile: b\n'],
  ['nsd', '# x\nzone:\n\tname: "a"\n\tzonefile: "b"\n'],
  ['cloudflare', ';; Domain:     example.com.\n'],
  ['cloudflare', '{"result": [{"name": "a", "type": "A", "content": "b"}]}'],
  ['route53', '{"ResourceRecordSets": []}'],
  ['route53', '{"HostedZones": []}'],
  ['zones', '[a.] a. 3600 SOA ns. h. 1 2 3 4 5\n'],
  ['zones', '$ORIGIN a.\n@ SOA ns h 1 2 3 4 5\n'],
  ['zones', 'zone 60 IN SOA a. b. (\n1 2 3 4 5 )\n'],
  [undefined, 'hello'],
  [undefined, '{"a": 1}'],
];

for (const [kind, text] of KINDS)
  test(`${JSON.stringify(text.slice(0, 40))} is ${kind}`, () => assert.is(detectKind({ file: 'x', text }), kind));

const NAMES: readonly (readonly [name: string | undefined, file: string, text: string])[] = [
  ['example.net', 'z/Example.net.zone', '@ 1 IN SOA'],
  ['example.com', 'z/Example.net.zone', 'example.com. 1 IN SOA'],
  ['corp.example', 'corp.zone', '$ORIGIN corp.example.\n@ SOA a b'],
  ['corp.example', 'corp.zone', '$ORIGIN .\n$TTL 60\ncorp.example IN SOA a b (\n1 2 3 4 5 )\n$ORIGIN corp.example.\n'],
  ['corp.example', 'corp.zone', '$ORIGIN corp.example.\nwww 60 IN A 192.0.2.1'],
  ['corp.example', 'corp.txt', ';\n;  Database file corp.txt for corp.example zone.\n;\n@ IN SOA a b'],
  ['corp.example', 'export', '; Domain: corp.example\n@ IN SOA a b'],
  ['corp.example', 'x.dns', ';  Database file x.dns for Default zone scope in zone corp.example.\n@ IN SOA a b'],
  ['corp.example', 'x', '; Zone file for corp.example\n@ IN SOA a b'],
  ['corp.example', 'x', '$ORIGIN corp.example\n@ IN SOA a b'],
  ['corp', 'corp.zone', '@ SOA a b'],
  ['example.com', 'example.com.zone', '$ORIGIN sub.example.com.\nx 60 IN A 192.0.2.1'],
  ['example.com', 'example.com.zone.signed', '@ SOA a b'],
  [undefined, 'db.192.168.1', '@ IN SOA a b'],
  ['example.com', 'db.local', 'example.com.\t1 IN SOA a b'],
  ['example.com', 'db.local', '$TTL 3\n$ORIGIN example.com.\n@ SOA a b'],
  ['example.com', 'db.example.com', '@ IN SOA a b'],
  ['example.com', 'example.com.db', '@ IN SOA a b'],
  [undefined, 'hosts', '@ IN SOA a b'],
];

for (const [name, file, text] of NAMES)
  test(`${file} with ${JSON.stringify(text)} is of ${name}`, () => assert.is(zoneOfMaster(file, text), name));

test('signed, generated and binary zone files are reported', () => {
  const codes = (value: string) => findingLines({ findings: examineMaster('a', 'f', Buffer.from(value, 'latin1')) });
  assert.equal(codes('@ SOA x\n'), []);
  assert.equal(codes('; a RRSIG x\n@ TXT "x RRSIG y"\n'), []);
  assert.equal(codes('a 60 IN RRSIG A 8 2\n$GENERATE 1-2 a$ A 192.0.2.$\n'), [
    'decision dnssec_signed a 1',
    'warning generate a 1',
  ]);
  assert.equal(codes('\0\0\0\x02\0\0\0\x01'), ['error binary_file a 1']);
});

test('of zones of several views, one is chosen', () => {
  const zone = (name: string, view?: string): SourceZone => ({
    ...{ name, view, role: 'primary', content: { kind: 'none' }, primaries: [] },
  });
  const zones = [zone('a', 'x'), zone('a', 'y'), zone('b', 'y'), zone('c'), zone('c')];
  const all = oneOfEachName(zones, undefined);
  assert.equal(
    all.zones.map(({ name, view }) => [name, view]),
    [
      ['a', 'x'],
      ['b', 'y'],
      ['c', undefined],
    ],
  );
  assert.equal(findingLines(all), ['decision views a', 'warning duplicate_zone c']);
  assert.equal(
    oneOfEachName(zones, 'y').zones.map(({ name, view }) => [name, view]),
    [
      ['a', 'y'],
      ['b', 'y'],
      ['c', undefined],
    ],
  );
});

const PIECES = [
  ...['zone', '"a.example"', '{', '}', ';', 'type', 'master', 'file', '"x', '/*', '*/', '//', '#', '\n', ' ', '\t'],
  ...['zone:', '  - domain: a', 'include', 'include:', '"x"', 'masters', '[', ']', ',', '%s', 'name:', 'pattern:'],
  ...[
    'example.com.',
    '1',
    'IN',
    'SOA',
    'CNAME',
    ';; Domain: a',
    'cf_tags=cf-proxied:true',
    '\\052',
    ':',
    '{"result":[{',
  ],
];
const text = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((parts) => parts.join(' ')),
);

test('no text makes a parser fail with anything but an error with a line', () => {
  const files = filesOf({});
  const parsers = [
    (file: { file: string; text: string }) => parseNamed(file, files),
    (file: { file: string; text: string }) => parseKnot(file, files),
    (file: { file: string; text: string }) => parseNsd(file, files),
    parseCloudflareFile,
    parseCloudflareJson,
    (file: { file: string; text: string }) => parseRoute53([file]),
    detectKind,
  ];
  fc.assert(
    fc.property(text, (given) => {
      for (const parse of parsers)
        try {
          parse({ file: 'f', text: given });
        } catch (error) {
          assert.instance(error, InvalidError);
          assert.match((error as Error).message, /^f:\d+: /);
        }
    }),
    { numRuns: depth({ quick: 40, moderate: 400, full: 50_000 }) },
  );
});

const json = fc.jsonValue({ maxDepth: 5 });
const row = fc.record(
  {
    name: json,
    type: json,
    content: json,
    data: json,
    Name: json,
    Type: fc.constantFrom('A', 'SOA', 'MX', 3),
    AliasTarget: json,
    ResourceRecords: fc.array(fc.record({ Value: json })),
    Weight: json,
  },
  { requiredKeys: [] },
);

test('no JSON makes a parser fail with anything but an error with a line', () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      for (const body of [{ result: rows }, rows, { ResourceRecordSets: rows }, { HostedZones: rows }])
        for (const parse of [parseCloudflareJson, (file: { file: string; text: string }) => parseRoute53([file])])
          try {
            parse({ file: 'f', text: JSON.stringify(body) });
          } catch (error) {
            assert.instance(error, InvalidError);
          }
    }),
    { numRuns: depth({ quick: 20, moderate: 200, full: 20_000 }) },
  );
});

test.run();
