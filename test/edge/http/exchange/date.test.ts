import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { currentDate, currentDateBytes } from '../../../../edge/http/exchange/clock.ts';

/** With the clock at this time, in milliseconds. */
function at<T>(time: number, act: () => T): T {
  const { now } = Date;
  Date.now = () => time;
  try {
    return act();
  } finally {
    Date.now = now;
  }
}

test('dates are those of RFC 9110, of 29 characters, and made once a second', () => {
  const first = at(784_887_151_000, currentDateBytes);
  assert.is(at(784_887_151_999, currentDate), 'Tue, 15 Nov 1994 08:12:31 GMT');
  assert.is(at(784_887_151_999, currentDateBytes), first);
  assert.is(at(784_887_152_000, currentDate), 'Tue, 15 Nov 1994 08:12:32 GMT');
  assert.is(Buffer.from(at(784_887_152_000, currentDateBytes)).toString(), 'Tue, 15 Nov 1994 08:12:32 GMT');
  assert.is(Buffer.from(first).toString(), 'Tue, 15 Nov 1994 08:12:31 GMT', 'what may be under way is not changed');
  assert.is(first.length, 29);
  // A clock that is set back.
  assert.is(at(784_887_151_000, currentDate), 'Tue, 15 Nov 1994 08:12:31 GMT');
});

test.run();
