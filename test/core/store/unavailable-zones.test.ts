/** The list of zones that are answered SERVFAIL agrees with a set. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { UNAVAILABLE_BYTES, UnavailableZones } from '../../../core/store/index/unavailable-zones.ts';
import fc from '../../support/fc.ts';

test('zones are listed and removed, also when their hashes collide', () => {
  const step = fc.record({ zone: fc.nat(20), isUnavailable: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, sums) => {
      let count = 0;
      const zones = new UnavailableZones(
        new SharedArrayBuffer(UNAVAILABLE_BYTES),
        // Few sums, so that zones share slots; 0 and 1 mark slots.
        (apex) => apex[2] % sums,
        (current) => {
          count = current;
        },
      );
      const expected = new Set<number>();
      const nameOf = (zone: number) => parseName(`z${String.fromCharCode(97 + zone)}.test.`);
      for (const { zone, isUnavailable } of steps) {
        zones.set(nameOf(zone), isUnavailable);
        if (isUnavailable) expected.add(zone);
        else expected.delete(zone);
        for (let other = 0; other <= 20; other++) assert.is(zones.has(nameOf(other)), expected.has(other));
      }
      assert.is(count, expected.size);
    }),
    { numRuns: 30 },
  );
});

test.run();
