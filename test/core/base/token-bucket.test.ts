/** The bucket, compared with one that is filled in steps of a millisecond. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenBucket } from '../../../core/base/token-bucket.ts';
import fc from '../../support/fc.ts';

const use = fc.record({ after: fc.integer({ min: -5, max: 40 }), tokens: fc.integer({ min: 1, max: 6 }) });

test('a use is granted once its tokens are refilled', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom(125, 250, 500, 1000),
      fc.array(use),
      (burst, rate, uses) => {
        let now = 1000;
        const bucket = new TokenBucket({ burst, perSecond: rate }, now);
        // In eighths, so that nothing is rounded.
        let eighths = burst * 8;
        for (const { after, tokens } of uses) {
          for (let ms = 0; ms < after; ms++) eighths = Math.min(burst * 8, eighths + (rate * 8) / 1000);
          now += after;
          const isThere = eighths >= tokens * 8;
          assert.is(bucket.has(now, tokens), isThere);
          assert.is(bucket.take(now, tokens), isThere);
          if (isThere) eighths -= tokens * 8;
        }
      },
    ),
  );
});

test.run();
