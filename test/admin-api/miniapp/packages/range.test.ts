/** Ranges of bytes in requests for packages. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readRange } from '../../../../admin-api/miniapp/packages/store/routes.ts';

const SIZE = 1000;

const rangeOf = (header?: string, size = SIZE): string => {
  const range = readRange(header, size);
  return range === null ? 'all' : `${range.from}-${range.to}`;
};

test('a single range has its first byte and the byte after its last', () => {
  assert.is(rangeOf('bytes=0-0'), '0-1');
  assert.is(rangeOf('bytes=10-19'), '10-20');
  assert.is(rangeOf('Bytes=990-'), '990-1000');
  assert.is(rangeOf(' bytes=999-99999 '), '999-1000');
  assert.is(rangeOf('bytes=-1'), '999-1000');
  assert.is(rangeOf('bytes=-5000'), '0-1000');
});

test('everything else is the whole file, or 416 after its end', () => {
  for (const header of [undefined, '', 'bytes', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=1-2,4-5', 'bytes=1.5-2'])
    assert.is(rangeOf(header), 'all', header);
  assert.is(rangeOf('bytes=0-9999999999999999'), 'all');
  for (const header of ['bytes=1000-', 'bytes=1000-2000', 'bytes=-0'])
    assert.throws(
      () => rangeOf(header),
      (error: { status?: number }) => error.status === 416,
    );
  assert.throws(() => rangeOf('bytes=0-', 0), /The package has 0 bytes/);
});

test.run();
