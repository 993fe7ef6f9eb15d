import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { FaultLog, LogThrottle } from '../../../../core/base/log/throttle.ts';

test('each reason is logged the first time, and then not for an interval', () => {
  const throttle = new LogThrottle();
  assert.is(throttle.due('a'), 1);
  for (let i = 0; i < 100; i++) assert.is(throttle.due('a'), 0);
  assert.is(throttle.due('b'), 1);
  assert.is(throttle.due('b'), 0);
});

test('after the interval the count includes all suppressed events', () => {
  const { now } = performance;
  let ms = 5;
  performance.now = () => ms;
  try {
    const throttle = new LogThrottle();
    assert.is(throttle.due('a'), 1);
    for (ms = 6; ms < 10_005; ms += 1000) assert.is(throttle.due('a'), 0);
    ms = 10_005;
    assert.is(throttle.due('a'), 11);
    ms = 30_000;
    assert.is(throttle.due('a'), 1);
  } finally {
    performance.now = now;
  }
});

test('a fault is logged when it starts and when it ends', () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const fault = new FaultLog(log, 'disk is full', 'disk has room again', { disk: 'a' });
  fault.report(null);
  assert.equal(lines, []);
  for (const error of [new Error('first'), new Error('second'), null, null, new Error('third')]) fault.report(error);
  assert.equal(
    lines.map((line) => {
      const { level, message, disk, reason } = JSON.parse(line);
      return [level, message, disk, reason];
    }),
    [
      ['warn', 'disk is full', 'a', 'first'],
      ['info', 'disk has room again', 'a', undefined],
      ['warn', 'disk is full', 'a', 'third'],
    ],
  );
});

test.run();
