/** Ids that several nodes make at once. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { continueIds, newId, setNodeNumber } from '../../../core/store/rows.ts';

test('ids of a node rise, and those of others are others, in the same milliseconds too', () => {
  const all = new Set<string>();
  const numbers = [0, 1, 1023];
  const last = new Map<number, string>();
  for (let i = 0; i < 20_000; i++)
    for (const number of numbers) {
      setNodeNumber(number);
      const id = newId();
      assert.match(id, /^[0-7][0-9a-f]{15}$/);
      assert.is((Number.parseInt(id.slice(11), 16) >> 10) & 1023, number);
      assert.ok((last.get(number) ?? '') < id);
      last.set(number, id);
      all.add(id);
    }
  assert.is(all.size, 3 * 20_000);
});

test('who has no number makes none', () => {
  setNodeNumber(null);
  assert.throws(newId, (error: { code?: string }) => error.code === 'no_node_number');
  setNodeNumber(7);
  assert.is(newId().length, 16);
});

test('a start goes on behind what was made before, though the clock says less', () => {
  setNodeNumber(7);
  const before = newId();
  const ahead = `${(Date.now() + 3_600_000).toString(16).padStart(11, '0')}fffff`;
  continueIds(ahead);
  const all = Array.from({ length: 3000 }, newId);
  assert.ok(ahead < all[0]);
  assert.equal([...new Set(all)].sort(), all);
  continueIds(before);
  assert.ok(newId() > all[2999]);
});

test.run();
