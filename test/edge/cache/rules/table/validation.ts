/** Validation by the origin: RFC 9111 section 4.3. */
import { DAY, type Lines, later, notModified, on, type Row, row, stores, tagged } from './row.ts';

const changed = on(-DAY);
const dated: Lines = { 'last-modified': changed, 'cache-control': 'max-age=5' };

/**
 * Stored with these fields; the origin answers the condition with a 304 with those. `again`: the
 * 304 is useless, and the request is repeated.
 */
const answered = (section: string, name: string, stored: Lines, update: Lines, is: 'validated' | 'again'): Row =>
  row(
    section,
    name,
    stores({ 'cache-control': 'max-age=5', ...stored }),
    is === 'validated'
      ? later(10, 'validated', notModified(update))
      : later(10, 'origin', { origin: [{ status: 304, headers: update }, { body: 'again' }], is: { body: 'again' } }),
  );

export const VALIDATION: readonly Row[] = [
  row(
    '9111 4.3.1',
    'If-None-Match has the stored tag',
    stores(tagged('"a"')),
    later(10, 'validated', {
      ...notModified(tagged('"a"')),
      is: { originRequest: { 'if-none-match': '"a"', 'if-modified-since': '' } },
    }),
  ),
  row(
    '9111 4.3.1',
    'If-None-Match has a weak tag',
    stores(tagged('W/"a"')),
    later(10, 'validated', { ...notModified(tagged('W/"a"')), is: { originRequest: { 'if-none-match': 'W/"a"' } } }),
  ),
  row(
    '9111 4.3.1',
    'If-Modified-Since has the stored date',
    stores(dated),
    later(10, 'validated', {
      ...notModified(dated),
      is: { originRequest: { 'if-modified-since': changed, 'if-none-match': '' } },
    }),
  ),
  row(
    '9111 4.3.1',
    'both are sent',
    stores({ ...dated, etag: '"a"' }),
    later(10, 'validated', {
      ...notModified({ ...dated, etag: '"a"' }),
      is: { originRequest: { 'if-modified-since': changed, 'if-none-match': '"a"' } },
    }),
  ),
  row(
    '9111 4.3.1',
    'without a validator no condition',
    stores({ 'cache-control': 'max-age=5' }),
    later(10, 'origin', { is: { originRequest: { 'if-none-match': '', 'if-modified-since': '' } } }),
  ),
  row(
    '9110 8.8.3',
    'a tag without quotes is none',
    stores(tagged('a')),
    later(10, 'origin', { is: { originRequest: { 'if-none-match': '' } } }),
  ),
  row(
    '9111 4.3.1',
    "the visitor's own tag is not sent",
    stores(tagged('"a"')),
    later(10, 'validated', {
      headers: { 'if-none-match': '"b"' },
      ...notModified(tagged('"a"')),
      is: { originRequest: { 'if-none-match': '"a"' } },
    }),
  ),
  row(
    '9111 4.3.1',
    "for a miss the visitor's condition is not sent",
    stores(tagged('"a"'), {
      headers: { 'if-none-match': '"b"' },
      expect: { from: 'origin', originRequest: { 'if-none-match': '' } },
    }),
  ),
  row(
    '9111 4.3.3',
    'a new answer takes the place of the old one',
    stores(tagged('"a"')),
    later(10, 'origin', { origin: { headers: tagged('"b"', 3600) } }),
    later(11, 'cache', { is: { body: 'answer 1', headers: { etag: '"b"' } } }),
  ),
  row(
    '9111 4.3.3',
    'a 404 takes its place, too',
    stores(tagged('"a"')),
    later(10, 'origin', { origin: { status: 404, headers: { 'cache-control': 'max-age=60' } }, is: { status: 404 } }),
    later(11, 'cache', { is: { status: 404, body: 'answer 1' } }),
  ),
  row(
    '9111 4.3.3',
    'an error goes to the visitor, and the stored one stays',
    stores(tagged('"a"')),
    later(10, 'origin', { origin: { status: 503 }, is: { status: 503 } }),
    later(11, 'validated', notModified(tagged('"a"'))),
  ),
  row(
    '9111 4.3.4',
    'a 304 makes it fresh',
    stores(tagged('"a"')),
    later(10, 'validated', notModified(tagged('"a"'))),
    later(14, 'cache'),
    later(16, 'validated', notModified(tagged('"a"'))),
  ),
  row(
    '9111 4.3.4',
    'a 304 may lengthen its life',
    stores(tagged('"a"')),
    later(10, 'validated', notModified(tagged('"a"', 100))),
    later(100, 'cache'),
  ),
  row(
    '9111 4.3.4',
    'a 304 without Cache-Control keeps the stored one',
    stores(tagged('"a"')),
    later(10, 'validated', notModified({ etag: '"a"' })),
    later(14, 'cache'),
    later(16, 'validated', notModified({ etag: '"a"' })),
  ),
  row(
    '9111 4.3.4',
    'a 304 that forbids to store is used once',
    stores(tagged('"a"')),
    later(10, 'validated', notModified({ etag: '"a"', 'cache-control': 'no-store' })),
    later(11, 'origin', { is: { originRequest: { 'if-none-match': '' } } }),
  ),
  row(
    '9111 4.3.4',
    'a 304 that says private is used once',
    stores(tagged('"a"')),
    later(10, 'validated', notModified({ etag: '"a"', 'cache-control': 'private' })),
    later(11, 'origin', { is: { originRequest: { 'if-none-match': '' } } }),
  ),
  row(
    '9111 4.3.4',
    'Age restarts',
    stores({ ...tagged('"a"', 60), age: '50' }),
    later(20, 'validated', { ...notModified(tagged('"a"', 60)), is: { age: 0 } }),
    later(30, 'cache', { is: { age: 10 } }),
  ),
  row(
    '9111 4.3.4',
    'a 304 has an Age of its own',
    stores(tagged('"a"', 60)),
    later(70, 'validated', { ...notModified({ ...tagged('"a"', 60), age: '20' }), is: { age: 20 } }),
    later(75, 'cache', { is: { age: 25 } }),
  ),
  row(
    '9111 4.3.4',
    'a 304 without Date has that of its receipt',
    stores(tagged('"a"')),
    later(10, 'validated', { ...notModified({ ...tagged('"a"', 60), date: '' }) }),
    later(20, 'cache', { is: { headers: { date: on(10) }, age: 10 } }),
  ),
  row(
    '9111 4.3.4',
    'Expires of a 304',
    stores({ etag: '"a"', expires: on(5) }),
    later(10, 'validated', notModified({ etag: '"a"', expires: on(100) })),
    later(90, 'cache'),
  ),
  row(
    '9111 4.3.4',
    'a guess after a 304 is made from its Date',
    stores({ 'last-modified': on(-100) }, { path: '/a.css' }),
    later(20, 'origin', { path: '/a.css' }),
  ),

  // Which stored response a 304 confirms.
  answered('9111 4.3.4', 'the same strong tag', { etag: '"a"' }, { etag: '"a"' }, 'validated'),
  answered(
    '9111 4.3.4',
    'another strong tag (304-etag-update-response-ETag)',
    { etag: '"a"' },
    { etag: '"b"' },
    'again',
  ),
  answered('9111 4.3.4', 'a strong tag for a weak one', { etag: 'W/"a"' }, { etag: '"a"' }, 'again'),
  answered('9111 4.3.4', 'a weak tag for a strong one', { etag: '"a"' }, { etag: 'W/"a"' }, 'validated'),
  answered('9111 4.3.4', 'the same weak tag', { etag: 'W/"a"' }, { etag: 'W/"a"' }, 'validated'),
  answered('9111 4.3.4', 'another weak tag', { etag: 'W/"a"' }, { etag: 'W/"b"' }, 'again'),
  answered('9111 4.3.4', 'the same date', { 'last-modified': changed }, { 'last-modified': changed }, 'validated'),
  answered('9111 4.3.4', 'another date', { 'last-modified': changed }, { 'last-modified': on(-10) }, 'again'),
  answered('9111 4.3.4', 'no validator, where one was asked about', { etag: '"a"' }, {}, 'validated'),
  answered(
    '9110 8.8.3',
    'a tag without quotes is none, and the date counts',
    { 'last-modified': changed },
    { etag: 'a', 'last-modified': changed },
    'validated',
  ),
  answered(
    '9111 4.3.4',
    'a strong tag where only a date was stored',
    { 'last-modified': changed },
    { etag: '"a"', 'last-modified': changed },
    'again',
  ),
  row(
    '9111 4.3.4',
    'a strong tag speaks of that variant only',
    stores({ ...tagged('"a"'), vary: 'x-a' }, { headers: { 'x-a': '1' } }),
    later(0, 'origin', { headers: { 'x-a': '2' }, origin: { headers: { ...tagged('"b"'), vary: 'x-a' } } }),
    later(10, 'validated', {
      headers: { 'x-a': '1' },
      ...notModified(tagged('"a"', 60)),
      is: { originRequest: { 'if-none-match': '"a"' } },
    }),
    later(11, 'cache', { headers: { 'x-a': '1' } }),
    later(12, 'validated', { headers: { 'x-a': '2' }, ...notModified(tagged('"b"', 60)), is: { body: 'answer 1' } }),
  ),
];
