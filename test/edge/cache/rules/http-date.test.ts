/** HTTP dates: formatting and parsing in all forms, and invalid dates. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatHttpDate, parseHttpDate } from '../../../../edge/cache/rules/http-date.ts';
import fc from '../../../support/fc.ts';

const NOW = Date.UTC(2026, 5, 1);
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number): string => String(n).padStart(2, '0');
const second = (min: number, max: number) => fc.integer({ min: min / 1000, max: max / 1000 }).map((s) => s * 1000);

test('IMF-fixdate and asctime, of any year and in any case', () => {
  fc.assert(
    fc.property(second(Date.UTC(0, 0, 1), Date.UTC(9999, 11, 31)), fc.constantFrom(0, 1, 2), (time, letters) => {
      const date = new Date(time);
      const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
      const day = DAYS[date.getUTCDay()].slice(0, 3);
      const c = `${day} ${MONTHS[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)} ${clock} ${date.getUTCFullYear()}`;
      for (const text of [formatHttpDate(time), c])
        assert.is(parseHttpDate([text, text.toLowerCase(), text.toUpperCase()][letters], NOW), time, text);
    }),
  );
});

test('RFC 850: two digits of a year, at most 50 ahead', () => {
  fc.assert(
    fc.property(second(Date.UTC(1977, 0, 1), Date.UTC(2076, 11, 31, 23, 59, 59)), (time) => {
      const date = new Date(time);
      const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
      const year = two(date.getUTCFullYear() % 100);
      const text = `${DAYS[date.getUTCDay()]}, ${two(date.getUTCDate())}-${MONTHS[date.getUTCMonth()]}-${year} ${clock} GMT`;
      assert.is(parseHttpDate(text, NOW), time, text);
    }),
  );
});

test('a date with one changed character is never read as a nearby date', () => {
  const text = 'Sun, 06 Nov 1994 08:49:37 GMT';
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom(...'x:, -+0'), (at, character) => {
      const changed = text.slice(0, at) + character + text.slice(at + 1);
      const time = parseHttpDate(changed, NOW);
      if (!Number.isNaN(time)) assert.is(formatHttpDate(time).slice(5), changed.slice(5), changed);
    }),
  );
});

test('an invalid date is ignored', () => {
  for (const text of [
    '',
    '0',
    '-1',
    'now',
    'Sun, 31 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:37 GMT',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT ',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    '1994-11-06T08:49:37Z',
  ])
    assert.ok(Number.isNaN(parseHttpDate(text, NOW)), text);
});

test.run();
