/** Use of stale responses: RFC 5861, RFC 9111 section 4.2.4. */
import { type Lines, later, on, type Row, row, stores } from './row.ts';

const cacheControl = (value: string, more: Lines = {}): Lines => ({ 'cache-control': value, ...more });

/** A response is stored; 10 seconds later the origin fails. */
const failing = (
  section: string,
  name: string,
  stored: Lines,
  failure: number | 'down',
  from: 'stale' | 'error',
  at = 10,
  headers: Lines = {},
): Row => {
  const origin = failure === 'down' ? ('down' as const) : { status: failure };
  const error =
    failure === 'down'
      ? later(at, 'edge', { headers, origin, is: { status: 502 } })
      : later(at, 'origin', { headers, origin, is: { status: failure } });
  return row(section, name, stores(stored), from === 'stale' ? later(at, 'stale', { headers, origin }) : error);
};

const FAILURES = [500, 502, 503, 504, 'down'] as const;
const SIE = 'max-age=5, stale-if-error=60';

export const STALE: readonly Row[] = [
  ...FAILURES.map((failure) => failing('5861 4', `stale-if-error and ${failure}`, cacheControl(SIE), failure, 'stale')),
  ...FAILURES.map((failure) =>
    failing('9111 4.2.4', `nothing said and ${failure}`, cacheControl('max-age=5'), failure, 'error'),
  ),
  ...[404, 403, 410, 429, 501].map((status) =>
    failing('5861 4', `stale-if-error and ${status}, which is no such error`, cacheControl(SIE), status, 'error'),
  ),
  failing('5861 4', 'stale-if-error is over', cacheControl(SIE), 503, 'error', 66),
  failing('5861 4', 'stale-if-error at its last second', cacheControl(SIE), 503, 'stale', 64),
  failing(
    '5861 4',
    'stale-if-error counts from the end of freshness',
    cacheControl('max-age=5, stale-if-error=6'),
    503,
    'stale',
  ),
  failing('5861 4', 'stale-if-error=0', cacheControl('max-age=5, stale-if-error=0'), 503, 'error'),
  failing('5861 4', 'stale-if-error without a number', cacheControl('max-age=5, stale-if-error'), 503, 'error'),
  failing('5861 4', 'stale-if-error that is no number', cacheControl('max-age=5, stale-if-error=long'), 503, 'error'),
  failing('5861 4', 'stale-if-error in quotes', cacheControl('max-age=5, stale-if-error="60"'), 503, 'stale'),
  failing('5861 4', 'stale-if-error with a validator', cacheControl(SIE, { etag: '"a"' }), 503, 'stale'),
  failing('5861 4', 'stale-if-error with Expires', cacheControl('stale-if-error=60', { expires: on(5) }), 503, 'stale'),
  failing(
    '9111 5.2.2.2',
    'must-revalidate forbids stale-if-error',
    cacheControl(`${SIE}, must-revalidate`),
    503,
    'error',
  ),
  failing(
    '9111 5.2.2.8',
    'proxy-revalidate forbids stale-if-error',
    cacheControl(`${SIE}, proxy-revalidate`),
    503,
    'error',
  ),
  failing(
    '9111 5.2.2.10',
    's-maxage forbids stale-if-error',
    cacheControl('s-maxage=5, stale-if-error=60'),
    503,
    'error',
  ),
  failing(
    '9111 5.2.2.4',
    'no-cache forbids stale-if-error',
    cacheControl('no-cache, stale-if-error=60', { etag: '"a"' }),
    503,
    'error',
  ),
  failing(
    '9111 5.2.2.2',
    'must-revalidate when the origin is down (stale-close-must-revalidate)',
    cacheControl('max-age=5, must-revalidate'),
    'down',
    'error',
  ),
  failing(
    '9111 5.2.2.8',
    'proxy-revalidate when the origin is down (stale-close-proxy-revalidate)',
    cacheControl('max-age=5, proxy-revalidate'),
    'down',
    'error',
  ),
  failing(
    '9111 5.2.2.10',
    's-maxage when the origin is down (stale-close-s-maxage=2)',
    cacheControl('max-age=5, s-maxage=5'),
    'down',
    'error',
  ),
  failing(
    '9111 5.2.2.4',
    'no-cache when the origin is down (stale-close-no-cache)',
    cacheControl('max-age=5, no-cache'),
    'down',
    'error',
  ),
  failing('9213 2.2', 'stale-if-error in CDN-Cache-Control', { 'cdn-cache-control': SIE }, 503, 'stale'),
  failing(
    '9213 2.2',
    'stale-if-error in Cache-Control does not count then',
    { 'cdn-cache-control': 'max-age=5', 'cache-control': SIE },
    503,
    'error',
  ),
  failing('5861 4', 'stale-if-error of the request', cacheControl('max-age=5'), 503, 'error', 10, {
    'cache-control': 'stale-if-error=4',
  }),
  failing(
    '5861 4',
    'stale-if-error of the request, long enough',
    cacheControl('max-age=5', { etag: '"a"' }),
    503,
    'stale',
    10,
    { 'cache-control': 'stale-if-error=60' },
  ),
  failing(
    '5861 4',
    'stale-if-error of the request and must-revalidate',
    cacheControl('max-age=5, must-revalidate', { etag: '"a"' }),
    503,
    'error',
    10,
    { 'cache-control': 'stale-if-error=60' },
  ),
  row(
    '5861 4',
    'every request is served the stale response, and the origin is asked each time',
    stores(cacheControl(SIE)),
    later(10, 'stale', { origin: { status: 503 } }),
    later(20, 'stale', { origin: 'down' }),
    later(30, 'origin'),
  ),
  row(
    '5861 4',
    'it says how old it is',
    stores(cacheControl(SIE)),
    later(10, 'stale', { origin: 'down', is: { age: 10 } }),
  ),
  row(
    '5861 4',
    'an error that may be stored does not take its place',
    stores(cacheControl(SIE)),
    later(10, 'stale', { origin: { status: 503, headers: cacheControl('max-age=60') } }),
    later(11, 'origin'),
  ),

  row(
    '5861 3',
    'stale-while-revalidate: the old one now, the new one next',
    stores(cacheControl('max-age=5, stale-while-revalidate=60')),
    later(10, 'stale', { origin: { headers: cacheControl('max-age=60') } }),
    later(11, 'cache', { is: { body: 'answer 1' } }),
  ),
  row(
    '5861 3',
    'stale-while-revalidate: a 304 behind it makes it fresh',
    stores(cacheControl('max-age=5, stale-while-revalidate=60', { etag: '"a"' })),
    later(10, 'stale', {
      origin: { status: 304, headers: { etag: '"a"' } },
      is: { originRequest: { 'if-none-match': '"a"' } },
    }),
    later(11, 'cache'),
  ),
  row(
    '5861 3',
    'stale-while-revalidate while fresh',
    stores(cacheControl('max-age=5, stale-while-revalidate=60')),
    later(4, 'cache'),
  ),
  row(
    '5861 3',
    'stale-while-revalidate is over',
    stores(cacheControl('max-age=5, stale-while-revalidate=60')),
    later(66, 'origin'),
  ),
  row(
    '5861 3',
    'stale-while-revalidate at its last second',
    stores(cacheControl('max-age=5, stale-while-revalidate=60')),
    later(64, 'stale'),
  ),
  row(
    '5861 3',
    'stale-while-revalidate without a number',
    stores(cacheControl('max-age=5, stale-while-revalidate')),
    later(10, 'origin'),
  ),
  row(
    '5861 3',
    'stale-while-revalidate with max-age=0',
    stores(cacheControl('max-age=0, stale-while-revalidate=60')),
    later(10, 'stale'),
  ),
  row(
    '5861 3',
    'stale-while-revalidate, and the origin fails behind it',
    stores(cacheControl('max-age=5, stale-while-revalidate=60')),
    later(10, 'stale', { origin: { status: 503 } }),
    later(11, 'stale', { origin: 'down' }),
  ),
  row(
    '9111 5.2.2.2',
    'must-revalidate forbids stale-while-revalidate',
    stores(cacheControl('max-age=5, stale-while-revalidate=60, must-revalidate')),
    later(10, 'origin'),
  ),
  row(
    '9111 5.2.2.8',
    'proxy-revalidate forbids stale-while-revalidate',
    stores(cacheControl('max-age=5, stale-while-revalidate=60, proxy-revalidate')),
    later(10, 'origin'),
  ),
  row(
    '9111 5.2.2.10',
    's-maxage forbids stale-while-revalidate',
    stores(cacheControl('s-maxage=5, stale-while-revalidate=60')),
    later(10, 'origin'),
  ),
  row(
    '9111 5.2.2.4',
    'no-cache forbids stale-while-revalidate',
    stores(cacheControl('no-cache, stale-while-revalidate=60', { etag: '"a"' })),
    later(1, 'origin'),
  ),
  row(
    '9213 2.2',
    'stale-while-revalidate in CDN-Cache-Control',
    stores({ 'cdn-cache-control': 'max-age=5, stale-while-revalidate=60', 'cache-control': 's-maxage=1' }),
    later(10, 'stale'),
  ),
  row(
    '5861 3',
    'HEAD is answered stale',
    stores(cacheControl('max-age=5, stale-while-revalidate=60')),
    later(10, 'stale', { method: 'HEAD' }),
  ),
  row(
    '9211 2.4',
    'Cache-Status tells for how long it has been stale',
    stores(cacheControl('max-age=5, stale-while-revalidate=60')),
    later(10, 'stale', { is: { cacheStatus: '; hit; ttl=-5' } }),
  ),
];
