/** CDN-Cache-Control: RFC 9213, and structured fields (RFC 9651). */
import { DAY, type Lines, later, on, type Row, row, stores, twice } from './row.ts';

/**
 * With `max-age=3600` in Cache-Control; `origin`: the targeted field takes precedence, and makes
 * the response stale or has no lifetime.
 */
const OVER_FRESH: readonly (readonly [section: string, value: string | readonly string[], from: 'cache' | 'origin'])[] =
  [
    ['9213 2.2', 'max-age=0', 'origin'],
    ['9213 2.2', 'no-store', 'origin'],
    ['9213 2.2', 'private', 'origin'],
    ['9213 2.2', 'no-cache', 'origin'],
    ['9213 2.2', 'max-age=3600, no-store', 'origin'],
    ['9213 2.2', 'max-age=3600, no-cache', 'origin'],
    ['9213 2.2', 'max-age=3600, private', 'origin'],
    ['9213 3.1', 'none', 'origin'],
    ['9213 2.1', 's-maxage=0, max-age=60', 'origin'],
    ['9213 2.1', 'max-age="60"', 'origin'],
    ['9213 2.1', 'max-age=60.0', 'origin'],
    ['9213 2.1', 'max-age=?1', 'origin'],
    ['9213 2.1', 'max-age=-1', 'origin'],
    ['9651 4.2.2', 'max-age=60, max-age=0', 'origin'],
    ['9651 4.2.2', 'max-age=0, max-age=60', 'cache'],
    ['9651 4.2.2', 'private="x-a", max-age=60', 'cache'],
    ['9213 2.1', 'private=5, max-age=60', 'origin'],
    ['9213 2.1', 'no-cache=?0, max-age=60', 'origin'],
    ['9213 2.1', 's-maxage="60"', 'origin'],
    // Malformed fields count as absent.
    ['9213 2.1', '', 'cache'],
    ['9213 2.1', 'max-age=0, &&&&&', 'cache'],
    ['9651 4.2.2', 'max-age=0,', 'cache'],
    ['9651 4.2.2', ',max-age=0', 'cache'],
    ['9651 4.2.2', 'max-age=0 no-store', 'cache'],
    ['9651 4.2.3.3', 'MaX-aGe=0', 'cache'],
    ['9651 4.2.2', 'max-age =0', 'cache'],
    ['9651 4.2.2', 'max-age= 0', 'cache'],
    ['9651 4.2.4', 'max-age=1234567890123456', 'cache'],
    ['9651 4.2.5', 'no-store, foo="a', 'cache'],
    ['9651 4.2.1.2', 'no-store, foo=(a b', 'cache'],
    ['9651 4.2.8', 'no-store, foo=?2', 'cache'],
    ['9651 4.2', ['no-store', '&'], 'cache'],
  ];

/**
 * With `no-store` in Cache-Control; `cache`: the targeted field is valid, and makes the response
 * fresh.
 */
const OVER_NO_STORE: readonly (readonly [
  section: string,
  value: string | readonly string[],
  from: 'cache' | 'origin',
])[] = [
  ['9213 2.2', 'max-age=3600', 'cache'],
  ['9213 2.2', 's-maxage=3600', 'cache'],
  ['9213 2.2', 'max-age=2147483648', 'cache'],
  ['9213 2.2', 'max-age=99999999999', 'cache'],
  ['9213 2.2', 'foobar, max-age=3600', 'cache'],
  ['9213 2.1', 'max-age=3600;a;b=1', 'cache'],
  ['9651 4.2', ['foo', 'max-age=3600'], 'cache'],
  ['9651 4.2.2', '  max-age=3600  ', 'cache'],
  ['9651 4.2.2', 'foo=?0,\tmax-age=3600', 'cache'],
  ['9651 4.2.1.2', 'foo=(a "b" 1 2.5;x);y=?1, max-age=3600', 'cache'],
  ['9651 4.2.7', 'foo=:YWJj:, max-age=3600', 'cache'],
  ['9651 4.2.9', 'foo=@1659578233, max-age=3600', 'cache'],
  ['9651 4.2.10', 'foo=%"a%c3%bc", max-age=3600', 'cache'],
  ['9213 2.1', 'max-age=10000, &&&&&', 'origin'],
  ['9213 2.2', 'public', 'origin'],
  ['9213 2.1', 'no-store=?0, max-age=60', 'origin'],
  ['9213 2.1', 'no-store=1.5, max-age=60', 'origin'],
];

