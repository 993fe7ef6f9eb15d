/** Which content coding a client gets. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { selectCoding } from '../../../admin-api/http/coding.ts';

test('selects the best coding that the client accepts', () => {
  for (const [accept, coding] of [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br; q=1.0, gzip; q=1.0', 'br'],
    ['br;q=0, gzip;q=0', null],
    ['br;q=x', null],
    ['*;q=0', null],
  ] as const)
    assert.is(selectCoding(accept), coding, String(accept));
});

test.run();
