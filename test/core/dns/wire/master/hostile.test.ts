/**
 * Files made to hurt. Each is 2 to 8 MB: all take a second together, what is not linear would take
 * hours.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseMaster } from '../../../../../core/dns/wire/master/index.ts';
import { depth } from '../../../../support/depth.ts';
import fc, { ANY_CHARACTER } from '../../../../support/fc.ts';
import { ORIGIN } from '../arbitrary.ts';

const MB = 1 << 20;
const parse = (input: Uint8Array, maxErrors?: number) =>
  parseMaster(input, { origin: ORIGIN, defaultTtl: 1, maxErrors });

test('large hostile files end in an error, with messages of bounded length', () => {
  const files: [string, string][] = [
    ['unclosed parentheses, one a line', '(\n'.repeat(2 * MB)],
    ['unclosed parentheses on one line', '('.repeat(4 * MB)],
    ['closing parentheses', ')'.repeat(4 * MB)],
    ['an unclosed parenthesis before many records', `a A (\n${'b A 192.0.2.1\n'.repeat(MB / 4)}`],
    ['an unclosed quote and one huge line', `a TXT "${'x'.repeat(8 * MB)}`],
    ['one huge word', 'x'.repeat(8 * MB)],
    ['one huge name', 'x.'.repeat(4 * MB)],
    ['one huge escaped name', '\\120'.repeat(2 * MB)],
    ['one huge TTL', `a ${'1'.repeat(4 * MB)} A 192.0.2.1`],
    ['one huge type', `a ${'T'.repeat(4 * MB)} 192.0.2.1`],
    ['one huge directive', `$${'T'.repeat(4 * MB)}`],
    ['one huge address', `a A ${'1'.repeat(4 * MB)}`],
    ['one huge IPv6 address', `a AAAA ${':'.repeat(4 * MB)}`],
    ['hexadecimal data without end', `a TYPE65280 \\# 65535 ${'00 '.repeat(MB)}`],
    ['strings without end', `a TXT ${'"" '.repeat(MB)}`],
    ['too many words', 'a '.repeat(2 * MB)],
    ['a wrong escape at the end of a long string', `a URI 1 1 "${'\\120'.repeat(16_000)}\\999"`],
    ['backslashes', '\\'.repeat(4 * MB)],
    ['zero bytes', '\0'.repeat(4 * MB)],
    ['quotes on every line', 'a TXT "\n'.repeat(MB / 2)],
  ];
  for (const [what, text] of files) {
    const { errors } = parse(Buffer.from(text, 'latin1'));
    assert.ok(errors.length >= 1 && errors.length <= 100, what);
    for (const { message } of errors) assert.ok(message.length < 500, `${what}: ${message.length}`);
  }
});

test('a hundred thousand mistakes take linear time', () => {
  const { errors } = parse(Buffer.from('a TXT "\nb ) (\n) '.repeat(100_000)), Number.POSITIVE_INFINITY);
  assert.ok(errors.length >= 100_000);
});

test('large files without a mistake', () => {
  const files: [string, number][] = [
    [';'.repeat(4 * MB), 0],
    ['\n'.repeat(4 * MB), 0],
    [' '.repeat(4 * MB), 0],
    ['()'.repeat(2 * MB), 0],
    [`a A ${'('.repeat(MB)}192.0.2.1${')'.repeat(MB)}`, 1],
    [`a TXT ${'"" '.repeat(65_535)}`, 1],
    [`a TXT ${`"${'\\097'.repeat(254)}" `.repeat(257)}`, 1],
  ];
  for (const [text, count] of files) {
    const { records, errors } = parse(Buffer.from(text));
    assert.equal(errors, [], text.slice(0, 20));
    assert.is(records.length, count, text.slice(0, 20));
  }
});

test('any bytes give records and errors, never an exception', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'a',
      '@',
      '\n',
      ' ',
      '\t',
      '(',
      ')',
      '"',
      '\\',
      ';',
      '$ORIGIN',
      '$TTL',
      '$INCLUDE',
      '300',
      '1h',
      'IN',
      'CH',
    ),
    fc.constantFrom(
      'A',
      'AAAA',
      'TXT',
      'MX',
      'SOA',
      'CAA',
      'TYPE9',
      '\\#',
      '192.0.2.1',
      '::1',
      '0',
      'b.',
      'example.com.',
    ),
    fc.string({ unit: ANY_CHARACTER, maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.constantFrom('', ' ', ' ', '\n')), { maxLength: 60 }), (pieces) => {
      const input = Buffer.from(pieces.flat().join(''), 'latin1');
      const lines = input.toString('latin1').split('\n').length;
      const { records, errors } = parse(input);
      for (const { line } of [...records, ...errors]) assert.ok(line >= 1 && line <= lines);
      for (let i = 1; i < records.length; i++) assert.ok(records[i].line > records[i - 1].line);
    }),
    { numRuns: depth({ quick: 500, moderate: 1250, full: 100_000 }) },
  );
});

test('one byte changed anywhere spoils its own lines only', () => {
  const line = (i: number) => `n${i} 300 IN A 192.0.2.${i}\n`;
  const text = Buffer.from(Array.from({ length: 20 }, (_, i) => line(i)).join(''));
  fc.assert(
    fc.property(fc.nat(text.length - 2), fc.nat(255), (at, byte) => {
      // "(" rightly swallows what follows.
      fc.pre(byte !== 0x28);
      const changed = Buffer.from(text);
      changed[at] = byte;
      assert.ok(parse(changed).records.length >= 18);
    }),
    { numRuns: depth({ quick: 300, moderate: 750, full: 60_000 }) },
  );
});

test('a view into a larger buffer is read within its bounds', () => {
  const whole = Buffer.from('junk ("\na A 192.0.2.1\nb A 192.0.2.2');
  const { records, errors } = parse(whole.subarray(8, 22));
  assert.equal(errors, []);
  assert.is(records.length, 1);
});

test.run();
