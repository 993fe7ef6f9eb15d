/** The sketch of the most queried names, and the table in memory. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CountTable } from '../../../../core/observe/statistics/collector.ts';
import { MAX_NAMES, mergeEntries, NameSketch, topNames } from '../../../../core/observe/statistics/counts.ts';

const test = suite('statistics counts');

test('names are counted exactly while there are few', () => {
  const sketch = new NameSketch();
  for (let i = 0; i < 3; i++) sketch.add('a', 64);
  sketch.add('b', 64);
  assert.equal(
    [...sketch.guaranteed()],
    [
      ['a', 192],
      ['b', 64],
    ],
  );
});

test('frequent names survive a flood of others, and no count is too high', () => {
  const sketch = new NameSketch();
  for (let i = 0; i < 10_000; i++) {
    sketch.add(`flood${i}`, 1);
    if (i % 4 === 0) sketch.add('frequent', 1);
  }
  const names = sketch.guaranteed();
  assert.is(names.size, MAX_NAMES);
  const [[first, count]] = topNames(names, 1);
  assert.is(first, 'frequent');
  assert.ok(count <= 2500 && count > 2000, String(count));
  assert.ok([...names].every(([name, certain]) => name === 'frequent' || certain === 1));
});

test('merged entries have the sums, and the most frequent names', () => {
  const many = new Map(Array.from({ length: MAX_NAMES }, (_, i) => [`n${i}`, 10 + i]));
  const merged = mergeEntries([
    {
      kind: 1,
      id: 7,
      columns: new Map([
        [1, 2],
        [3, 4],
      ]),
      names: many,
    },
    {
      kind: 1,
      id: 7,
      columns: new Map([[3, 5]]),
      names: new Map([
        ['new', 11],
        ['n0', 100],
      ]),
    },
  ]);
  assert.equal(
    [...merged.columns],
    [
      [1, 2],
      [3, 9],
    ],
  );
  assert.is(merged.names.size, MAX_NAMES);
  assert.is([...merged.names][0][1], 110);
});

test('a table is full before it is large, and empty after it is taken', () => {
  const table = new CountTable();
  let id = 0;
  while (!table.isFull) {
    table.addQuery(++id, 8, 1, 'www', 1);
    table.add(id, 10, 5);
  }
  assert.ok(id < 60_000, String(id));
  const entries = table.entries();
  table.clear();
  assert.is(entries.length, id);
  assert.equal(
    entries.map((entry) => entry.id),
    Array.from({ length: id }, (_, i) => i + 1),
  );
  assert.ok(table.isEmpty);
  assert.is(table.entry(1), null);
});

test.run();
