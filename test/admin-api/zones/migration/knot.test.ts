/** Zones of knot.conf. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseKnot } from '../../../../admin-api/zones/migration/index.ts';
import { filesOf, findingLines, mainOf, zoneLines } from './files.ts';

const parse = (contents: Readonly<Record<string, string>>) => parseKnot(mainOf(contents), filesOf(contents));

test('templates, storage and formatters', () => {
  const source = parse({
    '/etc/knot/knot.conf': `
# A comment
server:
    listen: [ 127.0.0.1@53, ::1@53 ]   # another
    user: knot:knot
template:
  - id: default
    storage: "/var/lib/knot/zones"
    file: "%s.zone"
  - id: spread
    storage: /srv
    file: "%c[0]/%l[0]/%l[1]-%c[0-2]%%.zone"
zone:
  - domain: Example.com.
  - domain: example.net
    file: /abs/net.zone
  - domain: b.example
    template: spread
  - domain: 0/25.2.0.192.in-addr.arpa
include: more/*.conf
`,
    '/etc/knot/more/a.conf': 'zone:\n- domain: "a.example"\n  storage: "/x"\n',
  });
  assert.equal(zoneLines(source), [
    'example.com primary /var/lib/knot/zones/example.com.zone',
    'example.net primary /abs/net.zone',
    'b.example primary /srv/b/example/b-b.e%.zone',
    '0/25.2.0.192.in-addr.arpa primary /var/lib/knot/zones/0_25.2.0.192.in-addr.arpa.zone',
    'a.example primary /x/a.example.zone',
  ]);
});

test('defaults without a template', () => {
  assert.equal(zoneLines(parse({ 'knot.conf': 'zone:\n  - domain: a.example\n' })), [
    'a.example primary /var/lib/knot/a.example.zone',
  ]);
});

test('remotes, groups, keys, signed, dynamic and catalog zones', () => {
  const source = parse({
    'knot.conf': `
key:
  - id: xfr.example.
    algorithm: hmac-sha512
    secret: "c2VjcmV0"
remote:
  - id: one
    address: [192.0.2.1, "2001:db8::1@5300"]
    key: xfr.example.
  - id: two
    address: 192.0.2.2@853
    tls: on
remotes:
  - id: all
    remote: [one,
             two]
acl:
  - id: update
    address: 10.0.0.0/8
    action: [transfer, update]
zone:
  - domain: s.example
    master: all
  - domain: d.example
    acl: update
    dnssec-signing: on
    zonefile-load: difference-no-serial
  - domain: c.example
    catalog-role: interpret
    master: one
  - domain: l.example
    master:
      - one
      - two
`,
  });
  assert.equal(zoneLines(source), [
    's.example secondary /var/lib/knot/s.example.zone 192.0.2.1 key xfr.example 2001:db8::1@5300 key xfr.example 192.0.2.2@853 tls',
    'd.example primary /var/lib/knot/d.example.zone',
    'l.example secondary /var/lib/knot/l.example.zone 192.0.2.1 key xfr.example 2001:db8::1@5300 key xfr.example 192.0.2.2@853 tls',
  ]);
  assert.equal(findingLines(source), [
    'decision dynamic_updates d.example 24',
    'decision dnssec_signed d.example 24',
    'decision journal_content d.example 24',
    'decision catalog_zone c.example 28',
  ]);
  assert.equal(source.keys[0].name, 'xfr.example');
});

const MALFORMED: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['text that is no setting', 'zone:\n  domain example', /^knot.conf:2: "domain example" is not understood/],
  ['a setting in no section', '  - domain: a', /^knot.conf:1: the setting "domain" is in no section/],
  ['a string without an end', 'zone:\n  - domain: "a', /^knot.conf:2: the string has no end/],
  ['a list without an end', 'remote:\n  - address: [a,\n', /^knot.conf:2: the list has no end/],
];

for (const [what, text, message] of MALFORMED)
  test(`${what} is reported with file and line`, () => {
    assert.throws(
      () => parse({ 'knot.conf': text }),
      (error: Error) => message.test(error.message),
    );
  });

test('an include that cannot be read is a warning', () => {
  const source = parse({ 'knot.conf': 'include: none.conf\nzone:\n  - domain: a\n' });
  assert.equal(findingLines(source), ['warning unreadable_include 1']);
  assert.match(source.findings[0].message, /none\.conf cannot be read: no such file/);
  assert.is(source.zones.length, 1);
});

test.run();
