import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fieldLine } from '../../../edge/origin/request-head.ts';

const throwsTypeError = (name: string, value: string): void =>
  assert.throws(
    () => fieldLine(name, value),
    (error: Error) => error instanceof TypeError,
    JSON.stringify([name, value]),
  );

test('a repeated line is the same object, whatever came between', () => {
  for (const value of ['one', 'two', 'two', '', 'one', 'x'.repeat(1000), 'one'])
    for (const name of ['accept', 'cookie', 'x-own'])
      assert.is(fieldLine(name, value), value === '' ? `${name}: \r\n` : `${name}: ${value}\r\n`);
});

test('a known name does not accept an invalid value', () => {
  for (const name of ['user-agent', 'cookie', 'te']) {
    fieldLine(name, 'good');
    for (const value of ['bad\r\nx: y', 'bad\n', '\0', 'bad ', '\u010a', `${'long'.repeat(20)}\r\nx: y`]) {
      throwsTypeError(name, value);
      throwsTypeError(name, value);
    }
    assert.is(fieldLine(name, 'good'), name === 'te' ? '' : `${name}: good\r\n`);
  }
});

test('invalid names are invalid each time', () => {
  for (const name of ['', 'A', 'a b', 'a:', 'a\n', '\u0141']) {
    throwsTypeError(name, 'x');
    throwsTypeError(name, '');
  }
});

test('more names than are cached: each line is correct', () => {
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 2000; i++) assert.is(fieldLine(`x-${i}`, `${i}`), `x-${i}: ${i}\r\n`);
  assert.is(fieldLine('connection', 'close'), '');
  assert.is(fieldLine('accept', 'a'), 'accept: a\r\n');
});

test.run();
