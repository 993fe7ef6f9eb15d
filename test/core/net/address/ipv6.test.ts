import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientNetwork, clientSite, ipv6Bytes } from '../../../../core/net/address/ipv6.ts';

test('addresses in every form of RFC 4291 2.2', () => {
  const cases: [string, string][] = [
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::8:800:200c:417a', '20010db80000000000080800200c417a'],
    ['ff01::', 'ff010000000000000000000000000000'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
    ['1:2:3:4:5:6:192.0.2.1', '000100020003000400050006c0000201'],
  ];
  for (const [text, hex] of cases) assert.is(Buffer.from(ipv6Bytes(text)).toString('hex'), hex, text);
});

test('one client is an IPv4 address or an IPv6 /64', () => {
  assert.is(clientNetwork('192.0.2.1'), '192.0.2.1');
  assert.is(clientNetwork('2001:db8:0:1::1'), clientNetwork('2001:db8:0:1:ffff::2'));
  assert.is.not(clientNetwork('2001:db8:0:1::1'), clientNetwork('2001:db8:0:2::1'));
  assert.is(clientNetwork('fe80::1%lo'), clientNetwork('fe80::2'));
  assert.is(clientNetwork('::ffff:192.0.2.1'), '192.0.2.1');
  assert.is.not(clientNetwork('::ffff:192.0.2.1'), clientNetwork('::ffff:192.0.2.2'));
});

test('the networks of one /48 are one site', () => {
  assert.is(clientSite('192.0.2.1'), '192.0.2.1');
  assert.is(clientSite('2001:db8:0:1::1'), clientSite('2001:db8:0:ffff::1'));
  assert.is.not(clientSite('2001:db8:0:1::1'), clientSite('2001:db8:1:1::1'));
  assert.is.not(clientSite('::ffff:192.0.2.1'), clientSite('::ffff:192.0.2.2'));
});

test.run();
