import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { authorityOf, hostOf, isPath, portOf, siteHost } from '../../../../edge/http/exchange/authority.ts';

const AUTHORITIES: readonly (readonly [text: string, authority: string])[] = [
  ['site.test', 'site.test'],
  ['Site.TEST.', 'site.test.'],
  ['site.test:', 'site.test'],
  ['site.test:8443', 'site.test:8443'],
  ['site.test:65535', 'site.test:65535'],
  ['xn--caf-dma.test', 'xn--caf-dma.test'],
  ['a_b.test', 'a_b.test'],
  ['%41.test', '%41.test'],
  ['192.0.2.1:80', '192.0.2.1:80'],
  ['[2001:DB8::1]', '[2001:db8::1]'],
  ['[2001:db8::1]:', '[2001:db8::1]'],
  ['[::ffff:192.0.2.1]:443', '[::ffff:192.0.2.1]:443'],
  ['', ''],
  [':80', ''],
  ['site.test:65536', ''],
  ['site.test:080000', ''],
  ['site.test:8a', ''],
  ['site.test:-1', ''],
  ['site.test:80:80', ''],
  ['user@site.test', ''],
  ['user:word@site.test', ''],
  ['site.test/', ''],
  ['site.test?', ''],
  ['site.test#', ''],
  ['site.test, other.test', ''],
  ['site .test', ''],
  ['site\t.test', ''],
  ['site\\.test', ''],
  ['%zz.test', ''],
  ['%4', ''],
  ['caf\xe9.test', ''],
  ['\u212a.test', ''], // the Kelvin sign, whose lower case is ASCII
  ['2001:db8::1', ''],
  ['[2001:db8::1', ''],
  ['[2001:db8::g]', ''],
  ['[1.2.3.4]', ''],
  ['[fe80::1%25eth0]', ''],
  ['[v1.a]', ''],
  ['[]', ''],
  ['[::1]a', ''],
  [`${'a'.repeat(300)}.test`, ''],
];

test('authorities are hosts with perhaps a port, in lower case', () => {
  for (const [text, authority] of AUTHORITIES) assert.is(authorityOf(text), authority, text);
});

test('paths begin with a slash, are visible ASCII and have no fragment; the asterisk is for OPTIONS', () => {
  for (const path of ['/', '//', '/a/../b?c=d&e', '/%zz', '/"<>\\^`{|}', '/?/*']) assert.ok(isPath(path, 'GET'), path);
  for (const path of ['', 'a', '*', '/a b', '/a#b', '/a\tb', '/\x7f', '/\xe9', '/a\r\nb', '?a', 'http://a/'])
    assert.not.ok(isPath(path, 'GET'), path);
  assert.ok(isPath('*', 'OPTIONS'));
  assert.not.ok(isPath('**', 'OPTIONS'));
});

test('the host and the port of an authority', () => {
  for (const [authority, host, site, port] of [
    ['a.test', 'a.test', 'a.test', ''],
    ['a.test:1', 'a.test', 'a.test', '1'],
    ['a.test.', 'a.test.', 'a.test', ''],
    ['a.test.:65535', 'a.test.', 'a.test', '65535'],
    ['[::1]', '[::1]', '[::1]', ''],
    ['[::1]:443', '[::1]', '[::1]', '443'],
    ['', '', '', ''],
  ])
    assert.equal([hostOf(authority), siteHost(authority), portOf(authority)], [host, site, port], authority);
});

test.run();
