/** Zones of nsd.conf. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseNsd } from '../../../../admin-api/zones/migration/index.ts';
import { filesOf, findingLines, mainOf, zoneLines } from './files.ts';

const parse = (contents: Readonly<Record<string, string>>) => parseNsd(mainOf(contents), filesOf(contents));

test('zones, patterns, variables, includes and the list of added zones', () => {
  const source = parse({
    '/etc/nsd/nsd.conf': `
# comment
server:
	ip-address: 127.0.0.1@53   # more
	zonesdir: "/var/nsd"
	zonelistfile: 'zone.list'
key:
	name: "xfr.example."
	algorithm: hmac-sha256
	secret: "c2VjcmV0"
pattern:
	name: "base"
	request-xfr: AXFR 192.0.2.1@5300 xfr.example.
pattern:
	name: "files"
	zonefile: "%1/%z/%y/%s.zone"
pattern:
	name: "second"
	include-pattern: "base"
	zonefile: "s/%s"
zone: name: "Example.COM" zonefile: example.com.zone
zone:
	name:"a.example"
	include-pattern: "files"
zone:
	name: b.example
	include-pattern: second
	request-xfr: 2001:db8::1 NOKEY tls-name
	request-xfr: 192.0.2.9 BLOCKED
include: "/etc/nsd/more/*.conf"
`,
    '/etc/nsd/more/c.conf': 'zone:\n  name: c.example\n  zonefile: /abs/c\nzone:\n  name: d.example\n',
    '/var/nsd/zone.list': '# NSD zone list\nadd e.example files\nadd f.example none\ndel e.example\n',
  });
  assert.equal(zoneLines(source), [
    'example.com primary /var/nsd/example.com.zone',
    'a.example primary /var/nsd/a/example/a/a.example.zone',
    'b.example secondary /var/nsd/s/b.example 192.0.2.1@5300 key xfr.example 2001:db8::1 tls',
    'c.example primary /abs/c',
    'd.example primary none',
    'e.example primary /var/nsd/e/example/e/e.example.zone',
    'f.example primary none',
  ]);
  assert.equal(findingLines(source), ['error no_file d.example 4', 'error no_file f.example 3']);
  assert.equal(source.keys[0].secret, 'c2VjcmV0');
});

const MALFORMED: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['text that is no setting', '\nzone', /^nsd.conf:2: "zone" is not understood/],
  ['a setting in no section', 'zonefile: x', /^nsd.conf:1: the setting "zonefile" is in no section/],
  ['a string without an end', 'zone:\n name: "a', /^nsd.conf:2: the string has no end/],
  ['a missing pattern', 'zone:\n name: a\n include-pattern: b', /^nsd.conf:3: there is no pattern "b"/],
];

for (const [what, text, message] of MALFORMED)
  test(`${what} is reported with file and line`, () => {
    assert.throws(
      () => parse({ 'nsd.conf': text }),
      (error: Error) => message.test(error.message),
    );
  });

test.run();
