/**
 * Selection by Vary: an equal request is always selected, one that differs in a named field never.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isNewer, isSelected, selectingFields, varyNames } from '../../../../edge/cache/rules/vary.ts';
import fc from '../../../support/fc.ts';

const NAMES = [
  'x-a',
  'x-b',
  'accept',
  'accept-language',
  'accept-charset',
  'accept-encoding',
  'cookie',
  'authorization',
];
const value = fc.constantFrom('', 'a', 'b', 'a,b', 'a, b', 'A', 'en;q=0.5', 'en ; q=0.5', '"a, b"');
const headers = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 6 })
  .map((lines): string[] => lines.flat());
const vary = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 });

/** All lines of a name, normalised as section 4.1 permits; null without the field. */
function slowValue(name: string, lines: readonly string[]): string | null {
  const values = lines.filter((_, i) => i % 2 === 1 && lines[i - 1] === name);
  if (values.length === 0) return null;
  const text = values.join(', ');
  if (!name.startsWith('accept') || text.includes('"')) return text;
  const list = text.split(',').map((member) =>
    member
      .split(';')
      .map((part) => part.trim())
      .join(';'),
  );
  const normal = list.filter((member) => member !== '').join(',');
  return ['accept-language', 'accept-charset'].includes(name) ? normal.toLowerCase() : normal;
}

test('a request is selected if it agrees in all fields that Vary names', () => {
  let selected = 0;
  let refused = 0;
  fc.assert(
    fc.property(vary, headers, headers, (names, first, second) => {
      const selecting = selectingFields(names.join(', '), first);
      const isPersonal = ['cookie', 'authorization'].some(
        (name) => names.includes(name) && slowValue(name, first) !== null,
      );
      assert.is(selecting === undefined, isPersonal);
      if (selecting === undefined) return;
      assert.ok(isSelected(selecting, first));
      const same = names.every(
        (name) => name === 'accept-encoding' || slowValue(name, first) === slowValue(name, second),
      );
      if (same) selected++;
      else refused++;
      assert.is(isSelected(selecting, second), same);
    }),
    { numRuns: 5000 },
  );
  assert.ok(selected > 100 && refused > 100);
});

test('the names of Vary are sorted and unique', () => {
  assert.equal(varyNames('B, a,,b , Accept-Encoding'), ['a', 'b']);
  assert.equal(varyNames('a, *'), undefined);
  assert.is(varyNames(Array.from({ length: 16 }, (_, i) => `x${i}`).join())?.length, 16);
  assert.equal(varyNames(Array.from({ length: 17 }, (_, i) => `x${i}`).join()), undefined);
});

test('the newer response has the later Date, or else arrived later', () => {
  const body = { length: 0, whole: undefined, slice: () => new Uint8Array(0) };
  const at = (date: string | undefined, responseTime: number) => ({
    ...{ domainId: '', key: '', selecting: [], status: 200, tags: [], body, requestTime: responseTime, responseTime },
    headers: date === undefined ? [] : ['date', date],
  });
  const first = 'Thu, 01 Jan 1970 00:00:05 GMT';
  const second = 'Thu, 01 Jan 1970 00:00:06 GMT';
  assert.ok(isNewer(at(second, 7000), at(first, 8000)));
  assert.not(isNewer(at(first, 8000), at(second, 7000)));
  assert.ok(isNewer(at(first, 8000), at(first, 7000)));
  assert.not(isNewer(at(first, 7000), at(first, 7000)));
  assert.ok(isNewer(at(undefined, 7000), at(second, 9000)));
});

test('the cost of a long Accept-Language is linear', () => {
  const long = ['accept-language', `en${' '.repeat(500_000)}x`];
  assert.ok(isSelected(selectingFields('accept-language', long)!, long));
});

test.run();
