/** Settings of zone transfers: secondaries that may, and receivers of NOTIFY. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { notifyTargets, prefixes } from '../../../core/config/address-kinds.ts';

test('secondaries: an address, a port if it is not 53, a key if one signs', () => {
  const read = (text: string) => notifyTargets.fromText(text);
  assert.equal(read('192.0.2.1, [2001:DB8:0::53]:5353 Transfer.Example.NET., 2001:db8::1 k'), [
    { address: '192.0.2.1', port: 53, family: 4, key: null },
    { address: '2001:db8::53', port: 5353, family: 6, key: 'transfer.example.net' },
    { address: '2001:db8::1', port: 53, family: 6, key: 'k' },
  ]);
  assert.equal(read(''), []);
  assert.equal(notifyTargets.fromToml([]), []);
  for (const wrong of [
    '*:53',
    '192.0.2.1:0',
    'ns.example.net',
    '192.0.2.1 a b',
    '192.0.2.1 a..b',
    '192.0.2.1 .',
    '192.0.2.1,192.0.2.1:53',
  ])
    assert.is(read(wrong), undefined, wrong);
  const targets = read('192.0.2.1:54 k.example')!;
  assert.is(notifyTargets.toToml(targets), '["192.0.2.1:54 k.example"]');
  assert.equal(notifyTargets.fromToml(['192.0.2.1:54 k.example']), targets);
});

test('who may transfer: prefixes in canonical form, or none', () => {
  assert.equal(prefixes.fromText('192.0.2.0/24, 2001:DB8::1'), ['192.0.2.0/24', '2001:db8::1/128']);
  assert.equal(prefixes.fromText(' '), []);
  for (const wrong of ['192.0.2.1/24', 'any', '10.0.0.0/8,,']) assert.is(prefixes.fromText(wrong), undefined, wrong);
});

test.run();
