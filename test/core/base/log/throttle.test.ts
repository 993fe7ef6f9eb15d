import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Seldom } from '../../../../core/base/log/throttle.ts';

test('each reason is told the first time, and then not for a while', () => {
  const seldom = new Seldom();
  assert.is(seldom.due('a'), 1);
  for (let i = 0; i < 100; i++) assert.is(seldom.due('a'), 0);
  assert.is(seldom.due('b'), 1);
  assert.is(seldom.due('b'), 0);
});

test('after that while the count is of all that was not told', () => {
  const { now } = performance;
  let ms = 5;
  performance.now = () => ms;
  try {
    const seldom = new Seldom();
    assert.is(seldom.due('a'), 1);
    for (ms = 6; ms < 10_005; ms += 1000) assert.is(seldom.due('a'), 0);
    ms = 10_005;
    assert.is(seldom.due('a'), 11);
    ms = 30_000;
    assert.is(seldom.due('a'), 1);
  } finally {
    performance.now = now;
  }
});

test.run();
