/** Dictionaries of structured fields: valid text is read, malformed text is not. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Member, parseDictionary } from '../../../../edge/cache/rules/structured-dictionary.ts';
import fc, { ANY_CHARACTER } from '../../../support/fc.ts';

const OTHER: Member = { type: 'other' };
const chars = (first: string, others: string, maxLength = 8) =>
  fc
    .tuple(fc.constantFrom(...first), fc.array(fc.constantFrom(...others), { maxLength }))
    .map(([head, tail]) => head + tail.join(''));
const LOWER = 'abcxyz';
const key = chars(`${LOWER}*`, `${LOWER}019_-.*`);

type Written = readonly [text: string, member: Member];
const integer: fc.Arbitrary<Written> = fc
  .integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 })
  .map((n) => [String(n), { type: 'integer', value: String(n) }]);
const decimal: fc.Arbitrary<Written> = fc
  .tuple(fc.integer({ min: -999_999_999_999, max: 999_999_999_999 }), fc.constantFrom('0', '5', '25', '125'))
  .map(([whole, fraction]) => [`${whole}.${fraction}`, OTHER]);
const string: fc.Arbitrary<Written> = fc
  .string({ unit: 'grapheme-ascii', maxLength: 10 })
  .map((text) => [`"${text.replace(/["\\]/g, '\\$&')}"`, { type: 'text', value: text }]);
const token: fc.Arbitrary<Written> = chars('AZaz*', "az09:/!#$%&'*+-.^_`|~").map((text) => [
  text,
  { type: 'text', value: text },
]);
const rest: fc.Arbitrary<Written> = fc.constantFrom<Written[]>(
  ['?0', OTHER],
  ['?1', { type: 'true' }],
  [':YQ==:', OTHER],
  ['::', OTHER],
  ['@-1', OTHER],
  ['%"f%c3%bc"', OTHER],
);
const item = fc.oneof(integer, decimal, string, token, rest);
const parameters = fc
  .array(fc.tuple(fc.constantFrom(';', '; '), key, fc.option(item)), { maxLength: 2 })
  .map((list) =>
    list.map(([semicolon, name, value]) => `${semicolon}${name}${value === null ? '' : `=${value[0]}`}`).join(''),
  );
const innerList: fc.Arbitrary<Written> = fc
  .array(fc.tuple(item, parameters), { maxLength: 3 })
  .map((items) => [`(${items.map(([[text], more]) => text + more).join(' ')})`, OTHER]);
const member = fc.tuple(key, fc.option(fc.oneof(item, innerList)), parameters);
const dictionary = fc.array(fc.tuple(member, fc.constantFrom('', ' ', '\t')), { maxLength: 5 });

test('valid members are read; of two with one key the last counts', () => {
  fc.assert(
    fc.property(dictionary, (list) => {
      const meant = new Map<string, Member>();
      const texts = list.map(([[name, value, more], blank]) => {
        meant.set(name, value === null ? { type: 'true' } : value[1]);
        return `${blank}${name}${value === null ? '' : `=${value[0]}`}${more}${blank}`;
      });
      const text = texts.join(',').trim();
      const read = parseDictionary(text);
      assert.ok(read !== undefined, text);
      assert.equal([...(read as Map<string, Member>)], [...meant], text);
    }),
    { numRuns: 3000 },
  );
});

test('a malformed dictionary is rejected as a whole', () => {
  const malformed = [
    ...[
      'A=1',
      '1a',
      'a=',
      'a=,b',
      'a,',
      ',a',
      'a,,b',
      'a b',
      'a =1',
      'a= 1',
      'a=1a',
      'a=1.',
      'a=.5',
      'a=1.2345',
      'a=--1',
    ],
    ...[
      'a=1234567890123456',
      'a=1234567890123.1',
      'a="b',
      'a="\\b"',
      'a="\x7f"',
      'a="\xe4"',
      'a=?2',
      'a=?',
      'a=:a',
      'a=:!:',
    ],
    ...[
      'a=(',
      'a=(b',
      'a=(b"c")',
      'a=(b,c)',
      'a=)',
      'a=@',
      'a=@1.5',
      'a=%"',
      'a=%"%C3"',
      'a;',
      'a;B',
      'a;b=',
      'a;b c',
      'a\t',
      '\ta',
      '&',
    ],
  ];
  for (const text of malformed) assert.is(parseDictionary(text), undefined, text);
});

test('any text is read or rejected', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 100 }), (text) => {
      parseDictionary(text);
    }),
  );
  // Takes minutes if quadratic.
  for (const part of ['a,', 'a=(', 'a="', ' ', 'a=1,', 'a;b', ':', 'a= ']) parseDictionary(part.repeat(100_000));
});

test.run();
