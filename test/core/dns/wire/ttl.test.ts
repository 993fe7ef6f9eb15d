import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseTtl } from '../../../../core/dns/wire/ttl.ts';

test('seconds and units', () => {
  const cases: [string, number | undefined][] = [
    ['0', 0],
    ['300', 300],
    ['1h30m', 5400],
    ['1H30M', 5400],
    ['2w', 1_209_600],
    ['1w2d3h4m5s', 788_645],
    ['2147483647', 2147483647],
    ['2147483648', undefined],
    ['3550w', 2_147_040_000],
    ['3551w', undefined],
    ['99999999999999999999', undefined],
    ['1h30', undefined],
    ['h', undefined],
    ['1hh', undefined],
    ['1x', undefined],
    ['-1', undefined],
    ['1.5h', undefined],
    ['0x10', undefined],
    ['', undefined],
    ['1'.repeat(1000), undefined],
    // U+0131 is "1" in its low byte.
    ['\u0131', undefined],
  ];
  for (const [text, seconds] of cases) assert.is(parseTtl(text), seconds, text);
});

test.run();