/** Surrogate-Control, which has never become a standard: nothing of it counts. */
const SURROGATE: readonly (readonly [id: string, value: string, more: Lines, from: 'cache' | 'origin'])[] = [
  ['max-age', 'max-age=3600', {}, 'origin'],
  ['max-age-max', 'max-age=2147483648', {}, 'origin'],
  ['max-age-max-plus', 'max-age=99999999999', {}, 'origin'],
  ['max-age-me-target', 'max-age=3600;waypost', {}, 'origin'],
  ['max-age-other-target', 'max-age=3600;not-for-you', { age: '7200' }, 'origin'],
  ['max-age-age', 'max-age=3600', { age: '7200' }, 'origin'],
  ['max-age-space-before-equals', 'max-age =100', { 'cache-control': 'max-age=1' }, 'origin'],
  ['max-age-space-after-equals', 'max-age= 100', { 'cache-control': 'max-age=1' }, 'origin'],
  ['max-age-0', 'max-age=0', {}, 'origin'],
  ['max-age-extension', 'foobar, max-age=3600', {}, 'origin'],
  ['max-age-case-insensitive', 'MaX-aGe=3600', {}, 'origin'],
  ['max-age-expires', 'max-age=3600', { expires: on(-10_000) }, 'origin'],
  ['max-age-cc-max-age-invalid-expires', 'max-age=3600', { expires: '0' }, 'origin'],
  ['max-age-0-expires', 'max-age=0', { expires: on(10_000) }, 'cache'],
  ['max-age-short-cc-max-age', 'max-age=3600', { 'cache-control': 'max-age=1' }, 'origin'],
  ['max-age-long-cc-max-age', 'max-age=1', { 'cache-control': 'max-age=3600' }, 'cache'],
  ['no-store', 'no-store', {}, 'origin'],
  ['no-store-cc-fresh', 'no-store', { 'cache-control': 'max-age=10000', expires: on(10_000) }, 'cache'],
  ['fresh-cc-nostore', 'max-age=10000;waypost', { 'cache-control': 'no-store' }, 'origin'],
];

export const TARGETED: readonly Row[] = [
  ...SURROGATE.map(([id, value, more, from]) =>
    twice(
      '9213 1',
      `Surrogate-Control counts for nothing (surrogate-${id})`,
      { 'surrogate-control': value, ...more },
      from,
      {
        at: 3,
      },
    ),
  ),
  row(
    '9213 1',
    'Surrogate-Control is passed to the visitor, and the edge claims no capability (surrogate-remove-header)',
    stores(
      { 'cache-control': 'max-age=60', 'surrogate-control': 'foo' },
      {
        expect: {
          from: 'origin',
          headers: { 'surrogate-control': 'foo' },
          originRequest: { 'surrogate-capability': '' },
        },
      },
    ),
    later(1, 'cache', { is: { headers: { 'surrogate-control': 'foo' } } }),
  ),
  ...OVER_FRESH.map(([section, value, from]) =>
    twice(
      section,
      `over max-age: ${JSON.stringify(value)}`,
      { 'cache-control': 'max-age=3600', 'cdn-cache-control': value },
      from,
    ),
  ),
  ...OVER_NO_STORE.map(([section, value, from]) =>
    twice(
      section,
      `over no-store: ${JSON.stringify(value)}`,
      { 'cache-control': 'no-store', 'cdn-cache-control': value },
      from,
    ),
  ),
  twice(
    '9213 2.2',
    'max-age wins over an Expires in the past',
    { 'cdn-cache-control': 'max-age=60', expires: on(-60) },
    'cache',
  ),
  twice(
    '9213 2.2',
    'max-age=0 wins over an Expires ahead',
    { 'cdn-cache-control': 'max-age=0', expires: on(60) },
    'origin',
  ),
  twice(
    '9213 2.2',
    'Expires counts no more, and nothing else is said',
    { 'cdn-cache-control': 'none', expires: on(60) },
    'origin',
  ),
  twice(
    '9213 2.2',
    'a guess is possible where nothing else is said',
    { 'cdn-cache-control': 'none', 'last-modified': on(-DAY), 'cache-control': 'no-store' },
    'cache',
    { path: '/a.css' },
  ),
  twice('9213 2.2', 'Age is compared with its max-age', { 'cdn-cache-control': 'max-age=60', age: '120' }, 'origin'),
  twice(
    '9213 2.2',
    'private of Cache-Control does not count',
    { 'cdn-cache-control': 'max-age=60', 'cache-control': 'private' },
    'cache',
  ),
  twice(
    '9213 2',
    'a field for other caches says nothing here',
    { 'example-cache-control': 'max-age=60', 'cache-control': 'no-store' },
    'origin',
  ),
  row(
    '9213 2.1',
    'private="…" names a field here, too',
    stores({ 'cdn-cache-control': 'private="x-a", max-age=60', 'x-a': '1', 'x-b': '2' }),
    later(1, 'cache', { is: { absent: ['x-a'], headers: { 'x-b': '2' } } }),
  ),
  row(
    '9213 2.1',
    'stale-if-error as a string is not understood',
    stores({ 'cdn-cache-control': 'max-age=5, stale-if-error="60"' }),
    later(10, 'origin', { origin: { status: 503 }, is: { status: 503 } }),
  ),
  row(
    '9213 3',
    'it is passed to the visitor',
    stores({ 'cdn-cache-control': 'max-age=60', 'cache-control': 'no-store' }),
    later(1, 'cache', { is: { headers: { 'cdn-cache-control': 'max-age=60', 'cache-control': 'no-store' } } }),
  ),
];
