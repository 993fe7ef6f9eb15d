/** Ids that several nodes make at once. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { newId, setNodeNumber } from '../../../core/store/rows.ts';

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

test.run();
