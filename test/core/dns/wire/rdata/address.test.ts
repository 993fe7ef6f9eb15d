import { isIPv4, isIPv6 } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatIPv4, formatIPv6, parseRdata, readIPv4, readIPv6 } from '../../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';
import { depth } from '../../../../support/depth.ts';
import fc from '../../../../support/fc.ts';

function ipv4(text: string): string | undefined {
  const out = new Uint8Array(4);
  return readIPv4(Buffer.from(text), 0, Buffer.byteLength(text), out) ? formatIPv4(out) : undefined;
}

function ipv6(text: string): string | undefined {
  const out = new Uint8Array(16).fill(0xaa);
  return readIPv6(Buffer.from(text), 0, Buffer.byteLength(text), out) ? formatIPv6(out) : undefined;
}

test('an IPv4 address is read in its one form', () => {
  for (const text of ['0.0.0.0', '192.0.2.1', '255.255.255.255', '10.0.0.9']) assert.is(ipv4(text), text);
  const wrong = [
    '',
    '.',
    '1',
    '127.1',
    '1.2.3',
    '1.2.3.',
    '.1.2.3',
    '1..2.3',
    '1.2.3.4.',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.04',
    '1.2.3.00',
    '256.1.1.1',
    '1.1.1.999',
    '1.1.1.1000',
    '0x7f.0.0.1',
    '2130706433',
    '1.2.3.4 ',
    '1.2.3.4/24',
    '+1.2.3.4',
    '1.2.3.-4',
    '1.2.3.a',
    '١.2.3.4',
    '::1',
  ];
  for (const text of wrong) assert.is(ipv4(text), undefined, text);
});

test('IPv6 in and out (RFC 5952)', () => {
  const cases: [string, string][] = [
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['2001:DB8::', '2001:db8::'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['::ffff:c000:201', '::ffff:192.0.2.1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
    ['1::2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
  ];
  for (const [text, canonical] of cases) assert.is(ipv6(text), canonical, text);
});

test('texts that are not IPv6 addresses', () => {
  const wrong = [
    '',
    ':',
    ':::',
    '1',
    '1:',
    ':1',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
    ':1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:8:',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    '1:2:3:4::5:6:7:8',
    '1::2::3',
    '1:::2',
    '::12345',
    '::g',
    'fe80::1%eth0',
    'fe80::1%',
    '2001:db8::/32',
    '[::1]',
    '::1.2.3',
    '::01.2.3.4',
    '::1.2.3.4:5',
    '1.2.3.4::',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1.2.3.4.5',
    '1.2.3.4',
    '::1 ',
  ];
  for (const text of wrong) assert.is(ipv6(text), undefined, text);
});

test('records get advice for an IPv4-mapped address and a zone index', () => {
  const why = (type: number, text: string): string => {
    try {
      return String(parseRdata(type, text));
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(why(TYPE.A, '::ffff:192.0.2.1'), 'write an IPv4 address without "::ffff:" in front of it');
  assert.match(why(TYPE.A, '2001:db8::1'), 'an AAAA record holds an IPv6 address');
  for (const type of [TYPE.A, TYPE.AAAA])
    assert.match(why(type, 'fe80::1%eth0'), 'an address with a zone index ("%eth0") is valid on one machine only');
});

test('the same answers as the platform, but for zone ids', () => {
  const piece = fc.constantFrom(
    '0',
    '1',
    'ff',
    'FFFF',
    '00',
    '255',
    '256',
    ':',
    '::',
    '.',
    '1.2.3.4',
    'g',
    '12345',
    ' ',
    '-',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 18 }), (pieces) => {
      const text = pieces.join('');
      assert.is(ipv4(text) !== undefined, isIPv4(text), text);
      assert.is(ipv6(text) !== undefined, isIPv6(text), text);
    }),
    { numRuns: depth({ quick: 2000, moderate: 5000, full: 400_000 }) },
  );
});

test('every address is read back, and canonical forms are fixed points', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = ipv6(text);
      assert.type(canonical, 'string', text);
      assert.is(ipv6(canonical as string), canonical);
      // The platform's own serializer writes the groups the same way, but never the mapped form.
      if (!canonical?.includes('.')) assert.is(new URL(`http://[${text}]/`).hostname, `[${canonical}]`);
    }),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
  fc.assert(fc.property(fc.ipV4(), (text) => assert.is(ipv4(text), text)));
});

test.run();
