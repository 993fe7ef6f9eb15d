/** Series of charts: few lines, and areas on top of each other. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Line, limitLines, stackLines, totalOf } from '../../../admin-api/dashboard/charts/stack.ts';

const test = suite('stacked series');

test('the lines after the limit are one line with their sums', () => {
  const lines: Line[] = [1, 2, 3, 4].map((n) => ({ name: `n${n}`, counts: [n, 10 * n] }));
  assert.is(limitLines(lines, 4, 'Others'), lines);
  assert.equal(limitLines(lines, 3, 'Others'), [...lines.slice(0, 2), { name: 'Others', counts: [7, 70] }]);
  assert.equal(limitLines([], 3, 'Others'), []);
});

test('each area ends where the next begins', () => {
  const lines: Line[] = [
    { name: 'a', counts: [1, 0, 2] },
    { name: 'b', counts: [3, 4, 0] },
  ];
  assert.equal(stackLines(lines), [
    [1, 0, 2],
    [4, 4, 2],
  ]);
  assert.is(totalOf(lines[1]), 7);
});

test.run();
