/** Storing responses: RFC 9111 section 3. */
import { DAY, later, on, type Row, row, stores, twice } from './row.ts';

const FRESH = { 'cache-control': 'max-age=3600' };

/**
 * Heuristically cacheable statuses of RFC 9110 section 15.1. 405 and 501 depend on the method, but
 * are among them.
 */
const HEURISTIC = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501];
const EXPLICIT_ONLY = [201, 202, 302, 303, 307, 401, 403, 406, 409, 415, 422, 451, 500, 502, 503, 504];
/**
 * 400 and similar ones are about one visitor's request. 226: RFC 3229 section 10.4.1; from 428 on:
 * RFC 6585 sections 3 to 6.
 */
const NEVER = [206, 226, 400, 408, 412, 413, 416, 417, 421, 425, 426, 428, 429, 431, 511];

const old = { 'last-modified': on(-10 * DAY) };

export const STORING: readonly Row[] = [
  ...HEURISTIC.flatMap((status) => [
    twice('9110 15.1', `${status} is fresh by a guess`, old, 'cache', { status, path: '/a.css' }),
    twice('9111 3', `${status} with max-age is stored`, FRESH, 'cache', { status }),
  ]),
  ...EXPLICIT_ONLY.flatMap((status) => [
    twice('9110 15.1', `${status} without a lifetime is not stored`, old, 'origin', { status, path: '/a.css' }),
    twice('9111 3', `${status} with max-age is stored`, FRESH, 'cache', { status }),
  ]),
  ...NEVER.map((status) =>
    twice(
      '9111 3',
      `${status} is an answer to one request only${status === 400 ? ' (status-400-fresh)' : ''}`,
      FRESH,
      'origin',
      { status },
    ),
  ),
  twice(
    '9111 4.2',
    '400 that is stale when it comes (status-400-stale)',
    { expires: on(-5000), 'last-modified': on(-100_000) },
    'origin',
    { status: 400 },
  ),
  twice('9111 3', 'an unknown status is stored if it says how long', FRESH, 'cache', { status: 299 }),
  twice('9111 3', '302 with Expires is stored', { expires: on(3600) }, 'cache', { status: 302 }),
  twice('9111 3', '302 with s-maxage is stored', { 'cache-control': 's-maxage=3600' }, 'cache', { status: 302 }),
  row(
    '9111 3',
    '302 with s-maxage=0 is stored, and validated',
    stores({ 'cache-control': 's-maxage=0', etag: '"a"' }, { origin: { status: 302 } }),
    later(1, 'validated', { origin: { status: 304, headers: { etag: '"a"' } }, is: { status: 302 } }),
  ),
  twice('9111 4.2.2', '302 that is public is fresh by a guess', { 'cache-control': 'public', ...old }, 'cache', {
    path: '/a.css',
    status: 302,
  }),
  twice('9111 3', 'without a lifetime and without a change to guess from', {}, 'origin'),
  row(
    '9111 3',
    'an entity tag alone is no word on caching',
    stores({ etag: '"a"' }),
    later(1, 'origin', { is: { originRequest: { 'if-none-match': '' } } }),
  ),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'LINK'].map((method) =>
    row(
      '9111 3',
      `what ${method} brings answers no other request`,
      stores(FRESH, { method }),
      later(1, 'origin', { method }),
      later(2, 'origin'),
    ),
  ),
  row(
    '9110 9.3.3',
    'what POST brings answers no GET, although it names its own URL (method-POST)',
    stores({ expires: on(30 * DAY), 'content-location': '<base>/' }, { method: 'POST' }),
    later(1, 'origin'),
  ),
  row(
    '9111 4',
    'GET answers HEAD',
    stores({ ...FRESH, 'x-a': '1' }),
    later(1, 'cache', { method: 'HEAD', is: { headers: { 'x-a': '1' } } }),
  ),
  row('9111 4', 'HEAD answers no GET', stores(FRESH, { method: 'HEAD' }), later(1, 'origin')),
  row(
    '9111 2',
    'another query is another key',
    stores(FRESH, { path: '/?a=1' }),
    later(1, 'origin', { path: '/?a=2' }),
  ),
  row('9111 2', 'a path with a query is a key', stores(FRESH, { path: '/?a=1' }), later(1, 'cache', { path: '/?a=1' })),
  row(
    '9111 2',
    'an empty query is another key than none',
    stores(FRESH, { path: '/a' }),
    later(1, 'origin', { path: '/a?' }),
  ),
  row('9111 2', 'paths differ by case', stores(FRESH, { path: '/a' }), later(1, 'origin', { path: '/A' })),
  row(
    '3986 6.2.2',
    'an encoded letter is kept apart, as an origin may',
    stores(FRESH, { path: '/a' }),
    later(1, 'origin', { path: '/%61' }),
  ),
  row(
    '3986 6.2.2',
    'a slash and an encoded one are not the same',
    stores(FRESH, { path: '/a/b' }),
    later(1, 'origin', { path: '/a%2Fb' }),
  ),
  row(
    '3986 6.2.2',
    'dot segments are kept apart',
    stores(FRESH, { path: '/b' }),
    later(1, 'origin', { path: '/a/../b' }),
  ),
  row(
    '9111 3',
    'a body longer than the cache takes is not stored',
    stores(FRESH, { origin: { body: 'x'.repeat(2_000_000) } }),
    later(1, 'origin'),
  ),

  // Cookies: RFC 9111 sections 7.3 and 3, with restrictions.
  twice(
    '9111 7.3',
    "Set-Cookie with max-age alone is some visitor's (headers-store-Set-Cookie, other-set-cookie)",
    { ...FRESH, 'set-cookie': 'a=b' },
    'origin',
  ),
  twice(
    '9111 7.3',
    "Set-Cookie with Expires alone is some visitor's",
    { expires: on(3600), 'set-cookie': 'a=b' },
    'origin',
  ),
  twice('9111 7.3', "Set-Cookie with a guess is some visitor's", { ...old, 'set-cookie': 'a=b' }, 'origin', {
    path: '/a.css',
  }),
  twice(
    '9111 7.3',
    "Set-Cookie that is public is some visitor's all the same",
    { 'cache-control': 'public, max-age=60', 'set-cookie': 'a=b' },
    'origin',
  ),
  twice(
    '9111 5.2.2.10',
    "Set-Cookie with s-maxage is everybody's",
    { 'cache-control': 's-maxage=60', 'set-cookie': 'a=b' },
    'cache',
  ),
  twice(
    '9213 2.2',
    "Set-Cookie with CDN-Cache-Control is everybody's",
    { 'cdn-cache-control': 'max-age=60', 'set-cookie': 'a=b' },
    'cache',
  ),
  row(
    '9111 5.2.2.10',
    "all lines of everybody's Set-Cookie are given",
    stores({ 'cache-control': 's-maxage=60', 'set-cookie': ['a=b', 'c=d'] }),
    later(1, 'cache', { is: { headers: { 'set-cookie': 'a=b, c=d' } } }),
  ),
  row(
    '9111 5.2.2.4',
    'no-cache="set-cookie" stores the rest',
    stores(
      { 'cache-control': 'max-age=60, no-cache="Set-Cookie"', 'set-cookie': 'a=b' },
      { expect: { from: 'origin', headers: { 'set-cookie': 'a=b' } } },
    ),
    later(1, 'cache', { is: { absent: ['set-cookie'] } }),
  ),
  row(
    '9111 5.2.2.7',
    'private="set-cookie" stores the rest',
    stores({ 'cache-control': 'max-age=60, private="set-cookie"', 'set-cookie': 'a=b' }),
    later(1, 'cache', { is: { absent: ['set-cookie'] } }),
  ),
  row(
    '9111 4.1',
    'a cookie of the visitor does not matter without Vary',
    stores(FRESH),
    later(1, 'cache', { headers: { cookie: 'a=b' } }),
  ),
  twice('9111 7.3', 'a visitor with a cookie fills the cache, too', FRESH, 'cache', { request: { cookie: 'a=b' } }),

  // Authorization: section 3.5.
  ...[
    ['max-age=60', 'origin'],
    ['no-cache', 'origin'],
    ['proxy-revalidate, max-age=60', 'origin'],
    ['public, max-age=60', 'cache'],
    ['s-maxage=60', 'cache'],
    ['must-revalidate, max-age=60', 'cache'],
    ['private, must-revalidate, max-age=60', 'origin'],
    ['public="x", max-age=60', 'origin'],
  ].map(([value, from]) =>
    twice('9111 3.5', `Authorization and ${value}`, { 'cache-control': value }, from as 'cache', {
      request: { authorization: 'Basic YTpi' },
    }),
  ),
  row(
    '9111 3.5',
    'a response stored without Authorization answers a request with it',
    stores(FRESH),
    later(1, 'cache', { headers: { authorization: 'Basic YTpi' } }),
  ),
  twice('9111 3.5', 'Authorization and a guess', old, 'origin', {
    path: '/a.css',
    request: { authorization: 'Basic YTpi' },
  }),

  // Stored fields: section 3.1.
  ...['proxy-authenticate', 'proxy-authentication-info'].map((name) =>
    row(
      '9111 3.1',
      `${name} is not stored`,
      stores({ ...FRESH, [name]: 'Basic realm="a"' }),
      later(1, 'cache', { is: { absent: [name] } }),
    ),
  ),
  ...[
    'x-a',
    'content-type',
    'content-language',
    'link',
    'x-frame-options',
    'content-security-policy',
    'www-authenticate',
    'clear-site-data',
    'content-location',
    'access-control-allow-origin',
  ].map((name) =>
    row(
      '9111 3.1',
      `${name} is stored`,
      stores({ ...FRESH, [name]: '/value' }),
      later(1, 'cache', { is: { headers: { [name]: '/value' } } }),
    ),
  ),
  row(
    '9111 3.1',
    'lines of one name stay in order',
    stores({ ...FRESH, 'x-a': ['1', '2', '3'] }),
    later(1, 'cache', { is: { headers: { 'x-a': '1, 2, 3' } } }),
  ),
  row(
    '9110 6.6.1',
    'Date is that of the origin',
    stores({ ...FRESH, date: on(-10) }),
    later(5, 'cache', { is: { headers: { date: on(-10) } } }),
  ),
  row(
    '9110 6.6.1',
    'a missing Date is that of its receipt',
    stores({ ...FRESH, date: '' }),
    later(5, 'cache', { is: { headers: { date: on(0) }, age: 5 } }),
  ),
  row(
    '9110 6.6.1',
    'a Date that is none is that of its receipt',
    stores({ ...FRESH, date: 'today' }),
    later(5, 'cache', { is: { headers: { date: on(0) } } }),
  ),
  row(
    '9111 5.2.2.4',
    'no-cache="…" of several fields',
    stores({ 'cache-control': 'no-cache="x-a, X-B", max-age=60', 'x-a': '1', 'x-b': '2', 'x-c': '3' }),
    later(1, 'cache', { is: { absent: ['x-a', 'x-b'], headers: { 'x-c': '3' } } }),
  ),
  row(
    '9111 5.2.2.7',
    'private="…" of several fields',
    stores({ 'cache-control': 'private="x-a, X-B", max-age=60', 'x-a': '1', 'x-b': '2', 'x-c': '3' }),
    later(1, 'cache', { is: { absent: ['x-a', 'x-b'], headers: { 'x-c': '3' } } }),
  ),
  twice(
    '9111 5.2.2.7',
    'private="content-type" is private',
    { 'cache-control': 'private="content-type", max-age=60', 'content-type': 'a/b' },
    'origin',
  ),
  twice('9111 5.2.2.7', 'private="" is private', { 'cache-control': 'private="", max-age=60' }, 'origin'),
  twice(
    '9111 5.2.2.7',
    'private=x-a, in another form, names a field',
    { 'cache-control': 'private=x-a, max-age=60', 'x-a': '1' },
    'cache',
  ),
];
