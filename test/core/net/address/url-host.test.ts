import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromUrlHost, toUrlHost } from '../../../../core/net/address/url-host.ts';

test('an IPv6 address alone has brackets in a URL', () => {
  for (const [host, inUrl] of [
    ['a.test', 'a.test'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '[2001:db8::1]'],
    ['::ffff:192.0.2.1', '[::ffff:192.0.2.1]'],
    ['', ''],
  ]) {
    assert.is(toUrlHost(host), inUrl);
    assert.is(fromUrlHost(inUrl), host);
    assert.is(fromUrlHost(host), host);
  }
});

test.run();
