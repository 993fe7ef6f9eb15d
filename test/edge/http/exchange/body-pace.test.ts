import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyPace } from '../../../../edge/http/exchange/body-pace.ts';
import { DEFAULT_HTTP1_LIMITS } from '../limits.ts';

const FREE = { isPressed: false };
const PRESSED = { isPressed: true };
const MINUTE = 60;

/** The second in which a body ends that brings `bytes(second)`; -1: it lasts for an hour. */
function endOf(bytes: (second: number) => number, pressure: (second: number) => { isPressed: boolean }): number {
  const pace = new BodyPace(0, 0);
  let received = 0;
  for (let second = 1; second <= 60 * MINUTE; second++) {
    received += bytes(second);
    if (pace.isTooSlow(second * 1000, received, DEFAULT_HTTP1_LIMITS, pressure(second))) return second;
  }
  return -1;
}

test('a body may pause for a minute, again and again, if it is fast between', () => {
  const bytes = (second: number): number => (second % (2 * MINUTE) < MINUTE ? 0 : 1000);
  assert.is(
    endOf(bytes, () => FREE),
    -1,
  );
});

test('a body that stops, or drips, ends after minutes', () => {
  assert.is(
    endOf(
      (second) => (second < 10 ? 1_000_000 : 0),
      () => FREE,
    ),
    9 + 75,
  );
  assert.is(
    endOf(
      () => 100,
      () => FREE,
    ),
    3 * MINUTE,
  );
});

test('under pressure a body ends that was slow in the last seconds', () => {
  assert.is(
    endOf(
      () => 100,
      () => PRESSED,
    ),
    10,
  );
  assert.is(
    endOf(
      () => 100,
      (second) => (second < 42 ? FREE : PRESSED),
    ),
    42,
  );
  assert.is(
    endOf(
      () => 300,
      () => PRESSED,
    ),
    -1,
  );
});

test('the time in which the server does not wait for the client does not count', () => {
  const pace = new BodyPace(0, 0);
  for (let second = 1; second < 1000; second++) {
    if (second % 60 === 0) pace.restart(second * 1000, 0);
    assert.not.ok(pace.isTooSlow(second * 1000, 0, DEFAULT_HTTP1_LIMITS, FREE));
  }
});

test.run();
