import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { addressOfReverse, isInBlock, reverseName } from '../../../../core/dns/wire/reverse.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';

test('the reverse name of an address, and back', () => {
  for (const [type, text, name] of [
    [TYPE.A, '192.0.2.5', '5.2.0.192.in-addr.arpa.'],
    [TYPE.AAAA, '2001:db8::567:89ab', 'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa.'],
  ] as const) {
    const rdata = parseRdata(type, text);
    assert.is(formatName(reverseName(rdata)), name);
    assert.equal([...addressOfReverse(parseName(name))!], [...rdata]);
  }
});

test('reverse names of networks, and of other blocks, are of no address', () => {
  for (const name of [
    '2.0.192.in-addr.arpa.',
    '256.2.0.192.in-addr.arpa.',
    '5.128/25.2.0.192.in-addr.arpa.',
    'x.2.0.192.in-addr.arpa.',
    '8.b.d.0.1.0.0.2.ip6.arpa.',
    '5.2.0.192.example.',
  ])
    assert.is(addressOfReverse(parseName(name)), null, name);
  assert.equal([...addressOfReverse(parseName('5.0/25.2.0.192.in-addr.arpa.'))!], [192, 0, 2, 5]);
});

test('names of classless zones (RFC 2317)', () => {
  for (const [label, first, last] of [
    ['0/25', 0, 127],
    ['128/26', 128, 191],
    ['0-127', 0, 127],
    ['64-127', 64, 127],
    ['128-25', 128, 255],
    ['0-31', 0, 31],
    ['8/32', 8, 8],
  ] as const) {
    const inside = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => isInBlock(label, byte));
    assert.equal([inside[0], inside.at(-1), inside.length], [first, last, last - first + 1], label);
  }
  for (const label of ['1/25', '0/23', '0/33', '10-20', 'x', '0/25/1', '192-255-1', '256/26'])
    assert.is(isInBlock(label, 10), false, label);
});

test.run();
