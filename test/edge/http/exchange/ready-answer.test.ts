import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';

const NONE = new Uint8Array(0);

test('fields that each HTTP version adds are not sent twice, and the status is final', () => {
  assert.equal(new ReadyAnswer(204, ['etag', '"1"'], NONE).headers, ['etag', '"1"']);
  for (const name of ['content-length', 'date'])
    assert.throws(
      () => new ReadyAnswer(200, ['etag', name, name, '1'], NONE),
      (error: unknown) => error instanceof TypeError,
    );
  for (const date of ['today', 'Tuesday, 15-Nov-94 08:12:31 GMT', 'Tue, 15 Nov 1994 08:12:31 GMT\r\n'])
    assert.throws(
      () => new ReadyAnswer(200, [], NONE, date),
      (error: unknown) => error instanceof TypeError,
    );
  for (const status of [101, 199, 1000, 200.5, Number.NaN])
    assert.throws(
      () => new ReadyAnswer(status, [], NONE),
      (error: unknown) => error instanceof RangeError,
    );
});

test.run();
