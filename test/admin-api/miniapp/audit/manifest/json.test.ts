/**
 * JSON with places takes what JSON.parse takes, gives the same values, and tells where it does not.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { JsonSyntaxError, type JsonValue, parseJson } from '../../../../../admin-api/miniapp/audit/manifest/json.ts';
import { depth } from '../../../../support/depth.ts';
import fc from '../../../../support/fc.ts';

/** As JSON.parse has it. */
function plain(value: JsonValue): unknown {
  switch (value.type) {
    case 'object':
      return Object.fromEntries(value.members.map((member) => [member.key, plain(member.value)]));
    case 'array':
      return value.items.map(plain);
    case 'null':
      return null;
    default:
      return value.value;
  }
}

function both(text: string): void {
  let expected: unknown;
  let valid = true;
  try {
    expected = JSON.parse(text);
  } catch {
    valid = false;
  }
  try {
    const value = plain(parseJson(text));
    assert.ok(valid, `taken: ${JSON.stringify(text)}`);
    assert.equal(JSON.stringify(value), JSON.stringify(expected));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    assert.not.ok(valid, `refused: ${JSON.stringify(text)}: ${error.message}`);
    assert.ok(error.offset >= 0 && error.offset <= text.length);
  }
}

test('generated values are read as JSON.parse reads them', () => {
  fc.assert(fc.property(fc.json({ depthSize: 'medium', maxDepth: 20 }), both), {
    numRuns: depth({ quick: 100, moderate: 125, full: 10_000 }),
  });
});

test('texts made of JSON tokens', () => {
  const parts = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"\\u0061"',
    '\\',
    '\\u12',
    '0',
    '01',
    '-',
    '1.5',
    '.',
    'e+1',
    'true',
    'nul',
    'null',
    ' ',
    '\n',
    '\u00a0',
    '\ufeff',
    '\t',
    '\u0001',
    "'",
    '//',
    'é',
    '\ud800',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), (some) => both(some.join(''))),
    { numRuns: depth({ quick: 300, moderate: 750, full: 60_000 }) },
  );
});

test('positions, and duplicate members', () => {
  const value = parseJson('{"a": [1, {"b": 2}],\n "a": null}');
  assert.is(value.type, 'object');
  if (value.type !== 'object') return;
  assert.equal(
    value.members.map(({ key, start, value: item }) => [key, start, item.start, item.type]),
    [
      ['a', 1, 6, 'array'],
      ['a', 22, 27, 'null'],
    ],
  );
});

test('names that objects of JavaScript have', () => {
  const value = parseJson('{"__proto__": 1, "constructor": 2}');
  assert.equal(value.type === 'object' && value.members.map(({ key }) => key), ['__proto__', 'constructor']);
});

test('depth is bounded, whatever the text', () => {
  for (const [open, close] of ['[]', ['{"a":', '}']]) {
    const deep = (n: number): string => `${open.repeat(n)}1${close.repeat(n)}`;
    parseJson(deep(32));
    assert.throws(() => parseJson(deep(33)), /within one another/);
    assert.throws(() => parseJson(open.repeat(60_000)), /within one another/);
  }
});

test('a megabyte of backslashes takes linear time', () => {
  assert.throws(() => parseJson(`"${'\\\\'.repeat(500_000)}`), /does not end/);
});

test.run();
