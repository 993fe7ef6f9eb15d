import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editDistance, findNearest } from '../../../core/base/nearest.ts';
import fc from '../../support/fc.ts';

const test = suite('core/base/nearest');

test('the distance counts insertions, deletions, replacements and swaps', () => {
  const cases: [string, string, number][] = [
    ['', '', 0],
    ['abc', '', 3],
    ['kitten', 'sitting', 3],
    ['listen', 'lisetn', 1],
    ['workers', 'worker', 1],
  ];
  for (const [a, b, expected] of cases) assert.is(editDistance(a, b), expected, `${a} ${b}`);
});

test('a distance is symmetric, zero only for equal texts, and at most the longer length', () => {
  const word = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const d = editDistance(a, b);
      return d === editDistance(b, a) && (d === 0) === (a === b) && d <= Math.max(a.length, b.length);
    }),
  );
});

test('a key in the wrong table is recognized by its last part', () => {
  assert.is(findNearest('udp_payload', ['data_dir', 'dns.listen', 'dns.udp_payload']), 'dns.udp_payload');
  assert.is(findNearest('dns.lisetn', ['admin.listen', 'dns.listen']), 'dns.listen');
});

test.run();
