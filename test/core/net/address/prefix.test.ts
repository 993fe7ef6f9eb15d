import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import { contains, formatAddress, parseAddress, parsePrefix } from '../../../../core/net/address/index.ts';
import fc from '../../../support/fc.ts';

function refusal(text: string): string {
  try {
    parsePrefix(text, '/edge/allow_private_origins/0');
  } catch (error) {
    assert.instance(error, InvalidError);
    assert.is((error as InvalidError).code, 'invalid_prefix');
    assert.is((error as InvalidError).pointer, '/edge/allow_private_origins/0');
    return (error as InvalidError).message;
  }
  return assert.unreachable(`${text} was taken`) as never;
}

test('prefixes are read into canonical form', () => {
  for (const [text, canonical] of [
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['127.0.0.1', '127.0.0.1/32'],
    ['::1', '::1/128'],
    ['::/0', '::/0'],
    ['FD00:0::/8', 'fd00::/8'],
    ['2001:db8:0:0::/33', '2001:db8::/33'],
    ['::ffff:0:0/96', '::ffff:0:0/96'],
    ['172.16.0.0/12', '172.16.0.0/12'],
  ])
    assert.is(parsePrefix(text).text, canonical);
});

test('an invalid prefix is refused with the correct form', () => {
  for (const text of [
    '',
    '/',
    '/8',
    '10/8',
    '10.0.0/8',
    '010.0.0.0/8',
    '127.1',
    'localhost',
    '[::1]/128',
    '１０.0.0.0/8',
    '\u0131.1.1.1',
  ])
    assert.match(refusal(text), /write it as 10\.0\.0\.0\/8 or fd00::\/8/, text);
  assert.match(refusal('fe80::1%eth0/64'), /use a global or unique local address/);
  for (const text of [
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/1e1',
    '10.0.0.0/ 8',
    '10.0.0.0/255.0.0.0',
  ])
    assert.match(refusal(text), /length from 0 to 32/, text);
  assert.match(refusal('::/129'), /length from 0 to 128/);
  assert.match(refusal('10.0.0.1/8'), /bits set after the prefix length; write 10\.0\.0\.0\/8/);
  assert.match(refusal('fd00::1/64'), /write fd00::\/64/);
});

test('a prefix matches its own family, bit by bit', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc.nat(128),
      fc.nat(127),
      (v6, random, length, flip) => {
        const bytes = v6 ? random : random.slice(0, 4);
        const bits = length % (bytes.length * 8 + 1);
        const bit = flip % (bytes.length * 8);
        const network = bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - i * 8))));
        const prefix = parsePrefix(`${formatAddress(network)}/${bits}`);
        assert.ok(contains(prefix, bytes));
        const other = bytes.slice();
        other[bit >> 3] ^= 0x80 >> (bit & 7);
        assert.is(contains(prefix, other), bit >= bits);
        assert.not(contains(prefix, v6 ? bytes.slice(0, 4) : new Uint8Array(16)));
      },
    ),
  );
});

test('addresses: strict, and read back as written', () => {
  for (const text of [
    '127.1',
    '0x7f.0.0.1',
    '1.2.3.4.',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '[::1]',
    '::1%lo',
    '\u0131.1.1.1',
    '1.1.1.\uff11',
    'x'.repeat(10_000),
  ])
    assert.is(parseAddress(text), undefined, text);
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const bytes = parseAddress(text);
      assert.ok(bytes !== undefined, text);
      assert.equal(parseAddress(formatAddress(bytes as Uint8Array)), bytes);
    }),
  );
});

test.run();
