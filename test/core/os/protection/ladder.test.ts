import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Ladder } from '../../../../core/os/protection/protection.ts';
import fc from '../../../support/fc.ts';

const OPTIONS = { enter: [80, 90, 95], leave: [75, 85, 90], hold: 10 };

test('a level is entered at once, and left after the value was low for long enough', () => {
  const ladder = new Ladder(OPTIONS);
  const levels = (values: readonly (readonly [value: number, at: number])[]) =>
    values.map(([value, at]) => ladder.update(value, at));
  assert.equal(
    levels([
      [79, 0],
      [80, 1],
      [96, 2],
    ]),
    [0, 1, 3],
  );
  // Between the bounds the level stays, however long.
  assert.equal(
    levels([
      [91, 3],
      [90, 100],
    ]),
    [3, 3],
  );
  assert.equal(
    levels([
      [89, 101],
      [89, 110],
      [89, 111],
    ]),
    [3, 3, 2],
  );
  // A high value in between restarts the time.
  assert.equal(
    levels([
      [10, 112],
      [86, 120],
      [10, 121],
      [10, 130],
      [10, 131],
    ]),
    [2, 2, 2, 2, 0],
  );
});

test('a drop to different levels ends at the highest of them', () => {
  const ladder = new Ladder(OPTIONS);
  ladder.update(99, 0);
  ladder.update(10, 1);
  ladder.update(82, 5);
  assert.is(ladder.update(10, 11), 1);
  assert.is(ladder.update(10, 21), 0);
});

test('the level is never below what the value requires, and constant values settle', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 6 }))), (steps) => {
      const ladder = new Ladder(OPTIONS);
      let now = 0;
      for (const [value, pause] of steps) {
        now += pause;
        const required = OPTIONS.enter.filter((bound) => value >= bound).length;
        assert.ok(ladder.update(value, now) >= required);
      }
      for (const end of [now + 11, now + 22, now + 33, now + 44]) ladder.update(0, end);
      assert.is(ladder.level, 0);
    }),
  );
});

test.run();
