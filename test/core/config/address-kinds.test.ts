import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import { exemptions, resolvers } from '../../../core/config/address-kinds.ts';
import { loadConfig } from '../../../core/config/index.ts';

const test = suite('core/config/address-kinds');

test('exemptions: all, none, or prefixes', () => {
  for (const [text, value] of [
    ['true', true],
    [' false ', false],
    ['127.0.0.0/8', ['127.0.0.0/8']],
    ['10.0.0.1, FD00::/8', ['10.0.0.1/32', 'fd00::/8']],
  ] as const)
    assert.equal(exemptions.fromText(text), value, text);
  for (const text of [
    'yes',
    'TRUE',
    '10.0.0.1/8',
    '10.0.0/8',
    '300.0.0.0/8',
    '10.0.0.0/33',
    'localhost',
    '10.0.0.0/8,',
    '10.0.0.0/8,10.0.0.0/8',
  ])
    assert.is(exemptions.fromText(text), undefined, text);
  assert.equal(exemptions.fromToml(true), true);
  assert.equal(exemptions.fromToml(['10.0.0.0/8']), ['10.0.0.0/8']);
  assert.equal(exemptions.fromToml([]), []);
  for (const value of [1, 'true ', [10], ['10.0.0.1/8'], null]) assert.is(exemptions.fromToml(value), undefined);
  assert.is(exemptions.toToml(false), 'false');
  assert.is(exemptions.toToml(['10.0.0.0/8', 'fd00::/8']), '["10.0.0.0/8", "fd00::/8"]');
});

test('resolvers: addresses, with ports or without; none', () => {
  assert.equal(resolvers.fromText('192.0.2.53,[2001:DB8::53]:5353, 2001:db8::53'), [
    '192.0.2.53',
    '[2001:DB8::53]:5353',
    '2001:db8::53',
  ]);
  assert.equal(resolvers.fromToml([]), []);
  assert.is(resolvers.toToml([]), '[]');
  for (const text of [
    'dns.example.net',
    '*:53',
    '192.0.2.53:0',
    '192.0.2.53:70000',
    '[192.0.2.53]:53',
    '192.0.2.53,192.0.2.53',
  ])
    assert.is(resolvers.fromText(text), undefined, text);
});

test('a bad prefix is found at start, with what is expected', () => {
  try {
    loadConfig({ env: { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '10.0.0.1/8' } });
  } catch (error) {
    assert.instance(error, ConfigError);
    assert.match(
      (error as ConfigError).message,
      /edge\.allow_private_origins \(WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS\): found "10\.0\.0\.1\/8", expected true, false, or a list/,
    );
    return;
  }
  assert.unreachable('it was taken');
});

test.run();
