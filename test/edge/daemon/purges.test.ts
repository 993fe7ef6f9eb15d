/**
 * Purges reach the cache of the node: those of now before they are answered, those that came while
 * it was away when it starts.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROMETHEUS, Registry } from '../../../core/base/metrics/index.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { type Purge, purges } from '../../../core/store/rows.ts';
import type { CacheStats } from '../../../edge/cache/store/cache-store.ts';
import { CacheTotals } from '../../../edge/daemon/cache-totals.ts';
import { watchPurges } from '../../../edge/daemon/purges.ts';
import { PurgePositions, sharePurgePositions } from '../../../edge/peers/shared-marks.ts';
import { embedded, newDomain, withStore } from '../../core/journal/fixture.ts';
import { newId } from '../../support/ids.ts';

const purgeOf = (tag: string): Purge => ({
  id: newId(),
  domainId: newDomain('site.test.').id,
  urls: [],
  prefixes: [],
  tags: [tag],
  createdAt: 0,
});

test('threads receive each purge with its id: stored ones at the start, new ones before the commit is answered', () =>
  withStore(embedded, async ({ journal, environment }) => {
    const events: [string, string | undefined][] = [];
    const cache = {
      async purge({ tags }: Pick<Purge, 'tags'>, id?: string) {
        events.push([tags[0], id]);
      },
    };
    const [old, older, now] = [purgeOf('old'), purgeOf('older'), purgeOf('now')];
    await write(environment, journal, 'test', (draft) => {
      draft.put(purges, old);
      draft.put(purges, older);
    });
    await watchPurges(environment, journal, cache);
    assert.equal(events.splice(0).sort(), [
      ['old', String(old.id)],
      ['older', String(older.id)],
    ]);
    const { sequence } = await write(environment, journal, 'test', (draft) => draft.put(purges, now));
    assert.equal([sequence, events], [2, [['now', String(now.id)]]]);
    await write(environment, journal, 'test', (draft) => draft.delete(purges, now));
    assert.is(events.length, 1, 'one that is swept away is none');
  }));

test('a purge is announced before it is executed, and complete when all of its group are', () =>
  withStore(embedded, async ({ journal, environment }) => {
    const positions = new PurgePositions(sharePurgePositions());
    const now = (): number[] => [positions.announced, positions.executed];
    const seen: number[][] = [];
    const cache = {
      async purge() {
        seen.push(now());
      },
    };
    await watchPurges(environment, journal, cache, positions);
    assert.equal(now(), [0, 0]);
    const purge = purgeOf('a');
    await write(environment, journal, 'test', (draft) => draft.put(purges, purge));
    assert.equal(
      [...seen, now()],
      [
        [1, 0],
        [1, 1],
      ],
    );
    await write(environment, journal, 'test', (draft) => draft.delete(purges, purge));
    assert.equal(now(), [1, 2]);
    const restarted = new PurgePositions(sharePurgePositions());
    await watchPurges(environment, journal, cache, restarted);
    assert.equal([restarted.announced, restarted.executed], [2, 2]);
  }));

test('counters of ended threads stay, their gauges do not', () => {
  const stats = (n: number): CacheStats => ({
    ...{ memoryObjects: n, memoryBytes: n, memoryLimit: n, diskObjects: 7, diskBytes: 7, diskLimit: 7 },
    ...{ misses: n, stored: n, evicted: n, purged: n, damaged: n, unwritten: n, hits: { memory: n, disk: 0 } },
  });
  const totals = new CacheTotals();
  const registry = new Registry();
  totals.expose(registry);
  const read = (name: string): number =>
    Number(new RegExp(`^waypost_edge_cache_${name} (.*)$`, 'm').exec(registry.expose(PROMETHEUS))?.[1]);
  const all = (): number[] => ['misses_total', 'memory_objects', 'disk_objects'].map(read);
  totals.take(1, stats(10), 0);
  totals.take(2, stats(5), 0);
  assert.equal(all(), [15, 15, 7]);
  // A reload: new threads next to the old ones, which tell no more after a while.
  totals.take(3, stats(1), 1000);
  assert.equal(all(), [16, 16, 7]);
  totals.take(2, stats(6), 50_000);
  totals.take(3, stats(2), 61_000);
  assert.equal(all(), [18, 8, 7]);
  assert.is(read('hits_total\\{from="memory"\\}'), 18);
});

test.run();
