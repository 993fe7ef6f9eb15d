/** traceparent and tracestate: the examples of W3C Trace Context, and a slow reference. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  formatTraceParent,
  normalizeTraceState,
  parseTraceParent,
} from '../../../../core/observe/traces/trace-context.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { slowTraceParent, slowTraceState } from './slow-trace-context.ts';

const test = suite('core/observe/traces/trace-context');

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const numRuns = depth({ quick: 100, moderate: 500, full: 100_000 });

for (const [text, isSampled] of [
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  // Flags are bits, and only the lowest one has a meaning.
  [`00-${TRACE}-${SPAN}-09`, true],
  [`00-${TRACE}-${SPAN}-fe`, false],
  // A future version may have more fields.
  [`01-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
  [`fe-${TRACE}-${SPAN}-00-`, false],
] as const)
  test(`valid: ${text}`, () => {
    assert.equal(parseTraceParent(text), { traceId: TRACE, spanId: SPAN, isSampled });
  });

for (const text of [
  '',
  '00',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-`,
  `00-${TRACE}-${SPAN}-01-more`,
  `01-${TRACE}-${SPAN}-01.more`,
  `01-${TRACE}-${SPAN}-0`,
  `0-${TRACE}-${SPAN}-01`,
  `000-${TRACE}-${SPAN}-01`,
  `.0-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN.toUpperCase()}-01`,
  `00-${TRACE}-${SPAN}-0G`,
  `00-${TRACE}-${SPAN}-1A`,
  `00_${TRACE}_${SPAN}_01`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
  `00-${TRACE}-${SPAN.slice(1)}-01`,
  `00-${TRACE}-${SPAN}-01\n`,
  ` 00-${TRACE}-${SPAN}-01`,
  // A repeated field.
  `00-${TRACE}-${SPAN}-01,00-${TRACE}-${SPAN}-01`,
  `01-${TRACE}-${SPAN}-01-${'a'.repeat(600)}`,
])
  test(`invalid: ${JSON.stringify(text.slice(0, 80))}`, () => {
    assert.is(parseTraceParent(text), null);
  });

const digits = (length: number, alphabet = '0123456789abcdef'): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((array) => array.join(''));
const seldom = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 7 }, { arbitrary: other, weight: 1 });

const fieldOf = (length: number): fc.Arbitrary<string> =>
  seldom(
    digits(length),
    fc.oneof(fc.constant('0'.repeat(length)), digits(length, '0123456789abcdefABCDEFg-'), digits(length - 1)),
  );
const parents = fc
  .tuple(
    seldom(fc.constantFrom('00', '01', 'fe'), fc.oneof(fc.constant('ff'), fieldOf(2))),
    fieldOf(32),
    fieldOf(16),
    fieldOf(2),
    seldom(fc.constant(''), fc.constantFrom('-', '-x', '.x', ' ', '\u0000')),
    seldom(fc.constant('-'), fc.constantFrom('_', '', '--')),
  )
  .map(([version, traceId, spanId, flags, rest, dash]) => [version, traceId, spanId, flags].join(dash) + rest);

test('traceparent is read as the slow reference reads it', () => {
  fc.assert(
    fc.property(fc.oneof(parents, fc.string()), (text) => {
      const parsed = parseTraceParent(text);
      assert.equal(parsed, slowTraceParent(text));
      // It is passed on in version 00, and means the same.
      if (parsed !== null) assert.equal(parseTraceParent(formatTraceParent(parsed)), parsed);
    }),
    { numRuns },
  );
});

for (const [text, expected] of [
  ['', ''],
  [' \t, ,', ''],
  ['rojo=00f067aa0ba902b7', 'rojo=00f067aa0ba902b7'],
  ['rojo=00f067aa0ba902b7 ,\tcongo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
  ['fw529a3039@dt=FfffFR3H', 'fw529a3039@dt=FfffFR3H'],
  ['a= b c', 'a= b c'],
  ['rojo=1,rojo=2', ''],
  ['rojo=1,congo', ''],
  ['Rojo=1', ''],
  ['rojo=', ''],
  ['rojo =1', ''],
  ['rojo=a=b', ''],
  ['rojo=\u00e4', ''],
  ['@dt=1', ''],
  ['a@=1', ''],
  ['a@1=1', ''],
] as const)
  test(`tracestate ${JSON.stringify(text)}`, () => {
    assert.is(normalizeTraceState(text), expected);
  });

test('tracestate has at most 32 members and 512 characters', () => {
  const many = (count: number): string => Array.from({ length: count }, (_, i) => `k${i}=v`).join(',');
  assert.is(normalizeTraceState(many(32)), many(32));
  assert.is(normalizeTraceState(many(33)), '');
  const long = `long=${'x'.repeat(200)}`;
  const short = Array.from({ length: 10 }, (_, i) => `k${i}=${'y'.repeat(40)}`);
  assert.is(normalizeTraceState([long, ...short].join(',')), short.join(','), 'long members go first');
  const halves = Array.from({ length: 12 }, (_, i) => `k${i.toString(36)}=${'y'.repeat(60)}`);
  assert.is(normalizeTraceState(halves.join(',')), halves.slice(0, 8).join(','), 'then the last ones');
});

const keys = fc
  .tuple(
    digits(1, 'abz019'),
    fc.nat({ max: 3 }).chain((n) => digits(n, 'abz019_-*/')),
    fc.constantFrom('', '', '@s', '@9', '@@'),
  )
  .map((parts) => parts.join(''));
const lengths = seldom(fc.nat({ max: 20 }), fc.integer({ min: 100, max: 260 }));
const values = seldom(
  lengths.chain((length) => digits(length, 'xyzXYZ019 !~')),
  lengths.chain((length) => digits(length, 'x =\u00e4\t')),
);
const members = seldom(
  fc.tuple(keys, values).map(([key, value]) => `${key}=${value}`),
  fc.constantFrom('', ' ', '\t', 'x', '=', 'A=b'),
);
const states = fc
  .array(fc.tuple(members, fc.constantFrom('', ' ', ' \t')), { maxLength: 40 })
  .map((list) => list.map(([member, space]) => space + member + space).join(','));

test('tracestate is read as the slow reference reads it', () => {
  fc.assert(
    fc.property(states, (text) => {
      const normal = normalizeTraceState(text);
      assert.is(normal, slowTraceState(text));
      assert.is(normalizeTraceState(normal), normal);
    }),
    { numRuns },
  );
});

test.run();
