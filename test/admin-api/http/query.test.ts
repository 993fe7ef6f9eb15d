import { Type } from '@sinclair/typebox';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../admin-api/http/errors.ts';
import { parameter, queryReader, trueOrFalse } from '../../../admin-api/http/query.ts';
import { integer, oneOf, text } from '../../../core/base/schema.ts';

const read = queryReader({
  size: Type.Optional(integer(10, 200, 'a size')),
  color: Type.Optional(oneOf(['red', 'green'])),
  name: Type.Optional(text('a name')),
  force: Type.Optional(Type.Boolean()),
  strict: parameter(Type.Optional(oneOf(['true', 'false'])), trueOrFalse('doubts are errors')),
  length: parameter(Type.Optional(text('a text')), (value = 'none') => value.length),
});
const values = (query: string) => read(new URLSearchParams(query));

test('the schema of a parameter gives its value', () => {
  assert.equal(values('size=010&color=green&name=&force=true&strict=true&length=ab'), {
    size: 10,
    color: 'green',
    name: '',
    force: true,
    strict: true,
    length: 2,
  });
});

test('an omitted parameter is undefined, or what its reader returns', () => {
  assert.equal(values(''), {
    size: undefined,
    color: undefined,
    name: undefined,
    force: false,
    strict: false,
    length: 4,
  });
});

test('the first of several values counts, and other parameters are ignored', () => {
  assert.is(values('color=red&color=blue&shape=round').color, 'red');
  assert.not('shape' in values('shape=round'));
});

test('a wrong value is an error that names the parameter and the rule', () => {
  const rejects = (query: string, code: string, message: string) =>
    assert.throws(
      () => values(query),
      (error: unknown) =>
        error instanceof HttpError && error.status === 400 && error.code === code && error.message === message,
      query,
    );
  for (const size of ['9', '201', '0100', '1e2', '-10', '', ' 10', '10.5'])
    rejects(`size=${size}`, 'invalid_size', '"size" must be a whole number from 10 to 200.');
  for (const color of ['', 'Red', 'blue'])
    rejects(`color=${color}`, 'invalid_color', '"color" must be one of red, green.');
  rejects('strict=1', 'invalid_strict', '"strict" must be "true" (doubts are errors) or "false".');
});

test('a schema without a reader must be of a type that a text can have', () => {
  assert.throws(() => queryReader({ tags: Type.Array(Type.String()) }), /type array/);
});

test.run();
