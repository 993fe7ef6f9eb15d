import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentMap } from '../../../core/base/recent-map.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';

const test = suite('core/base/recent-map');

test('a used entry stays, and the others are evicted in the order of their insertion', () => {
  const evicted: number[] = [];
  const map = new RecentMap<number, number>(100, (value) => evicted.push(value));
  const never = (): number => assert.unreachable() as never;
  for (let i = 0; i < 10_000; i++) {
    assert.is(
      map.of(i, () => i),
      i,
    );
    if (i > 0) assert.is(map.of(0, never), 0);
    assert.is(map.size, Math.min(i + 1, 100));
  }
  assert.equal(
    evicted,
    Array.from({ length: 9900 }, (_, i) => i + 1),
  );
  for (let i = 9901; i < 10_000; i++) assert.is(map.of(i, never), i);
  map.clear();
  assert.is(map.size, 0);
  assert.is(new Set(evicted).size, 10_000, 'each value is reported once');
  assert.is(evicted.length, 10_000);
  for (let i = 0; i < 300; i++) map.set(i, i);
  assert.is(map.size, 100, 'works after clear');
});

test('get and set keep an entry, too', () => {
  const map = new RecentMap<number>(100);
  map.set('hot', -1);
  map.set('written', 0);
  for (let i = 1; i < 10_000; i++) {
    map.set(`k${i}`, i);
    map.set('written', i);
    assert.is(map.get('hot'), -1);
    assert.ok(map.size <= 100);
  }
  assert.is(map.get('written'), 9999);
  assert.is(map.get('k1'), undefined);
});

test('a new entry is not the next to be evicted, and a deleted entry is not reported', () => {
  const random = new Random(SEED);
  for (const capacity of [1, 2, 5]) {
    const live = new Set<number>();
    const map = new RecentMap<number, number>(capacity, (value) => assert.ok(live.delete(value)));
    for (let i = 0; i < 2000; i++) {
      const key = random.below(2 * capacity);
      const value = map.of(key, () => {
        live.add(i);
        return i;
      });
      assert.ok(live.has(value), `${capacity}, turn ${i}, seed ${SEED}`);
      assert.ok(live.size <= capacity);
      assert.is(map.size, live.size);
      if (random.below(4) > 0) continue;
      map.delete(key);
      assert.is(map.get(key), undefined);
      assert.ok(live.delete(value));
    }
    map.clear();
    assert.is(live.size, 0);
  }
});

test('a failed make leaves the map unchanged', () => {
  const map = new RecentMap<number>(2);
  map.of('a', () => 1);
  assert.throws(
    () =>
      map.of('b', () => {
        throw new Error('no');
      }),
    /no/,
  );
  assert.is(map.size, 1);
  assert.is(
    map.of('b', () => 2),
    2,
  );
});

test.run();
