import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPlainName } from '../../../../../core/dns/wire/master/owner-reader.ts';
import { formatName, parseName } from '../../../../../core/dns/wire/name.ts';
import { depth } from '../../../../support/depth.ts';
import fc from '../../../../support/fc.ts';
import { anyName, ORIGIN } from '../arbitrary.ts';

/** Reads the text from the middle of other bytes; undefined when it is left to parseName. */
function read(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(`x.${text}.x`, 'latin1');
  const out = new Uint8Array(512).fill(0xaa);
  const length = readPlainName(bytes, 2, bytes.length - 2, ORIGIN, out);
  if (length !== 0) assert.is(length < 0, /[A-Z]/.test(text), text);
  return length === 0 ? undefined : out.slice(0, Math.abs(length));
}

test('plain names are read here, others are left to parseName', () => {
  for (const text of ['www', 'www.', 'a.b.c', '*', '*.a', '_x._y', '$', 'A-1', `${'a'.repeat(63)}.b`])
    assert.equal(read(text), parseName(text, ORIGIN), text);
  const label = 'a'.repeat(63);
  const notPlain = [
    '',
    '.',
    '@',
    'a@b',
    '..',
    '.a',
    'a..b',
    'a\\.b',
    'a"b',
    'a;b',
    'ü',
    'a b',
    `${label}a`,
    `${label}a.`,
  ];
  for (const text of notPlain) assert.is(read(text), undefined, text);
});

test('the limits are those of parseName', () => {
  for (const last of [48, 49, 50, 51, 60, 61, 62, 63])
    for (const dot of ['', '.']) {
      const text = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(last)}${dot}`;
      let expected: Uint8Array | undefined;
      try {
        expected = parseName(text, ORIGIN);
      } catch {}
      assert.equal(read(text), expected, `${last}${dot}`);
    }
});

test('it never contradicts parseName', () => {
  const text = fc.oneof(
    anyName.map(formatName),
    anyName.map((name) => formatName(name).slice(0, -1)),
    fc
      .array(fc.constantFrom('a', 'B', '.', '-', '\\', '@', 'c'.repeat(31)), { maxLength: 20 })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (name) => {
      const found = read(name);
      if (found !== undefined) assert.equal(found, parseName(name, ORIGIN));
    }),
    { numRuns: depth({ quick: 500, moderate: 1250, full: 100_000 }) },
  );
});

test.run();
