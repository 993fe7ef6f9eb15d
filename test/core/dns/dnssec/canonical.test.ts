/** Canonical form and order, compared with the reference for every type. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import {
  canonicalRdatas,
  canonicalWireForm,
  lowerCased,
  signedLabelCount,
} from '../../../../core/dns/dnssec/canonical.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { nameOf } from '../../../support/names.ts';
import { RDATA } from '../wire/arbitrary.ts';
import { anyRRset } from './arbitrary.ts';
import { canonicalForm, chars } from './reference.ts';

const test = suite('canonical form');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const ROOT = parseName('.');

test('the wire form is the reference of RFC 4034 section 6', () => {
  const seen = new Set<number>();
  fc.assert(
    fc.property(anyRRset, (rrset) => {
      seen.add(rrset.type);
      const before = rrset.rdatas.map(hex);
      assert.is(hex(canonicalWireForm(rrset)), Buffer.from(canonicalForm(rrset), 'latin1').toString('hex'));
      assert.equal(rrset.rdatas.map(hex), before, 'the input is unchanged');
    }),
    { numRuns: depth({ quick: 500, moderate: 2000, full: 100_000 }) },
  );
  assert.ok(seen.size > RDATA.size / 2);
});

test('reserved space for the caller comes first', () => {
  const rrset = { owner: parseName('a.'), type: TYPE.A, ttl: 1, rdatas: [Uint8Array.of(1, 2, 3, 4)] };
  assert.is(hex(canonicalWireForm(rrset, 3)), `000000${hex(canonicalWireForm(rrset))}`);
});

test('rdata is ordered by its bytes, the shorter first, and each comes once', () => {
  const texts = [[3, 1], [], [3], [0], [255], [3, 0], [3], [0, 0], []];
  const sorted = canonicalRdatas(
    65280,
    texts.map((bytes) => Uint8Array.from(bytes)),
  ).map(hex);
  assert.equal(sorted, ['', '00', '0000', '03', '0300', '0301', 'ff']);
});

test('names that differ in case are the same record, but not in NSEC and later types', () => {
  const name = (text: string): Buffer => Buffer.from(nameOf(text.split('.'), ROOT));
  const pair = [name('Host.Example'), name('host.example')];
  assert.is(canonicalRdatas(TYPE.NS, pair).length, 1);
  assert.is(hex(canonicalRdatas(TYPE.NS, pair)[0]), hex(pair[1]));
  const nsec = pair.map((next) => Buffer.concat([next, Buffer.of(0, 1, 0x40)]));
  assert.equal(canonicalRdatas(TYPE.NSEC, nsec).map(hex), nsec.map(hex));
  const svcb = pair.map((target) => Buffer.concat([Buffer.of(0, 0), target]));
  assert.equal(canonicalRdatas(TYPE.SVCB, svcb).map(hex), svcb.map(hex));
});

test('capitals that are no names are kept', () => {
  for (const [type, content] of [
    [TYPE.TXT, '"UPPER"'],
    [TYPE.HINFO, '"PC" "LINUX"'],
    [TYPE.CAA, '0 issue "CA.example"'],
    [TYPE.NAPTR, '100 10 "S" "SIP+D2U" "" _sip._udp.example.com.'],
    [TYPE.MX, '16705 mail.example.'],
  ] as const) {
    const rdata = parseRdata(type, content);
    assert.is(hex(canonicalRdatas(type, [rdata])[0]), hex(rdata));
  }
});

test('malformed rdata with capitals is not signed', () => {
  assert.throws(
    () => canonicalRdatas(TYPE.MX, [Buffer.from('0001044d61', 'hex')]),
    (error: unknown) => error instanceof InvalidError && error.code === 'invalid_content',
  );
});

test('a name in lower case is not copied', () => {
  const name = parseName('www.example.');
  assert.is(lowerCased(name), name);
  const upper = nameOf(['WwW', 'EXAMPLE'], ROOT);
  assert.is(hex(lowerCased(upper)), hex(name));
  assert.is(chars(upper), '\u0003WwW\u0007EXAMPLE\0', 'the input is unchanged');
});

for (const [text, count] of [
  ['.', 0],
  ['example.', 1],
  ['www.example.com.', 3],
  ['*.', 0],
  ['*.example.', 1],
  ['*.*.example.', 2],
  ['a.*.example.', 3],
  ['**.example.', 2],
] as const)
  test(`${text} has ${count} signed labels`, () => {
    assert.is(signedLabelCount(parseName(text)), count);
  });

test.run();
