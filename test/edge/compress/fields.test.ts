import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  codedFields,
  codedTrailers,
  notModifiedFields,
  originTags,
  varyingFields,
} from '../../../edge/compress/fields.ts';

const VARY = ['vary', 'accept-encoding'];
const GZIP = ['content-encoding', 'gzip'];

type Row = readonly [name: string, before: readonly string[], after: readonly string[]];
const CODED: readonly Row[] = [
  ['nothing', [], [...VARY, ...GZIP]],
  ['unrelated fields', ['content-type', 'text/html', 'set-cookie', 'a', 'set-cookie', 'b'], ['content-type', 'text/html', 'set-cookie', 'a', 'set-cookie', 'b', ...VARY, ...GZIP]],
  ['the length', ['content-length', '5000', 'x', 'content-length'], ['x', 'content-length', ...VARY, ...GZIP]],
  ['ranges', ['accept-ranges', 'bytes'], [...VARY, ...GZIP]],
  ['digests', ['content-digest', 'a', 'repr-digest', 'b', 'digest', 'c', 'content-md5', 'd', 'unencoded-digest', 'e'], ['unencoded-digest', 'e', ...VARY, ...GZIP]],
  ['a strong tag', ['etag', '"a"'], ['etag', 'W/"a-waypost"', ...VARY, ...GZIP]],
  ['a weak tag', ['etag', 'W/"a"'], ['etag', 'W/"a"', ...VARY, ...GZIP]],
  ['no tag at all', ['etag', 'abc'], ['etag', 'abc', ...VARY, ...GZIP]],
  ['another Vary', ['vary', 'Origin', 'x', 'y'], ['vary', 'Origin, accept-encoding', 'x', 'y', ...GZIP]],
  ['an empty Vary', ['vary', ''], [...VARY, ...GZIP]],
  ['the same Vary', ['vary', 'Accept-Encoding'], ['vary', 'Accept-Encoding', ...GZIP]],
  ['the same among others', ['vary', 'Origin,ACCEPT-ENCODING , Cookie'], ['vary', 'Origin,ACCEPT-ENCODING , Cookie', ...GZIP]],
  ['the same in a second line', ['vary', 'Origin', 'vary', 'accept-encoding'], ['vary', 'Origin', 'vary', 'accept-encoding', ...GZIP]],
  ['everything', ['vary', '*'], ['vary', '*', ...GZIP]],
  ['one that is not the same', ['vary', 'x-accept-encoding, accept-encodings'], ['vary', 'x-accept-encoding, accept-encodings, accept-encoding', ...GZIP]],
]; // biome-ignore format: a row a line
for (const [name, before, after] of CODED)
  test(`a coded response: ${name}`, () => {
    const given = [...before];
    assert.equal(codedFields(given, 'gzip'), after);
    assert.equal(given, before, 'what was given is as it was');
  });

test('Vary is set once on compressible responses', () => {
  assert.equal(varyingFields(['etag', '"a"', 'content-length', '3']), ['etag', '"a"', 'content-length', '3', ...VARY]);
  assert.equal(varyingFields(['vary', 'Origin']), ['vary', 'Origin, accept-encoding']);
  const good = ['vary', 'Accept-Encoding'];
  assert.is(varyingFields(good), good, 'the same list when there is nothing to add');
});

test('trailers of a coded body', () => {
  const none: string[] = [];
  assert.is(codedTrailers(none), none);
  assert.equal(codedTrailers(['content-digest', 'a', 'x', 'digest', 'etag', '"b"', 'server-timing', 'c']), [
    'x',
    'digest',
    'etag',
    'W/"b-waypost"',
    'server-timing',
    'c',
  ]);
});

test('a 304 has the tag that the visitor has of the coded response', () => {
  const of = (headers: string[], question?: string): readonly string[] => notModifiedFields(headers, question);
  assert.equal(of(['etag', '"a"'], 'W/"a-waypost"'), ['etag', 'W/"a-waypost"', ...VARY]);
  // From an earlier version.
  assert.equal(of(['etag', '"a"'], 'W/"a"'), ['etag', 'W/"a-waypost"', ...VARY]);
  assert.equal(of(['x', 'etag', 'etag', '"a"', 'vary', 'Origin'], '"c", W/"a-waypost"'), [
    'x',
    'etag',
    'etag',
    'W/"a-waypost"',
    'vary',
    'Origin, accept-encoding',
  ]);
  assert.equal(of(['etag', '"a"'], '"a"'), ['etag', '"a"']);
  assert.equal(of(['etag', '"a"'], 'W/"b"'), ['etag', '"a"']);
  assert.equal(of(['etag', 'W/"a"'], 'W/"a"'), ['etag', 'W/"a"']);
  assert.equal(of(['etag', '"a"'], '*'), ['etag', '"a"']);
  assert.equal(of(['etag', '"a"']), ['etag', '"a"']);
  assert.equal(of(['date', 'etag'], 'W/"a"'), ['date', 'etag']);
});

test('tags of coded responses in conditions become those of the origin', () => {
  for (const [list, strong, weak] of [
    ['W/"a-waypost"', '"a"', 'W/"a"'],
    ['"x", W/"a-waypost" ,W/"b",W/"c,d-waypost"', '"x", "a" ,W/"b","c,d"', '"x", W/"a" ,W/"b",W/"c,d"'],
    ['W/"-waypost"', '""', 'W/""'],
    ['W/"a-waypost-waypost"', '"a-waypost"', 'W/"a-waypost"'],
    // Tags of origins.
    ['W/"a"', 'W/"a"', 'W/"a"'],
    ['"a-waypost"', '"a-waypost"', '"a-waypost"'],
    ['*', '*', '*'],
  ]) {
    assert.is(originTags(list, true), strong);
    assert.is(originTags(list, false), weak);
  }
  originTags('W/"-waypost" '.repeat(5000) + 'W/"'.repeat(20_000), true);
  originTags(`${'W/"-'.repeat(20_000)}-waypost"`, true);
});

test.run();
