import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentMap } from '../../../core/base/recent-map.ts';

test('a map of what is recent keeps what is asked for, and a bounded number of others', () => {
  const gone: number[] = [];
  const map = new RecentMap<number>(100, (value) => gone.push(value));
  map.set('hot', -1);
  for (let i = 0; i < 10_000; i++) {
    map.set(`k${i}`, i);
    assert.is(map.get('hot'), -1);
    assert.ok(map.size <= 200);
    for (let back = 0; back < 50 && back <= i; back++) assert.is(map.get(`k${i - back}`), i - back);
    if (i % 50 === 0) assert.not(gone.includes(-1));
  }
  assert.is(map.get('k0'), undefined);
  assert.ok(gone.length + map.size >= 10_001);
  map.set('k9999', 7);
  assert.is(map.get('k9999'), 7);
});

test.run();
