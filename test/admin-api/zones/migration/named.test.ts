/** Zones of named.conf. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseNamed } from '../../../../admin-api/zones/migration/index.ts';
import { filesOf, findingLines, mainOf, zoneLines } from './files.ts';

const parse = (contents: Readonly<Record<string, string>>) => parseNamed(mainOf(contents), filesOf(contents));

test('zones, includes, directory and all kinds of comments', () => {
  const source = parse({
    '/etc/bind/named.conf': [
      '// C++ { comment',
      '# shell " comment',
      '/* a C',
      '   comment; */ include "/etc/bind/options.conf";',
      'include "zones/*.conf";',
      'zone "Example.COM." IN { type master; file "db.example.com"; /* } */ };',
      'zone example.net { type primary; file "/srv/a b;c/net.zone"; }; // unquoted name',
      'zone "." { type hint; file "/usr/share/dns/root.hints"; };',
      'zone "localhost" { type master; file "/etc/bind/db.local"; };',
      'zone "fwd.example" { type forward; forwarders { 192.0.2.1; }; };',
      'zone "chaos.example" CH { type master; file "chaos"; };',
    ].join('\n'),
    '/etc/bind/options.conf': 'options {\n\tdirectory "/var/cache/bind";\n\tlisten-on port 53 { any; };\n};',
    '/etc/bind/zones/one.conf': 'zone "one.example" { type master; file "one.db"; };',
    '/etc/bind/zones/two.conf': 'zone "two.example" { type master; file "two.db"; };',
  });
  assert.equal(zoneLines(source), [
    'one.example primary /var/cache/bind/one.db',
    'two.example primary /var/cache/bind/two.db',
    'example.com primary /var/cache/bind/db.example.com',
    'example.net primary /srv/a b;c/net.zone',
  ]);
  assert.equal(findingLines(source), [
    'warning not_authoritative . 8'.replace(' .', ''),
    'warning local_zone localhost 9',
    'warning not_authoritative fwd.example 10',
  ]);
});

test('secondaries: lists, ports, keys and TLS', () => {
  const source = parse({
    'named.conf': `
key "xfr.example." { algorithm hmac-sha256; secret "c2VjcmV0"; };
primaries inner port 5301 { 192.0.2.2; };
masters outer { 192.0.2.1 port 5300 key "xfr.example"; inner; 2001:db8::1 tls ephemeral; };
zone "a.example" { type slave; masters { outer; }; };
zone "b.example" { type secondary; file "b"; primaries port 54 { 192.0.2.3; 192.0.2.4 key xfr.example; }; };
zone "c.example" { type mirror; primaries { nowhere; }; };`,
  });
  assert.equal(zoneLines(source), [
    'a.example secondary none 192.0.2.1@5300 key xfr.example 192.0.2.2@5301 2001:db8::1 tls',
    'b.example secondary b 192.0.2.3@54 192.0.2.4@54 key xfr.example',
    'c.example secondary none nowhere',
  ]);
  assert.equal(
    source.keys.map(({ name, algorithm, secret }) => [name, algorithm, secret]),
    [['xfr.example', 'hmac-sha256', 'c2VjcmV0']],
  );
});

test('views, inherited settings, templates, signed and dynamic zones', () => {
  const source = parse({
    'named.conf': `
options { directory "/z"; dnssec-policy default; };
template t { type primary; file "$name.db"; };
view "inside" {
  match-clients { 10/8; };
  allow-update { key ddns; };
  zone "a.example" { type primary; file "a.inside"; };
};
view outside {
  zone "a.example" { type primary; file "a.outside"; dnssec-policy none; };
  zone "b.example" { in-view "inside"; };
  zone "c.example" { template t; allow-update { none; }; };
  zone "d.example" { type primary; };
};`,
  });
  assert.equal(zoneLines(source), [
    'a.example primary /z/a.inside view inside',
    'a.example primary /z/a.outside view outside',
    'c.example primary /z/c.example.db view outside',
    'd.example primary none view outside',
  ]);
  assert.equal(findingLines(source), [
    'decision dynamic_updates a.example 7',
    'decision dnssec_signed a.example 7',
    'decision dnssec_signed c.example 12',
    'error no_file d.example 13',
    'decision dnssec_signed d.example 13',
  ]);
});

const MALFORMED: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['a comment without an end', 'options { };\n/* x', /^named.conf:2: the comment has no end/],
  ['a string without an end', '\nzone "a\nb', /^named.conf:2: the string has no end/],
  ['a block without an end', 'zone "a" {\n type master;', /^named.conf:1: the block has no end/],
  ['a brace too many', 'zone "a" { };\n};', /^named.conf:2: there is a "}" without a "{"/],
  ['a missing semicolon', 'zone "a" { type master };', /^named.conf:1: the statement has no end/],
  ['an include of itself', 'include "named.conf";', /include each other more than 20 deep/],
];

for (const [what, text, message] of MALFORMED)
  test(`${what} is reported with file and line`, () => {
    assert.throws(
      () => parse({ 'named.conf': text }),
      (error: Error) => message.test(error.message),
    );
  });

test('an include that cannot be read is a warning', () => {
  const source = parse({ 'named.conf': 'include "none.conf";\nzone "a" { type primary; file "db"; };' });
  assert.equal(findingLines(source), ['warning unreadable_include 1']);
  assert.match(source.findings[0].message, /none\.conf cannot be read: no such file/);
  assert.is(source.zones.length, 1);
});

test.run();
