/** Which field lines are valid: RFC 9110 sections 5.1 and 5.5, RFC 9113 section 8.2. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CONNECTION_SPECIFIC,
  isConnectionSpecific,
  isFieldName,
  isFieldValue,
  isToken,
  KIND,
  KIND_MASK,
  lineFlags,
  MALFORMED,
  NAME_INVALID,
  nameFlags,
  PSEUDO_HEADER,
  VALUE_INVALID,
} from '../../../../edge/http/exchange/fields.ts';

const flagsOf = (name: string, value: string): number => lineFlags(nameFlags(name), value);
const all = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));

test('names: tokens in lower case', () => {
  const allowed = all.filter((character) => nameFlags(`x${character}`) === 0).join('');
  assert.is(allowed, "!#$%&'*+-.0123456789^_`abcdefghijklmnopqrstuvwxyz|~");
  for (const character of all) assert.is(isFieldName(`x${character}`), allowed.includes(character), character);
  for (const name of ['', 'X-A', 'a b', 'a:', ':a', ':Method', 'ü', 'a\u0100']) {
    assert.ok((nameFlags(name) & NAME_INVALID) !== 0, name);
    assert.not(isFieldName(name), name);
  }
  assert.ok(isToken('PATCH') && isToken('M-SEARCH') && !isToken('') && !isToken('GE T') && !isToken('GET\u0100'));
});

test('values: no control characters but tabs, no blanks at the ends', () => {
  for (const character of all) {
    const isControl = (character < ' ' && character !== '\t') || character === '\x7f';
    assert.is(flagsOf('x', `a${character}b`), isControl ? VALUE_INVALID : 0, JSON.stringify(character));
    assert.is(isFieldValue(`a${character}b`), !isControl, JSON.stringify(character));
    assert.is(isFieldValue(`${'long'.repeat(9)}${character}b`), !isControl, JSON.stringify(character));
  }
  for (const value of [' a', 'a ', '\ta', 'a\t', ' ', '\t', 'a\u0100']) {
    assert.is(flagsOf('x', value), VALUE_INVALID, JSON.stringify(value));
    assert.is(flagsOf('cookie', value) & MALFORMED, VALUE_INVALID, JSON.stringify(value));
    assert.not(isFieldValue(value), JSON.stringify(value));
  }
  for (const value of ['', 'a', 'a b', 'a\tb', '\xff']) assert.is(flagsOf('x', value), 0, value);
});

test('the validity of names does not change, however many are checked', () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 3000; i++) {
      assert.is(nameFlags(`x-${i}`), 0);
      assert.is(nameFlags(`X-${i}`), NAME_INVALID);
    }
    for (const name of ['keep-alive', 'upgrade']) assert.is(nameFlags(name), CONNECTION_SPECIFIC);
    assert.is(nameFlags('content-length'), KIND['content-length']);
    assert.is(nameFlags(':path'), KIND[':path'] | PSEUDO_HEADER);
    for (const name of ['', ':other', 'a b', 'a\u0100', 'X'.repeat(100)])
      assert.ok((nameFlags(name) & NAME_INVALID) !== 0, name);
    assert.is(nameFlags('x'.repeat(100)), 0);
  }
});

test('fields of the connection', () => {
  for (const name of ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']) {
    assert.is(flagsOf(name, 'x'), CONNECTION_SPECIFIC, name);
    assert.ok(isConnectionSpecific(name), name);
  }
  assert.is(flagsOf('te', 'trailers') & MALFORMED, 0);
  assert.is(flagsOf('te', 'Trailers') & MALFORMED, 0);
  for (const value of ['', 'gzip', 'trailers, gzip', 'trailers;q=1'])
    assert.is(flagsOf('te', value) & MALFORMED, CONNECTION_SPECIFIC, value);
  assert.not(isConnectionSpecific('te') || isConnectionSpecific('x'));
});

test('each kind has its own value, and pseudo-headers say so', () => {
  const kinds = Object.entries(KIND);
  assert.is(new Set(Object.values(KIND)).size, kinds.length);
  for (const [name, kind] of kinds) {
    const flags = nameFlags(name);
    assert.is(flags & KIND_MASK, kind, name);
    assert.is((flags & PSEUDO_HEADER) !== 0, name.startsWith(':'), name);
    assert.is(flags & MALFORMED, 0, name);
  }
  assert.is(nameFlags(':other'), NAME_INVALID | PSEUDO_HEADER);
});

test('values of the fields that frame a message', () => {
  const cases: [string, string[], string[]][] = [
    [':method', ['GET', 'get', 'M-SEARCH'], ['', 'GE T', 'GET ', 'GET\n', 'G(T']],
    [':scheme', ['http', 'https', 'HTTPS', 'a+b-c.d'], ['', '1a', 'ht tp', 'https:', 'http\n']],
    [
      ':path',
      ['/', '*', '/a?b=c', '/a//b', '/%zz', '/"<>\\^`{|}'],
      ['', 'a', '*a', '/a b', '/a#b', '/\t', 'http://a/', '/\x7f', '/ä'],
    ],
    [':authority', ['', 'a.example', 'a:1', '[::1]:443', 'a_b'], ['u@a', 'a/b', 'a b', 'a#', 'a?', 'ä', 'a\\b']],
    ['host', ['', 'a.example:80'], ['a,b c', 'u@a']],
    [':protocol', ['websocket'], ['', 'web socket']],
    [':status', ['100', '200', '599', '999'], ['', '20', '2000', '099', '2x0', ' 200']],
    ['content-length', ['0', '10', '007'], ['', '-1', '+1', '1.0', '1, 1', ' 1', '0x1', '1\n']],
  ];
  for (const [name, good, bad] of cases) {
    for (const value of good) assert.is(flagsOf(name, value) & MALFORMED, 0, `${name}: ${value}`);
    for (const value of bad) assert.is(flagsOf(name, value) & MALFORMED, VALUE_INVALID, `${name}: ${value}`);
  }
});

test.run();
