/** Updating a stored response by a 304 or a HEAD: RFC 9111 sections 3.2 and 4.3.5. */
import { DAY, type Lines, later, notModified, on, type Row, row, stores, tagged } from './row.ts';

const changed = on(-DAY);
const dated: Lines = { 'last-modified': changed, 'cache-control': 'max-age=5' };

/**
 * Stored with a validator and a field; the 304 has another value of the field, which later answers
 * have. `title`: what is replaced.
 */
const updates = (name: string, before: string, after: string, etag = '"a"', title = name): Row =>
  row(
    '9111 3.2',
    `a 304 replaces ${title}`,
    stores({ ...tagged(etag), [name]: before }),
    later(10, 'validated', {
      ...notModified({ ...tagged(etag, 3600), [name]: after }),
      is: { headers: { [name]: after } },
    }),
    later(20, 'cache', { is: { headers: { [name]: after } } }),
  );

export const UPDATING: readonly Row[] = [
  updates('x-a', '1', '2'),
  updates('content-type', 'text/plain', 'text/html'),
  updates('content-security-policy', "default-src 'self'", "default-src 'none'"),
  updates('content-location', '/a', '/b'),
  updates('x-frame-options', 'deny', 'sameorigin'),
  updates('cache-control', 'max-age=5', 'max-age=3600'),
  updates('expires', on(5), on(3600)),
  updates('last-modified', on(-DAY), on(-DAY / 2)),
  updates('x-weak', '1', '2', 'W/"a"'),
  updates(
    'content-md5',
    'rL0Y20zC+Fzt72VPzMSk2A==',
    'N7UdGUp1E+RbVvZSTy1R8g==',
    '"a"',
    'content-md5 (304-etag-update-response-Content-MD5)',
  ),
  row(
    '9111 7.3',
    'Set-Cookie is not stored, so no 304 replaces it (304-etag-update-response-Set-Cookie)',
    stores({ ...tagged('"a"'), 'set-cookie': 'a=b' }),
    later(10, 'origin', {
      origin: { headers: { ...tagged('"a"'), 'set-cookie': 'a=c' } },
      is: { headers: { 'set-cookie': 'a=c' }, originRequest: { 'if-none-match': '' } },
    }),
  ),
  row(
    '9111 3.2',
    'what a 304 does not name stays',
    stores({ ...tagged('"a"'), 'x-a': '1' }),
    later(10, 'validated', { ...notModified(tagged('"a"', 60)), is: { headers: { 'x-a': '1' } } }),
    later(11, 'cache', { is: { headers: { 'x-a': '1' } } }),
  ),
  row(
    '9111 3.2',
    'a 304 adds a field',
    stores(tagged('"a"')),
    later(10, 'validated', { ...notModified({ ...tagged('"a"', 60), 'x-a': '1' }), is: { headers: { 'x-a': '1' } } }),
    later(11, 'cache', { is: { headers: { 'x-a': '1' } } }),
  ),
  row(
    '9111 3.2',
    'several lines take the place of one',
    stores({ ...tagged('"a"'), 'x-a': '1' }),
    later(10, 'validated', {
      ...notModified({ ...tagged('"a"', 60), 'x-a': ['2', '3'] }),
      is: { headers: { 'x-a': '2, 3' } },
    }),
  ),
  row(
    '9111 3.2',
    'one line takes the place of several',
    stores({ ...tagged('"a"'), 'x-a': ['1', '2'] }),
    later(10, 'validated', { ...notModified({ ...tagged('"a"', 60), 'x-a': '3' }), is: { headers: { 'x-a': '3' } } }),
  ),
  row(
    '9111 3.2',
    'the coding of the stored content stays',
    stores({ ...tagged('"a"'), 'content-encoding': 'x-own' }),
    later(10, 'validated', {
      ...notModified({ ...tagged('"a"', 60), 'content-encoding': 'x-other' }),
      is: { headers: { 'content-encoding': 'x-own' } },
    }),
  ),
  row(
    '9111 3.1',
    'no-cache="…" of a 304',
    stores(tagged('"a"')),
    later(10, 'validated', notModified({ etag: '"a"', 'cache-control': 'max-age=60, no-cache="x-a"', 'x-a': '1' })),
    later(11, 'cache', { is: { absent: ['x-a'] } }),
  ),
  row(
    '9111 5.2.2.4',
    'no-cache is validated each time',
    stores({ etag: '"a"', 'cache-control': 'no-cache' }),
    later(1, 'validated', notModified({ etag: '"a"' })),
    later(1, 'validated', notModified({ etag: '"a"' })),
  ),
  row(
    '9111 5.2.2.4',
    'no-cache with a long life is validated each time',
    stores({ etag: '"a"', 'cache-control': 'no-cache, max-age=3600' }),
    later(1, 'validated', notModified({ etag: '"a"' })),
  ),
  row(
    '9111 5.2.2.4',
    'no-cache is validated by a date',
    stores({ 'last-modified': changed, 'cache-control': 'no-cache' }),
    later(1, 'validated', notModified({ 'last-modified': changed })),
  ),
  row(
    '9111 4.2',
    'max-age=0 is validated each time',
    stores(tagged('"a"', 0)),
    later(0, 'validated', notModified(tagged('"a"', 0))),
  ),
  row(
    '9111 5.2.2.2',
    'must-revalidate is validated when it is stale',
    stores({ etag: '"a"', 'cache-control': 'max-age=5, must-revalidate' }),
    later(4, 'cache'),
    later(10, 'validated', notModified({ etag: '"a"' })),
  ),
  row(
    '8246 2',
    'immutable is validated when it is stale',
    stores({ etag: '"a"', 'cache-control': 'max-age=5, immutable' }),
    later(10, 'validated', notModified({ etag: '"a"' })),
  ),
  row(
    '9211 2.3',
    'Cache-Status of a validation',
    stores(tagged('"a"')),
    later(10, 'validated', { ...notModified(tagged('"a"')), is: { cacheStatus: 'fwd=stale; fwd-status=304' } }),
  ),

  // HEAD: section 4.3.5.
  row(
    '9111 4.3.5',
    'HEAD makes a stored response fresh',
    stores(tagged('"a"')),
    later(10, 'origin', { method: 'HEAD', origin: { headers: tagged('"a"', 60) } }),
    later(20, 'cache'),
  ),
  row(
    '9111 4.3.5',
    'HEAD replaces fields',
    stores({ ...tagged('"a"'), 'x-a': '1' }),
    later(10, 'origin', { method: 'HEAD', origin: { headers: { ...tagged('"a"', 60), 'x-a': '2' } } }),
    later(20, 'cache', { is: { headers: { 'x-a': '2' } } }),
  ),
  row(
    '9111 4.3.5',
    'HEAD with another tag ends it',
    stores(tagged('"a"')),
    later(10, 'origin', { method: 'HEAD', origin: { headers: tagged('"b"', 60) } }),
    later(11, 'origin', { is: { originRequest: { 'if-none-match': '' } } }),
  ),
  row(
    '9111 4.3.5',
    'HEAD with another date ends it',
    stores(dated),
    later(10, 'origin', { method: 'HEAD', origin: { headers: { ...dated, 'last-modified': on(-10) } } }),
    later(11, 'origin', { is: { originRequest: { 'if-modified-since': '' } } }),
  ),
  row(
    '9111 4.3.5',
    'HEAD with another length ends it',
    stores(tagged('"a"')),
    later(10, 'origin', { method: 'HEAD', origin: { headers: { ...tagged('"a"', 60), 'content-length': '99' } } }),
    later(11, 'origin', { is: { originRequest: { 'if-none-match': '' } } }),
  ),
  row(
    '9111 4.3.5',
    'HEAD with the same length',
    stores(tagged('"a"')),
    later(10, 'origin', { method: 'HEAD', origin: { headers: { ...tagged('"a"', 60), 'content-length': '8' } } }),
    later(20, 'cache'),
  ),
  row(
    '9111 4.3.5',
    'HEAD with 404 says nothing of it',
    stores(tagged('"a"')),
    later(10, 'origin', { method: 'HEAD', origin: { status: 404 }, is: { status: 404 } }),
    later(11, 'validated', notModified(tagged('"a"'))),
  ),
  row(
    '9111 4.3.5',
    'HEAD is answered 304 by the origin',
    stores(tagged('"a"')),
    later(10, 'validated', { method: 'HEAD', ...notModified(tagged('"a"', 60)) }),
    later(20, 'cache'),
  ),
];
