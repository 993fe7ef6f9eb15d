import { domainToASCII } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import {
  formatAddress,
  NO_EXEMPTIONS,
  parseAddress,
  parseExemptions,
  readHost,
} from '../../../../core/net/address/index.ts';
import { readInetAton } from '../../../../core/net/address/spelling.ts';
import { depth } from '../../../support/depth.ts';
import fc, { ANY_CHARACTER } from '../../../support/fc.ts';

type Base = 'dec' | 'oct' | 'hex' | 'HEX';

/** A number as a part of an inet_aton text, with some zeros in front where the base allows. */
function part(value: number, base: Base, zeros: number): string {
  const pad = '0'.repeat(zeros);
  if (base === 'dec') return String(value);
  if (base === 'oct') return `0${pad}${value.toString(8)}`;
  const digits = pad + value.toString(16);
  return base === 'hex' ? `0x${digits}` : `0X${digits.toUpperCase()}`;
}

const spelled = fc
  .record({
    address: fc.nat(0xffff_ffff),
    parts: fc.integer({ min: 1, max: 4 }),
    bases: fc.array(fc.constantFrom<Base>('dec', 'oct', 'hex', 'HEX'), { minLength: 4, maxLength: 4 }),
    zeros: fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    dot: fc.boolean(),
    wide: fc.constantFrom('no', 'digits', 'dots'),
    escaped: fc.boolean(),
  })
  .map(({ address, parts, bases, zeros, dot, wide, escaped }) => {
    const bytes = Uint8Array.of(address >>> 24, address >>> 16, address >>> 8, address);
    const values = [...bytes.subarray(0, parts - 1)];
    values.push(address % 2 ** (8 * (5 - parts)));
    const plain = values.map((value, i) => part(value, bases[i], zeros[i])).join('.');
    let text = plain + (dot ? '.' : '');
    if (wide === 'digits') text = text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
    if (wide === 'dots') text = text.replaceAll('.', '\u3002');
    if (escaped) text = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return { bytes, plain, text };
  });

test('every inet_aton spelling is read as its address, and only the dotted one is accepted', () => {
  fc.assert(
    fc.property(spelled, ({ bytes, plain, text }) => {
      const canonical = formatAddress(bytes);
      assert.equal(readInetAton(plain), bytes, plain);
      if (text === canonical) {
        const host = readHost(text);
        assert.is(host.kind === 'address' && host.canonical, canonical);
        return;
      }
      try {
        readHost(text);
      } catch (error) {
        assert.instance(error, InvalidError);
        const matched = / is another spelling of ([0-9.]+)(?: or [0-9.]+)?[:;]/.exec((error as InvalidError).message);
        assert.is(matched?.[1], canonical, `${text}: ${(error as InvalidError).message}`);
        return;
      }
      assert.unreachable(`${text} was taken`);
    }),
    { numRuns: depth({ quick: 500, moderate: 1250, full: 100_000 }) },
  );
});

test('what WHATWG reads as an IPv4 address is never accepted as a name', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '0',
      '1',
      '8',
      '9',
      '127',
      '255',
      '256',
      '0x',
      '0x7f',
      '0177',
      '00',
      'a',
      'xn--',
      '-',
      '.',
      '.',
      '\u3002',
      '\uff0e',
      '\uff11',
      '%31',
      '\u00ad',
      ':',
      '[',
      ']',
      'localhost',
    ),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('');
      try {
        const host = readHost(text);
        if (host.kind === 'address') return assert.equal(parseAddress(host.canonical), host.bytes);
        assert.is(domainToASCII(host.name), host.name, `${text} gave the name ${host.name}`);
        assert.not.match(host.name, /^\d+\.\d+\.\d+\.\d+$/);
      } catch (error) {
        assert.instance(error, InvalidError, `${text}: ${error}`);
      }
    }),
    { numRuns: depth({ quick: 500, moderate: 1250, full: 100_000 }) },
  );
});

test('any text gives a result or an InvalidError', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 60 }), (text) => {
      try {
        const host = readHost(text);
        const canonical = host.kind === 'name' ? host.name : host.canonical;
        assert.match(canonical, /^[a-z0-9_.:-]+$/);
        assert.equal(readHost(canonical), host);
      } catch (error) {
        assert.instance(error, InvalidError, `${JSON.stringify(text)}: ${error}`);
      }
    }),
    { numRuns: depth({ quick: 500, moderate: 1250, full: 100_000 }) },
  );
});

test('test rigs may use local names, but no reserved names and no odd spellings', () => {
  for (const exemptions of [parseExemptions(true), parseExemptions(['127.0.0.0/8'])]) {
    for (const name of [
      'localhost',
      'web.localhost',
      'origin',
      'origin.internal',
      'origin.test',
      'nas.local',
      'a.home.arpa',
    ])
      assert.equal(readHost(name, exemptions), { kind: 'name', name });
    for (const name of ['x.invalid', 'x.onion', 'x.alt', 'x.example', '1.in-addr.arpa'])
      assert.throws(
        () => readHost(name, exemptions),
        (error: InvalidError) => error.code === 'private_origin',
      );
    assert.throws(
      () => readHost('127.1', exemptions),
      (error: InvalidError) => error.code === 'invalid_origin' && /127\.0\.0\.1; use/.test(error.message),
    );
  }
  assert.throws(() => readHost('localhost', NO_EXEMPTIONS), /An origin must be reachable on the public Internet/);
});

test('the longest name is accepted, a longer one is not', () => {
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.net`;
  assert.is(longest.length, 253);
  assert.equal(readHost(longest), { kind: 'name', name: longest });
  assert.equal(readHost(`${longest}.`), { kind: 'name', name: longest });
  assert.throws(() => readHost(`d${longest}`), /63 characters/);
  assert.throws(() => readHost(longest.replace('.net', '.nets')), /longer than 253/);
});

test.run();
