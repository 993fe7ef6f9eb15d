import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import {
  equalNames,
  formatName,
  formatRelative,
  isWithin,
  labelCount,
  type Name,
  parentName,
  parseName,
  ROOT,
} from '../../../../core/dns/wire/name.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { anyName, nameInZone, ORIGIN } from './arbitrary.ts';

const wire = (...labels: string[]): Name =>
  Uint8Array.from([...labels.flatMap((label) => [label.length, ...Buffer.from(label, 'latin1')]), 0]);

test('presentation form to wire form', () => {
  const cases: [string, Name][] = [
    ['.', ROOT],
    ['@', wire('example', 'com')],
    ['www', wire('www', 'example', 'com')],
    ['www.', wire('www')],
    ['WwW.Example.ORG.', wire('www', 'example', 'org')],
    ['*.a', wire('*', 'a', 'example', 'com')],
    ['a\\.b.c.', wire('a.b', 'c')],
    ['a\\046b.', wire('a.b')],
    ['a\\\\.', wire('a\\')],
    ['\\@.', wire('@')],
    ['\\065.', wire('a')],
    ['\\000\\255.', wire('\0\xff')],
    [`${'a'.repeat(63)}.`, wire('a'.repeat(63))],
  ];
  for (const [text, name] of cases) assert.equal(parseName(text, ORIGIN), name, text);
});

test('names that no zone can hold', () => {
  const long = `${'a'.repeat(63)}.`.repeat(3);
  const cases: [string, RegExp][] = [
    ['', /empty/],
    ['.a', /empty label/],
    ['a..', /empty label/],
    ['a..b', /empty label/],
    ['..', /empty label/],
    ['a'.repeat(64), /63 bytes/],
    [`${'\\097'.repeat(64)}.`, /63 bytes/],
    [`${long}${'a'.repeat(62)}.`, /255 bytes/],
    [`${long}${'a'.repeat(61)}`, /255 bytes/],
    [`${'a.'.repeat(128)}`, /255 bytes/],
    ['a\\', /escape/],
    ['a\\1', /escape/],
    ['a\\12x', /escape/],
    ['a\\256', /escape/],
    ['müller', /xn--/],
    ['\\ü', /xn--/],
    ['例え', /xn--/],
  ];
  for (const [text, message] of cases)
    assert.throws(
      () => parseName(text, ORIGIN),
      (error: unknown) => error instanceof InvalidError && error.code === 'invalid_name' && message.test(error.message),
      text,
    );
});

test('the limits are met exactly', () => {
  const long = `${'a'.repeat(63)}.`.repeat(3);
  assert.is(parseName(`${long}${'a'.repeat(61)}.`).length, 255);
  assert.is(parseName('a.'.repeat(127)).length, 255);
  assert.is(parseName(`${long}${'a'.repeat(49)}`, ORIGIN).length, 255);
  assert.throws(() => parseName(`${long}${'a'.repeat(50)}`, ORIGIN), /255 bytes/);
});

test('formatted names are read back as the same bytes', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      const text = formatName(name);
      assert.equal(parseName(text, ORIGIN), name);
      assert.match(text, /^[!-~]+$/);
    }),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
});

test('relative forms are read back as the same bytes', () => {
  fc.assert(
    fc.property(fc.oneof(anyName, nameInZone), (name) => {
      assert.equal(parseName(formatRelative(name, ORIGIN), ORIGIN), name);
    }),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
  assert.is(formatRelative(ORIGIN, ORIGIN), '@');
  assert.is(formatRelative(parseName('notexample.com.'), ORIGIN), 'notexample.com.');
});

test('any text is a name or an InvalidError', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      try {
        const name = parseName(text, ORIGIN);
        assert.ok(name.length <= 255);
        assert.equal(parseName(formatName(name)), name);
      } catch (error) {
        assert.instance(error, InvalidError);
      }
    }),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
});

test('a name is within each of its ancestors', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      let labels = labelCount(name);
      for (let at = name; at[0] !== 0; at = parentName(at)) {
        assert.is(labelCount(at), labels--);
        assert.ok(isWithin(name, at));
        assert.is(isWithin(at, name), equalNames(at, name));
      }
      assert.is(labels, 0);
      assert.ok(isWithin(name, ROOT));
    }),
  );
});

test('a label boundary is no byte boundary', () => {
  // The bytes of "\003com\000" also end a label of other length here.
  assert.not(isWithin(parseName('a\\003com.'), parseName('com.')));
  assert.not(isWithin(parseName('xexample.com.'), ORIGIN));
});

test.run();
