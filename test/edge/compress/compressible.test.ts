import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { forbidsTransform, isCompressible, isCompressibleType } from '../../../edge/compress/compressible.ts';

const YES = `
text/html | text/html; charset=utf-8 | TEXT/HTML | text/html;charset=utf-8 | text/css | text/plain | text/javascript | text/xml | text/markdown | text/csv
application/json | application/json; charset=utf-8 | application/ld+json | application/problem+json | application/vnd.api+json | application/manifest+json
application/javascript | application/x-javascript | application/xml | application/xhtml+xml | application/rss+xml | application/atom+xml | application/x-ndjson
image/svg+xml | image/x-icon | image/vnd.microsoft.icon | image/bmp | application/wasm | font/ttf | font/otf | application/vnd.ms-fontobject
application/geo+json-seq | application/openapi+yaml | application/vnd.apple.mpegurl | application/x-protobuf | model/gltf+json`;
const NO = `
text/event-stream | text/event-stream; charset=utf-8 | Text/Event-Stream | image/png | image/jpeg | image/webp | image/avif | video/mp4 | audio/mpeg | font/woff | font/woff2
application/zip | application/gzip | application/pdf | application/octet-stream | multipart/byteranges; boundary=x | application/jsonish | application/xjson | json | xml
application/x-brotli | text | /text | application/grpc | application/grpc+json | application/grpc-web+json | application/epub+zip | application/cbor | image/svg`;
// biome-ignore format: one thing
const split = (text: string): string[] => text.split(/[|\n]/).map((type) => type.trim()).filter((type) => type !== '');

for (const type of split(YES)) test(`${type} is compressed`, () => assert.is(isCompressibleType(type), true));
for (const type of [...split(NO), '', ';', ' ; charset=utf-8'])
  test(`${type || 'no type'} is not compressed`, () => assert.is(isCompressibleType(type), false));

const HTML = ['content-type', 'text/html'];
type Row = readonly [name: string, is: boolean, status: number, headers: readonly string[], length: number | undefined];
const ROWS: readonly Row[] = [
  ['a page', true, 200, HTML, 5000],
  ['of unknown length', true, 200, HTML, undefined],
  ['as short as may be', true, 200, HTML, 1000],
  ['too short', false, 200, HTML, 999],
  ['empty', false, 200, HTML, 0],
  ['without a type', false, 200, [], 5000],
  ['of an empty type', false, 200, ['content-type', ''], 5000],
  ['a picture', false, 200, ['content-type', 'image/png'], 5000],
  ['of two types', false, 200, [...HTML, 'content-type', 'image/png'], 5000],
  ['coded already', false, 200, [...HTML, 'content-encoding', 'gzip'], 5000],
  ['coded, said before the type', false, 200, ['content-encoding', 'br', ...HTML], 5000],
  ['coded in an unknown way', false, 200, [...HTML, 'content-encoding', 'aes128gcm'], 5000],
  ['said to be identity', false, 200, [...HTML, 'content-encoding', 'identity'], 5000],
  ['no-transform', false, 200, [...HTML, 'cache-control', 'no-transform'], 5000],
  ['no-transform among others', false, 200, [...HTML, 'cache-control', 'public, No-Transform,max-age=60'], 5000],
  ['no-transform with an argument', false, 200, [...HTML, 'cache-control', 'no-transform=1'], 5000],
  [
    'no-transform in a second line',
    false,
    200,
    ['cache-control', 'public', 'cache-control', 'no-transform', ...HTML],
    5000,
  ],
  ['another directive with that in it', true, 200, [...HTML, 'cache-control', 'x-no-transform, no-transforms'], 5000],
  ['private', true, 200, [...HTML, 'cache-control', 'private, no-store', 'set-cookie', 'a=b'], 5000],
  ['that word elsewhere', true, 200, [...HTML, 'x-note', 'no-transform', 'x', 'content-encoding'], 5000],
  ['a part', false, 206, [...HTML, 'content-range', 'bytes 0-1/9'], 5000],
  ['a part with another status', false, 200, [...HTML, 'content-range', 'bytes 0-1/9'], 5000],
  ['created', true, 201, HTML, 5000],
  ['no content', false, 204, HTML, undefined],
  ['reset content', false, 205, HTML, undefined],
  ['a delta', false, 226, HTML, 5000],
  ['a redirect', true, 302, HTML, 5000],
  ['not modified', false, 304, HTML, undefined],
  ['not found', true, 404, HTML, 5000],
  ['an error', true, 500, HTML, 5000],
  ['a tunnel', false, 101, HTML, undefined],
];
for (const [name, is, status, headers, length] of ROWS)
  test(`${is ? 'compressed' : 'left'}: ${name}`, () => assert.is(isCompressible(status, headers, length, 1000), is));

test('a request can ask for its response as it is', () => {
  assert.is(forbidsTransform(['accept', '*/*', 'cache-control', 'max-age=0 , no-transform']), true);
  assert.is(forbidsTransform(['cache-control', 'max-age=0', 'pragma', 'no-transform']), false);
  assert.is(forbidsTransform([]), false);
});

test('the cache of types is bounded, and results stay correct after eviction', () => {
  for (let i = 0; i < 3000; i++) assert.is(isCompressibleType(`text/x-${i}`), true);
  for (let i = 0; i < 3000; i++) assert.is(isCompressibleType(`image/x-${i}`), false);
  for (const type of split(YES)) assert.is(isCompressibleType(type), true);
});

test.run();
