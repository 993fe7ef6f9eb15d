/** Lists of prefixes include exactly the addresses within them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PrefixList } from '../../../core/nameserver/rate-limit-prefixes.ts';
import { Client } from '../../../core/net/address/client.ts';
import { contains, formatAddress, parsePrefix } from '../../../core/net/address/index.ts';
import fc from '../../support/fc.ts';

function clientOf(address: Uint8Array): Client {
  const client = new Client();
  // Bytes of a previous client must not matter.
  client.address.fill(0xa5);
  client.setAddress(address, 0, address.length);
  return client;
}

/** A prefix, and an address that differs from it in at most one bit. */
const cases = fc
  .record({
    bytes: fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 })),
    share: fc.integer({ min: 0, max: 128 }),
    flip: fc.option(fc.integer({ min: 0, max: 127 })),
  })
  .filter(({ bytes }) => bytes.length === 4 || bytes.slice(0, 10).some((byte) => byte !== 0));

test('a list includes the addresses of its prefixes', () => {
  fc.assert(
    fc.property(fc.array(cases, { minLength: 1, maxLength: 5 }), (many) => {
      const texts = many.map(({ bytes, share }) => {
        const bits = share % (bytes.length * 8 + 1);
        const network = bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - i * 8))));
        return `${formatAddress(network)}/${bits}`;
      });
      const list = new PrefixList(texts);
      for (const { bytes, flip } of many) {
        const address = bytes.slice();
        if (flip !== null) address[(flip >> 3) % address.length] ^= 0x80 >> (flip & 7);
        const expected = texts.some((text) => contains(parsePrefix(text), address));
        assert.is(list.includes(clientOf(address)), expected, `${formatAddress(address)} in ${texts.join(', ')}`);
      }
    }),
    { numRuns: 500 },
  );
});

test('an empty list, a list of all addresses, and IPv4-mapped addresses', () => {
  const four = clientOf(Uint8Array.of(192, 0, 2, 1));
  const six = clientOf(Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1));
  const mapped = clientOf(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 1));
  for (const client of [four, six, mapped]) {
    assert.is(new PrefixList(false).includes(client), false);
    assert.is(new PrefixList(true).includes(client), true);
  }
  assert.is(new PrefixList(['192.0.2.0/24']).includes(mapped), true);
  assert.is(new PrefixList(['::/0']).includes(four), false);
});

test('a prefix of IPv4-mapped addresses is an IPv4 prefix', () => {
  const list = new PrefixList(['::ffff:192.0.2.0/120']);
  assert.ok(list.includes(clientOf(Uint8Array.of(192, 0, 2, 1))));
  assert.ok(list.includes(clientOf(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 9))));
  assert.not(list.includes(clientOf(Uint8Array.of(192, 0, 3, 1))));
  assert.not(list.includes(clientOf(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 192, 0, 2, 1))));
});

test.run();
