import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HeapGrowth } from '../../../core/os/thread-upkeep.ts';

const MB = 1 << 20;
const test = suite('upkeep of a thread');

/** In which of the looks at these megabytes a collection is asked for. */
function collections(...looks: number[]): number[] {
  const indexes: number[] = [];
  let look = 0;
  const growth = new HeapGrowth(
    () => looks[look] * MB,
    () => indexes.push(look),
  );
  for (; look < looks.length; look++) growth.look();
  return indexes;
}

test('a heap that does not grow is not collected', () => {
  assert.equal(collections(8, 9, 9, 8, 9), []);
});

test('growth of two megabytes since the smallest size causes a collection', () => {
  assert.equal(collections(9, 8, 9, 10), [3]);
});

test('growth is measured from the size after the last collection, even if that is larger', () => {
  assert.equal(collections(8, 10, 12, 13, 14, 9, 10, 11), [1, 4, 7]);
});

test.run();
