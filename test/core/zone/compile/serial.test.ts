/** Serials rise in the order that RFC 1982 gives them, through their end too. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isAfter, nextSerial } from '../../../../core/zone/compile/serial.ts';
import fc from '../../../support/fc.ts';

const MAX = 0xffffffff;
const u32 = fc.oneof(fc.nat(), fc.integer({ min: 0, max: MAX }), fc.constantFrom(0, 1, MAX, 0x7fffffff, 0x80000000));

test('the order is that of RFC 1982', () => {
  for (const [a, b, after] of [
    [1, 0, true],
    [0, 1, false],
    [5, 5, false],
    [0, MAX, true],
    [MAX, 0, false],
    [0x7fffffff, 0, true],
    [0x80000000, 0, false],
    [44, 0, true],
    [100, 44, true],
    [200, 100, true],
    [0, 0xc8000000, true],
  ] as const)
    assert.is(isAfter(a, b), after, `${a} after ${b}`);
});

test('a new zone takes the greater of the clock and its file', () => {
  assert.is(nextSerial(0, 1_800_000_000, 0), 1_800_000_000);
  assert.is(nextSerial(0, 1_800_000_000, 2_026_010_100), 2_026_010_100);
  assert.is(nextSerial(0, 1_800_000_000, MAX), MAX);
});

test('the serial of a zone that is served only goes forward', () => {
  fc.assert(
    fc.property(
      u32.filter((last) => last > 0),
      u32,
      u32,
      (last, seconds, kept) => {
        const next = nextSerial(last, seconds, kept);
        assert.ok(isAfter(next, last) && Number.isInteger(next) && next > 0 && next <= MAX);
      },
    ),
    { numRuns: 2000 },
  );
  let serial = MAX - 3;
  for (let i = 0; i < 10; i++) {
    const next = nextSerial(serial, 1_800_000_000, MAX - 3);
    assert.ok(isAfter(next, serial), `${next} after ${serial}`);
    serial = next;
  }
});

test.run();
