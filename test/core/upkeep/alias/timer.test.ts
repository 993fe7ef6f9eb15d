/**
 * A refresher that has begun without targets sleeps, and looks at those that come by its own clock.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { withAlias } from './fixture.ts';

test('targets that are added after the start, and after deletions of others, are looked up regularly', async () => {
  let looks = 0;
  const lookup = async () => {
    looks++;
    return { kind: 'none' as const, missing: true, ttl: 1, chain: [] };
  };
  await withAlias(
    async (rig) => {
      const domain = await rig.zone('apex.test');
      for (const name of ['one', 'two']) {
        const row = await rig.add(domain, `${name} ALIAS ${name}.elsewhere.test.`);
        await rig.settle();
        const first = looks;
        assert.ok(first > 0, `${name} is looked at when it comes`);
        rig.now += 3600;
        for (const until = performance.now() + PATIENCE_MS; looks === first; ) {
          assert.ok(performance.now() < until, `${name} is looked at once more`);
          await new Promise((done) => setTimeout(done, 20));
        }
        await rig.remove(row);
        await rig.settle();
        looks = 0;
        // Long enough for the ticks to end.
        await new Promise((done) => setTimeout(done, 600));
        assert.is(looks, 0, `${name} has gone`);
      }
    },
    { lookup },
  );
});

test.run();
