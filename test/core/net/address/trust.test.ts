/** Which proxies in front of the edge are trusted. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trustOf } from '../../../../core/net/address/visitor.ts';

test('no proxy is trusted by default', () => {
  assert.not(trustOf([])('127.0.0.1'));
});

test('a prefix names trusted proxies', () => {
  const trusts = trustOf(['192.0.2.0/24', '2001:db8::/32']);
  for (let again = 0; again < 2; again++) {
    for (const address of ['192.0.2.1', '192.0.2.255', '2001:db8::1']) assert.ok(trusts(address), address);
    for (const address of ['192.0.3.1', '2001:db9::1', '', 'nonsense', '::ffff:192.0.3.1'])
      assert.not(trusts(address), address);
  }
});

test('the result is right for any number of addresses', () => {
  const trusts = trustOf(['10.0.0.0/8']);
  for (let i = 0; i < 20_000; i++) {
    const address = `${i % 2 === 0 ? 10 : 11}.0.${i >> 8}.${i & 255}`;
    assert.is(trusts(address), i % 2 === 0);
  }
});

test.run();
