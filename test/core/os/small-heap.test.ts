import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasLittleMemory, MAIN_HEAP, SMALL_MAIN_HEAP } from '../../../core/base/main-heap.ts';
import { smallHeapOptions } from '../../../core/os/small-heap.ts';

const MB = 1024 ** 2;

test('memory is little below nine tenths of 1,000 MB', () => {
  assert.equal(
    [230, 899, 900, 921].map((budget) => hasLittleMemory(budget * MB)),
    [true, true, false, false],
  );
});

test('the options of a small heap replace those of a large one, once', () => {
  const options = smallHeapOptions(['--enable-source-maps', ...MAIN_HEAP, '--title=x']);
  assert.equal(options, ['--enable-source-maps', '--title=x', SMALL_MAIN_HEAP]);
  assert.is(smallHeapOptions(options ?? []), null);
  assert.equal(smallHeapOptions([]), [SMALL_MAIN_HEAP]);
  assert.equal(smallHeapOptions(['--max-semi-space-size=16']), [SMALL_MAIN_HEAP]);
});

test.run();
