/** Parsers of zone files, and of the configurations of other nameservers. */
import {
  type ConfigFile,
  type ConfigFiles,
  detectKind,
  parseCloudflareFile,
  parseCloudflareJson,
  parseJson,
  parseKnot,
  parseNamed,
  parseNsd,
  parseRoute53,
  type Source,
} from '../../../admin-api/zones/migration/index.ts';
import { InvalidError } from '../../../core/base/errors.ts';
import { formatMaster, type MasterRecord, parseMaster } from '../../../core/dns/wire/master/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { type Target, tolerate } from '../target.ts';

const ORIGIN = parseName('example.test.');
const MAX_RECORDS_PER_BYTE = 70_000;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** One file that includes itself under every name. */
const filesOf = (text: string): ConfigFiles => ({ read: () => text, glob: (pattern) => [pattern] });

const importer = (
  name: string,
  seeds: readonly string[],
  words: readonly string[],
  parse: (file: ConfigFile, files: ConfigFiles) => Source,
): Target => ({
  name,
  seeds,
  words,
  run(input) {
    const text = input.toString('utf8');
    const file = { file: 'main', text };
    tolerate(() => detectKind(file), InvalidError);
    tolerate(() => parse(file, filesOf('')), InvalidError);
    // An endless include must be an error.
    if (text.length < 200) tolerate(() => parse(file, filesOf(text)), InvalidError);
  },
});

export const TEXT_TARGETS: readonly Target[] = [
  {
    name: 'zone-file',
    seeds: [
      '$ORIGIN example.test.\n$TTL 1h\n@ IN SOA ns hostmaster 1 2 3 4 5\n  NS ns\nns A 192.0.2.1\n',
      'www 300 IN AAAA 2001:db8::1 ; comment\n  TXT "a b" ( "c"\n "d" )\n_s._tcp SRV 1 2 3 host\n',
      'a CAA 0 issue "ca.test"\nb MX 10 mail\nc TYPE65534 \\# 4 01020304\n* CNAME www\n',
      'd HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1\ne LOC 52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m\n',
      '$GENERATE 1-20/2 host-$ A 192.0.2.$\n$GENERATE 1-3 $ PTR a.test.\n',
      'f DS 1 13 2 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\ng NAPTR 1 2 "u" "E2U+sip" "!^.*$!sip:a@b!" .\n',
    ],
    words: [
      '$ORIGIN ',
      '$TTL ',
      '$GENERATE ',
      '$INCLUDE ',
      '$\x7b0,3,x}',
      ' IN ',
      ' A ',
      ' SVCB ',
      '\\# ',
      '"',
      '(',
      ')',
      ';',
      '\\000',
      '\\.',
    ],
    run(input) {
      const { records, errors } = parseMaster(input, { origin: ORIGIN, defaultTtl: 300 });
      if (records.length > MAX_RECORDS_PER_BYTE * (input.length + 1)) throw new Error(`${records.length} records`);
      for (const { message } of errors) if (message === '') throw new Error('an error without a message');
      if (errors.length > 0 || records.length > 1000) return;
      // What is exported is read as the same records.
      const text = Buffer.from([...formatMaster(ORIGIN, records)].join(''), 'latin1');
      const again = parseMaster(text, { origin: ORIGIN });
      const shown = (list: readonly MasterRecord[]): string =>
        list
          .map(({ name, type, rdata }) => [name, Uint8Array.of(type >> 8, type), rdata].map(hex).join(' '))
          .join('\n');
      if (again.errors.length > 0 || shown(again.records) !== shown(records)) throw new Error(text.toString('latin1'));
    },
  },
  importer(
    'named-conf',
    [
      'options { directory "/var/named"; };\nzone "example.test" IN { type master; file "a.zone"; };\n',
      'key "k" { algorithm hmac-sha256; secret "AAAA"; };\nview "v" { zone "b.test" { type secondary; primaries { 192.0.2.1 port 53 key k; }; }; };\n',
      '// c\n# d\n/* e */ acl "a" { 192.0.2.0/24; !any; };\ninclude "x";\n',
    ],
    ['zone ', 'include "x";', '/*', '*/', '//', '#', '{', '};', '"', '\\', 'type master;', 'primaries '],
    parseNamed,
  ),
  importer(
    'knot-conf',
    [
      'key:\n  - id: k\n    algorithm: hmac-sha256\n    secret: AAAA\nremote:\n  - id: r\n    address: [192.0.2.1@53, 2001:db8::1]\n    key: k\nzone:\n  - domain: example.test\n    master: r\n    file: a.zone\n',
      'template:\n  - id: default\n    storage: "/var/lib/knot"\nzone:\n  - domain: b.test\n    template: default\ninclude: x\n',
    ],
    ['zone:\n', '  - domain: ', 'include: x\n', ': ', '- ', '[', ']', '"', '#', '\t', "'"],
    parseKnot,
  ),
  importer(
    'nsd-conf',
    [
      'server:\n  zonesdir: "/etc/nsd"\nzone:\n  name: example.test\n  zonefile: a.zone\n  request-xfr: AXFR 192.0.2.1@53 NOKEY\n',
      'pattern:\n  name: p\n  zonefile: "%s.zone"\nzone:\n  name: b.test\n  include-pattern: p\ninclude: "x"\n',
    ],
    ['zone:\n', 'name: ', 'include: x\n', 'include-pattern: ', '"', '#', ':', "'"],
    parseNsd,
  ),
  importer(
    'provider-export',
    [
      '{"ResourceRecordSets":[{"Name":"example.test.","Type":"A","TTL":300,"ResourceRecords":[{"Value":"192.0.2.1"}]}]}',
      '{"result":[{"name":"example.test","type":"MX","content":"mail.example.test","priority":10,"ttl":1,"proxied":true}]}',
      ';; Domain: example.test.\nexample.test. 1 IN A 192.0.2.1 ; cf_tags=cf-proxied:true\n',
    ],
    ['"Name":', '"Type":', '"AliasTarget":{}', '[', ']', '{', '}', '\\u0000', 'null', ','],
    (file) => {
      tolerate(() => parseRoute53([file], 'example.test'), InvalidError);
      tolerate(() => parseCloudflareFile(file, 'example.test'), InvalidError);
      tolerate(() => parseJson(file.file, file.text), InvalidError);
      return parseCloudflareJson(file, 'example.test');
    },
  ),
];
